"""Common random numbers across the sizes of a plan: what is common, and that the law of a size stays what it was."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import ks_2samp

from typeone.engine import workers
from typeone.engine.lookup import changed, design_called
from typeone.engine.resolved import resolve
from typeone.engine.streams import stream_key
from typeone.engine.study import Column
from typeone.plan import Question
from typeone.plan.question import understand
from typeone.studies.jecs.scores import ScoreBatch
from typeone.studies.panels.simulate import share as tables
from typeone.studies.scf.population import from_scenario
from typeone.studies.scf.scenarios import draw_documents
from typeone.studies.scf.simulate import share
from typeone_kernels.certificates import vote_histograms
from typeone_kernels.partitions import PARTICIPANT, REFERENCE, draw_roles
from typeone_kernels.scf import CALIBRATION, TARGET


def cells(name, target, vary, changes=None, **options):
    design = changed(design_called(name), changes or {})
    return understand(Question(design, target, (vary,), simulate=True, **options)).planned.cells


JECS = {"models": 3, "candidates": 60, "correlation": "0.5", "tails": 4, "low_share": "0.1", "ties": "random"}


def draws(cell, repetition=3):
    p = cell.parameters
    batch = ScoreBatch(p, 1)
    batch.draw(cell.key, repetition, 1)
    by_model = np.split(batch.calibration[0], np.cumsum(p.sizes)[:-1])
    return batch.candidates[0], batch.contaminated[0], by_model, batch.tie_keys[0]


@pytest.mark.parametrize("spread", ["0", "0.3"])
def test_jecs_sizes_have_the_same_candidates_and_nested_calibration_items(spread):
    small, large = map(draws, cells("jecs", "power=.5", "m=100,200", JECS | {"calibration_spread": spread}))
    for one, other in ((small[0], large[0]), (small[1], large[1]), (small[3], large[3])):
        assert np.array_equal(one, other)
    for few, many in zip(small[2], large[2], strict=True):
        assert few.size < many.size
        assert np.array_equal(few, many[: few.size])


def test_jecs_models_are_nested():
    few, many = map(draws, cells("jecs", "power=.5", "models=2,3", JECS | {"clean": "1"}))
    assert np.array_equal(few[0], many[0][:2])
    assert all(np.array_equal(a, b) for a, b in zip(few[2], many[2], strict=False))


def test_what_an_ordinary_jecs_run_draws_is_as_before():
    """The key does not see ``drawn``; without it, as many items are drawn as are used."""
    design = changed(design_called("jecs"), JECS | {"calibration": 40})
    (ordinary,) = resolve(design).cells
    (wide,) = resolve(changed(design, {"drawn": 50})).cells
    old = ("family", "models", "candidates", "calibration", "calibration_spread", "tails")
    texts = {name: str(getattr(ordinary.parameters, name)) for name in old} | {"calibration_spread": "0/1"}
    assert ordinary.key == wide.key == stream_key(design.seed, "jecs", texts)
    assert ordinary.parameters.most == 40
    exact = resolve(changed(design, {"drawn": 40})).cells[0]
    assert all(np.array_equal(a, b) for a, b in zip(draws(ordinary)[:2], draws(exact)[:2], strict=True))
    assert not np.array_equal(draws(ordinary)[0], draws(wide)[0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"drawn": 99, "calibration": 100}, "drawn=99: a model uses 100"),
        ({"drawn": 110, "calibration": 100, "calibration_spread": "0.2"}, "drawn=110: a model uses 120"),
        ({"drawn": 5000, "family": "ideal"}, "drawn: only drawn scores"),
    ],
)
def test_drawn_is_at_least_what_is_used(changes, message):
    with pytest.raises(ValueError, match=message):
        resolve(changed(design_called("jecs"), changes))


def roles_of(cell, population, repetition=3):
    p = cell.parameters
    roles = np.empty((1, population.bags.sizes.size), np.int8)
    draw_roles(np.array(cell.key, np.uint64), repetition, population.pool, np.array([p.K, p.L]), roles)
    return {role: set(np.flatnonzero(roles[0] == role)) for role in (REFERENCE, CALIBRATION, TARGET, PARTICIPANT)}


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """12 participants whose documents score 1 higher, 30 controls, one to five documents each."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 6, size=42)
    part = np.repeat(np.arange(42) < 12, sizes)
    columns = {"source": np.repeat([f"s{i:02d}" for i in range(42)], sizes), "participant": part}
    columns["score_ratio"] = rng.standard_normal(part.size) + part
    file = tmp_path_factory.mktemp("scores") / "scores.parquet"
    pq.write_table(pa.table(columns), file)
    return {"scores": str(file), "rows": "", "reference": 5}


