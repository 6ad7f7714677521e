"""Whole plans: simulated answers against known truths, the same for any workers, after interruptions and with more."""

from __future__ import annotations

import json
from fractions import Fraction

import pyarrow.parquet as pq
import pytest

from plan.saw import truth
from typeone.engine.design import design_from
from typeone.engine.intervals import rate_sequence
from typeone.levels import Level
from typeone.panels import census_errors, census_sizes
from typeone.plan import Question, Workers, answer
from typeone.studies.panel_draw import STUDY as PANEL
from typeone.studies.panel_draw import law

SAW = "plan.saw:SAW"


def ask(study=SAW, *, factors=None, target="power=.65", vary=("n=0:89",), design=None, **options):
    values = {"study": study, "seed": 5, "factors": factors or {}} | (design or {})
    return Question(design_from(values), target, tuple(vary), **options)


def files(folder):
    return (folder / "answer.json").read_bytes(), (folder / "curve.parquet").read_bytes()


def first(sizes, bar, **other):
    reaches = [truth(size, **other) >= bar for size in sizes]
    stable = next(i for i in range(len(sizes) + 1) if all(reaches[i:]))
    return sizes[reaches.index(True)], sizes[stable] if stable < len(sizes) else None


# Decisions err with probability .05 / cells each, and the seeds are fixed: a plan below gives a wrong size with
# probability at most .05, and has been seen not to.


def test_a_saw_has_a_minimum_and_a_stable_size(tmp_path):
    result = answer(ask(), tmp_path)
    (found,) = result.answers
    assert first(range(90), Fraction("0.65")) == (50, 70)
    # .70 at 50 after .42 at 49; .62 at 69 before .90 at 70: all of it clear of .65.
    assert (found.minimum.size, found.minimum.lower, found.minimum.upper) == (50, 50, 50)
    assert (found.stable.size, found.stable.lower, found.stable.upper) == (70, 70, 70)
    assert found.stable.text == "70"
    assert (found.stable.reached.lower, found.stable.reached.upper) == pytest.approx((0.9, 0.9), abs=0.2)


def test_limits_are_judged_at_the_answers(tmp_path):
    limits = ("error@.1:a=.1", "bad=.1", "error@.3:a<=.31")
    result = answer(ask(at_most=limits, design={"margin": "0.02"}), tmp_path)
    for size in (result.answers[0].minimum, result.answers[0].stable):
        assert [(limit.text, limit.verdict) for limit in size.limits] == [
            ("error@0.1:a<=.1 (margin 0.02)", "holds"),
            ("error@0.1:b<=.1 (margin 0.02)", "violated"),
            ("error@.3:a<=.31 (margin 0.02)", "holds"),
        ]
        assert size.limits[1].found.lower > 0.1
        assert size.limits[0].found.repetitions >= 1600  # more than the size itself needed


@pytest.mark.parametrize(
    ("target", "vary", "minimum", "stable"),
    [
        ("hit=.9", "n=0:49", "beyond the upper end (> 49)", "beyond the upper end (> 49)"),
        ("hit=.1", "n=200:240", "already at the lower end (<= 200)", "already at the lower end (<= 200)"),
        ("hit=.6", "n=40:49", "already at the lower end (<= 40)", "beyond the upper end (> 49)"),
        ("size<=8", "n=10,20,30,40", "already at the lower end (<= 10)", "beyond the upper end (> 40)"),
        ("share=.5", "n=10:49:13", "49", "49"),
    ],
)
def test_answers_outside_of_the_sizes(tmp_path, target, vary, minimum, stable):
    vary = (vary,)
    (found,) = answer(ask(target=target, vary=vary, most=3200), tmp_path).answers
    if target == "share=.5":  # .9 hit + .05: .455, .482 below, and .437 at 49
        minimum = stable = "beyond the upper end (> 49)"
    if target == "hit=.6":  # .6 itself at 40 cannot be decided
        assert found.minimum.lower == 40
        assert found.minimum.size in (40, 41, None)
    else:
        assert found.minimum.text == minimum
    assert found.stable.text == stable


