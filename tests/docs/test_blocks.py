"""Every block of README and docs runs, in order, in an empty folder, and prints what is shown: tests/documents.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents import ROOT, TABLE, Block, Reader, blocks, pages, parse, shortened, table

NAMES = [str(page.relative_to(ROOT)) for page in pages()]
OWN_TEST = "docs/adding-a-method.md"  # read by test_fifth_method.py


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != OWN_TEST])
def test_blocks_run_and_print_what_is_shown(name: str, tmp_path: Path) -> None:
    Reader(tmp_path).check((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_those_of_the_results(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text.count("<!-- table ") == len(TABLE.findall(text))
    for shown in TABLE.finditer(text):
        assert table(shown["file"], shown["columns"], shown["where"]) == shown["rows"], shown[0]


def test_enough_is_found() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = blocks(text)
    assert text.count("\n```") == 2 * len(found)
    assert sum(block.language == "sh" for block in found) >= 5
    assert sum(bool(block.of) for block in found) >= 3


@pytest.mark.parametrize(
    ("block", "rule"),
    [
        (Block("sh", "", "", "rm -r runs\n"), "no rule"),
        (Block("sh", "", "", "make coffee\n"), "no such target"),
        (Block("sh", "", "", "typeone show scf-rael\n"), "did you mean"),
        (Block("sh", "", "", "typeone run coin --flops 3 --backend dask\n"), "no such factor"),
        (Block("sh", "", "", "dask worker tcp://HEAD:8786 --nproc 8\n"), "no option --nproc"),
        (Block("python", "", "", "from dask_jobqueue import\n"), "invalid syntax"),
        (Block("yaml", "", "", "a: 1\n"), "no rule"),
        (Block("python", "", "", "assert 1 == 2, 'false'\n"), "false"),
    ],
)
def test_what_does_not_work_is_noticed(block: Block, rule: str, tmp_path: Path) -> None:
    with pytest.raises((ValueError, RuntimeError, AssertionError, SyntaxError), match=rule):
        Reader(tmp_path).read(block)


def test_an_output_needs_its_command(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="without the command"):
        Reader(tmp_path).output("")


def test_cluster_lines_are_parsed() -> None:
    parse("typeone run coin --out x --backend dask --address tcp://scheduler:8786 --flips 4,5")
    with pytest.raises(ValueError, match="did you mean 'flips'"):
        parse("typeone run coin --out x --backend dask --flip 4")


def test_long_outputs_are_shortened() -> None:
    assert shortened("a  \nb\n") == "a\nb\n"
    assert shortened("x\n" * 100).count("\n") == 19
