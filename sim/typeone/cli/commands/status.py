"""Show how far a run is, from another terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from typeone.terminal.options import Folder

if TYPE_CHECKING:
    from typeone.engine.status import Status


def command(
    folder: Folder,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print the state only: complete, running, died, …")] = False,
) -> None:
    """Progress, rate, time left and failures of the run in FOLDER."""
    import json
    from dataclasses import asdict

    from typeone.engine.status import status

    told = status(folder)
    if as_json:
        typer.echo(json.dumps(asdict(told), indent=1))
        return
    if quiet:
        typer.echo(told.state)
        return
    _report(told)


def _report(told: Status) -> None:
    from typeone.terminal.output import say

    writer = f" by process {told.writer['pid']} on {told.writer['host']}" if "pid" in told.writer else ""
    typer.echo(f"state      {told.state}{writer}")
    share = told.completed / told.planned
    typer.echo(f"completed  {told.completed} of {told.planned} planned repetitions ({share:.1%})")
    typer.echo(f"cells      {told.cells}")
    if told.rate is not None:
        left = f", about {told.seconds_left:.0f} s left" if told.seconds_left is not None else ""
        typer.echo(f"rate       {told.rate:.4g} repetitions a second{left}")
    if told.stopped:
        typer.echo(f"stopped    {len(told.stopped)} cells met the stopping rule")
    if told.damaged:
        say(f"damaged    {told.damaged} chunks are missing or not what was written: run the same command again")
    of_those = f" of {told.completed} ({told.failed / told.completed:.1%})" if told.failed else ""
    typer.echo(f"failed     {told.failed}{of_those}")
    for kind, count in told.kinds.items():
        typer.echo(f"  {count} x {kind}")
    for cell, failure in told.examples:
        say(f"  e.g. cell {cell}, repetition {failure.repetition}: {failure.kind}: {failure.message}")
    for cell, first, count in told.lost:
        say(f"  cell {cell}: repetitions {first} to {first + count - 1} killed their worker three times")
