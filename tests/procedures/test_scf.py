"""SCF on a user's scores: right values, invariance, guarantees, and errors that name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from procedures.scf_data import DATA, long, shuffled
from twins import scf as twin
from typeone import scf
from typeone.levels import Level, number

METHODS = ("scf", "fisher", "mean", "max", "min", "ramia")


BAG = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=5)


ROLE_NAMES = ("target", "reference", "calibration")


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(BAG, st.sampled_from(ROLE_NAMES)), max_size=7),
    st.tuples(BAG, BAG, BAG),
    st.sampled_from(METHODS),
    st.sampled_from(["document", "source", "0.01"]),
    st.sampled_from(["0.05", "0.3", "0"]),
)
def test_p_values_equal_the_formulas(others, first, method, smoothing, cap):
    bags = [*first, *(bag for bag, _ in others)]
    roles = [*ROLE_NAMES, *(role for _, role in others)]
    options = scf.Options(method=method, smoothing=smoothing, cap=cap, levels=["0.3", "0.5"])
    result = scf.apply(long(bags, roles), role="role", options=options)
    by_role = {name: [bag for bag, role in zip(bags, roles, strict=True) if role == name] for name in ROLE_NAMES}
    rule = smoothing if smoothing in ("document", "source") else Level(smoothing)
    target, reference, calibration = (
        twin.statistics(method, by_role[name], by_role["reference"], Level(cap), rule) for name in ROLE_NAMES
    )
    controls = calibration if method in ("scf", "fisher") else calibration + reference
    expected = [twin.p_value(t, controls) for t in target]
    assert result.p_exact == expected
    assert result.reject(Level("0.3")).tolist() == [p <= Fraction(3, 10) for p in expected]
    scale = 2.0**-40 if method in ("scf", "fisher") else 1
    assert result.evidence == pytest.approx([float(t) * scale for t in target], rel=1e-15, abs=1e-300)
    assert result.sources.to_pylist() == [i for i, role in enumerate(roles) if role == "target"]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.permutations(range(len(DATA["score"]))), st.sampled_from(METHODS))
def test_order_of_rows_changes_no_bit(order, method):
    options = scf.Options(method=method)
    one = scf.apply(DATA, role="role", options=options).to_arrow().sort_by("source")
    other = scf.apply(shuffled(DATA, order), role="role", options=options).to_arrow().sort_by("source")
    assert one.equals(other)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.permutations(range(len(DATA["score"]))), st.integers(0, 2**64 - 1))
def test_order_of_rows_changes_no_random_split_or_tie(order, seed):
    data = DATA | {"known": [role != "target" for role in DATA["role"]]}
    options = scf.Options(ties="random")
    split = scf.Split(reference=3, calibration=3, seed=seed)
    one = scf.apply(data, control="known", options=options, split=split).to_arrow().sort_by("source")
    moved = shuffled(data, order)
    other = scf.apply(moved, control="known", options=options, split=split).to_arrow().sort_by("source")
    assert one.equals(other)


def test_labels_of_any_kind_and_any_frame_give_one_answer():
    expected = scf.apply(DATA, role="role").p_value.tolist()
    words = DATA | {"source": [f"user {i}" for i in DATA["source"]]}
    for data in (
        pa.table(DATA),
        pd.DataFrame(DATA),
        pl.DataFrame(DATA),
        words,
        pd.DataFrame(words).astype({"source": "category"}),
    ):
        assert scf.apply(data, role="role").p_value.tolist() == expected


def test_all_scores_tied_give_p_one():
    data = long([[2.0]] * 5, ["reference", "calibration", "calibration", "calibration", "target"])
    for method in METHODS:
        assert scf.apply(data, role="role", options=scf.Options(method=method)).p_exact == [Fraction(1)]


def test_least_extreme_of_four_has_p_one_never_more():
    data = long([[9.0]] * 5 + [[0.0]], ["reference"] + ["calibration"] * 4 + ["target"])
    assert scf.apply(data, role="role").p_exact == [Fraction(1)]


def test_most_extreme_is_never_zero():
    data = long([[0.0]] + [[0.0]] * 1024 + [[9.0]], ["reference"] + ["calibration"] * 1024 + ["target"])
    assert scf.apply(data, role="role").p_exact == [Fraction(1, 1025)]


@pytest.mark.parametrize(("method", "rho"), [("mean", "0.5"), ("ramia", "0.2"), ("ramia", "0.5")])
def test_equal_means_of_bags_of_different_sizes_tie(method, rho):
    """.1 + .1 + .1 is not 3 * .1 in doubles; the means are compared as the rationals they are."""
    bags = [[0.1] * n for n in (1, 2, 3, 4, 5, 6, 7, 3, 4)]
    data = long(bags, ["reference"] + ["calibration"] * 6 + ["target"] * 2)
    result = scf.apply(data, role="role", options=scf.Options(method=method, rho=rho))
    assert result.p_exact == [Fraction(1)] * 2
    assert result.evidence.tolist() == [0.1, 0.1]


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.lists(st.lists(st.sampled_from([1e16, 1.0, -1e16, 0.1, 0.2, 0.3]), min_size=1, max_size=5), min_size=3))
def test_means_are_compared_exactly_when_doubles_cannot(bags):
    data = long(bags, ["calibration"] * (len(bags) - 1) + ["target"])
    result = scf.apply(data, role="role", options=scf.Options(method="mean"))
    means = [sum(map(Fraction, bag)) / len(bag) for bag in bags]
    assert result.p_exact == [Fraction(1 + sum(m >= means[-1] for m in means[:-1]), len(bags))]
    assert result.evidence.tolist() == pytest.approx([float(means[-1])], rel=1e-15)


def test_means_of_huge_scores_do_not_overflow():
    data = long([[1.7e308, 1.7e308], [1.0], [1.7e308] * 3], ["calibration", "calibration", "target"])
    result = scf.apply(data, role="role", options=scf.Options(method="mean"))
    assert result.p_exact == [Fraction(2, 3)]
    assert result.evidence.tolist() == [1.7e308]


def test_one_reference_and_one_calibration_source():
    result = scf.apply(long([[1.0, 2.0], [3.0], [4.0]], ["reference", "calibration", "target"]), role="role")
    assert result.p_exact == [Fraction(1)]  # both beyond the reference: tied
    assert "no rejection is possible" in result.warnings[0]
    assert result.attainable(Level("0.05")) == 0


def test_level_equal_to_a_p_value_rejects():
    """L = 19, the target above all: p = 1/20 <= 0.05, though the double 0.05 is not 1/20."""
    data = long([[0.0]] + [[-1.0 - i] for i in range(19)] + [[1.0]], ["reference"] + ["calibration"] * 19 + ["target"])
    result = scf.apply(data, role="role", options=scf.Options(levels=["0.05"]))
    assert result.p_exact == [Fraction(1, 20)]
    assert result.reject(Level("0.05")).all()


def test_fdr_is_benjamini_hochberg_with_ties_at_the_boundary():
    # Nine calibration sources 1..9, p-values 1/10, 2/10, 5/10: at .3, 2/10 = .3 * 2/3 counts.
    bags = [[0.0]] + [[float(i)] for i in range(1, 10)] + [[9.5], [8.5], [5.5]]
    roles = ["reference"] + ["calibration"] * 9 + ["target"] * 3
    smoothing = scf.Options(method=lambda bag: float(bag[0]), fdr="0.3")
    result = scf.apply(long(bags, roles), role="role", options=smoothing)
    # The plain function is calibrated on all ten controls: p = 1/11, 2/11, 5/11.
    assert result.p_exact == [Fraction(1, 11), Fraction(2, 11), Fraction(5, 11)]
    assert result.discovery.tolist() == [True, True, False]
    assert result.to_arrow().column_names[-1] == "discovery_fdr_0.3"


def bh_twin(p, level):
    cut = [x for k, x in enumerate(sorted(p), 1) if x <= level * k / len(p)]
    return [x <= max(cut, default=Fraction(-1)) for x in p]


@settings(derandomize=True, deadline=None, max_examples=80)
@given(
    st.lists(st.integers(-2, 9), min_size=1, max_size=8),
    st.sampled_from(["0.1", "0.25", "0.5", "0.9", "1/3", "0.3333333333333333333333", "0.3333333333333333333334"]),
)
def test_fdr_equals_its_definition(targets, level):
    bags = [[0.0]] + [[float(i)] for i in range(8)] + [[float(t)] for t in targets]
    roles = ["reference"] + ["calibration"] * 8 + ["target"] * len(targets)
    options = scf.Options(method="mean", fdr=level)
    result = scf.apply(long(bags, roles), role="role", options=options)
    assert result.discovery.tolist() == bh_twin(result.p_exact, Level(level))


def spread_of_bag(bag):
    return float(bag[0] - bag[-1])


@njit
def count_above_reference(score, source, sizes, role, out):
    """Documents above the highest reference document, as a share of the bag."""
    out[:] = 0
    for d in range(score.size):
        if role[source[d]] == 1:
            break
        out[source[d]] += 1 / sizes[source[d]]


def test_own_statistics_run_beside_the_built_in_ones():
    plain = scf.apply(DATA, role="role", options=scf.Options(method=spread_of_bag))
    assert plain.evidence.tolist() == pytest.approx([0.0, 0.1])
    assert plain.calibration_sources == 7
    kernel = scf.apply(DATA, role="role", options=scf.Options(method=count_above_reference))
    assert kernel.evidence.tolist() == [0.0, 0.0]
    assert (kernel.reference_sources, kernel.calibration_sources) == (3, 4)
    with pytest.raises(ValueError, match=r"source 0 gets nan"):
        scf.apply(DATA, role="role", options=scf.Options(method=lambda bag: float("nan")))
    with pytest.raises(ValueError, match="cannot be imported"):
        scf.apply(DATA, role="role", options=scf.Options(method="no.such:thing"))


@pytest.mark.parametrize(
    ("change", "kwargs", "message"),
    [
        ({"score": [float("nan"), *DATA["score"][1:]]}, {}, r"'score', row 1"),
        ({"role": ["Referenz", *DATA["role"][1:]]}, {}, r"'role', row 1: 'Referenz'"),
        ({"role": ["target", *DATA["role"][1:]]}, {}, r"'role', row 2: source 0 had another value before"),
        ({"role": ["target"] * len(DATA["role"])}, {}, "no reference source"),
        ({"role": ["reference" if r == "target" else r for r in DATA["role"]]}, {}, "no target source"),
        ({}, {"role": None}, "name exactly one"),
        ({}, {"control": "role"}, "name exactly one"),
        ({}, {"source": "nowhere"}, "no column 'nowhere'"),
        ({}, {"options": scf.Options(levels=["1.5"])}, "levels=1.5"),
        ({}, {"options": scf.Options(cap="1")}, "cap=1"),
        ({}, {"options": scf.Options(cap="1e-300")}, "cap=1e-300"),
        ({}, {"options": scf.Options(smoothing="1e300")}, "smoothing=1e300"),
        ({}, {"options": scf.Options(method=math.cos)}, "method cos: fails on source 0: TypeError"),
        ({}, {"split": scf.Split(seed=-1)}, "seed=-1"),
        ({}, {"options": scf.Options(cap="nan")}, "cap"),
        ({}, {"options": scf.Options(smoothing="0")}, "smoothing"),
        ({}, {"options": scf.Options(smoothing="paper")}, "smoothing"),
        ({}, {"options": scf.Options(method="median")}, "method='median'"),
        ({}, {"options": scf.Options(method="ramia", rho="1")}, "rho=1"),
        ({}, {"options": scf.Options(ties="fair")}, "ties"),
        ({}, {"options": scf.Options(fdr="0")}, "fdr=0"),
        ({}, {"options": scf.Options(fdr="0.1"), "split": scf.Split(splits=2)}, "fdr"),
        ({}, {"split": scf.Split(splits=0)}, "splits=0"),
        ({}, {"split": scf.Split(reference=2, splits=2)}, "already fixes"),
    ],
)
def test_bad_input_is_named(change, kwargs, message):
    with pytest.raises(ValueError, match=message):
        scf.apply(DATA | change, **({"role": "role"} | kwargs))


def test_dropped_documents_are_reported_and_lost_sources_refused():
    data = DATA | {"score": [None, *DATA["score"][1:]]}
    result = scf.apply(data, role="role", missing="drop")
    assert result.dropped == 1
    assert "1 documents without a score" in result.warnings[-1]
    gone = [None if s == 1 else x for s, x in zip(DATA["source"], DATA["score"], strict=True)]
    with pytest.raises(ValueError, match="source 1: every score is missing"):
        scf.apply(DATA | {"score": gone}, role="role", missing="drop")


def test_reference_map_values_and_errors():
    reference = scf.fit([1.0, 2.0, 2.0, 5.0], ["a", "a", "b", "b"])
    bags = [[1.0, 2.0], [2.0, 5.0]]
    at = [0.0, 1.0, 1.5, 2.0, 5.0, 6.0]
    expected = [twin.smoothed_tail(s, bags, "document") for s in at]
    assert reference.tail(at).tolist() == [float(q) for q in expected]
    assert reference.evidence(at, "0.3").tolist() == [twin.units(q, Level("0.3")) / 2**40 for q in expected]
    assert reference.capped(at, "0.4").tolist() == [q < Fraction(2, 5) for q in expected]
    assert reference.capped(5.0, "0.4").tolist() == [False]  # Q = (1 + 4/4)/5 is the cap exactly
    with pytest.raises(ValueError, match=r"scores\[1\]"):
        reference.tail([0.0, float("nan")])
    with pytest.raises(ValueError, match="row 2"):
        scf.fit([0.0, float("inf")], ["a", "b"])
    with pytest.raises(ValueError, match="at least one"):
        scf.fit([], [])


def test_results_print_in_a_terminal_and_a_notebook():
    result = scf.apply(DATA, role="role", options=scf.Options(levels=["0.05", "0.4"]))
    text, page = str(result), result._repr_html_()
    assert "attainable" in text
    assert "exchangeable" in text
    assert "<table>" in page
    assert len(result) == 2
    assert result.to_arrow().column_names[:6] == [
        "source", "documents", "evidence", "p_value", "reject_0.05", "reject_0.4",
    ]  # fmt: skip


@pytest.mark.parametrize("rho", [1 / 3, 0.1 + 0.2, "0.333333333333333333", "0.3333333333333333333333", "1e-300", "1/3"])
def test_ramia_trims_the_share_exactly_however_it_is_written(rho: float | str) -> None:
    """Shares with long denominators times a bag's size do not fit 64 bits; compared with fractions."""
    n, share = 2000, 1 - number("rho", rho)
    values = np.random.default_rng(5).normal(size=(4, n))
    data = {
        "source": np.repeat(np.arange(4), n),
        "score": values.ravel(),
        "role": np.repeat(["reference", "calibration", "target", "target"], n),
    }
    result = scf.apply(data, role="role", options=scf.Options(method="ramia", rho=rho))
    kept = max(1, share.numerator * n // share.denominator)
    expected = [np.sort(bag)[::-1][:kept].mean() for bag in values[2:]]
    np.testing.assert_allclose(result.evidence, expected, rtol=1e-12)


def test_numbers_that_the_roles_fix_are_refused_also_with_one_split() -> None:
    for split in (scf.Split(reference=2), scf.Split(calibration=3), scf.Split(reference=2, splits=5)):
        with pytest.raises(ValueError, match="reference, calibration: the role column already fixes these numbers"):
            scf.apply(DATA, role="role", split=split)


def test_fdr_of_several_splits_is_refused_before_any_is_tested() -> None:
    told: list[int] = []
    with pytest.raises(ValueError, match="fdr: is valid for one split only"):
        scf.apply(
            DATA,
            role="role",
            options=scf.Options(fdr="0.1"),
            split=scf.Split(splits=3),
            progress=lambda done, _: told.append(done),
        )
    assert told == []
