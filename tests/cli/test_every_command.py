"""What holds for every command of the tree: --quiet and --json, 80 columns, errors in one sentence, no color.

The commands are listed by the tree itself: a new one fails here until it has an example and both options, or a reason.
"""

from __future__ import annotations

import itertools
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from typeone import tables
from typeone.cli.root import _leaf, main, tree

WIDTH = 80
SCF = ["--control", "control", "--score", "score_ratio", "--reference", "40", "--calibration", "51"]
VOTES = ["--unit", "unit", "--vote", "vote"]
POOL = ["--item", "unit", "--source", "evaluator", "--vote", "vote", "--label", "truth"]
CENSUS = ["--census", "40", "--positives", "25"]

EXAMPLES: dict[str, list[str]] = {
    "apply scf": ["scf.parquet", *SCF, "--fdr", ".1", "--level", ".05", "--level", ".1"],
    "apply jecs": ["jecs.parquet", "--rows", "level=easy", "--score", "score_ref"],
    "apply panels": ["panels.parquet", *VOTES],
    "apply pooling": ["panels.parquet", *POOL, "--tau", "40", "--explain", "1"],
    "check scf": ["scf.parquet", *SCF[:4], "--column", "n_tokens"],
    "check jecs": ["jecs.parquet", "--rows", "level=easy", "--score", "score_ref"],
    "check panels": ["panels.parquet", *VOTES],
    "check pooling": ["panels.parquet", *POOL],
    "panels size": CENSUS,
    "panels error": CENSUS,
    "panels design": ["--units", "60", "--evaluators", "80"],
    "pooling drift": ["--tau", "3", "--reliability", ".7", "--n", "5", "--n", "9"],
    "pooling reconcile": ["--reliability", ".7", "--reliability", ".9", "--reliability", ".6"],
    "scf fit": ["enron", "--populations", "2", "--most", "1"],
    "run": ["coin", "--out", "run"],
    "plan": ["panel-flips", "--target", "error<=.01", "--vary", "K=1:200", "--out", "plan"],
    "status": ["run"],
    "summary": ["run"],
    "replay": ["run", "--cell", "1", "--rep", "3"],
    "report": ["run"],
    "plot": ["run", "--figure", "zip-error"],
    "export": ["run", "--out", "table.csv"],
    "list": [],
    "show": ["coin"],
    "doctor": [],
    "example": ["jecs", "again.csv", "--rows", "level=easy"],
    "demo": [],
}
# A further method brings its own, and the files that it reads: tests/cli/examples/NAME.toml.
BROUGHT = [tomllib.loads(file.read_text()) for file in sorted(Path(__file__).parent.glob("examples/*.toml"))]
EXAMPLES |= {brought["command"]: brought["words"] for brought in BROUGHT}
ELSEWHERE = {"verify": "takes a minute; tests/verify runs it"}
EXEMPT = {
    "show": {"--json": "prints a TOML file to be copied", "--quiet": "prints nothing but that file"},
    "example": {"--json": "writes a file; its only line names it"},
    "export": {"--json": "writes a file; its only line names it"},
    "report": {"--json": "writes a page; its only line names it"},
    "plot": {"--json": "writes pictures; prints one path a line"},
    "demo": {"--json": "`typeone summary runs/demo --json` holds its numbers"},
}


def leaves(branches: dict[str, Any], *before: str) -> Iterator[tuple[str, Path]]:
    for name, branch in sorted(branches.items()):
        if isinstance(branch, Path):
            yield " ".join([*before, name]), branch
        else:
            yield from leaves(branch, *before, name)


LEAVES = dict(leaves(tree()))
RUNNABLE = [name for name in LEAVES if name not in ELSEWHERE]


def options(name: str) -> set[str]:
    command = _leaf(name.split()[-1], LEAVES[name], imported=True)
    return {option for parameter in command.params for option in parameter.opts if option.startswith("--")}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here")
    for name in ("scf", "jecs", "panels"):
        tables.write(tables.read(tables.PACKAGED / f"{name}.parquet"), folder / f"{name}.parquet")
    for name, content in itertools.chain.from_iterable(brought["files"].items() for brought in BROUGHT):
        (folder / name).write_text(content.lstrip())
    return folder