SCENARIO = ("scf-enron", {"cap": "0.05", "population": "redraw"})


@pytest.mark.parametrize(
    ("kind", "vary", "grown"),
    [
        ("redraw", "L=60,64", CALIBRATION),  # beyond the scenario's own pool of 71
        ("redraw", "K=50,55", REFERENCE),
        *((kind, "L=20,24", CALIBRATION) for kind in ("fixed", "pilot", "file")),
        *((kind, "K=3,5", REFERENCE) for kind in ("fixed", "pilot", "file")),
    ],
)
def test_scf_sizes_have_the_same_sources_in_nested_roles(kind, vary, grown, scores):
    sizes = {"reference": 5, "calibration": 20}
    changes = {
        "redraw": SCENARIO[1] | sizes,
        "fixed": {"cap": "0.05"} | sizes,
        "pilot": scores | {"resample": True} | sizes,
        "file": scores | sizes,
    }[kind]
    name = "scf-enron" if kind in ("redraw", "fixed") else "scf"
    drawn = []
    for cell in cells(name, "tpr@0.1:scf=.4", vary, changes):
        shared = share(cell)
        if shared is None:
            population = from_scenario(cell.parameters, cell.key, 3)
        else:
            population = shared.draw(cell.parameters, cell.key, 3) if kind == "pilot" else shared
        drawn.append((population.bags, roles_of(cell, population)))
    (bags, few), (others, many) = drawn
    assert np.array_equal(bags.score, others.score)
    assert np.array_equal(bags.source, others.source)
    assert few[PARTICIPANT] == many[PARTICIPANT]
    assert few[grown] < many[grown]
    assert few[TARGET] > many[TARGET]
    assert few[REFERENCE] <= many[REFERENCE]


@pytest.mark.parametrize("population", ["redraw", "fixed"])
def test_scf_queries_add_documents_and_move_none(population):
    few, many = cells("scf-enron", "tpr@0.1:scf=.4", "q=3,7", {"cap": "0.05", "population": population})
    drawn = []
    for cell in (few, many):
        seeds = (cell.key, 3) if population == "redraw" else ((cell.parameters.population_seed, 0), 0)
        drawn.append(draw_documents(cell.parameters.scene, *seeds))
    count = drawn[0][0].size
    assert np.array_equal(drawn[0][0], drawn[1][0][:count])
    assert np.array_equal(drawn[0][1], drawn[1][1][:count])
    assert few.key == many.key


def test_a_pool_that_is_given_or_varied_is_kept():
    name, changes = SCENARIO
    given = cells(name, "tpr@0.1:scf=.4", "L=20,24", changes | {"pool": 90})
    assert [cell.parameters.pool for cell in given] == [90, 90]
    varied = cells(name, "tpr@0.1:scf=.4", "pool=80,90", changes)
    assert [cell.parameters.pool for cell in varied] == [80, 90]
    assert len({cell.key for cell in (*given, *varied)}) == 2


