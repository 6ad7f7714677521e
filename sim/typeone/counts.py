"""Counts as users hand them in: whole numbers in a range, or an error that names the offending position."""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeone.arrays import element, kind, plain

Counts: TypeAlias = SupportsIndex | ArrayLike
LARGEST = 10**15  # every count up to here and its neighbors are exact in a double
_RULE = "counts are whole numbers"


def counts(name: str, values: Counts, low: int, high: int = LARGEST, *, empty: bool = True) -> NDArray[np.int64]:
    """``values`` as int64, of any shape; a ValueError unless all are whole numbers from ``low`` to ``high``.

    A float that is a whole number is accepted: tables with missing values elsewhere hold counts as floats.  Without
    ``empty`` at least one is needed.
    """
    given = plain(name, values, _RULE)
    if not (empty or given.size):
        raise ValueError(f"{name}: at least one count is needed")
    if given.dtype.kind not in "iuf":
        raise ValueError(f"{name}: {_RULE}, not {kind(given)}")
    if given.dtype.kind == "f":
        require(name, given, given == np.floor(given), "is not a whole number")
    require(name, given, (given >= low) & (given <= high), f"must lie between {low} and {high}")
    return given.astype(np.int64)


def one_count(name: str, value: Counts, low: int, high: int = LARGEST) -> int:
    """``counts`` of a single number, which a float may hold, as an int."""
    whole = counts(name, value, low, high)
    if whole.shape:
        raise ValueError(f"{name}: one whole number is expected, not an array")
    return int(whole)


def integer(name: str, value: Any) -> int:
    """``value`` as an int, or a ValueError unless its type is that of integers: True and 3.0 are none."""
    try:
        if isinstance(value, bool | np.bool_ | np.timedelta64 | np.ma.MaskedArray):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise ValueError(f"{name}={value!r}: an integer is needed") from None


def require(name: str, values: NDArray[Any], holds: NDArray[np.bool_] | bool, rule: str) -> None:
    """Raise a ValueError that names the first position of ``values`` at which ``holds`` is false."""
    where = np.argwhere(~np.broadcast_to(np.asarray(holds), np.shape(values)))
    if len(where):  # size is 0 for the one position of a scalar
        place = tuple(where[0].tolist())
        raise ValueError(f"{element(name, place)}={values[place]}: {rule}")
