"""Pooling: accept, reject or abstain on every item from the votes of many sources."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(  # one parameter for each option of the command line
    file: Annotated[Path, typer.Argument(help="Parquet, Feather or CSV file, one row for each item and source.")],
    item: Annotated[str, typer.Option(help="Column with the item.")] = "item",
    source: Annotated[str, typer.Option(help="Column with the source.")] = "source",
    vote: Annotated[str, typer.Option(help="Column with the vote: 1, 0, or empty (not consulted).")] = "vote",
    label: Annotated[str | None, typer.Option(help="Column with the item's truth: 1, 0, or empty.")] = None,
    reliability: Annotated[
        Path | None, typer.Option(help="File with the columns source and reliability; else estimated from labels.")
    ] = None,
    accept: Annotated[str, typer.Option(help="Accept at this posterior or above.")] = "0.95",
    reject: Annotated[str, typer.Option(help="Reject at this posterior or below.")] = "0.05",
    prior: Annotated[str, typer.Option(help="Probability of a hypothesis before any vote.")] = "0.5",
    level: Annotated[str, typer.Option(help="Error probability of each bound and interval.")] = "0.05",
    seed: Annotated[int, typer.Option(help="Seed of the split into a fitting and a held-out half.")] = 0,
    tau: Annotated[int | None, typer.Option(help="Say what your rule 'count >= tau' means here.")] = None,
    explain: Annotated[str | None, typer.Option(help="Say which sources moved this item.")] = None,
    contributions: Annotated[
        Path | None, typer.Option(help="Write here, for every vote, how far it moved its item.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table here (.parquet, .csv, .json).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print errors only.")] = False,
) -> None:
    """Pool the votes in FILE into posterior log-odds, and decide on every item.

    With --label, reliabilities are estimated on one half of the labelled items and the error rates bounded on the
    other half. Run `typeone check pooling` on the file first.
    """
    from typeone import pooling, tables
    from typeone.cli.output import say, say_written
    from typeone.display import text_table

    for path in (out, contributions):
        if path is not None:
            tables.check_writable(path, source=file)
    result = pooling.apply(
        tables.read(file),
        item=item,
        source=source,
        vote=vote,
        label=label,
        reliability=None if reliability is None else tables.read(reliability),
        options=pooling.Options(accept, reject, prior, level, seed),
    )
    extra = [] if tau is None else [str(result.drift(tau))]
    if explain is not None:
        moved = result.contributions(explain)
        extra.append(text_table(moved.column_names, [tuple(row.values()) for row in moved.to_pylist()]))
    if out is not None:
        tables.write(result.to_arrow(), out)
    if contributions is not None:
        tables.write(result.contributions(), contributions)
    if as_json:
        typer.echo(tables.as_json(result.to_arrow()))
    elif not quiet:
        say("\n\n".join([str(result), *extra]))
        say_written([out, contributions])
