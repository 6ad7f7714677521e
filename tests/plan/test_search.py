"""The search against plain definitions: on any curve when every size is looked at, on saws when few are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone.plan.search import AROUND, EVERY, Bracket, Point, Search


def minimum(reaches):
    return next((i for i, yes in enumerate(reaches) if yes), len(reaches))


def stable(reaches):
    return next((i for i in range(len(reaches) + 1) if all(reaches[i:])), len(reaches))


def pursue(search, point):
    """Learn what is wanted until nothing is; returns how often each position was looked at."""
    looked = {}
    while wanted := search.wanted():
        for i in wanted:
            looked[i] = looked.get(i, 0) + 1
            search.learn(i, point(i, looked[i]))
    return looked


def decided(reaches):
    return lambda i, _: Point("reaches" if reaches[i] else "misses", reaches[i], False)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=60), st.booleans())
def test_any_curve_when_every_size_is_looked_at(reaches, some_teeth):
    teeth = [i // 7 if some_teeth else None for i in range(len(reaches))]
    search = Search(teeth, every=len(reaches) > EVERY)
    looked = pursue(search, decided(reaches))
    assert search.minimum == Bracket(*[minimum(reaches)] * 3)
    assert search.stable == Bracket(*[stable(reaches)] * 3)
    assert set(looked) == set(range(len(reaches)))


saws = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 60), st.integers(-1, 1)), min_size=1, max_size=8)


def saw(teeth):
    """Tooth and height of every size: each tooth starts anywhere and rises or falls by at most one a size."""
    return zip(*[(k, start + slope * i) for k, (n, start, slope) in enumerate(teeth) for i in range(n)], strict=True)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(saws, st.integers(0, 60))
def test_saws_need_few_looks(teeth, bar):
    tooth, height = saw(teeth)
    reaches = [h >= bar for h in height]
    search = Search(tooth)
    looked = pursue(search, decided(reaches))
    assert search.minimum == Bracket(*[minimum(reaches)] * 3)
    assert search.stable == Bracket(*[stable(reaches)] * 3)
    # Both ends and a middle of each tooth, two bisections, two neighborhoods.
    assert len(reaches) <= EVERY or len(looked) <= 3 * len(teeth) + 2 * 6 + 2 * (2 * AROUND + 1)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(saws, st.integers(0, 60), st.integers(1, 4))
def test_what_cannot_be_decided_widens_the_bracket_and_no_more(teeth, bar, last):
    """Sizes within 3 of the bar stay undecided up to the last look; each gets as many looks as it may."""
    tooth, height = saw(teeth)
    reaches = [h >= bar for h in height]

    def point(i, look):
        far = abs(height[i] - bar) * look > 3
        return Point(("reaches" if reaches[i] else "misses") if far else "undecided", reaches[i], look == last)

    search = Search(tooth)
    looked = pursue(search, point)
    assert max(looked.values()) <= last
    for bracket, true in ((search.minimum, minimum(reaches)), (search.stable, stable(reaches))):
        assert bracket.lower <= true <= bracket.upper
        assert bracket.lower <= bracket.point <= bracket.upper


def test_repetitions_go_where_the_answer_is_decided():
    """Undecided sizes outside of both brackets are left alone."""
    status = {0: "undecided", 1: "misses", 2: "reaches", 3: "undecided", 4: "misses", 5: "reaches", 6: "undecided"}
    search = Search(range(7))
    for i in range(7):
        search.learn(i, Point(status[i], status[i] == "reaches", False))
    assert search.wanted() == {0, 6}
    search.learn(0, Point("misses", False, False))
    search.learn(6, Point("reaches", True, False))
    assert search.wanted() == set()
    assert (search.minimum.upper, search.stable.upper) == (2, 5)


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        ("m m r", {30}),
        ("m - +", {10, 30}),
        ("m + +", {10}),
        ("- - r", {30}),
        # The minimum may lie anywhere below 60, but not between two that miss.
        ("- m m r r", {10, 50}),
    ],
)
def test_the_middle_is_looked_at_where_neighbors_disagree(known, wanted):
    """m misses, r reaches, - and + are undecided for good with an estimate below and above."""
    points = {
        "m": Point("misses", False, False),
        "r": Point("reaches", True, False),
        "-": Point("undecided", False, True),
        "+": Point("undecided", True, True),
    }
    search = Search([None] * (20 * len(known.split()) - 19))
    for i, mark in enumerate(known.split()):
        search.learn(20 * i, points[mark])
    assert search.wanted() == wanted


def test_sizes_between_two_that_agree_are_inferred_within_a_tooth_only():
    search = Search([0] * 30 + [1] * 30)
    for i in (0, 29):
        search.learn(i, Point("misses", False, False))
    for i in (30, 59):
        search.learn(i, Point("reaches", True, False))
    assert search.statuses() == ["misses"] * 30 + ["reaches"] * 30
    search = Search([0] * 30 + [1] * 30)
    search.learn(0, Point("misses", False, False))
    search.learn(59, Point("misses", False, False))
    assert search.statuses()[1:59] == ["undecided"] * 58


def test_a_local_saw_near_the_answer_is_followed():
    """Odd sizes err less than even ones, as panels do; nobody declared it."""
    reaches = [i + 6 * (i % 2) >= 150 for i in range(300)]
    search = Search([None] * 300)
    pursue(search, decided(reaches))
    assert (search.minimum.point, search.stable.point) == (minimum(reaches), stable(reaches)) == (145, 149)
