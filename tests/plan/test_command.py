"""``typeone plan`` as typed: answers in words, JSON, errors in one sentence."""

from __future__ import annotations

import json

import pytest

from typeone.cli import main

QUIET = ("--first", "100", "--most", "800")


def run(capsys, *words, code=0):
    with pytest.raises(SystemExit) as end:
        main(["plan", *words])
    assert (end.value.code or 0) == code
    return capsys.readouterr()


def test_a_panel_exactly(capsys, tmp_path):
    words = ("panel-flips", "--target", "error<=.01", "--vary", "K=1:200", "--out", str(tmp_path / "p"))
    told = run(capsys, *words).out
    assert "minimum  84   there 0.009466, exactly" in told
    assert "stable   90 " in told
    assert told == run(capsys, *words).out
    told = json.loads(run(capsys, *words, "--json").out)
    assert told["answers"][0]["minimum"]["size"] == 84
    assert told["answers"][0]["stable"]["size"] == 90
    assert run(capsys, *words, "--quiet").out == ""


def test_a_study_of_ones_own_with_everything(capsys, tmp_path):
    words = ("plan.saw:SAW", "--target", "power=.5", "--vary", "n=0:69", "--vary", "other=0,4", "--cost", "n=1")
    words += ("--cost", "other=2", "--at-most", "error=.2", "--level", ".1", "--effect", "height", "--seed", "3")
    told = run(capsys, *words, "--out", str(tmp_path / "p"), *QUIET).out
    lines = told.splitlines()
    assert lines[0] == "saw: the least size with hit:a>=.5"
    assert lines[2].split("  ")[0] == "x height"
    assert [line.split()[:2] for line in lines[4:10]] == [[m, o] for m in ("0.8", "1", "1.2") for o in "04"]
    assert "cheapest: other" in told
    assert "error@.1:a<=.2: holds" in told
    assert (tmp_path / "p" / "curve.parquet").exists()


def test_the_curve_is_printed(capsys, tmp_path):
    words = ("plan.saw:SAW", "--target", "hit=.5", "--vary", "n=0:39", "--out", str(tmp_path), "--set", "other=2")
    told = run(capsys, *words, "--height", "0.9", *QUIET).out
    header = next(line for line in told.splitlines() if line.startswith("size"))
    assert header.split() == ["size", "estimate", "mc_se", "lower", "upper", "repetitions", "status"]
    assert "repetitions; at most 0.05 probability" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("plan.saw:SAW", "--target", "powr=.8", "--vary", "n=1:5"), "did you mean 'power'"),
        (("plan.saw:SAW", "--target", "power=.8", "--vary", "n=1:5", "--hight", "2"), "did you mean 'height'"),
        (
            ("plan.saw:SAW", "--target", "power=.8", "--vary", "n=1:5", "--size", "2"),
            "--vary size: is given a value too",
        ),
        (("plan.saw:SAW", "--target", "power=.8", "--vary", "n=1:5", "--error", "x"), "--error: 'x' is not a number"),
        (("coin", "--target", "share=.4", "--vary", "flips=1:5"), "excess: the design has several values"),
        (("nothing", "--target", "share=.4", "--vary", "flips=1:5"), "no preset, TOML file or study"),
    ],
)
def test_errors_are_one_sentence(capsys, tmp_path, words, told):
    printed = run(capsys, *words, "--out", str(tmp_path / "p"), code=2).err
    assert printed.startswith("typeone: ")
    assert told in printed
    assert printed.count("\n") == 1


def test_an_interruption_says_how_to_go_on(capsys, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("typeone.plan.answer", interrupted)
    words = ("plan.saw:SAW", "--target", "power=.8", "--vary", "n=1:5", "--out", str(tmp_path))
    assert "the same command continues" in run(capsys, *words, code=130).err


def test_a_factor_that_moves_nothing_is_said(capsys, tmp_path):
    words = ("pooling", "--method", "pooled", "--set", "n=5", "--set", "items=20", "--first", "20", "--most", "20")
    told = run(capsys, *words, "--target", "tpr=.9", "--vary", "reference=3:5:2", "--out", str(tmp_path / "p")).out
    assert "Every reference gave the same numbers: it does not move this target" in told
