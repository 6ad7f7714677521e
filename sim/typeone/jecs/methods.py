"""The selection methods: what they are called, which kernel row is theirs, and what they promise."""

from __future__ import annotations

from typing import NamedTuple

from typeone_kernels.jecs import ADAFILTER, CHORD, FILTERED, INTERSECTION, MAX_P, STOREY, UNION

_CONTROL = "The expected share of contaminated items among the selected ones is at most the level, if: "
_VALID = (
    "(1) under each model, candidates that it was trained on and its calibration items have exchangeable scores; "
    "(2) contaminated items are independent of each other and of the rest"
)
_SHARED = "All candidates are compared with the same calibration scores, which makes their p-values dependent: "
_UNCONTROLLED = "Contaminated items may be any share of the selection: nothing bounds it. "


class Method(NamedTuple):
    """A row of the kernels' selections, its name in print, and its promise in plain words."""

    row: int
    title: str
    promise: str
    models: int = 1
    """Fewest models with which it can be used."""


METHODS = {
    "union": Method(
        UNION, "union of the models' BH", _UNCONTROLLED + "An item passes as soon as one model finds it clean."
    ),
    "intersection": Method(
        INTERSECTION,
        "intersection of the models' BH",
        _UNCONTROLLED + "The false discoveries of each model are controlled, not those of the intersection.",
    ),
    "max-p": Method(
        MAX_P,
        "max-p BH",
        f"{_CONTROL}{_VALID}. {_SHARED}this is not covered by the proof. Often far below the level, and then without "
        "power: the largest of several p-values is seldom small by chance.",
    ),
    "storey": Method(
        STOREY,
        "max-p Storey-BH",
        f"{_CONTROL}{_VALID}. {_SHARED}this is not covered by the proof.",
    ),
    "jecs": Method(
        CHORD,
        "JECS (chord envelope)",
        f"{_CONTROL}{_VALID}; (3) a contaminated item's chance of a largest p-value of at most t, divided by t, does "
        f"not fall as t grows to 0.8. {_SHARED}this is checked, not proved (in 1 753 simulated designs without ties "
        "the share was at most .999 ± .002 of the level). What breaks it: documents that score as clean under every "
        "model, trained on or not (gibberish, another language). They break (3), and the share can be several times "
        "the level. `typeone check jecs` looks for them among the calibration items.",
    ),
    "adafilter": Method(
        ADAFILTER,
        "AdaFilter",
        "Relies on p-values that are independent between models. Scores of one document usually agree between models, "
        "and then contaminated items can be several times the level.",
        models=2,
    ),
    "jecs-filter": Method(
        FILTERED,
        "JECS with filter",
        "No guarantee for finitely many items, even with independent models. Like AdaFilter it fails where scores of "
        "one document agree between models: contaminated items can then be several times the level.",
        models=2,
    ),
}


def method_called(name: str, models: int) -> Method:
    """The method, or a ValueError when there is none of this name or it needs more models."""
    if name not in METHODS:
        raise ValueError(f"method={name!r}: is one of {', '.join(METHODS)}")
    found = METHODS[name]
    if models < found.models:
        raise ValueError(f"method={name!r}: compares at least {found.models} models; {models} is given")
    return found
