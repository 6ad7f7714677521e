"""The panels study: batching changes nothing, simulation agrees with exact laws, the bound keeps its promise."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, binom, kstest

from typeone import panels
from typeone.engine.lookup import design_called
from typeone.engine.runner import run
from typeone.engine.streams import stream_key
from typeone.engine.study import Cell, Column
from typeone.levels import level, levels
from typeone.studies.panels import STUDY
from typeone.studies.panels.attacks import exact_error
from typeone.studies.panels.generator import UNIT_LANE, Law
from typeone.studies.panels.simulate import _columns, share
from typeone_kernels.certificates import VOTE_LANE

POWERED = {"evaluators": 120, "units": 150, "beta": "0.45", "grid": "3,7,15,31"}


def cell(**parameters):
    chosen = STUDY.parameters(**parameters)
    return Cell(0, chosen, levels("levels", list(STUDY.levels)), stream_key(7, "panels", {}))


def simulated(c, count, first=0):
    return STUDY.simulate(c, STUDY.share(c), first, count)


@pytest.mark.parametrize(
    "parameters",
    [
        POWERED,
        POWERED | {"shared": "0", "concentration": "20", "control": "familywise"},
        {"attack": "fixed", "corrupted": "0.1", "clarity": "0.1"},
        {"attack": "census", "corrupted": "3", "clarity": "0.1"},
    ],
)
def test_batching_changes_no_value(parameters):
    c = cell(**parameters)
    together = simulated(c, 40, 3)
    for first, count in ((3, 1), (4, 20), (24, 19)):
        for column, values in simulated(c, count, first).items():
            np.testing.assert_array_equal(values, together[column][first - 3 : first - 3 + count], str(column))


def test_large_cells_are_cut_into_batches_of_bounded_size(monkeypatch):
    c = cell(**POWERED)
    whole = simulated(c, 7)
    monkeypatch.setitem(STUDY.simulate.__globals__, "BATCH", 400)  # two repetitions at a time
    for column, values in simulated(c, 7).items():
        np.testing.assert_array_equal(values, whole[column], str(column))


def test_paired_factors_see_the_same_votes():
    assert {"control", "beta", "delta"} <= set(STUDY.paired)
    assert VOTE_LANE != UNIT_LANE
    one, other = (simulated(cell(**POWERED, control=c), 30) for c in ("mass-controlled", "familywise"))
    assert (one[Column("exact", "bound")] <= other[Column("exact", "bound")]).all()  # at these sizes ξ costs more


@pytest.mark.parametrize("control", ["mass-controlled", "familywise"])
@pytest.mark.parametrize("concentration", ["0", "40"])
def test_certification_rate_is_the_exact_probability_where_votes_are_independent(control, concentration):
    """1 500 repetitions, two layers; |z| < 4.5 each, false alarm 6e-5 in all."""
    c = cell(**POWERED, shared="0", control=control, concentration=concentration)
    columns = simulated(c, 1500)
    for layer in ("exact", "hoeffding"):
        chance = columns[Column(layer, "certified_exactly")][0]
        rate = columns[Column(layer, "certified")].mean()
        assert abs(rate - chance) <= 4.5 * np.sqrt(chance * (1 - chance) / 1500) + 1e-9, (layer, rate, chance)
    assert 0.05 < columns[Column("exact", "certified_exactly")][0] < 0.999  # the comparison says something


def test_exact_probability_agrees_with_the_procedure():
    c = cell(**POWERED, shared="0")
    p = c.parameters
    options = panels.Options(beta=p.beta, grid=[3, 7, 15, 31])
    means, weights = [0.95, 0.05, 0.52, 0.48], [0.35, 0.35, 0.15, 0.15]
    found = panels.certification(means, p.evaluators, p.units, options, weights=weights)
    assert share(c).certified["exact"] == pytest.approx(found.any_size, rel=1e-12)
    assert not share(cell(**POWERED)).certified  # shared rows have no exact law here


def test_each_repetition_is_the_procedure_on_its_votes():
    """Bound, certified and chosen size as ``certify`` gives them for the same counts."""
    c = cell(**POWERED, control="familywise")
    shared = STUDY.share(c)
    columns = STUDY.simulate(c, shared, 0, 6)
    from typeone_kernels.certificates import vote_histograms

    for i in range(6):
        chance = shared.law.draw(c.key, i, 150)[None]
        counts = np.empty((1, 121), np.int64)
        vote_histograms(np.array(c.key, np.uint64), i, chance, 0.5, counts)
        positives = np.repeat(np.arange(121), counts[0])
        for layer in ("exact", "hoeffding"):
            options = panels.Options(beta="0.45", grid=[3, 7, 15, 31], method="familywise", generator=layer)
            found = panels.certify(positives, 120, options)
            assert columns[Column(layer, "bound")][i] == found.bound.max()
            assert columns[Column(layer, "certified")][i] == (found.chosen is not None)
            assert columns[Column(layer, "chosen_size")][i] == (found.chosen or pytest.approx(np.nan, nan_ok=True))
            truth = panels.superpopulation_errors([0.95, 0.05, 0.52, 0.48], 31)[:, [2, 6, 14, 30]] <= 0.01
            coverage = [0.35, 0.35, 0.15, 0.15] @ truth
            assert shared.coverage == pytest.approx(coverage, abs=1e-15)
            assert columns[Column(layer, "violation", "0.05")][i] == (found.bound > coverage).any()


# K = 7 errs at most .02 from p = .82729 on; all units sit at .827, where a wrong pass is likeliest; then easier laws.
HARD = {"clear": "1", "clarity": "0.327", "grid": "7", "delta": "0.02", "beta": "0.9"}


@pytest.mark.parametrize("control", ["mass-controlled", "familywise"])
@pytest.mark.parametrize("shared", ["0", "1"])
@pytest.mark.parametrize(
    "law", [HARD, {"grid": "3,7,15,31"}, {"grid": "7,31", "concentration": "12", "clarity": "0.35"}]
)
def test_the_bound_keeps_its_promise(law, shared, control):
    """600 repetitions of 12 cells with three rates each: exact binomial bound at 1e-4 / 36 each."""
    c = cell(**({"evaluators": 60, "units": 80, "shared": shared, "control": control} | law))
    columns = simulated(c, 600)
    for column in (Column("exact", "violation", "0.05"), Column("hoeffding", "violation", "0.05")):
        assert binom.sf(columns[column].sum() - 1, 600, 0.05) > 1e-4 / 36
    assert binom.sf(columns[Column("catalogue", "violation", "0.025")].sum() - 1, 600, 0.025) > 1e-4 / 36


def test_the_check_of_the_promise_can_fail():
    """With units' shares taken for coverage (no generator layer) the claim would be broken."""
    c = cell(**POWERED, control="familywise")
    shared = STUDY.share(c)
    naive = {layer: np.arange(151) / 150 for layer in shared.bound}
    broken = type(shared)(**{**{f: getattr(shared, f) for f in shared.__slots__}, "bound": naive})
    violations = STUDY.simulate(c, broken, 0, 200)[Column("exact", "violation", "0.05")]
    assert violations.mean() > 0.3
    # And with K = 7's units just out of reach nobody is covered: every passing unit is a wrong one.
    hard = cell(evaluators=60, units=80, shared="1", **HARD)
    assert STUDY.share(hard).coverage.tolist() == [0.0]


