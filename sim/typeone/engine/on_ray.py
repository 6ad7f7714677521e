"""Chunks on a Ray cluster: the one at ``address``, or a local one for the length of this run."""

from __future__ import annotations

import logging
import os
import pickle
import sys
from collections.abc import Collection
from importlib import import_module
from typing import Any

from typeone.engine import workers
from typeone.engine.backend import Backend, WorkerLostError
from typeone.engine.workers import Batch, Task


def _run(task: Task, reference: list[Any]) -> Batch:
    """In a worker: the reference comes in a list, so that the object is fetched only when it is not here yet."""
    import ray

    (place,) = reference
    return workers.run_with(task, place.hex(), lambda: ray.get(place))


class Ray(Backend):
    """Ray tells which task lost its worker, so no other is touched."""

    def __init__(self, jobs: int, address: str | None) -> None:
        try:
            ray: Any = import_module("ray")
        except ImportError:
            raise ValueError("backend 'ray' needs an extra: pip install 'typeone[ray]'") from None
        if " " in sys.executable and address is None:  # Ray splits the workers' command at spaces, then waits for ever
            raise ValueError(f"backend 'ray': Ray cannot start workers from a path with a space ({sys.executable})")
        self._ray = ray
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            here: dict[str, Any] = {}
            variables = dict(workers.ONE_THREAD)
            if address is None:  # workers on this machine find what this process finds
                here = {"num_cpus": jobs, "include_dashboard": False}
                variables["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
            try:
                ray.init(
                    address=address or "local",
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    runtime_env={"env_vars": variables},
                    **here,
                )
            except (ConnectionError, ValueError) as error:
                raise ValueError(f"address={address!r}: no Ray cluster answers there ({error})") from None
        self.slots = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._run = ray.remote(num_cpus=1, max_retries=0)(_run)

    def share(self, value: Any) -> Any:
        """The pickled object in Ray's store."""
        return self._ray.put(pickle.dumps(value, protocol=5))

    def submit(self, task: Task, handle: Any) -> Any:
        """A reference to the batch."""
        return self._run.remote(task, [handle])

    def ended(self, tickets: Collection[Any], seconds: float, *, every: bool = False) -> Collection[Any]:
        """References whose task has ended."""
        ready, _ = self._ray.wait(list(tickets), num_returns=1, timeout=seconds, fetch_local=False)
        return ready  # type: ignore[no-any-return]

    def result(self, ticket: Any) -> Batch:
        """The batch, fetched from the store."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(ticket)  # type: ignore[no-any-return]
        except errors.RayTaskError:
            raise
        except errors.RayError as error:
            raise WorkerLostError from error

    def restart(self) -> None:
        """Ray starts new workers by itself; the store outlives them."""

    def close(self, *, kill: bool) -> None:
        """Leave the cluster; a local one ends."""
        if self._is_ours:
            self._ray.shutdown()
