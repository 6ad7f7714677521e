"""Search, samples, tables and command: a planted worst case is found, and a seed gives the same for any jobs."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from typeone.cli import main
from typeone.verify import campaign, catalog, report
from typeone.verify.campaign import Options
from typeone.verify.model import ExactRate
from typeone.verify.sample import Pool
from typeone.verify.search import worst_case
from typeone.verify.study import Work
from verify.broken import PLANTED, planted_rate


@pytest.fixture
def with_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "promises", lambda: {"planted": PLANTED})
    monkeypatch.setattr(catalog, "mutants", dict)
    monkeypatch.setattr(catalog, "failings", dict)


def test_the_search_finds_a_planted_worst_case(with_planted: None) -> None:
    """One point of 96 breaks its promise; 6 seeds, of which at least 5 must find it."""
    found = []
    for seed in range(6):
        with Pool(1, seed) as pool:
            search = worst_case(PLANTED, pool, 1200)
        found.append(search.candidates[0] == {"a": 7, "b": 3})
        assert search.points < 96
    assert sum(found) >= 5


def test_the_search_without_chance(with_planted: None) -> None:
    def exactly(p):
        yield ExactRate("planted", planted_rate(p), Fraction(1, 5), 1e-9)

    promise = replace(PLANTED, exact_at=exactly)
    with Pool(1, 1) as pool:
        search = worst_case(promise, pool, 4000)
    assert search.exact[0].rate == 0.35
    assert not search.exact[0].kept
    assert search.repetitions == 0


def test_a_campaign_on_a_broken_promise_is_not_sound(with_planted: None) -> None:
    result = campaign.run(Options(2000, seed=2))
    assert {f.verdict for f in result.findings if f.searched} >= {"violated"}
    assert {f.verdict for f in result.findings if not f.searched} == {"holds"}
    assert not result.sound
    assert "1 violated" in report.summary(result)


def test_an_exception_in_a_promised_procedure_ends_the_campaign(
    with_planted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*arguments):
        raise RuntimeError("out of order")

    monkeypatch.setattr(catalog, "promises", lambda: {"planted": replace(PLANTED, simulate=fails)})
    with Pool(1, 1) as pool, pytest.raises(ValueError, match=r"planted.*out of order"):
        pool.run([Work("promise", "planted", {"a": 1, "b": 1}, "test", 2)])


def test_a_sample_does_not_depend_on_chunks(with_planted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def sums(chunk: int) -> object:
        monkeypatch.setattr(catalog, "promises", lambda: {"planted": replace(PLANTED, chunk=chunk)})
        with Pool(1, 3) as pool:
            (sample,) = pool.run([Work("promise", "planted", {"a": 6, "b": 3}, "test", 100)])
        return sample.sums

    assert sums(7) == sums(100)


def test_a_seed_gives_the_same_for_any_number_of_jobs() -> None:
    told = [report.as_json(campaign.run(Options(200, seed=5, jobs=jobs, only="conformal-random"))) for jobs in (1, 2)]
    assert json.dumps(told[0]) == json.dumps(told[1])
    other = report.as_json(campaign.run(Options(200, seed=6, only="conformal-random")))
    assert json.dumps(other["findings"]) != json.dumps(told[0]["findings"])


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match=r"reps=1: is at least 100"):
        campaign.run(Options(1))
    with pytest.raises(ValueError, match=r"only='jecz': no promise of this name"):
        campaign.run(Options(only="jecz"))


def test_the_command_prints_80_columns_and_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    with pytest.raises(SystemExit) as ended:
        main(["verify", "--reps", "200", "--only", "panel", "--out", str(out)])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert max(len(line) for line in told.splitlines() if str(out) not in line) <= 80
    assert "panel-certificate" in told
    assert "0 violated; 7 of 7 mutants caught" in told
    names = {path.name for path in out.iterdir()}
    assert names == {"findings.parquet", "promises.csv", "outside.csv", "mutants.csv", "report.md"}
    page = (out / "report.md").read_text(encoding="utf-8")
    assert "typeone verify --reps 200 --jobs 1 --seed 1 --only panel" in page


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "--reps", "200", "--only", "engine", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["sound"] is True
    assert told["promises"][0]["name"] == "engine-verdicts"


def test_the_command_fails_when_a_promise_is_violated(with_planted: None, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["verify", "--reps", "2000", "--seed", "2", "--quiet"])
    assert ended.value.code == 1
    assert capsys.readouterr().out == ""
