"""Random streams of a run: one key for each cell, one stream for each repetition and lane.

The key is a digest of (seed, study, the cell's unpaired parameters), so cells are independent, adding a
cell changes no other, and factors marked as paired see common random numbers.  A stream is reached in O(1).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np


def stream_key(seed: int, study: str, parameters: Mapping[str, str]) -> tuple[int, int]:
    """The 128-bit Philox key of a cell; ``parameters`` maps names to canonical texts (exact rationals)."""
    canonical = json.dumps([seed, study, dict(sorted(parameters.items()))], separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).digest()
    return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:16], "little")


def generator(key: tuple[int, int], repetition: int, lane: int = 0) -> np.random.Generator:
    """NumPy's distributions on the stream (key, repetition, lane): the words of ``typeone_kernels.streams``.

    ``repetition`` and ``lane`` are whole numbers of 64 bits; a lane is one purpose inside a repetition.

    >>> key = stream_key(1, "mine", {"n": "10"})
    >>> generator(key, 17).random() == generator(key, 17).random()
    True
    """
    bits = np.random.Philox(
        key=np.array(key, dtype=np.uint64), counter=np.array([0, 0, lane, repetition], dtype=np.uint64)
    )
    return np.random.Generator(bits)


class Lane:
    """One purpose inside every repetition: the generator of ``generator``, moved instead of made anew.

    A new generator costs five times as much as moving one, which shows where a repetition takes microseconds.
    """

    def __init__(self, key: tuple[int, int], lane: int) -> None:
        self._counter = np.array([0, 0, lane, 0], dtype=np.uint64)
        self._start: Any = {
            "bit_generator": "Philox",
            "state": {"counter": self._counter, "key": np.array(key, dtype=np.uint64)},
            "buffer": np.zeros(4, np.uint64),
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }
        self._bits = np.random.Philox(0)  # a seed, since a key would have it read entropy first
        self._generator = np.random.Generator(self._bits)

    def at(self, repetition: int) -> np.random.Generator:
        """The generator at the start of ``repetition``'s stream; valid until the next call."""
        self._counter[3] = repetition
        self._bits.state = self._start
        return self._generator
