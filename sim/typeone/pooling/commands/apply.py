"""Pooling: accept, reject or abstain on every item from the votes of many sources."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.pooling.commands._options import File, Item, Label, Prior, Source, Vote
from typeone.terminal.options import SEEDS, AsJson, Out, Quiet, Rows


def command(  # one parameter for each option of the command line
    context: typer.Context,
    file: File,
    rows: Rows = None,
    item: Item = "item",
    source: Source = "source",
    vote: Vote = "vote",
    label: Label = None,
    reliability: Annotated[
        Path | None, typer.Option(help="File with the columns source and reliability; else estimated from labels.")
    ] = None,
    accept: Annotated[str, typer.Option(help="Accept at this posterior or above.")] = "0.95",
    reject: Annotated[str, typer.Option(help="Reject at this posterior or below.")] = "0.05",
    prior: Prior = "0.5",
    level: Annotated[str, typer.Option(help="Error probability of each bound and interval.")] = "0.05",
    seed: Annotated[int, typer.Option(help=f"{SEEDS} of the split into a fitting and a held-out half.")] = 0,
    tau: Annotated[int | None, typer.Option(help="Say what your rule 'count >= tau' means here.")] = None,
    explain: Annotated[str | None, typer.Option(help="Say which sources moved this item.")] = None,
    contributions: Annotated[
        Path | None, typer.Option(help="Write here, for every vote, how far it moved its item.")
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Pool the votes in FILE into posterior log-odds, and decide on every item.

    With --label, reliabilities are estimated on one half of the labelled items and the error rates bounded on the
    other half. Run `typeone check pooling` on the file first.
    """
    from typeone import pooling, tables
    from typeone.display import text_table
    from typeone.terminal.answer import give
    from typeone.terminal.unused import refuse_unused

    refuse_unused(context, _reasons(given=reliability is not None, labelled=label is not None))
    tables.check_outputs([out, contributions], [file, reliability])
    result = pooling.apply(
        tables.read(file, rows),
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
    outputs = [(out, result.to_arrow), (contributions, result.contributions)]
    give(result, outputs, as_json=as_json, quiet=quiet, more=extra)


def _reasons(*, given: bool, labelled: bool) -> dict[str, str | None]:
    """Why an option would change nothing."""
    return {
        "seed": "with --reliability no label is needed to fit, and all are held out" if given else None,
        "level": "without --label no error rate is bounded" if given and not labelled else None,
    }
