"""Panels: how large a panel decides as the population of evaluators would?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(  # one parameter for each option of the command line
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Parquet, Feather or CSV file of votes, long or wide.")],
    evaluator: Annotated[str, typer.Option(help="Column with the evaluator.")] = "evaluator",
    unit: Annotated[str | None, typer.Option(help="Column with the unit (long file).")] = None,
    vote: Annotated[str | None, typer.Option(help="Column with the vote, 0 or 1 (long file).")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Column of a wide file that is no unit; repeatable.")] = None,
    delta: Annotated[str, typer.Option(help="Tolerated disagreement error of a panel.")] = "0.01",
    theta: Annotated[str, typer.Option(help="Decision threshold.")] = "1/2",
    beta: Annotated[str, typer.Option(help="Share of units that may stay uncertified.")] = "0.10",
    grid: Annotated[str | None, typer.Option(help="Panel sizes, as 3,5,7; declared before the votes are seen.")] = None,
    method: Annotated[str, typer.Option(help="mass-controlled or familywise.")] = "mass-controlled",
    hoeffding: Annotated[bool, typer.Option("--hoeffding", help="Hoeffding bound for the generator.")] = False,
    catalogue: Annotated[bool, typer.Option("--catalogue", help="The units are all there are, no sample.")] = False,
    weights: Annotated[
        Path | None, typer.Option(help="File with the columns unit and weight (with --catalogue).")
    ] = None,
    eta_e: Annotated[str, typer.Option("--eta-e", help="Error budget of the evaluators.")] = "0.025",
    eta_g: Annotated[str, typer.Option("--eta-g", help="Error budget of the generator.")] = "0.025",
    xi_e: Annotated[str, typer.Option("--xi-e", help="Mass of units whose interval may fail.")] = "0.025",
    malformed: Annotated[str, typer.Option(help="error, or zero to count malformed and absent votes as 0.")] = "error",
    flips: Annotated[list[int] | None, typer.Option(help="Corrupted votes b of the profile; repeatable.")] = None,
    share: Annotated[list[str] | None, typer.Option(help="Corrupted share f of the profile; repeatable.")] = None,
    profile: Annotated[Path | None, typer.Option(help="Write the contamination profile here.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write one row per unit here (.parquet, .csv, .json).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one row per unit as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print errors only.")] = False,
) -> None:
    """Certify the share of units on which panels decide as the population would, from the votes in FILE.

    Prints the certificate per panel size and per unit, the sizes needed, and what a corruption budget does. A long
    file has one row per evaluator and unit, a wide one a row per evaluator and a column per unit.
    """
    from typeone import panels, tables
    from typeone.cli.output import say, say_written
    from typeone.cli.unused import refuse_unused
    from typeone.panels.commands._questions import sizes
    from typeone.panels.contamination import FLIPS, SHARES

    for path in (out, profile):
        if path is not None:
            tables.check_writable(path, source=file)
    if hoeffding and catalogue:
        raise ValueError("hoeffding, catalogue: a catalogue has no generator to bound; choose one")
    refuse_unused(
        context,
        {
            "xi_e": "the familywise method has no such budget" if method == "familywise" else None,
            "eta_g": "a catalogue has no generator" if catalogue else None,
            "weights": None if catalogue else "only the units of a --catalogue have weights",
        },
    )
    result = panels.apply(
        tables.read(file),
        evaluator=evaluator,
        unit=unit,
        vote=vote,
        options=panels.Options(
            delta=delta,
            theta=theta,
            beta=beta,
            grid=sizes(grid),
            method=method,  # type: ignore[arg-type]  # checked by the procedure
            generator="hoeffding" if hoeffding else "catalogue" if catalogue else "exact",
            eta_e=eta_e,
            eta_g=eta_g,
            xi_e=xi_e,
        ),
        weights=None if weights is None else tables.read(weights),
        malformed=malformed,  # type: ignore[arg-type]  # checked by the procedure
        ignore=ignore or (),
        flips=FLIPS if flips is None else flips,
        shares=SHARES if share is None else share,
    )
    if out is not None:
        tables.write(result.to_arrow(), out)
    if profile is not None:
        tables.write(result.contamination.to_arrow(), profile)
    if as_json:
        typer.echo(tables.as_json(result.to_arrow()))
    elif not quiet:
        say(str(result))
        say_written([out, profile])
