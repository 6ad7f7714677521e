"""What the engine asks of a place where chunks run.

A backend takes tasks, says which have ended, and tells a lost worker from an error.  It decides nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import Any

from typeone.engine.resolved import Resolved
from typeone.engine.trial import Trial, trial
from typeone.engine.workers import Batch, Task


class WorkerLostError(Exception):
    """The worker died (killed, out of memory); the task has no result."""


class Backend(ABC):
    """Tickets stand for submitted tasks."""

    slots: int
    """Tasks to keep in flight."""
    falls_whole = False
    """Whether one lost worker takes all tasks in flight with it."""

    @abstractmethod
    def share(self, value: Any) -> Any:
        """Put a shared object where every worker finds it; returns a handle for ``submit``."""

    def trial(self, planned: Resolved, rehearsal: Callable[[], Any]) -> Trial:
        """Compile the kernels and measure in one worker; the others rehearse: they run what ``rehearsal`` submits."""
        return trial(planned)

    def ready(self) -> None:  # noqa: B027 - only workers that start anew need it
        """Wait until every worker has started and rehearsed."""

    def release(self, handle: Any) -> None:  # noqa: B027 - most handles need no care
        """No further task will use ``handle``."""

    @abstractmethod
    def submit(self, task: Task, handle: Any) -> Any:
        """Start a task; returns its ticket, or raises WorkerLostError."""

    @abstractmethod
    def ended(self, tickets: Collection[Any], seconds: float, *, every: bool = False) -> Collection[Any]:
        """Tickets that have ended, after waiting for one (or for every one) at most ``seconds``."""

    @abstractmethod
    def result(self, ticket: Any) -> Batch:
        """What an ended task returned; raises WorkerLostError."""

    @abstractmethod
    def restart(self) -> None:
        """Make the backend usable after a lost worker; unfinished tasks are forgotten."""

    @abstractmethod
    def close(self, *, kill: bool) -> None:
        """End; with ``kill`` without waiting for running tasks."""
