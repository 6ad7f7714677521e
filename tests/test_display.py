"""Cells of tables: nothing in a name can break a line, a column or a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeone.aligned import aligned, wrapped
from typeone.display import MOST_CHARACTERS, columns_of, folded, html_table, markdown_table, text_table

HEADER = ["name", "p"]


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "a\rb", "a\x1b[31mb", "a\u2028b"])
def test_control_characters_are_shown_escaped(name):
    lines = text_table(HEADER, [[name, 0.5]]).split("\n")
    assert len(lines) == 3
    assert lines[2].isprintable()
    assert len(markdown_table(HEADER, [[name, 0.5]]).split("\n")) == 3


def test_long_names_are_cut_in_a_terminal_only():
    name = "x" * 10_000
    line = text_table(HEADER, [[name, 0.5]]).split("\n")[2]
    assert line == "x" * (MOST_CHARACTERS - 1) + "…  0.5"
    assert name in html_table(HEADER, [[name, 0.5]])


def test_what_is_not_defined_is_a_dash():
    assert text_table(HEADER, [["a", float("nan")], ["b", None]]).split("\n")[2:] == ["a     –", "b     –"]


def test_separators_of_the_format_are_escaped():
    assert markdown_table(HEADER, [["a|b", None]]).split("\n")[2] == r"| a\|b | – |"
    assert "<b>" not in html_table(HEADER, [["<b>", 1]], caption="<b>")


def test_numbers_yes_and_no():
    assert text_table(["x", "y"], [[0.123456, True], [12, False]]).split("\n")[2:] == ["0.1235  yes", "    12   no"]


WORDS = st.text("ab_-/ é", min_size=1, max_size=70).map(str.strip).filter(bool)
VALUES = st.one_of(st.integers(-(10**9), 10**9), st.floats(-1e9, 1e9), st.none())


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=9))
    header = [draw(WORDS) for _ in kinds]
    rows = draw(st.integers(0, 4))
    return header, [[draw(VALUES if number else WORDS) for number in kinds] for _ in range(rows)]


@given(tables(), st.integers(40, 120))
def test_every_table_fits_and_loses_nothing(table, width):
    """Only a key and one column that are too wide together may be wider; every character stands somewhere."""
    header, rows = table
    columns = columns_of(header, rows)
    blocks = aligned(columns, width)
    shown = 0
    for block in blocks:
        lines = [*block.head, block.rule, *(line for row in block.rows for line in row)]
        count = len(block.rule.split())
        shown += count - (block is not blocks[0])
        assert max(map(len, lines)) <= width or count <= 2
        assert len(block.rows) == len(rows)
    assert shown == len(columns)
    text = "".join("".join([*b.head, *(line for row in b.rows for line in row)]) for b in blocks)
    for column in columns:
        for cell in column.cells:
            if column.kind == "number":
                assert cell in text, "a number is never broken"
            assert all(text.count(c) >= cell.count(c) for c in set(cell) - {" "})


@given(WORDS, st.integers(1, 30))
def test_wrapping_keeps_every_character(text, width):
    lines = wrapped(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert max(map(len, lines)) <= width


def test_headers_break_before_words_and_words_before_the_table(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    wide = [f"quantity_of_interest_{i}" for i in range(6)]
    lines = text_table(["name", *wide], [["x", *range(6)]]).split("\n")
    rule = next(i for i, line in enumerate(lines) if line.startswith("----"))
    assert rule > 1  # several lines of headers, in one block
    assert len(lines) == rule + 2
    assert lines[-1].split() == ["x", *map(str, range(6))]
    lines = text_table(["name", "what"], [["x", "several words " * 9]]).split("\n")
    assert len(lines) == 4
    assert lines[3].startswith("      several")
    twice = text_table(["name", *map(str, range(12))], [["x", *[0.123456] * 12]]).split("\n\n")
    assert len(twice) == 2
    assert all(block.startswith("name") for block in twice)


def test_numbers_in_text_are_not_broken(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = text_table(["estimate", "what"], [["1.2e-05 ± 3e-06", "some words that are long enough to wrap"]])
    assert "1.2e-05 ± 3e-06" in lines.split("\n")[2]


def test_the_terminal_decides_and_80_columns_are_the_rule(monkeypatch):
    row = [["x", *[0.123456] * 12]]
    header = ["name", *map(str, range(12))]
    monkeypatch.delenv("COLUMNS", raising=False)
    assert "\n\n" in text_table(header, row)
    monkeypatch.setenv("COLUMNS", "200")
    assert "\n\n" not in text_table(header, row)
    monkeypatch.setenv("COLUMNS", "3")  # nothing could be read: at least 40 are used
    assert max(map(len, text_table(header, row).split("\n"))) in range(20, 41)


def test_sentences_are_folded_and_tables_left_alone(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    table = text_table(["name", "p"], [["x" * 70, 0.25]]).replace("0.25", "0.25" + " " * 3 + "0" * 20)
    text = f"warning {'word ' * 30}\n{table}\nwritten: {'long/' * 40}file"
    lines = folded(text).split("\n")
    assert lines[1].startswith("        word")
    assert max(map(len, lines[:2])) <= 80
    assert table in folded(text)
    assert f"{'long/' * 40}file" in folded(text)
    assert folded("a " * 60, indent=11).split("\n")[1].startswith(" " * 11 + "a")
