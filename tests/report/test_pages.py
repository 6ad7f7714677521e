"""The page as a document: complete, self-contained, and equal to what is stored."""

from __future__ import annotations

import gzip
import io
import itertools
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from engine.runs import go
from report.reading import Page
from typeone.cli.root import main
from typeone.display import cell
from typeone.engine import manifest as manifests
from typeone.engine.design import read_design
from typeone.engine.resolved import resolve
from typeone.engine.summary import summarize
from typeone.figures.catalog import pictures
from typeone.figures.stored import Stored
from typeone.report import html, performance
from typeone.report.page import MOST_BYTES
from typeone.report.result import result_page
from typeone.report.run import run_page

ADEMP = ("answer", "aims", "mechanisms", "estimands", "methods", "performance", "repeat")


@pytest.fixture(scope="module")
def read(page: str) -> Page:
    return Page.of(page)


def column(table: list[list[str]], name: str) -> list[str]:
    place = table[0].index(name)
    return [row[place] for row in table[1:]]


class TestSelfContained:
    @pytest.mark.parametrize("which", ["page", "result"])
    def test_ids_are_unique_and_every_link_stays_inside(self, which: str, request: pytest.FixtureRequest) -> None:
        document: str = request.getfixturevalue(which)
        read = Page.of(document)
        assert len(read.ids) == len(set(read.ids))
        assert {link for link in read.links if link != "data:,"} <= {f"#{name}" for name in read.ids}
        assert read.loads == []
        outside = set(re.findall(r"https?://[^\s\"'<]*", document))
        assert outside <= {"http://www.w3.org/1999/xlink", "http://www.w3.org/2000/svg"}
        assert len(document.encode()) < MOST_BYTES
        assert "default-src 'none'" in document

    def test_headings_descend_one_step_at_a_time(self, read: Page) -> None:
        steps = [int(name[1]) for name in read.headings]
        assert steps[0] == 1
        assert steps.count(1) == 1
        assert all(b <= a + 1 for a, b in itertools.pairwise(steps))

    def test_every_figure_has_words(self, read: Page, coins: Path) -> None:
        known = pictures(Stored.open(coins))
        assert len(read.labels) == len(known)
        for picture, label in zip(known, read.labels, strict=True):
            assert label.startswith(f"{picture.title}. {picture.caption}")
            assert picture.caption in read.text


