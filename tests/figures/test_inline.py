"""What a notebook shows of a result: an escaped table and one picture that fetches nothing and stays small."""

from __future__ import annotations

import inspect
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

from typeone import figures, jecs, panels, plan, pooling, scf
from typeone.engine.lookup import changed, design_called
from typeone.engine.summary import summarize
from typeone.figures.inline import drift as drift_in_a_cell
from typeone.figures.inline import run as run_in_a_cell
from typeone.pooling.drift import drift

NASTY = "<b>&\"'x"
MOST_BYTES = 300_000


class Pages(HTMLParser):
    """Open elements, and the texts of each kind of element."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.references: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href", "style")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(page: str) -> Pages:
    """Parse a fragment: well-formed, one picture, no address, no rule for the rest of the page, small."""
    found = Pages()
    found.feed(page)
    found.close()
    assert found.open == []
    ElementTree.fromstring(f"<div>{page}</div>")
    assert found.seen.count("svg") == 1
    assert not {"style", "script", "link", "b"} & set(found.seen)
    assert "://" not in page
    assert all(ref.startswith(("#", "data:image/png")) or ":" in ref[:40] for ref in found.references)
    assert len(page.encode()) < MOST_BYTES
    return found


def source_result(targets: int = 30) -> Any:
    g = np.random.default_rng(5)
    names = [f"s{i}" for i in range(targets + 40)]
    names[-1] = NASTY
    roles = ["reference"] * 20 + ["calibration"] * 20 + ["target"] * targets
    data = {"source": names, "score": [*g.random(len(names) - 1), 2.0], "role": roles}
    return scf.apply(pa.table(data), role="role", options=scf.Options(levels=[".05", ".1"]))


def item_result(candidates: int = 60) -> Any:
    g = np.random.default_rng(6)
    n = candidates + 100
    data = {"item": [*map(str, range(n - 1)), NASTY], "role": ["calibration"] * 100 + ["candidate"] * candidates}
    data |= {name: [*g.random(n - 1), -1.0] for name in ("m<1>", "m2")}
    return jecs.apply(pa.table(data), item="item", model=None, role="role", score=["m<1>", "m2"])


def vote_result(units: int = 12) -> Any:
    g = np.random.default_rng(7)
    names = [NASTY, *(f"u{i}" for i in range(units - 1))]
    votes = (g.random((40, units)) < np.linspace(0, 1, units)).astype(int)
    return panels.apply(pa.table({"evaluator": range(40)} | {u: votes[:, i] for i, u in enumerate(names)}))


def pooled_result(items: int = 40) -> Any:
    g = np.random.default_rng(8)
    truth = g.integers(0, 2, items)
    names = [NASTY, *(f"i{i}" for i in range(items - 1))]
    votes = {"item": [n for n in names for _ in range(5)], "source": [*"abcde"] * items}
    right = g.random(5 * items) < 0.8
    labels = np.repeat(truth, 5)
    return pooling.apply(
        pa.table(votes | {"vote": np.where(right, labels, 1 - labels), "truth": labels}), label="truth"
    )


RESULTS = {"scf": source_result, "jecs": item_result, "panels": vote_result, "pooling": pooled_result}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_a_table_and_a_picture(name: str) -> None:
    result = RESULTS[name]()
    page = result._repr_html_()
    found = read(page)
    assert "table" in found.seen
    assert result.title in " ".join(found.texts)
    assert NASTY in found.texts
    assert result._repr_html_() == page, "the same bytes each time"


@pytest.mark.parametrize(("name", "size"), [("scf", 20_000), ("jecs", 50_000), ("panels", 3000), ("pooling", 20_000)])
def test_a_large_result_stays_small(name: str, size: int) -> None:
    read(RESULTS[name](size)._repr_html_())


def test_numbers_in_the_picture_are_whole() -> None:
    result = item_result()
    words = " ".join(read(result._repr_html_()).texts)
    assert f"λ = {float(result.envelope.lam):.4g}" in words


@pytest.mark.parametrize(("target", "name"), [("error<=.01", "minimum 84"), ("error<=.000000001", "target 1e-09")])
def test_a_plan_is_a_table_and_its_curve(target: str, name: str, tmp_path: Path) -> None:
    question = plan.Question(design=design_called("panel-flips"), target=target, vary=("K=1:120",))
    found = read(plan.answer(question, tmp_path)._repr_html_())
    assert "table" in found.seen
    assert name in found.texts


def test_a_simulated_plan_draws_its_bounds_and_one_line_for_each_second_size(tmp_path: Path) -> None:
    design = changed(design_called("coin"), {"heads": "1/2", "excess": "0.2"})
    question = plan.Question(design=design, target="error@0.05:bold<=.2", vary=("flips=2:4",), most=400, first=100)
    result = plan.answer(question, tmp_path)
    read(result._repr_html_())
    curve = [row | {"outer": outer} for row in result.curve.to_pylist() for outer in (1, 2)]
    ax = figures.plan_curve(curve, name="flips", target=0.2)
    assert ax.get_legend_handles_labels()[1] == ["second factor 1", "second factor 2", "target 0.2"]
    with pytest.raises(ValueError, match="no size has an estimate"):
        figures.plan_curve([], name="flips")


def test_a_run_is_dots_of_its_promised_measure(coins: Path) -> None:
    summary = summarize(coins)
    found = read(run_in_a_cell.draw(summary))
    assert "error" in found.texts
    assert "bold, cell 3, level 0.1" in found.texts
    assert run_in_a_cell.draw(summary.slice(0, 0)) == ""


def test_a_vote_rule_is_its_operating_points() -> None:
    result = drift(3, ".7", [2, 5, 9, 15])
    found = read(drift_in_a_cell.draw(result))
    assert "TPR of the rule" in found.texts
    ax = figures.count_rule(result.to_arrow(), tau=3)
    drawn = [points for points in ax.collections if hasattr(points, "get_offsets") and len(points.get_offsets()) == 4]
    heights = np.array([row["fpr"] for row in result.to_arrow().to_pylist()])
    assert any(np.allclose(points.get_offsets()[:, 1], heights) for points in drawn)
    with pytest.raises(ValueError, match="at least one number"):
        figures.count_rule([], tau=3)


def test_matplotlib_is_imported_when_a_notebook_shows_a_result_and_not_before() -> None:
    program = (
        "import sys, typeone; from typeone import scf, jecs, panels, pooling, plan\n"
        "r = scf.apply({'source': list('abcdef'), 'score': [1., 2, 3, 4, 5, 6],"
        " 'role': ['reference'] * 2 + ['calibration'] * 2 + ['target'] * 2}, role='role')\n"
        "str(r); assert 'matplotlib' not in sys.modules\n"
        "r._repr_html_(); assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_every_public_picture_is_exported() -> None:
    """A function that returns Axes, in whatever module, is reached from typeone.figures."""
    found = 0
    for module in iter_modules(figures.__path__):
        if module.name == "style":  # pieces of pictures
            continue
        for name, value in vars(import_module(f"typeone.figures.{module.name}")).items():
            returned = str(getattr(value, "__annotations__", {}).get("return"))
            if inspect.isfunction(value) and returned in ("Axes", "tuple[Axes, Axes]") and name[0] != "_":
                found += 1
                assert name in figures.__all__
    assert found >= len(figures.__all__) - 1  # all but the LaTeX table
    assert figures.__all__ == sorted(figures.__all__)
