"""Does a vote count equal a posterior threshold for these sources?"""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    reliability: Annotated[list[str], typer.Option(help="P(a source is right); one option for each source.")],
    threshold: Annotated[str, typer.Option(help="Posterior threshold.")] = "0.5",
    prior: Annotated[str, typer.Option(help="Probability of a hypothesis before any vote.")] = "0.5",
    most: Annotated[int, typer.Option(help="Largest panel tried in the search for a counterexample.")] = 12,
) -> None:
    """Look for a tau that says the same as the threshold, and for the smallest panel of such sources without one."""
    from typeone import pooling

    typer.echo(str(pooling.reconcile(reliability, threshold, prior)))
    smallest = pooling.counterexample(reliability, threshold, prior, most)
    if smallest is None:
        typer.echo(f"\nAny panel of up to {most} such sources has a tau that does.")
    else:
        typer.echo(f"\nSmallest panel without such a tau, n = {len(smallest.reliabilities)}:\n{smallest}")
