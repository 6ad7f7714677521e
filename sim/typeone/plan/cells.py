"""The cells of a question: every size, at every size of a second factor, at every multiple of the effect.

All of them have one random key, so that two sizes differ by what the size does and not by luck; what else a study
must fix for that, its hint ``common`` says.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from typeone.engine.design import Design, design_from
from typeone.engine.parameters import Scalar, canonical, typed
from typeone.engine.resolved import Resolved, grid, resolve
from typeone.engine.study import Cell
from typeone.levels import Level
from typeone.plan.hints import Hints

MOST_SIZES = 20_000
ONE = Level("1")
ASSUMED = ("0.8", "1", "1.2")
"""Multiples of an effect of which nobody knows how wrong it may be."""


@dataclass(frozen=True, slots=True)
class Line:
    """Sizes of the searched factor, everything else fixed: position i of the search is cell ``first + i``."""

    multiple: Level
    """Of the effect."""
    effect: str
    """Its value there; "" when none was asked about."""
    outer: int | None
    """The size of the second factor, if there is one."""
    first: int


class Layout(NamedTuple):
    """All cells, their lines, and a sentence on the multiples of the effect."""

    planned: Resolved
    lines: tuple[Line, ...]
    about: str


class _Scaled(NamedTuple):
    multiple: Level
    text: str
    values: dict[str, Scalar]


def lay_out(design: Design, hints: Hints, varied: Mapping[str, Sequence[int]], effect: str) -> Layout:
    """One cell for each multiple of ``effect`` ("": none), second size and size, in this order."""
    if effect in varied:
        raise ValueError(f"--effect {effect}: is varied already")
    fixed = _fixed(design, varied)
    (base,) = _planned(design, fixed, [{name: sizes[0] for name, sizes in varied.items()}]).cells
    _check_whole(base, varied)
    scaled, about = _multiples(base, effect, hints) if effect else ([_Scaled(ONE, "", {})], "")
    inner, *more = varied.values()
    outers: list[int | None] = [*more[0]] if more else [None]
    if len(inner) * len(outers) * len(scaled) > MOST_SIZES:
        raise ValueError(f"--vary: more than {MOST_SIZES} cells in all; add a step")
    cells: list[dict[str, Any]] = []
    lines = []
    for (multiple, text, extra), outer in itertools.product(scaled, outers):
        lines.append(Line(multiple, text, outer, len(cells)))
        for size in inner:
            cells.append(dict(zip(varied, (size, outer), strict=False)) | extra)
    fixed.pop(effect, None)
    asked_about = {*varied, *([effect] if effect else [])}
    planned = _planned(design, fixed, cells, asked_about)
    common = {name: value for name, value in hints.common(planned.cells).items() if name not in asked_about}
    if common:
        planned = _planned(design, fixed | common, cells, asked_about)
    return Layout(planned, tuple(lines), about)


def _planned(
    design: Design, factors: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], paired: set[str] | None = None
) -> Resolved:
    changes = {"factors": factors, "cells": cells}
    return resolve(design_from(design.model_dump(mode="json", exclude_unset=True) | changes), paired=paired or ())


def _fixed(design: Design, varied: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all other factors; they must be one set."""
    rest = [{k: v for k, v in point.items() if k not in varied} for point in grid(design)]
    distinct = {json.dumps(point, sort_keys=True) for point in rest}
    if len(distinct) > 1:
        names = {name for point in rest for name in point}
        several = sorted(name for name in names if len({canonical(point.get(name)) for point in rest}) > 1)
        raise ValueError(f"{several[0]}: the design has several values; choose one with --set {several[0]}=VALUE")
    return rest[0]


def _check_whole(base: Cell, varied: Mapping[str, Any]) -> None:
    for factor in varied:
        value = getattr(base.parameters, factor)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"--vary {factor}: {typed(value)!r} is no whole number, so it has no sizes")


def _multiples(base: Cell, effect: str, hints: Hints) -> tuple[list[_Scaled], str]:
    """The effect at 1 and at two other multiples, and what these are: an estimate's interval, or a guess."""
    value = getattr(base.parameters, effect)
    if isinstance(value, bool | str) or value is None:
        raise ValueError(f"--effect {effect}: {value!r} is no number that could be multiplied")
    known = hints.uncertainty(base, effect)
    if known is None:
        texts = ASSUMED
        told = "the answer if it were a fifth smaller or larger than assumed"
    else:
        lower, upper, told = known
        texts = (f"{max(0.0, lower):.3g}", "1", f"{upper:.3g}")
        if len(set(texts)) == 1:
            raise ValueError(
                f"--effect {effect}: the interval of its value has no width, so there is no smaller or larger one to "
                "look at; leave --effect out"
            )
    scaled = [_scaled(effect, value, Level(text)) for text in dict.fromkeys(texts)]
    if len({one.text for one in scaled}) < len(scaled):
        rounded = ", rounded to whole numbers" if isinstance(value, int) else ""
        raise ValueError(
            f"--effect {effect}: {_listed(one.multiple.text for one in scaled)} times {typed(value)} are "
            f"{_listed(one.text for one in scaled)}{rounded}, which do not differ: make one plan for each {effect} "
            "that you mean"
        )
    ends = _listed(one.multiple.text for one in scaled if one.multiple != 1)
    return scaled, f"x {effect} {ends}: {told}"


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _scaled(effect: str, value: int | float | Level, multiple: Level) -> _Scaled:
    """A whole number stays one: the nearest."""
    exact = Level(value) * multiple
    if isinstance(value, int):
        return _Scaled(multiple, str(round(exact)), {effect: round(exact)})
    scaled = float(exact) if isinstance(value, float) else f"{exact.numerator}/{exact.denominator}"
    return _Scaled(multiple, f"{float(exact):.6g}", {effect: scaled})
