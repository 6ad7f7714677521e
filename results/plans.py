"""Smallest designs: `python results/plans.py [--quick]` asks `typeone plan` four questions, writes results/plans/.

Calibration sources for SCF on a scenario, calibration size for JECS, evaluators and generated units for a certificate,
panel size under corruption; calibration sources from a pilot; a simulated answer beside the exact one; and what common
random numbers do.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import plans_common
from typeone.display import markdown_table
from writing import HERE, Check, write_checks, write_csv, write_report

QUICK = 800


class Question(NamedTuple):
    """A question in words, the command line, and the most repetitions of a size (0: the answer is exact)."""

    title: str
    words: str
    most: int


CERTIFICATE = "panels --clear .95 --clarity .45 --beta .2 --xi-e .01 --target power=.8 --vary A=80:140:2"
QUESTIONS = {
    "scf": Question(
        "How many calibration sources does SCF need on scenario enron to find 40 % of the participants at level .1?",
        'scf-enron --population redraw --cap .05 --target "tpr@0.10:scf=.4" --vary L=8:40 --at-most "fpr@0.10:scf=.1" '
        "--set margin=0.01 --effect effect",
        6400,
    ),
    "pilot": Question(
        "The same from a pilot, 60 participants and 60 controls of the packaged real scores, to find 30 %:",
        'scf-real --rows domain=changelogs --cap .05 --resample true --target "tpr@0.10:scf=.3" '
        "--vary L=18,19,28,29,38,39 --effect effect",
        800,
    ),
    "jecs": Question(
        "How many calibration items does JECS need to find 65 % of the clean items, 500 candidates under three models?",
        "jecs --models 3 --candidates 500 --clean .3 --shift 3 --set margin=0.01 "
        '--target power=.65 --vary m=50:800:50 --at-most "gcr=.1"',
        3200,
    ),
    "certificate": Question(
        "How many evaluators and generated units does a certificate need, an evaluator costing four times a unit?",
        "panels --shared 0 --clear .95 --clarity .45 --beta .2 --xi-e .01 --target power=.8 --vary A=40:200:5 "
        "--vary E=40:120:20 --cost units=1 --cost evaluators=4",
        0,
    ),
    "shared": Question(
        "The same when evaluators vote by a uniform of their own shared by all units with probability one half "
        "(60 evaluators)?",
        f"{CERTIFICATE} --shared .5 --evaluators 60",
        6400,
    ),
    "corruption": Question(
        "How large must a panel be when an adversary holds 10 % of the evaluators and the honest share is .8?",
        'panels --attack fixed --clarity .3 --corrupted .1 --target "error<=.01" --vary K=3:101',
        0,
    ),
    "exact": Question(
        "The certificate with independent votes and 60 evaluators, exactly:",
        f"{CERTIFICATE} --shared 0 --evaluators 60",
        0,
    ),
    "simulated": Question(
        "The same, simulated as if nothing were known:",
        f"{CERTIFICATE} --shared 0 --evaluators 60 --simulate",
        12_800,
    ),
}


def command(question: Question, name: str, quick: bool) -> list[str]:
    """The words after ``typeone plan``."""
    most = min(question.most, QUICK) if quick else question.most
    limited = ["--most", str(most)] if most else []
    return [*shlex.split(question.words), *limited, "--out", f"runs/plan-{name}"]


def told(words: list[str], folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """What is printed, and the answers; the second call finds everything computed."""
    head = [sys.executable, "-m", "typeone", "plan", *words]
    text, answers = (
        subprocess.run([*head, *more], cwd=folder, check=True, capture_output=True, text=True).stdout
        for more in ([], ["--json"])
    )
    return text.strip(), json.loads(answers)["answers"]


def rows_of(name: str, answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each line of answers and kind of size."""
    return [
        {"question": name, "multiple": one["multiple"], "second": one["outer"], "kind": kind}
        | {end: one[kind][end] for end in ("size", "lower", "upper")}
        for one in answers
        for kind in ("minimum", "stable")
    ]


def checks(rows: list[dict[str, Any]]) -> list[Check]:
    """Whether the simulated intervals hold the exact sizes."""
    found = []
    for kind in ("minimum", "stable"):
        exact, drawn = (
            next(row for row in rows if row["question"] == name and row["kind"] == kind)
            for name in ("exact", "simulated")
        )
        inside = drawn["lower"] <= exact["size"] <= (drawn["upper"] or exact["size"])
        ours = f"{drawn['size']} ({drawn['lower']} to {drawn['upper']})"
        verdict = "agrees" if inside else "differs"
        why = "the exact answer inside the simulated interval, which errs with probability at most .05"
        found.append(Check(f"{kind} size, simulated beside exact", str(exact["size"]), ours, "", verdict, why))  # type: ignore[arg-type]
    return found


def common(folder: Path, quick: bool) -> str:
    """The section on common random numbers; writes common.csv."""
    found = plans_common.rows(quick=quick)
    write_csv(folder / "common.csv", found)
    body = []
    for row in found:
        spread = [f"{row[name]:.3f}" for name in ("SD independent", "SD common")]
        ratio = f"{row['ratio of variances']:.2f} ± {row['ratio se']:.2f}"
        body.append([row["what"], row["measure"], row["sizes"], *spread, ratio])
    told = (
        f"The sizes of a plan share their random numbers. SD over {found[0]['repetitions']} repetitions of the "
        "difference in the measure between two sizes: as independent runs, and as a plan simulates them. The ratio: "
        "how many times as many independent repetitions show the difference as sharply (± one standard error)."
    )
    header = ["varied", "measure", "sizes", "SD, independent", "SD, common", "ratio of variances"]
    return f"## What common random numbers do\n\n{told}\n\n{markdown_table(header, body)}"


def main() -> None:
    """Ask, and write the answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"at most {QUICK} repetitions of a size")
    parser.add_argument("--out", type=Path, default=HERE / "plans")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    parts, rows = [], []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "runs").mkdir()
        for name, question in QUESTIONS.items():
            words = command(question, name, options.quick)
            text, answers = told(words, Path(folder))
            rows += rows_of(name, answers)
            parts.append(
                f"## {question.title}\n\n```console\ntypeone plan {shlex.join(words)}\n```\n\n```text\n{text}\n```"
            )
    write_csv(options.out / "plans.csv", rows)
    parts.append(common(options.out, options.quick))
    parts.append(write_checks(options.out, checks(rows)))
    about = "Minimum: the least size that reaches the target; stable: the least from which on every size does."
    write_report(options.out, "Smallest designs", "plans.py", about, parts, quick=options.quick)


if __name__ == "__main__":
    main()
