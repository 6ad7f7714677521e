"""Run a simulation: a preset, a TOML design or a study; resumes and tops up what the folder holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from typeone.cli.completion import designs
from typeone.terminal.options import SEEDS, Address, Backend, Inputs, Jobs, Quiet, Sets

if TYPE_CHECKING:
    from typeone.engine.design import Design
    from typeone.engine.runner import RunResult

CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True}
OPTIONS = {"repetitions": "--reps"}


def command(  # one parameter for each option of the command line
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(help="A preset, a TOML file, a study, or module:NAME.", autocompletion=designs)
    ],
    out: Annotated[str, typer.Option(help="Folder of the run; made or continued.")] = "",
    reps: Annotated[int | None, typer.Option(help="Repetitions of each cell.")] = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    address: Address = None,
    seed: Annotated[int | None, typer.Option(help=f"{SEEDS} of all streams: another seed, another run.")] = None,
    sets: Sets = None,
    inputs: Inputs = None,
    max_failures: Annotated[float, typer.Option(help="Share of failed repetitions that ends the run.")] = 0.01,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would run and what it takes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print how it ended, or the estimate, as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Run the design NAME into the folder --out.

    Run the same command again to resume; with more --reps it is topped up. Factors and inputs of the study are
    options too: --factor VALUE, several values as A,B. See them with `typeone show NAME --factors`.
    """
    from typeone import outputs
    from typeone.engine import lookup

    changes = lookup.given(context.args, sets, inputs, repetitions=reps, seed=seed)
    design = lookup.changed(lookup.design_called(name), changes)
    if dry_run:
        _show_estimate(design, jobs, backend, as_json=as_json)
        return
    if not out.strip():
        raise ValueError("--out: a folder for the results is needed")
    result = _run(design, outputs.folder(out), jobs, backend, address, max_failures, quiet=quiet)
    if as_json:
        typer.echo(_as_json(result))
    elif not quiet:
        _report(result)
    if result.state != "complete":
        _say_how_to_go_on(result)
        raise typer.Exit(130 if result.state == "interrupted" else 1)


def _run(
    design: Design,
    out: Path,
    jobs: int,
    backend: str,
    address: str | None,
    max_failures: float,
    *,
    quiet: bool,
) -> RunResult:
    import signal

    from typeone.engine.runner import Progress, run
    from typeone.terminal.output import progress

    # A batch system's SIGTERM is Ctrl-C from afar.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with progress(design.study, quiet=quiet) as bar:

        def tell(told: Progress) -> None:
            bar(told.completed, told.planned, here=told.here, note=f"{told.failed} failed")

        return run(
            design,
            out,
            jobs=jobs,
            backend=backend,
            address=address,
            max_failures=max_failures,
            progress=tell,
        )


def _as_json(result: RunResult) -> str:
    """Everything but the summary, which `typeone summary --json` prints."""
    import json
    from dataclasses import fields

    told = {f.name: getattr(result, f.name) for f in fields(result) if f.name != "summary"}
    return json.dumps(told | {"folder": str(result.folder)}, indent=1)


def _report(result: RunResult) -> None:
    from typeone.cli.summaries import show
    from typeone.terminal.output import say

    show(result.summary, result.folder)
    say(
        f"\n{result.state}: {result.completed} of {result.planned} repetitions, {result.failed} failed; "
        f"{result.run_seconds:.1f} s, compiling {result.compile_seconds:.1f} s, "
        f"starting workers {result.start_seconds:.1f} s; in {result.folder}"
    )
    for cell, count in sorted(result.stopped.items()):
        typer.echo(f"cell {cell}: the stopping rule was met at {count} repetitions")
    for cell, first, count in result.lost:
        say(f"cell {cell}: repetitions {first} to {first + count - 1} killed their worker three times")


def _say_how_to_go_on(result: RunResult) -> None:
    typer.echo(f"what is complete is saved; to resume: {_again()}", err=True)
    if result.state == "too many failures":
        from typeone.engine.status import status

        cell, first = status(result.folder, examples=1).examples[0]
        typer.echo(f"cell {cell}, repetition {first.repetition}: {first.kind}: {first.message}", err=True)
        typer.echo(f"see `typeone status {result.folder}`, or allow more with --max-failures", err=True)


def _again() -> str:
    import shlex
    import sys

    return shlex.join(["typeone", *sys.argv[1:]])


def _show_estimate(design: Design, jobs: int, backend: str, *, as_json: bool) -> None:
    import json
    from dataclasses import asdict

    from typeone.engine.backends import check_backend
    from typeone.engine.resolved import resolve
    from typeone.engine.trial import cores, estimate
    from typeone.terminal.output import say

    check_backend(backend, jobs, None)
    planned = resolve(design)
    local = backend in ("loky", "threading")
    told = estimate(planned, jobs, cores() if local else jobs)
    if as_json:
        sizes = {"study": planned.study.name, "cells": len(planned.cells), "repetitions": planned.repetitions}
        typer.echo(json.dumps(sizes | asdict(told), indent=1))
        return
    say(f"{planned.study.name}: {planned.study.text}")
    typer.echo(f"cells        {len(planned.cells)}")
    typer.echo(f"repetitions  {planned.repetitions} ({design.repetitions} for each cell)")
    typer.echo(f"chunk        {told.chunk} repetitions")
    few = f" on the {cores()} cores here" if local and cores() < jobs else ""
    typer.echo(f"time         about {told.seconds:.3g} s with {jobs} jobs{few}, compiling {told.compile_seconds:.1f} s")
    typer.echo(f"memory       about {told.memory / 2**20:.0f} MiB in all")
    typer.echo(f"disk         about {told.disk / 2**20:.3g} MiB")
