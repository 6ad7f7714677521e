"""Panels: how large a panel decides as the population of evaluators would?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.panels.commands._options import (
    Beta,
    Delta,
    EtaE,
    EtaG,
    Evaluator,
    File,
    Grid,
    Method,
    Theta,
    Unit,
    Vote,
    XiE,
)
from typeone.terminal.options import AsJson, Out, Quiet, Rows


def command(  # one parameter for each option of the command line
    context: typer.Context,
    file: File,
    rows: Rows = None,
    evaluator: Evaluator = "evaluator",
    unit: Unit = None,
    vote: Vote = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Column of a wide file that is no unit; repeatable.")] = None,
    delta: Delta = "0.01",
    theta: Theta = "1/2",
    beta: Beta = "0.10",
    grid: Grid = None,
    method: Method = "mass-controlled",
    hoeffding: Annotated[bool, typer.Option("--hoeffding", help="Hoeffding bound for the generator.")] = False,
    catalogue: Annotated[bool, typer.Option("--catalogue", help="The units are all there are, no sample.")] = False,
    weights: Annotated[
        Path | None, typer.Option(help="File with the columns unit and weight (with --catalogue).")
    ] = None,
    eta_e: EtaE = "0.025",
    eta_g: EtaG = "0.025",
    xi_e: XiE = "0.025",
    malformed: Annotated[str, typer.Option(help="error, or zero to count malformed and absent votes as 0.")] = "error",
    flips: Annotated[list[int] | None, typer.Option(help="Corrupted votes b of the profile; repeatable.")] = None,
    share: Annotated[list[str] | None, typer.Option(help="Corrupted share f of the profile; repeatable.")] = None,
    profile: Annotated[Path | None, typer.Option(help="Write the contamination profile here.")] = None,
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Certify the share of units on which panels decide as the population would, from the votes in FILE.

    Prints the certificate per panel size and per unit, the sizes needed, and what a corruption budget does. A long
    file has one row per evaluator and unit, a wide one a row per evaluator and a column per unit.
    """
    from typeone import panels, tables
    from typeone.panels.commands._questions import sizes
    from typeone.panels.contamination import FLIPS, SHARES
    from typeone.terminal.answer import give
    from typeone.terminal.unused import refuse_unused

    tables.check_outputs([out, profile], [file, weights])
    if hoeffding and catalogue:
        raise ValueError("hoeffding, catalogue: a catalogue has no generator to bound; choose one")
    refuse_unused(context, _reasons(method, catalogue=catalogue))
    generator = "hoeffding" if hoeffding else "catalogue" if catalogue else "exact"
    options = panels.Options(delta, theta, beta, sizes(grid), method, generator, eta_e, eta_g, xi_e)  # type: ignore[arg-type]
    result = panels.apply(
        tables.read(file, rows),
        evaluator=evaluator,
        unit=unit,
        vote=vote,
        options=options,
        weights=None if weights is None else tables.read(weights),
        malformed=malformed,  # type: ignore[arg-type]  # as method, checked by the procedure
        ignore=ignore or (),
        flips=FLIPS if flips is None else flips,
        shares=SHARES if share is None else share,
    )
    outputs = [(out, result.to_arrow), (profile, result.contamination.to_arrow)]
    give(result, outputs, as_json=as_json, quiet=quiet)


def _reasons(method: str, *, catalogue: bool) -> dict[str, str | None]:
    """Why an option would change nothing."""
    return {
        "xi_e": "the familywise method has no such budget" if method == "familywise" else None,
        "eta_g": "a catalogue has no generator" if catalogue else None,
        "weights": None if catalogue else "only the units of a --catalogue have weights",
    }
