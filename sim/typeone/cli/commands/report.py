"""Write one self-contained HTML page about a run, or about what `typeone apply` decided."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.terminal.options import Quiet


def command(  # one parameter for each option of the command line
    path: Annotated[Path, typer.Argument(help="A run's folder, or a file written by typeone apply … --out.")],
    out: Annotated[
        Path | None, typer.Option(help="The page; by default report.html in the folder, or beside the file.")
    ] = None,
    evidence: Annotated[
        Path | None,
        typer.Option(help="SCF: the scores that were tested, with roles. Pooling: the --contributions file."),
    ] = None,
    source: Annotated[str | None, typer.Option(help="SCF evidence: column with the source [source].")] = None,
    score: Annotated[str | None, typer.Option(help="SCF evidence: column with the score [score].")] = None,
    role: Annotated[str | None, typer.Option(help="SCF evidence: column with the role [role].")] = None,
    cap: Annotated[str | None, typer.Option(help="SCF evidence: cap of the result [0.05].")] = None,
    smoothing: Annotated[str | None, typer.Option(help="SCF evidence: smoothing of the result [document].")] = None,
    quiet: Quiet = False,
) -> None:
    """Write a page that needs no network, no server and no script.

    Of a run: verdicts first, then aims, mechanisms, estimands, methods, performance, and how to repeat it. Of a file
    from `typeone apply`: the decision for every source, item or unit with the evidence behind it.
    """
    from typeone import outputs
    from typeone.engine.files import write_whole
    from typeone.report.result import result_page
    from typeone.report.run import run_page
    from typeone.terminal.output import progress

    is_run = path.is_dir()
    target = out or (path / "report.html" if is_run else path.with_suffix(".html"))
    real = outputs.file(target, [path, evidence])
    if is_run and evidence is not None:
        raise ValueError("--evidence: belongs to a file from typeone apply, not to a run's folder")
    options = {"source": source, "score": score, "role": role, "cap": cap, "smoothing": smoothing}
    asked = {name: value for name, value in options.items() if value is not None}
    if asked and evidence is None:
        raise ValueError(f"--{min(asked)}: changes nothing, since there is no --evidence")
    with progress("drawing figures", quiet=quiet):
        document = run_page(path) if is_run else result_page(path, evidence, asked)
    write_whole(real, document.encode())
    if not quiet:
        typer.echo(f"written: {target} ({len(document.encode()) / 1e6:.2f} MB)")
