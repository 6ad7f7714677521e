"""Fit a scenario's shape to the published AUROC row and capped shares."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.terminal.options import Quiet


def command(  # one parameter for each option of the command line
    scenario: Annotated[list[str], typer.Argument(help="reddit, cc-news, enron, chromium.")],
    populations: Annotated[int, typer.Option(min=1, help="Redrawn populations in each evaluation.")] = 400,
    seed: Annotated[int, typer.Option(help="Seed of the populations.")] = 1,
    most: Annotated[int, typer.Option(min=1, help="Most evaluations.")] = 200,
    out: Annotated[Path | None, typer.Option(help="Write (or update) a file like shapes.json here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what --out would hold.")] = False,
    quiet: Quiet = False,
) -> None:
    """Fit SCENARIO's six numbers; TPR, FPR, cap sensitivity and SDs are held out.

    The residuals printed are on populations that the fit has not seen. Fitted numbers are never counted as
    reproduced.
    """
    import json
    from datetime import date
    from importlib.metadata import version

    from typeone import outputs
    from typeone.display import text_table
    from typeone.studies.scf.fit import fit
    from typeone.studies.scf.scenarios import SCENARIOS
    from typeone.terminal.output import Tell, progress, say

    for name in scenario:
        if name not in SCENARIOS:
            raise ValueError(f"scenario={name!r}: is one of {', '.join(SCENARIOS)}")
    target = None if out is None else outputs.file(out)
    kept = json.loads(out.read_text(encoding="utf-8")) if out is not None and out.exists() else {"scenarios": {}}

    for name in scenario:
        with progress(name, quiet=quiet, unit="evaluations") as bar:

            def tell(call: int, loss: float, bar: Tell = bar) -> None:
                bar(call, most, note=f"loss {loss:.2f}")

            found = fit(name, populations=populations, seed=seed, most=most, tell=tell)
        if not (as_json or quiet):
            say(f"{name}: {found.shape}")
            typer.echo(text_table(["fitted", "published", "ours", "MC error"], found.rows))
        command = f"typeone scf fit {name} --populations {populations} --seed {seed} --most {most} --out shapes.json"
        kept["scenarios"][name] = found.as_json() | {"date": date.today().isoformat(), "command": command}
    kept["versions"] = {package: version(package) for package in ("typeone", "numpy", "scipy", "numba")}
    if target is not None:
        target.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(kept, indent=1))
