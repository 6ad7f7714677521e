"""What a certificate is asked for: tolerance, grid of panel sizes, and how its error budget is divided."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from typeone.exact import clopper_pearson_lower, round_down
from typeone.levels import Level, LevelLike, level
from typeone.panels.arguments import sizes_grid
from typeone.panels.curves import LARGEST
from typeone.panels.thresholds import most_allowed

_LEAST_BUDGET = Fraction(1, 10**100)  # products and shares of budgets must stay levels that a double holds
GRID = (3, 5, 7, 11, 15, 23, 31, 47)


@dataclass(frozen=True, slots=True)
class Options:
    """A certificate's terms, as a user types them.

    delta : tolerated disagreement error of a panel; theta : decision threshold.
    beta : the share of the generator's units that may be left uncertified: a size is certified when the lower
        bound on the coverage P(error at K ≤ delta) is at least 1 − beta.
    grid : panel sizes K, declared before the votes are seen.
    method : ``"mass-controlled"``, whose interval level eta_e · xi_e does not shrink with the number of units, or
        ``"familywise"``, whose level is eta_e / A.
    generator : the layer from the units seen to the generator they come from: ``"exact"`` (Clopper–Pearson),
        ``"hoeffding"``, or ``"catalogue"`` when the units are all there are.
    eta_e, eta_g : error budgets of the evaluators and of the generator; the confidence is 1 − eta_e − eta_g.
    xi_e : generator mass of units whose interval may fail (mass-controlled only).

    >>> options = Options(delta="0.05", grid=[3, 5, 7])
    >>> options.theta
    '1/2'
    """

    delta: LevelLike = "0.01"
    theta: LevelLike = "1/2"
    beta: LevelLike = "0.10"
    grid: Sequence[int] = GRID
    method: Literal["mass-controlled", "familywise"] = "mass-controlled"
    generator: Literal["exact", "hoeffding", "catalogue"] = "exact"
    eta_e: LevelLike = "0.025"
    eta_g: LevelLike = "0.025"
    xi_e: LevelLike = "0.025"


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Terms:
    """The same, checked and exact."""

    delta: Level
    theta: Level
    beta: Level
    grid: NDArray[np.int64]
    familywise: bool
    generator: str
    eta_e: Level
    eta_g: Level
    xi_e: Fraction
    """0 for the familywise method."""

    @classmethod
    def of(cls, options: Options) -> Terms:
        """Raises ValueError, naming the option, for anything that is not one."""
        if options.method not in ("mass-controlled", "familywise"):
            raise ValueError(f"method={options.method!r}: is 'mass-controlled' or 'familywise'")
        if options.generator not in ("exact", "hoeffding", "catalogue"):
            raise ValueError(f"generator={options.generator!r}: is 'exact', 'hoeffding' or 'catalogue'")
        familywise = options.method == "familywise"
        beta, xi = level("beta", options.beta), level("xi_e", options.xi_e)
        if not familywise and xi >= beta:
            raise ValueError(f"xi_e={xi.text}: must be below beta={beta.text}, or no size can be certified")
        eta_e, eta_g = level("eta_e", options.eta_e), level("eta_g", options.eta_g)
        for name, budget in (("eta_e", eta_e), ("eta_g", eta_g), ("xi_e", xi)):
            if budget < _LEAST_BUDGET:
                raise ValueError(f"{name}={budget.text}: budgets below 1e-100 are not supported")
        if eta_e + eta_g >= 1:
            raise ValueError(f"eta_e={eta_e.text}, eta_g={eta_g.text}: must sum to less than 1")
        grid: Any = options.grid
        if not np.iterable(grid) or isinstance(grid, str):
            raise ValueError(f"grid={grid!r}: a list of panel sizes is needed")
        return cls(
            level("delta", options.delta),
            level("theta", options.theta),
            beta,
            sizes_grid(list(grid), LARGEST),
            familywise,
            options.generator,
            eta_e,
            eta_g,
            Fraction(0) if familywise else xi,
        )

    def interval_level(self, units: int) -> Fraction:
        """γ, the level of each unit's two-sided interval."""
        return self.eta_e / units if self.familywise else self.eta_e * self.xi_e

    @property
    def bound_level(self) -> Fraction:
        """η_G/|𝒦|, the level of the generator layer at each size."""
        return self.eta_g / len(self.grid)

    @property
    def risk(self) -> Fraction:
        """The probability with which some stated bound may exceed the true coverage."""
        return Fraction(self.eta_e) if self.generator == "catalogue" else self.eta_e + self.eta_g

    @property
    def target(self) -> Fraction:
        """What the bound on the passing units' share must reach: 1 − β + ξ_E."""
        return 1 - self.beta + self.xi_e

    def bound(self, share: Fraction, units: int) -> float:
        """Lower bound on the coverage when this (weighted) share of the units passes, never below 0."""
        if self.generator == "catalogue":
            return max(0.0, float(share - self.xi_e))
        if self.generator == "exact":
            lowest = Fraction(clopper_pearson_lower(int(share * units), units, self.bound_level))
        else:
            lowest = share - Fraction(self._margin(units))
        return max(0.0, round_down(lowest - self.xi_e))

    def _margin(self, units: int) -> float:
        return math.nextafter(math.sqrt(-math.log(self.bound_level) / (2 * units)), math.inf)

    def certifies(self, share: Fraction, units: int) -> bool:
        """Whether the bound is at least 1 − β, decided without rounding it."""
        if self.generator != "exact":
            margin = Fraction(self._margin(units)) if self.generator == "hoeffding" else 0
            return share - margin >= self.target
        return units - share * units <= most_allowed(units, 1 - self.target, self.bound_level)


def decimal(value: Fraction) -> str:
    """``value`` as an exact decimal where it has a short one, else as a fraction."""
    for digits in range(30):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            return str(Decimal(scaled.numerator).scaleb(-digits))
    return f"{value.numerator}/{value.denominator}"
