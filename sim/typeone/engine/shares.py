"""Objects that cells share, handed to a backend once and released when no chunk is left that needs them."""

from __future__ import annotations

from typing import Any

from typeone.engine.backend import Backend
from typeone.engine.resolved import Resolved
from typeone.engine.schedule import Chunk
from typeone.engine.workers import Task


class Shares:
    """Builds each shared object when the first chunk that needs it goes out."""

    def __init__(self, planned: Resolved, backend: Backend) -> None:
        self._resolved = planned
        self._backend = backend
        self._handles: dict[str, Any] = {}

    def submit(self, chunk: Chunk) -> Any:
        """Hand a chunk to the backend; returns its ticket."""
        cell = self._resolved.cells[chunk.cell]
        key = self._resolved.shared_key(cell)
        if key not in self._handles:
            self._handles[key] = self._backend.share(self._resolved.study.share(cell))
        task = Task(self._resolved.reference, cell, chunk.first, chunk.size)
        return self._backend.submit(task, self._handles[key])

    def release(self, key: str | None) -> None:
        """No chunk will need the object of ``key``."""
        if key in self._handles:
            self._backend.release(self._handles.pop(key))