class TestRun:
    def test_sections_stand_in_the_order_of_ademp(self, read: Page) -> None:
        assert [name for name in read.ids if name in ADEMP] == list(ADEMP)

    def test_the_answer_comes_first_and_names_the_broken_promise(self, read: Page, coins: Path) -> None:
        rows = summarize(coins).to_pylist()
        broken = [row for row in rows if row["verdict"] == "violated"]
        assert {(row["method"], row["cell"]) for row in broken} == {("bold", 1)}
        assert f"Of 8 claims “error ≤ level”: {len(broken)} violated, {8 - len(broken)} undecided." in read.text
        worst = max(broken, key=lambda row: row["estimate"] - float(row["level"]))
        assert f"error of bold at level {worst['level']} is {cell(worst['estimate'])} ±" in read.text
        assert "8,000 of 8,000 planned repetitions in 2 cells, 0 failed." in read.text
        counts = read.tables["verdicts"]
        assert column(counts, "violated") == ["1", "1", "0", "0"]
        assert column(counts, "undecided") == ["1", "1", "2", "2"]

    def test_gains_are_told_in_words(self, read: Page) -> None:
        assert "By gain at level 0.05, ahead in every cell" in read.text
        assert "1 of 1 pairs is not ordered in every cell." in read.text

    def test_every_estimate_is_in_the_table_with_its_error_and_counts(self, read: Page, coins: Path) -> None:
        rows = summarize(coins).to_pylist()
        table = read.tables["estimates"]
        assert len(table) == len(rows) + 1
        names = {"estimate": "estimate", "± MC error": "mc_se", "lower": "lower", "upper": "upper", "method": "method",
                 "attempted": "attempted", "valid": "valid", "failed": "failed", "excess": "excess"}  # fmt: skip
        for title, name in names.items():
            assert column(table, title) == [cell(row[name]) for row in rows], title
        assert "lower_failed_as_0" not in table[0]

    def test_rows_and_figures_point_to_each_other(self, page: str, read: Page, coins: Path) -> None:
        rows = summarize(coins).to_pylist()
        number = next(i for i, row in enumerate(rows) if row["verdict"] == "violated")
        figures = column(read.tables["estimates"], "figures")[number].split()
        assert len(figures) >= 2
        for name in figures:
            start = page.index(f'id="figure-{name}"')
            body = page[start : page.index("</figure>", start)]
            assert f'href="#row-{number}"' in body
            assert f"<title>bold, error at {rows[number]['level']}, cell 1: {cell(rows[number]['estimate'])} ±" in body

    def test_numbers_in_figures_are_not_cut_short(self, page: str) -> None:
        assert any(len(tick) > len("0.00") for tick in re.findall(r">(0\.\d+)</text>", page))
        assert "+0.0000 ± 0" in page

    def test_the_summary_can_be_saved_whole(self, read: Page, coins: Path) -> None:
        saved = pyarrow.csv.read_csv(io.BytesIO(read.files["summary.csv"]))
        stored = summarize(coins)
        assert saved.column_names == stored.column_names
        assert saved["estimate"].to_pylist() == stored["estimate"].to_pylist()
        assert saved["upper"].to_pylist() == stored["upper"].to_pylist()

    def test_the_design_that_is_saved_is_the_run(self, read: Page, coins: Path, tmp_path: Path) -> None:
        file = tmp_path / "design.toml"
        file.write_bytes(read.files["design.toml"])
        again = resolve(read_design(file))
        manifest = Stored.open(coins).manifest
        assert (again.identity, again.repetitions) == (manifest.identity, manifest.planned)
        assert "typeone run design.toml --out again" in read.text
        for words in (manifest.identity, manifest.versions["numba"], manifest.machine["cpu"], "seed"):
            assert words in read.text

    def test_main_tables_hold_estimate_and_error(self, read: Page, coins: Path) -> None:
        row = next(r for r in summarize(coins).to_pylist() if r["method"] == "exact" and r["level"] == "0.1")
        table = read.tables["coin-1"]
        assert table[0] == ["excess", "method", "at 0.05", "at 0.1"]
        assert column(table, "at 0.1")[1] == f"{row['estimate']:.4f} ± {row['mc_se']:.4f}"
        assert rb"\toprule" in read.files["coin-1.tex"]

    def test_the_same_folder_gives_the_same_page(self, page: str, coins: Path) -> None:
        assert run_page(coins) == page

    def test_failures_are_shown_with_both_readings(self, failing: Path) -> None:
        read = Page.of(run_page(failing))
        table = read.tables["estimates"]
        rows = summarize(failing).to_pylist()
        assert sum(row["failed"] > 0 for row in rows) > 0
        assert column(table, "failed") == [str(row["failed"]) for row in rows]
        assert column(table, "upper_failed_as_1") == [cell(row["upper_failed_as_1"]) for row in rows]
        failed = Stored.open(failing).manifest.failed
        assert f"{failed} failed" in read.text
        assert f"{failed} × " in read.text
        assert "e.g. cell 1, repetition" in read.text

    def test_what_there_is_no_room_for_is_named(self, coins: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(performance, "MOST_FIGURES", 60_000)
        monkeypatch.setattr(performance, "MOST_TABLE", 4_000)
        monkeypatch.setattr(html, "MOST_CSV", 3_000)
        read = Page.of(run_page(coins))
        known = pictures(Stored.open(coins))
        shown = {picture.name for picture in known if any(picture.title in label for label in read.labels)}
        assert 0 < len(shown) < len(known)
        left = [picture.name for picture in known if picture.name not in shown]
        assert f"Left out to keep this page small: {', '.join(left)}." in read.text
        assert "typeone plot run --figure NAME" in read.text
        assert f"The first {len(read.tables['estimates']) - 1} of 28 rows" in read.text
        assert "undecided" in column(read.tables["estimates"], "verdict")
        packed = gzip.decompress(read.files["summary.csv.gz"])
        assert pyarrow.csv.read_csv(io.BytesIO(packed)).num_rows == 28
        assert {link for link in read.links if link != "data:,"} <= {f"#{name}" for name in read.ids}

    def test_a_run_in_which_everything_failed_has_a_page(self, tmp_path: Path) -> None:
        go(tmp_path / "run", backend="threading", repetitions=20, factors={"fail_every": [1]})
        read = Page.of(run_page(tmp_path / "run"))
        assert "20 of 20 planned repetitions in 1 cell, 20 failed." in read.text
        assert read.labels == []
        assert set(column(read.tables["estimates"], "valid")) == {"0"}

    def test_an_unfinished_run_says_so(self, coins: Path, tmp_path: Path) -> None:
        import shutil

        copy = tmp_path / "part"
        shutil.copytree(coins, copy)
        manifest = manifests.read(copy)
        manifest.planned = 9000
        manifest.write(copy)
        assert "Not complete: 8,000 of 9,000 planned" in Page.of(run_page(copy)).text


class TestResult:
    def test_scf_answers_by_source_with_its_documents(self, result: str) -> None:
        read = Page.of(result)
        assert "At level 0.2: 1 of 9 sources are found to have taken part: x<1>" in read.text
        assert "exchangeable" in read.text
        decisions = read.tables["decisions-table"]
        assert decisions[1][:4] == ["x<1>", "2", cell(float(decisions[1][2])), "0.2"]
        assert decisions[1][decisions[0].index("reject_0.2")] == "yes"
        documents = read.tables["documents"]
        assert len(documents) == 1 + 18
        assert documents[1][0] == "x<1>"
        assert column(documents, "source")[:2] == ["x<1>", "x<1>"]
        assert len(read.labels) == 4
        assert "<1>" not in re.sub(r"&lt;1&gt;", "", result)

    def test_scf_without_documents_has_decisions_only(self, decided: Path) -> None:
        read = Page.of(result_page(decided, None, {}))
        assert "documents" not in read.tables
        assert len(read.tables["decisions-table"]) == 10
        assert len(read.labels) == 1

    def test_scf_documents_agree_with_the_result(self, result: str) -> None:
        read = Page.of(result)
        documents, decisions = read.tables["documents"], read.tables["decisions-table"]
        for row in decisions[1:]:
            own = [d for d in documents[1:] if d[0] == row[0]]
            assert len(own) == int(row[1])
            mean = sum(float(d[3]) for d in own) / len(own)
            assert mean == pytest.approx(float(row[2]), abs=1e-3)
            assert sum(d[4] == "yes" for d in own) == int(row[decisions[0].index("capped")])

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"role": "source"}, "column 'source', row 1: .* is not .*calibration"),
            ({"score": "nothing"}, "no column 'nothing'"),
            ({"cap": "1"}, "the evidence cap is 0"),
            ({"cap": "0.05"}, "mean evidence of 2.19.*, the result says 1.60.*same --cap"),
        ],
    )
    def test_bad_documents_are_refused(self, decided: Path, documents: Path, change: dict[str, str], told: str) -> None:
        with pytest.raises(ValueError, match=told):
            result_page(decided, documents, change)

    def test_jecs(self, tmp_path: Path) -> None:
        file = tmp_path / "jecs.csv"
        columns = {"item": ["1", "007", "x,y"], "p_max": [0.9, 0.01, 0.02], "selected": [False, True, True]}
        pyarrow.csv.write_csv(pa.table(columns | {"selected_union": [True, True, True]}), file)
        read = Page.of(result_page(file, None, {}))
        assert "Selected by each method on the same scores: union 3." in read.text
        assert "2 of 3 items are selected as clean." in read.text
        assert "The largest max-p among them is 0.02." in read.text
        assert column(read.tables["decisions-table"], "item") == ["007", "x,y", "1"]
        with pytest.raises(ValueError, match="already holds all the evidence"):
            result_page(file, file, {})

    def test_panels(self, tmp_path: Path) -> None:
        file = tmp_path / "panels.parquet"
        sizes = [7, 7, 7, 7, 7, 9, 9, 9, 40, 50, 0]
        columns = {"unit": range(11), "positives": [30] * 11, "votes": [40] * 11, "minimum_size": sizes}
        columns |= {"stable_size": sizes, "passes_at": [None, 23, 47, 23] + [None] * 7}
        pq.write_table(pa.table(columns), file)
        read = Page.of(result_page(file, None, {}))
        assert "11 units, 10 with a stable panel size." in read.text
        assert "half need at most 7 evaluators, nine in ten at most 40, all at most 50." in read.text
        assert "1 units have none" in read.text
        assert "2 from size 23, 1 from size 47." in read.text
        assert column(read.tables["decisions-table"], "unit")[0] == "9"

    def test_pooling_with_the_votes_that_moved_each_item(self, tmp_path: Path) -> None:
        file, moved = tmp_path / "pool.parquet", tmp_path / "moved.parquet"
        items = {
            "item": ["a", "b"],
            "log_odds": [-4.0, 3.5],
            "posterior": [0.018, 0.97],
            "decision": ["reject", "accept"],
        }
        pq.write_table(pa.table(items), file)
        votes = {
            "item": ["a", "b", "b"],
            "source": ["s", "s", "t"],
            "vote": [0, 1, 1],
            "contribution": [-4.0, 3.0, 0.5],
        }
        pq.write_table(pa.table(votes), moved)
        read = Page.of(result_page(file, moved, {}))
        assert "2 items: 1 accept, 0 abstain, 1 reject." in read.text
        assert read.tables["votes"][1:] == [["b", "s", "1", "3"], ["b", "t", "1", "0.5"], ["a", "s", "0", "-4"]]
        pq.write_table(pa.table(votes | {"item": ["c", "c", "c"]}), moved)
        with pytest.raises(ValueError, match="none of its items"):
            result_page(file, moved, {})
        with pytest.raises(ValueError, match=r"--cap: changes nothing for a file of this kind \(Pooled"):
            result_page(file, moved, {"cap": "0.2"})

    def test_other_files_are_refused(self, documents: Path) -> None:
        with pytest.raises(ValueError, match="not a file that typeone apply"):
            result_page(documents, None, {})


