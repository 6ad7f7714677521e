"""The drift figure shows what the summary of a pooling run says, and is offered for such runs only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection

from typeone.engine.lookup import changed, design_called
from typeone.engine.runner import run
from typeone.figures import style
from typeone.figures.catalog import pictures
from typeone.figures.drift import drift
from typeone.figures.stored import Stored

RULES = ["count", "pooled", "share"]


@pytest.fixture(scope="session")
def pooled(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """The preset's 20 cells: four settings at 3, 6, 12, 24 and 48 sources."""
    folder = tmp_path_factory.mktemp("pooling") / "run"
    run(changed(design_called("pooling-drift"), {"repetitions": 20, "items": 40}), folder, backend="threading")
    return Stored.open(folder)


def one_setting(stored: Stored) -> list[dict[str, Any]]:
    return [row for row in stored.records if row["reliability"] == "0.8" and row["partial"] == "0"]


def estimates(rows: list[dict[str, Any]], measure: str, method: str) -> list[tuple[int, float]]:
    found = [r for r in rows if (r["measure"], r["method"]) == (measure, method) and r["estimate"] is not None]
    return sorted((row["n"], row["estimate"]) for row in found)


def marks(ax: Axes) -> list[np.ndarray]:
    return [np.asarray(c.get_offsets()) for c in ax.collections if isinstance(c, PathCollection)]


def test_marks_are_simulated_lines_exact_and_points_the_operating_points(pooled: Stored) -> None:
    rows = one_setting(pooled)
    rate, point = drift(rows[::-1], level="0.05", looks=style.looks(RULES))
    by_color = {
        line.get_color(): np.column_stack(line.get_data()) for line in rate.get_lines() if len(line.get_xdata())
    }
    for name, look in style.looks(RULES).items():
        assert any(np.array_equal(m, estimates(rows, "fpr", name)) for m in marks(rate))
        assert any(np.array_equal(m, estimates(rows, "operating_point", name)) for m in marks(point))
        np.testing.assert_array_equal(by_color[look.color], estimates(rows, "fpr_exact", name))
    ends = [np.array(c.get_segments()) for c in rate.collections if isinstance(c, LineCollection)]
    lower, upper = ends[0][:, 0, 1], ends[0][:, 1, 1]
    assert (lower <= upper).all()
    assert (lower < upper).any()
    assert [label.get_text() for label in rate.get_xticklabels()] == ["3", "6", "12", "24", "48"]
    level_line = next(line for line in point.get_lines() if line.get_color() == style.FAINT)
    assert set(level_line.get_ydata()) == {0.95}


def test_the_vote_rule_drifts_and_the_pooled_rule_stays(pooled: Stored) -> None:
    rate, point = drift(one_setting(pooled), level="0.05", looks=style.looks(RULES))
    count, pooled_rule = (style.looks(RULES)[name].color for name in ("count", "pooled"))

    def line(ax: Axes, color: str) -> np.ndarray:
        return next(np.asarray(x.get_ydata()) for x in ax.get_lines() if x.get_color() == color and len(x.get_xdata()))

    assert line(rate, count)[0] < 0.05 < 0.95 < line(rate, count)[-1]
    assert line(rate, pooled_rule).max() < 0.05
    assert (np.diff(line(point, count)) < 0).all()
    np.testing.assert_allclose(line(point, pooled_rule), 0.95, rtol=1e-12)


def test_every_mark_names_its_row(pooled: Stored) -> None:
    rate, point = drift(one_setting(pooled), level="0.05")
    for ax, measure in ((rate, "fpr"), (point, "operating_point")):
        named = {url for c in ax.collections if isinstance(c, PathCollection) for url in c.get_urls() if url}
        assert named == {f"row:{r['row']}" for r in one_setting(pooled) if r["measure"] == measure}


def test_offered_once_for_each_level_and_drawn_with_a_column_for_each_setting(pooled: Stored, tmp_path: Path) -> None:
    offered = [picture for picture in pictures(pooled) if picture.name.startswith("drift")]
    assert [picture.name for picture in offered] == ["drift-0.05"]
    assert "20 repetitions in each cell" in offered[0].caption
    figure = offered[0].draw()
    assert len(figure.axes) == 8
    assert sum("reliability" in ax.get_title() for ax in figure.axes) == 4
    assert [text.get_text() for text in figure.legends[0].get_texts()] == RULES
    style.save(figure, tmp_path / "drift.png", offered[0].caption)


def test_not_offered_without_operating_points_or_with_one_number_of_sources(
    pooled: Stored, coins: Path, tmp_path: Path
) -> None:
    assert not [p for p in pictures(Stored.open(coins)) if p.name.startswith("drift")]
    design = changed(design_called("pooling-drift"), {"repetitions": 3, "items": 10, "n": 3})
    run(design, tmp_path / "one", backend="threading")
    assert not [p for p in pictures(Stored.open(tmp_path / "one")) if p.name.startswith("drift")]
