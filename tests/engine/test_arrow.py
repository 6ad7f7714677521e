"""Arrays from buffers are those that pyarrow makes; a run does not import pandas."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from engine.runs import environment
from typeone.engine import arrow

SCHEMA = pa.schema([("s", pa.string()), ("i", pa.int64()), ("j", pa.int32()), ("x", pa.float64()), ("b", pa.bool_())])
ROWS = [
    {"s": "é|", "i": 2**60, "j": -5, "x": 0.1, "b": True},
    {"s": None, "i": None, "j": None, "x": None, "b": None},
    {"s": "", "i": 0, "j": 0, "x": -0.0, "b": False},
    {"x": float("nan")},
    *({"s": str(i), "i": i, "j": i, "x": i / 3, "b": i % 3 == 0} for i in range(20)),
]


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], ROWS[1:2], []])
def test_tables_equal_pyarrows(rows: list[dict[str, object]]) -> None:
    made, expected = arrow.table(rows, SCHEMA), pa.Table.from_pylist(rows, schema=SCHEMA)
    assert made.schema == expected.schema
    assert str(made.to_pylist()) == str(expected.to_pylist())
    assert [made[name].null_count for name in SCHEMA.names] == [expected[name].null_count for name in SCHEMA.names]
    made.validate(full=True)


def test_numbers_and_doubles_are_inverse() -> None:
    values = np.arange(30, dtype=np.float64)[::3]
    array = arrow.numbers(values, pa.float64())
    assert array.to_pylist() == values.tolist()
    for column in (pa.chunked_array([array]), pa.chunked_array([array[2:5], array[:0], array[7:]])):
        assert arrow.doubles(column).tolist() == column.to_pylist()
    assert arrow.doubles(pa.chunked_array([], pa.float64())).size == 0


def test_a_run_imports_neither_pandas_nor_matplotlib(tmp_path: Path) -> None:
    code = (
        "import sys; from typeone.cli.root import main\n"
        f"try: main(['run', 'coin', '--reps', '20', '--out', {str(tmp_path / 'run')!r}])\n"
        "except SystemExit as end: assert not end.code\n"
        "assert not {'pandas', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True, capture_output=True)
