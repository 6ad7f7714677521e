"""Draw the figures that a run's stored results allow, or write its tables as LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from typeone.cli.completion import figures
from typeone.terminal.options import Folder, Quiet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typeone.figures.picture import Picture


def command(
    folder: Folder,
    figure: Annotated[
        list[str] | None, typer.Option(help="Only this figure; repeatable. See --names.", autocompletion=figures)
    ] = None,
    format_: Annotated[str, typer.Option("--format", help="svg, pdf, png, or tex for the tables.")] = "svg",
    out: Annotated[Path | None, typer.Option(help="Folder for the files; by default FOLDER/figures.")] = None,
    names: Annotated[bool, typer.Option("--names", help="Only list the figures there are.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write the figures of the run in FOLDER, one file each, captions included."""
    from typeone import outputs
    from typeone.display import text_table
    from typeone.engine.parameters import suggestion
    from typeone.figures import style
    from typeone.figures.catalog import pictures
    from typeone.figures.stored import Stored
    from typeone.terminal.output import progress

    formats = (*style.FORMATS, "tex")
    if format_ not in formats:
        raise ValueError(f"--format {format_}: no such format{suggestion(format_, formats)}")
    run = Stored.open(folder)
    known = pictures(run)
    if names:
        typer.echo(text_table(["figure", "what it shows"], [(p.name, p.title) for p in known], most=len(known)))
        return
    target = outputs.folder(folder / "figures" if out is None else out)
    target.mkdir(parents=True, exist_ok=True)
    if format_ == "tex":
        if figure:
            raise ValueError("--figure: --format tex writes tables, not figures")
        from typeone.report.main_tables import write_latex

        written = write_latex(run, target)
    else:
        written = []
        wanted = _wanted(known, figure or [])
        with progress("figures", quiet=quiet) as bar:
            for number, picture in enumerate(wanted):
                bar(number, len(wanted), note=picture.name)
                written.append(target / f"{picture.name}.{format_}")
                style.save(picture.draw(), written[-1], picture.caption)
    for file in [] if quiet else written:
        typer.echo(str(file))


def _wanted(known: Sequence[Picture], names: Sequence[str]) -> Sequence[Picture]:
    from typeone.engine.parameters import suggestion

    by_name = {picture.name: picture for picture in known}
    for name in names:
        if name not in by_name:
            raise ValueError(f"--figure {name}: this run has no such figure{suggestion(name, by_name)}; see --names")
    return [by_name[name] for name in names] if names else known
