"""Targets in words: what they mean, and which column of a study they are."""

from __future__ import annotations

import math

import pytest

from plan.saw import SAW
from typeone.engine.intervals import Bounds
from typeone.engine.study import Column
from typeone.levels import Level
from typeone.plan.hints import Hints, hints_of
from typeone.plan.target import read_target

HINTS = hints_of("plan.saw:SAW")
COLUMNS = [Column("a", "hit")] + [Column(m, "error", t) for m in "ab" for t in ("0.05", ".1")]


def read(text, sense=">=", **options):
    return read_target("--target", text, SAW, HINTS, sense=sense, **options)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("power=.8", ("hit", None, "", ">=", Level("4/5"))),
        ("hit >= 4/5", ("hit", None, "", ">=", Level("4/5"))),
        ("hit≤0.8", ("hit", None, "", "<=", Level("4/5"))),
        ("error@0.05:a<=.06", ("error", Level("1/20"), "a", "<=", Level("0.06"))),
        ("error:a - b=.06", ("error", None, "a - b", ">=", Level("0.06"))),
        ("error:own:name=.06", ("error", None, "own:name", ">=", Level("0.06"))),
        ("bad=.2", ("error", Level("0.1"), "b", ">=", Level("0.2"))),
        ("bad@.05:a=.2", ("error", Level("0.05"), "a", ">=", Level("0.2"))),
        ("size=-3", ("size", None, "", ">=", Level("-3"))),
    ],
)
def test_what_is_read(text, expected):
    found = read(text)
    assert (found.measure, found.level, found.method, found.sense, found.value) == expected


def test_options_beat_aliases_and_text_beats_options():
    options = {"level_": "0.05", "method": "a"}
    assert (read("bad=.2", **options).level, read("bad=.2", **options).method) == (Level("0.05"), "a")
    assert (read("bad@.1:b=.2", **options).level, read("bad@.1:b=.2", **options).method) == (Level("0.1"), "b")
    assert (read("hit=.2", **options).level, read("hit=.2", **options).method) == (None, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("power", "write measure"),
        ("power=", "write measure"),
        ("@.1=.8", "write measure"),
        ("power=.8=.9", "write measure"),
        ("power=high", "'high' is not a number"),
        ("power=1.2", "between 0 and 1"),
        ("share=-1", "between 0 and 1"),
        ("error@5=.1", "strictly between 0 and 1"),
        ("powr=.8", "saw has no such measure; did you mean 'power'"),
    ],
)
def test_what_cannot_be_meant_is_named(text, message):
    with pytest.raises(ValueError, match=message):
        read(text)


def test_columns():
    assert read("hit=.5").among(COLUMNS, Level("0.05"), "scf")[1] == Column("a", "hit")
    assert read("error@1/10:b=.5").among(COLUMNS, None, "")[1] == Column("b", "error", ".1")
    target, column = read("error=.5").among(COLUMNS, Level("0.1"), "a")
    assert column == Column("a", "error", ".1")
    assert target.text == "error@.1:a>=.5"
    with pytest.raises(ValueError, match=r"several columns are meant; there is error@\.1:a, error@0\.05:a"):
        read("error:a=.5").among(COLUMNS, None, "")
    with pytest.raises(ValueError, match="no column is meant; there is error"):
        read("error@0.2=.5").among(COLUMNS, None, "")
    with pytest.raises(ValueError, match="nothing of that name"):
        read("share=.5").among(COLUMNS, None, "")


@pytest.mark.parametrize(
    ("text", "lower", "upper", "status"),
    [
        ("hit=.5", 0.5, 0.6, "reaches"),
        ("hit=.5", 0.4, 0.6, "undecided"),
        ("hit=.5", 0.4, 0.499, "misses"),
        ("hit=.5", 0.4, 0.5, "undecided"),
        ("hit<=.5", 0.4, 0.5, "reaches"),
        ("hit<=.5", 0.4, 0.6, "undecided"),
        ("hit<=.5", 0.501, 0.6, "misses"),
        ("hit<=.5", 0.5, 0.6, "undecided"),
        ("size=5", math.nan, math.nan, "undecided"),
        ("hit>=.1", 0.1, 0.6, "reaches"),
    ],
)
def test_statuses(text, lower, upper, status):
    """Ends are exact: the double 0.1 is above 1/10, the double 0.3 below 3/10."""
    assert read(text).status(Bounds(lower, upper)) == status
    assert read("hit>=.3").status(Bounds(0.3, 0.6)) == "undecided"


def test_hints_without_a_plan_and_with_a_wrong_one(monkeypatch):
    assert hints_of("engine.trivial:STUDY") == Hints()
    monkeypatch.setattr("plan.saw.PLAN", {"factor": {}})
    with pytest.raises(ValueError, match=r"PLAN\['factor'\]: no such key; did you mean 'factors'"):
        hints_of("plan.saw:SAW")