@pytest.mark.parametrize(
    ("attack", "corrupted"),
    [("fixed", "0.2"), ("targeted", "0.2"), ("panel", "2"), ("census", "4"), ("capture", "0.35"), ("panel", "9")],
)
def test_panels_under_attack_err_as_often_as_the_exact_tails_say(attack, corrupted):
    """3 000 panels of 7 each; |z| < 4.5, false alarm 4e-5 in all."""
    c = cell(attack=attack, corrupted=corrupted, clarity="0.3", size=7)
    columns = simulated(c, 3000)
    chance = columns[Column(attack, "disagreement_exactly")][0]
    assert abs(columns[Column(attack, "disagreement")].mean() - chance) <= 4.5 * np.sqrt(chance * (1 - chance) / 3000)
    assert chance == exact_error(c.parameters)
    assert 0.01 < chance <= 1


def test_exact_errors_of_attacks_by_hand():
    def error(**parameters):
        return exact_error(cell(clarity="0.3", size=7, **parameters).parameters)

    assert error(attack="fixed", corrupted="0.2") == pytest.approx(binom.cdf(3, 7, 0.64), rel=1e-12)
    assert error(attack="targeted", corrupted="0.2") == pytest.approx(binom.cdf(3, 7, 0.6), rel=1e-12)
    assert error(attack="panel", corrupted="2") == pytest.approx(binom.cdf(5, 7, 0.8), rel=1e-12)
    assert error(attack="capture", corrupted="0.35") == pytest.approx(binom.sf(3, 7, 0.35), rel=1e-12)
    assert error(attack="panel", corrupted="9") == 1
    assert error(attack="census", corrupted="4") == panels.census_errors(40, 28)[6]


