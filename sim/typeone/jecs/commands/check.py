"""Audit a score file before decontamination: joint lower tail, ties, roles, columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(  # one parameter for each option of the command line
    file: Annotated[Path, typer.Argument(help="Parquet, Feather or CSV file, one row for each item and model.")],
    item: Annotated[str, typer.Option(help="Column with the item.")] = "item",
    model: Annotated[str, typer.Option(help="Column with the model.")] = "model",
    role: Annotated[str, typer.Option(help="Column: candidate or calibration (a known member).")] = "role",
    score: Annotated[list[str] | None, typer.Option(help="Column with the score; with --wide one per model.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="One row per item, one --score column per model.")] = False,
    rows: Annotated[str | None, typer.Option(help="Use only the rows with column=value.")] = None,
    evidence: Annotated[str, typer.Option(help="Scores that speak for a clean item: smaller or larger.")] = "smaller",
    document: Annotated[str | None, typer.Option(help="Column that identifies a document, such as a digest.")] = None,
    column: Annotated[list[str] | None, typer.Option(help="Numeric column to compare; repeatable.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the joint lower tail here (.svg, .pdf, .png).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print warnings only.")] = False,
) -> None:
    """Look for what would break the guarantee of `typeone apply jecs` on FILE."""
    from typeone import jecs, tables
    from typeone.cli.output import say_audit, say_written

    columns = score or ["score"]
    if not wide and len(columns) > 1:
        raise ValueError(f"--score: {len(columns)} columns of scores are for a wide table (--wide)")
    if figure is not None and figure.suffix not in (".svg", ".pdf", ".png"):
        raise ValueError(f"--figure {figure}: the name must end in .svg, .pdf or .png")
    table = tables.read(file)
    if rows:
        table = tables.where(table, rows)
    audit = jecs.check(
        table,
        item=item,
        model=None if wide else model,
        role=role,
        score=columns if wide else columns[0],
        evidence=evidence,  # type: ignore[arg-type]  # checked there
        document=document,
        columns=column or (),
    )
    if figure is not None:
        from typeone.figures import style
        from typeone.figures.lower_tail import lower_tail
        from typeone.jecs.scores import read_scores
        from typeone.jecs.tail import own_p_values

        scores = read_scores(table, item, None if wide else model, role, columns if wide else columns[0], "drop")
        p = own_p_values(scores.calibration, evidence == "larger")
        left, _ = lower_tail(p, [str(name) for name in scores.models])
        caption = (
            f"{p.shape[1]} calibration items, members of every model that scores them. A curve that falls from the "
            "left says that the same documents score low under these models; JECS may select contaminated ones."
        )
        style.save(style.figure_of(left), figure, caption)
    say_audit(audit, as_json=as_json, quiet=quiet)
    if figure is not None and not (as_json or quiet):
        say_written([figure])
