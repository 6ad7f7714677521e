"""Options that a user typed and that the command would not look at: named, never ignored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def refuse_unused(context: Any, reasons: Mapping[str, str | None]) -> None:
    """Raise a ValueError for the first option typed that has a reason why it would change nothing.

    ``context`` is the running command's typer.Context; ``reasons`` maps names of its parameters to that reason, or
    to None where they are used.
    """
    for name, reason in reasons.items():
        source = context.get_parameter_source(name)
        if reason is not None and source is not None and source.name == "COMMANDLINE":
            raise ValueError(f"--{name.replace('_', '-')}: changes nothing, since {reason}")
