"""What `apply` gives back: files first, then the result as text or JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import typer

if TYPE_CHECKING:
    import pyarrow as pa

Outputs: TypeAlias = "Sequence[tuple[Path | None, Callable[[], pa.Table]]]"


class Answer(Protocol):
    """A result: its table, and its text by ``str``."""

    def to_arrow(self) -> pa.Table:
        """One row for each thing decided."""


def give(result: Answer, outputs: Outputs, *, as_json: bool, quiet: bool, more: Sequence[str] = ()) -> None:
    """Write each table that a path is named for; print the result, with ``more`` below it, unless ``quiet``."""
    from typeone import tables
    from typeone.terminal.output import say, say_written

    for path, table in outputs:
        if path is not None:
            tables.write(table(), path)
    if as_json:
        typer.echo(tables.as_json(result.to_arrow()))
    elif not quiet:
        say("\n\n".join([str(result), *more]))
        say_written(path for path, _ in outputs)
