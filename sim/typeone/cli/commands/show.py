"""Show a design as TOML, to copy and change."""

from __future__ import annotations

from typing import Annotated

import typer

from typeone.cli.completion import designs


def command(
    name: Annotated[
        str, typer.Argument(help="A preset, a TOML file, a study, or module:NAME.", autocompletion=designs)
    ],
) -> None:
    """Print the design NAME as TOML; `typeone show NAME > mine.toml` is the start of your own."""
    from typeone.engine.lookup import design_called
    from typeone.engine.registry import presets

    known = presets()
    if name in known:
        typer.echo(known[name].read_text(encoding="utf-8"), nl=False)
    else:
        typer.echo(design_called(name).as_toml(), nl=False)
