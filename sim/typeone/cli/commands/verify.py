"""Try every promise at scale, look for its worst case, and check that broken procedures are caught."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from typeone.terminal.options import SEEDS, Jobs, Quiet

if TYPE_CHECKING:
    from typeone.verify.campaign import Options, Result
    from typeone.verify.report import Table

WIDTH = 80


def command(  # one parameter for each option of the command line
    reps: Annotated[int, typer.Option(help="Repetitions of a cell; a promise may take a multiple.")] = 20_000,
    jobs: Jobs = 1,
    seed: Annotated[int, typer.Option(help=f"{SEEDS} of all random streams.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder for tables and a report.")] = None,
    only: Annotated[str, typer.Option(help="One promise, or all whose names begin so.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Does every promise hold, inside its assumptions, in the hardest cells known and in those a search finds?

    Prints the promises with simultaneous intervals and verdicts, how promises fail outside their assumptions, and
    which check catches each procedure that is broken on purpose. Exit code 1 when a promise is violated or a mutant
    is not caught. About ten minutes with --jobs 2; --reps 2000 takes about a minute and leaves more undecided.
    """
    import json

    from typeone import outputs
    from typeone.verify import report
    from typeone.verify.campaign import Options

    if out is not None:
        outputs.folder(out)
    result = _run(Options(reps, seed, jobs, only), quiet=quiet)
    if as_json:
        typer.echo(json.dumps(report.as_json(result), indent=1))
    elif not quiet:
        _show(result)
    if out is not None:
        named = f" --only {only}" if only else ""
        line = f"typeone verify --reps {reps} --jobs {jobs} --seed {seed}{named} --out {out}"
        written = report.write(result, out, line)
        if not as_json and not quiet:
            typer.echo("written: " + ", ".join(path.name for path in written) + f"\nin {out}")
    if not result.sound:
        typer.echo("typeone verify: a promise is violated or a mutant is not caught", err=True)
        raise typer.Exit(1)


def _run(options: Options, *, quiet: bool) -> Result:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    from typeone.verify.campaign import Progress, run

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns, console=console, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task("enumerating", total=None)
        done = [0]

        def tell(told: Progress) -> None:
            done[0] += told.repetitions
            bar.update(task, description=f"{told.part}: {done[0]} repetitions so far")

        return run(options, tell)


def _show(result: Result) -> None:
    from textwrap import fill

    from rich.console import Console

    from typeone.verify import report

    console = Console(width=WIDTH, highlight=False)
    for table in (report.promises_table(result), report.outside_table(result), report.mutants_table(result)):
        if table.rows:
            console.print(_drawn(table))
    for line in report.notes(result):
        typer.echo(fill(line, WIDTH, subsequent_indent="  "))
    typer.echo("\n" + fill(report.reading(result), WIDTH))
    typer.echo(f"\n{report.summary(result)}; {result.seconds:.0f} s")


def _drawn(table: Table) -> object:
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(title=table.title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for place, name in enumerate(table.header):
        drawn.add_column(name, overflow="fold", no_wrap=place == 0)
    for row in table.rows:
        drawn.add_row(*(Text(value, _color(value)) for value in row))
    return drawn


def _color(value: str) -> str:
    if value in ("violated", "NOT CAUGHT"):
        return "bold red"
    return "yellow" if value.startswith("undecided") else ""
