"""Source inference (SCF): which sources took part in the update?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RAW_METHODS = ("mean", "max", "min", "ramia")


def command(  # one parameter for each option of the command line
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Parquet, Feather or CSV file, one row per document.")],
    source: Annotated[str, typer.Option(help="Column with the document's source.")] = "source",
    score: Annotated[str, typer.Option(help="Column with the score; larger = more evidence.")] = "score",
    role: Annotated[str | None, typer.Option(help="Column: reference, calibration or target.")] = None,
    control: Annotated[str | None, typer.Option(help="Column: true for known nonparticipants.")] = None,
    reference: Annotated[int | None, typer.Option(help="Reference sources K (with --control).")] = None,
    calibration: Annotated[int | None, typer.Option(help="Calibration sources L (with --control).")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random split and of random ties.")] = 0,
    splits: Annotated[int, typer.Option(help="Random splits; p is twice their mean.")] = 1,
    method: Annotated[str, typer.Option(help="scf, fisher, mean, max, min, ramia, or module:function.")] = "scf",
    cap: Annotated[str, typer.Option(help="Evidence cap alpha of SCF; 0 = uncapped.")] = "0.05",
    level: Annotated[list[str] | None, typer.Option(help="Nominal level t; repeatable.")] = None,
    smoothing: Annotated[str, typer.Option(help="document, source, or a number above 0.")] = "document",
    rho: Annotated[str, typer.Option(help="Share of each bag that RaMIA trims.")] = "0.5",
    fdr: Annotated[str | None, typer.Option(help="Control the false discovery rate at this level.")] = None,
    ties: Annotated[str, typer.Option(help="conservative or random.")] = "conservative",
    missing: Annotated[str, typer.Option(help="error, or drop documents without a score.")] = "error",
    out: Annotated[Path | None, typer.Option(help="Write the table here (.parquet, .csv, .json).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print errors only.")] = False,
) -> None:
    """Test every target source of FILE for participation in a model update.

    A p-value is the rank of a target's evidence among the calibration sources; it holds its level when targets
    and calibration sources are exchangeable. Run `typeone check scf` on the file first.
    """
    import sys

    from typeone import scf, tables
    from typeone.cli.output import say, say_written
    from typeone.cli.unused import refuse_unused

    # A researcher's own module:function is looked for where the command is run.
    if ":" in method and "" not in sys.path:
        sys.path.insert(0, "")
    by_role = None if control is not None else "roles are given in a column"
    refuse_unused(
        context,
        {
            "cap": None if method == "scf" else f"--method {method} has no cap",
            "smoothing": f"--method {method} has no reference tail" if method in RAW_METHODS else None,
            "rho": None if method == "ramia" else f"--method {method} trims nothing",
            **dict.fromkeys(("reference", "calibration", "splits"), by_role),
        },
    )
    if out is not None:
        tables.check_writable(out, source=file)
    result = scf.apply(
        tables.read(file),
        source=source,
        score=score,
        role=role if role is not None or control is not None else "role",
        control=control,
        options=scf.Options(
            method=method,
            cap=cap,
            levels=level or ["0.05"],
            smoothing=smoothing,
            rho=rho,
            fdr=fdr,
            ties=ties,  # type: ignore[arg-type]  # checked by the procedure
        ),
        split=scf.Split(reference, calibration, seed, splits),
        missing=missing,  # type: ignore[arg-type]  # checked by the procedure
    )
    if out is not None:
        tables.write(result.to_arrow(), out)
    if as_json:
        typer.echo(tables.as_json(result.to_arrow()))
    elif not quiet:
        say(str(result))
        say_written([out])
