"""The decontamination study: batching changes nothing, the trial values of the method, the laws of what is drawn."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from studies.jecs_cells import cell, simulate
from typeone import jecs, tables
from typeone.engine.lookup import changed, design_called
from typeone.engine.resolved import resolve
from typeone.engine.runner import run
from typeone.engine.streams import stream_key
from typeone.engine.study import Column
from typeone.plan.hints import hints_of
from typeone.studies.jecs import STUDY
from typeone.studies.jecs.ideal import IdealBatch
from typeone.studies.jecs.parameters import PATTERNS, weights
from typeone.studies.jecs.scores import ScoreBatch, contamination, cut
from typeone_kernels.ideal import GRID
from typeone_kernels.membership import memberships

METHODS = ("union", "intersection", "max-p", "storey", "jecs", "adafilter", "jecs-filter")


SMALL = {"candidates": 40, "calibration": 30}


@pytest.mark.parametrize(
    "parameters",
    [
        SMALL | {"correlation": "0.5", "low_share": "0.1", "tails": 3, "values": 5, "ties": "random"},
        SMALL | {"models": 1, "miscalibration": "0.3"},
        SMALL | {"models": 4, "calibration_spread": "0.5", "shift_spread": "0.5", "pattern": "0.5 one + 0.5 nested"},
        {"family": "ideal", "candidates": 30, "law": "mixture"},
        {"family": "ideal", "candidates": 30, "law": "t^c H(t)", "clean": "0"},
        {"family": "real", "rows": "level=hard", "candidates": 300, "calibration": 100, "ties": "random"},
    ],
)
def test_batching_changes_no_value(parameters, monkeypatch):
    # Batches of a few repetitions, so that batch borders fall everywhere.
    for module in ("scores", "ideal"):
        monkeypatch.setattr(f"typeone.studies.jecs.{module}._BATCH_DOUBLES", 2500)
    parameters = parameters | {"at": ("0.1", "0.3")}
    together = simulate(40, 3, **parameters)
    for first, count in ((3, 1), (5, 2), (20, 23)):
        for column, values in simulate(count, first, **parameters).items():
            assert values.tolist() == together[column][first - 3 : first - 3 + count].tolist(), column
    assert any(np.ptp(values) > 0 for column, values in together.items() if column.measure == "selected")


def test_study_and_procedure_agree():
    """The study's repetition, put through ``typeone.jecs.select``, gives the same selections."""
    p = STUDY.parameters(candidates=60, calibration=50, calibration_spread="0.4", values=9, clean="0.4")
    batch = ScoreBatch(p, 4)
    key = stream_key(7, "jecs", {})
    batch.draw(key, 11, 4)
    ends = np.cumsum(p.sizes)[:-1]
    columns = simulate(
        4, 11, candidates=60, calibration=50, calibration_spread="0.4", values=9, clean="0.4", at=("0.3",)
    )
    total = 0
    for r in range(4):
        result = jecs.select(
            list(batch.candidates[r]), np.split(batch.calibration[r], ends), options=jecs.Options(level="0.3")
        )
        for method in METHODS:
            chosen = result.selections[method]
            bad = (chosen & batch.contaminated[r]).sum()
            assert columns[Column(method, "selected", "0.3")][r] == chosen.sum()
            assert columns[Column(method, "gcp", "0.3")][r] == bad / max(1, chosen.sum())
            clean = (~batch.contaminated[r]).sum()
            assert columns[Column(method, "power", "0.3")][r] == (chosen.sum() - bad) / clean
            assert columns[Column(method, "empty", "0.3")][r] == (chosen.sum() == 0)
            total += chosen.sum()
    assert total > 100


def test_paired_factors_see_the_same_draws():
    """The same items are contaminated, and given that, scores differ by what the factors say and nothing else."""
    batches = []
    for more in ({}, {"shift": "1", "low_share": "0.2", "low_shift": "100", "miscalibration": "1", "ties": "random"}):
        batch = ScoreBatch(STUDY.parameters(candidates=50, calibration=40, **more), 1)
        batch.draw((1, 2), 0, 1)
        batches.append(batch)
    plain, other = batches
    assert np.array_equal(plain.contaminated, other.contaminated)
    change = plain.candidates - other.candidates
    distinct = set(np.round(change, 9).ravel().tolist())
    assert distinct == {0.0, -2.0, 100.0, 98.0}  # shift 3 becomes 1; low documents lose 100 under every model
    assert set(np.round(plain.calibration - other.calibration, 9).ravel().tolist()) == {-1.0, 99.0}