def test_workers_and_interruptions_change_nothing(tmp_path):
    question = ask(effect="height", at_most=("error@.1:a=.15",), most=400)
    answer(question, tmp_path / "one")
    expected = files(tmp_path / "one")
    answer(question, tmp_path / "threads", workers=Workers(3, "threading"))
    assert files(tmp_path / "threads") == expected
    answer(question, tmp_path / "loky", workers=Workers(2))
    assert files(tmp_path / "loky") == expected
    for after in (1, 8):

        def interrupt(told, after=after):
            interrupt.pieces += 1
            if interrupt.pieces > after:
                raise KeyboardInterrupt

        interrupt.pieces = 0
        with pytest.raises(KeyboardInterrupt):
            answer(question, tmp_path / "cut", progress=interrupt)
        torn = (tmp_path / "cut" / "sums.jsonl").read_bytes()
        (tmp_path / "cut" / "sums.jsonl").write_bytes(torn[: len(torn) - after])
    pieces = []
    answer(question, tmp_path / "cut", progress=pieces.append)
    assert files(tmp_path / "cut") == expected
    again = []
    answer(question, tmp_path / "cut", progress=again.append)
    assert files(tmp_path / "cut") == expected
    assert pieces
    assert not again


def test_more_repetitions_continue_and_another_question_is_refused(tmp_path):
    answer(ask(most=400), tmp_path / "a")
    told = []
    more = answer(ask(most=3200), tmp_path / "a", progress=told.append)
    fresh = answer(ask(most=3200), tmp_path / "b")
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert 0 < told[-1].repetitions < more.repetitions == fresh.repetitions
    for other, message in (
        ({"target": "power=.7"}, "target"),
        ({"vary": ("n=0:88",)}, "size"),
        ({"design": {"seed": 6}}, r"seed \(5 there, 6 here\)"),
        ({"at_most": ("bad=.2",)}, "limits"),
        ({"every": True}, "every"),
        ({"first": 100}, "first"),
        ({"error": Level("0.01")}, "error"),
    ):
        with pytest.raises(ValueError, match=f"another plan: it differs in.*{message}"):
            answer(ask(most=3200) if not other else ask(**other), tmp_path / "a")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "manifest.json").write_text("{}")
    with pytest.raises(ValueError, match=r"manifest\.json of something else"):
        answer(ask(), tmp_path / "c")


def test_a_damaged_line_is_computed_again(tmp_path):
    answer(ask(most=400), tmp_path)
    expected = files(tmp_path)
    lines = (tmp_path / "sums.jsonl").read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"hit"', b'"hot"')
    (tmp_path / "sums.jsonl").write_bytes(b"".join(lines))
    told = []
    answer(ask(most=400), tmp_path, progress=told.append)
    assert files(tmp_path) == expected
    assert len(told) == 1


def test_common_random_numbers_across_paired_sizes(tmp_path):
    """``size`` is paired in this study: where the truth falls, so does every estimate of equally many repetitions."""
    result = answer(ask(every=True, vary=("n=20:29",), target="hit=.01", most=200), tmp_path)
    estimates = result.curve["estimate"].to_pylist()
    assert estimates == sorted(estimates, reverse=True)
    assert len(set(estimates)) > 5


def test_sensitivity_to_the_effect(tmp_path):
    result = answer(ask(effect="height", target="hit=.51", most=1600), tmp_path)
    minima = {found.multiple: found.minimum.size for found in result.answers}
    for multiple, size in minima.items():
        assert size == first(range(90), Fraction("0.51"), height=Fraction(multiple))[0], multiple
    assert minima["0.8"] > minima["1"] > minima["1.2"]
    assert set(result.curve["multiple"].to_pylist()) == set(minima)
    assert [found.multiple for found in result.main] == ["1"]


def test_two_factors_give_the_frontier_and_the_cheapest(tmp_path):
    """Each step of ``other`` is worth 5 points; the truth at 40 + 5 other never meets .575, so all is decided."""
    question = ask(target="hit=.575", vary=("n=0:69", "other=0:4"), cost=("n=1", "other=6"), design={"repetitions": 10})
    result = answer(question, tmp_path)
    sizes = {}
    for found in result.answers:
        true = first(range(70), Fraction("0.575"), other=found.outer)
        assert found.minimum.lower <= true[0] <= found.minimum.upper
        assert found.stable.lower <= true[1] <= found.stable.upper
        sizes[found.outer] = found.stable.size
        assert found.cost == {
            "minimum": found.minimum.size + 6 * found.outer,
            "stable": found.stable.size + 6 * found.outer,
        }
    prices = {outer: size + 6 * outer for outer, size in sizes.items()}
    for found in result.answers:
        assert found.cheapest == (prices[found.outer] == min(prices.values()))
        dominated = any(sizes[o] <= sizes[found.outer] for o in range(found.outer))
        assert found.frontier == (not dominated)
    assert sum(found.frontier for found in result.answers) > 0


