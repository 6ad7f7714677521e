"""How often does a panel miss the population's decision? The error at every size."""

from __future__ import annotations

from typing import Annotated

import typer

from typeone.panels.commands._options import (
    Census,
    CensusFlips,
    FixedShare,
    Horizon,
    PanelFlips,
    Positives,
    Probability,
    Sizes,
    TargetedShare,
    Theta,
)
from typeone.terminal.options import AsJson

OPTIONS = {"M": "--census", "C": "--positives", "p": "--probability"}


def command(  # one parameter for each option of the command line
    census: Census = None,
    positives: Positives = None,
    probability: Probability = None,
    horizon: Horizon = None,
    theta: Theta = "1/2",
    grid: Sizes = None,
    census_flips: CensusFlips = 0,
    panel_flips: PanelFlips = 0,
    fixed_share: FixedShare = "0",
    targeted_share: TargetedShare = "0",
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option(help="Print the numbers only, without a header.")] = False,
) -> None:
    """Print the exact disagreement error of panels of each size."""
    import pyarrow as pa

    from typeone import panels, tables
    from typeone.display import text_table
    from typeone.panels.commands import _questions

    in_census = _questions.census(census, positives, probability, horizon)
    against = _questions.attack(in_census, census_flips, panel_flips, fixed_share, targeted_share)
    if in_census:
        errors = panels.census_errors(census or 0, positives, theta=theta, **against)
    else:
        errors = panels.superpopulation_errors(probability or "", horizon or 0, theta=theta, **against)
    shown = list(range(1, errors.size + 1)) if grid is None else list(_questions.sizes(grid))
    for size in shown:
        if not 1 <= size <= errors.size:
            raise ValueError(f"grid: {size} is not a panel size between 1 and {errors.size}")
    found = [(size, float(errors[size - 1])) for size in shown]
    if as_json:
        sizes, values = zip(*found, strict=True)
        typer.echo(tables.as_json(pa.table({"size": list(sizes), "error": list(values)})))
    elif quiet:
        typer.echo("\n".join(f"{size} {error!r}" for size, error in found))
    else:
        typer.echo(text_table(["size", "error"], found, most=len(found)))
