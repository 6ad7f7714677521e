"""Columns of every kind: numbers in text, odd types, and arrays that Arrow cannot hold."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeone import tables
from typeone.audit import Audit, columns_table, duplicate_rows, look_alikes

NEAR = [
    ("1180591620717411303424", "1180591620717411303425"),
    ("9007199254740992.0", "9007199254740993.0"),
    ("0.1", "0.10000000000000001"),
    ("0.10000000000000000555", "0.10000000000000000556"),
    ("0", "1e-400"),
    ("-1E-400", "0.0"),
    ("1e-400", "2e-400"),
]


@pytest.mark.parametrize(("first", "second"), NEAR)
def test_numbers_in_text_that_are_one_double_are_refused_when_they_are_not_equal(tmp_path, first, second):
    told = f"column 's', row 4: {second} and {first} in row 2 are one number with 53 bits; shift or scale all numbers"
    for text in (pa.string(), pa.large_string()):
        table = tables.as_table({"s": pa.array(["7.5", first, None, second], text)})
        with pytest.raises(ValueError, match=re.escape(told)):
            tables.scores(table, "s", missing="drop")
    (tmp_path / "x.json").write_text("".join(f'{{"s": {s}, "t": 1}}\n' for s in ("7.5", first, "null", second)))
    with pytest.raises(ValueError, match=r"column 's', row 4: .* are one number with 53 bits|more than 64 bits"):
        tables.scores(tables.read(tmp_path / "x.json"), "s", missing="drop")


def test_spellings_of_one_number_and_printed_doubles_are_read():
    words = ["1", "1.0", "+1.00", "1e0", "0.1E1", "100e-2", "0", "-0.0", "0e-500", ".5", "5.e-1", "NA", " 1.000 "]
    values = [1.0] * 6 + [0.0] * 3 + [0.5] * 2 + [np.nan, 1.0]
    assert np.array_equal(tables.scores(pa.table({"s": words}), "s", missing="drop"), values, equal_nan=True)
    with pytest.raises(ValueError, match="column 's', row 2: the value is infinite"):
        tables.scores(pa.table({"s": ["1", "1e400", "1e500"]}), "s")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_doubles_as_python_and_numpy_print_them_are_read_back(numbers):
    for words in ([repr(x) for x in numbers] * 2, [f"{x:.18e}" for x in numbers]):
        read = tables.scores(pa.table({"s": words}), "s")
        assert read.tolist() == [*numbers, *numbers][: len(words)]


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, min_value=-2, max_value=2), min_size=1))
def test_decimals_are_refused_exactly_when_two_fall_together(numbers):
    table = pa.table({"s": [str(x) for x in numbers]})
    if len({float(x) for x in numbers}) == len(set(numbers)):
        assert tables.scores(table, "s").tolist() == [float(x) for x in numbers]
    else:
        with pytest.raises(ValueError, match="are one number with 53 bits"):
            tables.scores(table, "s")


def bad_text(kind=None):
    offsets = pa.py_buffer(np.array([0, 1, 2], np.int32))
    text = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"a\xff")])
    return text if kind is None else text.cast(kind)


@pytest.mark.parametrize("read", [tables.labels, tables.truths, tables.scores, tables.booleans])
@pytest.mark.parametrize("kind", [None, pa.large_string()])
def test_text_that_is_not_utf8_is_named(read, kind):
    table = tables.as_table(pa.table({"x": bad_text(kind)}))
    with pytest.raises(ValueError, match=r"^column 'x', row 2: is not UTF-8 text$"):
        read(table, "x")


def test_short_decimals_extensions_and_codes_are_plain():
    short = pa.array([Decimal("1.50"), Decimal("2.25")], pa.decimal128(5, 2))
    for kind in (pa.decimal32(5, 2), pa.decimal64(5, 2)):
        assert tables.scores(tables.as_table(pa.table({"s": short.cast(kind)})), "s").tolist() == [1.5, 2.25]
    true = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 2], pa.int8()))
    assert tables.booleans(tables.as_table(pa.table({"x": true})), "x").tolist() == [False, True]
    coded = pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), pa.array([[1], [2]]))
    assert tables.as_table(pa.table({"x": coded}))["x"].to_pylist() == [[2], None, [1]]


UNUSED = {
    "uuid": pa.array([b"0" * 16, b"1" * 16], pa.uuid()),
    "truth values": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 2], pa.int8())),
    "JSON": pa.ExtensionArray.from_storage(pa.json_(), pa.array(["1", "{}"])),
    "opaque": pa.ExtensionArray.from_storage(pa.opaque(pa.binary(), "a", "b"), pa.array([b"1", b"\xff"])),
    "short decimals": pa.array([Decimal("1.50"), None], pa.decimal128(5, 2)).cast(pa.decimal32(5, 2)),
    "late": pa.array([2**62, -(2**62)], pa.timestamp("s")),
    "late days": pa.array([2**30, -(2**30)], pa.date32()),
    "nanoseconds": pa.array([1, 2], pa.timestamp("ns")),
    "nanoseconds of a day": pa.array([1, 2], pa.time64("ns")),
    "long nanoseconds": pa.array([1, 2], pa.duration("ns")),
    "Mars": pa.array([1, 2], pa.timestamp("s", "Mars/Base")),
    "intervals": pa.array([(1, 2, 3), (1, 2, 4)], pa.month_day_nano_interval()),
    "a field twice": pa.StructArray.from_arrays([pa.array([1, 2]), pa.array([3, 4])], ["a", "a"]),
    "not UTF-8": bad_text(),
    "views": pa.array([b"a", b"\xff"], pa.binary_view()),
    "coded lists": pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([[1], [2]])),
    "lists in runs": pa.RunEndEncodedArray.from_arrays([1, 2], pa.array([[1], [2]])),
}


@pytest.mark.parametrize("kind", UNUSED)
def test_a_column_that_is_not_used_is_shown_and_never_stops_a_check(kind):
    table = tables.as_table(pa.table({"id": [1, 1], "x": UNUSED[kind]}))
    shown = columns_table(table, {})[2]
    assert [row[0] for row in shown] == ["id", "x"]
    assert isinstance(shown[1][-1], str)
    audit = Audit("x")
    duplicate_rows(audit, table)
    look_alikes(audit, table, ["x"])
    nested = pa.types.is_nested(table["x"].type)
    assert audit.findings[-1].grade == ("warning" if nested else "ok")  # told apart by x alone
    assert [f.text for f in audit.findings if f.grade == "note"] == (
        [f"columns whose values cannot be compared are left out of comparisons: x ({table['x'].type})"]
        if nested
        else []
    )


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array([Decimal("1.00"), Decimal("2.50")]), ["1", "1.0", "1.00", "1e0"]),
        (pa.array([1.0, 2.0]), ["1", "1.0", "1e0", " 1 "]),
        (pa.array([0.1, 2.0], pa.float32()), ["0.1", ".1"]),
        (pa.array([1, 2], pa.uint8()), ["1", "1.0", "01"]),
    ],
)
def test_rows_are_picked_by_the_value_of_a_number(values, texts):
    table = pa.table({"x": values, "row": [1, 2]})
    for text in texts:
        assert tables.where(table, f"x={text}")["row"].to_pylist() == [1]
    for text in ("3", "1e999999999", "1e-999999999", "999", "x", "nan", "inf", "", "1.001"):
        with pytest.raises(ValueError, match="no row has this value"):
            tables.where(table, f"x={text}")


def test_rows_cannot_be_picked_by_what_has_no_text():
    table = pa.table({"x": UNUSED["intervals"]})
    with pytest.raises(
        ValueError, match=r"^column 'x': values of type month_day_nano_interval cannot be compared with"
    ):
        tables.where(table, "x=1")


@pytest.mark.parametrize("frame", [pd.DataFrame, dict])
@pytest.mark.parametrize(
    ("values", "told"),
    [
        (np.array([1j, 2]), "values of type complex128 are not read"),
        (np.array([1, 2], np.longdouble), "values of type .* are not read"),
        ([2**70, 1], "a whole number of more than 64 bits"),
        (np.array([1, "a"], object), "holds values of the types int, str; write all in one way"),
    ],
)
def test_arrays_that_arrow_cannot_hold_name_their_column(frame, values, told):
    with pytest.raises(ValueError, match=rf"^column 's': {told}"):
        tables.as_table(frame({"id": ["a", "b"], "s": values}))


def test_records_are_refused_and_the_other_order_of_bytes_is_read():
    with pytest.raises(ValueError, match=r"^column 's': values of type "):
        tables.as_table({"s": np.array([(1, 2)], "i4,i4")})
    with pytest.raises(ValueError, match=r"^column 't': has 1 values, column 's' has 2"):
        tables.as_table({"s": np.array([1, 2], ">i4"), "t": [1]})
    for kind in (">f8", ">i4", ">u2"):
        for frame in (dict, pd.DataFrame):
            read = tables.as_table(frame({"s": np.array([3, 1], kind), "id": ["a", "b"]}))
            assert tables.scores(read, "s").tolist() == [3.0, 1.0]
            assert tables.labels(read, "id").names.to_pylist() == ["a", "b"]


def test_a_day_that_python_does_not_know_is_no_truth_value():
    table = pa.table({"x": pa.array([2**30], pa.date32())})
    with pytest.raises(
        ValueError, match=r"^column 'x', row 1: '<value out of range: 1073741824>' is not true or false"
    ):
        tables.booleans(table, "x")
