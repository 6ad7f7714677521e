"""Source statistics: SCF, its comparators, and a researcher's own.

Two kinds.  A *raw* statistic is a function of one bag of scores; it needs no reference, so it is calibrated on
all K + L controls.  A *referenced* one looks at the reference sources first and is calibrated on the other L.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from typeone.levels import Level, LevelLike, number
from typeone.scf.bags import Bags, as_ranks, settled_ranks
from typeone_kernels.bags import top_means

Bag: TypeAlias = NDArray[np.float64]
"""The scores of one source, shape (n,), n >= 1, in descending order."""

BUILT_IN = ("scf", "fisher", "mean", "max", "min", "ramia")
TITLES = {"scf": "SCF", "fisher": "Fisher", "mean": "Mean", "max": "Max", "min": "Min", "ramia": "RaMIA"}
EVIDENCE = ("scf", "fisher")


@dataclass(frozen=True, slots=True)
class Statistic:
    """One method: its name and, when it is not built in, what computes it.

    function : a researcher's own raw statistic, from one bag (n,) in descending order to a number.
    kernel : a researcher's own referenced statistic, see ``statistic``.
    rho : the share of a bag that RaMIA trims.

    >>> statistic("mean").referenced, statistic("scf").referenced
    (False, True)
    """

    name: str
    function: Callable[[Bag], float] | None = None
    kernel: Callable[..., None] | None = None
    rho: Level = Level("0.5")  # noqa: RUF009 (immutable)

    @property
    def referenced(self) -> bool:
        """True when the statistic needs reference sources (and calibrates on the other controls)."""
        return self.kernel is not None or (self.function is None and self.name in EVIDENCE)

    def calibration_sources(self, K: int, L: int) -> int:
        """How many of K reference and L calibration sources the statistic is calibrated on."""
        return L if self.referenced else K + L

    def of_bags(self, bags: Bags) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """A raw statistic of every source, (S,), and its dense ranks (S,).

        Means are compared as the rationals they are, so sources with equal means tie whatever their sizes.  Raises
        ValueError when a researcher's own function fails or its value is not finite.
        """
        score, start = bags.grouped()
        if self.function is not None:
            values = self._finite(
                np.array([self._own(bags, i, bag) for i, bag in enumerate(np.split(score, start[1:-1]))]), bags
            )
            return values, as_ranks(values)
        if self.name == "min":
            values = score[start[1:] - 1]
            return values, as_ranks(values)
        kept = self._kept(bags.sizes)
        values = np.empty(bags.sizes.size)
        top_means(score, start, kept, values)

        def exact(i: int) -> Fraction:
            top = score[start[i] : start[i] + kept[i]].tolist()
            return sum(map(Fraction, top), Fraction(0)) / len(top)

        return settled_ranks(values, exact)

    def _own(self, bags: Bags, i: int, bag: Bag) -> float:
        assert self.function is not None
        try:
            return float(self.function(bag))
        except Exception as error:
            source = bags.names[i].as_py()
            raise ValueError(
                f"method {self.name}: fails on source {source!r}: {type(error).__name__}: {error}"
            ) from error

    def of_reference(self, bags: Bags, role: NDArray[np.int8]) -> NDArray[np.float64]:
        """A researcher's own referenced statistic on one partition, shape (S,)."""
        assert self.kernel is not None
        values = np.zeros(bags.sizes.size)
        try:
            self.kernel(bags.score, bags.source, bags.sizes, role, values)
        except Exception as error:
            raise ValueError(f"method {self.name}: fails: {type(error).__name__}: {error}") from error
        return self._finite(values, bags)

    def _kept(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of its largest scores a bag's mean is taken over."""
        if self.name == "mean":
            return sizes
        if self.name == "max":
            return np.ones_like(sizes)
        distinct, each = np.unique(sizes, return_inverse=True)
        # As Python's integers: a share such as the double 1/3 has a denominator near 2**54.
        kept = [max(1, math.floor((1 - self.rho) * int(size))) for size in distinct]
        return np.array(kept, np.int64)[each]

    def _finite(self, values: NDArray[np.float64], bags: Bags) -> NDArray[np.float64]:
        if not np.isfinite(values).all():
            position = int(np.argmin(np.isfinite(values)))
            source = bags.names[position].as_py()
            raise ValueError(f"method {self.name}: source {source!r} gets {values[position]}, not a finite number")
        return values


def trimmed_share(value: LevelLike) -> Level:
    """The share of each bag that RaMIA trims, strictly between 0 and 1."""
    share = number("rho", value)
    if not 0 < share < 1:
        raise ValueError(f"rho={share.text}: the trimmed share lies strictly between 0 and 1")
    return share


def statistic(method: str | Callable[..., Any], *, rho: LevelLike = "0.5") -> Statistic:
    """The method called ``method``: a built-in name, ``"module:function"``, or a function.

    A plain function takes one bag (n,) of scores in descending order and returns a number; RaMIA, for
    instance, is the mean of the max(1, floor((1 - rho) n)) largest.  A Numba-compiled kernel is a referenced
    statistic ``kernel(score, source, sizes, role, out)``: documents sorted by score, largest first (``score``,
    ``source`` (D,)), ``sizes`` and ``role`` (S,) (0 target, 1 reference, 2 calibration); it fills ``out`` (S,).
    In both, larger = more evidence of participation.

    Raises ValueError for a name that is no method's, a function that cannot be imported, and a ``rho`` outside
    (0, 1) where the method is built in.

    >>> statistic("ramia", rho="0.25").rho.text
    '0.25'
    >>> statistic(lambda bag: bag[0] - bag[-1]).referenced
    False
    """
    if callable(method):
        return _own(getattr(method, "__name__", type(method).__name__), method)
    if method in BUILT_IN:
        return Statistic(method, rho=trimmed_share(rho))
    if ":" in method:
        return _own(method, _imported(method))
    raise ValueError(f"method={method!r}: is one of {', '.join(BUILT_IN)}, or module:function of your own")


def _own(name: str, function: Callable[..., Any]) -> Statistic:
    if hasattr(function, "py_func"):  # compiled by Numba
        return Statistic(name, kernel=function)
    return Statistic(name, function=function)


def _imported(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"method={path!r}: cannot be imported: {error}") from None
    if not callable(found):
        raise ValueError(f"method={path!r}: is not a function")
    return found  # type: ignore[no-any-return]
