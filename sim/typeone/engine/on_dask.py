"""Chunks on a Dask cluster: the one at ``address``, or a local one for the length of this run."""

from __future__ import annotations

import contextlib
import logging
import pickle
import time
import uuid
from collections.abc import Collection
from concurrent.futures import CancelledError
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from typeone.engine import workers
from typeone.engine.backend import Backend, WorkerLostError
from typeone.engine.workers import Batch, Task


@dataclass(slots=True)
class _Handle:
    """A shared object on the cluster: kept here too, since workers that hold it may die."""

    name: str
    content: bytes
    place: Any = None


_PATIENCE = 20.0
"""Seconds after which a local cluster that is short of workers is replaced."""
_FIRST_WORKER = 300.0
"""Seconds in which a scheduler must have a worker."""


class Dask(Backend):
    """A remote scheduler tries a task again on its own ``allowed-failures`` times before a loss is told here."""

    def __init__(self, jobs: int, address: str | None) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise ValueError("backend 'dask' needs an extra: pip install 'typeone[dask]'") from None
        self._distributed = distributed
        self._handles: list[_Handle] = []
        self._jobs = jobs
        self._address = address
        self._start()

    def _start(self) -> None:
        self._cluster = None if self._address else self._local_cluster()
        try:
            self._client = self._distributed.Client(self._cluster or self._address, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise ValueError(f"address={self._address!r}: no Dask scheduler answers there ({error})") from None
        self._count_workers()

    def _local_cluster(self) -> Any:
        import dask

        with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
            return self._distributed.LocalCluster(
                n_workers=self._jobs,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
                env=workers.ONE_THREAD,
            )

    def _count_workers(self) -> None:
        """Workers may come and go; two tasks for each thread are kept in flight."""
        threads = sum(self._client.nthreads().values())
        self.slots = 2 * max(1, threads)
        self._counted = time.monotonic()
        if self._cluster is None or threads >= self._jobs:
            self._complete = self._counted

    def ready(self) -> None:
        """Wait for a first worker: a scheduler may be older than its workers, but not by minutes."""
        try:
            self._client.wait_for_workers(1, timeout=_FIRST_WORKER)
        except TimeoutError:
            told = f"address={self._address!r}: the Dask scheduler there has no worker after {_FIRST_WORKER:.0f} s"
            raise ValueError(f"{told}; start some (dask worker ADDRESS --nthreads 1)") from None
        self._count_workers()

    def share(self, value: Any) -> _Handle:
        """Scatter the pickled object; workers fetch it from one another."""
        handle = _Handle(uuid.uuid4().hex, pickle.dumps(value, protocol=5))
        self._handles.append(handle)
        self._place(handle)
        return handle

    def _place(self, handle: _Handle) -> None:
        self._client.wait_for_workers(1)
        (handle.place,) = self._client.scatter([handle.content], hash=False)

    def release(self, handle: _Handle) -> None:
        """Free the cluster's memory."""
        self._handles.remove(handle)
        handle.place = None

    def submit(self, task: Task, handle: _Handle) -> Any:
        """A future of the cluster."""
        return self._client.submit(workers.run_from_bytes, task, handle.name, handle.place, pure=False)

    def ended(self, tickets: Collection[Any], seconds: float, *, every: bool = False) -> Collection[Any]:
        """Futures that are finished, failed or cancelled."""
        with contextlib.suppress(TimeoutError, CancelledError), self._client.as_current():
            self._distributed.wait(list(tickets), timeout=seconds, return_when="FIRST_COMPLETED")
        if time.monotonic() - self._counted > seconds:
            self._count_workers()
        if time.monotonic() - self._complete > _PATIENCE:
            # A nanny gives up on a worker that dies while it starts, and nobody starts another.
            self.close(kill=True)
            self._start()
        return [ticket for ticket in tickets if ticket.done()]

    def result(self, ticket: Any) -> Batch:
        """The batch, gathered from the worker."""
        try:
            return ticket.result()  # type: ignore[no-any-return]
        except (self._distributed.KilledWorker, CancelledError) as error:
            raise WorkerLostError from error

    def restart(self) -> None:
        """Nannies bring workers back; what lay on lost ones is placed again."""
        for handle in self._handles:
            self._place(handle)

    def close(self, *, kill: bool) -> None:
        """Leave the cluster; a local one ends."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()
