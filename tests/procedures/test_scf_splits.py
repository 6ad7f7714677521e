"""SCF with controls split at random: ranks of exchangeable sources are uniform, splits combine, sizes must fit."""

import hashlib
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom, chi2

from procedures.scf_data import DATA
from twins import scf as twin
from typeone import scf
from typeone.levels import Level
from typeone.scf.documents import read_documents
from typeone_kernels.scf import CALIBRATION, CONTROL, PARTICIPANT, REFERENCE, TARGET, UNUSED
from typeone_kernels.streams import STATE_WORDS, next_below, open_stream

WITH_CONTROLS = DATA | {"known": [role != "target" for role in DATA["role"]]}


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
        scf.apply(data, control="known", split=scf.Split(10, 19, seed=3, splits=1)).p_exact[0],
    ]
    result = scf.apply(data, control="known", split=scf.Split(10, 19, seed=3, splits=200))
    spread = result.spread
    assert spread.splits == 200
    assert spread.low[0] <= float(ps[0]) <= spread.high[0]
    assert result.p_exact[0] <= 1
    assert min(1, 2 * spread.low[0]) <= float(result.p_exact[0]) <= min(1, 2 * spread.high[0])
    # By hand for two splits: the mean of p from splits 0 and 1.
    two = scf.apply(data, control="known", split=scf.Split(10, 19, seed=3, splits=2))
    total = two.spread.low[0] + two.spread.high[0]
    assert float(two.p_exact[0]) == pytest.approx(min(1, total))
    assert two.to_arrow().column_names[-3:] == ["p_low", "p_median", "p_high"]


def test_splits_resplit_given_roles_with_the_same_sizes():
    result = scf.apply(DATA, role="role", split=scf.Split(splits=3, seed=1))
    assert (result.reference_sources, result.calibration_sources) == (3, 4)
    assert any("split at random again" in warning for warning in result.warnings)
    known = scf.apply(WITH_CONTROLS, control="known", split=scf.Split(2, 4, splits=3, seed=1))
    assert (known.reference_sources, known.calibration_sources, known.unused_controls) == (2, 4, 1)
    assert not known.resplit
    raw = scf.apply(
        WITH_CONTROLS, control="known", options=scf.Options("mean"), split=scf.Split(2, 4, splits=3, seed=1)
    )
    assert (raw.reference_sources, raw.calibration_sources, raw.unused_controls) == (0, 6, 1)
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
    with pytest.raises(ValueError, match=message):
        scf.apply(WITH_CONTROLS, control="known", split=split)


def test_a_role_has_one_code_and_a_code_one_role():
    """A control that is still to be split is no reference source, and one that is left out took no part."""
    codes = (TARGET, REFERENCE, CALIBRATION, PARTICIPANT, UNUSED, CONTROL)
    assert sorted(codes) == list(range(6))
    columns = pa.table(WITH_CONTROLS), "source", "score"
    assert set(read_documents(*columns, None, "known", "error").role.tolist()) == {TARGET, CONTROL}
    assert set(read_documents(*columns, "role", None, "error").role.tolist()) == {TARGET, REFERENCE, CALIBRATION}


@pytest.mark.parametrize("longest", [1, 3, 400])
@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_random_ties_come_from_the_stream_of_seed_and_name(longest, seed):
    """The rank in a block of ties is drawn from the stream (seed, 63 bits of the name's SHA-256, lane 1) alone."""
    rng = np.random.default_rng(longest)
    sizes = rng.integers(1, longest, 60, endpoint=True)
    codes = np.repeat(np.arange(60), sizes)
    data = {"source": [f"s{code}" for code in codes], "score": rng.integers(0, 3, codes.size).astype(float)}
    data["role"] = np.array(["reference", "calibration", "calibration", "target"])[codes % 4]
    tied = 0
    for method in ("scf", "mean", "max"):
        split, options = scf.Split(seed=seed), scf.Options(method, ties="random")
        drawn = scf.apply(data, role="role", options=options, split=split)
        last = scf.apply(data, role="role", options=scf.Options(method))
        flipped = rank_above(data, method)
        m = drawn.calibration_sources
        state = np.zeros(STATE_WORDS, np.uint64)
        for name, p, highest in zip(drawn.sources.to_pylist(), drawn.p_exact, last.p_exact, strict=True):
            first, at_most = flipped[name], int(highest * (m + 1))
            expected = first
            if at_most > first:
                item = int.from_bytes(hashlib.sha256(repr(name).encode()).digest()[:8], "little") >> 1
                open_stream(state, np.array([seed, 0], np.uint64), item, 1)
                expected += next_below(state, at_most - first + 1)
                tied += 1
            assert p == Fraction(int(expected), m + 1), (method, name)
    assert tied > (10 if longest < 400 else 0)


def rank_above(data, method):
    """1 + #{calibration > target} of every target, from the formulas."""
    bags = {}
    for name, score, role in zip(data["source"], data["score"], data["role"], strict=True):
        bags.setdefault(role, {}).setdefault(name, []).append(float(score))
    reference = list(bags["reference"].values())
    of = {role: twin.statistics(method, list(some.values()), reference) for role, some in bags.items()}
    calibration = of["calibration"] + (of["reference"] if method != "scf" else [])
    return {n: 1 + sum(c > t for c in calibration) for n, t in zip(bags["target"], of["target"], strict=True)}


def test_default_split_uses_all_controls():
    result = scf.apply(WITH_CONTROLS, control="known")
    assert (result.reference_sources, result.calibration_sources, result.unused_controls) == (2, 5, 0)
