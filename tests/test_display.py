"""Cells of tables: nothing in a name can break a line, a column or a page."""

import pytest

from typeone.display import MOST_CHARACTERS, html_table, markdown_table, text_table

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


def test_separators_of_the_format_are_escaped():
    assert markdown_table(HEADER, [["a|b", None]]).split("\n")[2] == r"| a\|b | – |"
    assert "<b>" not in html_table(HEADER, [["<b>", 1]], caption="<b>")


def test_numbers_yes_and_no():
    assert text_table(["x", "y"], [[0.123456, True], [12, False]]).split("\n")[2:] == ["0.1235  yes", "    12   no"]
