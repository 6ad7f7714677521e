"""Show versions, cores, threads, the kernel cache, optional backends and the terminal."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print only what needs attention.")] = False,
) -> None:
    """What this installation is and whether it is in order; exit code 1 when something needs attention."""
    import json

    from typeone.cli.health import examine
    from typeone.terminal.output import say

    found = examine()
    if as_json:
        typer.echo(json.dumps(found.facts | {"advice": found.advice}, indent=1))
    else:
        for part, values in () if quiet else found.facts.items():
            typer.echo(part)
            width = max(map(len, values))
            for name, value in values.items():
                typer.echo(f"  {name.ljust(width)}  {_shown(value)}")
        for advice in found.advice:
            say(f"! {advice}")
        if not found.advice and not quiet:
            typer.echo("in order")
    if found.advice:
        raise typer.Exit(1)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)
