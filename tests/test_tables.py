"""Users' tables: formats by content, columns checked, errors that name column and row."""

import datetime
import os
import re
import stat
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeone import groups, tables
from typeone.audit import Audit, columns_table, duplicate_rows, look_alikes
from typeone.panels import votes as panel_votes
from typeone.pooling import votes as pooled_votes

TABLE = pa.table({"source": ["b", "a", "b"], "score": [1.5, 2.0, -3.0], "known": [True, False, True]})


def csv(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".feather", ".arrow"])
def test_written_tables_read_back_by_content_not_by_name(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    tables.write(TABLE, path)
    disguised = tmp_path / "no suffix = at all"
    path.rename(disguised)
    read = tables.read(disguised)
    assert tables.labels(read, "source").names.to_pylist() == ["b", "a"]
    assert tables.labels(read, "source").codes.tolist() == [0, 1, 0]
    assert tables.scores(read, "score").tolist() == [1.5, 2.0, -3.0]
    assert tables.booleans(read, "known").tolist() == [True, False, True]


def test_json_outputs(tmp_path):
    tables.write(TABLE, tmp_path / "x.json")
    assert '{"source": "b", "score": 1.5, "known": true}' in (tmp_path / "x.json").read_text()
    tables.write(TABLE, tmp_path / "x.jsonl")
    assert len((tmp_path / "x.jsonl").read_text().splitlines()) == 3


def test_whole_numbers_become_integers_and_leading_zeros_stay_text(tmp_path):
    read = tables.read(csv(tmp_path, "a,b,c\n1,007,1.5\n-20,7,x\n"))
    assert tables.labels(read, "a").names.to_pylist() == [1, -20]
    assert tables.labels(read, "b").names.to_pylist() == ["007", "7"]
    assert tables.labels(read, "c").names.to_pylist() == ["1.5", "x"]


@pytest.mark.parametrize(
    "text", ["a;s\nx;1.5\n", "a\ts\nx\t1.5\n", "\ufeffa,s\nx,1.5\n", "a,s\r\nx,1.5\r\n", 'a,s\n"x",1.5']
)
def test_delimiters_marks_and_line_ends(tmp_path, text):
    read = tables.read(csv(tmp_path, text))
    assert read.column_names == ["a", "s"]
    assert tables.labels(read, "a").names.to_pylist() == ["x"]
    assert tables.scores(read, "s").tolist() == [1.5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,b\n", "no rows"),
        ("a,a\n1,2\n", "two columns are called 'a'"),
        (b"a,b\n\xff\xfe,1\n", "row 1 is not UTF-8"),
        (b"PK\x03\x04rest", "zip"),
        (b"\x1f\x8brest", "gzip"),
        (b"PAR1 torn", "cannot be read"),
        (b"\x00\x01\x02", "neither"),
        ("a,b\n1\n", "row 1 has 1 fields"),
    ],
)
def test_unreadable_files_are_named(tmp_path, content, message):
    path = csv(tmp_path, content, "bad file")
    with pytest.raises(ValueError, match=message) as error:
        tables.read(path)
    assert "bad file" in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\n3\n", "row 2 has 1 fields, the header 2"),
        (b"a,b\n1,2\n3,4,5\n", "row 2 has 3 fields, the header 2"),
        (b'a,b\n"x\ny",2\n3,4,5\n', "row 2 has 3 fields"),
        (b"a,b\n1,2\n\xff,4\n", "row 2 is not UTF-8 text"),
        (b"a,\xe9\n1,2\n", "the header is not UTF-8 text"),
    ],
)
def test_a_csv_row_that_cannot_be_read_is_named(tmp_path, content, message):
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        tables.read(tmp_path / "x.csv")


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        tables.read(tmp_path / "none")
    with pytest.raises(ValueError, match="is a folder"):
        tables.read(tmp_path)


@pytest.mark.parametrize(
    ("values", "row"),
    [([1.0, float("nan")], 2), ([float("inf"), 1.0], 1), ([1.0, None], 2), (["1", "0,5"], 2), (["1", "NA"], 2)],
)
def test_bad_scores_name_column_and_row(values, row):
    with pytest.raises(ValueError, match=rf"column 's', row {row}"):
        tables.scores(pa.table({"s": values}), "s")


