"""What pressing Tab offers for a value: designs, packaged examples, figures of a run.

Called with the word typed so far; nothing here may fail, print, or import more than it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any


def _quiet(found: Callable[[Any], Iterable[str]]) -> Callable[[Any, str], list[str]]:
    """The words of ``found`` that continue the one typed; none when they cannot be had."""

    def offered(ctx: Any, incomplete: str) -> list[str]:
        words: list[str] = []
        with suppress(Exception):  # a half-typed line is no error
            words.extend(word for word in found(ctx) if word.startswith(incomplete))
        return words

    return offered


@_quiet
def designs(ctx: Any) -> Iterator[str]:
    """Presets, studies, and designs in the current folder."""
    from pathlib import Path

    from typeone.engine.registry import names, presets

    yield from sorted({*presets(), *names(), *(file.name for file in Path().glob("*.toml"))})


@_quiet
def examples(ctx: Any) -> list[str]:
    """The packaged score files."""
    from typeone import tables

    return sorted(file.stem for file in tables.PACKAGED.glob("*.parquet"))


@_quiet
def figures(ctx: Any) -> list[str]:
    """The figures that the run in the line's folder allows."""
    from pathlib import Path

    from typeone.figures.catalog import pictures
    from typeone.figures.stored import Stored

    # While an option waits for its value, the words before it have not been parsed.
    folder = ctx.params.get("folder") or next(word for word in ctx.args if Path(word).is_dir())
    return [picture.name for picture in pictures(Stored.open(Path(folder)))]