@pytest.fixture
def call(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(here)
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        return int(ended.value.code or 0), *capsys.readouterr()

    if not (here / "run").exists():
        call("run", "coin", "--reps", "50", "--out", "run", "--quiet")
    return call


def words_of(name: str) -> list[str]:
    more = ["--reps", "50"] if name == "run" else []
    return [*name.split(), *EXAMPLES[name], *more]


def test_every_command_has_an_example_and_no_list_is_longer_than_the_tree() -> None:
    assert set(EXAMPLES) | set(ELSEWHERE) == set(LEAVES)
    assert set(EXEMPT) <= set(LEAVES)


@pytest.mark.parametrize("name", LEAVES)
@pytest.mark.parametrize("option", ["--json", "--quiet"])
def test_every_command_has_quiet_and_json_or_a_reason(name: str, option: str) -> None:
    reason = EXEMPT.get(name, {}).get(option)
    assert (option in options(name)) != bool(reason), f"{name} {option}: {reason}"


@pytest.mark.parametrize("name", RUNNABLE)
def test_what_is_printed_fits_80_columns(name: str, call: Any) -> None:
    code, out, err = call(*words_of(name))
    assert code == 0 or name == "doctor", err
    assert out.strip()
    lines = out.splitlines()
    # A path cannot be broken: the machine's own may be long.
    assert [line for line in lines if len(line) > WIDTH and not (name == "doctor" and "/" in line)] == []
    assert err == "", "progress is for terminals"


@pytest.mark.parametrize("name", [n for n in RUNNABLE if "--json" not in EXEMPT.get(n, {})])
def test_json_is_json_and_nothing_else(name: str, call: Any) -> None:
    code, out, err = call(*words_of(name), "--json")
    assert code == 0 or name == "doctor", err
    assert json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


@pytest.mark.parametrize("name", [n for n in RUNNABLE if "--quiet" not in EXEMPT.get(n, {})])
def test_quiet_says_less(name: str, call: Any) -> None:
    code, loud, _ = call(*words_of(name))
    quiet_code, quiet, err = call(*words_of(name), "--quiet")
    assert (quiet_code, err) == (code, "")
    assert len(quiet.splitlines()) < len(loud.splitlines())


@pytest.mark.parametrize("name", LEAVES)
def test_help_says_what_every_option_does(name: str, call: Any) -> None:
    code, out, _ = call(*name.split(), "--help")
    assert code == 0
    assert all(option in out for option in options(name))
    assert max(map(len, out.splitlines())) <= WIDTH


BAD = [
    (["apply", "scf"], "missing argument 'file'"),
    (["aply"], "did you mean 'apply'?"),
    (["apply", "sfc"], "did you mean 'scf'?"),
    (["apply", "scf", "x.csv", "--colum", "y"], "no such option: --colum"),
    (["apply", "scf", "nowhere.csv"], "nowhere.csv: no such file"),
    (["apply", "scf", "scf.parquet", "--score", "nope"], "no column 'nope'; the columns are: domain, source"),
    (["apply", "scf", "scf.parquet", *SCF, "--level", "2"], "a level lies strictly between 0 and 1"),
    (["apply", "scf", "scf.parquet", "--level", "five"], "'five' is not a number such as 0.05"),
    (["apply", "jecs", "jecs.parquet", "--rows", "level=esay"], "no row has this value"),
    (["apply", "panels", "panels.parquet", *VOTES, "--grid", "3,x"], "is written 3,5,7"),
    (["apply", "pooling", "panels.parquet", *POOL[:4]], "name a label column, or give reliabilities"),
    (["run", "con", "--out", "x"], "no preset, TOML file or study; did you mean 'coin'?"),
    (["run", "coin"], "a folder for the results is needed"),
    (["run", "coin", "--reps", "many", "--out", "x"], "'--reps': a whole number is needed"),
    (["run", "coin", "--flipz", "3", "--out", "x"], "did you mean 'flips'?"),
    (["plan", "coin", "--vary", "flips=1:3", "--out", "p"], "missing option '--target'"),
    (["summary", "nowhere"], "holds no run"),
    (["summary", "run", "--cell", "9"], "no row of this run has it; known: 0, 1, 2, 3"),
    (["summary", "run", "--method", "boldd"], "did you mean 'bold'?"),
    (["summary", "run", "--level", ".2"], "known: 0.05, 0.1"),
    (["summary", "run", "--method", "coin", "--claims"], "leave an option out"),
    (["summary", "run", "--json", "--format", "csv"], "two formats; choose one"),
    (["replay", "run", "--cell", "9", "--rep", "0"], "the run has cells 0 to 3"),
    (["plot", "run", "--figure", "nope"], "has no such figure; known"),
    (["report", "nowhere"], "nowhere: no such file"),
    (["pooling", "drift", "--tau", "x", "--reliability", ".7", "--n", "3"], "'--tau': a whole number is needed"),
    (["panels", "size"], "name exactly one"),
    (["scf", "fit", "nowhere"], "is one of reddit"),
]


@pytest.mark.parametrize(("words", "told"), BAD, ids=lambda part: " ".join(part) if isinstance(part, list) else "")
def test_an_error_is_one_sentence(words: list[str], told: str, call: Any) -> None:
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1
    assert err.startswith("typeone")


UNSET = ("NO_COLOR", "COLUMNS", "FORCE_COLOR")


def on_a_terminal(words: list[str], folder: Path, **environment: str) -> str:
    """What the command writes when standard output and error are a terminal of 80 columns."""
    import fcntl
    import struct
    import termios

    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    command = [sys.executable, "-m", "typeone", *words]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=child,
        stdout=child,
        stderr=child,
        env=kept | {"TERM": "xterm-256color"} | environment,
    )
    os.close(child)
    parts = []
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:  # Linux's way to say that the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(parent)
    assert process.wait() == 0
    return b"".join(parts).decode()


COLOR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")


def test_no_color_is_honoured_and_progress_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    run = ["run", "coin", "--reps", "20000"]
    colored = on_a_terminal([*run, "--out", "one"], tmp_path)
    assert COLOR.search(colored)
    assert re.search(r"\d of 80000, .*\d/s, \d+:\d\d:\d\d left, 0 failed", colored)
    plain = on_a_terminal([*run, "--out", "two"], tmp_path, NO_COLOR="1")
    assert not COLOR.search(plain)
    assert "of 80000" in plain
    for jobs in ("1", "2"):
        assert on_a_terminal([*run, "--out", f"quiet{jobs}", "--quiet", "--jobs", jobs], tmp_path) == ""
    assert not COLOR.search(on_a_terminal(["--help"], tmp_path, NO_COLOR="1"))
