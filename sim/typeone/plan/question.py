"""A question as asked, and as understood: the target's column, the sizes in question, and one cell for each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from typeone.engine import manifest, workers
from typeone.engine.design import Design, design_from
from typeone.engine.parameters import suggestion
from typeone.engine.registry import find
from typeone.engine.resolved import Resolved
from typeone.engine.study import Column, Study
from typeone.levels import Level, level, number
from typeone.plan.cells import MOST_SIZES, Line, lay_out
from typeone.plan.hints import Hints, hints_of, unknown
from typeone.plan.target import Target, read_target

ERROR = Level("0.05")
MOST_NUMBER = 2**62 - 1
"""Of a size: two of them are less than a list's length can be apart."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, in the words of the command line.

    The first factor of ``vary`` is searched; with a second one, that is done for each of its sizes.  Every size
    is looked at after ``first`` repetitions, twice as many, and so on, as long as it is undecided, up to ``most``.
    All decisions about sizes together are wrong with probability at most ``error``.
    """

    design: Design
    target: str
    vary: tuple[str, ...]
    at_most: tuple[str, ...] = ()
    cost: tuple[str, ...] = ()
    effect: str = ""
    """A factor whose value is also taken smaller and larger, to show how the answer depends on it: at 80 % and 120 %
    where it is assumed, at the ends of an interval where the study knows it to be an estimate."""
    given: tuple[str, ...] = ()
    """Factors to which the asker gave a value: none of them can be varied."""
    level: str = ""
    method: str = ""
    every: bool = False
    """Simulate every size; infer none."""
    simulate: bool = False
    """Simulate also what the study knows exactly: a check of the one against the other."""
    first: int = 200
    most: int = 12_800
    error: Level = ERROR

    def looks(self) -> tuple[int, ...]:
        """Repetitions at which a size is looked at."""
        counts = [self.first]
        while 2 * counts[-1] <= self.most:
            counts.append(2 * counts[-1])
        return tuple(counts)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question resolved against its study."""

    question: Question
    hints: Hints
    planned: Resolved
    target: Target
    column: Column
    limits: tuple[tuple[Target, Column], ...]
    factors: tuple[str, ...]
    """The searched factor and, perhaps, the second."""
    sizes: tuple[int, ...]
    lines: tuple[Line, ...]
    about: str
    """What the multiples of the effect are."""
    costs: Mapping[str, Level]

    @property
    def columns(self) -> set[Column]:
        """All columns that are needed."""
        return {self.column, *(column for _, column in self.limits)}

    def facts(self) -> dict[str, Any]:
        """What makes up the identity of a plan's folder: more repetitions may be asked for, all else is fixed."""
        here = manifest.versions()
        return {
            **self.planned.facts,
            "target": self.target.text,
            "limits": [limit.text for limit, _ in self.limits],
            "first": self.question.first,
            "error": self.question.error.canonical,
            "every": self.question.every,
            "simulate": self.question.simulate,
            "versions": {name: here[name] for name in manifest.BINDING},
        }


def understand(question: Question) -> Asked:
    """Find study, column and sizes; a ValueError says which part of the question cannot be meant."""
    _check(question)
    study, reference = find(question.design.study)
    hints = hints_of(reference)
    if question.simulate:
        hints = replace(hints, law=unknown)
    varied = _varied(question.vary, study, hints)
    costs = _costs(question.cost, varied, study, hints)
    at, of = _level(question), question.method
    read = partial(read_target, study=study, hints=hints, level_=question.level, method=of)
    target = read("--target", question.target, sense=">=")
    limits = [read("--at-most", text, sense="<=") for text in question.at_most]
    for limit in limits:
        if limit.sense != "<=":
            raise ValueError(f"--at-most {limit.text!r}: is a limit from above; write <= or =")
    for factor in varied:
        if factor in question.given:
            raise ValueError(f"--vary {factor}: is given a value too; give it once")
    effect = _factor("--effect", question.effect, study, hints) if question.effect else ""
    levels = [at, *(one.level for one in (target, *limits))]
    design = _simulated(question, [one for one in levels if one is not None])
    planned, lines, about = lay_out(design, hints, varied, effect)
    columns = _measured(planned)
    target, column = target.among(columns, at, of)
    # A limit is meant at the target's level and for its method unless it says otherwise.
    at, of = at or target.level, of or target.method
    sizes = tuple(next(iter(varied.values())))
    return Asked(
        question=question,
        hints=hints,
        planned=planned,
        target=target,
        column=column,
        limits=tuple(limit.among(columns, at, of) for limit in limits),
        factors=tuple(varied),
        sizes=sizes,
        lines=lines,
        about=about,
        costs=costs,
    )


