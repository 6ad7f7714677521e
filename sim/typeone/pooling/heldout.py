"""Labelled items that the rule has not seen: exact bounds of its error rates, and counting against pooling."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone.exact import clopper_pearson_lower, clopper_pearson_upper
from typeone.levels import Level
from typeone.pooling import quality
from typeone.pooling.decision import ABSTAIN, ACCEPT, REJECT
from typeone.pooling.evidence import posterior
from typeone.pooling.votes import UNKNOWN


def fitting_half(items: pa.Array, truth: NDArray[np.int8], seed: int) -> NDArray[np.bool_]:
    """The labelled items on which reliabilities are fitted, (T,); the other labelled ones are held out.

    Labelled items in the order of a digest of seed and name; the first half, rounded up, is for fitting.  So neither
    the order of rows nor unlabelled items matter, and one more label moves at most one other item.
    """
    labelled = np.flatnonzero(truth != UNKNOWN)
    names = items.take(pa.array(labelled)).to_pylist()
    digests = [hashlib.sha256(f"{seed} {name}".encode()).digest() for name in names]
    order = sorted(range(labelled.size), key=digests.__getitem__)
    half = np.zeros(truth.size, bool)
    half[labelled[order[: (labelled.size + 1) // 2]]] = True
    return half


@dataclass(frozen=True, slots=True)
class Rate:
    """``count`` of ``of`` held-out items, with one-sided Clopper-Pearson bounds, each at the result's level.

    Without any item (of = 0) the rate is NaN and the bounds are 0 and 1.
    """

    name: str
    count: int
    of: int
    rate: float
    lower: float
    upper: float

    @classmethod
    def counted(cls, name: str, these: NDArray[np.bool_], among: NDArray[np.bool_], level: Level) -> Rate:
        """The share of items ``these`` (T,) among the items ``among`` (T,)."""
        k, m = int((these & among).sum()), int(among.sum())
        if m == 0:
            return cls(name, 0, 0, math.nan, 0.0, 1.0)
        return cls(name, k, m, k / m, clopper_pearson_lower(k, m, level), clopper_pearson_upper(k, m, level))


def rates(decision: NDArray[np.int8], truth: NDArray[np.int8], level: Level) -> tuple[Rate, ...]:
    """Error rates of the decisions on H held-out items, ``decision`` and ``truth`` (H,).

    Given how many were accepted, the wrong ones among them are binomial if the items are independent draws.
    """
    accepted, rejected = decision == ACCEPT, decision == REJECT
    true, false = truth == 1, truth == 0
    pairs = (
        ("accepted that are false", false, accepted),
        ("rejected that are true", true, rejected),
        ("false that are accepted", accepted, false),
        ("true that are accepted", accepted, true),
        ("abstained", decision == ABSTAIN, true | false),
    )
    return tuple(Rate.counted(name, these, among, level) for name, these, among in pairs)


@dataclass(frozen=True, slots=True)
class RuleQuality:
    """AUROC, accuracy, Brier score, calibration error and overconfidence of one rule; None where it is no forecast."""

    rule: str
    auroc: float
    accuracy: float | None
    brier: float | None
    calibration: float | None
    overconfidence: float | None


def compare(
    positive: NDArray[np.int64],
    consulted: NDArray[np.int64],
    sums: NDArray[np.int64],
    truth: NDArray[np.int8],
    prior: float,
) -> tuple[RuleQuality, ...]:
    """Vote count, vote share (read as a probability) and pooled posterior on held-out items, all arrays (H,).

    ``sums`` are pooled log-odds in units: posteriors near 1 may be one double while their log-odds differ.  The
    share of an item without votes is the prior.
    """
    weight = np.ones(truth.size)
    share = np.divide(positive, consulted, out=np.full(truth.size, prior), where=consulted > 0)
    rules = [RuleQuality("vote count", quality.auroc(positive, truth, weight), None, None, None, None)]
    for name, keys, forecast in (("vote share", share, share), ("pooled", sums, posterior(sums))):
        measures = (quality.accuracy, quality.brier, quality.calibration_error, quality.overconfidence)
        values = [measure(forecast, truth, weight) for measure in measures]
        rules.append(RuleQuality(name, quality.auroc(keys, truth, weight), *values))
    return tuple(rules)
