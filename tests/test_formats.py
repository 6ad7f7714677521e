"""Files as they come: every odd one is read for what it says, or refused in one sentence that says why."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from typeone import formats, ipc, tables

ROWS = [{"source": "a", "score": 1.5}, {"source": "b\u2028c", "score": 2}, {"source": "é", "score": None}]
LINES = "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROWS),
        " \n" * 40 + json.dumps(ROWS, indent=2),
        LINES,
        LINES.replace("\n", "\n\n") + "\n\n",
        LINES.replace("\n", "\r\n"),
        "source,score\na,1.5\nb\u2028c,2\né,\n",
        "source;score\r\na;1.5\r\nb\u2028c;2\r\né;\r\n",
    ],
    ids=["array", "indented", "lines", "blank lines", "CRLF", "CSV", "semicolons"],
)
def test_text_is_read_with_or_without_a_byte_order_mark(text: str, mark: bytes, tmp_path: Path) -> None:
    (tmp_path / "a b=c.txt").write_bytes(mark + text.encode())
    table = formats.read(tmp_path / "a b=c.txt")
    assert table.column_names == ["source", "score"]
    assert table["source"].to_pylist() == ["a", "b\u2028c", "é"]
    assert tables.scores(table, "score", missing="drop").tolist()[:2] == [1.5, 2.0]


def test_a_header_that_spans_lines_is_one_header(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('"sou\nrce",score\na,1\n')
    assert formats.read(tmp_path / "x.csv").to_pylist() == [{"sou\nrce": "a", "score": 1}]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('[{"id": 1}, {"id": "x"}]', "column 'id' holds text in row 2, a number in row 1"),
        ('{"id": "x"}\n{"id": null}\n{"id": 1}', "column 'id' holds a number in row 3, text in row 1"),
        ('[{"s": 1.5}, {"s": [1]}]', "column 's' holds a list in row 2, a number in row 1"),
        ('[{"s": true}, {"s": 1}]', "column 's' holds a number in row 2, true or false in row 1"),
        (f'[{{"s": {10**30}}}]', "column 's', row 1: a whole number of more than 64 bits"),
        ('{"s": 1}\n{"s": 1, "s": 2}', "line 2: an object has the key 's' twice"),
        ("[1, 2]", "row 1 is a number; an object with named values is needed"),
        ('{\n "s": 1\n}', "one object a line, or an array of objects, is needed"),
        ('{"s": 1}\n{"s": ', "line 2: "),
        ("[]", "no rows"),
        ("\n\na,b\n1,2\n", "the first line is empty; it must name the columns"),
        ("a,b\n", "no rows"),
        (b"a,b\n\xe9,2\n", "row 1 is not UTF-8 text; save the file as UTF-8 first"),
        (b'[{"a": "\xe9"}]', "is not UTF-8 text; save the file as UTF-8 first"),
        ("a,b\n1,2\n".encode("utf-16"), "is neither Parquet nor Feather nor UTF-8 text"),
        ("x" * 200_000, "cannot be read: field larger than field limit"),
        (b"", "the file is empty"),
        (gzip.compress(b"a,b\n" * 10**6), "is a gzip file; unpack it"),
        (b"BZh91AY&SY", "is a bzip2 file; unpack it"),
        (b"\xfd7zXZ\x00", "is a xz file; unpack it"),
    ],
)
def test_what_cannot_be_meant_is_refused(content: str | bytes, told: str, tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError) as error:
        formats.read(file)
    assert str(error.value).startswith(f"{file}: ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_an_archive_is_never_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.csv", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scores.csv", b"0" * 10**7)
    with pytest.raises(ValueError, match=r"is a zip \(or Excel\) file"):
        formats.read(tmp_path / "x.csv")


@pytest.mark.parametrize("kind", ["parquet", "json", "zstd", "lz4"])
def test_a_small_file_that_would_fill_the_memory_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine is said to have 64 KiB; the binary files have a tenth of that, and unpack to more."""
    rows = [{"s": 0.0}] * 20_000
    file = tmp_path / "x"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), file)
        assert file.stat().st_size < 2**16 / 10
    elif kind == "json":
        file.write_text(json.dumps(rows))
    else:
        pyarrow.feather.write_feather(pa.Table.from_pylist(rows), file, compression=kind)
        assert file.stat().st_size < 2**16 / 10
    assert formats.read(file).num_rows == 20_000
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_PHYS_PAGES": 16, "SC_PAGE_SIZE": 4096}[name])
    with pytest.raises(ValueError, match="of memory are needed"):
        formats.read(file)