def test_panels_share_units_and_their_votes():
    """Units A: the first ones have the same votes, as counts; evaluators E: the same units."""
    certificate = {"evaluators": 30, "units": 50}
    few, many = cells("panels", "power=.8", "A=50,55", certificate)
    assert few.key == many.key
    counts = []
    for cell in (few, many):
        chance = tables(cell).law.draw(cell.key, 3, cell.parameters.units)
        histogram = np.empty((1, 31), np.int64)
        vote_histograms(np.array(cell.key, np.uint64), 3, chance[None], 0.5, histogram)
        counts.append((chance, histogram[0]))
    assert np.array_equal(counts[0][0], counts[1][0][:50])
    assert (counts[1][1] - counts[0][1]).min() >= 0
    assert (counts[1][1] - counts[0][1]).sum() == 5
    few, many = cells("panels", "power=.8", "E=30,32", certificate)
    assert np.array_equal(*(tables(cell).law.draw(cell.key, 3, 50) for cell in (few, many)))


@pytest.mark.parametrize(
    ("name", "target", "vary", "changes"),
    [
        ("scf-enron", "tpr@0.1:scf=.4", "L=20,30", SCENARIO[1]),
        ("jecs", "power=.5", "m=50,100", {"candidates": 60}),
        ("panels", "power=.8", "A=50,60", {}),
        ("panels", "error=.01", "K=7,9", {"attack": "fixed", "clarity": "0.3"}),
        ("panel-draw", "error=.1", "K=7,9", {}),
        ("pooling", "auroc:pooled=.9", "n=5,6", {}),
        ("coin", "share=.4", "flips=9,10", {"excess": "0", "heads": "0.5"}),
        ("plan.saw:SAW", "hit=.5", "other=1,2", {}),
    ],
)
def test_every_study_shares_one_key_in_a_plan_and_only_there(name, target, vary, changes):
    one, other = cells(name, target, vary, changes)
    assert one.key == other.key
    factors = {field: getattr(one.parameters, field) for field in type(one.parameters).model_fields}
    sizes = {field: (value, getattr(other.parameters, field)) for field, value in factors.items()}
    (factor,) = (field for field, (a, b) in sizes.items() if a != b)
    alone = [resolve(changed(design_called(name), changes | {factor: size})).cells[0].key for size in sizes[factor]]
    assert len({one.key, *alone}) == 3


# The law of a size does not change.  Distributions are compared by the two-sample Kolmogorov-Smirnov test, means by z;
# each at a size below 1e-5 with fixed seeds, so that a false alarm is below 1e-4 in all.

REPETITIONS = 800


def values(cell, study):
    batch = workers.simulate(study, cell, study.share(cell), 0, REPETITIONS)
    assert not batch.failures
    return {column: batch.values[:, i] for i, column in enumerate(batch.columns)}


@pytest.mark.parametrize(
    ("name", "changes", "vary", "wide", "same", "mean"),
    [
        (
            "jecs",
            {"candidates": 80, "calibration_spread": "0.2", "correlation": "0.5"},
            "m=40,200",
            "drawn",
            [Column("jecs", "power", "0.1"), Column("union", "gcp", "0.1"), Column("jecs", "selected", "0.1")],
            [],
        ),
        (
            "scf-enron",
            SCENARIO[1] | {"levels": "0.1"},
            "L=19,120",
            "pool",
            [Column("scf", "tpr", "0.1"), Column("mean", "tpr", "0.1")],
            [Column("scf", "fpr", "0.1"), Column("scf", "auroc"), Column("scf", "capped_nonparticipants")],
        ),
    ],
)
def test_the_law_of_a_size_is_that_of_an_ordinary_run(name, changes, vary, wide, same, mean):
    design = changed(design_called(name), changes)
    planned = understand(Question(design, "tpr@0.1:scf=.4" if "scf" in name else "power=.5", (vary,))).planned
    small = planned.cells[0]
    assert getattr(small.parameters, wide) > 100
    ordinary = changed(design, {"calibration": small.parameters.calibration, "seed": 77})
    one, other = values(small, planned.study), values(resolve(ordinary).cells[0], planned.study)
    for column in same:
        assert ks_2samp(one[column], other[column]).pvalue > 1e-5, column
    for column in mean:
        error = np.hypot(one[column].std(), other[column].std()) / np.sqrt(REPETITIONS)
        assert abs(one[column].mean() - other[column].mean()) < 4.5 * error, column
