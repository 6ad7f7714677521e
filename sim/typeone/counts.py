"""Counts as users hand them in: whole numbers in a range, or an error that names the offending position."""

from __future__ import annotations

from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts: TypeAlias = SupportsIndex | ArrayLike
LARGEST = 10**15  # every count up to here and its neighbors are exact in a double


def counts(name: str, values: Counts, low: int, high: int = LARGEST, *, empty: bool = True) -> NDArray[np.int64]:
    """``values`` as int64, of any shape; a ValueError unless all are whole numbers from ``low`` to ``high``.

    A float that is a whole number is accepted: tables with missing values elsewhere hold counts as floats.  Without
    ``empty`` at least one is needed.
    """
    try:
        given = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name}: a whole number or an array of whole numbers is needed") from None
    if not (empty or given.size):
        raise ValueError(f"{name}: at least one count is needed")
    if given.dtype.kind not in "iuf":
        raise ValueError(f"{name}: counts are whole numbers, not {given.dtype}")
    if given.dtype.kind == "f":
        require(name, given, given == np.floor(given), "is not a whole number")
    require(name, given, (given >= low) & (given <= high), f"must lie between {low} and {high}")
    return given.astype(np.int64)


def require(name: str, values: NDArray[Any], holds: NDArray[np.bool_] | bool, rule: str) -> None:
    """Raise a ValueError that names the first position of ``values`` at which ``holds`` is false."""
    where = np.argwhere(~np.broadcast_to(np.asarray(holds), np.shape(values)))
    if len(where):  # size is 0 for the one position of a scalar
        place = tuple(where[0].tolist())
        raise ValueError(f"{element(name, place)}={values[place]}: {rule}")


def element(name: str, place: tuple[int, ...]) -> str:
    """``name[i, j]``, or the bare name of a scalar."""
    return f"{name}[{', '.join(map(str, place))}]" if place else name