def _check(question: Question) -> None:
    if question.first < 2:
        raise ValueError(f"first={question.first}: a first look needs at least 2 repetitions")
    if question.most < question.first:
        raise ValueError(f"most={question.most}: must be at least first={question.first}")
    if not 0 < question.error < 1:
        raise ValueError(f"error={question.error.text}: a probability strictly between 0 and 1 is needed")
    if not 1 <= len(question.vary) <= 2:
        raise ValueError(f"--vary: one or two factors are needed, not {len(question.vary)}")


def _level(question: Question) -> Level | None:
    return level("--level", question.level) if question.level else None


def _factor(option: str, name: str, study: Study, hints: Hints) -> str:
    known = study.parameters.model_fields
    meant = hints.factors.get(name, name).replace("-", "_")
    if meant not in known:
        raise ValueError(f"{option} {name}: {study.name} has no such factor{suggestion(name, known)}")
    return meant


def _varied(texts: Sequence[str], study: Study, hints: Hints) -> dict[str, list[int]]:
    """Sizes by factor, ascending."""
    found: dict[str, list[int]] = {}
    for text in texts:
        name, _, span = text.partition("=")
        factor = _factor("--vary", name.strip(), study, hints)
        if factor in found:
            raise ValueError(f"--vary {text!r}: {factor} is there already")
        found[factor] = _span(text, span)
        if 0 in found[factor] and factor in hints.zero:
            raise ValueError(f"--vary {text!r}: 0 stands for {hints.zero[factor]}; begin with 1")
    return found


def _span(text: str, span: str) -> list[int]:
    """``20:500``, ``20:500:5`` (both ends belong to it) or ``20,30,50``."""
    sizes: Sequence[int]
    try:
        if "," in span:
            sizes = ends = [int(part) for part in span.split(",")]
        else:
            start, stop, *more = ends = [int(part) for part in span.split(":")]
            (step,) = more or [1]
            sizes = range(start, stop + 1, step)
    except ValueError:
        raise ValueError(f"--vary {text!r}: write factor=FROM:TO, factor=FROM:TO:STEP or factor=A,B,C") from None
    if beyond := [end for end in ends if abs(end) > MOST_NUMBER]:
        raise ValueError(f"--vary {text!r}: {beyond[0]} has more than {MOST_NUMBER.bit_length()} bits")
    if not sizes or any(a >= b for a, b in itertools.pairwise(sizes[: MOST_SIZES + 1])):
        raise ValueError(f"--vary {text!r}: sizes must increase")
    if len(sizes) > MOST_SIZES:
        raise ValueError(f"--vary {text!r}: {len(sizes)} sizes are more than {MOST_SIZES}; add a step")
    return list(sizes)


def _costs(texts: Sequence[str], varied: Mapping[str, Sequence[int]], study: Study, hints: Hints) -> dict[str, Level]:
    found: dict[str, Level] = {}
    for text in texts:
        name, _, value = text.partition("=")
        factor = _factor("--cost", name.strip(), study, hints)
        if factor not in varied:
            raise ValueError(f"--cost {text!r}: {factor} is not varied")
        if factor in found:
            raise ValueError(f"--cost {text!r}: {factor} has a cost already")
        found[factor] = number(f"--cost {name}", value)
        if found[factor] < 0:
            raise ValueError(f"--cost {text!r}: a cost is at least 0")
    if missing := [factor for factor in varied if found and factor not in found]:
        raise ValueError(f"--cost: the cost of {missing[0]} is missing")
    return found


def _simulated(question: Question, levels: Sequence[Level]) -> Design:
    """The design with the plan's repetitions, and the levels that target and limits name."""
    changes: dict[str, Any] = {"repetitions": question.looks()[-1], "stop": None}
    changes |= {"levels": list({one: one.text for one in levels}.values())} if levels else {}
    return design_from(question.design.model_dump(mode="json", exclude_unset=True) | changes)


def _measured(planned: Resolved) -> tuple[Column, ...]:
    """The columns of one repetition of the first cell."""
    cell = planned.cells[0]
    batch = workers.simulate(planned.study, cell, planned.study.share(cell), 0, 1)
    for failure in batch.failures:
        raise ValueError(f"{planned.study.name}: the first repetition failed with {failure.kind}: {failure.message}")
    return batch.columns
