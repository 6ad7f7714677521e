"""A line that cannot be parsed: one sentence that says what is wrong with it and where to look."""

from __future__ import annotations

from typing import Any

import typer

USAGE_ERROR: Any = typer.BadParameter.__mro__[1]
"""What the parser raises: a missing or unknown command, option or argument, or a value of the wrong kind."""
_IN_WORDS = {
    "Input should be a valid integer, unable to parse string as an integer": "a whole number is needed",
    "Input should be a valid number, unable to parse string as a number": "a number is needed",
}


def usage(error: Any) -> str:
    """The sentence; where no command was named, the help page that lists them."""
    context = error.ctx
    if type(error).__name__ == "NoArgsIsHelpError":
        return str(error.format_message())
    message = error.format_message().strip().rstrip(".")
    for technical, plain in _IN_WORDS.items():
        message = message.replace(technical, plain)
    path = context.command_path if context is not None else "typeone"
    known = getattr(getattr(context, "command", None), "branches", None)
    if known and message.startswith("No such command"):
        message += _closest(message.partition("'")[2].rstrip("'"), known)
    return f"{path}: {message[:1].lower()}{message[1:]}; see `{path} --help`"


def _closest(name: str, known: Any) -> str:
    from difflib import get_close_matches

    found = get_close_matches(name, known, 1)
    return f"; did you mean '{found[0]}'?" if found else f"; known: {', '.join(sorted(known))}"
