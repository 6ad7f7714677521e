"""The generator law of acceptance probabilities: how it is drawn, and its exact tails and vote counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betaln, gammaln

from typeone.engine.streams import generator
from typeone.studies.panels.parameters import Parameters
from typeone.tails import binomial_pmf

UNIT_LANE = 1  # lane 0 of a repetition draws its votes


@dataclass(frozen=True, slots=True)
class Law:
    """A mixture: weights and means, shape (n,); ``concentration`` 0 makes the components atoms."""

    weights: NDArray[np.float64]
    means: NDArray[np.float64]
    concentration: float

    @classmethod
    def of(cls, p: Parameters) -> Law:
        """The cell's law."""
        weights, means = zip(*p.components, strict=True)
        return cls(np.array([float(w) for w in weights]), np.array([float(m) for m in means]), float(p.concentration))

    def draw(self, key: tuple[int, int], repetition: int, units: int) -> NDArray[np.float64]:
        """Acceptance probabilities of one repetition's units, shape (units,)."""
        rng = generator(key, repetition, UNIT_LANE)
        cumulated = np.cumsum(self.weights)[:-1]
        mean = self.means[np.searchsorted(cumulated, rng.random(units), side="right")]
        if not self.concentration:
            return mean
        # A mean at 0 or 1 is an atom in any case.
        inside = (mean > 0) & (mean < 1)
        drawn = mean.copy()
        drawn[inside] = rng.beta(mean[inside] * self.concentration, (1 - mean[inside]) * self.concentration)
        return drawn

    def below(self, limits: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(p <= limit), shape (G,)."""
        return self._mass(limits, upper=False)

    def above(self, limits: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(p >= limit), shape (G,)."""
        return self._mass(limits, upper=True)

    def _mass(self, limits: NDArray[np.float64], *, upper: bool) -> NDArray[np.float64]:
        total = np.zeros(limits.size)
        for weight, mean in zip(self.weights, self.means, strict=True):
            if self._is_atom(mean):
                total += weight * ((mean >= limits) if upper else (mean <= limits))
            else:
                a, b = mean * self.concentration, (1 - mean) * self.concentration
                total += weight * (betaincc if upper else betainc)(a, b, np.clip(limits, 0.0, 1.0))
        return total

    def _is_atom(self, mean: float) -> bool:
        return not self.concentration or mean in (0.0, 1.0)

    def counts(self, evaluators: int) -> NDArray[np.float64]:
        """The law of a generated unit's positive votes when columns are independent, shape (E + 1,)."""
        k = np.arange(evaluators + 1)
        law = np.zeros(evaluators + 1)
        for weight, mean in zip(self.weights, self.means, strict=True):
            if self._is_atom(mean):
                law += weight * np.asarray(binomial_pmf(k, evaluators, float(mean)))
            else:
                a, b = mean * self.concentration, (1 - mean) * self.concentration
                ways = gammaln(evaluators + 1) - gammaln(k + 1) - gammaln(evaluators - k + 1)
                law += weight * np.exp(ways + betaln(k + a, evaluators - k + b) - betaln(a, b))
        return law
