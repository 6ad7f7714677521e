"""Uniform and standard normal doubles in bulk: bit for bit those of NumPy's Generator on the same stream.

Words come from Philox block after block, without the buffer and the call for each word that a generator of single
numbers needs.  Normals are made from them by the ziggurat with 256 layers: a word gives a layer, a sign and a point in
it, and all but one in a hundred points lie below the next layer's edge and are accepted at once.

Sources: Marsaglia and Tsang, *The ziggurat method for generating random variables* (2000); the layers' numbers in
ziggurat.txt are those of NumPy 1.17 to 2.x (numpy/random/src/distributions/ziggurat_constants.h), so that a stream
means the same normals in both.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.streams import fill_words, unit_double

Words = NDArray[np.uint64]
Floats = NDArray[np.float64]

TAIL = 3.6541528853610088
"""Where the lowest layer's tail begins."""
WORDS = 512
"""Words made ahead of their use: so many stay in the first-level cache."""


class Ziggurat(NamedTuple):
    """Of each layer (256,): its width / 2**52, the points accepted at once, and the density at its edge."""

    widths: Floats
    thresholds: Words
    densities: Floats


@cache
def ziggurat() -> Ziggurat:
    """The layers, read once from ziggurat.txt."""
    lines = Path(__file__).with_name("ziggurat.txt").read_text(encoding="ascii").splitlines()[1:]
    widths, thresholds, densities = zip(*(line.split() for line in lines), strict=True)
    return Ziggurat(
        np.array([float.fromhex(w) for w in widths]),
        np.array([int(t) for t in thresholds], np.uint64),
        np.array([float.fromhex(d) for d in densities]),
    )


@kernel
def fill_uniforms(key: Words, repetition: int, lane: int, first: int, words: Words, out: Floats) -> None:
    """Numbers ``first``, ``first`` + 1, ... of ``Generator.random`` on the stream (``key`` (2,), repetition, lane).

    ``words`` (a multiple of 4) is overwritten again and again; 512 of them stay in the first-level cache.  2.8 ns each.
    """
    for start in range(-(first & 3), out.size, words.size):
        fill_words(key, repetition, lane, first + start, words)
        for i in range(max(0, -start), min(words.size, out.size - start)):
            out[start + i] = unit_double(words[i])


@kernel
def _word(key: Words, repetition: int, lane: int, number: int) -> np.uint64:
    """One word by its number: where words are wanted so rarely that reading ahead would cost more."""
    block = np.empty(4, np.uint64)
    fill_words(key, repetition, lane, number & ~3, block)
    word: np.uint64 = block[number & 3]
    return word


@kernel
def _tail(key: Words, repetition: int, lane: int, number: int) -> tuple[float, int]:
    """What a normal beyond ``TAIL`` exceeds it by, and the number of the next word (Marsaglia 1964)."""
    while True:
        beyond = -math.log1p(-unit_double(_word(key, repetition, lane, number))) * (1.0 / TAIL)
        height = -math.log1p(-unit_double(_word(key, repetition, lane, number + 1)))
        number += 2
        if height + height > beyond * beyond:
            return beyond, number


@kernel
def fill_normals(layers: Ziggurat, key: Words, repetition: int, lane: int, words: Words, out: Floats) -> None:
    """``Generator.standard_normal`` on the stream (``key`` (2,), repetition, lane), from its first word on.

    ``words``, at least 8, as for ``fill_uniforms``.  1.02 words and 5 ns a normal.
    """
    mantissa = np.uint64(2**52 - 1)
    number = begin = 0
    fill_words(key, repetition, lane, begin, words)
    for i in range(out.size):
        while True:
            if number + 1 >= begin + words.size:  # at hand are a word and the one after it
                begin = number & ~3
                fill_words(key, repetition, lane, begin, words)
            word = words[number - begin]
            number += 1
            layer = word & np.uint64(255)
            point = (word >> np.uint64(9)) & mantissa
            x = np.float64(np.int64(point)) * layers.widths[layer]
            x = -x if word & np.uint64(256) else x
            if point < layers.thresholds[layer]:
                break
            if layer == np.uint64(0):
                beyond, number = _tail(key, repetition, lane, number)
                x = -(TAIL + beyond) if point & np.uint64(256) else TAIL + beyond
                break
            edge = layers.densities[layer]
            height = unit_double(words[number - begin])
            number += 1
            if (layers.densities[layer - np.uint64(1)] - edge) * height + edge < math.exp(-0.5 * x * x):
                break
        out[i] = x


@kernel
def uniforms_of_repetitions(
    key: Words, first: int, lane: int, wanted: tuple[int, int], words: Words, out: Floats
) -> None:
    """``out`` (R, N), row r for repetition ``first`` + r: the first N uniforms of the lane.

    Only those from number ``wanted[0]`` to ``wanted[1]`` - 1 are made; the others' places are left alone.
    """
    for r in range(out.shape[0]):
        fill_uniforms(key, first + r, lane, wanted[0], words, out[r, wanted[0] : wanted[1]])


@kernel
def normals_of_repetitions(layers: Ziggurat, key: Words, first: int, lane: int, words: Words, out: Floats) -> None:
    """``out`` (R, N), row r for repetition ``first`` + r: the first N normals of the lane."""
    for r in range(out.shape[0]):
        fill_normals(layers, key, first + r, lane, words, out[r])
