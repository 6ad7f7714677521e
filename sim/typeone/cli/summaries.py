"""A summary as a table in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    import pyarrow as pa

LEFT_OUT = ("study", "sd", "needed", "bounds")
MOST_ROWS = 60


def show(table: pa.Table) -> None:
    """Print the rows; factors that are the same in all cells, and columns for machines, are left out."""
    from typeone.display import text_table

    names = [name for name in table.column_names if "verdict" not in table.column_names or _is_shown(table, name)]
    shown = table.select(names)
    rows = list(zip(*(column.to_pylist() for column in shown.columns), strict=True))
    typer.echo(text_table(names, rows, most=MOST_ROWS))


def _is_shown(table: pa.Table, name: str) -> bool:
    if name in LEFT_OUT or "_failed_as_" in name:
        return name.endswith(("_as_0", "_as_1")) and any(table["failed"].to_pylist())
    factors = table.column_names[table.column_names.index("cell") + 1 : table.column_names.index("method")]
    return name not in factors or len(set(table[name].to_pylist())) > 1
