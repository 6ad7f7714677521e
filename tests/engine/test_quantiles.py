"""Quantiles by radix selection are the order statistics themselves."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.runs import go
from typeone.engine.export import export
from typeone.engine.quantiles import _keys, _value, quantiles
from typeone.levels import Level


def test_quantiles_are_order_statistics_of_the_stored_values(tmp_path: Path) -> None:
    go(tmp_path, repetitions=301, chunk=50, factors={"rate": [0.3, 0.5], "fail_every": [0, 7]})
    export(tmp_path, tmp_path / "t.parquet")
    stored = pq.read_table(tmp_path / "t.parquet").to_pylist()
    table = quantiles(tmp_path, ["0.5", "1/40", 0.99]).to_pylist()
    assert len(table) == 4 * 4 * 3
    for row in table:
        values = sorted(
            r["value"]
            for r in stored
            if (r["cell"], r["measure"]) == (row["cell"], row["measure"]) and not math.isnan(r["value"])
        )
        assert row["valid"] == len(values)
        assert row["quantile"] == values[math.ceil(len(values) * Level(row["probability"])) - 1]
        assert row["lower"] <= row["quantile"] <= row["upper"]
        assert {row["lower"], row["upper"]} <= set(values)
        if row["measure"] == "part":
            assert row["lower"] < float(Level(row["probability"])) < row["upper"]


@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=30))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_keys_keep_the_order_and_can_be_undone(values: list[float]) -> None:
    array = np.array(values)
    keys = _keys(array)
    np.testing.assert_array_equal(array[np.argsort(keys, kind="stable")], np.sort(array))
    assert [_value(int(key)) for key in keys] == values


def test_a_probability_outside_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="quantile=1"):
        quantiles(tmp_path, ["1"])
