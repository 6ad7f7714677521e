"""Counts as users hand them in: whole numbers in a range, or an error that names the offending position."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LARGEST = 10**15  # every count up to here and its neighbors are exact in a double


def counts(name: str, values: ArrayLike, low: int, high: int = LARGEST) -> NDArray[np.int64]:
    """``values`` as int64, of any shape; a ValueError unless all are whole numbers from ``low`` to ``high``.

    A float that is a whole number is accepted: tables with missing values elsewhere hold counts as floats.
    """
    given = np.asarray(values)
    if given.dtype.kind not in "iuf":
        raise ValueError(f"{name}: counts are whole numbers, not {given.dtype}")
    require(name, given, given == np.floor(given), "is not a whole number")
    require(name, given, (given >= low) & (given <= high), f"is outside {low}..{high}")
    return given.astype(np.int64)


def require(name: str, values: NDArray[Any], holds: NDArray[np.bool_] | bool, rule: str) -> None:
    """Raise a ValueError that names the first position of ``values`` at which ``holds`` is false."""
    where = np.argwhere(~np.broadcast_to(np.asarray(holds), np.shape(values)))
    if len(where):  # size is 0 for the one position of a scalar
        place = tuple(where[0].tolist())
        label = f"{name}[{', '.join(map(str, place))}]" if place else name
        raise ValueError(f"{label} = {values[place]} {rule}")
