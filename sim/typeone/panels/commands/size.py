"""How large must a panel be? The minimum and the stable size for one unit."""

from __future__ import annotations

from typing import Annotated

import typer


def command(  # one parameter for each option of the command line
    census: Annotated[int | None, typer.Option(help="Votes M on record.")] = None,
    positives: Annotated[int | None, typer.Option(help="Positive votes C among them.")] = None,
    probability: Annotated[str | None, typer.Option(help="Or: acceptance probability of a superpopulation.")] = None,
    horizon: Annotated[int | None, typer.Option(help="Largest panel looked at (with --probability).")] = None,
    delta: Annotated[str, typer.Option(help="Tolerated disagreement error.")] = "0.01",
    theta: Annotated[str, typer.Option(help="Decision threshold.")] = "1/2",
    grid: Annotated[str | None, typer.Option(help="Only these sizes, as 3,5,7.")] = None,
    census_flips: Annotated[int, typer.Option(help="Corrupted votes of the census.")] = 0,
    panel_flips: Annotated[int, typer.Option(help="Corrupted votes of each panel.")] = 0,
    fixed_share: Annotated[str, typer.Option(help="Corrupted share of the superpopulation.")] = "0",
    targeted_share: Annotated[str, typer.Option(help="Share turned from the decision.")] = "0",
    as_json: Annotated[bool, typer.Option("--json", help="Print minimum_size and stable_size as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print the two numbers only.")] = False,
) -> None:
    """Print the least size that keeps the tolerance, and the least from which on every size does."""
    import json

    from typeone import panels
    from typeone.panels.commands import _questions

    within = None if grid is None else list(_questions.sizes(grid))
    in_census = _questions.census(census, positives, probability, horizon)
    against = _questions.attack(in_census, census_flips, panel_flips, fixed_share, targeted_share)
    if in_census:
        found = panels.census_sizes(census or 0, positives, delta=delta, theta=theta, grid=within, **against)
    else:
        found = panels.superpopulation_sizes(
            probability or "", horizon or 0, delta=delta, theta=theta, grid=within, **against
        )
    minimum, stable = int(found.minimum) or None, int(found.stable) or None
    if as_json:
        typer.echo(json.dumps({"minimum_size": minimum, "stable_size": stable}))
    elif quiet:
        typer.echo(f"{minimum or 'none'} {stable or 'none'}")
    else:
        typer.echo(f"minimum size  {minimum or 'none'}\nstable size   {stable or 'none'}")
