"""No option of ``typeone apply`` is ignored: given another value, it changes the answer, or it is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from typeone import tables
from typeone.cli.root import _leaf, main, tree

OF_THE_FILE = {"rows", "source", "item", "model", "score", "role", "control", "evaluator", "unit", "vote", "label"}
OF_THE_FILE |= {"ignore", "reliability", "weights", "wide", "missing", "malformed", "help"}
OF_THE_OUTPUT = {"out", "items", "contributions", "profile", "as_json", "quiet"}


class Case(NamedTuple):
    """A command on a file, another value of every option that is no column, and those that must be refused there."""

    command: str
    words: str
    others: Mapping[str, str]
    refused: frozenset[str] = frozenset()


SCF = {
    "reference": "30",
    "calibration": "33",
    "seed": "5",
    "splits": "3",
    "method": "fisher",
    "cap": "0.3",
    "level": "0.2",
    "smoothing": "source",
    "rho": "0.2",
    "fdr": "0.3",
    "ties": "random",
}
JECS = {"evidence": "larger", "level": "0.45", "method": "union", "ties": "random", "seed": "5"}
PANELS = {
    "delta": "0.1",
    "theta": "2/3",
    "beta": "0.3",
    "grid": "3,5",
    "method": "familywise",
    "hoeffding": "",
    "catalogue": "",
    "eta_e": "0.01",
    "eta_g": "0.01",
    "xi_e": "0.01",
    "flips": "2",
    "share": "0.1",
}
POOLING = {
    "accept": "0.99",
    "reject": "0.01",
    "prior": "0.2",
    "level": "0.2",
    "seed": "5",
    "tau": "8",
    "explain": "i1",
}
WHOLE = {"reference", "calibration", "seed"}
"""What changes nothing for a statistic of raw scores: all controls calibrate it, however they are divided."""
CASES = {
    "scf": Case("scf", "scf.csv --control control", SCF, frozenset({"rho"})),
    "scf by role": Case(
        "scf", "scf.csv --role role", SCF, frozenset({"reference", "calibration", "splits", "seed", "rho"})
    ),
    "scf by role, random": Case(
        "scf",
        "scf.csv --role role --ties random",
        {**SCF, "ties": "conservative"},
        frozenset({"reference", "calibration", "splits", "rho"}),
    ),
    "ramia": Case(
        "scf",
        "scf.csv --control control --method ramia",
        {**SCF, "method": "scf"},
        frozenset({"cap", "smoothing"}) | WHOLE,
    ),
    "mean": Case(
        "scf",
        "scf.csv --control control --method mean",
        {**SCF, "method": "scf"},
        frozenset({"cap", "smoothing", "rho"}) | WHOLE,
    ),
    "fisher": Case(
        "scf", "scf.csv --control control --method fisher", {**SCF, "method": "scf"}, frozenset({"cap", "rho"})
    ),
    "jecs": Case("jecs", "jecs.csv", JECS, frozenset({"seed"})),
    "jecs, random": Case("jecs", "jecs.csv --ties random", {**JECS, "ties": "attainable"}),
    "panels": Case("panels", "votes.csv --unit item --vote vote --evaluator source", PANELS),
    "panels, familywise": Case(
        "panels",
        "votes.csv --unit item --vote vote --evaluator source --method familywise",
        {**PANELS, "method": "mass-controlled"},
        frozenset({"xi_e"}),
    ),
    "panels, catalogue": Case(
        "panels",
        "votes.csv --unit item --vote vote --evaluator source --catalogue",
        {**PANELS, "hoeffding": ""},
        frozenset({"eta_g", "hoeffding"}),
    ),
    "pooling": Case("pooling", "votes.csv --label label", POOLING),
    "pooling, given": Case("pooling", "votes.csv --reliability right.csv", POOLING, frozenset({"seed", "level"})),
    "pooling, both": Case("pooling", "votes.csv --label label --reliability right.csv", POOLING, frozenset({"seed"})),
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files of scores and votes, coarse enough for ties."""
    monkeypatch.chdir(tmp_path)
    number = [(7 * i * i + 3 * i) % 31 / 10 for i in range(400)]
    sources = [f"s{i % 100:02}" for i in range(400)]
    roles = [["target", "reference", "calibration"][int(s[1:]) % 3] for s in sources]
    scf = {"source": sources, "score": number, "role": roles, "control": [r != "target" for r in roles]}
    items = {
        "item": [f"d{i}" for i in range(100)] * 2,
        "model": ["a"] * 100 + ["b"] * 100,
        "role": (["candidate"] * 40 + ["calibration"] * 60) * 2,
        "score": [(number[i] if i % 100 >= 40 else round(0.6 * number[i] - 0.4, 1)) for i in range(200)],
    }
    votes = {
        "item": [f"i{i}" for i in range(60) for _ in range(40)],
        "source": [f"e{e}" for _ in range(60) for e in range(40)],
        "vote": [int((3 * i + 7 * e + i * e) % 41 < (36 if i % 2 else 4)) for i in range(60) for e in range(40)],
        "label": [i % 2 for i in range(60) for _ in range(40)],
    }
    right = {"source": [f"e{e}" for e in range(40)], "reliability": [0.5 + (e + 1) / 100 for e in range(40)]}
    for name, table in {"scf": scf, "jecs": items, "votes": votes, "right": right}.items():
        tables.write(tables.as_table(table), f"{name}.csv")


def answer(capsys: pytest.CaptureFixture[str], words: list[str]) -> tuple[int, str, str]:
    """How the command ended, what it printed and wrote."""
    with pytest.raises(SystemExit) as ended:
        main(["apply", *words, "--out", "answer.csv"])
    told, errors = capsys.readouterr()
    code = int(ended.value.code or 0)
    return code, errors if code else told, "" if code else Path("answer.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("files")
def test_every_option_changes_the_answer_or_is_refused(capsys: pytest.CaptureFixture[str], case: str) -> None:
    command, text, others, refused = CASES[case]
    words = [command, *text.split()]
    code, *before = answer(capsys, words)
    assert code == 0, before
    for name, value in others.items():
        option = f"--{name.replace('_', '-')}"
        if option in words and name not in ("method", "ties"):
            continue
        at = words.index(option) if option in words else len(words)
        code, *after = answer(capsys, [*words[:at], *words[at + 2 :], option, *filter(None, [value])])
        if name in refused:
            assert code == 2, f"{option} {value} was taken"
            assert option in after[0] or name in after[0]
        else:
            assert code == 0, after
            assert after != before, f"{option} {value} changed nothing"


def parameters() -> Iterator[tuple[str, set[str]]]:
    """The options of every method's ``apply``."""
    for method, file in tree()["apply"].items():
        command = _leaf(method, file, imported=True)
        yield method, {p.name for p in command.params if p.param_type_name == "option"}


def test_no_option_is_left_out() -> None:
    found = dict(parameters())
    assert found.keys() == {case.command for case in CASES.values()}
    for case in CASES.values():
        assert case.others.keys() == found[case.command] - OF_THE_FILE - OF_THE_OUTPUT
