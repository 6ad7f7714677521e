"""The manifest of a run's folder: what was planned, what is complete, with what it was made.

It is the only thing readers trust: a chunk counts once the manifest names it, with its checksum.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from typeone.engine.files import write_whole

FORMAT = 2
NAME = "manifest.json"
PLAN = "question.json"
"""What a folder that is a plan's holds: no run begins in it."""
_SEAL = ',\n "sha256": '
PACKAGES = ("typeone", "numpy", "numba", "llvmlite", "scipy", "pyarrow", "joblib", "pydantic")
BINDING = ("numpy", "numba")
"""Packages whose version decides the numbers: a folder is never continued with others."""

_FEW = 6
"""Values that a message lists."""

CHUNK_NAME = re.compile(r"\d{6,}-\d{12,}-\d+\.parquet")


class Chunk(NamedTuple):
    """A complete file of repetitions first .. first + size - 1 of a cell."""

    cell: int
    first: int
    size: int
    failed: int
    sha256: str

    @property
    def name(self) -> str:
        """The file's name in the folder ``repetitions``."""
        return f"{self.cell:06d}-{self.first:012d}-{self.size}.parquet"


@dataclass
class Session:
    """One call of ``run`` on the folder."""

    start: str
    jobs: int
    backend: str
    repetitions: int
    before: int
    """Repetitions that were there at its start."""
    end: str = ""
    state: str = "running"
    compile_seconds: float = 0.0
    start_seconds: float = 0.0
    """Waiting for workers to start, after compiling."""
    run_seconds: float = 0.0


@dataclass
class Manifest:
    """See the module; ``as_json`` and ``read`` are inverse."""

    identity: str
    facts: dict[str, Any]
    design: dict[str, Any]
    reference: str
    factors: list[dict[str, Any]]
    """Each cell's parameters as typed."""
    keys: list[tuple[int, int]]
    """Each cell's 128-bit random key."""
    planned: int
    sequence: bool
    """True once anyone may have looked before the last repetition: bounds must then hold at every look."""
    versions: dict[str, str]
    machine: dict[str, Any]
    sessions: list[Session] = field(default_factory=list)
    stopped: dict[int, int] = field(default_factory=dict)
    """Repetitions at which the stopping rule ended a cell."""
    chunks: dict[tuple[int, int], Chunk] = field(default_factory=dict)
    """By (cell, first)."""
    lost: list[tuple[int, int, int]] = field(default_factory=list)
    """Chunks (cell, first, count) that killed their worker three times."""

    @property
    def completed(self) -> int:
        """Repetitions that were attempted, failed ones included."""
        return sum(chunk.size for chunk in self.chunks.values())

    @property
    def failed(self) -> int:
        """Repetitions that raised or killed their worker."""
        return sum(chunk.failed for chunk in self.chunks.values())

    def as_json(self) -> bytes:
        """Canonical order, one line for each chunk; at the end the checksum of all that stands before it."""
        head = {"format": FORMAT, **asdict(self), "completed": self.completed, "failed": self.failed}
        del head["chunks"]
        chunks = ",\n".join(json.dumps(list(chunk)) for _, chunk in sorted(self.chunks.items()))
        content = f'{json.dumps(head, indent=1)[:-2]},\n "chunks": [\n{chunks}\n ]'.encode()
        return content + f'{_SEAL}"{hashlib.sha256(content).hexdigest()}"\n}}\n'.encode()

    def write(self, folder: Path) -> None:
        """Replace the folder's manifest atomically."""
        write_whole(folder / NAME, self.as_json())


def read(folder: Path) -> Manifest:
    """The manifest of ``folder``; a ValueError says why there is none to read."""
    file = folder / NAME
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"{folder} holds no run: there is no {NAME}") from None
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    try:
        values = json.loads(content)
    except ValueError as error:
        raise ValueError(f"{file} is not JSON: {error}") from None
    if not isinstance(values, dict) or "format" not in values or "sessions" not in values:
        raise ValueError(f"{file} is no manifest of a run")
    if values.pop("format") != FORMAT:
        raise ValueError(
            f"{file} was written by another version of typeone, which stored runs differently; choose another folder"
        )
    body, _, seal = content.rpartition(_SEAL.encode())
    if values.pop("sha256", None) is None or hashlib.sha256(body).hexdigest().encode() not in seal:
        raise ValueError(f"{file} has been changed since it was written (checksum); choose another folder")
    del values["completed"], values["failed"]
    values["sessions"] = [Session(**session) for session in values["sessions"]]
    values["stopped"] = {int(cell): count for cell, count in values["stopped"].items()}
    values["keys"] = [(a, b) for a, b in values["keys"]]
    values["lost"] = [(a, b, c) for a, b, c in values["lost"]]
    chunks = [Chunk(*row) for row in values["chunks"]]
    values["chunks"] = {(chunk.cell, chunk.first): chunk for chunk in chunks}
    return Manifest(**values)


def now() -> str:
    """UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str]:
    """Python and the packages that matter, as installed here."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed as a package"
    return found


def machine() -> dict[str, Any]:
    """Operating system, processor and its threads."""
    return {"system": platform.platform(), "cpu": _cpu(), "threads": os.cpu_count()}


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs between two identities: each factor, level, input or key, with the values that only one has."""
    told = []
    names = old.keys() | new.keys()
    if old.get("study") != new.get("study"):
        names = {"study"}  # another study has other factors: nothing else can be compared
    for name in sorted(names):
        a, b = old.get(name), new.get(name)
        if a == b:
            continue
        if name == "cells":
            told += _cell_differences(a or [], b or [])
        elif name in ("inputs", "code"):
            what = "the content of the input" if name == "inputs" else "the text of the module"
            changed = sorted(n for n in {*(a or {}), *(b or {})} if (a or {}).get(n) != (b or {}).get(n))
            told += [f"{what} {n}" for n in changed]
        elif isinstance(a, list) and isinstance(b, list):
            told.append(_only(name, a, b))
        else:
            told.append(f"{name} ({a} there, {b} here)")
    return told


def _cell_differences(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> list[str]:
    """Factors whose values differ; where all have the same values, how these are combined."""
    names = dict.fromkeys(name for cell in (*old, *new) for name in cell)
    values = {name: [[cell[name] for cell in cells if name in cell] for cells in (old, new)] for name in names}
    told = [_only(name, a, b) for name, (a, b) in values.items() if set(a) != set(b)]
    if told:
        return told
    if len(old) != len(new):
        return [f"cells ({len(old)} there, {len(new)} here)"]
    return ["the order of the cells" if all(cell in new for cell in old) else "which values the cells combine"]


def _only(name: str, old: Sequence[Any], new: Sequence[Any]) -> str:
    """The values that stand on one side alone; a different order when there are none."""
    sides = [[value for value in dict.fromkeys(a) if value not in b] for a, b in ((old, new), (new, old))]
    if not any(sides):
        return f"the order of {name}"
    there, here = (", ".join(map(str, side[:_FEW])) + (", …" if len(side) > _FEW else "") or "none" for side in sides)
    return f"{name} ({there} there, {here} here)"
