"""The check before SCF: what breaks exchangeability is found, and nothing else."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from typeone import scf, tables
from typeone.audit import Audit
from typeone.exact import clopper_pearson
from typeone.scf.check import _direction, check


def test_check_finds_what_breaks_the_guarantee():
    rng = np.random.default_rng(3)
    n = 120
    data = {
        "source": np.repeat(np.arange(n), 2),
        "score": rng.standard_normal(2 * n),
        "role": np.repeat(["reference", "calibration", "target"], 80),
        "doc": np.arange(2 * n),
        "length": np.repeat(np.where(np.arange(n) < 80, 10, 60), 2) + rng.integers(0, 5, 2 * n),
    }
    data["doc"][239] = 0
    audit = scf.check(data, role="role", document="doc", columns=["length"])
    warnings = " | ".join(audit.warnings)
    assert "1 documents occur in more than one role (the first in row 1)" in warnings
    assert "1 documents occur in more than one source" in warnings
    assert "length, mean of source differs" in warnings
    assert "documents per source" not in warnings
    assert "<table>" in audit._repr_html_()
    assert audit.to_arrow().num_rows == len(audit.findings)
    repeated = {name: np.concatenate([column, column[:1]]) for name, column in data.items()}
    assert "1 rows repeat an earlier row" in " | ".join(scf.check(repeated, role="role").warnings)
    broken = {name: list(column) for name, column in data.items()} | {"score": [None, *data["score"][1:]]}
    assert "1 scores are missing (0 of targets; the first in row 1)" in " | ".join(
        scf.check(broken, role="role").warnings
    )
    unknown = data | {"role": np.where(np.arange(2 * n) == 5, "test", data["role"])}
    assert "row 6: 'test' is not" in scf.check(unknown, role="role").warnings[-1]
    empty = pa.table(data).append_column("nothing", pa.nulls(2 * n))
    assert scf.check(empty, role="role", document="doc").tables
    with pytest.raises(ValueError, match="no column 'nope'"):
        scf.check(data, role="role", document="nope")
    clean = {name: column[:] for name, column in data.items() if name != "length"} | {"doc": np.arange(2 * n)}
    assert scf.check(clean, role="role", document="doc").warnings == []


def test_controls_that_score_higher_than_targets_are_pointed_out() -> None:
    rows = tables.read(tables.PACKAGED / "scf.parquet", ["domain=code"])
    right, wrong = check(rows, score="score_ratio", control="control"), "participant"
    assert not [text for text in right.warnings if "score higher" in text]
    # true for those that took part: the wrong way round
    rows = rows.set_column(
        rows.schema.get_field_index(wrong), wrong, pc.equal(pc.cast(rows[wrong], pa.string()), "true")
    )
    [told] = [text for text in check(rows, score="score_ratio", control=wrong).warnings if "score higher" in text]
    assert "AUROC 0." in told
    assert "are controls the known nonparticipants" in told


def test_without_a_difference_one_file_in_a_hundred_is_warned_of() -> None:
    """2 000 files of 30 sources, no difference: the share within its exact 1e-6 interval; seed fixed."""
    random = np.random.default_rng(11)
    warned = 0
    for _ in range(2000):
        audit = Audit("")
        _direction(audit, random.normal(size=30), np.arange(30) < 12)
        warned += len(audit.warnings)
    lower, upper = clopper_pearson(warned, 2000, level="1e-6")
    assert lower <= 0.01
    assert upper >= 0.008  # a discrete test stays a little below its level
    assert warned > 0
