"""Run the main job on the packaged real scores: 500 random partitions, six methods."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.terminal.options import Jobs, Quiet


def command(
    out: Annotated[Path, typer.Option(help="Folder of the run; made or continued.")] = Path("runs/demo"),
    jobs: Jobs = 1,
    quiet: Quiet = False,
) -> None:
    """Does SCF find the sources that took part in a real update, and does it keep its level?

    Prints AUROC, TPR and FPR over 500 random partitions of the packaged real scores, and where the files lie.
    """
    from textwrap import fill

    from typeone import outputs
    from typeone.display import markdown_table, text_table
    from typeone.engine.lookup import design_called
    from typeone.engine.runner import run
    from typeone.scf.result import GUARANTEE
    from typeone.studies.scf.headline import gains, rows_of, sections
    from typeone.studies.scf.parameters import Parameters
    from typeone.terminal.output import progress

    outputs.folder(out)
    design = design_called("scf-real")
    with progress("demo", quiet=quiet) as bar:
        result = run(design, out, jobs=jobs, progress=lambda told: bar(told.completed, told.planned, here=told.here))
    p = Parameters.model_validate(design.factors)
    aim = (
        f"{design.text} {result.completed} of {result.planned} partitions, {result.failed} failed, "
        f"seed {design.seed}; {p.K} reference and {p.L} calibration sources, the rest of the 91 controls is tested."
    )
    tables = sections(rows_of(result.summary, [p]), [level.text for level in design.levels])
    tables.append(gains(result.summary))
    report = out / "report.md"
    parts = [f"**{title}**\n\n{markdown_table(header, body)}" for title, header, body in tables]
    command = f"`typeone run scf-real --out {out}`"
    report.write_text("\n\n".join(["# SCF on real scores", aim, command, *parts, GUARANTEE]) + "\n", encoding="utf-8")
    if quiet:
        return
    typer.echo(
        "\n\n".join([fill(aim, 80), *(f"{title}\n{text_table(header, body)}" for title, header, body in tables)])
    )
    typer.echo(f"\nrepetitions  {out / 'repetitions'}\nsummary      {out / 'summary.parquet'}\nreport       {report}")
