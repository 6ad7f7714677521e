"""List the studies and their presets."""

from __future__ import annotations

import typer


def command() -> None:
    """List the studies and their presets: what `typeone run` and `typeone show` take."""
    from typeone.display import text_table
    from typeone.engine.design import read_design
    from typeone.engine.plan import grid
    from typeone.studies import find, names, presets

    rows: list[tuple[str, str, str, str]] = []
    designs = {name: read_design(file) for name, file in presets().items()}
    for name in names():
        rows.append((name, "study", "", find(name)[0].text))
        for preset, design in designs.items():
            if design.study == name:
                size = f"{len(list(grid(design)))} x {design.repetitions}"
                rows.append((f"  {preset}", "preset", size, design.text))
    typer.echo(text_table(("name", "kind", "cells x repetitions", "what"), rows, most=len(rows)))