def test_dropping_missing_scores_is_a_choice_and_never_hides_infinity():
    table = pa.table({"s": ["1", "NA", None, "nan", "-2e0"]})
    dropped = tables.scores(table, "s", missing="drop")
    assert np.isnan(dropped).tolist() == [False, True, True, True, False]
    with pytest.raises(ValueError, match="infinite"):
        tables.scores(pa.table({"s": [1.0, float("-inf")]}), "s", missing="drop")
    with pytest.raises(ValueError, match="missing="):
        tables.scores(pa.table({"s": [1.0]}), "s", missing="ignore")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([True]),
        pa.array([[1.0]]),
        pa.array([0], pa.timestamp("s")),
        pa.array([b"x"]),
        pa.array([{"a": 1}]),
    ],
)
def test_columns_of_the_wrong_kind_are_refused(column):
    table = pa.table({"x": column})
    with pytest.raises(ValueError, match="column 'x'"):
        tables.scores(table, "x")
    with pytest.raises(ValueError, match="column 'x'"):
        tables.labels(table, "x")


def test_labels_missing_or_unknown():
    with pytest.raises(ValueError, match="row 2: the value is missing"):
        tables.labels(pa.table({"x": ["a", None]}), "x")
    with pytest.raises(ValueError, match="no column 'y'; the columns are: x"):
        tables.labels(pa.table({"x": ["a"]}), "y")
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    with pytest.raises(ValueError, match="row 2"):
        tables.labels(tables.as_table({"x": coded}), "x")


def test_booleans_in_their_spellings():
    table = pa.table({"x": [" True", "0", "FALSE", "1"], "y": [1, 0, 0, 2], "z": ["1.0", "0.0", "NA", "1"]})
    assert tables.booleans(table, "x").tolist() == [True, False, False, True]
    with pytest.raises(ValueError, match="column 'y', row 4: 2 is not true or false"):
        tables.booleans(table, "y")
    with pytest.raises(ValueError, match="column 'z', row 3: the value is missing"):
        tables.booleans(table, "z")


TRUTHS = {
    1: [True, 1, 1.0, Decimal("1.00"), "1", " TRUE ", "true", "1.", "1.0", "01", "+1", "1.000000000000000000e+00"],
    0: [False, 0, 0.0, -0.0, Decimal("0E-8"), "0", "False", "0.0", "-0", ".0", "0e5"],
    tables.MISSING: [None, float("nan"), "", " ", "NA", "n/a", "NaN", "null", "None"],
    tables.NEITHER: [2, -1, 0.5, 1e-320, 1.0000000000000002, float("inf"), Decimal("1.01"), b"1", datetime.time(1),
                     "x", "1.5", "10", "1e1", "0.01", ".", "e", "-1", "yes", "0,0"],
}  # fmt: skip


@pytest.mark.parametrize(("meaning", "value"), [(truth, value) for truth, of in TRUTHS.items() for value in of])
def test_one_reading_of_truth_values_serves_controls_votes_and_labels(meaning, value):
    """Booleans, pooled votes and panel votes: 1.0 as text is 1 in all of them, and what is neither is neither."""
    table = tables.as_table({"x": pa.array([value, value]), "n": [1, 2]})
    assert tables.truths(table, "x").tolist() == [meaning, meaning]
    if meaning >= 0:
        assert tables.booleans(table, "x").tolist() == [bool(meaning)] * 2
        assert pooled_votes.binary(table, "x").tolist() == [meaning] * 2
        assert panel_votes.vote_column(table, "x", "error").tolist() == [meaning] * 2
        return
    assert panel_votes.vote_column(table, "x", "zero").tolist() == [panel_votes.MALFORMED] * 2
    with pytest.raises(ValueError, match="column 'x', row 1: "):
        tables.booleans(table, "x")
    with pytest.raises(ValueError, match=r"column 'x', row 1: .* is not a vote, 0 or 1 \(2 votes"):
        panel_votes.vote_column(table, "x", "error")
    if meaning == tables.MISSING:
        assert pooled_votes.binary(table, "x").tolist() == [pooled_votes.UNKNOWN] * 2
    else:
        with pytest.raises(ValueError, match=r"column 'x', row 1: .* is not 0 or 1"):
            pooled_votes.binary(table, "x")


