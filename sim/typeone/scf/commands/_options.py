"""What `apply` and `check` ask about a file of scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from typeone.terminal.options import KINDS

if TYPE_CHECKING:
    import pyarrow as pa

File = Annotated[Path, typer.Argument(help=f"{KINDS}, one row per document.")]
Source = Annotated[str, typer.Option(help="Column with the document's source.")]
Score = Annotated[str, typer.Option(help="Column with the score; larger = more evidence.")]
Role = Annotated[str | None, typer.Option(help="Column: reference, calibration or target.")]
Control = Annotated[
    str | None,
    typer.Option(help="Column: true = known nonparticipant; or column=value for it, as participant=false."),
]


def read(file: Path, rows: list[str] | None, role: str | None, control: str | None) -> tuple[pa.Table, dict[str, Any]]:
    """The table, and the columns that say which source is what: the one called role, unless another is named."""
    from typeone import tables

    table = tables.read(file, rows)
    if control is None:
        return table, {"role": role or "role", "control": None}
    table, control = tables.marked(table, control, "control")
    return table, {"role": role, "control": control}
