"""The decontamination study on splits of real scores: published values, composition, files of one's own."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from studies.jecs_cells import cell, simulate
from typeone.engine.study import Column
from typeone.studies.jecs import STUDY
from typeone.studies.jecs.real import RealBatch
from typeone.studies.jecs.scores import tie_key


@pytest.mark.parametrize(
    ("rows", "score", "correlation", "adafilter"),
    [
        ("level=hard", "score_loglik", 0.94, 0.46),
        ("level=easy", "score_loglik", 0.93, 0.24),
        ("level=hard", "score_minkpp", 0.85, None),
        ("level=easy", "score_minkpp", 0.84, None),
        ("level=hard", "score_ref", 0.43, None),
        ("level=easy", "score_ref", 0.53, None),
    ],
)
def test_real_scores(rows, score, correlation, adafilter):
    """JECS stays below the level and AdaFilter is several times above it on raw likelihoods (published .46, .24)."""
    columns = simulate(60, family="real", rows=rows, score=score, candidates=0, calibration=0)
    assert columns[Column("scores", "correlation")][0] == pytest.approx(correlation, abs=0.011)
    assert columns[Column("jecs", "gcp", "0.1")].mean() < 0.1
    assert columns[Column("union", "gcp", "0.1")].mean() > 0.02
    if adafilter:
        assert columns[Column("adafilter", "gcp", "0.1")].mean() == pytest.approx(adafilter, abs=0.03)
    if (rows, score) == ("level=easy", "score_ref"):
        assert columns[Column("jecs", "power", "0.1")].mean() > columns[Column("max-p", "power", "0.1")].mean() > 0.5


def test_splits_keep_the_composition_and_the_truth():
    c = cell(family="real", rows="level=hard", score="score_ref", candidates=0, calibration=0)
    pool = STUDY.share(c)
    assert (pool.m, pool.n, pool.everywhere.size) == (400, 800, 503)
    assert pool.contaminated.sum() == 1200 - 354
    batch = RealBatch(c.parameters, pool, 3)
    batch.draw(c.key, 0, 3)
    assert batch.contaminated.sum(axis=1).tolist() == [446] * 3
    member_scores = {tuple(pool.scores[:, i]) for i in pool.everywhere}
    for r in range(3):
        known = {tuple(column) for column in batch.calibration[r].reshape(4, 400).T}
        tested = {tuple(column) for column in batch.candidates[r].T}
        assert known < member_scores
        assert len(known) == 400
        assert len(tested) == 800
        assert not known & tested
    assert not np.array_equal(batch.calibration[0], batch.calibration[1])
    at_random = RealBatch(c.parameters.model_copy(update={"ties": "random"}), pool, 2)
    at_random.draw(c.key, 5, 2)
    assert at_random.tie_keys.tolist() == [tie_key(c.key, repetition).tolist() for repetition in (5, 6)]


def own_file(path, order):
    g = np.random.default_rng(9)
    items = np.arange(30)
    rows = [
        (int(i), k, bool(i >= 10 or (i >= 4 and k == i % 2)), float(g.standard_normal())) for i in items for k in (0, 1)
    ]
    table = pa.table(
        {
            "item": [r[0] for r in rows],
            "model": [r[1] for r in rows],
            "role": ["calibration" if r[0] >= 20 else "candidate" for r in rows],
            "member": [r[2] for r in rows],
            "s": [r[3] for r in rows],
        }
    )
    pa.parquet.write_table(table.take(pa.array(order(len(rows)))), path)
    return path


def test_a_file_of_ones_own_in_any_order_of_rows(tmp_path):
    plain = own_file(tmp_path / "a.parquet", np.arange)
    moved = own_file(tmp_path / "b.parquet", np.random.default_rng(1).permutation)
    asked = {"family": "real", "score": "s", "candidates": 0, "calibration": 0, "at": ("0.5",)}
    one, two = (simulate(20, inputs={"scores": file}, **asked) for file in (plain, moved))
    assert all(one[column].tolist() == two[column].tolist() for column in one)
    shared = STUDY.share(cell(inputs={"scores": plain}, **asked))
    assert (shared.m, shared.n, shared.everywhere.size) == (10, 20, 20)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("item", [29, 28], "60 rows for 30 items and 2 models; one score for each"),  # an item twice, another missing
        ("role", ["candidate"] * 60, "calibration=0: 20 items are members of every model"),
    ],
)
def test_incomplete_files_are_named(tmp_path, column, values, message):
    table = pa.parquet.read_table(own_file(tmp_path / "a.parquet", np.arange))
    old = table[column].to_pylist()
    position = table.column_names.index(column)
    changed_table = table.set_column(position, column, pa.array([*old[: 60 - len(values)], *values]))
    pa.parquet.write_table(changed_table, tmp_path / "b.parquet")
    asked = {"family": "real", "score": "s", "candidates": 0, "calibration": 0}
    with pytest.raises(ValueError, match=message):
        STUDY.share(cell(inputs={"scores": tmp_path / "b.parquet"}, **asked))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rows": "level=medium"}, "no row has this value"),
        ({"rows": ""}, r"9600 rows for 1200 items and 4 models"),
        ({"score": "score_best"}, "no column 'score_best'"),
        ({"calibration": 504}, r"calibration=504: 503 items are members of every model"),
        ({"candidates": 801}, r"candidates=801: 800 items are left beside 400"),
    ],
)
def test_files_that_cannot_be_split_are_named(parameters, message):
    asked = {"family": "real", "rows": "level=hard", "candidates": 0, "calibration": 0} | parameters
    with pytest.raises(ValueError, match=message):
        STUDY.share(cell(**asked))