class TestCommand:
    def test_report_is_written_into_the_folder_or_elsewhere(self, coins: Path, tmp_path: Path) -> None:
        out = tmp_path / "page.html"
        with pytest.raises(SystemExit) as left:
            main(["report", str(coins), "--out", str(out)])
        assert left.value.code == 0
        assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
        assert not (coins / "report.html").exists()

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["nowhere"], "no such file"),
            (["{coins}", "--evidence", "x"], "belongs to a file from typeone apply"),
            (["{coins}", "--out", "/nowhere/at/all.html"], "does not exist"),
            (["{coins}", "--cap", ".2"], "--cap: changes nothing, since there is no --evidence"),
        ],
    )
    def test_bad_usage(self, arguments: list[str], told: str, coins: Path, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as left:
            main(["report", *(word.format(coins=coins) for word in arguments)])
        assert left.value.code == 2
        assert told in capsys.readouterr().err


def test_colors_have_contrast_in_both_themes(page: str) -> None:
    """At least 4.5 to 1 for words and links (WCAG AA), 3 to 1 for what is drawn."""
    light, *_, dark = (
        dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in re.findall(r"{[^{}]*--ink[^{}]*}", page)[:3]
    )
    for theme in (light, dark):
        for paper in (theme["paper"], theme["panel"]):
            for name in ("ink", "faint", "link", "alarm", "good"):
                assert contrast(theme[name], paper) >= 4.5, (name, theme[name], paper)
        for name in (f"m{i}" for i in range(8)):
            assert contrast(theme[name], theme["paper"]) >= 3, name
        assert contrast(theme["ink"], theme["hot"]) >= 4.5


def contrast(one: str, other: str) -> float:
    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)
