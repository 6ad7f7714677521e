"""Source inference (SCF): which sources took part in the update?"""

from __future__ import annotations

from typing import Annotated

import typer

from typeone.scf.commands._options import Control, File, Role, Score, Source, read
from typeone.terminal.options import SEEDS, AsJson, Out, Quiet, Rows

OPTIONS = {"levels": "--level"}


def command(  # one parameter for each option of the command line
    context: typer.Context,
    file: File,
    rows: Rows = None,
    source: Source = "source",
    score: Score = "score",
    role: Role = None,
    control: Control = None,
    reference: Annotated[int | None, typer.Option(help="Reference sources K (with --control; two fifths).")] = None,
    calibration: Annotated[int | None, typer.Option(help="Calibration sources L (with --control; all others).")] = None,
    seed: Annotated[int, typer.Option(help=f"{SEEDS} of the random split and of random ties.")] = 0,
    splits: Annotated[int, typer.Option(help="Random splits; p is twice their mean.")] = 1,
    method: Annotated[str, typer.Option(help="scf, fisher, mean, max, min, ramia, or module:function.")] = "scf",
    cap: Annotated[str, typer.Option(help="Evidence cap alpha of SCF; 0 = uncapped.")] = "0.05",
    level: Annotated[list[str] | None, typer.Option(help="Nominal level t; repeatable.")] = None,
    smoothing: Annotated[str, typer.Option(help="document, source, or a number above 0.")] = "document",
    rho: Annotated[str, typer.Option(help="Share of each bag that RaMIA trims.")] = "0.5",
    fdr: Annotated[str | None, typer.Option(help="Control the false discovery rate at this level.")] = None,
    ties: Annotated[str, typer.Option(help="conservative or random.")] = "conservative",
    missing: Annotated[str, typer.Option(help="error, or drop documents without a score.")] = "error",
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Test every target source of FILE for participation in a model update.

    A p-value is the rank of a target's evidence among the calibration sources; it holds its level when targets
    and calibration sources are exchangeable. Run `typeone check scf` on the file first.
    """
    import sys

    from typeone import scf, tables
    from typeone.terminal.answer import give
    from typeone.terminal.output import progress
    from typeone.terminal.unused import refuse_unused

    # A researcher's own module:function is looked for where the command is run.
    if ":" in method and "" not in sys.path:
        sys.path.insert(0, "")
    by_role, whole = control is None, reference is None or calibration is None
    refuse_unused(context, _reasons(method, ties, by_role=by_role, whole=whole))
    tables.check_outputs([out], [file])
    table, roles = read(file, rows, role, control)
    options = scf.Options(method, cap, level or ["0.05"], smoothing, rho, fdr, ties)  # type: ignore[arg-type]
    split = scf.Split(reference, calibration, seed, splits)
    with progress("splits", quiet=quiet) as bar:
        result = scf.apply(
            table,
            source=source,
            score=score,
            **roles,
            options=options,
            split=split,
            missing=missing,  # type: ignore[arg-type]  # as ties, checked by the procedure
            progress=bar,
        )
    give(result, [(out, result.to_arrow)], as_json=as_json, quiet=quiet)


def _reasons(method: str, ties: str, *, by_role: bool, whole: bool) -> dict[str, str | None]:
    """Why an option would change nothing; ``whole``: reference and calibration sources are all controls there are."""
    from typeone.scf.statistics import EVIDENCE, statistic

    sizes = seed = "roles are given in a column" if by_role else None
    if not by_role and whole and not statistic(method).referenced:
        sizes = f"--method {method} is calibrated on all controls; only both numbers together can leave some out"
        seed = f"--method {method} is calibrated on all controls"
    if seed is not None:
        seed = None if ties == "random" else f"{seed} and --ties {ties} draws nothing"
    return {
        "cap": None if method == "scf" else f"--method {method} has no cap",
        "smoothing": None if method in EVIDENCE else f"--method {method} has no reference tail",
        "rho": None if method == "ramia" else f"--method {method} trims nothing",
        "reference": sizes,
        "calibration": sizes,
        "splits": "roles are given in a column" if by_role else None,
        "seed": seed,
    }
