"""The pictures of a run: which there are, and that every one can be drawn, saved, and made again."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.axes import Axes
from PIL import Image

from typeone.cli.root import main
from typeone.figures import style
from typeone.figures.catalog import pictures
from typeone.figures.stored import Stored


def names(run: Stored) -> list[str]:
    return [picture.name for picture in pictures(run)]


def test_a_small_design_has_a_panel_for_each_cell(stored: Stored) -> None:
    found = names(stored)
    assert found[0] == "level-error"
    assert {"zip-error", "map-error-0.05", "map-error-0.1", "map-share", "estimates-heads", "wins-gain-0.05"} <= set(
        found
    )
    assert not [name for name in found if name.startswith("nested")]
    assert len(found) == len(set(found))


def test_a_large_grid_has_maps_and_nested_loops(grid: Path) -> None:
    found = names(Stored.open(grid))
    assert {"nested-error-0.05", "nested-heads", "map-error-0.05", "zip-error"} <= set(found)
    assert not [name for name in found if name.startswith(("level", "wins"))]


def test_every_picture_says_how_often_and_how_surely(stored: Stored) -> None:
    for picture in pictures(stored):
        assert "400 repetitions in each cell" in picture.caption
        assert "Monte Carlo standard error" in picture.caption
        assert picture.caption.endswith(".")


def test_every_picture_of_a_small_design_can_be_drawn(stored: Stored, tmp_path: Path) -> None:
    for picture in pictures(stored):
        figure = picture.draw()
        for ax in figure.axes:
            assert isinstance(ax, Axes)
        file = tmp_path / f"{picture.name}.png"
        style.save(figure, file, picture.caption)
        with Image.open(file) as image:
            low, high = image.convert("L").getextrema()
            assert image.width > 500
            assert low < 80 < 250 < high, "neither empty nor dark"


def test_every_picture_of_a_grid_can_be_drawn(grid: Path, tmp_path: Path) -> None:
    for picture in pictures(Stored.open(grid)):
        if picture.name.startswith(("nested-error", "map-error-0.05")):
            style.save(picture.draw(), tmp_path / f"{picture.name}.svg", picture.caption)


@pytest.mark.parametrize("kind", style.FORMATS)
def test_files_are_equal_when_made_again(stored: Stored, tmp_path: Path, kind: str) -> None:
    picture = pictures(stored)[0]
    files = [tmp_path / "one" / f"{picture.name}.{kind}", tmp_path / "two" / f"{picture.name}.{kind}"]
    for file in files:
        file.parent.mkdir()
        style.save(picture.draw(), file, picture.caption)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].read_bytes().startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[kind])
    assert b"row:" not in files[0].read_bytes()


def test_plot_writes_one_figure_on_demand(coins: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["plot", str(coins), "--figure", "zip-error", "--format", "pdf", "--out", str(tmp_path / "new")])
    assert left.value.code == 0
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["zip-error.pdf"]
    assert "zip-error.pdf" in capsys.readouterr().out


def test_plot_lists_names_and_refuses_unknown_ones(coins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["plot", str(coins), "--names"])
    assert "zip-error" in capsys.readouterr().out
    for wrong, told in (
        (["--figure", "zip-eror"], "zip-error"),
        (["--format", "jpg"], "no such format"),
        (["--format", "tex", "--figure", "zip-error"], "tables, not figures"),
    ):
        with pytest.raises(SystemExit) as left:
            main(["plot", str(coins), *wrong])
        assert left.value.code == 2
        assert told in capsys.readouterr().err
    assert not (coins / "figures" / "zip-error.svg").exists()


def test_plot_writes_tables_for_latex(coins: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["plot", str(coins), "--format", "tex", "--out", str(tmp_path)])
    text = (tmp_path / "coin-1.tex").read_text(encoding="utf-8")
    assert r"1,600 repetitions, 0 failed, seed 1" in text
    assert text.count(r"$\pm$") >= 16
    assert r"\label{tab:coin-1}" in text
