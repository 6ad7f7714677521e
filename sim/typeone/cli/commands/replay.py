"""Compute one repetition of a run again, alone, and compare it with what is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(help="A run's folder.")],
    cell: Annotated[int, typer.Option(help="Number of the cell, as in the summary.")],
    rep: Annotated[int, typer.Option(help="Number of the repetition, from 0.")],
) -> None:
    """Recompute repetition --rep of --cell; exit code 1 when it differs from the stored row."""
    from typeone.display import text_table
    from typeone.engine.replay import replay
    from typeone.engine.workers import Failure

    made = replay(folder, cell, rep)
    typer.echo(f"stream key {made.key[0]:016x}{made.key[1]:016x}, repetition {rep}")
    if isinstance(made.stored, Failure) or isinstance(made.again, Failure):
        typer.echo(f"stored  {made.stored}\nagain   {made.again}")
    else:
        names = sorted(made.stored.keys() | made.again.keys())
        rows = [(*name, repr(made.stored.get(name)), repr(made.again.get(name))) for name in names]
        typer.echo(text_table(("method", "measure", "level", "stored", "again"), rows, most=len(rows)))
    typer.echo("equal" if made.is_equal else "NOT EQUAL")
    if not made.is_equal:
        raise typer.Exit(1)
