"""A pilot: a score file whose sources stand for a population, drawn with replacement to any number.

What is simulated is the population "one of these participants, one of these controls, each equally likely".
So plans are conditional on the pilot: they do not know how far its few sources are from the field's, and a
source drawn twice ties with itself (a tie counts against the discovery).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

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
