"""How large must a panel be? The minimum and the stable size for one unit."""

from __future__ import annotations

from typing import Annotated

import typer

from typeone.panels.commands._options import (
    Census,
    CensusFlips,
    Delta,
    FixedShare,
    Horizon,
    PanelFlips,
    Positives,
    Probability,
    Sizes,
    TargetedShare,
    Theta,
)

OPTIONS = {"M": "--census", "C": "--positives", "p": "--probability"}


def command(  # one parameter for each option of the command line
    census: Census = None,
    positives: Positives = None,
    probability: Probability = None,
    horizon: Horizon = None,
    delta: Delta = "0.01",
    theta: Theta = "1/2",
    grid: Sizes = None,
    census_flips: CensusFlips = 0,
    panel_flips: PanelFlips = 0,
    fixed_share: FixedShare = "0",
    targeted_share: TargetedShare = "0",
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
