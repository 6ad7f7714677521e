"""The SCF study: batching changes nothing, levels hold on real scores, scenarios are what they say."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from typeone import tables
from typeone.engine.lookup import design_called
from typeone.engine.runner import run
from typeone.engine.streams import stream_key
from typeone.engine.study import Cell, Column
from typeone.levels import Level, levels
from typeone.studies.scf import PLAN, STUDY
from typeone.studies.scf.fit import estimates
from typeone.studies.scf.headline import attainable, rows_of, sections
from typeone.studies.scf.parameters import SHAPED
from typeone.studies.scf.scenarios import SCENARIOS, draw_documents

METHODS = ("scf", "fisher", "mean", "max", "min", "ramia")
SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def cell(inputs=None, **parameters):
    return Cell(
        0,
        STUDY.parameters(**parameters),
        levels("levels", list(STUDY.levels)),
        stream_key(7, "scf", {}),
        inputs or {},
    )


@pytest.mark.parametrize("parameters", [{"scenario": "enron"}, {"scenario": "enron", "population": "redraw"}])
def test_batching_changes_no_value(parameters):
    c = cell(**parameters)
    shared = STUDY.share(c)
    together = STUDY.simulate(c, shared, 3, 70 if shared else 9)
    for first, count in ((3, 1), (5, 2), (40, 33) if shared else (8, 4)):
        part = STUDY.simulate(c, shared, first, count)
        for column, values in part.items():
            assert values.tolist() == together[column][first - 3 : first - 3 + count].tolist(), column


def test_paired_caps_see_the_same_partitions():
    one, other = cell(cap="0", rows="domain=code"), cell(cap="0.10", rows="domain=code")
    a, b = (STUDY.simulate(c, STUDY.share(c), 0, 20) for c in (one, other))
    assert (a[Column("mean", "auroc")] == b[Column("mean", "auroc")]).all()
    assert (a[Column("fisher", "auroc")] == a[Column("scf", "auroc")]).all()  # cap 0 is Fisher
    assert (a[Column("scf", "capped_participants")] == 0).all()
    assert not (b[Column("fisher", "auroc")] == b[Column("scf", "auroc")]).all()


def fpr_stays_below_attainable(c):
    """800 partitions.  One-sided z at 4.5 for each of 18 rates: false alarm about 6e-5 in all."""
    count = 800
    columns = STUDY.simulate(c, STUDY.share(c), 0, count)
    p = c.parameters
    for method in METHODS:
        m = p.L if method in ("scf", "fisher") else p.K + p.L
        for level in c.levels:
            values = columns[Column(method, "fpr", level.text)]
            attainable = int(level * (m + 1)) / (m + 1)
            assert values.mean() <= attainable + 4.5 * values.std() / np.sqrt(count), (method, level.text)
            # The check can fail: it is not met by a rate that is half as large again.
            assert 1.5 * values.mean() > attainable + 4.5 * values.std() / np.sqrt(count) or values.mean() < attainable


@pytest.mark.parametrize(
    "parameters",
    [
        {"rows": "domain=code"},
        {"rows": "domain=changelogs", "reference": 20, "calibration": 19},
        {"rows": "domain=code", "score": "score_loss"},
        {"rows": "domain=code", "score": "score_mink", "reference": 25, "calibration": 25},
    ],
)
def test_false_positive_rate_on_real_scores(parameters):
    fpr_stays_below_attainable(cell(**parameters))


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the negative-control file is not beside this checkout")
def test_false_positive_rate_on_the_negative_control():
    file = SHARED_DATA / "source_inference_null.parquet"
    c = cell({"scores": file}, rows="domain=code", participant="pseudo_participant")
    fpr_stays_below_attainable(c)
    # No source took part: the pseudo participants are found no more often than chance, within the 28 % that one
    # random half against the other leaves open.
    columns = STUDY.simulate(c, STUDY.share(c), 0, 200)
    assert abs(columns[Column("scf", "auroc")].mean() - 0.5) < 0.15


def test_scores_of_ones_own_file(tmp_path):
    rng = np.random.default_rng(1)
    data = pa.table(
        {
            "who": np.repeat([f"s{i}" for i in range(40)], 3),
            "s": rng.standard_normal(120),
            "inside": np.repeat(np.arange(40) < 10, 3),
            "outside": np.repeat((np.arange(40) >= 10) & (np.arange(40) < 35), 3),
        }
    )
    pa.parquet.write_table(data, tmp_path / "mine.parquet")
    names = {"source": "who", "score": "s", "participant": "inside", "control": "outside"}
    c = cell({"scores": tmp_path / "mine.parquet"}, reference=5, calibration=9, **names)
    shared = STUDY.share(c)
    assert (shared.participants.size, shared.pool.size) == (10, 25)
    assert np.isfinite(STUDY.simulate(c, shared, 0, 3)[Column("scf", "auroc")]).all()
    # Another order of rows: the same population, the same partitions, the same bytes.
    order = rng.permutation(120)
    pa.parquet.write_table(data.take(pa.array(order)), tmp_path / "shuffled.parquet")
    moved = cell({"scores": tmp_path / "shuffled.parquet"}, reference=5, calibration=9, **names)
    one, two = STUDY.simulate(c, shared, 0, 20), STUDY.simulate(moved, STUDY.share(moved), 0, 20)
    assert all(one[column].tolist() == two[column].tolist() for column in one)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"reference": 60, "calibration": 59}, "null pool has 91 sources"),
        ({"rows": "domain=poems"}, "no row"),
        ({"score": "scores"}, "no column 'scores'"),
        ({"control": "participant"}, "both a participant and a control"),
    ],
)
def test_populations_that_cannot_be_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        STUDY.share(cell(**({"rows": "domain=code"} | parameters)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"scenario": "twitter"}, "twitter"),
        ({"cap": "1"}, "cap"),
        ({"smoothing": "none"}, "smoothing"),
        ({"rho": "0"}, "strictly between"),
        ({"sources": 3}, "sources"),
        ({"tau": "1"}, "tau: the shape of a score file is its own"),
        ({"scenario": "enron", "share": "1.5"}, "share"),
        ({"scenario": "enron", "nu": 0}, "nu"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        STUDY.parameters(**parameters)


def test_own_statistic_beside_the_built_in_ones():
    c = cell(rows="domain=code", own="statistics:fmean")
    columns = STUDY.simulate(c, STUDY.share(c), 0, 10)
    assert columns[Column("statistics:fmean", "auroc")] == pytest.approx(columns[Column("mean", "auroc")])


OWN = """
from numba import njit

