"""What each figure shows is what the table says."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import AxLine
from matplotlib.patches import StepPatch
from scipy import stats

from typeone import figures, panels, scf
from typeone.engine.study import Measure
from typeone.figures import decisions, style
from typeone.figures.rows import in_order, numeric, statement
from typeone.figures.stored import Stored
from typeone.roc import auroc


def row(**values: Any) -> dict[str, Any]:
    """A row of a summary."""
    usual = {
        "cell": 0, "method": "a", "measure": "error", "level": "0.05", "estimate": 0.05, "mc_se": 0.01, "lower": 0.03,
        "upper": 0.08, "attempted": 100, "valid": 100, "failed": 0, "verdict": None, "bounds": "fixed",
    }  # fmt: skip
    return usual | values


def points(ax: Axes) -> list[np.ndarray]:
    """The places of all markers, one array for each set."""
    return [np.asarray(c.get_offsets()) for c in ax.collections if isinstance(c, PathCollection)]


def ends(ax: Axes) -> list[np.ndarray]:
    """The segments of all error bars."""
    return [np.array(c.get_segments()) for c in ax.collections if isinstance(c, LineCollection)]


def links(ax: Axes) -> list[str]:
    return [url for c in ax.collections for url in c.get_urls() if url]


class TestAgainstLevel:
    ROWS = (
        row(level="0.1", estimate=0.12, lower=0.1, upper=0.15, row=7),
        row(level="1/20", estimate=0.04, lower=0.02, upper=0.07, row=3),
    )

    def test_estimates_stand_at_their_levels_in_order(self) -> None:
        ax = figures.against_level(self.ROWS, measure="error")
        np.testing.assert_allclose(points(ax)[0], [[0.05, 0.04], [0.1, 0.12]])
        np.testing.assert_allclose(ends(ax)[0][:, :, 1], [[0.02, 0.07], [0.1, 0.15]])
        assert links(ax) == ["row:3", "row:7"]
        assert ax.get_ylim()[0] == 0
        assert ax.get_ylim()[1] > 0.15

    def test_diagonal_is_drawn_for_claims_only(self) -> None:
        plain = figures.against_level(self.ROWS, measure="error")
        claimed = figures.against_level(self.ROWS, measure="error", diagonal=True)
        assert "rate = level" not in plain.get_legend_handles_labels()[1]
        assert "rate = level" in claimed.get_legend_handles_labels()[1]

    def test_an_axes_of_the_caller_is_used(self) -> None:
        ax = style.panels(1)[1][0]
        assert figures.against_level(pa.Table.from_pylist(list(self.ROWS)), ax, measure="error") is ax

    def test_a_measure_that_is_not_there_is_named(self) -> None:
        with pytest.raises(ValueError, match=r"no row of the table has an estimate and .*power"):
            figures.against_level(self.ROWS, measure="power")

    def test_panels_with_one_scale_show_the_highest_interval(self) -> None:
        _, grid = style.panels(2, shared=True)
        high = row(estimate=0.5, lower=0.4, upper=0.9)
        for ax, rows in zip(grid, ([high], [row()]), strict=True):
            figures.against_level(rows, ax, measure="error")
        assert grid[0].get_ylim() == grid[1].get_ylim()
        assert grid[1].get_ylim()[1] > 0.9


class TestRoc:
    SCORES = (3, 3, 2, 2, 1, 0)
    LABELS = (1, 0, 1, 1, 0, 0)

    def test_area_under_the_line_is_the_auroc_ties_included(self) -> None:
        ax = figures.roc(self.SCORES, self.LABELS)
        x, y = next(line for line in ax.get_lines() if len(np.asarray(line.get_xdata())) > 2).get_data()
        assert np.trapezoid(y, x) == pytest.approx(auroc(self.SCORES, self.LABELS), rel=1e-14)
        np.testing.assert_allclose(x, np.array([0, 1, 1, 2, 3]) / 3)
        np.testing.assert_allclose(y, np.array([0, 1, 3, 3, 3]) / 3)

    def test_band_is_clopper_pearson_at_each_threshold(self) -> None:
        ax = figures.roc(self.SCORES, self.LABELS, confidence="0.9")
        vertices = ax.collections[0].get_paths()[0].vertices
        at_third = {round(float(y), 12) for x, y in vertices if abs(x - 1 / 3) < 1e-12}
        for k in (1, 3):
            ends = stats.binomtest(k, 3).proportion_ci(0.9, method="exact")
            assert round(float(ends.low), 12) in at_third
            assert round(float(ends.high), 12) in at_third

    def test_operating_points_pair_both_rates(self) -> None:
        rows = [
            row(level="0.1", estimate=0.09, row=1),
            row(level="0.1", measure="power", estimate=0.6, row=2),
            row(measure="power", estimate=0.4, row=3),
            row(row=4),
            row(measure="power", method="b", row=5),
        ]
        ax = figures.operating_points(rows, error="error", found="power")
        np.testing.assert_allclose(points(ax)[0], [[0.05, 0.4], [0.09, 0.6]])
        assert links(ax) == ["row:3", "row:2"]
        for low, high in (ax.get_xlim(), ax.get_ylim()):
            assert -0.05 < low < 0
            assert 0.6 < high < 0.8
        diagonal = next(line for line in ax.get_lines() if isinstance(line, AxLine))
        assert (diagonal.get_xy1(), diagonal.get_slope()) == ((0, 0), 1)

    def test_offered_for_a_promised_error_and_another_rate_at_the_same_levels(self) -> None:
        error, power = Measure("error", "rate", claim=True), Measure("power", "rate")
        wrong = [row(level=level) for level in ("0.05", "0.1")]
        right = [row(measure="power", level=level) for level in ("0.05", "0.1")]

        def offered(*measures: tuple[Measure, list[dict[str, Any]]], cells: int = 1) -> list[str]:
            manifest = SimpleNamespace(factors=[{}] * cells)
            run: Any = SimpleNamespace(manifest=manifest, measures=lambda *kinds: iter(measures))
            return [picture.name for picture in import_module("typeone.figures.roc").offers(run)]

        assert offered((error, wrong), (power, right)) == ["roc-power"]
        assert offered((error, wrong), (power, right), cells=style.MOST_PANELS + 1) == []
        assert offered((error, wrong), (power, right[:1])) == []
        assert offered((error, wrong), (power, [r | {"method": "b"} for r in right])) == []
        assert offered((error, wrong)) == []
        assert offered((power, right), (Measure("other", "rate"), wrong)) == []


class TestMaps:
    CELLS = tuple((k, m) for k in (3, 1, 2) for m in ("2", "1/2", "0.9") if (k, m) != (3, "2"))

    def map(self, **options: Any) -> Axes:
        """K M / 10 in every cell but one."""
        rows = [row(K=k, M=m, row=i, estimate=float(k * Fraction(m)) / 10) for i, (k, m) in enumerate(self.CELLS)]
        return figures.power_map(rows, measure="error", x="K", y="M", **options)

    def test_values_are_in_numeric_order_and_a_missing_cell_stays_empty(self) -> None:
        ax = self.map()
        mesh = next(c for c in ax.collections if isinstance(c, QuadMesh))
        shown = np.ma.filled(mesh.get_array().astype(float), np.nan)
        np.testing.assert_allclose(shown, [[0.05, 0.1, 0.15], [0.09, 0.18, 0.27], [0.2, 0.4, np.nan]])
        assert [t.get_text() for t in ax.get_xticklabels()] == ["1", "2", "3"]
        assert [t.get_text() for t in ax.get_yticklabels()] == ["1/2", "0.9", "2"]
        assert len(links(ax)) == 8

    def test_the_target_line_is_drawn_where_the_target_is_crossed(self) -> None:
        inside, outside = self.map(target=0.15), self.map(target=0.9)
        assert len(inside.collections) == len(outside.collections) + 2

    def test_two_rows_for_a_cell_are_refused(self) -> None:
        with pytest.raises(ValueError, match="K=1, M=2: two rows"):
            figures.power_map([row(K=1, M=2), row(K=1, M=2)], measure="error", x="K", y="M")


class TestGrids:
    def test_zip_is_sorted_and_colored_by_verdict(self) -> None:
        rows = [row(estimate=0.2, verdict="violated", row=0), row(estimate=0.01, verdict="holds", row=1),
                row(estimate=0.1, verdict="violated", row=2)]  # fmt: skip
        ax = figures.zip_plot(rows, measure="error", level="0.05")
        handles, labels = ax.get_legend_handles_labels()
        assert labels == ["holds", "violated", "level"]
        assert to_hex(handles[1].get_facecolor()[0]) == style.ALARM
        np.testing.assert_allclose(points(ax)[1], [[0.1, 1], [0.2, 2]])
        assert links(ax) == ["row:1", "row:2", "row:0"]

    def test_nested_loop_orders_cells_by_the_factors_as_named(self) -> None:
        cells = itertools.product((2, 1), ("0.5", "1/4"))
        rows = [row(K=k, r=r, level="", estimate=10.0 * k + float(Fraction(r))) for k, r in cells]
        ax = figures.nested_loop(rows, measure="error", factors=["K", "r"])
        steps = [p for p in ax.patches if isinstance(p, StepPatch)]
        assert steps[0].get_data().values.tolist() == [10.25, 10.5, 20.25, 20.5]
        assert [t.get_text() for t in ax.texts] == ["K: 1, 2", "r: 1/4, 0.5"]
        assert len(steps) == 3
        low = ax.get_ylim()[0]
        assert all(low < np.nanmin(step.get_data().values) < 10.25 for step in steps[1:])

    def test_wins_ties_and_losses_fill_the_bar(self) -> None:
        shares = {"win": 0.5, "tie": 0.2, "loss": 0.3}
        rows = [row(method="a - b", measure="gain", estimate=0.02, row=5)]
        rows += [row(method="a - b", measure=f"gain_{name}", estimate=share) for name, share in shares.items()]
        ax = figures.wins(rows, measure="gain")
        widths = [bar.get_width() for bars in ax.containers for bar in bars]
        assert widths == pytest.approx([0.5, 0.2, 0.3])
        assert [bar.get_x() for bars in ax.containers for bar in bars] == [0, 0.5, 0.7]
        assert "+0.0200 ± 0.01" in [t.get_text() for t in ax.texts]


class TestEstimates:
    def test_a_trend_uses_the_numbers_that_factors_stand_for(self) -> None:
        rows = [row(cap="0.1", estimate=0.3), row(cap="1/20", estimate=0.2), row(cap="0", estimate=0.1)]
        ax = figures.against_factor(rows, measure="error", factor="cap", level="0.05")
        np.testing.assert_allclose(points(ax)[0], [[0, 0.1], [0.05, 0.2], [0.1, 0.3]])

    def test_dots_name_their_rows(self) -> None:
        ax = figures.dots([row(K=1), row(K=2, estimate=0.07)], measure="error", names=["method", "K", "level"])
        assert [t.get_text() for t in ax.get_yticklabels()] == ["a, K 1, level 0.05", "a, K 2, level 0.05"]
        assert [p.tolist() for p in points(ax)] == [[[0.05, 1]], [[0.07, 0]]]


class TestEnvelope:
    P = tuple(np.linspace(0.001, 1, 200))

    def test_chord_and_cut_off(self) -> None:
        left, right = figures.envelope(self.P, lam=0.512, kappa=0.256, scale=0.9, cutoff=0.02, alpha="0.1")
        lines = {line.get_label(): line for line in right.get_lines()}
        chord = lines["chord: bound on contaminated items"].get_data()
        np.testing.assert_allclose(chord, [[0, 0.256], [0, 200 * 0.9 * 0.256]])
        np.testing.assert_allclose(lines["chord / α (α = 0.1)"].get_ydata(), [0, 200 * 0.9 * 0.256 / 0.1])
        assert "cut-off 0.02: 4 selected" in lines
        counts = lines["items with p ≤ t"]
        assert np.asarray(counts.get_ydata())[-1] == sum(p <= 0.256 for p in self.P)
        allowed = next(line for line in left.get_lines() if str(line.get_label()).startswith("null count"))
        np.testing.assert_allclose(allowed.get_ydata(), 200 * 0.9 / 40)

    def test_an_undefined_scale_draws_no_chord(self) -> None:
        _, right = figures.envelope(self.P, lam=0.5, kappa=0.25, scale=math.nan, cutoff=0.0, alpha="0.1")
        assert [line.get_label() for line in right.get_lines()] == ["items with p ≤ t"]

    @pytest.mark.parametrize(
        ("values", "kappa", "message"),
        [([], 0.25, "p_max"), ([0.2, np.nan], 0.25, "p_max"), ([1.2], 0.25, "p_max"), ([0.5], 0.5, "kappa")],
    )
    def test_bad_input(self, values: list[float], kappa: float, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            figures.envelope(values, lam=0.5, kappa=kappa, scale=1.0, cutoff=0.0, alpha="0.1")


class TestTailMap:
    REFERENCE = scf.fit([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], ["a", "a", "b", "b", "c", "c"])

    def test_evidence_is_the_maps_own_and_stops_at_the_cap(self) -> None:
        ax = figures.tail_map(self.REFERENCE, cap="0.3", documents=[0.15, 0.55, 0.7], name="x")
        lines = {line.get_label(): line for line in ax.get_lines()}
        x, y = lines["evidence"].get_data()
        np.testing.assert_allclose(y, self.REFERENCE.evidence(x, "0.3"))
        assert np.max(y) <= -math.log(0.3) + 1e-9
        assert np.max(lines["uncapped"].get_ydata()) > -math.log(0.3)
        open_circles, squares = points(ax)
        assert open_circles[:, 0].tolist() == [0.15]
        assert squares[:, 0].tolist() == [0.55, 0.7]
        mean = self.REFERENCE.evidence([0.15, 0.55, 0.7], "0.3").mean()
        assert f"x: 3 documents, 2 capped, mean {mean:.4g}" in lines

    def test_without_a_cap_or_documents(self) -> None:
        ax = figures.tail_map(self.REFERENCE, cap="0")
        assert [line.get_label() for line in ax.get_lines()] == ["uncapped", "evidence"]


class TestPanels:
    def test_sizes_are_marked_on_the_curve(self) -> None:
        errors, sizes = panels.census_errors(40, [25]), panels.census_sizes(40, [25], delta="0.01")
        ax = figures.error_curves(errors, delta="0.01", labels=["C = 25"], sizes=sizes)
        single = [
            tuple(float(v[0]) for v in line.get_data())
            for line in ax.get_lines()
            if len(np.asarray(line.get_xdata())) == 1
        ]
        stable = 26  # METHODS, section 3
        assert single[1] == (stable, errors[0, stable - 1])
        assert single[0] == (float(sizes.minimum[0]), errors[0, int(sizes.minimum[0]) - 1])

    def test_labels_must_fit(self) -> None:
        with pytest.raises(ValueError, match="2 are needed, not 1"):
            figures.error_curves(np.full((2, 3), 0.1), labels=["one"])

    def test_a_size_that_does_not_exist_is_a_gap(self) -> None:
        sizes = panels.PanelSizes(np.array([3, 0]), np.array([5, 0]))
        ax = figures.stable_sizes(sizes, [1, 2], delta="0.01")
        stable, minimum = (np.asarray(line.get_ydata()) for line in ax.get_lines())
        assert (stable[0], minimum[0]) == (5, 3)
        assert np.isnan([stable[1], minimum[1]]).all()

    def test_phase_diagram_is_in_powers_of_ten(self) -> None:
        ax = figures.phase_diagram([[0.1, 0.01], [0.0, 1.0]], x=[1, 2], y=[3, 4], names=("share", "clarity"))
        mesh = next(c for c in ax.collections if isinstance(c, QuadMesh))
        np.testing.assert_allclose(np.asarray(mesh.get_array()), [[-1, -2], [-12, 0]])
        with pytest.raises(ValueError, match=r"shape \(1, 2\) is needed, not \(2, 2\)"):
            figures.phase_diagram([[1, 1], [1, 1]], x=[1, 2], y=[3], names=("a", "b"))


class TestDecisions:
    def test_p_values_are_sorted_with_their_rows(self) -> None:
        ax = decisions.p_values([0.9, 0.1, 0.5], at=["0.1"], rows=[0, 1, 2])
        np.testing.assert_allclose(points(ax)[0], [[1 / 3, 0.1], [2 / 3, 0.5], [1, 0.9]])
        assert links(ax) == ["row:1", "row:2", "row:0"]
        assert "level 0.1: 1 rejected" in ax.get_legend_handles_labels()[1]

    def test_unit_sizes_leave_none_out(self) -> None:
        ax = decisions.unit_sizes([0.2, 0.5], [3, 0], [5, 0], rows=[0, 1])
        assert [p.tolist() for p in points(ax)] == [[[0.2, 5]], [[0.2, 3]]]
        assert links(ax) == ["row:0", "row:0"]

    def test_posteriors_and_selection(self) -> None:
        ax = decisions.posteriors([0.99, 0.5, 0.01], ["accept", "abstain", "reject"])
        assert [p.tolist() for p in points(ax)] == [[[3, 0.99]], [[2, 0.5]], [[1, 0.01]]]
        ax = decisions.selection([0.01, 0.9], [True, False])
        assert ax.get_legend_handles_labels()[1] == ["all 2 items", "1 selected as clean"]


def test_latex_is_escaped_and_aligned() -> None:
    text = figures.latex_table(["a_b", "n", "ok"], [["50 % & more ~ \\x", 1.23456, True], ["α ≤ 1", None, False]],
                               caption="A # table", label="tab:x")  # fmt: skip
    lines = text.splitlines()
    assert r"\begin{tabular}{lrl}" in lines
    assert r"a\_b & n & ok \\" in lines
    assert r"50 \% \& more \textasciitilde{} \textbackslash{}x & 1.235 & yes \\" in lines
    assert r"$\alpha$ $\leq$ 1 & -- & no \\" in lines
    assert r"\caption{A \# table}" in lines
    assert [line for line in lines if line in (r"\toprule", r"\midrule", r"\bottomrule")] == [
        r"\toprule", r"\midrule", r"\bottomrule",
    ]  # fmt: skip


def test_looks_differ_without_color_and_colors_in_grey() -> None:
    several = list(style.looks("abcdef").values())
    assert len({look.marker for look in several}) == 6
    assert len({str(look.dash) for look in several}) == 6
    again = list(style.looks(map(str, range(24))).values())
    assert len({(look.color, look.marker, str(look.dash)) for look in again}) == 24
    for color in style.COLORS:
        red, green, blue = to_rgb(color)
        assert 0.299 * red + 0.587 * green + 0.114 * blue < 0.62, "too faint on white paper"


def test_order_and_words() -> None:
    assert in_order(["0.1", "1/20", "2"]) == ["1/20", "0.1", "2"]
    assert in_order([10, 9, "x"]) == [10, 9, "x"]
    assert numeric(True) is None
    assert numeric("1/20") == Fraction(1, 20)
    rows = [row(attempted=1000, failed=2), row(attempted=60, valid=50, cell=1, mc_se=0.25, bounds="sequence")]
    told = statement(rows)
    assert told.startswith("60 to 1,000 repetitions in each cell, 2 failed, up to ")
    assert "standard error at most 0.25; bars are intervals (valid at every look, one at a time)." in told


def test_importing_figures_leaves_pyplot_alone_and_the_command_line_leaves_matplotlib_alone() -> None:
    program = (
        "import sys; from typeone.cli.root import tree, main; tree(); assert 'matplotlib' not in sys.modules;"
        "import typeone.figures, typeone.figures.catalog; assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no run"):
        Stored.open(tmp_path)