TRIALS = [
    ({}, (".634 .035 .012 .012 .031 .034", ".999 .757 .494 .488 .720 .751")),
    ({"models": 4}, (".670 .020 .003 .002 .017 .021", "1.00 .706 .239 .172 .641 .720")),
    ({"models": 2, "pattern": "one"}, (".687 .134 .058 .087 .084 .065", ".995 .861 .697 .780 .774 .725")),
]


@pytest.mark.parametrize(("parameters", "published"), TRIALS)
def test_trial_values(parameters, published):
    """400 runs against 400 runs: 4 standard errors of the difference (as many again for the published side), and half
    a unit of its last digit.  36 comparisons: false alarm below .003."""
    columns = simulate(400, **parameters)
    for measure, row in zip(("gcp", "power"), published, strict=True):
        for method, told in zip(METHODS[:6], row.split(), strict=True):
            values = columns[Column(method, measure, "0.1")]
            error = 4 * np.sqrt(2) * values.std() / np.sqrt(400) + 0.0005
            assert abs(values.mean() - float(told)) < error, (method, measure, values.mean(), told)
            assert error < 0.05


def test_adafilter_and_filter_break_under_correlation_where_max_p_and_the_chord_do_not():
    """Two models, every item contaminated in one, correlation .8 (published .241 against .100), 800 runs.

    One-sided z at 3.5: false alarm 2e-4 for each of the four."""
    columns = simulate(800, models=2, pattern="one", clean="0", correlation="0.8", candidates=500, calibration=10_000)
    gcp = {method: columns[Column(method, "gcp", "0.1")] for method in METHODS}
    for method in ("max-p", "jecs"):
        assert gcp[method].mean() < 0.1 + 3.5 * np.sqrt(0.1 * 0.9 / 800), method
    for method in ("adafilter", "jecs-filter"):
        assert gcp[method].mean() > 0.1 + 3.5 * np.sqrt(0.1 * 0.9 / 800), method
    assert gcp["union"].mean() == 1.0  # nothing is clean: any selection is wrong


def test_the_chord_breaks_where_documents_score_low_under_every_model():
    """Published .44 and, milder, .127; 100 and 400 runs, within 4 standard errors and .03 for the unstated shift."""
    base = {"pattern": "all", "low_share": "0.1", "shift": "4"}
    severe = simulate(100, **base, clean="0.1")[Column("jecs", "gcp", "0.1")]
    assert abs(severe.mean() - 0.44) < 4 * severe.std() / 10 + 0.03
    mild = simulate(400, **base, low_shift="3", clean="0.3")[Column("jecs", "gcp", "0.1")]
    assert abs(mild.mean() - 0.127) < 4 * np.sqrt(2) * mild.std() / 20
    assert simulate(50, **base, clean="0.1")[Column("max-p", "gcp", "0.1")].mean() < 0.05


def test_headline():
    """Union and intersection many times over the level, JECS below it: 300 runs of the preset's configuration."""
    design = design_called("jecs-headline")
    columns = simulate(300, **design.factors)
    gcp = {method: columns[Column(method, "gcp", "0.1")].mean() for method in METHODS}
    power = {method: columns[Column(method, "power", "0.1")].mean() for method in METHODS}
    assert gcp["union"] > 0.7
    assert 0.3 < gcp["intersection"] < 0.42
    assert gcp["jecs"] < 0.07
    assert power["jecs"] > 1.3 * power["max-p"]


