"""What the rule "count >= tau" means as more sources are consulted."""

from __future__ import annotations

from typing import Annotated

import typer

from typeone.pooling.commands._options import Prior
from typeone.terminal.options import AsJson


def command(
    tau: Annotated[int, typer.Option(help="Votes 1 that your rule needs.")],
    reliability: Annotated[list[str], typer.Option(help="P(a source is right); one for all, or repeated in order.")],
    n: Annotated[list[int], typer.Option(help="Number of sources; repeatable.")],
    prior: Prior = "0.5",
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option(help="Print the sentence only.")] = False,
) -> None:
    """Say which posterior threshold a vote count equals at each number of sources, and its error rates there."""
    from typeone import pooling, tables
    from typeone.terminal.output import say

    found = pooling.drift(tau, reliability, n, prior)
    if as_json:
        typer.echo(tables.as_json(found.to_arrow()))
    else:
        say(found.sentence if quiet else str(found))
