"""Uniforms and normals in bulk: NumPy's own, bit for bit; and every number of the ziggurat's table."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone_kernels.normals import (
    TAIL,
    WORDS,
    fill_normals,
    fill_uniforms,
    normals_of_repetitions,
    uniforms_of_repetitions,
    ziggurat,
)
from typeone_kernels.streams import fill_words

WORD = st.integers(0, 2**64 - 1)
WHERE = st.integers(0, 2**63 - 1)


def stream(key, repetition, lane):
    counter = np.array([0, 0, lane, repetition], np.uint64)
    return np.random.Philox(key=np.array(key, np.uint64), counter=counter)


def room(size):
    return np.empty(size, np.uint64)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(WORD, WORD, WHERE, WHERE, st.integers(0, 50), st.integers(1, 20))
def test_words_from_any_block_on(k0, k1, repetition, lane, block, blocks):
    words = room(4 * blocks)
    fill_words(np.array([k0, k1], np.uint64), repetition, lane, 4 * block, words)
    assert words.tolist() == stream((k0, k1), repetition, lane).random_raw(4 * (block + blocks))[4 * block :].tolist()


@settings(derandomize=True, deadline=None, max_examples=100)
@given(WORD, WORD, WHERE, WHERE, st.integers(0, 70), st.integers(0, 300), st.sampled_from([4, 8, 64, 512]))
def test_uniforms_are_numpys(k0, k1, repetition, lane, first, size, ahead):
    out = np.empty(size)
    fill_uniforms(np.array([k0, k1], np.uint64), repetition, lane, first, room(ahead), out)
    assert out.tolist() == np.random.Generator(stream((k0, k1), repetition, lane)).random(first + size)[first:].tolist()


@settings(derandomize=True, deadline=None, max_examples=100)
@given(WORD, WORD, WHERE, WHERE, st.integers(0, 3000), st.sampled_from([8, 12, 64, 512]))
def test_normals_are_numpys(k0, k1, repetition, lane, size, ahead):
    out = np.empty(size)
    fill_normals(ziggurat(), np.array([k0, k1], np.uint64), repetition, lane, room(ahead), out)
    assert out.tolist() == np.random.Generator(stream((k0, k1), repetition, lane)).standard_normal(size).tolist()


def test_a_million_normals_tails_and_all():
    out = np.empty(1_000_000)
    fill_normals(ziggurat(), np.array([3, 4], np.uint64), 5, 6, room(512), out)
    assert np.array_equal(out, np.random.Generator(stream((3, 4), 5, 6)).standard_normal(out.size))
    assert (np.abs(out) > TAIL).sum() > 100  # 258 are expected: both signs of the tail were drawn
    assert out.min() < -TAIL
    assert out.max() > TAIL


def numpy_normal(word):
    """What NumPy makes of one word, and whether that word was enough; the words after it mean uniforms of 1/2."""
    bits = np.random.Philox(0)
    state = bits.state
    state["buffer"], state["buffer_pos"] = np.array([word, 2**63, 2**63, 0], np.uint64), 0
    bits.state = state
    value = np.random.Generator(bits).standard_normal()
    return value, bits.state["buffer_pos"] == 1


def test_the_table_is_numpys():
    """Widths as NumPy multiplies them; thresholds as the last point that NumPy accepts at once."""
    layers = ziggurat()
    assert all(of.shape == (256,) for of in layers)
    for layer in range(256):
        value, _ = numpy_normal(layer | (1 << 9))
        assert value == layers.widths[layer]
        threshold = int(layers.thresholds[layer])
        if threshold:
            assert numpy_normal(layer | ((threshold - 1) << 9))[1]
        assert not numpy_normal(layer | (threshold << 9))[1]


def test_densities_are_those_of_the_edges():
    """They only decide which points of a wedge are kept: to two units in the last place."""
    layers = ziggurat()
    assert layers.densities[0] == 1
    for layer in range(1, 256):
        edge = float(layers.widths[layer]) * 2.0**52
        assert layers.densities[layer] == pytest.approx(math.exp(-0.5 * edge * edge), rel=2**-51)
    assert float(layers.widths[255]) * 2.0**52 == TAIL


def test_the_room_that_is_recommended_will_do():
    assert WORDS >= 8
    assert WORDS % 4 == 0


def test_rows_are_repetitions():
    key = np.array([7, 8], np.uint64)
    uniforms, normals = np.full((3, 20), -1.0), np.empty((3, 20))
    uniforms_of_repetitions(key, 10, 2, (5, 17), room(8), uniforms)
    normals_of_repetitions(ziggurat(), key, 10, 2, room(8), normals)
    for r in range(3):
        wanted = np.random.Generator(stream((7, 8), 10 + r, 2)).random(20)
        assert uniforms[r, 5:17].tolist() == wanted[5:17].tolist()
        assert set(uniforms[r, :5]) | set(uniforms[r, 17:]) == {-1.0}
        assert normals[r].tolist() == np.random.Generator(stream((7, 8), 10 + r, 2)).standard_normal(20).tolist()
