"""Export the repetition table of a run as one file in canonical order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.terminal.options import Folder, Quiet


def command(
    folder: Folder,
    out: Annotated[Path, typer.Option(help="The file to write: .parquet or .csv.")],
    quiet: Quiet = False,
) -> None:
    """Write cell, repetition, method, measure, level, value: the same bytes however the run was cut up."""
    from typeone import outputs
    from typeone.engine.export import export
    from typeone.engine.storage import Store

    if folder.resolve() in out.resolve().parents:
        raise ValueError(f"--out {out}: lies in the run's own folder; choose another place")
    rows = export(folder, outputs.file(out))
    if not quiet:
        run = Store(folder).manifest
        done = run.sessions[-1].state == "complete"
        note = "" if done else f"; the run is not complete: {run.completed} of {run.planned} repetitions are there"
        typer.echo(f"{rows} rows written to {out}{note}")
