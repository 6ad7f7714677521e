"""Everything under results/: `python results/run.py [--quick] [--out DIR] [--only NAME ...]`.

Runs each script of this folder, the verification campaign and (not in the quick run) the benchmarks, then gathers the
published values beside ours, of all reports, into README.md.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

from typeone.display import markdown_table
from writing import HERE, PUBLISHED, QUICK_MARK, VERDICTS

REPORTS = {
    "scf": "SCF: real scores, scenarios, cap sensitivity, orderings of methods",
    "capping": "When capping helps: tails, share of responding documents, baselines",
    "jecs": "JECS: headline, validity, where methods break, power, real scores",
    "jecs_theorem": "JECS: the theorem, enumerated",
    "panels": "Panels: validity, certification rates, exact values, savings, adversaries, the real matrix",
    "pooling": "Pooling: drift, unequal and dependent sources, the real matrix",
    "plans": "Smallest designs: four questions, and a simulated answer beside the exact one",
}
VERIFY, BENCHMARKS = "verify", "benchmarks"
QUICK_REPETITIONS = 2000
"""Of the verification campaign in the quick run."""


def command(name: str, out: Path, quick: bool) -> list[str]:
    """The command that writes the report ``name`` into the folder ``out``."""
    if name == VERIFY:
        fewer = ["--reps", str(QUICK_REPETITIONS)] if quick else []
        return [sys.executable, "-m", "typeone", "verify", "--jobs", "2", "--out", str(out / name), "--quiet", *fewer]
    if name == BENCHMARKS:
        return [sys.executable, "-m", "benchmarks", "--out", str(out / name)]
    return [sys.executable, str(HERE / f"{name}.py"), "--out", str(out / name), *(["--quick"] if quick else [])]


def gathered(out: Path) -> tuple[list[list[str]], list[list[str]]]:
    """(verdicts counted by report, every value that differs, with the reason)."""
    counts, differ = [], []
    for name in REPORTS:
        file = out / name / PUBLISHED
        if not file.exists():
            continue
        with file.open(newline="", encoding="utf-8") as source:
            rows = list(csv.DictReader(source))
        counts.append([f"[{name}]({name}/README.md)", *(str(sum(r["verdict"] == v for r in rows)) for v in VERDICTS)])
        differ += [
            [name, r["value"], r["published"], f"{r['ours']}" + (f" ± {r['error']}" if r["error"] else ""), r["why"]]
            for r in rows
            if r["verdict"] == "differs"
        ]
    return counts, differ


def write_index(out: Path, quick: bool) -> None:
    """README.md: what stands where, and how the published values compare."""
    counts, differ = gathered(out)
    pages = {name: f"{name}/{'report' if name == VERIFY else 'README'}.md" for name in (*REPORTS, VERIFY, BENCHMARKS)}
    made = [name for name, page in pages.items() if (out / page).exists()]
    titles = REPORTS | {
        VERIFY: "Verification campaign: every promise, its worst case, mutants",
        BENCHMARKS: "Speed beside peers and floors",
    }
    packages = ", ".join(f"{name} {version(name)}" for name in ("typeone", "numpy", "numba", "scipy"))
    run = "make results QUICK=1" if quick else "make results"
    text = [
        "# Results",
        f"Written by `{run}` on {date.today().isoformat()} ({packages}).",
        *([QUICK_MARK] if quick else []),
        "\n".join(f"- [{name}]({pages[name]}): {titles[name]}" for name in made),
        "## Published values beside ours",
        "Each report lists every published value with ours, its Monte Carlo error, a verdict and the reason. *agrees*: "
        "equal where ours is exact, within two standard errors of the difference and the rounding where it is "
        "simulated; *differs*: not so; *fitted*: the number went into the fit of a scenario, so its nearness is no "
        "evidence and it is not counted as reproduced; *not comparable*: the publication's data or configuration is "
        "not public, ours stands beside it for orientation.",
        markdown_table(["report", *VERDICTS], counts),
        "### Every value that differs",
        markdown_table(["report", "value", "published", "ours", "why"], differ) if differ else "None.",
    ]
    (out / "README.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")


def main() -> None:
    """Run what was asked for, then write the index."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, at most 10 minutes; no benchmarks")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--only", nargs="+", choices=[*REPORTS, VERIFY, BENCHMARKS], help="these reports alone")
    options = parser.parse_args()
    names = options.only or [*REPORTS, VERIFY, *([] if options.quick else [BENCHMARKS])]
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        started = time.perf_counter()
        subprocess.run(command(name, out, options.quick), check=True, cwd=HERE.parent, stdout=subprocess.DEVNULL)
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
    write_index(out, options.quick)
    print(f"{out / 'README.md'}")


if __name__ == "__main__":
    main()
