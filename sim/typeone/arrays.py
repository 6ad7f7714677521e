"""Arrays as users hand them in: real numbers without gaps, as doubles that keep what differs apart.

One converter for every function that takes numbers.  It refuses what numpy would turn into numbers by itself: masked
entries, text, truth values, times, complex numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Place: TypeAlias = Callable[[str, tuple[int, ...]], str]
"""From an argument's name and a position to what an error calls that entry."""
SCORES = "scores are real numbers"
_BITS = 53
_SHORT = 64
"""Lists up to this length are looked through at once."""
_NOT_REAL = (bool, np.bool_, np.timedelta64)
"""What the class of real numbers, or of integers, takes in as well."""
_TITLES = {"U": "text", "T": "text", "S": "bytes", "b": "truth values", "V": "records"}


class Reals(NamedTuple):
    """Numbers as doubles, and as they were handed in where some of them are no doubles (else None)."""

    doubles: NDArray[np.float64]
    exact: NDArray[Any] | None


def element(name: str, place: tuple[int, ...]) -> str:
    """``name[i, j]``, or the bare name of a scalar."""
    return f"{name}[{', '.join(map(str, place))}]" if place else name


def kind(array: NDArray[Any]) -> str:
    """What an array holds, in words where numpy has only a code."""
    return _TITLES.get(array.dtype.kind, str(array.dtype))


def plain(name: str, values: Any, rule: str, place: Place = element, *, truths: bool = False) -> NDArray[Any]:
    """``values`` as an array of any type without masked entries; a ValueError names the first that is masked.

    With ``truths``, True and False may stand among the numbers of a list.
    """
    if isinstance(values, np.ma.MaskedArray) and not values.dtype.names:
        masked = np.argwhere(np.ma.getmaskarray(values))
        if len(masked):
            raise ValueError(f"{place(name, tuple(masked[0].tolist()))}: the value is missing (masked)")
    several = values if isinstance(values, list | tuple) else []
    short = len(several) <= _SHORT
    if short:
        _check_list(name, several, rule, place, truths)
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, UserWarning):  # a warning of a masked entry, where warnings are errors
        _check_list(name, several, rule, place, truths)
        raise ValueError(f"{name}: {rule}, in an array or in lists of equal lengths") from None
    if not short and _may_hide(array, truths):
        _check_list(name, several, rule, place, truths)
    return array


def _may_hide(array: NDArray[Any], truths: bool) -> bool:
    """Whether a list that became ``array`` may have held what ``_check_list`` refuses; tells without looking at it."""
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        return True
    return bool((array != array).any() or (not truths and ((array == 0) | (array == 1)).any()))


def _check_list(
    name: str, values: Iterable[Any], rule: str, place: Place, truths: bool, outer: tuple[int, ...] = ()
) -> None:
    """What numpy would lose: masked entries become NaN or what they hide, True and False become 1 and 0."""
    wrong = (list, tuple, np.ma.MaskedArray) if truths else (list, tuple, np.ma.MaskedArray, bool, np.bool_)
    if not any(issubclass(found, wrong) for found in set(map(type, values))):
        return
    for i, value in enumerate(values):
        at = (*outer, i)
        if isinstance(value, list | tuple):
            _check_list(name, value, rule, place, truths, at)
        elif isinstance(value, np.ma.MaskedArray):
            plain(name, value, rule, lambda name, inner, at=at: place(name, (*at, *inner)))  # type: ignore[misc]
        elif isinstance(value, bool | np.bool_) and not truths:
            raise ValueError(f"{place(name, at)}={value}: {rule}, not truth values")


def reals(name: str, values: Any, rule: str, place: Place = element) -> Reals:
    """Real numbers, of any shape; None becomes NaN.  A ValueError names the argument and ``rule`` for anything else."""
    given = plain(name, values, rule, place)
    code = given.dtype.kind
    if code == "f" and given.dtype.itemsize <= 8:
        if isinstance(values, list | tuple) and _long_among(values, given):
            return _of_objects(name, np.array(values, dtype=object), rule, place)
        return Reals(given.astype(np.float64, copy=False), None)
    if code == "f":
        with np.errstate(over="ignore"):
            doubles = given.astype(np.float64)
        return Reals(doubles, given if (doubles != given).any() else None)
    if code in "iu":
        small = given.dtype.itemsize < 8 or not given.size
        within = small or bool(given.min() >= -(2**_BITS) and given.max() <= 2**_BITS)
        return Reals(given.astype(np.float64), None if within else given)
    if code == "O":
        return _of_objects(name, given, rule, place)
    raise ValueError(f"{name}: {rule}, not {kind(given)}")


