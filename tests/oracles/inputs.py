"""Random inputs for the oracles: heavy ties, tiny sizes, extreme magnitudes and extreme levels on purpose."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random

from mpmath import mp, mpf

EXTREME_LEVELS = ["1e-12", "0.000000001", "0.999999999", "1/3", "0.05", ".1", "0.2", "0.5", "1e-280"]


def cases(name: str, count: int) -> Iterator[tuple[int, Random]]:
    """``count`` numbered generators; number i depends on the name and on i alone."""
    for number in range(count):
        yield number, Random(f"{name} {number}")


def some_level(random: Random, attainable: int | None = None) -> str:
    """A level in (0, 1) as typed text: extreme, ordinary, or exactly k / attainable."""
    kind = random.random()
    if attainable is not None and attainable > 1 and kind < 0.4:
        return f"{random.randint(1, attainable - 1)}/{attainable}"
    if kind < 0.7:
        return random.choice(EXTREME_LEVELS)
    return f"{random.uniform(0.001, 0.999):.{random.randint(3, 12)}f}"


def score_maker(random: Random) -> Callable[[], float]:
    """One law of scores: few values, one value, continuous, or extreme magnitudes."""
    kind = random.randrange(7)
    if kind == 0:
        value = random.choice([0.0, 1.0, -3.5, 1e300])
        return lambda: value
    if kind == 1:
        return lambda: float(random.randint(0, 2))
    if kind == 2:
        return lambda: random.randint(-5, 5) / 10
    if kind == 3:
        return lambda: random.choice([1.7e308, -1.7e308, 5e-324, -5e-324, 0.0, -0.0, 1.0, 1e300, math.nextafter(1, 2)])
    if kind == 4:
        return lambda: random.gauss(0, 1) * 10.0 ** random.randint(-12, 12)
    if kind == 5:
        return lambda: 1.0 + random.randint(0, 3) * 2.0**-52
    return lambda: random.gauss(0, 1)


def digits(value: Fraction | int | float) -> mpf:
    """A rational at the working precision of mpmath."""
    exact = Fraction(value)
    return mpf(exact.numerator) / exact.denominator


def near(
    got: float | None, wanted: Fraction | mpf | float | int, relative: float = 1e-12, absolute: float = 1e-300
) -> bool:
    """Equality to a relative accuracy; below ``absolute`` doubles lose digits, and both must be that small."""
    if got is None:
        return False
    if math.isinf(got) or math.isnan(got):
        return mp.isinf(wanted) and (got > 0) == (wanted > 0) if isinstance(wanted, mpf) else got == wanted
    with mp.workdps(60):
        exact = digits(wanted) if isinstance(wanted, (Fraction, int, float)) else wanted
        return bool(abs(digits(got) - exact) <= max(mpf(relative) * abs(exact), mpf(absolute)))
