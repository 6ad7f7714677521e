"""The measuring itself: ratios, verdicts, exponents, what is written."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.rows import Implementation, Row, Target
from benchmarks.timing import Ratio, Timing, interleaved, short

from benchmarks import compare, compiling, growth, measure, pictures, report


def test_ratio_pairs_rounds() -> None:
    ratio = Ratio.of(Timing((2.0, 4.0, 9.0)), Timing((1.0, 2.0, 3.0)))
    assert ratio.median == 2.0
    assert (ratio.least, ratio.largest) == (2.0, 3.0)


def test_interleaved_turns_the_order() -> None:
    seen: list[str] = []
    measures = {name: (lambda name=name: (seen.append(name), 1.0)[1]) for name in "abc"}
    times = interleaved(measures, rounds=3)
    assert "".join(seen) == "abc" + "abc" + "bca" + "cab"
    assert times["a"].seconds == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("value", "limit", "stretch", "rule", "said"),
    [
        (1.9, 2, 1.2, "at most", "met"),
        (1.1, 2, 1.2, "at most", "stretch met"),
        (2.1, 2, 1.2, "at most", "missed"),
        (9, 10, None, "at least", "missed"),
        (10, 10, None, "at least", "met"),
        (12, 4, 10, "at least", "stretch met"),
        (7, None, 6, "at most", "stretch missed"),
    ],
)
def test_verdicts(value: float, limit: float | None, stretch: float | None, rule: str, said: str) -> None:
    assert measure.verdict(value, limit, stretch, rule) == said


def test_no_time_counts_when_the_output_is_wrong() -> None:
    def build(_: object) -> dict[str, Implementation]:
        return {
            "ours": Implementation(lambda: 1, 1, lambda output: "wrong" if output == 1 else ""),
            "twin": Implementation(lambda: 2),
            "absent": Implementation(lambda: None, missing="not here"),
        }

    row = Row("r", "work", "call", build, (Target("twin", least=1e-9), Target("absent", least=1)))
    found = measure.measured(row, quick=True)
    assert found["targets"][0]["verdict"] == "output differs"
    assert found["unmeasured"] == ["absent"]


def test_slope() -> None:
    sizes = (10, 100, 1000)
    assert growth.slope(sizes, [Timing((3.0 * n**1.5,)) for n in sizes]) == pytest.approx(1.5)


def test_outermost_events() -> None:
    marks = [(0.0, True), (1.0, True), (2.0, False), (3.0, False), (5.0, True), (6.0, False)]
    assert compiling.outermost([(t, SimpleNamespace(is_start=start)) for t, start in marks]) == 4.0


@pytest.mark.parametrize(("value", "text"), [(1234.5, "1234"), (12.345, "12.3"), (0.01234, "0.0123"), (3e-9, "3e-09")])
def test_short(value: float, text: str) -> None:
    assert short(value) == text


def _ratio(value: float) -> dict[str, float]:
    return vars(Ratio.of(Timing((value,) * 3), Timing((1.0,) * 3)))


@pytest.fixture
def data() -> dict[str, object]:
    ours = {"median": 2e-4, "over_ours": _ratio(1), "note": "", "compared": True, "differs": ""}
    target = {
        "other": "twin",
        "rule": "at least",
        "limit": 5,
        "stretch": 10,
        "value": 4.0,
        "ratio": _ratio(4.0),
        "verdict": "missed",
    }
    row = {
        "name": "r",
        "work": "some work",
        "unit": "call",
        "implementations": {"ours": ours, "gone": {"missing": "not installed"}},
        "targets": [target],
        "unmeasured": ["gone"],
    }
    grown = {
        "name": "n",
        "sizes": [1, 10],
        "seconds": [1e-3, 1e-2],
        "sort_seconds": [1e-3, 2e-2],
        "exponent": 1.0,
        "sort_exponent": 1.3,
        "verdict": "met",
    }
    machine = {
        "date": "2026-01-01T00:00:00+00:00",
        "processor": "x",
        "cores": 2,
        "load": 0.0,
        "python": "3",
        "versions": {"numpy": "2"},
        "commit": "abc",
    }
    keys = {"workers": [], "startup": [], "variance": [], "compile": {"r": 1.0}}
    return {"machine": machine, "quick": False, "minutes": 1.0, "rows": [row], "growth": [grown], **keys}


def test_report_says_what_is_missed_and_missing(data: dict[str, object]) -> None:
    page = report.markdown(data, "python -m benchmarks")
    assert "| some work | 200 µs a call | ≥ 5.00 × twin; stretch ≥ 10.0 × | 4.00 (4.00–4.00) | **missed** |" in page
    assert "not measured: not installed" in page
    assert "python -m benchmarks" in page
    assert "quick" not in page


def test_every_line_of_the_targets_names_its_work(data: dict[str, object]) -> None:
    assert [line[:2] for line in report.targets(data)] == [["some work", "200 µs a call"]] * 2
    assert [line[4] for line in report.targets(data)] == ["missed", "not measured: not installed"]


def test_report_marks_quick_numbers(data: dict[str, object]) -> None:
    page = report.markdown(data | {"quick": True}, "x")
    assert "**Quick" in page
    assert "missed" not in page


def test_figures_are_the_same_bytes(data: dict[str, object], tmp_path: Path) -> None:
    for name, draw in (("rows", pictures.ratios), ("growth", pictures.growth)):
        for i in range(2):
            pictures.save(draw(data[name]), tmp_path / f"{name}{i}.svg")  # type: ignore[arg-type]
        assert (tmp_path / f"{name}0.svg").read_bytes() == (tmp_path / f"{name}1.svg").read_bytes()


def test_compare_measures_in_a_process_of_the_given_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    path = compare.environment(Path("/elsewhere"))["PYTHONPATH"].split(":")
    assert path[:2] == ["/elsewhere/sim", "/elsewhere/kernels"]
    found = compare.one_process(compare.ROOT, ["bh-m1e4"], True)
    assert found["bh-m1e4"] > 0


NOTHING_SELECTED = """

@kernel
def bh_cutoff(numerators, denominators, counts, top, level, unit):
    return 0
"""


def test_compare_refuses_a_wrong_output(tmp_path: Path) -> None:
    """A tree whose BH selects nothing is told, not timed."""
    for part in ("sim", "kernels"):
        shutil.copytree(compare.ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "kernels" / "typeone_kernels" / "selection.py").open("a") as kernels:
        kernels.write(NOTHING_SELECTED)
    with pytest.raises(SystemExit, match="decisions"):
        compare.one_process(tmp_path, ["bh-m1e4"], True)


def test_numbers_are_plain_json(data: dict[str, object]) -> None:
    row = growth.growth("JECS K", quick=True)
    assert json.loads(json.dumps(row))["name"] == "JECS K"
    assert np.isfinite(row["exponent"])


def test_python_is_this_one() -> None:
    from benchmarks import startup

    assert startup.HELP[0] == sys.executable
