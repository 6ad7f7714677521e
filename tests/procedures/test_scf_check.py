"""The check before SCF: what breaks exchangeability is found, and nothing else."""

import numpy as np
import pyarrow as pa
import pytest

from typeone import scf


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
