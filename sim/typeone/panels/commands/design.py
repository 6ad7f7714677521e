"""How many units and evaluators does a certificate need, before any vote is cast?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from typeone.panels.commands._options import Beta, Delta, EtaE, EtaG, Grid, Method, Theta, XiE

OPTIONS = {"p": "--probability"}


def command(  # one parameter for each option of the command line
    context: typer.Context,
    delta: Delta = "0.01",
    theta: Theta = "1/2",
    beta: Beta = "0.10",
    grid: Grid = None,
    method: Method = "mass-controlled",
    eta_e: EtaE = "0.025",
    eta_g: EtaG = "0.025",
    xi_e: XiE = "0.025",
    passing: Annotated[str, typer.Option(help="Probability that a unit passes.")] = "1",
    probability: Annotated[str, typer.Option(help="Acceptance probability of a unit that should pass.")] = "1",
    power: Annotated[str, typer.Option(help="Wanted probability, where chance enters.")] = "0.8",
    units: Annotated[int | None, typer.Option(help="Number of units, if it is given.")] = None,
    evaluators: Annotated[int | None, typer.Option(help="Number of evaluators, if it is given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print the number of generated units only.")] = False,
) -> None:
    """Print how many generated units and how many evaluators a certificate needs.

    With --units and --evaluators it also prints the exact probability of a certificate when every unit has the
    acceptance probability --probability.
    """
    import dataclasses
    import json

    from typeone import panels
    from typeone.display import text_table
    from typeone.levels import number
    from typeone.panels.commands import _questions
    from typeone.terminal.unused import refuse_unused

    refuse_unused(context, _reasons(method, passing, probability, with_units=units is not None))
    options = panels.Options(
        delta=delta,
        theta=theta,
        beta=beta,
        grid=_questions.sizes(grid),
        method=method,  # type: ignore[arg-type]  # checked by the procedure
        eta_e=eta_e,
        eta_g=eta_g,
        xi_e=xi_e,
    )
    hoeffding = dataclasses.replace(options, generator="hoeffding")
    exact_units = panels.units_needed(options, passing=passing, power=power)
    other_units = panels.units_needed(hoeffding, passing=passing, power=power)
    needed = panels.evaluators_needed(
        options, units=exact_units if units is None else units, p=probability, power=power
    )
    columns: dict[str, list[Any]] = {"size": list(options.grid), "evaluators": [int(E) or None for E in needed]}
    if units is not None and evaluators is not None:
        chance = panels.certification(float(number("probability", probability)), evaluators, units, options)
        columns |= {"certified": chance.certified.tolist()}
    rows = list(zip(*columns.values(), strict=True))
    if as_json:
        by_size = [dict(zip(columns, row, strict=True)) for row in rows]
        typer.echo(json.dumps({"units_exact": exact_units, "units_hoeffding": other_units, "sizes": by_size}))
    elif quiet:
        typer.echo(exact_units)
    else:
        typer.echo(f"generated units needed  {exact_units} (Hoeffding: {other_units})\n")
        typer.echo(text_table(list(columns), rows))


def _reasons(method: str, passing: str, probability: str, *, with_units: bool) -> dict[str, str | None]:
    """Why an option would change nothing."""
    from typeone.levels import number

    certain = number("passing", passing) == number("probability", probability) == 1
    return {
        "xi_e": "the familywise method has no such budget" if method == "familywise" else None,
        "evaluators": None if with_units else "the chance of a certificate needs --units too",
        "power": "no chance enters: --passing and --probability are 1" if certain else None,
    }
