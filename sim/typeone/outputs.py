"""Places that results are written to, looked at before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def file(path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str] | None] = ()) -> Path:
    """The file itself that ``path`` names, links followed; a ValueError when no file can be put there.

    It must not be one of the ``inputs`` that the work reads.
    """
    real = Path(os.path.realpath(path))
    if any(source is not None and Path(os.path.realpath(source)) == real for source in inputs):
        raise ValueError(f"{path}: is the input; choose another name for the output")
    if not real.parent.is_dir():
        raise ValueError(f"{path}: the folder {real.parent} does not exist")
    if real.is_dir():
        raise ValueError(f"{path}: is a folder")
    if real.exists() and not real.is_file():
        raise ValueError(f"{path}: is a pipe or a device, and a file is written whole")
    if not os.access(real.parent, os.W_OK):
        raise ValueError(f"{path}: the folder {real.parent} cannot be written to")
    if real.exists() and not real.stat().st_mode & 0o222:
        raise ValueError(f"{path}: is read-only; choose another name")
    return real


def folder(path: str | os.PathLike[str]) -> Path:
    """``path`` if a folder is there or can be made; a ValueError when something else stands in its way."""
    for place in (Path(path), *Path(path).parents):
        if place.is_dir():
            break
        if place.exists():
            raise ValueError(f"{path}: {place} is a file, and a folder is needed")
        if place.is_symlink():
            raise ValueError(f"{path}: {place} is a link to {os.readlink(place)}, which does not exist")
    return Path(path)
