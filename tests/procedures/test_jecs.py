"""Joint decontamination on a user's scores: right values, invariance, and errors that name what is wrong."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import jecs as twin
from typeone import jecs

NAMES = ("union", "intersection", "max-p", "storey", "jecs", "adafilter", "jecs-filter")  # as the twin lists them


LEVELS = st.sampled_from(["0.05", "0.1", "0.25", "0.5", "0.9"])


@st.composite
def drawn_scores(draw, most=12):
    K, n = draw(st.integers(1, 3)), draw(st.integers(1, most))
    few = st.integers(-4, 4).map(float)
    calibration = [draw(st.lists(few, min_size=1, max_size=25)) for _ in range(K)]
    return [draw(st.lists(few, min_size=n, max_size=n)) for _ in range(K)], calibration


def big_scores(seed, n=300, sizes=(300, 120), shift=2.5, digits=3):
    g = np.random.default_rng(seed)
    clean = g.random(n) < 0.4
    candidates = [np.round(g.standard_normal(n) - shift * clean, digits) for _ in sizes]
    return candidates, [np.round(g.standard_normal(m), digits) for m in sizes]


def compare(candidates, calibration, level, larger):
    options = jecs.Options("max-p", level, "larger" if larger else "smaller")
    result = jecs.select(candidates, calibration, options=options)
    alpha = Fraction(level)
    p = [twin.conformal(c, s, larger) for c, s in zip(calibration, candidates, strict=True)]
    widths = [lambda t, c=c: twin.largest_attainable(c, larger, t) for c in calibration]
    selections, envelope = twin.all_methods(p, alpha, widths)
    assert np.array_equal(result.p_models, [[float(v) for v in row] for row in p])
    largest = [max(column) for column in zip(*p, strict=True)]
    assert result.p_max.tolist() == [float(v) for v in largest]
    usable = NAMES if len(p) > 1 else NAMES[:5]
    assert set(result.selections) == set(usable)
    for name, chosen in zip(NAMES, selections, strict=True):
        if name in usable:
            assert set(np.flatnonzero(result.selections[name]).tolist()) == chosen, name
    assert (result.envelope.lam, result.envelope.inside, result.envelope.width) == envelope
    assert result.envelope.kappa == envelope.lam / 2
    if envelope.w == 0:
        assert result.envelope.scale is None
        assert result.contamination_bound("max-p") is None
        assert "envelope is undefined" in "".join(result.warnings)
        assert "ties='random' may help" in "".join(result.warnings)
        return
    scale = (1 + envelope.W) / (len(largest) * envelope.w)
    assert result.envelope.scale == scale
    for name in ("max-p", "storey", "jecs"):
        chosen = np.flatnonzero(result.selections[name])
        cutoff = max((largest[i] for i in chosen), default=Fraction(0))
        assert result.cutoffs[name] == cutoff
        bound = len(largest) * scale * cutoff / max(1, chosen.size) if cutoff <= envelope.lam / 2 else None
        assert result.contamination_bound(name) == bound


@settings(derandomize=True, deadline=None, max_examples=120)
@given(drawn_scores(), LEVELS, st.booleans())
def test_everything_equals_the_definitions(scores, level, larger):
    compare(*scores, level, larger)


@pytest.mark.parametrize("seed", range(6))
def test_everything_equals_the_definitions_where_the_scan_goes_deep(seed):
    compare(*big_scores(seed, digits=seed), ["0.05", "0.1", "0.3"][seed % 3], larger=False)


def long(candidates, calibration, items=None, models=None):
    """A long table of the two, calibration items shared by the models as far as they go."""
    models = models or list(range(len(candidates)))
    items = items or [f"c{i}" for i in range(len(candidates[0]))]
    rows = [
        (i, k, "candidate", s)
        for k, row in zip(models, candidates, strict=True)
        for i, s in zip(items, row, strict=True)
    ]
    rows += [
        (f"m{i}", k, "calibration", s) for k, row in zip(models, calibration, strict=True) for i, s in enumerate(row)
    ]
    return {name: [row[j] for row in rows] for j, name in enumerate(("item", "model", "role", "score"))}


def shuffled(data, order):
    return {name: [column[i] for i in order] for name, column in data.items()}


@pytest.mark.parametrize("ties", ["attainable", "random"])
@settings(derandomize=True, deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_order_of_rows_and_models_changes_nothing(ties, seed):
    data = long(*big_scores(seed, n=60, sizes=(40, 30, 40), digits=0), models=["x", "y", "z"])
    options = jecs.Options("jecs", "0.3", ties=ties, seed=5)
    one = jecs.apply(data, options=options)
    order = np.random.default_rng(seed).permutation(len(data["item"]))
    other = jecs.apply(shuffled(data, order), options=options)
    names = one.to_arrow().column_names
    assert one.to_arrow().sort_by("item").equals(other.to_arrow().select(names).sort_by("item"))
    assert (one.envelope, one.cutoffs) == (other.envelope, other.cutoffs)


def test_random_ties_depend_on_seed_item_and_model_names_only():
    candidates, calibration = big_scores(1, n=80, sizes=(40, 40), digits=0)

    def ranks(seed=0, items=None, models=(0, 1)):
        options = jecs.Options("jecs", ties="random", seed=seed)
        named = [dict(zip(models, of, strict=True)) for of in (candidates, calibration)]
        return jecs.select(*named, items=items, options=options).ranks

    base = ranks()
    assert np.array_equal(base, ranks(items=[str(i) for i in range(80)]))
    plain = jecs.select(candidates, calibration).ranks
    assert (base <= plain).all()
    for other in (ranks(seed=1), ranks(items=[f"{i}." for i in range(80)]), ranks(models=("a", "b"))):
        assert not np.array_equal(base, other)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 10**6), LEVELS)
def test_adding_a_model_never_adds_an_item_for_max_p(seed, level):
    candidates, calibration = big_scores(seed, n=50, sizes=(60, 40, 50), digits=1)
    options = jecs.Options("max-p", level)
    fewer = jecs.select(candidates[:2], calibration[:2], options=options)
    more = jecs.select(candidates, calibration, options=options)
    assert set(np.flatnonzero(more.selected)) <= set(np.flatnonzero(fewer.selected))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 10**6), LEVELS, LEVELS)
def test_a_higher_level_selects_a_superset(seed, one, other):
    low, high = sorted([one, other], key=Fraction)
    scores = big_scores(seed, n=50, sizes=(60, 40), digits=1)
    small, large = (jecs.select(*scores, options=jecs.Options("max-p", level)).selections for level in (low, high))
    for name in ("union", "intersection", "max-p", "storey", "jecs"):
        assert (small[name] <= large[name]).all(), name


DATA = long([[0.5, 0.6, 7.5, 20.5], [0.4, 9.0, 0.1, 30.0]], [[1.0 + i for i in range(39)]] * 2)


def test_labels_of_any_kind_any_frame_and_a_wide_table_give_one_answer():
    expected = jecs.apply(DATA).to_arrow()
    assert expected.column_names == [
        "item", "p_max", "selected", "p_model_0", "p_model_1", *(f"selected_{name}" for name in jecs.METHODS)
    ]  # fmt: skip
    wide = {
        "item": [*(f"c{i}" for i in range(4)), *(f"m{i}" for i in range(39))],
        "role": ["candidate"] * 4 + [" Calibration"] * 39,
        "0": [0.5, 0.6, 7.5, 20.5, *(1.0 + i for i in range(39))],
        "1": [0.4, 9.0, 0.1, 30.0, *(1.0 + i for i in range(39))],
    }
    assert jecs.apply(wide, model=None, score=["0", "1"]).to_arrow().equals(expected)
    for data in (
        pa.table(DATA),
        pd.DataFrame(DATA),
        pl.DataFrame(DATA),
        pd.DataFrame(DATA).astype({"item": "category"}),
    ):
        assert jecs.apply(data).to_arrow().equals(expected)
    numbers = DATA | {"item": [int(name[1:]) + 100 * (name[0] == "m") for name in DATA["item"]]}
    assert jecs.apply(numbers).to_arrow().drop(["item"]).equals(expected.drop(["item"]))
    assert jecs.apply(numbers).items.to_pylist() == [0, 1, 2, 3]


def test_larger_scores_as_evidence_mirror_smaller_ones():
    mirrored = DATA | {"score": [-s for s in DATA["score"]]}
    one, other = jecs.apply(DATA), jecs.apply(mirrored, options=jecs.Options(evidence="larger"))
    assert one.to_arrow().equals(other.to_arrow())
    assert not one.to_arrow().equals(jecs.apply(mirrored).to_arrow())


def test_items_keep_their_order_and_the_selected_are_listed():
    scores = [[9.0, 0.5, 0.6, 20.0]], [[1.0 + i for i in range(39)]]
    result = jecs.select(*scores, items=["d", "a", "c", "b"], options=jecs.Options("max-p"))
    assert result.items.to_pylist() == ["d", "a", "c", "b"]
    assert result.selected_items.to_pylist() == ["a", "c"]
    assert len(result) == 4


def test_level_is_a_rational_not_the_double_nearest_to_it():
    """n = 1 and m = 9: p = 1/10 <= 0.1; a hair below 0.1 it is not."""
    scores = [[0.0]], [[1.0 + i for i in range(9)]]
    assert jecs.select(*scores, options=jecs.Options("max-p", "0.1")).selected.tolist() == [True]
    assert jecs.select(*scores, options=jecs.Options("max-p", "0.09999999999999999999")).selected.tolist() == [False]


def test_bound_at_kappa_itself():
    """Ten p-values of 2/5 = kappa: W = 0, w = 2/5, s = 1 / (10 * 2/5); bound 10 s (2/5) / 10."""
    result = jecs.select([[2.5] * 10], [[1.0, 3.0, 4.0, 5.0]], options=jecs.Options("max-p", "0.9"))
    assert (result.envelope.kappa, result.cutoffs["max-p"]) == (Fraction(2, 5), Fraction(2, 5))
    assert result.contamination_bound("max-p") == Fraction(1, 10)


def test_one_item_all_tied_and_all_extreme():
    assert jecs.select([[2.0]], [[2.0] * 70]).p_max.tolist() == [1.0]
    assert jecs.select([[9.0]], [[1.0, 2.0, 3.0, 4.0]]).p_max.tolist() == [1.0]
    assert jecs.select([[-1.0]], [[0.0] * 1024]).p_max.tolist() == [1 / 1025]


def test_one_model_has_no_filter():
    result = jecs.select(*([values[0]] for values in big_scores(3)))
    assert set(result.selections) == set(jecs.METHODS) - {"adafilter", "jecs-filter"}
    assert (result.selections["union"] == result.selections["max-p"]).all()
    with pytest.raises(ValueError, match=r"method='adafilter': compares at least 2 models; 1 is given"):
        jecs.select([[1.0]], [[1.0]], options=jecs.Options("adafilter"))


def test_too_few_calibration_scores_are_named():
    """m = 99: p >= 1/100.  At level .1 BH selects at least n / 10 items: 2 of 11, 11 of 101, 101 of 1001."""
    for n, told in ((10, None), (11, "at least 2 items"), (101, "at least 11 items"), (1001, "at least 101 items")):
        result = jecs.select([np.arange(n) * 1.0] * 2, [np.arange(99) * 1.0, np.arange(2000) * 1.0])
        named = [warning for warning in result.warnings if "99 calibration" in warning]
        assert (told is None and not named) or (told in named[0] and named[0].startswith("model 0:")), n
    # At level 1/5 with m = 4 all three of three items can be selected, and only together.
    (all_or_none,) = jecs.select([[0.0] * 3], [[1.0, 2.0, 3.0, 4.0]], options=jecs.Options(level="0.2")).warnings
    assert all_or_none.endswith("selects at least 3 items or none")
    nothing = jecs.select([[1.0, 2.0]] * 2, [[5.0, 6.0], [5.0, 7.0]])
    assert "models 0, 1: 2 calibration scores" in nothing.warnings[0]
    assert nothing.warnings[0].endswith("can select nothing")
    assert "can select nothing" in str(nothing)


def without(position, data=DATA):
    return {name: [v for i, v in enumerate(column) if i != position] for name, column in data.items()}


def test_missing_pairs_are_errors_for_candidates_and_reported_for_calibration():
    with pytest.raises(ValueError, match=r"item 'c1' has no score under model 0 \(1 such pairs"):
        jecs.apply(without(1))
    result = jecs.apply(without(1), missing="drop")
    assert (result.items.to_pylist(), result.dropped) == (["c0", "c2", "c3"], 1)
    assert "1 candidates without a score" in result.warnings[-1]
    fewer = jecs.apply(without(8 + 5))
    assert fewer.calibration_sizes == (38, 39)
    assert "1 pairs of calibration item and model have no score" in fewer.warnings[-1]
    assert "0: 38, 1: 39" in fewer.warnings[-1]
    blank = DATA | {"score": [None, *DATA["score"][1:-1], float("nan")]}
    with pytest.raises(ValueError, match=r"'score', row 1: the value is missing"):
        jecs.apply(blank)
    both = jecs.apply(blank, missing="drop")
    assert (both.dropped, both.absent, both.calibration_sizes) == (1, 1, (39, 38))


def changed(column, position, value):
    return DATA | {column: [*DATA[column][:position], value, *DATA[column][position + 1 :]]}


@pytest.mark.parametrize(
    ("data", "kwargs", "message"),
    [
        (changed("role", 2, "test"), {}, r"'role', row 3: 'test' is not candidate or calibration"),
        (changed("role", 5, "calibration"), {}, r"'role', row 6: item 'c1' had another value before"),
        (changed("item", 1, "c0"), {}, r"rows 1 and 2: item 'c0' has two scores under model 0"),
        (changed("item", 85, "m37"), {}, r"rows 85 and 86: item 'm37' has two scores under model 1"),
        (changed("item", 9, "m0"), {}, r"rows 9 and 10: item 'm0' has two scores under model 0"),
        (changed("score", 3, float("inf")), {}, r"'score', row 4: the value is infinite"),
        (changed("score", 3, None), {}, r"'score', row 4"),
        (DATA | {"role": ["candidate"] * len(DATA["role"])}, {}, r"model 0: at least one calibration score"),
        (DATA | {"role": ["calibration"] * len(DATA["role"])}, {}, r"no candidate is given"),
        (DATA, {"item": "id"}, "no column 'id'"),
        (DATA, {"score": ["score", "model"]}, "one column of scores"),
        (DATA, {"model": None, "score": []}, "one column for each model"),
        (DATA, {"model": None, "score": ["score", "score"]}, "every one named once"),
        (DATA, {"options": jecs.Options("best")}, "method='best': is one of union"),
        (DATA, {"options": jecs.Options(level="1")}, "level=1"),
        (DATA, {"options": jecs.Options(evidence="low")}, "evidence='low'"),
        (DATA, {"options": jecs.Options(ties="fair")}, "ties='fair'"),
        (DATA, {"options": jecs.Options(seed=-1)}, "seed=-1"),
        (DATA, {"options": jecs.Options(seed=2**64)}, "seed="),
        (DATA, {"missing": "skip"}, "missing='skip'"),
    ],
)
def test_bad_tables_are_named(data, kwargs, message):
    with pytest.raises(ValueError, match=message):
        jecs.apply(data, **kwargs)


@pytest.mark.parametrize(
    ("candidates", "calibration", "items", "message"),
    [
        ({"a": [1.0]}, {"b": [1.0]}, None, r"model '[ab]' is in only one"),
        ([[1.0], [1.0, 2.0]], [[1.0]] * 2, None, r"their numbers are {0: 1, 1: 2}"),
        ([[1.0, float("nan")]], [[1.0]], None, r"candidates, model 0, position 1: the score is missing"),
        ([[1.0]], [[1.0, -float("inf")]], None, r"calibration, model 0, position 1"),
        ([1.0], [[1.0]], None, r"candidates, model 0: one score for each item is needed"),
        ([], [], None, "candidates: at least one model"),
        ([[]], [[1.0]], None, "at least one item"),
        ([[1.0]], [[]], None, r"calibration, model 0: at least one"),
        ([[1.0, 2.0, 3.0]], [[1.0]], ["a", "x", "x"], r"items: 'x' stands twice"),
        ([[1.0, 2.0]], [[1.0]], ["x"], r"items: 1 names for 2"),
    ],
)
def test_bad_arrays_are_named(candidates, calibration, items, message):
    with pytest.raises(ValueError, match=message):
        jecs.select(candidates, calibration, items=items)


def test_sizes_that_the_integer_comparisons_cannot_hold_are_refused(monkeypatch):
    """(n + 1) M (M / gcd + 1) < 2^62; equal sizes always fit, and the message says so."""
    monkeypatch.setattr("typeone.jecs.procedure._LARGEST_PRODUCT", 6 * 10 * 11)
    uneven = [[1.0] * 9, [1.0] * 8]  # M = 10, gcd(10, 9) = 1
    with pytest.raises(ValueError, match=r"5 candidates and 9 calibration scores .* give every model the same number"):
        jecs.select([[1.0] * 5] * 2, uneven)
    assert len(jecs.select([[1.0] * 4] * 2, uneven)) == 4
    assert len(jecs.select([[1.0] * 5] * 2, [[1.0] * 9] * 2)) == 5


def test_hundred_fifty_thousand_candidates():
    g = np.random.default_rng(2)
    n = 150_000
    clean = g.random(n) < 0.3
    candidates = [g.standard_normal(n) - 3 * clean for _ in range(3)]
    result = jecs.select(candidates, [g.standard_normal(n) for _ in range(3)])
    assert 0.6 < result.selected[clean].mean() < 0.9
    assert 0 < (result.selected & ~clean).sum() / result.selected.sum() < 0.1


def test_text_and_html_say_what_is_promised():
    result = jecs.apply(DATA)
    for shown in (str(result), result._repr_html_()):
        assert "JECS (chord envelope) *" in shown
        assert "score as clean under every model" in shown
        assert "checked, not proved" in shown
        assert "λ = 0.8, κ = 0.4" in shown
    assert repr(result) == str(result)
    assert "selected_union" not in str(result)
    union = jecs.apply(DATA, options=jecs.Options("union"))
    assert union.guarantee.startswith("Contaminated items may be any share")
    many = jecs.select(*big_scores(1))
    assert "… and 260 more rows" in str(many)
    assert "2 models, 120 to 300 calibration scores each" in many.title
    assert "2 models, 39 calibration scores each" in result.title
    smallest = [line.split()[0] for line in str(many).splitlines() if line[:4].strip().isdigit()]
    assert int(smallest[0]) == int(np.argmin(many.p_max))
