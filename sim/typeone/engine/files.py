"""Files that are whole or absent, and a folder that one process writes at a time."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any


def write_whole(file: Path, content: bytes) -> None:
    """Put ``content`` under its name only once it is on the disk; what stood there before stays till then."""
    with replacing(file) as temporary, temporary.open("wb") as sink:
        sink.write(content)


@contextlib.contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A temporary name to write to; on a good end it is synced and takes the place of ``file``."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        try:
            yield temporary
            with temporary.open("rb+") as written:
                os.fsync(written.fileno())
            temporary.replace(file)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        _sync_folder(file.parent)
    except OSError as error:
        raise explained(error, file) from error


def explained(error: OSError, file: Path) -> OSError:
    """The same error with one sentence that says what to do."""
    advice = {
        errno.ENOSPC: "the disk is full; free some space and run the same command again",
        errno.EDQUOT: "the quota is used up; free some space and run the same command again",
        errno.EROFS: "the file system is read-only",
        errno.EACCES: "no permission",
        errno.ENOTDIR: "a part of its path is a file, not a folder",
    }.get(error.errno or 0, error.strerror or str(error))
    return OSError(f"cannot write {file}: {advice}. What was complete stays valid.")


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class BusyError(ValueError):
    """Another process writes into the folder."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold ``folder`` for this process; the system frees the lock of a process that died, however it died."""
    file = folder / "lock"
    try:
        handle = file.open("a+b")
    except OSError as error:
        raise explained(error, file) from error
    with handle:
        if not _acquire(handle):
            holder = owner(folder)
            raise BusyError(
                f"{folder} is being written by process {holder.get('pid', '?')} on {holder.get('host', '?')}: "
                "wait for it, or choose another folder"
            )
        handle.truncate(0)
        handle.write(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode())
        handle.flush()
        try:
            yield
        finally:
            handle.truncate(0)


def owner(folder: Path) -> dict[str, Any]:
    """Process and host that hold ``folder``, or held it when they died; empty after an orderly end."""
    try:
        found = json.loads((folder / "lock").read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def is_locked(folder: Path) -> bool:
    """Whether a living process holds ``folder``."""
    try:
        with (folder / "lock").open("r+b") as handle:
            return not _acquire(handle)
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _acquire(handle: IO[bytes]) -> bool:
        handle.seek(1 << 30)  # beyond the text, which others may read
        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _acquire(handle: IO[bytes]) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
