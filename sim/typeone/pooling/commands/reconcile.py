"""Does a vote count equal a posterior threshold for these sources?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from typeone.pooling.commands._options import Prior

if TYPE_CHECKING:
    from typeone.pooling.reconciliation import Reconciliation


def command(
    reliability: Annotated[list[str], typer.Option(help="P(a source is right); one option for each source.")],
    threshold: Annotated[str, typer.Option(help="Posterior threshold.")] = "0.5",
    prior: Prior = "0.5",
    most: Annotated[
        int, typer.Option(min=1, max=200, help="Largest panel tried in the search for a counterexample.")
    ] = 12,
    as_json: Annotated[bool, typer.Option("--json", help="Print both findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print tau only, or none.")] = False,
) -> None:
    """Look for a tau that says the same as the threshold, and for the smallest panel of such sources without one."""
    import json

    from typeone import pooling
    from typeone.terminal.output import say

    found = pooling.reconcile(reliability, threshold, prior)
    if quiet and not as_json:
        typer.echo("none" if found.tau is None else found.tau)
        return
    smallest = pooling.counterexample(reliability, threshold, prior, most)
    if as_json:
        told = {"panel": _plain(found), "smallest_without_tau": None if smallest is None else _plain(smallest)}
        typer.echo(json.dumps(told, indent=1))
        return
    say(str(found))
    if smallest is None:
        say(f"\nAny panel of up to {most} such sources has a tau that does.")
    else:
        say(f"\nSmallest panel without such a tau, n = {len(smallest.reliabilities)}:\n{smallest}")


def _plain(found: Reconciliation) -> dict[str, Any]:
    """Fractions as doubles; the items as votes and posterior."""
    items = {"accepted": found.accepted, "refused": found.refused}
    return {
        "reliabilities": [float(r) for r in found.reliabilities],
        "threshold": float(found.threshold),
        "tau": found.tau,
        **{
            name: None if item is None else {"votes": item.votes, "posterior": float(item.posterior)}
            for name, item in items.items()
        },
        "gaps": [[float(low), float(high)] for low, high in found.gaps],
    }
