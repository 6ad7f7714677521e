"""What commands print: sentences folded to the width, and a bar on the terminal's error stream while work goes on."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

if TYPE_CHECKING:
    from typeone.audit import Audit


_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


class Tell(Protocol):
    """To be called after each piece of work."""

    def __call__(self, done: int, total: int | None = None, *, here: int | None = None, note: str = "") -> None:
        """Pieces ``done``, ``here`` of them in this session, of ``total``, and a note to show beside them."""


def say(text: str) -> None:
    """Print ``text`` with long sentences folded; tables are left as they are."""
    from typeone.display import folded

    typer.echo(folded(harmless(text)))


def harmless(text: str) -> str:
    """The text with control characters escaped, but for line breaks: a name in a file cannot steer the terminal."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def say_written(paths: Iterable[Path | None]) -> None:
    """Say which files were written."""
    for path in paths:
        if path is not None:
            typer.echo(f"\nwritten: {path}")


def say_audit(audit: Audit, *, as_json: bool, quiet: bool) -> None:
    """Print what a check found: everything, the findings as JSON, or the warnings."""
    from typeone import tables

    if as_json:
        typer.echo(tables.as_json(audit.to_arrow()))
    elif not quiet:
        say(str(audit))
    else:
        for warning in audit.warnings:
            say(f"warning: {warning}")


@contextmanager
def progress(text: str, *, quiet: bool = False, unit: str = "") -> Iterator[Tell]:
    """A bar with rate and time left; nothing is shown when ``quiet`` or when errors go to a file or a pipe."""
    if quiet or sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") in ("dumb", "unknown"):
        yield _untold
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.fields[told]}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None, told="")
        start = time.monotonic()

        def tell(done: int, total: int | None = None, *, here: int | None = None, note: str = "") -> None:
            seconds = time.monotonic() - start
            told = in_words(done, total, done if here is None else here, seconds, unit)
            bar.update(task, completed=done, total=total, told=", ".join(part for part in (told, note) if part))

        yield tell


def _untold(done: int, total: int | None = None, *, here: int | None = None, note: str = "") -> None:
    pass


def in_words(done: int, total: int | None, here: int, seconds: float, unit: str = "") -> str:
    """``120 of 400, 12/s, 0:00:23 left``: the rate is that of the ``here`` pieces done in ``seconds``."""
    parts = [f"{done}{f' of {total}' if total else ''}{f' {unit}' if unit else ''}"]
    if here > 0 and seconds > 0:
        rate = here / seconds
        parts.append(f"{rate:.3g}/s")
        if total:
            left = round(max(0, total - done) / rate)
            parts.append(f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left")
    return ", ".join(parts)
