"""A pilot: a score file whose sources stand for a population, drawn with replacement to any number.

What is simulated is the population "one of these participants, one of these controls, each equally likely".
So plans are conditional on the pilot: they do not know how far its few sources are from the field's, and a
source drawn twice ties with itself (a tie counts against the discovery).  How far its effect may be, the distance of
its groups, can be said: ``effect_interval``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import stdtrit

from typeone.engine.streams import generator
from typeone.scf.bags import Bags
from typeone.studies.scf.parameters import Parameters
from typeone.studies.scf.population import Population, from_bags
from typeone.studies.scf.scenarios import POPULATION_LANE


@dataclass(frozen=True, slots=True)
class Pilot:
    """Documents bag after bag, ``score`` (D,) with ``starts`` (S + 1,), and the codes of the two groups."""

    score: NDArray[np.float64]
    starts: NDArray[np.int64]
    participants: NDArray[np.int64]
    controls: NDArray[np.int64]

    def pool(self, p: Parameters) -> int:
        """Null sources of a repetition: as asked, or so many that as many are tested as the pilot has controls."""
        return p.pool or p.K + p.L + self.controls.size

    def draw(self, p: Parameters, key: tuple[int, int], repetition: int) -> Population:
        """As many participants as the pilot has, and the null pool; O(documents drawn)."""
        rng = generator(key, repetition, POPULATION_LANE)
        took_part = self.participants[rng.integers(self.participants.size, size=self.participants.size)]
        chosen = np.concatenate([took_part, self.controls[rng.integers(self.controls.size, size=self.pool(p))]])
        sizes = self.starts[chosen + 1] - self.starts[chosen]
        codes = np.repeat(np.arange(chosen.size), sizes)
        within = np.arange(codes.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        score = self.score[self.starts[chosen][codes] + within]
        is_participant = np.arange(chosen.size) < took_part.size
        return from_bags(Bags.of(score, codes, pa.array(np.arange(chosen.size))), is_participant, ~is_participant, p)


def pilot_of(bags: Bags, is_participant: NDArray[np.bool_], is_control: NDArray[np.bool_]) -> Pilot:
    """The pilot of a score file: its sources in the order of their names, whatever the order of rows."""
    for name, group in (("participant", is_participant), ("control", is_control)):
        if not group.any():
            raise ValueError(f"{name}: a pilot needs at least one such source")
    order = bags.canonical_order()
    return Pilot(*bags.grouped(), order[is_participant[order]], order[is_control[order]])


class Interval(NamedTuple):
    """An estimate and the ends of its interval."""

    estimate: float
    lower: float
    upper: float


def effect_interval(bags: Bags, is_participant: NDArray[np.bool_], is_control: NDArray[np.bool_]) -> Interval:
    """Participants' mean score less controls', every source counting equally, with Welch's 95 % interval.

    Sources are the independent units, so their means are compared; the groups differ in number and spread, which is
    what Welch's degrees of freedom are for.  Among a dozen sources percentiles of a bootstrap cover too little, and
    this needs no seed.
    """
    means = np.bincount(bags.source, weights=bags.score) / bags.sizes
    groups = means[is_participant], means[is_control]
    if min(group.size for group in groups) < 2:
        raise ValueError("effect: an interval needs at least two participants and two controls")
    shares = [float(group.var(ddof=1)) / group.size for group in groups]
    distance, variance = float(groups[0].mean() - groups[1].mean()), sum(shares)
    if variance == 0:
        return Interval(distance, distance, distance)
    freedom = variance**2 / sum(share**2 / (group.size - 1) for share, group in zip(shares, groups, strict=True))
    half = float(stdtrit(freedom, 0.975)) * variance**0.5
    return Interval(distance, distance - half, distance + half)
