"""What the scripts of this folder share: tables in CSV, the head of a report, and published values beside ours."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from typeone.display import markdown_table

HERE = Path(__file__).resolve().parent
QUICK_MARK = "**Quick run: fewer repetitions than the committed tables.**"
Verdict: TypeAlias = Literal["agrees", "differs", "fitted", "not comparable"]
VERDICTS: tuple[Verdict, ...] = ("agrees", "differs", "fitted", "not comparable")
PUBLISHED = "published.csv"


class Check(NamedTuple):
    """A published value beside ours; ``error`` is one Monte Carlo standard error, empty when ours is exact."""

    value: str
    published: str
    ours: str
    error: str
    verdict: Verdict
    why: str


def judged(ours: float, error: float, published: str) -> Verdict:
    """Agrees when within two standard errors of the difference and the rounding of the published decimal."""
    rounding = 0.5 * 10.0 ** -len(published.partition(".")[2])
    return "agrees" if abs(ours - float(published)) <= 2 * error + rounding * (1 + 1e-9) else "differs"


def same(published: str, ours: Any) -> Verdict:
    """For exact values: by their text."""
    return "agrees" if published == str(ours) else "differs"


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """All numbers of the rows, unrounded."""
    with path.open("w", newline="", encoding="utf-8") as sink:
        writer = csv.DictWriter(sink, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_checks(folder: Path, checks: Iterable[Check]) -> str:
    """Write ``published.csv``; returns the same as a Markdown table under a line that counts the verdicts."""
    checks = list(checks)
    write_csv(folder / PUBLISHED, [check._asdict() for check in checks])
    counted = ", ".join(f"{sum(c.verdict == word for c in checks)} {word}" for word in VERDICTS)
    header = ["value", "published", "ours", "± MC error", "verdict", "why"]
    return f"{counted} of {len(checks)}.\n\n{markdown_table(header, checks)}"


def write_report(folder: Path, title: str, command: str, told: str, parts: Iterable[str], *, quick: bool) -> None:
    """README.md of a folder: title, the command, date, versions and repetitions, then the parts."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("typeone", "numpy", "numba", "scipy"))
    head = f"Written by `python results/{command}` on {date.today().isoformat()} ({packages}). {told}"
    text = [f"# {title}", head, *([QUICK_MARK] if quick else []), *parts]
    (folder / "README.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")


def root_of_squares(*errors: float) -> float:
    """The standard error of a sum of independent parts."""
    return math.sqrt(sum(error**2 for error in errors))
