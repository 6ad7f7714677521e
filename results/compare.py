"""Compare committed tables with those of another run: `python results/compare.py COMMITTED OTHER`.

Exact numbers must be equal, estimates within their Monte Carlo errors: |z| at most a bound that some comparison of
all exceeds with probability 1e-3 if nothing has changed.  The quick run has the seeds of the full one, so on unchanged
code it gives the same answer every time.  Ends with code 1 when anything is missing or differs.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scipy.stats import norm

from writing import PUBLISHED

FALSE_ALARM = 1e-3
RELATIVE = 1e-9
SHOWN = 20


class Schema(NamedTuple):
    """Columns of a table: those that name a row, estimates with their standard errors, repetitions, exact numbers."""

    keys: tuple[str, ...]
    estimates: tuple[tuple[str, str], ...] = ()
    repetitions: str = "repetitions"
    exact: tuple[str, ...] = ()


SCF_LEVELS = ("0.05", "0.10", "0.20")
SCF_RATES = ("auroc", *(f"{rate} {t}" for rate in ("tpr", "fpr") for t in SCF_LEVELS))
SCF = {
    "": Schema(
        ("scores", "population", "cap", "method"),
        tuple((name, f"{name} se") for name in SCF_RATES),
        exact=tuple(f"attainable {t}" for t in SCF_LEVELS),
    ),
    "_gains": Schema(("scores", "population", "cap", "one", "other", "measure", "level"), (("gain", "gain se"),)),
    "_capped": Schema(
        ("scores", "population", "cap"), tuple((name, f"{name} se") for name in ("participants", "nonparticipants"))
    ),
}
GCR_AND_POWER = (("gcr", "gcr_se"), ("power", "power_se"))
JECS = {
    "jecs-headline": (),
    "jecs-power": ("models", "shift", "clean"),
    "jecs-validity": ("candidates", "clean", "law"),
    "jecs-validity-conformal": (),
    "jecs-real": ("score", "rows"),
    "trial": ("models", "pattern"),
    "fine-ranks": ("correlation",),
}
POOLING = {
    "drift": ("reliability", "partial"),
    "hetero": ("spread", "labelled"),
    "dependence": ("dependence", "miscalibration"),
}
ATTACK = ("attack", "amount", "size")
SCHEMAS = {
    **{f"scf/{table}{kind}.csv": schema for table in ("levels", "scenarios") for kind, schema in SCF.items()},
    "capping/capping.csv": Schema(
        ("tails", "share", "tau"),
        tuple((name, f"{name} se") for name in ("auroc", "over fisher", "over mean", "capped participants")),
    ),
    **{f"jecs/{name}.csv": Schema(("cell", *keys, "method"), GCR_AND_POWER) for name, keys in JECS.items()},
    "panels/validity.csv": Schema(
        ("evaluators", "units", "control", "method", "level"), (("estimate", "mc_se"),), repetitions="valid"
    ),
    "panels/power.csv": Schema(
        ("evaluators", "units", "clarity", "method"), (("certified", "mc_se"),), repetitions="valid", exact=("exact",)
    ),
    "plans/common.csv": Schema(("what", "measure", "sizes"), (("ratio of variances", "ratio se"),)),
    "panels/units.csv": Schema(("beta", "xi_E", "passing"), exact=("exact", "hoeffding")),
    "panels/evaluators.csv": Schema(("p", "method", "size"), exact=("exact", "hoeffding")),
    "panels/phases.csv": Schema(("attack", "share", "clarity", "size"), exact=("error",)),
    "panels/real_contamination.csv": Schema(ATTACK, exact=("value",)),
    "panels/real_sizes.csv": Schema(("size",), exact=("passes", "bound", "census_stable")),
    "panels/real_units.csv": Schema(("unit",), exact=("positives", "votes", "stable_size", "lower", "upper")),
}
PARTLY = {
    **{
        f"pooling/{name}.csv": Schema(
            (*keys, "n", "method", "level", "measure"), (("estimate", "mc_se"),), repetitions="valid", exact=("exact",)
        )
        for name, keys in POOLING.items()
    },
    "jecs_theorem/theorem.csv": Schema(
        ("n", "M", "ties"), exact=("alpha 1/10", "alpha 3/10", "alpha 1/2", "alpha 9/10")
    ),
}
"""Tables of which a quick run has some rows only: smaller designs, and measures of events too rare to occur in it."""


class Difference(NamedTuple):
    """A number that differs: where, which, committed, other, and how far apart in standard errors (None: exact)."""

    where: str
    column: str
    committed: str
    other: str
    z: float | None


def compare(committed: Path, other: Path) -> tuple[int, list[Difference]]:
    """How many numbers were compared, and those that differ."""
    found: list[Difference] = []
    for name, schema in {**SCHEMAS, **PARTLY}.items():
        found += _tables(name, schema, committed, other)
    for folder in sorted({Path(name).parent for name in (*SCHEMAS, *PARTLY)}):
        if (committed / folder / PUBLISHED).exists():
            found += _published(folder / PUBLISHED, committed, other)
    counted = [d for d in found if d.column]
    bound = float(norm.isf(FALSE_ALARM / (2 * max(1, len(counted)))))
    return len(counted), [d for d in found if not d.column or _differs(d, bound)]


def _differs(difference: Difference, bound: float) -> bool:
    if difference.z is not None:
        return not abs(difference.z) <= bound
    a, b = difference.committed, difference.other
    if a == b:
        return False
    try:
        return not abs(float(a) - float(b)) <= RELATIVE * max(abs(float(a)), abs(float(b)))
    except ValueError:
        return True


def _tables(name: str, schema: Schema, committed: Path, other: Path) -> Iterator[Difference]:
    """Every number of a table on both sides; rows or files that are missing have no column."""
    ours, theirs = (_read(folder / name, schema.keys) for folder in (committed, other))
    if ours is None or theirs is None:
        yield Difference(
            name, "", "missing" if ours is None else "there", "missing" if theirs is None else "there", None
        )
        return
    missing = theirs.keys() - ours.keys() if name in PARTLY else theirs.keys() ^ ours.keys()
    for key in sorted(missing):
        yield Difference(
            f"{name} {' '.join(key)}", "", *("there" if key in t else "missing" for t in (ours, theirs)), None
        )
    for key in sorted(ours.keys() & theirs.keys()):
        a, b = ours[key], theirs[key]
        where = f"{name} {' '.join(key)}"
        for column, error in schema.estimates:
            if z := _z((a, b), column, error, schema.repetitions):
                yield Difference(where, column, a[column], b[column], z[0])
        for column in schema.exact:
            yield Difference(where, column, a[column], b[column], None)


def _read(file: Path, keys: tuple[str, ...]) -> dict[tuple[str, ...], dict[str, str]] | None:
    if not file.exists():
        return None
    with file.open(newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    found = {tuple(row[key] for key in keys): row for row in rows}
    if len(found) != len(rows):
        raise ValueError(f"{file}: {', '.join(keys)} name several rows alike")
    return found


def _z(rows: tuple[dict[str, str], dict[str, str]], column: str, error: str, repetitions: str) -> tuple[float] | None:
    """The difference in standard errors; None where one side has too few repetitions to have an error.

    The variance of one repetition is the larger of both sides' plus 1 / n of the larger run: a rate of 0 in n
    repetitions may well be 1 / n.
    """
    if not all(row[column] and row[error] and int(row[repetitions]) > 1 for row in rows):
        return None
    counts = [int(row[repetitions]) for row in rows]
    variance = max(float(row[error]) ** 2 * n for row, n in zip(rows, counts, strict=True)) + 1 / max(counts)
    return ((float(rows[0][column]) - float(rows[1][column])) / (variance * sum(1 / n for n in counts)) ** 0.5,)


def _published(name: Path, committed: Path, other: Path) -> Iterator[Difference]:
    """The list of published values must be the same, and what is exact on our side too."""
    ours, theirs = (_read(folder / name, ("value", "published", "why")) for folder in (committed, other))
    if ours is None or theirs is None:
        yield Difference(
            str(name), "", "missing" if ours is None else "there", "missing" if theirs is None else "there", None
        )
        return
    for key in ours.keys() ^ theirs.keys():
        yield Difference(f"{name} {key[0]}", "", *("there" if key in t else "missing" for t in (ours, theirs)), None)
    for key in sorted(ours.keys() & theirs.keys()):
        if key[2].startswith("exact") and "jecs_theorem" not in str(name):
            yield Difference(f"{name} {key[0]}", "ours", ours[key]["ours"], theirs[key]["ours"], None)


def main() -> None:
    """Compare, print what differs, and end with 1 if anything does."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    compared, different = compare(*map(Path, sys.argv[1:]))
    print(f"{compared} numbers compared, {len(different)} differ")
    for d in different[:SHOWN]:
        far = "" if d.z is None else f" ({d.z:+.1f} standard errors)"
        print(f"  {d.where} {d.column}: {d.committed} committed, {d.other} here{far}")
    if len(different) > SHOWN:
        print(f"  and {len(different) - SHOWN} more")
    sys.exit(1 if different or not compared else 0)


if __name__ == "__main__":
    main()
