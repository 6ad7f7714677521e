"""SCF study at CC News size against a vectorised NumPy twin and against a floor: python benchmarks/scf.py."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from scf_twin import NumpyStudy
from timing import interleaved, ratio
from typeone.engine.study import Cell, Column
from typeone.levels import levels
from typeone.studies.scf import STUDY
from typeone_kernels.partitions import draw_roles


def floor(score, source, tests: int, participants: int, values) -> float:
    """The least that any implementation does: read the sorted documents once, sort the test sources six times."""
    total = float(np.take(values, source).sum()) + float(score.sum())
    for i in range(6):
        np.sort(values[i : i + tests + participants])
    return total


def main(partitions: int = 500) -> None:
    parameters = STUDY.parameters(scenario="cc-news")
    cell = Cell(0, parameters, levels("levels", list(STUDY.levels)), (1, 2))
    shared = STUDY.share(cell)
    twin = NumpyStudy(shared, 0.05)
    roles = np.empty((partitions, shared.bags.sizes.size), np.int8)
    draw_roles(np.array(cell.key, np.uint64), 0, shared.pool, np.array([parameters.K, parameters.L]), roles)
    at = np.array([0.05, 0.1, 0.2])
    tests = shared.pool.size - parameters.K - parameters.L
    rng = np.random.default_rng(1)
    values = rng.standard_normal(shared.bags.sizes.size + 6)

    ours = STUDY.simulate(cell, shared, 0, partitions)
    for b in range(0, partitions, 50):
        for method, (auroc, tpr, fpr) in twin.partition(roles[b], at).items():
            # The twin's floating-point means order near-ties by rounding, so agreement is up to a few pairs.
            assert abs(ours[Column(method, "auroc")][b] - auroc) < 1e-6, (method, b)
            for t, level in enumerate(cell.levels):
                assert abs(ours[Column(method, "tpr", level.text)][b] - tpr[t]) < 2e-3, (method, b, level)
                assert abs(ours[Column(method, "fpr", level.text)][b] - fpr[t]) < 2e-3, (method, b, level)

    few = 40
    times = interleaved(
        {
            "ours": lambda: STUDY.simulate(cell, shared, 0, few),
            "numpy": lambda: [twin.partition(role, at) for role in roles[:few]],
            "floor": lambda: [
                floor(shared.bags.score, shared.bags.source, tests, shared.participants.size, values)
                for _ in range(few)
            ],
        }
    )
    for name, timing in times.items():
        print(f"{name:6} {timing.median / few * 1e6:8.0f} us a partition (median of 7)")
    print("numpy / ours {:.1f} ({:.1f} to {:.1f})".format(*ratio(times["numpy"], times["ours"])))
    print("ours / floor {:.2f} ({:.2f} to {:.2f})".format(*ratio(times["ours"], times["floor"])))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB in this process")


if __name__ == "__main__":
    main()
