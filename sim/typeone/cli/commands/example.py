"""Copy a packaged file of real scores, to try the commands on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.cli.completion import examples
from typeone.terminal.options import Quiet, Rows


def command(
    method: Annotated[
        str, typer.Argument(help="scf, scf_null, jecs or panels (also for pooling).", autocompletion=examples)
    ],
    out: Annotated[Path, typer.Argument(help="File to write (.parquet, .csv, .feather, .json).")],
    rows: Rows = None,
    quiet: Quiet = False,
) -> None:
    """Write the real scores packaged for METHOD to OUT.

    What the columns mean stands in the README of typeone's data folder.
    """
    from typeone import tables
    from typeone.terminal.output import say

    files = {file.stem: file for file in tables.PACKAGED.glob("*.parquet")}
    if method not in files:
        raise ValueError(f"example={method!r}: is one of {', '.join(sorted(files))}")
    tables.check_writable(out)
    table = tables.read(files[method], rows)
    tables.write(table, out)
    if not quiet:
        say(f"written: {out} ({table.num_rows} rows: {', '.join(table.column_names)})")