def test_words_have_one_meaning_and_the_typed_word_is_named():
    table = pa.table({"x": ["b", " A ", "B"], "y": ["a", "Abc", "b"], "z": ["a", None, "b"]})
    meanings = {"a": True, "b": False}
    found = tables.words_as(table, "x", meanings)
    assert (found.dtype, found.tolist()) == (bool, [False, True, False])
    with pytest.raises(ValueError, match=r"^column 'y', row 2: 'Abc' is not a or b$"):
        tables.words_as(table, "y", meanings)
    with pytest.raises(ValueError, match=r"^column 'y', row 2: 'Abc' is not a, c or b$"):
        tables.words_as(table, "y", {"a": 1, "c": 2, "b": 3})
    with pytest.raises(ValueError, match="column 'z', row 2: the value is missing"):
        tables.words_as(table, "z", meanings)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_repeats_are_all_rows_that_stood_before_with_their_first(rows):
    for columns in (rows, [(a,) for a, _ in rows]):
        codes = [np.array(code, np.int64) for code in zip(*columns, strict=True)] or [np.empty(0, np.int64)]
        expected = [[columns.index(row), i] for i, row in enumerate(columns) if columns.index(row) < i]
        assert groups.repeats(*codes).tolist() == expected
        assert groups.first_repeat(*codes) == (tuple(expected[0]) if expected else None)


def test_one_value_for_each_group_or_the_row_that_differs():
    names, codes = pa.array(["b", "a"]), np.array([0, 1, 0, 1])
    assert groups.constant_within(np.array([7, 5, 7, 5]), codes, names, "x", "id").tolist() == [7, 5]
    with pytest.raises(ValueError, match=r"^column 'x', row 3: id 'b' had another value before; one value for each id"):
        groups.constant_within(np.array([7, 5, 8, 6]), codes, names, "x", "id")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_frames_of_other_libraries(frame):
    data = frame({"source": ["b", "a"], "score": [1, 2]})
    table = tables.as_table(data)
    assert tables.labels(table, "source").names.to_pylist() == ["b", "a"]
    assert tables.scores(table, "score").tolist() == [1.0, 2.0]


def test_categorical_and_view_columns():
    frame = pd.DataFrame({"x": pd.Categorical(["b", "a", "b"])})
    assert tables.labels(tables.as_table(frame), "x").names.to_pylist() == ["b", "a"]
    for kind in (pa.string_view(), pa.large_string(), pa.dictionary(pa.int8(), pa.large_string())):
        table = tables.as_table({"x": pa.array(["b", "a"]).cast(kind)})
        assert tables.labels(table, "x").names.to_pylist() == ["b", "a"]


def test_what_is_no_table():
    with pytest.raises(ValueError, match="a table, a frame"):
        tables.as_table(7)


def test_a_failed_write_leaves_nothing_and_the_old_file_stays(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="JSON"):
        tables.write(pa.table({"x": [float("nan")]}), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.json"]


def test_outputs_follow_links_and_get_ordinary_permissions(tmp_path):
    target = tmp_path / "real.csv"
    target.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    tables.write(TABLE, link)
    assert link.is_symlink()
    assert target.read_text() != "old"
    assert stat.S_IMODE(target.stat().st_mode) & 0o600 == 0o600


@pytest.mark.parametrize(
    ("name", "message"), [("x.txt", "must end in"), ("no/x.csv", "does not exist"), ("d.csv", "is a folder")]
)
def test_outputs_that_cannot_be_written_are_named_before_any_work(tmp_path, name, message):
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(ValueError, match=message):
        tables.check_writable(tmp_path / name)


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.decimal128(38, 0)])
def test_scores_that_are_one_double_are_refused_when_they_are_not_equal(kind):
    near = pa.table({"s": pa.array([2**60 + 1, 2**60 + 1, 2**60], kind)})
    with pytest.raises(ValueError, match=rf"column 's', row 3: {2**60} and {2**60 + 1} in row 1 are one number"):
        tables.scores(near, "s")
    apart = pa.table({"s": pa.array([2**60, 2**60, None, 2**61, 5], kind)})
    assert tables.scores(apart, "s", missing="drop")[[0, 1, 3, 4]].tolist() == [2.0**60, 2.0**60, 2.0**61, 5.0]
    if kind == pa.int64():
        ends = pa.table({"s": pa.array([-(2**63), 2**63 - 1], kind)})
        assert tables.scores(ends, "s").tolist() == [-(2.0**63), 2.0**63]
    small = pa.table({"s": pa.array([1, 2, 2], kind)})
    assert tables.scores(small, "s").tolist() == [1, 2, 2]


