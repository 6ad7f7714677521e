"""The study's table in the shape of the publication: one row for each cell and method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from typeone.levels import Level
from typeone.scf.result import most_ranks
from typeone.scf.statistics import TITLES
from typeone.studies.scf.parameters import Parameters, calibration_size

Row = dict[str, Any]


def rows_of(summary: pa.Table, parameters: Sequence[Parameters]) -> list[Row]:
    """AUROC, TPR and FPR with their Monte Carlo errors, and each method's attainable level, from a run's summary.

    ``parameters`` are those of the run's cells, by number.
    """
    found: dict[tuple[int, str], Row] = {}
    for record in summary.to_pylist():
        method, measure, level = record["method"], record["measure"], record["level"]
        if measure not in ("auroc", "tpr", "fpr"):
            continue
        p = parameters[record["cell"]]
        row = found.setdefault(
            (record["cell"], method),
            {
                "cell": record["cell"],
                "scenario": named(p),
                "cap": p.cap.text,
                "method": TITLES.get(method, method),
                "repetitions": record["valid"],
            },
        )
        name = f"{measure} {level}".strip()
        row[name] = record["estimate"]
        row[f"{name} se"], row[f"{name} sd"] = record["mc_se"], record["sd"]
        if measure == "fpr":
            row[f"attainable {level}"] = attainable(p, method, Level(level))
            row[f"{name} lower"], row[f"{name} upper"] = record["lower"], record["upper"]
    order = {method: i for i, method in enumerate(["mean", "max", "min", "ramia", "fisher", "scf"])}
    return [found[key] for key in sorted(found, key=lambda key: (key[0], order.get(key[1], 9), key[1]))]


def attainable(p: Parameters, method: str, level: Level) -> float | None:
    """The largest possible rate at ``level``: floor(t (m + 1)) / (m + 1) with the method's m calibration sources.

    None for a statistic of your own that cannot be imported any more: whether it is compiled, and calibrated on L
    sources, is not known.
    """
    try:
        m = calibration_size(p, method)
    except ValueError:
        return None
    return most_ranks(level, m) / (m + 1)


def named(p: Parameters) -> str:
    """The population in words: the scenario, or rows and score column of a file."""
    if p.scenario != "scores":
        return p.scenario
    control = "negative control" if p.packaged == "scf_null" else ""
    return " ".join(part for part in (p.rows.partition("=")[2], p.score, control) if part)


Section = tuple[str, list[str], list[list[str]]]


def sections(rows: Sequence[Row], levels: Sequence[str]) -> list[Section]:
    """(title, header, body) of the AUROC, TPR and FPR tables: estimate ± Monte Carlo standard error."""
    several = len({(row["scenario"], row["cap"]) for row in rows}) > 1

    def place(row: Row) -> list[str]:
        return [row["scenario"], row["cap"], row["method"]] if several else [row["method"]]

    head = ["scores", "cap", "method"] if several else ["method"]
    found = [
        (
            "AUROC (± Monte Carlo error; SD over partitions)",
            [*head, "AUROC", "SD"],
            [[*place(row), _pm(row, "auroc"), f"{row['auroc sd']:.4f}"] for row in rows],
        )
    ]
    for measure, title in (("tpr", "participants found (TPR)"), ("fpr", "controls accused (FPR)")):
        body = [[*place(row), *(_pm(row, f"{measure} {t}") for t in levels)] for row in rows]
        found.append((title, [*head, *(f"at {t}" for t in levels)], body))
    attainable_body = [[*place(row), *(_rate(row[f"attainable {t}"]) for t in levels)] for row in rows]
    found.append(("largest FPR that is possible (attainable level)", found[-1][1], attainable_body))
    return found


def gains(summary: pa.Table, method: str = "scf") -> Section:
    """Paired AUROC gains of ``method`` over each other one in a run's first cell: mean, wins, ties and losses."""
    found: dict[str, dict[str, Any]] = {}
    for record in summary.to_pylist():
        one, _, other = record["method"].partition(" - ")
        if record["cell"] == 0 and one == method and record["measure"].startswith("auroc_gain"):
            found.setdefault(other, {})[record["measure"]] = record
    body = [
        [TITLES.get(other, other), f"{of['auroc_gain']['estimate']:+.4f} ± {of['auroc_gain']['mc_se']:.4f}"]
        + [f"{of[f'auroc_gain_{outcome}']['estimate']:.1%}" for outcome in ("win", "tie", "loss")]
        for other, of in found.items()
    ]
    header = ["over", "gain in AUROC", "wins", "ties", "losses"]
    return f"{TITLES.get(method, method)} against each other method, partition by partition", header, body


def _rate(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f}"


def _pm(row: Mapping[str, Any], name: str) -> str:
    return f"{row[name]:.4f} ± {row[f'{name} se']:.4f}"
