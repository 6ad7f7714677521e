"""Fit a scenario's shape to the published AUROC row and capped shares."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    scenario: Annotated[list[str], typer.Argument(help="reddit, cc-news, enron, chromium.")],
    populations: Annotated[int, typer.Option(help="Redrawn populations in each evaluation.")] = 400,
    seed: Annotated[int, typer.Option(help="Seed of the populations.")] = 1,
    most: Annotated[int, typer.Option(help="Most evaluations.")] = 200,
    out: Annotated[Path | None, typer.Option(help="Write (or update) a file like shapes.json here.")] = None,
) -> None:
    """Fit SCENARIO's six numbers; TPR, FPR, cap sensitivity and SDs are held out.

    The residuals printed are on populations that the fit has not seen. Fitted numbers are never counted as
    reproduced.
    """
    import json
    from datetime import date
    from functools import partial
    from importlib.metadata import version

    from typeone.display import text_table
    from typeone.studies.scf.fit import fit
    from typeone.studies.scf.scenarios import SCENARIOS

    for name in scenario:
        if name not in SCENARIOS:
            raise ValueError(f"scenario={name!r}: is one of {', '.join(SCENARIOS)}")
    kept = json.loads(out.read_text(encoding="utf-8")) if out is not None and out.exists() else {"scenarios": {}}

    def tell(name: str, call: int, loss: float) -> None:
        if call % 20 == 0:
            typer.echo(f"{name}: {call} evaluations, loss {loss:.2f}", err=True)

    for name in scenario:
        found = fit(name, populations=populations, seed=seed, most=most, tell=partial(tell, name))
        typer.echo(f"{name}: {found.shape}")
        typer.echo(text_table(["fitted", "published", "ours", "MC error"], found.rows))
        command = f"typeone scf fit {name} --populations {populations} --seed {seed} --most {most} --out shapes.json"
        kept["scenarios"][name] = found.as_json() | {"date": date.today().isoformat(), "command": command}
    kept["versions"] = {package: version(package) for package in ("typeone", "numpy", "scipy", "numba")}
    if out is not None:
        out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