def test_json_nested_beyond_reason_is_named(tmp_path):
    (tmp_path / "x.json").write_text("[" * 100_000)
    with pytest.raises(ValueError, match="too deeply nested"):
        tables.read(tmp_path / "x.json")


@pytest.mark.parametrize("other", ["s1 ", "S1", " s1", "0s1"])
def test_names_that_look_alike_are_pointed_out(other):
    audit = Audit("x")
    look_alikes(audit, pa.table({"id": ["s1", "s2", "s1", other], "n": [1, 2, 3, 4]}), ["id", "n", "missing"])
    assert audit.warnings == [f"column 'id': 's1' and {other!r} are taken for two different names"]
    for kind in (pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        coded = Audit("x")
        look_alikes(coded, tables.as_table({"id": pa.array(["s1", "s2", other]).cast(kind)}), ["id"])
        assert coded.warnings == audit.warnings
    audit = Audit("x")
    look_alikes(audit, pa.table({"id": ["s1", "s2", "s10", "10", "s1"]}), ["id"])
    assert audit.warnings == []


@pytest.mark.parametrize(
    ("rule", "sources"),
    [("kind=x", ["a", "c"]), ("n=2", ["b"]), ("known=true", ["a", "b"]), ("odd=name=x=y", ["c"]), ("x=1.5", ["a"])],
)
def test_rows_are_picked_by_the_text_of_a_value(tmp_path, rule, sources):
    """A name of a column may hold an equals sign, and so may a value."""
    table = pa.table(
        {
            "source": ["a", "b", "c"],
            "kind": ["x", "y", "x"],
            "n": [1, 2, None],
            "known": [True, True, False],
            "odd=name": [None, "x", "x=y"],
            "x": [1.5, 1.25, None],
        }
    )
    tables.write(table, tmp_path / "x.parquet")
    assert tables.read(tmp_path / "x.parquet", rule)["source"].to_pylist() == sources


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("kind", "rows='kind': is written column=value"),
        ("knd=x", "no column 'knd'; the columns are: kind, list"),
        ("kind=z", "rows='kind=z': no row has this value; column 'kind' holds x, y"),
        ("list=1", "column 'list': one value a row is needed, not list<item: int64>"),
    ],
)
def test_a_rule_that_picks_nothing_is_an_error(rule, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        tables.where(pa.table({"kind": ["x", None, "y"], "list": [[1], [2], [3]]}), rule)


def test_a_rule_stands_for_a_column_of_truth_values():
    table = pa.table({"participant": [True, False, False], "a=b": [True, True, False]})
    marked, name = tables.marked(table, "participant=false", "control")
    assert tables.booleans(marked, name).tolist() == [False, True, True]
    assert tables.marked(table, "a=b", "control") == (table, "a=b")
    assert tables.marked(table, "participant", "control") == (table, "participant")


def test_outputs_that_cannot_be_made_are_refused_before_any_work(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("a\n1\n")
    (tmp_path / "read-only.csv").write_text("kept")
    (tmp_path / "read-only.csv").chmod(0o444)
    (tmp_path / "dangling.csv").symlink_to("gone/x.csv")
    (tmp_path / "link.csv").symlink_to("in.csv")
    (tmp_path / "again.csv").symlink_to("out.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    for name, told in (
        ("in.csv", "is the input"),
        ("link.csv", "is the input"),
        ("read-only.csv", "is read-only"),
        ("dangling.csv", "the folder .*gone does not exist"),
        ("pipe.csv", "is a pipe or a device"),
        ("x.txt", "the name must end in"),
    ):
        with pytest.raises(ValueError, match=told):
            tables.check_outputs([None, tmp_path / name], [source, None])
    with pytest.raises(ValueError, match="is named for two outputs"):
        tables.check_outputs([tmp_path / "out.csv", tmp_path / "again.csv"], [source])
    tables.check_outputs([tmp_path / "out.csv", tmp_path / "other.csv"], [source])
    assert (tmp_path / "read-only.csv").read_text() == "kept"


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
