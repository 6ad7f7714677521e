"""Where the time of each study goes: ``python -m benchmarks.profiles [STUDY ...]``; ``--write`` renews the README.

Compiled kernels and a few named functions are timed where the study calls them; what JECS's one kernel spends on ranks
is measured by ranking alone.  What is left is NumPy and Python between the parts.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.machine import described, single_thread

single_thread()

import numpy as np  # noqa: E402
from numba.core.registry import CPUDispatcher  # noqa: E402

from benchmarks import report  # noqa: E402
from benchmarks.timing import seconds_of  # noqa: E402
from benchmarks.workers import prepared  # noqa: E402
from typeone.studies.jecs import scores as jecs_scores  # noqa: E402
from typeone.studies.panels import generator as panels_generator  # noqa: E402
from typeone_kernels import jecs as kernels  # noqa: E402
from typeone_kernels._jit import kernel  # noqa: E402

# Each package also has a function of this name.
jecs_module, panels_module, pooling_module, scf_module = (
    import_module(f"typeone.studies.{name}.simulate") for name in ("jecs", "panels", "pooling", "scf")
)
ROUNDS = 9
README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- profiles -->", "<!-- end of profiles -->"
Spent = dict[str, float]


@contextmanager
def timed(places: list[tuple[Any, str]], spent: Spent) -> Iterator[None]:
    """Functions at (module or class, name) add their seconds to ``spent``; put back afterwards."""
    before = [(owner, name, getattr(owner, name)) for owner, name in places]

    def wrapped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*given, **named)
            finally:
                spent[name] += time.perf_counter() - start

        return call

    try:
        for owner, name, function in before:
            setattr(owner, name, wrapped(name, function))
        yield
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)


def compiled(module: ModuleType) -> list[tuple[Any, str]]:
    """Every kernel that a module calls by name."""
    return [(module, name) for name, value in vars(module).items() if isinstance(value, CPUDispatcher)]


def profile(name: str, count: int, places: list[tuple[Any, str]]) -> Spent:
    """Median seconds of a repetition for each part, for the rest, and altogether."""
    study, cell, shared = prepared(name)
    study.simulate(cell, shared, 0, count)
    rounds: list[Spent] = []
    for _ in range(ROUNDS):
        spent: Spent = defaultdict(float)
        with timed(places, spent):
            total = seconds_of(lambda: study.simulate(cell, shared, 0, count))
        rounds.append({**spent, "all": total})
    parts = {part: float(np.median([r.get(part, 0.0) for r in rounds])) / count for part in rounds[0]}
    whole = parts.pop("all")
    return {**parts, "rest": max(0.0, whole - sum(parts.values())), "all": whole}


def scf() -> Spent:
    return profile("scf", 320, compiled(scf_module))


@kernel
def _rank(plan: Any, calibration: Any, candidates: Any, ties: Any, work: Any) -> None:
    for r in range(calibration.shape[0]):
        kernels.rank_models(plan, calibration[r], candidates[r], ties, r, work)


def jecs() -> Spent:
    """What the one kernel spends on ranks is measured by ranking as many repetitions alone; the rest of it decides."""
    _, cell, _ = prepared("jecs")
    p, size = cell.parameters, jecs_scores.repetitions_at_once(cell.parameters)
    found = profile("jecs", 260, [*compiled(jecs_module), *compiled(jecs_scores)])
    source = jecs_scores.ScoreBatch(p, size)
    plan = kernels.make_plan(p.candidates, p.sizes, cell.levels[0])
    work = kernels.workspace(plan)
    names = np.arange(p.candidates, dtype=np.uint64), np.arange(p.models, dtype=np.uint64)
    ties = kernels.TieKeys(source.tie_keys, *names)
    seconds = []
    for first in range(0, 40 * size, size):  # other repetitions each time: what was seen before is predicted too well
        source.draw(cell.key, first, size)
        seconds.append(seconds_of(lambda: _rank(plan, source.calibration, source.candidates, ties, work)))
    ranks = min(float(np.median(seconds)) / size, found["jecs_batch"])
    decided = found.pop("jecs_batch") - ranks
    rest, whole = found.pop("rest"), found.pop("all")
    return {**found, "jecs_batch: ranks": ranks, "jecs_batch: decisions": decided, "rest": rest, "all": whole}


def panels() -> Spent:
    return profile("panels", 200, [*compiled(panels_module), (panels_generator.Law, "draw")])


def pooling() -> Spent:
    names = ("drawn_cases",)
    quality = pooling_module.quality
    places = [(pooling_module, name) for name in names if hasattr(pooling_module, name)]
    measures = ("auroc", "brier", "calibration_error", "overconfidence")
    return profile("pooling", 200, [*places, *((quality, name) for name in measures)])


PROFILES = {"scf": scf, "jecs": jecs, "panels": panels, "pooling": pooling}


def table(name: str, spent: Spent) -> str:
    whole = spent["all"]
    lines = [(part, report.time_of(value), f"{value / whole:.0%}") for part, value in spent.items() if part != "all"]
    head = (f"{name}: one repetition", report.time_of(whole), "100%")
    return report.table(head, lines)


def main(names: list[str]) -> None:
    text = "\n\n".join(table(name, PROFILES[name]()) for name in names or PROFILES)
    machine = described()
    where = (
        f"`python -m benchmarks.profiles`, {machine['date'][:10]}, {machine['processor']}, load {machine['load']:.1f}:"
    )
    print(f"{where}\n\n{text}")
    if "--write" in sys.argv:
        page = README.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        README.write_text(f"{before}{BEGIN}\n\n{where}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main([name for name in sys.argv[1:] if name in PROFILES])
