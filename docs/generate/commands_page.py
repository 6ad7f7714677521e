"""The command reference, made from the commands themselves: what ``--help`` says, as one page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from typeone.cli.root import BY_METHOD, PACKAGE, tree

OWN = "Further arguments: `--FACTOR VALUE` for every factor of the study; `typeone show NAME --factors` lists them."


def page() -> str:
    """Every command with its arguments and options."""
    intro = (
        "# Commands\n\nMade from the commands' own help. `typeone COMMAND --help` shows the same; "
        "`typeone --install-completion` completes names and options in bash, zsh, fish and PowerShell. "
        "Bad usage and bad input end with exit code 2 and one sentence."
    )
    return "\n\n".join([intro, *_sections(tree(), ())]) + "\n"


def _sections(branches: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[str]:
    """The leaves of a level first, then its groups."""
    for name in sorted(branches, key=lambda name: (isinstance(branches[name], dict), name)):
        branch, words = branches[name], (*above, name)
        if isinstance(branch, Path):
            yield _command(branch, " ".join(("typeone", *words)), level="##" if len(words) == 1 else "###")
        else:
            yield f"## typeone {' '.join(words)}\n\n{BY_METHOD.get(name, f'Single questions about {name}.')}"
            yield from _sections(branch, words)


def _command(file: Path, name: str, *, level: str) -> str:
    module = import_module(".".join(("typeone", *file.relative_to(PACKAGE).with_suffix("").parts)))
    app = typer.Typer(add_completion=False)
    app.command(name=name, help=module.command.__doc__)(module.command)
    command = typer.main.get_command(app)
    context = typer.Context(command, info_name=name)
    records = [(p.param_type_name, p.get_help_record(context)) for p in command.params]
    parts = [f"{level} {name}", (command.help or module.__doc__ or "").strip()]
    for kind, title in (("argument", "Argument"), ("option", "Option")):
        rows = [record for which, record in records if which == kind and record]
        if rows:
            lines = [f"| {title} | |", "| --- | --- |", *(f"| `{_cell(a)}` | {_cell(b, text=True)} |" for a, b in rows)]
            parts.append("\n".join(lines))
    if getattr(module, "CONTEXT", {}).get("ignore_unknown_options"):
        parts.append(OWN)
    return "\n\n".join(parts)


def _cell(value: str, *, text: bool = False) -> str:
    one_line = re.sub(r"\s+", " ", value).replace("|", "\\|").strip()
    return one_line.replace("<", "&lt;").replace("[", "\\[") if text else one_line