def _long_among(values: list[Any] | tuple[Any, ...], given: NDArray[Any]) -> bool:
    """Whether ``given``, made of ``values``, may have lost digits of long integers that stood among doubles."""
    largest = float(np.abs(given).max(initial=0.0))
    return not largest < 2.0**_BITS and not set(map(type, values)) <= {float, np.float64}


def _of_objects(name: str, given: NDArray[Any], rule: str, place: Place) -> Reals:
    """Python's numbers: integers of any length, fractions and decimals."""
    doubles = np.empty(given.shape)
    differs = False
    for at, value in np.ndenumerate(given):
        if value is not None and not is_real(value):
            raise ValueError(f"{place(name, at)}: {rule}, not {type(value).__name__}")
        double = _double(place, name, at, value)
        doubles[at] = double
        differs = differs or (math.isfinite(double) and _comparable(value) != double)
    return Reals(doubles, given if differs else None)


def is_real(value: Any) -> bool:
    """Whether a single object is a real number; True and False are none."""
    return isinstance(value, Real | Decimal) and not isinstance(value, _NOT_REAL)


def _comparable(value: Any) -> Any:
    """A finite number as one of Python's own, which are compared exactly whatever their types."""
    if isinstance(value, np.longdouble):
        return Fraction(*value.as_integer_ratio())
    return Fraction(value) if isinstance(value, Decimal) else value.item() if isinstance(value, np.generic) else value


def _same(one: Any, other: Any) -> bool:
    """Whether numbers that are one double are equal; a double also stands for the decimal that it is written as."""
    one, other = _comparable(one), _comparable(other)
    if one == other:
        return True
    if isinstance(other, float):
        one, other = other, one
    return isinstance(one, float) and Fraction(repr(one)) == other


def _double(place: Place, name: str, at: tuple[int, ...], value: Any) -> float:
    try:
        return math.nan if value is None else float(value)
    except (OverflowError, ValueError):
        raise ValueError(f"{place(name, at)}: the number is not one that a double can hold") from None


def doubles(name: str, values: Any, rule: str) -> NDArray[np.float64]:
    """Real numbers as the doubles nearest to them, of any shape."""
    return reals(name, values, rule).doubles


def scores(name: str, values: Any, place: Place = element) -> NDArray[np.float64]:
    """Real numbers that are compared: a ValueError where different ones would be one double."""
    given = reals(name, values, SCORES, place)
    keep_apart([(name, given)], place)
    return given.doubles


def keep_apart(groups: list[tuple[str, Reals]], place: Place = element) -> None:
    """A ValueError for the first of some numbers, compared with each other, that as a double equals a different one."""
    if all(given.exact is None for _, given in groups) or _apart_as_integers([given for _, given in groups]):
        return
    seen: dict[float, Any] = {}
    for name, given in groups:
        for at, value, double in _pairs(given):
            if not math.isfinite(double):
                continue
            before = seen.setdefault(double, value)
            if not _same(before, value):
                told = f"{value!s} and {before!s} are one number with {_BITS} bits"
                raise ValueError(f"{place(name, at)}: {told}; shift or scale all of these numbers first")


def _apart_as_integers(groups: list[Reals]) -> bool:
    """Whether the numbers are of one integer type and as many differ as doubles do; False where this does not tell."""
    kinds = {None if given.exact is None else given.exact.dtype.str for given in groups}
    if len(kinds) > 1 or None in kinds or groups[0].exact.dtype.kind not in "iu":  # type: ignore[union-attr]
        return False
    integers = np.unique(np.concatenate([given.exact.ravel() for given in groups]))  # type: ignore[union-attr]
    return np.unique(integers.astype(np.float64)).size == integers.size


def _pairs(given: Reals) -> Iterator[tuple[tuple[int, ...], Any, float]]:
    """Position, number as it was handed in, and double."""
    numbers = given.doubles if given.exact is None else given.exact
    return zip(np.ndindex(numbers.shape), numbers.ravel().tolist(), given.doubles.ravel().tolist(), strict=True)
