"""Clopper–Pearson bounds, hypergeometric tails, AUROC."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks import floors, inputs, peers, truth
from benchmarks.rows import Implementation, Row, Size, Target, unequal
from benchmarks.twins import special as twin
from typeone.roc import auroc
from typeone.tails import hypergeometric_sf
from typeone_kernels.bounds import clopper_pearson_lower_bounds

Floats = NDArray[np.float64]


def ours_bounds(k: NDArray[np.int64], n: NDArray[np.int64], level: Floats) -> Floats:
    out = np.empty(k.size)
    clopper_pearson_lower_bounds(k, n, level, out)
    return out


def build_bounds(size: Size) -> Mapping[str, Implementation]:
    of = inputs.trials(10**5 if size == "full" else 400)
    count = of.k.size
    wanted = twin.clopper_pearson_lower(*of)
    sample = slice(0, 60 if size == "full" else 40)

    def differs(found: Floats) -> str:
        """Near SciPy's, whose own error reaches 1e-10, and a sample of ours valid and sharp by 50 digits."""
        scale = np.minimum(wanted, 1 - wanted)
        off = np.abs(found - wanted) > 1e-9 * np.maximum(scale, 1e-300)
        if off.any():
            return f"bounds: {int(off.sum())} of {count} differ by more than 1e-9 relative"
        return truth.invalid_bounds(of.k[sample], of.n[sample], of.level[sample], found[sample])

    return {
        "ours": Implementation(lambda: ours_bounds(*of), count, differs),
        "twin": Implementation(lambda: twin.clopper_pearson_lower(*of), count, note="scipy.special.betaincinv"),
        "statsmodels": peers.statsmodels_bounds(of, wanted),
        "floor": Implementation(lambda: floors.read_and_write(of, wanted.copy()), count, note="reads and writes only"),
    }


def build_tails(M: int, size: Size) -> Mapping[str, Implementation]:
    of = inputs.draws(1000 if size == "full" else 100, M)
    count = of.k.size
    sample = slice(0, 100 if size == "full" else 20)
    exact = truth.hypergeometric_sf(*(part[sample] for part in of))
    out = np.empty(count)

    def differs(found: Floats) -> str:
        error = float(np.max(np.abs(found[sample] / exact - 1)))
        return f"off by up to {error:.0e} relative" if error > 2e-14 else ""

    return {
        "ours": Implementation(lambda: hypergeometric_sf(*of), count, differs),
        "twin": Implementation(
            lambda: twin.hypergeometric_sf(*of),
            count,
            differs,
            note="scipy.stats.hypergeom.sf",
        ),
        "floor": Implementation(lambda: floors.read_and_write(of, out), count, note="reads and writes only"),
    }


def build_auroc(size: Size) -> Mapping[str, Implementation]:
    scores, labels = inputs.labelled_scores(10**6 if size == "full" else 5000, decimals=3 if size == "full" else 1)
    same = partial(unequal, "AUROC", wanted=twin.auroc(scores, labels))
    return {
        "ours": Implementation(lambda: auroc(scores, labels), 1, same),
        "twin": Implementation(lambda: twin.auroc(scores, labels), 1, note="scipy.stats.rankdata"),
        "floor": Implementation(lambda: floors.auroc(scores)),
        "scikit-learn": peers.sklearn_auroc(scores, labels),
    }


def _tails(M: int, least: float) -> Row:
    power = "10⁵" if M == 10**5 else "10⁶"
    return Row(
        f"hypergeometric-M{M:.0e}".replace("e+0", "e"),
        f"hypergeometric sf, 10³ scattered (k within 6 sd of the mean, C, K uniform), M = {power}",
        "value",
        partial(build_tails, M),
        (Target("twin", least=least),),
    )


ROWS: tuple[Row, ...] = (
    Row(
        "clopper-pearson",
        "Clopper–Pearson bounds, 10⁵ random (k, n, level), n log-uniform to 10⁹",
        "bound",
        build_bounds,
        (Target("twin", least=4, stretch=10),),
    ),
    _tails(10**5, 50),
    _tails(10**6, 4),
    Row(
        "auroc",
        "AUROC, 10⁶ scores with ties",
        "call",
        build_auroc,
        (Target("twin", least=5), Target("floor", stretch=1.5)),
    ),
)
