"""What ``typeone doctor`` looks at."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

PACKAGES = (
    "typeone", "numpy", "numba", "llvmlite", "scipy", "pyarrow", "joblib", "pydantic", "typer", "rich", "matplotlib",
)  # fmt: skip
BACKENDS = {"loky": "joblib", "threading": "joblib", "dask": "distributed", "ray": "ray"}
THREAD_VARIABLES = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Health:
    """Facts by part and name, and one sentence for each thing to put right."""

    facts: dict[str, dict[str, Any]]
    advice: list[str] = field(default_factory=list)


def examine() -> Health:
    """Look at everything; runs one kernel, which compiles it when it is not cached."""
    facts = {
        "versions": {"python": sys.version.split()[0], **{name: _version(name) for name in PACKAGES}},
        "processor": _processor(),
        "kernels": _kernels(),
        "backends": {name: _backend(package) for name, package in BACKENDS.items()},
        "terminal": _terminal(),
    }
    return Health(facts, list(advice_on(facts)))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _backend(package: str) -> str | None:
    return _version(package) if find_spec(package) else None


def _processor() -> dict[str, Any]:
    from typeone.engine.manifest import machine
    from typeone.engine.trial import cores

    told = machine()
    variables = {name: os.environ.get(name) for name in THREAD_VARIABLES if name in os.environ}
    return {"system": told["system"], "model": told["cpu"], "cores": told["threads"], "usable": cores(), **variables}


def _kernels() -> dict[str, Any]:
    from typeone_kernels._jit import cache_folder

    of_streams = cache_folder("streams")
    folder = of_streams and of_streams.parent
    files = list(folder.rglob("*")) if folder else []
    off = _jit_is_off()  # then no kernel can even be imported
    start = time.perf_counter()
    called = "not called" if off else "right" if _self_test() else "WRONG"
    seconds = time.perf_counter() - start
    return {
        "cache folder": None if folder is None else str(folder),
        "kernels": None if off else _count(),
        "compiled in the cache": sum(file.suffix == ".nbi" for file in files),
        "cache size (MB)": round(sum(file.stat().st_size for file in files if file.is_file()) / 1e6, 1),
        "one kernel, called": called,
        "first call (s)": round(seconds, 2),
        "jit disabled": off,
    }


def _count() -> int:
    """Kernels in the package, whether compiled or not."""
    import typeone_kernels

    folder = next(iter(typeone_kernels.__path__))
    modules = [import_module(f"typeone_kernels.{found.name}") for found in iter_modules([folder])]
    return sum(
        hasattr(value, "py_func") and value.__module__ == module.__name__
        for module in modules
        for value in vars(module).values()
    )


def _self_test() -> bool:
    from typeone.roc import auroc

    return auroc([9, 9, 5, 5], [1, 0, 1, 0]) == 0.5


def _jit_is_off() -> bool:
    import numba

    return bool(numba.config.DISABLE_JIT)


def _terminal() -> dict[str, Any]:
    return {
        "is a terminal": sys.stdout is not None and sys.stdout.isatty(),
        "columns": shutil.get_terminal_size().columns,
        "encoding": None if sys.stdout is None else sys.stdout.encoding,
        "TERM": os.environ.get("TERM"),
        "NO_COLOR": "NO_COLOR" in os.environ,
    }


def advice_on(facts: dict[str, dict[str, Any]]) -> Iterator[str]:
    """One sentence for each thing to put right."""
    kernels = facts["kernels"]
    if kernels["cache folder"] is None:
        yield "kernels are compiled anew in every process: set NUMBA_CACHE_DIR to a folder that only you can write"
    if kernels["one kernel, called"] == "WRONG":
        yield "a kernel gives a wrong value: delete the cache folder and install numba again"
    if kernels["jit disabled"]:
        from typeone_kernels._jit import NO_JIT

        yield NO_JIT
    encoding = facts["terminal"]["encoding"]  # None where the output is closed
    if encoding is not None and encoding.lower().replace("-", "") != "utf8":
        yield f"the output's encoding is {encoding}: set PYTHONUTF8=1 to see ≤, ± and –"
    missing = [name for name in PACKAGES[1:] if facts["versions"][name] is None]
    if missing:
        yield f"not installed: {', '.join(missing)}"
    free = shutil.disk_usage(Path.cwd()).free
    if free < 100e6:
        yield f"only {free / 1e6:.0f} MB are free in the current folder"
