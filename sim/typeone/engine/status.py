"""How far a run is, from any process: what its manifest says, and whether somebody is writing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from typeone.engine.files import is_locked, owner
from typeone.engine.storage import Store
from typeone.engine.workers import Failure


@dataclass(frozen=True, slots=True)
class Status:
    """Counts are repetitions over all cells."""

    state: str
    """``running``, ``died``, or how the last session ended."""
    writer: dict[str, Any]
    """Process and host of a running session."""
    planned: int
    completed: int
    failed: int
    damaged: int
    """Chunks that are missing or not what was written; the same run command recomputes them."""
    cells: int
    stopped: dict[int, int]
    lost: list[tuple[int, int, int]]
    rate: float | None
    """Repetitions in a second, in the last session."""
    seconds_left: float | None
    kinds: dict[str, int]
    """Failed repetitions by class of error."""
    examples: list[tuple[int, Failure]]
    """The first failures, with their cells."""


def status(folder: str | Path, examples: int = 3) -> Status:
    """The state of the run in ``folder``."""
    store = Store(folder)
    manifest = store.manifest
    running = is_locked(store.folder)
    session = manifest.sessions[-1]
    end = datetime.fromisoformat(session.end) if session.end else datetime.now(UTC)
    state = session.state
    if state == "running" and not running:
        state, end = "died", datetime.fromtimestamp((store.folder / "manifest.json").stat().st_mtime, UTC)
    seconds = (end - datetime.fromisoformat(session.start)).total_seconds()
    here = manifest.completed - session.before
    rate = here / seconds if here > 0 and seconds > 0 else None
    left = manifest.planned - manifest.completed
    told = list(failures(store))
    damaged = sum(not store.is_intact(chunk) for chunk in manifest.chunks.values())
    return Status(
        state=state,
        writer=owner(store.folder) if running else {},
        planned=manifest.planned,
        completed=manifest.completed,
        failed=manifest.failed,
        damaged=damaged,
        cells=len(manifest.factors),
        stopped=manifest.stopped,
        lost=manifest.lost,
        rate=rate,
        seconds_left=left / rate if running and rate else None,
        kinds=dict(Counter(failure.kind for _, failure in told)),
        examples=told[:examples],
    )


def failures(store: Store) -> Iterator[tuple[int, Failure]]:
    """Every failed repetition with its cell, in canonical order."""
    for (cell, _), chunk in sorted(store.manifest.chunks.items()):
        if chunk.failed and store.is_intact(chunk):
            for failure in store.read(chunk).failures:
                yield cell, failure
