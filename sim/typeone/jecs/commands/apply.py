"""Joint decontamination (JECS): which items was no audited model trained on?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.jecs.commands._options import Evidence, File, Item, Model, Role, Score, Wide, score_columns, unused_when
from typeone.terminal.options import SEEDS, AsJson, Out, Quiet, Rows


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
    level: Annotated[str, typer.Option(help="Bound on the expected contaminated share of the selection.")] = "0.1",
    method: Annotated[
        str, typer.Option(help="jecs, jecs-filter, max-p, storey, adafilter, intersection or union.")
    ] = "jecs",
    ties: Annotated[str, typer.Option(help="attainable, or random.")] = "attainable",
    seed: Annotated[int, typer.Option(help=f"{SEEDS} of random ties.")] = 0,
    missing: Annotated[str, typer.Option(help="error, or drop candidates without a score.")] = "error",
    out: Out = None,
    items: Annotated[Path | None, typer.Option(help="Write the selected items here, one column.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Select the candidates in FILE that no model was trained on.

    The expected share of contaminated items among the selected ones is held at the level, under the assumptions that
    are printed with the result. Run `typeone check jecs` on the file first.
    """
    import pyarrow as pa

    from typeone import jecs, tables
    from typeone.terminal.answer import give
    from typeone.terminal.unused import refuse_unused

    refuse_unused(context, unused_when(wide) | {"seed": None if ties == "random" else f"--ties {ties} draws nothing"})
    tables.check_outputs([out, items], [file])
    columns = score_columns(score, wide)
    result = jecs.apply(
        tables.read(file, rows),
        item=item,
        model=None if wide else model,
        role=role,
        score=columns if wide else columns[0],
        options=jecs.Options(method, level, evidence, ties, seed),  # type: ignore[arg-type]  # checked by the procedure
        missing=missing,  # type: ignore[arg-type]  # checked by the procedure
    )
    selected = pa.table({"item": result.selected_items})
    give(result, [(out, result.to_arrow), (items, lambda: selected)], as_json=as_json, quiet=quiet)
