"""Where the time of each study goes: ``python -m benchmarks.profiles [STUDY ...]``; ``--write`` renews the README.

Compiled kernels and a few named functions are timed where the study calls them; JECS's one kernel is taken apart by
calling its parts over the same repetitions.  What is left is NumPy and Python between the parts.
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

from benchmarks import floors, report  # noqa: E402
from benchmarks.rows import over  # noqa: E402
from benchmarks.timing import seconds_of  # noqa: E402
from benchmarks.twins.jecs import SCORES, TRUTH  # noqa: E402
from benchmarks.workers import prepared  # noqa: E402
from typeone.engine.streams import generator  # noqa: E402
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
    """The sorts are array methods: they are timed on arrays of the same kind, and taken out of the rest."""
    found = profile("scf", 320, compiled(scf_module))
    _, cell, shared = prepared("scf")
    tested = shared.participants.size + shared.pool.size - cell.parameters.K - cell.parameters.L
    keys = np.random.default_rng(1).integers(0, 2**60, (32, tested))
    sorts = float(np.median([seconds_of(lambda: np.sort(keys, axis=1)) for _ in range(ROUNDS)])) / 32
    return _moved(found, "two sorts of the tested sources", 2 * sorts)


def _moved(found: Spent, name: str, seconds: float) -> Spent:
    whole, rest = found.pop("all"), found.pop("rest")
    return {**found, name: min(seconds, rest), "rest": max(0.0, rest - seconds), "all": whole}


@kernel
def _rank(plan: Any, calibration: Any, candidates: Any, ties: Any, work: Any) -> None:
    for r in range(calibration.shape[0]):
        kernels.rank_models(plan, calibration[r], candidates[r], ties, r, work)


@kernel
def _decide(plan: Any, work: Any, times: int) -> None:
    for _ in range(times):
        kernels.decide(plan, work)


def jecs() -> Spent:
    """Ranks and decisions by their kernels on the same repetitions; numbers drawn as the study draws them."""
    _, cell, _ = prepared("jecs")
    p, size = cell.parameters, 26
    found = profile("jecs", 260, [*compiled(jecs_module), (jecs_scores.ScoreBatch, "draw")])
    source = jecs_scores.ScoreBatch(p, size)
    source.draw(cell.key, 0, size)
    plan = kernels.make_plan(p.candidates, p.sizes, cell.levels[0])
    work = kernels.workspace(plan)
    names = np.arange(p.candidates, dtype=np.uint64), np.arange(p.models, dtype=np.uint64)
    ties = kernels.TieKeys(source.tie_keys, *names)
    scores, uniforms = np.empty((p.models, p.candidates + max(p.sizes))), np.empty((p.models + 3, p.candidates))
    each = _medians(
        size,
        {
            "normals": lambda: over(size, lambda r: floors.jecs_repetition(cell.key, r, SCORES, scores)),
            "uniforms of the truth": lambda: [generator(cell.key, r, TRUTH).random(out=uniforms) for r in range(size)],
            "ranks": lambda: _rank(plan, source.calibration, source.candidates, ties, work),
            "decisions": lambda: _decide(plan, work, size),
        },
    )
    whole, batch, draw = found.pop("all"), found.pop("jecs_batch", 0.0), found.pop("draw")
    drawn, decided = each["normals"] + each["uniforms of the truth"], each["ranks"] + each["decisions"]
    return {
        **each,
        "scores and truth from the numbers": max(0.0, draw - drawn),
        "tally and the batch around ranks and decisions": max(0.0, batch - decided),
        "rest": max(0.0, whole - draw - batch),
        "all": whole,
    }


def _medians(units: int, actions: dict[str, Callable[[], object]]) -> Spent:
    """Seconds of a unit, compile time apart."""
    spent: Spent = {}
    for name, action in actions.items():
        action()
        spent[name] = float(np.median([seconds_of(action) for _ in range(ROUNDS)])) / units
    return spent


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