@njit
def compiled(score, source, sizes, role, out):
    out[:] = 0
    for d in range(score.size):
        out[source[d]] += score[d] / sizes[source[d]]

def plain(bag):
    return bag.mean()
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of one's own with a compiled and a plain mean."""
    (tmp_path / "own_scf.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    return "own_scf"


@pytest.mark.parametrize("reference", [20, 5])
def test_a_compiled_statistic_is_calibrated_on_l_sources_everywhere(own, reference):
    """Simulated, in the table and in the planner: at .05 no rejection with L = 15, and one rank of 26 with L = 25."""
    found = {}
    for L in (15, 25):
        for kind in ("compiled", "plain"):
            c = cell(scenario="enron", reference=reference, calibration=L, own=f"{own}:{kind}")
            columns = STUDY.simulate(c, STUDY.share(c), 0, 20)
            tpr = Column(c.parameters.own, "tpr", "0.05")
            steps = PLAN["steps"](c.parameters, tpr)
            law = PLAN["law"]([c.parameters], tpr, None)
            assert (columns[tpr] == 0).all() == (steps == (0,)) == (law == [0.0])
            found[kind, L] = steps, attainable(c.parameters, c.parameters.own, Level("0.05"))
    assert found["compiled", 15] == ((0,), 0.0)
    assert found["compiled", 25] == ((1,), 1 / 26)
    for L in (15, 25):
        m = reference + L
        most = (m + 1) // 20
        assert found["plain", L] == ((most,), most / (m + 1))


def test_the_attainable_level_of_a_statistic_that_is_gone_is_unknown(own):
    parameters = STUDY.parameters(scenario="enron", own=f"{own}:compiled")
    record = {"cell": 0, "method": parameters.own, "estimate": 0.5, "mc_se": 0.1, "sd": 0.2, "valid": 9}
    record |= {"lower": 0.4, "upper": 0.6}
    measures = [("auroc", ""), ("tpr", "0.05"), ("fpr", "0.05")]
    summary = pa.Table.from_pylist([record | {"measure": measure, "level": level} for measure, level in measures])

    def last(own):
        (row,) = rows_of(summary.set_column(1, "method", pa.array([own] * 3)), [parameters])
        return sections([row], ["0.05"])[-1][2]

    assert last(parameters.own) == [[parameters.own, f"{1 / 26:.4f}"]]
    assert last("gone_scf:compiled") == [["gone_scf:compiled", "unknown"]]


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenarios_have_the_published_sizes(name):
    scenario = SCENARIOS[name]
    published = {
        "reddit": (84, 183, 84),
        "cc-news": (1348, 1361, 1262),
        "enron": (70, 71, 21),
        "chromium": (50, 149, 50),
    }
    score, codes, participants = draw_documents(scenario, (1, 2), 0)
    tests = scenario.pool - scenario.reference - scenario.calibration
    assert (participants, scenario.pool, tests) == published[name]
    sizes = np.bincount(codes)
    assert (sizes.size, sizes.min(), sizes.max()) == (scenario.sources, scenario.least, scenario.most)
    assert np.isfinite(score).all()


def test_a_scenario_takes_another_shape():
    shape = SCENARIOS["chromium"].shape
    own = {name: str(getattr(shape, name)) for name in SHAPED}
    assert cell(scenario="chromium", **own).parameters.scene == SCENARIOS["chromium"]
    other = cell(scenario="chromium", tau="0.5", nu="3", stretch="2", share="0.1").parameters.scene.shape
    assert (other.tau, other.nu, other.stretch, other.share) == (0.5, 3, 2, 0.1)
    assert (other.effect, other.ceiling) == (shape.effect, shape.ceiling)


def test_a_scenario_stands_in_for_the_cells_own():
    """As the fit draws its shapes: the same numbers as from a cell with that shape, and no scenario is changed."""
    before = dict(SCENARIOS)
    shape = replace(SCENARIOS["chromium"].shape, tau=0.5, share=0.25)
    c = cell(scenario="chromium", population="redraw")
    changed = cell(scenario="chromium", population="redraw", tau="0.5", share="0.25")
    own, given = STUDY.simulate(changed, None, 2, 3), STUDY.simulate(c, c.parameters.scene.reshaped(shape), 2, 3)
    assert all(own[column].tolist() == given[column].tolist() for column in own)
    assert own[Column("scf", "auroc")].tolist() != STUDY.simulate(c, None, 2, 3)[Column("scf", "auroc")].tolist()
    fitted = [estimates("chromium", of, 3, 1)["auroc scf"].tolist() for of in (shape, SCENARIOS["chromium"].shape)]
    assert fitted[0] != fitted[1]
    assert before == SCENARIOS


def test_without_responding_documents_no_method_tells_participants_apart():
    """100 populations: |z| below 4.5 for each of six AUROCs about 1/2, false alarm below 5e-5 in all."""
    c = cell(scenario="enron", population="redraw", share="0")
    columns = STUDY.simulate(c, None, 0, 100)
    for method in METHODS:
        values = columns[Column(method, "auroc")]
        assert abs(values.mean() - 0.5) < 4.5 * values.std(ddof=1) / 10


def test_scenarios_fit_the_published_auroc_row():
    """The residuals that shapes.json states are those of the shapes it states: 100 redrawn populations of enron.

    The populations' own spread is below .05, so 4.5 standard errors are at most .0225: false alarm below 1e-5."""
    import json

    from typeone.studies.scf.scenarios import SHAPES

    stated = json.loads(SHAPES.read_text())["scenarios"]["enron"]["residuals"]
    c = cell(scenario="enron", population="redraw")
    columns = STUDY.simulate(c, None, 0, 100)
    for method in METHODS:
        values = columns[Column(method, "auroc")]
        published, ours, error = stated[f"auroc {method}"]
        assert abs(values.mean() - ours) < 4.5 * np.hypot(error, values.std() / 10)
        assert abs(ours - published) < 0.03


def test_preset_runs_end_to_end(tmp_path):
    design = design_called("scf-real").model_copy(update={"repetitions": 40})
    result = run(design, tmp_path / "run")
    assert (result.state, result.completed) == ("complete", 40)
    rows = rows_of(result.summary, [STUDY.parameters.model_validate(design.factors)])
    assert [row["method"] for row in rows] == ["Mean", "Max", "Min", "RaMIA", "Fisher", "SCF"]
    scf = rows[-1]
    assert 0.7 < scf["auroc"] < 0.9
    assert scf["attainable 0.05"] == 0.05
    titles = [title for title, _, _ in sections(rows, ["0.05", "0.10", "0.20"])]
    assert len(titles) == 4


def test_packaged_scores_are_small():
    assert sum(file.stat().st_size for file in tables.PACKAGED.iterdir()) < 2_000_000
    assert Level("0.05") in cell().levels