def test_failures_are_counted_and_widen_or_end_the_plan(tmp_path):
    with pytest.raises(ValueError, match=r"size=0: 20 of 200 repetitions failed; the first said RuntimeError: no luck"):
        answer(ask(factors={"fail_every": 10}, vary=("n=0:5",)), tmp_path / "many")
    result = answer(ask(factors={"fail_every": 150}, vary=("n=0:5",), most=200), tmp_path / "few")
    for row in result.curve.to_pylist():
        assert (row["repetitions"], row["failed"]) == (198, 2)
        hits = round(198 * row["estimate"])
        assert hits == pytest.approx(198 * row["estimate"])
        # Neither failure may have been a hit, or both.  Six sizes share the error of .05.
        assert row["lower"] == rate_sequence(hits, 200, 0.05 / 6).lower
        assert row["upper"] == rate_sequence(hits + 2, 200, 0.05 / 6).upper


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vary": ("n=5",)}, "write factor=FROM:TO"),
        ({"vary": ("n=9:5",)}, "sizes must increase"),
        ({"vary": ("n=5,5",)}, "sizes must increase"),
        ({"vary": ("n=1:2:3:4",)}, "write factor=FROM:TO"),
        ({"vary": ("n=0:90000",)}, "add a step"),
        ({"vary": ("n=0:9000", "other=1:9")}, "add a step"),
        ({"vary": ("n=3:9999999999",)}, "9999999997 sizes are more than 20000; add a step"),
        ({"vary": ("n=3:99999999999999999999",)}, "n=.*: 99999999999999999999 has more than 62 bits"),
        ({"vary": ("n=1,99999999999999999999",)}, "n=.*: 99999999999999999999 has more than 62 bits"),
        ({"vary": ("fail_every=0:9",)}, "0 stands for no failure; begin with 1"),
        ({"vary": ("sizes=0:9",)}, "no such factor; did you mean 'size'"),
        ({"vary": ("height=1:2",)}, "height: .* is no whole number"),
        ({"vary": ("flag=0:1",)}, "flag: .* is no whole number"),
        ({"vary": ("n=0:9", "size=1:2")}, "size is there already"),
        ({"vary": ("n=0:9", "other=1:2", "fail_every=1:2")}, "one or two factors"),
        ({"vary": ()}, "one or two factors"),
        ({"cost": ("other=1",)}, "other is not varied"),
        ({"cost": ("n=-1",)}, "at least 0"),
        ({"cost": ("n=1", "size=2")}, "size has a cost already"),
        ({"cost": ("n=a",)}, "not a number"),
        ({"vary": ("n=0:9", "other=1:2"), "cost": ("n=1",)}, "cost of other is missing"),
        ({"effect": "name"}, "no number"),
        ({"effect": "flag"}, "no number"),
        ({"effect": "size"}, "varied already"),
        (
            {"effect": "fail_every", "factors": {"fail_every": 2}},
            "2, 2 and 2, rounded to whole numbers",
        ),
        ({"factors": {"other": [1, 2]}}, "other: the design has several values"),
        ({"factors": {"height": "tall"}}, "'tall' is not a number"),
        ({"first": 1}, "first=1"),
        ({"most": 100}, "most=100"),
        ({"error": Level("0")}, "error=0"),
        ({"at_most": ("error@.1:a>=.1",)}, "limit from above"),
        ({"target": "error@.1=.1"}, "several columns"),
        ({"factors": {"flag": True}}, "the first repetition failed with RuntimeError: no luck"),
    ],
)
def test_questions_that_cannot_be_meant(tmp_path, options, message):
    if message is None:  # the limit is of the target's method
        result = answer(
            ask(**options, most=200, vary=("n=0:3",)) if "vary" not in options else ask(**options), tmp_path
        )
        assert result.target == "error@.1:a>=.1"
        return
    with pytest.raises(ValueError, match=message):
        answer(ask(**options), tmp_path)


