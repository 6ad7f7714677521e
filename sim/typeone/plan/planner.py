"""From a question to its answer: look, decide, look again where it matters, check the limits, write it down."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from typeone import tables
from typeone.engine import manifest
from typeone.engine.files import explained, locked, write_whole
from typeone.plan.cells import Line
from typeone.plan.evidence import Evidence
from typeone.plan.exact import teeth
from typeone.plan.frontier import priced
from typeone.plan.journal import Journal
from typeone.plan.question import Asked, Question, understand
from typeone.plan.result import CURVE, Answer, PlanResult, Size
from typeone.plan.sampler import Sampler, Workers
from typeone.plan.search import Bracket, Search

QUESTION, SUMS, CURVE_FILE, ANSWER = manifest.PLAN, "sums.jsonl", "curve.parquet", "answer.json"


class Progress(NamedTuple):
    """Told after each piece of work."""

    repetitions: int
    """Computed in this session."""
    looks: int
    """Times that sizes were looked at."""
    sizes: int
    """How many are being looked at now."""


Tell = Callable[[Progress], None]


def answer(
    question: Question, out: str | Path, *, workers: Workers | None = None, progress: Tell | None = None
) -> PlanResult:
    """Answer ``question`` in the folder ``out``, continuing what is there.

    Writes question.json, sums.jsonl (what was simulated), curve.parquet and answer.json.  The answer depends on
    the question and its seed alone, not on workers or interruptions.  A ValueError says what cannot be meant.
    """
    asked = understand(question)
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explained(error, folder) from error
    with locked(folder):
        _claim(folder, asked.facts())
        told = _Told(progress)
        with (
            Journal(folder / SUMS) as journal,
            Sampler(asked.planned, asked.columns, journal, workers or Workers(), told.add) as sampler,
        ):
            result = _answered(asked, Evidence(asked, sampler), told)
        tables.write(result.curve, folder / CURVE_FILE)
        write_whole(folder / ANSWER, result.as_json().encode() + b"\n")
    return result


def _claim(folder: Path, facts: dict[str, Any]) -> None:
    """Make the folder this plan's, or check that it is."""
    file = folder / QUESTION
    content = json.dumps(facts, indent=1).encode() + b"\n"
    if not file.exists():
        if taken := [name for name in (SUMS, manifest.NAME) if (folder / name).exists()]:
            raise ValueError(f"{folder} holds {taken[0]} of something else: choose another folder")
        write_whole(file, content)
    elif told := manifest.differences(json.loads(file.read_bytes()), json.loads(content)):
        raise ValueError(f"{folder} holds another plan: it differs in {'; '.join(told)}. Choose another folder")


class _Told:
    """Counts what is done, for the progress."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self._repetitions = self._looks = self._sizes = 0

    def look(self, sizes: int) -> None:
        self._looks += 1
        self._sizes = sizes

    def add(self, repetitions: int) -> None:
        self._repetitions += repetitions
        if self._tell:
            self._tell(Progress(self._repetitions, self._looks, self._sizes))


def _answered(asked: Asked, evidence: Evidence, told: _Told) -> PlanResult:
    searches = {line: Search(teeth(asked, line), every=asked.question.every) for line in asked.lines}
    for line, search in searches.items():
        _learn(line, search, evidence, range(len(asked.sizes)))
    _pursue(searches, evidence, told, lambda line, search: search.wanted())
    _pursue(searches, evidence, told, lambda line, search: _unjudged(asked, line, search, evidence))
    answers = [_answer(asked, line, search, evidence) for line, search in searches.items()]
    return PlanResult(
        study=asked.planned.study.name,
        target=asked.target.text,
        column=asked.column,
        factors=asked.factors,
        effect=asked.question.effect,
        about=asked.about,
        holds_for=asked.hints.holds_for(asked.planned.cells[0]),
        error=asked.question.error.text,
        answers=priced(answers, asked.factors, asked.costs),
        repetitions=evidence.repetitions,
        curve=_curve(asked, searches, evidence),
    )


Searches = dict[Line, Search]


def _pursue(
    searches: Searches, evidence: Evidence, told: _Told, wanted: Callable[[Line, Search], Collection[int]]
) -> None:
    """Look where ``wanted`` says, first at the cells with the fewest looks, until it says nothing."""
    while cells := {line.first + i for line, search in searches.items() for i in wanted(line, search)}:
        place = min(evidence.taken(cell) for cell in cells)
        now = sorted(cell for cell in cells if evidence.taken(cell) == place)
        told.look(len(now))
        evidence.look(now, place)
        for line, search in searches.items():
            _learn(line, search, evidence, (cell - line.first for cell in now))


def _learn(line: Line, search: Search, evidence: Evidence, positions: Any) -> None:
    for i in positions:
        if 0 <= i < len(search.points) and (point := evidence.point(line.first + i)):
            search.learn(i, point)


def _unjudged(asked: Asked, line: Line, search: Search, evidence: Evidence) -> set[int]:
    """Answers that were not looked at yet, or where a limit is undecided and may still be decided."""
    ends = {search.minimum.point, search.stable.point} - {len(asked.sizes)}
    return {
        i
        for i in ends
        if search.points[i] is None
        or (
            not evidence.is_exhausted(line.first + i)
            and any(limit.verdict == "undecided" for limit in evidence.limits(line.first + i))
        )
    }


def _answer(asked: Asked, line: Line, search: Search, evidence: Evidence) -> Answer:
    def size(bracket: Bracket) -> Size:
        if bracket.point == len(asked.sizes):
            return Size.of(bracket, asked.sizes, None, ())
        cell = line.first + bracket.point
        return Size.of(bracket, asked.sizes, evidence.reached(cell), evidence.limits(cell))

    return Answer(line.multiple.text, line.effect, line.outer, size(search.minimum), size(search.stable))


def _curve(asked: Asked, searches: Searches, evidence: Evidence) -> pa.Table:
    """One row for every size of every line, in order; see CURVE."""
    rows = []
    for line, search in searches.items():
        statuses = search.statuses()
        for i, size in enumerate(asked.sizes):
            found = evidence.reached(line.first + i)
            source = "inferred" if statuses[i] != "undecided" else "not simulated"
            if found is not None:
                source = "simulated" if evidence.taken(line.first + i) else "exact"
            numbers = dict(found._asdict()) if found else {"repetitions": 0, "failed": 0}
            row = {"multiple": line.multiple.text, "outer": line.outer, "size": size}
            row |= {"status": statuses[i], "source": source}
            rows.append(row | {k: None if v != v else v for k, v in numbers.items()})
    return pa.Table.from_pylist(rows, schema=CURVE)
