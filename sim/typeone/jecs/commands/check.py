"""Audit a score file before decontamination: joint lower tail, ties, roles, columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.jecs.commands._options import Evidence, File, Item, Model, Role, Score, Wide, score_columns, unused_when
from typeone.terminal.options import Compared, Document, FindingsAsJson, Rows, WarningsOnly


def command(  # one parameter for each option of the command line
    context: typer.Context,
    file: File,
    item: Item = "item",
    model: Model = "model",
    role: Role = "role",
    score: Score = None,
    wide: Wide = False,
    rows: Rows = None,
    evidence: Evidence = "smaller",
    document: Document = None,
    column: Compared = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the joint lower tail here (.svg, .pdf, .png).")] = None,
    as_json: FindingsAsJson = False,
    quiet: WarningsOnly = False,
) -> None:
    """Look for what would break the guarantee of `typeone apply jecs` on FILE."""
    from typeone import jecs, outputs, tables
    from typeone.terminal.output import say_audit, say_written
    from typeone.terminal.unused import refuse_unused

    refuse_unused(context, unused_when(wide))
    columns = score_columns(score, wide)
    if figure is not None and figure.suffix not in (".svg", ".pdf", ".png"):
        raise ValueError(f"--figure {figure}: the name must end in .svg, .pdf or .png")
    target = None if figure is None else outputs.file(figure, [file])
    table = tables.read(file, rows)
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
    if target is not None:
        from typeone.figures import style
        from typeone.figures.lower_tail import lower_tail
        from typeone.jecs.lower_tail import own_p_values
        from typeone.jecs.scores import read_scores

        scores = read_scores(table, item, None if wide else model, role, columns if wide else columns[0], "drop")
        p = own_p_values(scores.calibration, evidence == "larger")
        left, _ = lower_tail(p, [str(name) for name in scores.models])
        caption = (
            f"{p.shape[1]} calibration items, members of every model that scores them. A curve that falls from the "
            "left says that the same documents score low under these models; JECS may select contaminated ones."
        )
        style.save(style.figure_of(left), target, caption)
    say_audit(audit, as_json=as_json, quiet=quiet)
    if figure is not None and not (as_json or quiet):
        say_written([figure])
