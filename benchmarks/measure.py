"""Rows of the table measured: equality first, then interleaved rounds, ratios and targets."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import Any

from benchmarks.rows import Implementation, Row, Target
from benchmarks.table import disagreements
from benchmarks.timing import ROUNDS, Ratio, Timing, interleaved


def measured(row: Row, *, quick: bool) -> dict[str, Any]:
    """The row's times, ratios to ``ours`` and verdicts; small inputs and three rounds if ``quick``."""
    made = row.build("small" if quick else "full")
    usable = {name: each for name, each in made.items() if not each.missing}
    said = disagreements(usable)
    gc.collect()
    gc.disable()
    try:
        times = interleaved({name: each.measure for name, each in usable.items()}, rounds=3 if quick else ROUNDS)
    finally:
        gc.enable()
    return {
        "name": row.name,
        "work": row.work,
        "unit": row.unit,
        "equal": not said["ours"],
        "implementations": {name: _implementation(name, each, times, said) for name, each in made.items()},
        "targets": [
            _verdict(target, times, not said["ours"]) for target in row.targets if target.other in {*times, "s"}
        ],
        "unmeasured": [target.other for target in row.targets if target.other not in {*times, "s"}],
    }


def _implementation(
    name: str, each: Implementation, times: Mapping[str, Timing], said: Mapping[str, str]
) -> dict[str, Any]:
    if name not in times:
        return {"missing": each.missing}
    ratio = Ratio.of(times[name], times["ours"])
    return {
        "median": times[name].median,
        "seconds": times[name].seconds,
        "over_ours": vars(ratio),
        "note": each.note,
        "compared": name in said,
        "differs": said.get(name, ""),
    }


def _verdict(target: Target, times: Mapping[str, Timing], equal: bool) -> dict[str, Any]:
    """``met``, ``stretch`` or ``missed``; no time counts when the output is wrong."""
    ours = times["ours"]
    if target.other == "s":
        value, ratio, rule = ours.median, None, "at most"
    elif target.least is None:
        ratio = Ratio.of(ours, times[target.other])
        value, rule = ratio.median, "at most"
    else:
        ratio = Ratio.of(times[target.other], ours)
        value, rule = ratio.median, "at least"
    limit = target.most if target.least is None else target.least
    return {
        "other": target.other,
        "rule": rule,
        "limit": limit,
        "stretch": target.stretch,
        "value": value,
        "ratio": vars(ratio) if ratio else None,
        "verdict": verdict(value, limit, target.stretch, rule) if equal else "output differs",
    }


def verdict(value: float, limit: float | None, stretch: float | None, rule: str) -> str:
    """Of one number against a limit and a further aim."""

    def keeps(bound: float) -> bool:
        return value <= bound if rule == "at most" else value >= bound

    if stretch is not None and keeps(stretch):
        return "stretch met"
    if limit is None:
        return "stretch missed"
    return "met" if keeps(limit) else "missed"
