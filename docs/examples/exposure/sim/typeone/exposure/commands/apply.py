"""Canary exposure: which planted canaries did the model memorise?"""

from pathlib import Path
from typing import Annotated

import typer

from typeone.terminal.options import KINDS, AsJson, Quiet


def command(
    file: Annotated[Path, typer.Argument(help=f"{KINDS}, one row per canary or reference.")],
    level: Annotated[str, typer.Option(help="Nominal level t.")] = "0.05",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Test every canary of FILE: columns canary, score (larger = more evidence), planted."""
    from typeone import exposure, tables
    from typeone.display import text_table

    result = exposure.apply(tables.read(file), level=level)
    if as_json:
        typer.echo(tables.as_json(result))
    elif not quiet:
        typer.echo(text_table(result.column_names, [tuple(row.values()) for row in result.to_pylist()]))
