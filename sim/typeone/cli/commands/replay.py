"""Compute one repetition of a run again, alone, and compare it with what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from typeone.terminal.options import Folder

if TYPE_CHECKING:
    from typeone.engine.replay import Replay
    from typeone.engine.study import Column
    from typeone.engine.workers import Failure


def command(
    folder: Folder,
    cell: Annotated[int, typer.Option(help="Number of the cell, as in the summary.")],
    rep: Annotated[int, typer.Option(help="Number of the repetition, from 0.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print both as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print equal or NOT EQUAL only.")] = False,
) -> None:
    """Recompute repetition --rep of --cell; exit code 1 when it differs from the stored row."""
    from typeone.engine.replay import replay

    made = replay(folder, cell, rep)
    if as_json:
        typer.echo(_as_json(made))
    else:
        if not quiet:
            _show(made, rep)
        typer.echo("equal" if made.is_equal else "NOT EQUAL")
    if not made.is_equal:
        raise typer.Exit(1)


def _show(made: Replay, rep: int) -> None:
    from typeone.display import text_table
    from typeone.engine.workers import Failure
    from typeone.terminal.output import say

    typer.echo(f"stream key {made.key[0]:016x}{made.key[1]:016x}, repetition {rep}")
    if isinstance(made.stored, Failure) or isinstance(made.again, Failure):
        say(f"stored  {made.stored}\nagain   {made.again}")
        return
    names = sorted(made.stored.keys() | made.again.keys())
    rows = [(*name, repr(made.stored.get(name)), repr(made.again.get(name))) for name in names]
    typer.echo(text_table(("method", "measure", "level", "stored", "again"), rows, most=len(rows)))


def _as_json(made: Replay) -> str:
    import json

    from typeone.engine.workers import Failure

    def plain(side: dict[Column, float] | Failure) -> object:
        if isinstance(side, Failure):
            return {"failure": str(side)}
        # JSON has no NaN: a quantity that is not defined in this repetition is null.
        return [{**name._asdict(), "value": None if value != value else value} for name, value in side.items()]

    told = {"equal": made.is_equal, "stored": plain(made.stored), "again": plain(made.again)}
    return json.dumps(told, indent=1)
