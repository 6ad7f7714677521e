"""Levels are exact rationals that remember how they were typed."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from typeone.levels import Level, level, levels


@pytest.mark.parametrize("value", [0.1, "0.1", ".1", "1/10", "1e-1", " 0.10 ", Decimal("0.1"), Fraction(1, 10)])
def test_every_spelling_is_one_tenth(value):
    assert Level(value) == Fraction(1, 10)
    assert Level(value).canonical == "1/10"


def test_doubles_mean_their_shortest_decimal():
    assert Level(np.float64(0.05)) == Fraction(1, 20)
    assert Level(np.float32(0.1)) == Fraction(1, 10)


def test_text_survives_copies_and_pickles():
    typed = Level(".050")
    assert [copy.copy(typed).text, copy.deepcopy(typed).text, pickle.loads(pickle.dumps(typed)).text] == [".050"] * 3
    assert Level(typed).text == ".050"


def test_levels_compare_with_floats_by_exact_value():
    assert Level("0.1") < 0.1  # the double is a little more than 1/10
    assert Level("0.5") == 0.5
    assert Level("0.25") + 0.25 == 0.5
    assert Level("0.1") * 2 == Fraction(1, 5)


@pytest.mark.parametrize("value", ["nan", "inf", "x", "", "1/0", True, None, "1e999999999", "1" * 500, "0,1"])
def test_what_is_no_number_is_refused_quickly(value):
    with pytest.raises(ValueError, match="alpha"):
        level("alpha", value)


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5])
def test_levels_lie_strictly_between_0_and_1(value):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        level("alpha", value)


def test_repeated_and_bad_levels_are_named_by_position():
    with pytest.raises(ValueError, match=r"levels\[2\]=1/20: repeats levels\[0\]"):
        levels("levels", ["0.05", "0.1", "1/20"])
    with pytest.raises(ValueError, match=r"levels\[1\]"):
        levels("levels", ["0.05", "2"])
    with pytest.raises(ValueError, match="at least one"):
        levels("levels", [])
