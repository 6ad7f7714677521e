"""Random streams keyed by repetition: Philox4x64-10, bit for bit as in NumPy.

Source: Salmon, Moraes, Dror, Shaw, *Parallel random numbers: as easy as 1, 2, 3* (SC 2011).

A stream is named by a 128-bit key (a cell), a repetition and a lane (one purpose inside a repetition).  The
256-bit Philox counter is ``(block, 0, lane, repetition)``, so every stream is reached in O(1) and holds
2**128 blocks of four words.  ``numpy.random.Philox(key=key, counter=[0, 0, lane, repetition])`` yields the
same words; use ``typeone.engine.streams.generator`` for NumPy's distributions on such a stream.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from typeone_kernels._jit import kernel

_M0 = np.uint64(0xD2E7470EE14C6C93)
_M1 = np.uint64(0xCA5A826395121157)
_W0 = np.uint64(0x9E3779B97F4A7C15)
_W1 = np.uint64(0xBB67AE8584CAA73B)
_ROUNDS = 10
# State of a stream: counter (4 words), key (2), buffer (4), number of buffer words already used (1).
STATE_WORDS = 11
_KEY, _BUFFER, _USED = 4, 6, 10


@intrinsic  # type: ignore[untyped-decorator]
def mulhi(typingctx: Any, a: Any, b: Any) -> Any:
    """Upper 64 bits of the 128-bit product of two uint64: one machine instruction."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@kernel
def _round(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """One of ten rounds.  A function that held all ten would not be inlined, which costs as much again."""
    return mulhi(_M1, c2) ^ c1 ^ k0, _M1 * c2, mulhi(_M0, c0) ^ c3 ^ k1, _M0 * c0


@kernel
def _fill_buffer(state: NDArray[np.uint64]) -> None:
    """Advance the counter by one and encrypt it into the buffer (20 multiplications)."""
    for word in range(4):
        state[word] += np.uint64(1)
        if state[word] != np.uint64(0):
            break
    c0, c1, c2, c3 = state[0], state[1], state[2], state[3]
    k0, k1 = state[_KEY], state[_KEY + 1]
    for _ in range(_ROUNDS):
        c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
        k0 += _W0
        k1 += _W1
    state[_BUFFER], state[_BUFFER + 1], state[_BUFFER + 2], state[_BUFFER + 3] = c0, c1, c2, c3
    state[_USED] = np.uint64(0)


@kernel
def open_stream(state: NDArray[np.uint64], key: NDArray[np.uint64], repetition: int, lane: int) -> None:
    """Set ``state`` (shape (STATE_WORDS,)) to the start of stream (``key`` (2,), repetition, lane)."""
    state[0] = 0
    state[1] = 0
    state[2] = lane
    state[3] = repetition
    state[_KEY] = key[0]
    state[_KEY + 1] = key[1]
    state[_USED] = 4


@kernel
def next_word(state: NDArray[np.uint64]) -> np.uint64:
    """The stream's next 64 random bits."""
    if state[_USED] == np.uint64(4):
        _fill_buffer(state)
    word: np.uint64 = state[_BUFFER + np.int64(state[_USED])]
    state[_USED] += np.uint64(1)
    return word


@kernel
def unit_double(word: np.uint64) -> float:
    """The double in {0, 1, ..., 2**53 - 1} / 2**53 that NumPy's ``Generator.random`` makes of a word."""
    return np.float64(np.int64(word >> np.uint64(11))) * (1.0 / 9007199254740992.0)


@kernel
def next_uniform(state: NDArray[np.uint64]) -> float:
    """A double uniform on {0, 1, ..., 2**53 - 1} / 2**53, as NumPy's ``Generator.random``."""
    return unit_double(next_word(state))


@kernel
def fill_words(key: NDArray[np.uint64], repetition: int, lane: int, first: int, words: NDArray[np.uint64]) -> None:
    """Words ``first``, ``first`` + 1, ... of the stream (``key`` (2,), repetition, lane).

    ``first`` and the size of ``words`` are multiples of 4, ``first`` < 2**63: it is reached in O(1).  Free of
    branches, so that one block is multiplied while the next begins: half the time of ``next_word``.
    """
    block = np.uint64(first >> 2)
    for i in range(0, words.size & ~3, 4):
        block += np.uint64(1)
        c0, c1, c2, c3 = block, np.uint64(0), np.uint64(lane), np.uint64(repetition)
        k0, k1 = key[0], key[1]
        for _ in range(_ROUNDS):
            c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
            k0 += _W0
            k1 += _W1
        words[i], words[i + 1], words[i + 2], words[i + 3] = c0, c1, c2, c3


@kernel
def next_below(state: NDArray[np.uint64], bound: int) -> int:
    """An integer uniform on 0..bound-1, exactly (multiplication with rejection; Lemire 2019)."""
    n = np.uint64(bound)
    word = next_word(state)
    low = word * n
    if low < n:
        threshold = (np.uint64(0) - n) % n
        while low < threshold:
            word = next_word(state)
            low = word * n
    return int(mulhi(word, n))


@kernel
def draw_subset(state: NDArray[np.uint64], pool: NDArray[np.int64], size: int) -> None:
    """Move a uniformly drawn ordered sample of ``size`` to the front of ``pool`` (partial Fisher-Yates).

    ``pool`` keeps being a permutation of what it held; cost O(size).
    """
    n = pool.size
    for i in range(size):
        j = i + next_below(state, n - i)
        pool[i], pool[j] = pool[j], pool[i]
