"""How often does a panel miss the population's decision? The error at every size."""

from __future__ import annotations

from typing import Annotated

import typer


def command(  # one parameter for each option of the command line
    census: Annotated[int | None, typer.Option(help="Votes M on record.")] = None,
    positives: Annotated[int | None, typer.Option(help="Positive votes C among them.")] = None,
    probability: Annotated[str | None, typer.Option(help="Or: acceptance probability of a superpopulation.")] = None,
    horizon: Annotated[int | None, typer.Option(help="Largest panel looked at (with --probability).")] = None,
    theta: Annotated[str, typer.Option(help="Decision threshold.")] = "1/2",
    grid: Annotated[str | None, typer.Option(help="Only these sizes, as 3,5,7; else every size.")] = None,
    census_flips: Annotated[int, typer.Option(help="Corrupted votes of the census.")] = 0,
    panel_flips: Annotated[int, typer.Option(help="Corrupted votes of each panel.")] = 0,
    fixed_share: Annotated[str, typer.Option(help="Corrupted share of the superpopulation.")] = "0",
    targeted_share: Annotated[str, typer.Option(help="Share turned from the decision.")] = "0",
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
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
