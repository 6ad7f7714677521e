"""Chunks in flight: keeps a backend busy and finds out which chunk kills its workers."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeAlias

from typeone.engine.backend import Backend, WorkerLostError
from typeone.engine.schedule import Chunk
from typeone.engine.workers import Batch

STRIKES = 3
POLL_SECONDS = 0.5
_BREAK_SECONDS = 10.0

Landing: TypeAlias = tuple[Chunk, Batch | None]
"""A chunk with what it gave, or with None when it was lost with its worker STRIKES times."""


class Flight:
    """Submits what ``take`` gives until it gives nothing and all has landed.

    Everything in flight when a worker dies is suspected and run again one at a time, so that a further death
    has a single cause.
    """

    def __init__(self, backend: Backend, take: Callable[[], Chunk | None], submit: Callable[[Chunk], Any]) -> None:
        self._backend = backend
        self._take = take
        self._submit = submit
        self._flying: dict[Any, Chunk] = {}
        self._suspects: deque[Chunk] = deque()
        self._strikes: Counter[Chunk] = Counter()

    def __iter__(self) -> Iterator[Landing | None]:
        """Landings in any order; None when nothing landed for a while."""
        while True:
            intact = self._launch()
            if intact and not self._flying:
                return
            ended = self._backend.ended(self._flying, POLL_SECONDS) if intact else ()
            landed = list(self._land(ended))
            if not intact or any(batch is None for _, batch in landed):
                if self._backend.falls_whole:
                    landed += self._land(self._backend.ended(self._flying, _BREAK_SECONDS, every=True))
                    landed += [(chunk, None) for chunk in self._flying.values()]
                    self._flying.clear()
                self._backend.restart()
            for chunk, batch in landed:
                if batch is not None or self._is_out(chunk):
                    yield chunk, batch
            if not ended:
                yield None

    def _launch(self) -> bool:
        """Fill the backend's slots; False when it turns out to have lost a worker."""
        while len(self._flying) < self._room():
            chunk = self._suspects.popleft() if self._suspects else self._take()
            if chunk is None:
                break
            try:
                self._flying[self._submit(chunk)] = chunk
            except WorkerLostError:
                self._suspects.appendleft(chunk)
                return False
        return True

    def _room(self) -> int:
        """How many chunks may fly together: a suspected one flies alone."""
        suspected = self._suspects or any(chunk in self._strikes for chunk in self._flying.values())
        return 1 if suspected else self._backend.slots

    def _land(self, ended: Collection[Any]) -> Iterator[Landing]:
        for ticket in list(ended):
            chunk = self._flying.pop(ticket)
            try:
                yield chunk, self._backend.result(ticket)
            except WorkerLostError:
                yield chunk, None

    def _is_out(self, chunk: Chunk) -> bool:
        """Count one more death against a chunk; True when it is given up, otherwise it will run again."""
        self._strikes[chunk] += 1
        if self._strikes[chunk] >= STRIKES:
            return True
        # At once again, before other suspects: a chunk that kills does so every time, a chance victim does not.
        self._suspects.appendleft(chunk)
        return False