@pytest.mark.parametrize("pattern", [*PATTERNS, "0.25 one + 0.75 all", "1/2 nested + 1/2 each"])
def test_memberships_follow_the_pattern(pattern):
    """60 000 items under three models: shares of each set of models, z at 5 (false alarm below 1e-5)."""
    p = STUDY.parameters(pattern=pattern, clean="0.2", also="0.3", models=3)
    found, bad = np.empty((1, 3, 60_000), bool), np.empty((1, 60_000), bool)
    memberships(contamination(p), np.random.default_rng(3).random((1, 6, 60_000)), found, bad)
    laws = {
        "one": {1: 1 / 3, 2: 1 / 3, 4: 1 / 3},
        "all": {7: 1.0},
        "nested": {1: 1 / 3, 3: 1 / 3, 7: 1 / 3},
        # One of three, each other with probability .3: sets of one, two, three models.
        "each": {s: {1: 0.49 / 3, 2: 2 * 0.21 / 3, 3: 0.09}[s.bit_count()] for s in range(1, 8)},
    }
    expected = {0: 0.2}
    for name, weight in zip(PATTERNS, weights(pattern), strict=True):
        for models, share in laws[name].items():
            expected[models] = expected.get(models, 0) + 0.8 * weight * share
    codes = np.array([1, 2, 4]) @ found[0]
    for models in range(8):
        share, wanted = (codes == models).mean(), expected.get(models, 0)
        assert abs(share - wanted) <= 5 * np.sqrt(wanted * (1 - wanted) / 60_000), (models, share, wanted)


def drawn(**parameters):
    p = STUDY.parameters(candidates=4000, calibration=4000, **parameters)
    batch = ScoreBatch(p, 5)
    batch.draw((3, 4), 0, 5)
    return batch, batch._members


def test_scores_have_the_stated_laws():
    """20 000 items under three models.  KS at 1e-5; correlations within .02 (five standard errors or more)."""
    batch, members = drawn(correlation="0.6", shift="2", shift_spread="0.5", miscalibration="0.4")
    for k, shift in enumerate((1, 2, 3)):
        inside = batch.candidates[:, k][members[:, k]]
        outside = batch.candidates[:, k][~members[:, k]]
        assert stats.kstest(inside, "norm").pvalue > 1e-5
        assert stats.kstest(outside, "norm", args=(-shift, 1)).pvalue > 1e-5
    assert stats.kstest(batch.calibration[:, :4000].ravel(), "norm", args=(0.4, 1)).pvalue > 1e-5
    one, other = batch.calibration[:, :4000].ravel(), batch.calibration[:, 8000:].ravel()
    assert abs(np.corrcoef(one, other)[0, 1] - 0.6) < 0.02
    assert np.array_equal(batch.contaminated, members.any(axis=1))


def test_tails_low_documents_and_unequal_calibration():
    batch, _ = drawn(tails=4, shift="0")
    assert stats.kstest(batch.candidates.ravel(), stats.t(4).cdf).pvalue > 1e-5
    low, _ = drawn(low_share="0.25", low_shift="50")
    assert abs((low.candidates < -40).mean() - 0.25) < 0.02
    everywhere = (low.candidates < -40).all(axis=1)
    assert np.array_equal(everywhere, (low.candidates < -40).any(axis=1))
    assert (low.calibration < -40).mean() == pytest.approx(0.25, abs=0.02)
    p = STUDY.parameters(models=3, calibration=100, calibration_spread="0.6")
    assert p.sizes == [40, 100, 160]
    batch = ScoreBatch(p, 1)
    batch.draw((1, 2), 0, 1)
    assert batch.calibration.shape == (1, 300)
    assert len(np.unique(batch.calibration)) == 300
    assert STUDY.parameters(models=1, calibration_spread="0.5", shift_spread="0.5").shifts == [3.0]


