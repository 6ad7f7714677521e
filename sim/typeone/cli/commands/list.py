"""List the studies and their presets."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quiet: Annotated[bool, typer.Option(help="Print the names only.")] = False,
) -> None:
    """List the studies and their presets: what `typeone run` and `typeone show` take."""
    import json

    from typeone.display import text_table
    from typeone.engine.design import read_design
    from typeone.engine.registry import find, names, presets
    from typeone.engine.resolved import grid

    designs = {name: read_design(file) for name, file in presets().items()}
    sizes = {name: (len(list(grid(design))), design.repetitions) for name, design in designs.items()}
    known = {study: [name for name, design in designs.items() if design.study == study] for study in names()}
    if as_json:
        told = [
            {"study": study, "text": find(study)[0].text, "presets": [_plain(n, designs[n].text, sizes[n]) for n in of]}
            for study, of in known.items()
        ]
        typer.echo(json.dumps(told, indent=1, ensure_ascii=False))
    elif quiet:
        typer.echo("\n".join(name for study, of in known.items() for name in dict.fromkeys([study, *of])))
    else:
        rows: list[tuple[str, str, str]] = []
        for study, of in known.items():
            rows.append((study, "", find(study)[0].text))
            rows += [(f"  {name}", "{} x {}".format(*sizes[name]), designs[name].text) for name in of]
        typer.echo(text_table(("study, presets", "cells x reps", "what"), rows, most=len(rows)))


def _plain(name: str, text: str, size: tuple[int, int]) -> dict[str, object]:
    return {"name": name, "text": text, "cells": size[0], "repetitions": size[1]}
