"""Simulation engine for procedures that promise an exact error rate when they audit language models.

The procedures: ``typeone.scf``, ``typeone.jecs``, ``typeone.panels``, ``typeone.pooling``.  Exact numbers for anybody:
``typeone.tails`` (binomial and hypergeometric tails), ``typeone.exact`` (Clopper-Pearson and hypergeometric bounds),
``typeone.roc``.  Simulation runs: ``typeone.engine``.  Submodules are imported when they are first used, so that
``import typeone`` costs nothing; one that is added is reached in the same way, without an entry here.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typeone.levels import Level as Level

__all__ = ["Level", "exact", "jecs", "panels", "pooling", "roc", "scf", "tails"]


def __getattr__(name: str) -> Any:
    if name == "Level":
        return import_module("typeone.levels").Level
    if not name.startswith("_") and find_spec(f"typeone.{name}"):
        return import_module(f"typeone.{name}")
    raise AttributeError(f"module 'typeone' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
