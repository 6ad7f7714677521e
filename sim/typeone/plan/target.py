"""Targets as a user writes them: ``measure[@level][:method]=value``, found again among a study's columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from typeone.engine.intervals import Bounds
from typeone.engine.parameters import suggestion
from typeone.engine.study import Column, Study
from typeone.levels import Level, level, number
from typeone.plan.hints import Hints

Sense: TypeAlias = Literal[">=", "<="]
Status: TypeAlias = Literal["reaches", "misses", "undecided"]

_NAME = re.compile(r"\s*(?P<measure>[\w.-]+)\s*(?:@(?P<level>[^:]+))?(?::(?P<method>.+))?")
_TARGET = re.compile(r"(?P<name>[^<>=]+)(?P<sense><=|>=|=)(?P<value>[^<>=]+)")


@dataclass(frozen=True, slots=True)
class Target:
    """A measure, possibly at a level and of a method, to be brought to a value."""

    measure: str
    level: Level | None
    method: str
    sense: Sense
    value: Level

    @property
    def text(self) -> str:
        """As one would type it: ``tpr@0.05:scf>=0.8``."""
        at = f"@{self.level.text}" if self.level is not None else ""
        of = f":{self.method}" if self.method else ""
        return f"{self.measure}{at}{of}{self.sense}{self.value.text}"

    def among(self, columns: Iterable[Column], level: Level | None, method: str) -> tuple[Target, Column]:
        """The one column that is meant, and the target with that column's level and method.

        ``level`` and ``method`` choose among several; a ValueError lists what is left of the choice.
        """
        named = sorted(column for column in columns if column.measure == self.measure)
        meant = [c for c in named if self.method in ("", c.method) and self.level in (None, _level(c))]
        meant = [c for c in meant if level is not None and _level(c) == level] or meant
        meant = [c for c in meant if c.method == method] or meant
        if len(meant) != 1:
            told = ", ".join(_shown(column) for column in (meant or named)) or "nothing of that name"
            what = "several columns are" if meant else "no column is"
            raise ValueError(f"{self.text}: {what} meant; there is {told}")
        return replace(self, level=_level(meant[0]), method=meant[0].method), meant[0]

    def is_met(self, value: float | Fraction) -> bool:
        """Whether an expectation known exactly, or an estimate, is on the wanted side."""
        exact = Fraction(value)
        return exact >= self.value if self.sense == ">=" else exact <= self.value

    def status(self, bounds: Bounds) -> Status:
        """What bounds of the expectation decide; NaN bounds decide nothing."""
        inner, outer = (bounds.lower, bounds.upper) if self.sense == ">=" else (bounds.upper, bounds.lower)
        if inner != inner or outer != outer:
            return "undecided"
        if self.is_met(inner):
            return "reaches"
        return "undecided" if self.is_met(outer) else "misses"


def read_target(
    option: str, text: str, study: Study, hints: Hints, *, sense: Sense, level_: str = "", method: str = ""
) -> Target:
    """Parse ``text``; ``=`` means ``sense``.  What an alias says of level and method gives way to the options."""
    found = _TARGET.fullmatch(text.strip().replace("≥", ">=").replace("≤", "<="))
    named = _NAME.fullmatch(found["name"].strip()) if found else None
    if found is None or named is None:
        raise ValueError(f"{option} {text!r}: write measure[@level][:method]=value")
    if named["measure"] in hints.measures:
        alias = _NAME.fullmatch(hints.measures[named["measure"]])
        if alias is None:
            raise ValueError(f"PLAN['measures'][{named['measure']!r}]: write measure[@level][:method]")
    else:
        alias = named
    measure = _measure(option, alias["measure"], study, hints)
    at = named["level"] or (alias["level"] and (level_ or alias["level"])) or ""
    value = number(f"{option} {text!r}", found["value"].strip())
    kind = next(m.kind for m in study.measures if m.name == measure)
    if kind in ("rate", "fraction") and not 0 <= value <= 1:
        raise ValueError(f"{option} {text!r}: {measure} lies between 0 and 1")
    return Target(
        measure=measure,
        level=level(f"{option} {text!r}, level", at.strip()) if at else None,
        method=(named["method"] or (alias["method"] and (method or alias["method"])) or "").strip(),
        sense=sense if found["sense"] == "=" else ">=" if found["sense"] == ">=" else "<=",
        value=value,
    )


def _measure(option: str, name: str, study: Study, hints: Hints) -> str:
    known: Collection[str] = [measure.name for measure in study.measures]
    if name not in known:
        near = suggestion(name, [*known, *hints.measures])
        raise ValueError(f"{option} {name}: {study.name} has no such measure{near}")
    return name


def _level(column: Column) -> Level | None:
    return Level(column.level) if column.level else None


def _shown(column: Column) -> str:
    at = f"@{column.level}" if column.level else ""
    return f"{column.measure}{at}:{column.method}"
