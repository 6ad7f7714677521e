"""Promises of our own for tests: one that is kept everywhere, one with a planted worst case."""

from __future__ import annotations

import numpy as np

from typeone.engine.streams import generator
from typeone.engine.study import Columns
from typeone.verify.model import Key, Parameters, Promise, Space, column


def planted_rate(p: Parameters) -> float:
    """At most .2, the level, but .35 where a = 7 and b = 3; it rises towards that point."""
    if (p["a"], p["b"]) == (7, 3):
        return 0.35
    return 0.19 * float(np.exp(-0.15 * (abs(p["a"] - 7) + abs(p["b"] - 3))))


def planted(p: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    errors = [generator(key, first + i).random() < planted_rate(p) for i in range(count)]
    return {column("c", "0.2"): np.array(errors, float)}


SPACE = Space({"a": tuple(range(12)), "b": tuple(range(8))})
PLANTED = Promise("planted", "s", "a", "w", "h", cells=({"a": 0, "b": 0},), simulate=planted, space=SPACE)
