"""Show a design as TOML, to copy and change; or what its factors mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from typeone.cli.completion import designs

if TYPE_CHECKING:
    from typeone.engine.study import Study


def command(
    name: Annotated[
        str, typer.Argument(help="A preset, a TOML file, a study, or module:NAME.", autocompletion=designs)
    ],
    factors: Annotated[
        bool, typer.Option("--factors", help="Print every factor of its study, with default and meaning, instead.")
    ] = False,
) -> None:
    """Print the design NAME as TOML; `typeone show NAME > mine.toml` is the start of your own.

    With --factors: all that may stand in it, also what has no default.
    """
    from typeone.engine.lookup import design_called
    from typeone.engine.registry import find, presets

    known = presets()
    if factors:
        typer.echo("\n".join(_told(find(design_called(name).study)[0])))
    elif name in known:
        typer.echo(known[name].read_text(encoding="utf-8"), nl=False)
    else:
        typer.echo(design_called(name).as_toml(), nl=False)


def _told(study: Study) -> Iterator[str]:
    """A line for every factor and input, its meaning indented below."""
    from typeone.display import folded

    yield folded(f"{study.name}: {study.text}")
    for name, field in study.parameters.model_fields.items():
        yield f"\n{name}{_values(field)}"
        if field.description:
            yield "    " + folded(" ".join(field.description.replace("``", "").split()), indent=4)
    if study.inputs:
        yield "\n" + folded(f"Inputs (name=FILE): {', '.join(study.inputs)}")


def _values(field: Any) -> str:
    """The default, and the values where they are few."""
    from typing import Literal, get_args, get_origin

    told = ""
    if get_origin(field.annotation) is Literal:
        told += f": {', '.join(map(str, get_args(field.annotation)))}"
    if field.is_required():
        return f"{told} (needed)"
    default = field.get_default()
    return told if default in (None, "") else f"{told} [{getattr(default, 'text', default)}]"
