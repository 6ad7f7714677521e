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
from typeone.audit import Audit, look_alikes
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
