"""SCF with controls split at random: ranks of exchangeable sources are uniform, splits combine, sizes must fit."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, chi2

from procedures.scf_data import DATA
from typeone import scf
from typeone.levels import Level


def controls_only(n, rng, size=lambda rng: 1):
    bags = [rng.standard_normal(size(rng)).tolist() for _ in range(n)]
    return {
        "source": [i for i, bag in enumerate(bags) for _ in bag],
        "score": [x for bag in bags for x in bag],
        "known": [i > 0 for i, bag in enumerate(bags) for _ in bag],
    }


BAG_LAWS = {
    "one document": lambda rng: 1,
    "sixteen": lambda rng: 16,
    "1 to 16": lambda rng: int(rng.integers(1, 17)),
    "mostly 1": lambda rng: 1 + int(rng.geometric(0.7)),
}


@pytest.mark.parametrize("law", BAG_LAWS)
def test_ranks_of_exchangeable_sources_are_uniform(law):
    """1500 data sets, K = 6, L = 9, one null target.  chi-squared at 1e-4 for Mean and for SCF with random ties;
    without tie-breaking P(p <= j/10) <= j/10 for every j: an exact binomial bound at 1e-4 / 9 each."""
    repetitions, L = 1500, 9
    ranks = {"mean": [], "random": [], "plain": []}
    for seed in range(repetitions):
        data = controls_only(16, np.random.default_rng([2026, seed]), BAG_LAWS[law])
        split = scf.Split(reference=6, calibration=L, seed=seed)
        one = scf.apply(data, control="known", options=scf.Options(ties="random"), split=split)
        two = scf.apply(data, control="known", split=split)
        # Mean calibrates on all fifteen controls: ranks on 1..16.
        three = scf.apply(data, control="known", options=scf.Options(method="mean"), split=split)
        ranks["random"].append(int(one.p_exact[0] * (L + 1)))
        ranks["plain"].append(int(two.p_exact[0] * (L + 1)))
        ranks["mean"].append(int(three.p_exact[0] * 16))
    for name, cells in (("random", L + 1), ("mean", 16)):
        counts = np.bincount(ranks[name], minlength=cells + 1)[1:]
        statistic = ((counts - repetitions / cells) ** 2).sum() / (repetitions / cells)
        assert statistic < chi2.ppf(1 - 1e-4, cells - 1), name
    for j in range(1, L + 1):
        successes = int((np.array(ranks["plain"]) <= j).sum())
        assert binom.sf(successes - 1, repetitions, j / (L + 1)) > 1e-4 / L
    if law == "one document":  # the map is a step function: ties cost most of the level here
        assert np.mean(np.array(ranks["plain"]) <= 1) < 0.08


def test_splits_combine_to_twice_the_mean_and_report_their_spread():
    data = controls_only(30, np.random.default_rng(5), BAG_LAWS["1 to 16"])
    ps = [
        scf.apply(data, control="known", split=scf.Split(10, 19, seed=3, repeats=1)).p_exact[0],
    ]
    result = scf.apply(data, control="known", split=scf.Split(10, 19, seed=3, repeats=200))
    spread = result.spread
    assert spread.splits == 200
    assert spread.low[0] <= float(ps[0]) <= spread.high[0]
    assert result.p_exact[0] <= 1
    assert min(1, 2 * spread.low[0]) <= float(result.p_exact[0]) <= min(1, 2 * spread.high[0])
    # By hand for two splits: the mean of p from repeats 0 and 1.
    two = scf.apply(data, control="known", split=scf.Split(10, 19, seed=3, repeats=2))
    total = two.spread.low[0] + two.spread.high[0]
    assert float(two.p_exact[0]) == pytest.approx(min(1, total))
    assert two.to_arrow().column_names[-3:] == ["p_low", "p_median", "p_high"]


def test_splits_resplit_given_roles_with_the_same_sizes():
    result = scf.apply(DATA, role="role", split=scf.Split(repeats=3, seed=1))
    assert (result.reference_sources, result.calibration_sources) == (3, 4)
    assert any("split at random again" in warning for warning in result.warnings)
    assert result.attainable(Level("0.3")) == 0  # twice the smallest p-value is 2/5
    assert result.attainable(Level("0.4")) == Fraction(2, 5)


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (scf.Split(5, 3), "only 7 control"),
        (scf.Split(0, 3), "reference=0"),
        (scf.Split(7, None), "reference=7: leaves no calibration source"),
        (scf.Split(2, -1), "calibration=-1"),
        (scf.Split(seed=-1), "seed=-1"),
    ],
)
def test_bad_splits_are_named(split, message):
    data = DATA | {"known": [role != "target" for role in DATA["role"]]}
    with pytest.raises(ValueError, match=message):
        scf.apply(data, control="known", split=split)


def test_default_split_uses_all_controls():
    data = DATA | {"known": [role != "target" for role in DATA["role"]]}
    result = scf.apply(data, control="known")
    assert (result.reference_sources, result.calibration_sources, result.unused_controls) == (2, 5, 0)
