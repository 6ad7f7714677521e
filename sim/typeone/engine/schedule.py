"""Which repetitions are still to be computed, cell by cell and look by look."""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

from typeone.engine.resolved import Resolved, gaps
from typeone.engine.stopping import reached
from typeone.engine.storage import Store


class Chunk(NamedTuple):
    """Repetitions first .. first + size - 1 of a cell."""

    cell: int
    first: int
    size: int


class Schedule:
    """Hands out chunks; a cell goes on to its next look once all chunks of this one are done."""

    def __init__(self, resolved: Resolved, store: Store) -> None:
        self._resolved = resolved
        self._store = store
        self._ranges: deque[Chunk] = deque()
        self._outstanding: Counter[int] = Counter()
        self._next_look = [0] * len(resolved.cells)
        self._cells_of_share = Counter(resolved.shared_key(cell) for cell in resolved.cells)
        store.manifest.stopped.clear()
        order = {key: place for place, key in enumerate(self._cells_of_share)}
        for cell in sorted(resolved.cells, key=lambda cell: (order[resolved.shared_key(cell)], cell.index)):
            self._ranges.extend(self._advance(cell.index))

    @property
    def is_empty(self) -> bool:
        """Nothing is left to hand out (what was handed out may still be running)."""
        return not self._ranges

    @property
    def sample(self) -> Chunk:
        """One repetition of what is handed out next."""
        return self._ranges[0]._replace(size=1)

    def take(self, size: int) -> Chunk | None:
        """The next chunk, ending at a multiple of ``size``."""
        if not self._ranges:
            return None
        cell, first, count = self._ranges.popleft()
        part = min(count, size - first % size)
        if part < count:
            self._ranges.appendleft(Chunk(cell, first + part, count - part))
        return Chunk(cell, first, part)

    def done(self, chunk: Chunk) -> str | None:
        """A chunk has been stored; returns the key of a shared object that nothing needs any more."""
        self._outstanding[chunk.cell] -= chunk.size
        if self._outstanding[chunk.cell]:
            return None
        self._ranges.extendleft(reversed(self._advance(chunk.cell)))
        if self._outstanding[chunk.cell]:
            return None
        key = self._resolved.shared_key(self._resolved.cells[chunk.cell])
        return None if self._cells_of_share[key] else key

    def _advance(self, cell: int) -> list[Chunk]:
        """What the cell needs for its next look; nothing when it has been decided or has all repetitions."""
        design = self._resolved.design
        done = [(chunk.first, chunk.size) for chunk in self._store.chunks(cell)]
        for place in range(self._next_look[cell], len(design.looks)):
            look = design.looks[place]
            missing = [Chunk(cell, *gap) for gap in gaps(done, look)]
            self._next_look[cell] = place + (not missing)
            if missing:
                self._outstanding[cell] = sum(chunk.size for chunk in missing)
                return missing
            if design.stop and reached(self._store, self._resolved.study, design, cell, look):
                self._store.manifest.stopped[cell] = look
                break
        self._cells_of_share[self._resolved.shared_key(self._resolved.cells[cell])] -= 1
        return []
