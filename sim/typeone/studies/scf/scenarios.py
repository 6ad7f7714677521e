"""Scenarios: a generative model of document scores with the published populations' sizes.

The published documents and models are not public, so these are scenarios, never the data.  A document of source i
has the score

    tau B_i + T                           B_i standard normal; T Student t with nu degrees of freedom, its
                                          positive part stretched by ``stretch`` (a heavy right tail)
    + effect exp(-ceiling max(T, 0))      with probability ``share`` if the source participates: only some documents
                                          respond, and one that scores high anyway has less to gain.

Scores are in units of the bulk of a document's own noise.  The six numbers of each scenario are fitted by
``typeone scf fit SCENARIO`` to the published AUROC row and capped shares only, averaged over populations; TPR,
FPR, cap sensitivity and SDs are held out.  Bag sizes: all equal to the published number of queries, or uniform
on 1..16 where the publication says 1-16, or all equal to ``queries`` where that is given.  The fitted numbers and
their residuals stand in shapes.json, which that command writes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from typeone.engine.streams import generator

POPULATION_LANE, NOISE_LANE, RESPONSE_LANE = 1, 2, 3  # lane 0 of a repetition draws its partition


@dataclass(frozen=True, slots=True)
class Shape:
    """The fitted numbers of a scenario."""

    tau: float
    nu: float
    stretch: float
    share: float
    effect: float
    ceiling: float


@dataclass(frozen=True, slots=True)
class Published:
    """What a scenario is fitted to: AUROC in the order of ``ORDER`` and the capped shares."""

    auroc: tuple[float, ...]
    capped_nonparticipants: float
    capped_participants: float


@dataclass(frozen=True, slots=True)
class Scenario:
    """Sizes of a published population, the shape of its scores, and the published row it was fitted to."""

    participants: int
    pool: int
    least: int
    most: int
    reference: int
    calibration: int
    shape: Shape
    published: Published
    queries: int = 0
    """Documents of every source; 0: uniform on ``least`` .. ``most``."""

    @property
    def sources(self) -> int:
        """Participants and null pool together."""
        return self.participants + self.pool

    def changed(self, pool: int, effect: float, queries: int) -> Scenario:
        """With a null pool of ``pool`` sources, ``effect`` times the effect, and so many queries of each source."""
        return replace(self, pool=pool, queries=queries, shape=replace(self.shape, effect=effect * self.shape.effect))

    def reshaped(self, shape: Shape) -> Scenario:
        """The same sizes with other numbers."""
        return replace(self, shape=shape)


SHAPES = Path(__file__).with_name("shapes.json")


def _shapes() -> dict[str, Shape]:
    fitted = json.loads(SHAPES.read_text(encoding="utf-8"))["scenarios"]
    return {name: Shape(**entry["shape"]) for name, entry in fitted.items()}


ORDER = ("mean", "max", "min", "ramia", "fisher", "scf")
SCENARIOS = {
    name: Scenario(*sizes, shape=_shapes()[name], published=published)
    for name, sizes, published in (
        (
            "reddit",
            (84, 183, 16, 16, 40, 59),
            Published((0.6443, 0.6176, 0.6158, 0.6444, 0.6438, 0.6456), 0.05180, 0.08270),
        ),
        (
            "cc-news",
            (1348, 1361, 1, 16, 40, 59),
            Published((0.6305, 0.5953, 0.6050, 0.6227, 0.6327, 0.6354), 0.05188, 0.09430),
        ),
        (
            "enron",
            (70, 71, 1, 16, 25, 25),
            Published((0.8068, 0.7222, 0.6104, 0.7973, 0.8227, 0.8309), 0.04943, 0.09398),
        ),
        (
            "chromium",
            (50, 149, 16, 16, 40, 59),
            Published((0.6178, 0.5527, 0.5620, 0.6196, 0.6279, 0.6346), 0.05244, 0.06401),
        ),
    )
}


def draw_documents(
    scenario: Scenario, key: tuple[int, int], repetition: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
    """(scores (D,), source codes (D,), P): sources 0..P-1 participate, the rest are the null pool."""
    rng = generator(key, repetition, POPULATION_LANE)
    shape = scenario.shape
    if scenario.queries:
        # Document after document of all sources, from lanes of their own: more queries add documents and move none.
        codes = np.tile(np.arange(scenario.sources), scenario.queries)
        of_noise, of_response = (generator(key, repetition, lane) for lane in (NOISE_LANE, RESPONSE_LANE))
    else:
        sizes = rng.integers(scenario.least, scenario.most, size=scenario.sources, endpoint=True)
        codes = np.repeat(np.arange(scenario.sources), sizes)
        of_noise = of_response = rng
    baseline = rng.standard_normal(scenario.sources)
    noise = of_noise.standard_t(shape.nu, size=codes.size)
    responds = of_response.random(codes.size) < shape.share
    gain = shape.effect * np.exp(-shape.ceiling * np.maximum(noise, 0.0))
    score = shape.tau * baseline[codes] + np.where(noise > 0, shape.stretch * noise, noise)
    score += np.where(responds & (codes < scenario.participants), gain, 0.0)
    return score, codes, scenario.participants