def table_of_many_kinds(rows: int) -> pa.Table:
    number = np.arange(rows)
    return pa.table(
        {
            "float": np.sqrt(number),
            "zero": np.zeros(rows),
            "text": [f"é{i % 7}" * (i % 5) for i in range(rows)],
            "view": pa.array([f"longer than twelve bytes {i}" for i in range(rows)], pa.string_view()),
            "coded": pa.array([f"word {i % 3}" for i in range(rows)]).dictionary_encode(),
            "list": [[i, 2.5] for i in range(rows)],
            "object": [{"a": i, "b": None} for i in range(rows)],
            "null": pa.nulls(rows),
            "some": [None if i % 3 else bool(i % 2) for i in range(rows)],
        }
    )


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("chunk", [1, 100, 5000])
def test_the_size_of_an_arrow_file_is_read_off_its_headers(compression: str, chunk: int, tmp_path: Path) -> None:
    """All buffers of all batches and of the dictionary, as they are in memory (padded to 8 bytes, at most 64)."""
    table = table_of_many_kinds(chunk if chunk < 5000 else 12_000)
    pyarrow.feather.write_feather(table, tmp_path / "x", compression=compression, chunksize=chunk)
    rows, size = ipc.unpacked(memoryview((tmp_path / "x").read_bytes()))
    with pa.ipc.open_file(tmp_path / "x") as reader:
        batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
    columns = [column for batch in batches for column in batch.columns]
    buffers = [buffer for column in columns for buffer in column.buffers() if buffer is not None]
    words = batches[0].column("coded").dictionary
    assert rows == table.num_rows
    expected = sum(buffer.size for buffer in [*buffers, *words.buffers()] if buffer is not None)
    assert abs(size - expected) <= 64 * (len(buffers) + 3)


def test_nulls_and_runs_that_would_fill_the_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They take no room in the file, nor where it is read; as values they do.  The machine is said to have 64 KiB."""
    for name, column in (
        ("nulls", pa.nulls(10_000)),
        ("runs", pa.RunEndEncodedArray.from_arrays(pa.array([10_000], pa.int32()), pa.array([0.5]))),
    ):
        table = pa.table({"s": column})
        with pa.ipc.new_file(str(tmp_path / name), table.schema) as writer:
            writer.write_table(table)
        assert formats.read(tmp_path / name).num_rows == 10_000
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_PHYS_PAGES": 16, "SC_PAGE_SIZE": 4096}[name])
    for name in ("nulls", "runs"):
        with pytest.raises(ValueError, match="GiB of memory are needed"):
            formats.read(tmp_path / name)


def test_a_damaged_arrow_file_is_refused_or_read(tmp_path: Path) -> None:
    """2 000 files with one to four bytes changed or the end cut off, seed 5: an answer or one sentence."""
    pyarrow.feather.write_feather(table_of_many_kinds(50), tmp_path / "good", compression="zstd")
    good, rng = (tmp_path / "good").read_bytes(), np.random.default_rng(5)
    refused = 0
    for _ in range(2000):
        bad = bytearray(good[: rng.integers(10, len(good))] if rng.random() < 0.1 else good)
        for at in rng.integers(0, len(bad), rng.integers(1, 5)):
            bad[at] = rng.integers(256)
        try:
            ipc.unpacked(memoryview(bytes(bad)))
        except pa.ArrowInvalid:
            refused += 1
    assert 200 < refused < 1800
    (tmp_path / "cut").write_bytes(good[:-1])
    with pytest.raises(ValueError, match="cut: cannot be read: the Arrow file is damaged"):
        formats.read(tmp_path / "cut")


@pytest.mark.parametrize("kind", ["csv", "parquet", "json", "arrow"])
def test_pipes_and_standard_input_are_read_to_their_end(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"source": ["a", "b"], "score": [0.1, 0.2]})
    tables.write(table, tmp_path / f"x.{kind}")
    content = (tmp_path / f"x.{kind}").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
    writer.start()
    piped = formats.read(tmp_path / "pipe")
    writer.join()
    standard: Any = type("Standard", (), {"buffer": io.BytesIO(content)})
    monkeypatch.setattr("sys.stdin", standard)
    for read in (piped, formats.read("-")):
        assert tables.scores(read, "score").tolist() == [0.1, 0.2]
    standard.buffer = io.BytesIO()
    with pytest.raises(ValueError, match=r"^standard input: the file is empty$"):
        formats.read("-")


def test_links_are_followed_and_a_dangling_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("a\n1\n")
    (tmp_path / "link").symlink_to("real.csv")
    (tmp_path / "dangling").symlink_to("gone.csv")
    assert formats.read(tmp_path / "link").num_rows == 1
    with pytest.raises(ValueError, match=r"dangling: is a link to gone\.csv, which does not exist"):
        formats.read(tmp_path / "dangling")


def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ValueError, match=r"^standard input: is closed; a file or a pipe is needed$"):
        formats.read("-")


def test_memory_that_is_gone_is_no_fault_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Any) -> Any:
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    (tmp_path / "x.csv").write_text("a\n1\n")
    monkeypatch.setattr(formats, "_read_csv", full)
    with pytest.raises(MemoryError):
        formats.read(tmp_path / "x.csv")


def test_json_numbers_of_many_digits_are_numbers_and_half_a_surrogate_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('[{"s": 0.10000000000000000555, "t": [1e-3]}, {"s": 0.1e0}, {"s": 2}]')
    with pytest.raises(ValueError, match="are one number with 53 bits"):
        tables.scores(formats.read(tmp_path / "x.json"), "s")
    (tmp_path / "x.json").write_text('[{"s": 0.10000000000000000555}, {"s": 1e-1234567}, {"s": 2}]')
    table = formats.read(tmp_path / "x.json")
    assert (str(table["s"].type), table["s"].to_pylist()) == ("double", [0.1, 0.0, 2.0])
    (tmp_path / "x.json").write_text('[{"s": "a"}, {"s": "\\ud800"}]')
    with pytest.raises(ValueError, match=r"x.json: column 's', row 2: half a surrogate pair"):
        formats.read(tmp_path / "x.json")
