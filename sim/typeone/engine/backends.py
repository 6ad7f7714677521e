"""Where chunks run: in this process, in threads, in worker processes, on a Dask or a Ray cluster."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

from typeone.engine import workers
from typeone.engine.backend import Backend, WorkerLostError
from typeone.engine.parameters import suggestion
from typeone.engine.resolved import Resolved
from typeone.engine.trial import UNKNOWN, Trial, trial_of
from typeone.engine.workers import Batch, Task

_LOOK = 0.01  # seconds between looks


class _InProcess(Backend):
    """One task after the other in this process."""

    slots = 1

    def share(self, value: Any) -> Any:
        return value

    def submit(self, task: Task, handle: Any) -> Any:
        return partial(workers.run, task, handle)

    def ended(self, tickets: Collection[Any], seconds: float, *, every: bool = False) -> Collection[Any]:
        return list(tickets)

    def result(self, ticket: Any) -> Batch:
        return ticket()  # type: ignore[no-any-return]

    def restart(self) -> None:
        raise AssertionError("this process cannot be lost")

    def close(self, *, kill: bool) -> None:
        pass


class _OnExecutor(Backend):
    """What threads and processes have in common: tickets are futures."""

    executor: Executor

    def ended(self, tickets: Collection[Any], seconds: float, *, every: bool = False) -> Collection[Any]:
        return wait(tickets, seconds, return_when=ALL_COMPLETED if every else FIRST_COMPLETED).done


class _Threads(_OnExecutor):
    """Threads of this process; they run side by side as long as kernels hold no interpreter lock."""

    def __init__(self, jobs: int) -> None:
        self.slots = 2 * jobs
        self.executor = ThreadPoolExecutor(jobs)

    def share(self, value: Any) -> Any:
        return value

    def submit(self, task: Task, handle: Any) -> Future[Batch]:
        return self.executor.submit(workers.run, task, handle)

    def result(self, ticket: Future[Batch]) -> Batch:
        return ticket.result()

    def restart(self) -> None:
        raise AssertionError("a thread cannot be lost")

    def close(self, *, kill: bool) -> None:
        self.executor.shutdown(wait=not kill, cancel_futures=True)


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Ctrl-C is heard after this block only, and never by processes that it starts."""
    came: list[int] = []
    handler = signal.getsignal(signal.SIGINT)
    # Only the main thread may set a handler; only there is it called.
    ours = threading.current_thread() is threading.main_thread() and handler is not None
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which new processes inherit
    if ours:
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))  # another thread may be sent it
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        if came:
            signal.raise_signal(signal.SIGINT)


class _Loky(_OnExecutor):
    """joblib's worker processes on this machine; a shared object goes through one file, read once by each."""

    falls_whole = True

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.slots = 2 * jobs
        self._folder = tempfile.TemporaryDirectory(prefix="typeone-")
        self._rehearsing: list[Future[Batch]] = []
        self._start()

    def _start(self) -> None:
        from multiprocessing import resource_tracker

        from joblib.externals.loky.process_executor import ProcessPoolExecutor

        resource_tracker.ensure_running()  # starting it unblocks Ctrl-C
        with _deaf():
            self.executor = ProcessPoolExecutor(
                self.jobs, initializer=workers.prepare, initargs=(os.getpid(),), env=workers.ONE_THREAD
            )

    def trial(self, planned: Resolved, rehearsal: Callable[[], Any]) -> Trial:
        compiled = Path(self._folder.name, "compiled")
        first: Future[Trial] = self._submit(trial_of, planned.design, compiled)
        while not (compiled.exists() or first.done()):
            wait([first], _LOOK)
        try:
            # While the first measures, the others load what it has compiled.
            self._rehearsing = [rehearsal() for _ in range(self.jobs - 1)]
            return first.result()
        except (BrokenProcessPool, WorkerLostError):  # what kills a worker must not kill this process
            self.restart()
            return UNKNOWN

    def ready(self) -> None:
        wait(self._rehearsing)  # a worker that died meanwhile shows when the first chunk is submitted

    def share(self, value: Any) -> str:
        handle, name = tempfile.mkstemp(dir=self._folder.name)
        with os.fdopen(handle, "wb") as file:
            pickle.dump(value, file, protocol=5)
        return name

    def release(self, handle: str) -> None:
        Path(handle).unlink()

    def submit(self, task: Task, handle: str) -> Future[Batch]:
        try:
            return self._submit(workers.run_from_file, task, handle)
        except BrokenProcessPool as error:
            raise WorkerLostError from error

    def _submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        with _deaf():  # the first task starts the workers
            return self.executor.submit(work, *arguments)

    def result(self, ticket: Future[Batch]) -> Batch:
        try:
            return ticket.result()
        except BrokenProcessPool as error:
            raise WorkerLostError from error

    def restart(self) -> None:
        self.executor.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]
        self._rehearsing = []
        self._start()

    def close(self, *, kill: bool) -> None:
        self.executor.shutdown(wait=True, kill_workers=kill)  # type: ignore[call-arg]
        with contextlib.suppress(OSError):
            self._folder.cleanup()


BACKENDS = ("loky", "threading", "dask", "ray")


def check_backend(name: str, jobs: int, address: str | None) -> None:
    """Raise a ValueError for what no backend can be made of."""
    if name not in BACKENDS:
        raise ValueError(f"backend={name!r}: no such backend{suggestion(name, BACKENDS)}")
    if jobs < 1:
        raise ValueError(f"jobs={jobs}: at least one worker is needed")
    if address is not None and name in ("loky", "threading"):
        raise ValueError(f"address: the backend {name!r} runs on this machine only")


def make_backend(name: str, jobs: int, address: str | None = None) -> Backend:
    """The backend called ``name``; one job needs no other process than this."""
    check_backend(name, jobs, address)
    if name == "dask":
        from typeone.engine.on_dask import Dask

        return Dask(jobs, address)
    if name == "ray":
        from typeone.engine.on_ray import Ray

        return Ray(jobs, address)
    if jobs == 1:
        return _InProcess()
    return _Threads(jobs) if name == "threading" else _Loky(jobs)
