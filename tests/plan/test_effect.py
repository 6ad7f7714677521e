"""The effect smaller and larger: at an interval's ends where it is estimated, a fifth off where it is assumed."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import ttest_ind

from plan.saw import PLAN as SAW_PLAN
from typeone.cli import main
from typeone.engine.design import design_from
from typeone.engine.lookup import changed, design_called
from typeone.levels import Level
from typeone.plan import Question, answer
from typeone.plan.question import understand
from typeone.plan.result import answer_rows
from typeone.scf.bags import Bags
from typeone.studies.scf.parameters import Parameters
from typeone.studies.scf.pilot import effect_interval
from typeone.studies.scf.population import read_file


def saw(effect, *, target="hit=.51", vary="n=0:9", factors=None, **options):
    design = design_from({"study": "plan.saw:SAW", "seed": 5, "factors": factors or {}})
    return Question(design, target, (vary,), effect=effect, first=100, most=100, **options)


def write_scores(file, rng, *, participants=12, controls=30, shift=1.0):
    """Sources with one to five documents; the first ones take part and score ``shift`` higher."""
    sizes = rng.integers(1, 6, size=participants + controls)
    part = np.repeat(np.arange(sizes.size) < participants, sizes)
    columns = {"source": np.repeat([f"s{i:02d}" for i in range(sizes.size)], sizes), "participant": part}
    columns["score_ratio"] = rng.standard_normal(part.size) + shift * part
    pq.write_table(pa.table(columns), file)
    return file


@pytest.fixture
def pilot(tmp_path):
    return write_scores(tmp_path / "scores.parquet", np.random.default_rng(1))


def question(file, **changes):
    design = changed(design_called("scf"), {"resample": True, "scores": str(file), "rows": "", "margin": "0"} | changes)
    return Question(design, "power=.4", ("L=19,39",), effect="effect", first=100, most=100)


def test_an_assumed_effect_is_taken_a_fifth_smaller_and_larger():
    asked = understand(saw("height"))
    assert [(line.multiple.text, line.effect) for line in asked.lines] == [("0.8", "0.8"), ("1", "1"), ("1.2", "1.2")]
    assert asked.about == "x height 0.8 and 1.2: the answer if it were a fifth smaller or larger than assumed"


def test_an_estimated_effect_is_taken_at_the_ends_of_its_interval(monkeypatch):
    """Ends are clipped at 0; a study may know one factor and not another."""
    seen = []

    def uncertainty(cell, factor):
        seen.append((cell.parameters.size, factor))
        return (-0.4, 2.4567, "the ends of a guess") if factor == "height" else None

    monkeypatch.setattr("plan.saw.PLAN", SAW_PLAN | {"uncertainty": uncertainty})
    asked = understand(saw("height", factors={"height": "0.5"}))
    assert [(line.multiple.text, line.effect) for line in asked.lines] == [("0", "0"), ("1", "0.5"), ("2.46", "1.23")]
    assert asked.about == "x height 0 and 2.46: the ends of a guess"
    assert [line.multiple.text for line in understand(saw("other", factors={"other": 5})).lines] == ["0.8", "1", "1.2"]
    assert seen == [(0, "height"), (0, "other")]


def test_a_whole_factor_is_rounded_and_its_values_are_shown(tmp_path):
    result = answer(saw("other", factors={"other": 4}), tmp_path)
    header, rows = answer_rows(result)
    assert header[:2] == ["x other", "other"]
    assert [row[:2] for row in rows] == [["0.8", "3"], ["1", "4"], ["1.2", "5"]]
    assert [found["effect"] for found in json.loads(result.as_json())["answers"]] == ["3", "4", "5"]
    assert answer_rows(answer(saw("height"), tmp_path / "b"))[0][:2] == ["x height", "minimum size"]


@pytest.mark.parametrize(
    ("effect", "value", "message"),
    [
        ("other", 2, "--effect other: 0.8, 1 and 1.2 times 2 are 2, 2 and 2, rounded to whole numbers, which do not"),
        ("other", 0, "0, 0 and 0"),
        ("height", "0", "--effect height: 0.8, 1 and 1.2 times 0 are 0, 0 and 0, which do not differ: make one plan"),
        ("name", "a", "'a' is no number"),
    ],
)
def test_multiples_that_do_not_differ_are_refused(effect, value, message):
    with pytest.raises(ValueError, match=message):
        understand(saw(effect, factors={effect: value}))


def test_the_interval_is_welchs_on_source_means_and_of_the_effect_that_is_multiplied(pilot):
    def interval(effect):
        bags, part, control = read_file(pilot, Parameters(rows="", effect=effect))
        means = np.array([bags.score[bags.source == i].mean() for i in range(bags.sizes.size)])
        expected = ttest_ind(means[part], means[control], equal_var=False).confidence_interval(0.95)
        found = effect_interval(bags, part, control)
        assert (found.lower, found.upper) == pytest.approx((expected.low, expected.high))
        return found

    one, more = interval("1"), interval("1.3")
    assert more.estimate == pytest.approx(1.3 * one.estimate)
    (asked,) = [understand(question(pilot))]
    lower, upper = (f"{end / one.estimate:.3g}" for end in one[1:])
    assert [line.multiple.text for line in asked.lines] == [lower, "1", upper]
    assert asked.about == (
        f"x effect {lower} and {upper}: the ends of a 95 % interval of the score file's own effect, from 12 "
        "participants and 30 controls (Welch); all else is taken from the file as it is"
    )
    twice = understand(question(pilot, effect="2"))
    assert [line.multiple.text for line in twice.lines] == [lower, "1", upper]
    assert twice.lines[1].effect == "2"


def test_the_interval_holds_the_true_effect_as_often_as_it_says():
    """1000 pilots, 8 participants with twice the spread of 20 controls; z at 4.5 of .95: false alarm below 1e-5."""
    rng = np.random.default_rng(4)
    part = np.arange(28) < 8
    inside = 0
    for _ in range(1000):
        means = np.where(part, 0.7 + 2 * rng.standard_normal(28), rng.standard_normal(28))
        codes = np.repeat(np.arange(28), 2)
        bags = Bags.of(means[codes] + np.tile([-0.1, 0.1], 28), codes, pa.array(np.arange(28)))
        found = effect_interval(bags, part, ~part)
        inside += found.lower <= 0.7 <= found.upper
    assert abs(inside / 1000 - 0.95) < 4.5 * (0.95 * 0.05 / 1000) ** 0.5


def test_an_interval_of_equal_sources_is_a_point_and_one_source_is_too_few():
    bags = Bags.of(np.array([2.0, 2.0, 1.0, 1.0]), np.arange(4), pa.array(np.arange(4)))
    part = np.array([True, True, False, False])
    assert effect_interval(bags, part, ~part) == (1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="effect: an interval needs at least two participants"):
        effect_interval(bags, np.arange(4) < 1, ~part)


def test_a_pilot_without_an_effect_is_refused(tmp_path):
    file = write_scores(tmp_path / "none.parquet", np.random.default_rng(2), shift=-1.0)
    with pytest.raises(ValueError, match="score no higher than its controls"):
        understand(question(file))


def test_a_scenarios_effect_is_an_assumption():
    design = changed(design_called("scf-enron"), {"cap": "0.05", "population": "redraw"})
    asked = understand(Question(design, "power=.4", ("L=19,39",), effect="effect"))
    assert [line.multiple for line in asked.lines] == [Level("0.8"), 1, Level("1.2")]


def test_what_is_printed_and_shown(pilot, capsys, tmp_path):
    words = ["scf", "--resample", "true", "--input", f"scores={pilot}", "--rows", "", "--reference", "5"]
    words += ["--target", "power=.4", "--vary", "L=19,39", "--effect", "effect", "--first", "50", "--most", "50"]
    with pytest.raises(SystemExit) as end:
        main(["plan", *words, "--out", str(tmp_path / "p")])
    assert not end.value.code
    told = " ".join(capsys.readouterr().out.split())
    assert "the ends of a 95 % interval of the score file's own effect, from 12 participants and 30 controls" in told
    shown = answer(question(pilot, reference=5), tmp_path / "q")._repr_html_()
    assert "95 % interval of the score file" in shown
