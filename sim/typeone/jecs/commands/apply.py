"""Joint decontamination (JECS): which items was no audited model trained on?"""

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
    level: Annotated[str, typer.Option(help="Bound on the expected contaminated share of the selection.")] = "0.1",
    method: Annotated[
        str, typer.Option(help="jecs, jecs-filter, max-p, storey, adafilter, intersection or union.")
    ] = "jecs",
    ties: Annotated[str, typer.Option(help="attainable, or random.")] = "attainable",
    seed: Annotated[int, typer.Option(help="Seed of random ties.")] = 0,
    missing: Annotated[str, typer.Option(help="error, or drop candidates without a score.")] = "error",
    out: Annotated[Path | None, typer.Option(help="Write the table here (.parquet, .csv, .jsonl, …).")] = None,
    items: Annotated[Path | None, typer.Option(help="Write the selected items here, one column.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print errors only.")] = False,
) -> None:
    """Select the candidates in FILE that no model was trained on.

    The expected share of contaminated items among the selected ones is held at the level, under the assumptions that
    are printed with the result. Run `typeone check jecs` on the file first.
    """
    import pyarrow as pa

    from typeone import jecs, tables
    from typeone.cli.output import say, say_written

    for path in (out, items):
        if path is not None:
            tables.check_writable(path, source=file)
    columns = score or ["score"]
    if not wide and len(columns) > 1:
        raise ValueError(f"--score: {len(columns)} columns of scores are for a wide table (--wide)")
    table = tables.read(file)
    result = jecs.apply(
        tables.where(table, rows) if rows else table,
        item=item,
        model=None if wide else model,
        role=role,
        score=columns if wide else columns[0],
        options=jecs.Options(method, level, evidence, ties, seed),  # type: ignore[arg-type]  # checked by the procedure
        missing=missing,  # type: ignore[arg-type]  # checked by the procedure
    )
    if out is not None:
        tables.write(result.to_arrow(), out)
    if items is not None:
        tables.write(pa.table({"item": result.selected_items}), items)
    if as_json:
        typer.echo(tables.as_json(result.to_arrow()))
    elif not quiet:
        say(str(result))
        say_written([out, items])
