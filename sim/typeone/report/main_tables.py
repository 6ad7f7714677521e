"""A run's tables as a publication prints them: the study's own, or one for each measure with a column per level."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from typeone.figures.latex import latex_table
from typeone.figures.rows import Row, groups, levels_of
from typeone.figures.stored import Stored

Table: TypeAlias = tuple[str, list[str], list[list[str]]]
"""Title, header, and rows of text."""


def main_tables(run: Stored) -> list[Table]:
    """From the module ``headline`` of the study's package (``rows_of``, ``sections``) when there is one."""
    own = _headline(run.manifest.reference.partition(":")[0])
    if own is None:
        return list(_pivots(run))
    parameters = [run.study.parameters.model_validate(cell) for cell in run.manifest.factors]
    levels = [level.text for level in run.design.levels] or list(run.study.levels)
    return list(own.sections(own.rows_of(run.summary, parameters), levels))


def _headline(module: str) -> ModuleType | None:
    name = f"{module}.headline"
    try:
        found = find_spec(name)
    except ModuleNotFoundError:  # the study is a single module, which has no others inside
        return None
    return import_module(name) if found else None


def _pivots(run: Stored) -> Iterator[Table]:
    for measure, rows in run.measures("rate", "fraction", "mean"):
        levels = levels_of(rows)
        header = [*run.varying, "method", *([f"at {text}" for text in levels] or ["estimate"])]
        body = [
            [*(str(group[0][name]) for name in run.varying), str(method), *_columns(group, levels or [""])]
            for (_, method), group in groups(rows, "cell", "method").items()
        ]
        yield f"{measure.text or measure.name} ({measure.name} ± Monte Carlo error)", header, body


def _columns(rows: list[Row], levels: list[str]) -> Iterator[str]:
    at = {row["level"]: row for row in rows}
    for text in levels:
        row = at.get(text)
        error = "" if row is None or row["mc_se"] is None else f" ± {row['mc_se']:.4f}"
        yield "–" if row is None else f"{row['estimate']:.4f}{error}"


def write_latex(run: Stored, folder: Path) -> list[Path]:
    """One .tex file for each main table; repetitions and failures stand in the caption."""
    counts = f"{run.manifest.completed:,} repetitions, {run.manifest.failed:,} failed, seed {run.design.seed}"
    written = []
    for number, (title, header, body) in enumerate(main_tables(run), start=1):
        name = f"{run.study.name}-{number}"
        file = folder / f"{name}.tex"
        caption = f"{title}. {counts}."
        file.write_text(latex_table(header, body, caption=caption, label=f"tab:{name}"), encoding="utf-8")
        written.append(file)
    return written