@pytest.mark.parametrize("concentration", ["0", "15"])
def test_generator_law_masses_counts_and_draws(concentration):
    c = cell(concentration=concentration, clarity="0.3", unclear="0.1", accepting="0.8", clear="0.6")
    law = Law.of(c.parameters)
    parts = [(0.48, 0.8), (0.12, 0.2), (0.32, 0.6), (0.08, 0.4)]
    limits = np.array([0.0, 0.2, 0.55, 0.8, 1.0, 1.5])
    if concentration == "0":
        below = [sum(w for w, m in parts if m <= x) for x in limits]
        counts = sum(w * binom.pmf(np.arange(13), 12, m) for w, m in parts)
    else:
        shapes = [(w, beta(15 * m, 15 * (1 - m))) for w, m in parts]
        below = [sum(w * b.cdf(x) for w, b in shapes) for x in limits]
        counts = [
            sum(w * quad(lambda p, b=b, k=k: b.pdf(p) * binom.pmf(k, 12, p), 0, 1)[0] for w, b in shapes)
            for k in range(13)
        ]
    assert law.below(limits) == pytest.approx(below, abs=1e-12)
    assert law.counts(12) == pytest.approx(counts, rel=1e-7)
    assert law.counts(12).sum() == pytest.approx(1, abs=1e-12)
    assert (law.above(limits) >= 1 - law.below(limits) - 1e-12).all()
    drawn = law.draw(c.key, 0, 20_000)
    if concentration == "0":
        assert (law.above(limits)[[1, 3]] == pytest.approx([1.0, 0.48])) is True
        shares = [(drawn == float(Fraction(str(m)))).mean() for _, m in parts]
        assert shares == pytest.approx([w for w, _ in parts], abs=4.5 * 0.5 / np.sqrt(20_000))
    else:
        assert kstest(drawn, lambda x: law.below(x)).pvalue > 1e-5  # false alarm 1e-5


def test_means_at_the_ends_are_atoms():
    c = cell(concentration="5", clarity="0.5", clear="1")
    law = Law.of(c.parameters)
    assert set(law.draw(c.key, 0, 50)) == {0.0, 1.0}
    assert law.above(np.array([0.9])) == [0.5]
    assert law.counts(3).tolist() == [0.5, 0, 0, 0.5]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"clarity": "0.6"}, "clarity=0.6: leads out"),
        ({"theta": "0.9", "unclear": "0.2", "clarity": "0.05"}, "unclear=0.2: leads out"),
        ({"grid": "3;5"}, "is written"),
        ({"grid": "5,3"}, "sizes must increase"),
        ({"delta": "0"}, "delta=0"),
        ({"xi_e": "0.1"}, "xi_e=0.1"),
        ({"attack": "panel", "corrupted": "0.5"}, "flips whole votes"),
        ({"attack": "fixed", "corrupted": "2"}, "corrupts a share"),
        ({"attack": "census", "size": 41}, "drawn from a census"),
        ({"shared": "1.5"}, "shared"),
        ({"jury": 3}, "jury"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        STUDY.parameters(**parameters)


def test_presets_are_the_announced_designs():
    validity = design_called("panels-validity")
    assert (validity.study, validity.repetitions) == ("panels", 2000)
    power = design_called("panels-power")
    assert {"evaluators", "units", "clarity"} <= set(power.factors)
    adversary = design_called("panels-adversary")
    assert {"clarity", "corrupted", "size"} <= set(adversary.factors)


def test_validity_preset_runs_end_to_end(tmp_path):
    """80 repetitions of its four cells: no bound is violated, the baseline seldom certifies, the powered one does."""
    design = design_called("panels-validity").model_copy(update={"repetitions": 80})
    result = run(design, tmp_path / "run")
    assert (result.state, result.completed) == ("complete", 320)
    rows = result.summary.to_pylist()
    violated = [row for row in rows if row["measure"] == "violation"]
    assert len(violated) == 4 * 3
    assert all(row["estimate"] <= 0.05 and row["verdict"] in ("holds", "undecided") for row in violated)
    rate = {
        (row["evaluators"], row["control"]): row["estimate"]
        for row in rows
        if row["measure"] == "certified" and row["method"] == "exact"
    }
    assert max(rate[40, "mass-controlled"], rate[40, "familywise"]) < 0.1
    assert min(rate[200, "mass-controlled"], rate[200, "familywise"]) > 0.6


@pytest.mark.parametrize("xi", ["1/40", 0.025, "0.025000000000000001", "0.0333333333333333333333"])
def test_a_share_with_a_long_denominator_is_compared_exactly(xi):
    """Times 400 units it does not fit 64 bits; 10 units are 1/40 of them, and no violation."""
    point = cell(evaluators=60, units=400, beta="0.3", grid="3,7", clarity="0.3", unclear="0.1", xi_e=xi)
    excess = np.arange(0, 20)
    good = np.zeros((20, 2), np.int64)
    passes = np.stack([excess, np.zeros(20, np.int64)], axis=1)
    columns = dict(_columns(point.parameters, STUDY.share(point), passes, good))
    expected = excess > level("xi_e", xi) * 400
    assert 0 < expected.sum() < 20
    np.testing.assert_array_equal(columns[Column("catalogue", "violation", "0.025")], expected)
