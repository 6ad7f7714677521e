"""What `apply` and `check` ask about a file of scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.terminal.options import KINDS

File = Annotated[Path, typer.Argument(help=f"{KINDS}, one row for each item and model.")]
Item = Annotated[str, typer.Option(help="Column with the item.")]
Model = Annotated[str, typer.Option(help="Column with the model.")]
Role = Annotated[str, typer.Option(help="Column: candidate or calibration (a known member).")]
Score = Annotated[list[str] | None, typer.Option(help="Column with the score; with --wide one per model.")]
Wide = Annotated[bool, typer.Option("--wide", help="One row per item, one --score column per model.")]
Evidence = Annotated[str, typer.Option(help="Scores that speak for a clean item: smaller or larger.")]


def score_columns(score: list[str] | None, wide: bool) -> list[str]:
    """The columns of scores: one, or in a wide table one for each model."""
    columns = score or ["score"]
    if not wide and len(columns) > 1:
        raise ValueError(f"score: {len(columns)} columns of scores are for a wide table (--wide)")
    return columns


def unused_when(wide: bool) -> dict[str, str | None]:
    """Why an option of the file would change nothing."""
    return {"model": "in a wide file each --score column is a model" if wide else None}