def test_cut_counts_cut_points_below():
    scores = np.array([-9.0, -3.0, -1.0, -0.999, 0.9, 1.0, 5.0])
    two = scores.copy()
    cut(two, 2)
    assert two.tolist() == [1, 1, 1, 2, 2, 2, 2]
    many = np.random.default_rng(1).standard_normal(1000)
    points = np.linspace(-3, 1, 9)[1:-1]
    expected = 1 + (many[:, None] > points).sum(axis=1)
    cut(many, 8)
    assert many.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("law", "cdf"),
    [
        ("t", lambda t: t),
        ("t^2", lambda t: t**2),
        ("t^3", lambda t: t**3),
        ("mixture", lambda t: (t + t**2 + t**3) / 3),
        # One of two models, the other not trained on the item: t times the CDF of a clean p-value.
        ("t^c H(t)", lambda t: t * stats.norm.cdf(stats.norm.ppf(t) + 2)),
    ],
)
def test_ideal_laws(law, cdf):
    """20 000 nulls: KS at 1e-5; clean items have the CDF H(t)^K."""
    p = STUDY.parameters(family="ideal", law=law, candidates=8000, clean="0.4", models=2, pattern="one", shift="2")
    batch = IdealBatch(p, 4)
    batch.draw((5, 6), 0, 4)
    assert batch.largest.min() >= 1
    assert batch.largest.max() <= GRID
    nulls = batch.largest[batch.contaminated] / GRID
    assert abs(nulls.size / 32_000 - 0.6) < 0.02
    assert stats.kstest(nulls, cdf).pvalue > 1e-5
    clean = batch.largest[~batch.contaminated] / GRID
    assert stats.kstest(clean, lambda t: stats.norm.cdf(stats.norm.ppf(t) + 2) ** 2).pvalue > 1e-5


@pytest.mark.parametrize("law", ["t", "t^2", "mixture", "t^c H(t)"])
@pytest.mark.parametrize(("candidates", "clean"), [(20, "0"), (200, "0.1"), (2000, "0.5")])
def test_gcr_on_ideal_p_values(law, candidates, clean):
    """The theorem's bound by simulation, as in jecs-validity: one-sided z at 4.5 for each of 36 means, 3e-6 each."""
    repetitions = 4000 if candidates < 2000 else 400
    columns = simulate(repetitions, family="ideal", law=law, candidates=candidates, clean=clean)
    for method in ("max-p", "storey", "jecs"):
        values = columns[Column(method, "gcp", "0.1")]
        assert values.mean() <= 0.1 + 4.5 * max(values.std(), 0.1) / np.sqrt(repetitions), method
    if law == "t" and clean == "0":
        assert columns[Column("max-p", "gcp", "0.1")].mean() > 0.07  # the truth is the level: the check can fail


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pattern": "two"}, "'two': write one of"),
        ({"pattern": "0.5 one"}, "sum to 1"),
        ({"pattern": "1.5 one + -0.5 all"}, "not negative"),
        ({"pattern": "one all"}, "'one' is not a number"),
        ({"pattern": ""}, "write one of"),
        ({"law": "t^4"}, "t\\^4"),
        ({"candidates": 0}, "0 is for a score file"),
        ({"calibration": 0}, "0 is for a score file"),
        ({"values": 1}, "one value"),
        ({"correlation": "1"}, "correlation"),
        ({"items": 3}, "items"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        STUDY.parameters(**parameters)


def test_presets_are_valid_and_two_families_are_never_mixed():
    counts = {}
    for name in ("jecs-headline", "jecs-validity", "jecs-validity-conformal", "jecs-power", "jecs-real"):
        cells = resolve(design_called(name)).cells
        families = {c.parameters.family for c in cells}
        assert len(families) == 1
        counts[name] = (families.pop(), len(cells))
    assert counts["jecs-validity"] == ("ideal", 45)
    assert counts["jecs-validity-conformal"][0] == "scores"
    assert counts["jecs-real"] == ("real", 6)
    assert counts["jecs-power"] == ("scores", 75)


def test_preset_runs_end_to_end_with_verdicts(tmp_path):
    design = changed(design_called("jecs-real"), {"repetitions": 80, "rows": "level=easy"})
    result = run(design, tmp_path / "run")
    assert (result.state, result.completed) == ("complete", 240)
    rows = result.summary.to_pylist()
    verdicts = {row["verdict"] for row in rows if row["measure"] == "gcp"}
    assert "violated" in verdicts
    assert all(row["verdict"] is None for row in rows if row["measure"] != "gcp")
    assert Fraction("0.1") in cell().levels
    assert (tables.PACKAGED / "jecs.parquet").exists()


def test_planner_hints_name_measures_and_factors_that_exist():
    hints = hints_of("typeone.studies.jecs:STUDY")
    names = {measure.name for measure in STUDY.measures}
    assert {text.partition("@")[0] for text in hints.measures.values()} <= names
    assert set(hints.factors.values()) <= set(STUDY.parameters.model_fields)
