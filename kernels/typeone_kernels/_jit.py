"""The one place that knows Numba's options and where compiled code is cached.

Kernels are compiled lazily, on their first call, and those of one module are cached in a private folder whose
name is a digest of the module's source, of the kernel modules it imports, directly or not, and of the Numba,
NumPy and Python versions.  Numba's own index looks only at the file a function stands in, so code inlined from
an edited neighbour would go unnoticed; this digest cannot miss it.  The folder lies in the first of these that
can be written and belongs to this user alone: ``$NUMBA_CACHE_DIR``, ``$XDG_CACHE_HOME/typeone``,
``~/.cache/typeone``, a folder in the temporary directory.  With none of them, or with ``TYPEONE_CACHE=off``,
kernels are compiled in every process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import ParamSpec, TypeVar

import numba
import numpy as np
from numba import config, njit

P = ParamSpec("P")
R = TypeVar("R")

HERE = Path(__file__).parent
_IMPORT = re.compile(r"^from typeone_kernels\.(\w+) import", re.MULTILINE)

# error_model="numpy": no ZeroDivisionError branches in inner loops.  fastmath stays off: NaN, ties and the
# order of a sum matter.  nogil: kernels can be called from several threads.
NO_JIT = "NUMBA_DISABLE_JIT is set, and the kernels run compiled only: unset it"
OPTIONS = {"error_model": "numpy", "fastmath": False, "nogil": True}


@cache
def _closure(module: str) -> frozenset[str]:
    """The module, this one, and every kernel module that it imports."""
    source = (HERE / f"{module}.py").read_text(encoding="utf-8")
    found = frozenset({module, Path(__file__).stem})
    for name in _IMPORT.findall(source):
        if name != module and (HERE / f"{name}.py").exists():
            found |= _closure(name)
    return found


def _digest(module: str) -> str:
    parts = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for name in sorted(_closure(module)):
        parts.update(name.encode() + b"\0" + (HERE / f"{name}.py").read_bytes() + b"\0")
    return parts.hexdigest()[:20]


def _candidates() -> Iterator[Path]:
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(chosen)
        return
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        yield Path(xdg) / "typeone"
    with contextlib.suppress(RuntimeError):  # no home at all
        yield Path.home() / ".cache" / "typeone"
    yield Path(tempfile.gettempdir()) / f"typeone-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def _is_private(folder: Path) -> bool:
    """Compiled code is unpickled from here, so nobody else may be able to write into it."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


@cache
def cache_folder(module: str) -> Path | None:
    """The folder that holds the compiled kernels of ``module`` as it stands, or None when nothing is cached."""
    if os.environ.get("TYPEONE_CACHE", "").lower() == "off":
        return None
    for parent in _candidates():
        folder = parent / f"{module.strip('_')}-{_digest(module)}"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
            if _is_private(folder):
                return folder
        except OSError:
            continue
    return None


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` with the project's options; the plain function stays at ``.py_func``.

    The cache folder is a property of these kernels, not of the process: Numba's global setting is put back
    as it was, so a user's own ``@njit(cache=True)`` code is left alone.  A function that stands outside this
    package is compiled with the same options and not cached.

    Raises ValueError under ``NUMBA_DISABLE_JIT``: machine instructions that kernels are made of cannot be called from
    Python.
    """
    if config.DISABLE_JIT:
        raise ValueError(NO_JIT)
    file = Path(function.__code__.co_filename)
    folder = cache_folder(file.stem) if file.parent == HERE else None
    if folder is None:
        return njit(**OPTIONS)(function)  # type: ignore[no-any-return]
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        return njit(cache=True, **OPTIONS)(function)  # type: ignore[no-any-return]
    finally:
        config.CACHE_DIR = before