# Panels: the exact law, and the simulation against it.

UNIT = {"votes": 60, "positive": 40}


@pytest.mark.parametrize("attack", [{}, {"census_flips": 4}, {"panel_flips": 1}, {"positive": 25, "theta": "2/5"}])
@pytest.mark.parametrize("delta", ["0.05", "1/3", "0.001"])
def test_panels_are_planned_exactly_without_simulating(tmp_path, attack, delta):
    unit = UNIT | attack
    result = answer(ask("panel-draw", factors=unit, target=f"error<={delta}", vary=("K=1:60",)), tmp_path)
    renamed = {"M": unit.pop("votes"), "C": unit.pop("positive")}
    exact = census_sizes(**renamed, **unit, delta=delta)
    found = result.answers[0]
    assert found.minimum.size == found.minimum.lower == found.minimum.upper == (int(exact.minimum) or None)
    assert found.stable.size == found.stable.lower == found.stable.upper == (int(exact.stable) or None)
    assert result.repetitions == 0
    assert result.curve["estimate"].to_pylist() == census_errors(**renamed, **unit).tolist()
    assert set(result.curve["source"].to_pylist()) == {"exact"}


def test_a_tolerance_that_is_met_with_equality_is_settled_in_integers(tmp_path):
    """One panelist errs with probability 20/60 exactly; no double is 1/3."""
    (found,) = answer(ask("panel-draw", factors=UNIT, target="error<=1/3", vary=("K=1:60",)), tmp_path).answers
    assert found.minimum.size == 1
    cells = [PANEL.parameters(**UNIT, panel=1)]
    assert law(cells, None, Fraction(1, 3)) == [Fraction(1, 3)]
    assert law(cells, None, Fraction(1, 3) - Fraction(1, 10**14))[0] > Fraction(1, 3) - Fraction(1, 10**14)


@pytest.mark.parametrize("every", [True, False])
def test_simulated_panel_sizes_agree_with_the_exact_ones(tmp_path, every):
    """The planner is not told the law; with probability .95 or more the exact sizes lie in its intervals."""
    unit = UNIT | {"census_flips": 3}
    question = ask("plan.blind:PANEL", factors=unit, target="error<=.05", vary=("panel=1:60",), every=every, most=3200)
    result = answer(question, tmp_path)
    exact = census_sizes(60, 40, census_flips=3, delta="0.05")
    found = result.answers[0]
    assert found.minimum.lower <= exact.minimum <= found.minimum.upper
    assert found.stable.lower <= exact.stable <= found.stable.upper
    assert found.stable.upper - found.minimum.lower <= 12
    simulated = [row for row in result.curve.to_pylist() if row["source"] == "simulated"]
    errors = census_errors(60, 40, census_flips=3)
    assert all(row["lower"] <= errors[row["size"] - 1] <= row["upper"] for row in simulated)
    assert (len(simulated) == 60) == every
    # Most repetitions were spent near the answer.
    ends = range(int(exact.minimum) - 6, int(exact.stable) + 7)
    near = sum(row["repetitions"] for row in simulated if row["size"] in ends)
    assert near > 0.6 * result.repetitions


def test_what_is_written(tmp_path):
    result = answer(ask(most=400, at_most=("bad=.2",)), tmp_path)
    told = json.loads((tmp_path / "answer.json").read_text())
    assert told == json.loads(result.as_json())
    assert told["answers"][0]["minimum"]["text"] == result.answers[0].minimum.text
    assert told["answers"][0]["minimum"]["limits"][0]["text"] == "error@0.1:b<=.2"
    curve = pq.read_table(tmp_path / "curve.parquet")
    assert curve.equals(result.curve)
    assert curve["size"].to_pylist() == list(range(90))
    rows = curve.to_pylist()
    assert {row["source"] for row in rows} >= {"simulated", "inferred"}
    assert all((row["estimate"] is None) == (row["source"] not in ("simulated", "exact")) for row in rows)
    assert "minimum size" in result._repr_html_()
