"""A moved generator is the new one: whatever was drawn before, and in any order of repetitions."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone.engine.streams import Lane, generator

KEYS = st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))


def draws(rng: np.random.Generator) -> list[float]:
    """Of several kinds: halves of words, rejection, buffers left half full."""
    return [
        *rng.integers(0, 100, 3, np.uint32).tolist(),
        *rng.standard_normal(3).tolist(),
        *rng.random(2).tolist(),
        *rng.binomial(50, [0.3, 0.001]).tolist(),
        *rng.integers(0, 2, 5, bool).tolist(),
    ]


@given(KEYS, st.integers(0, 2**32), st.lists(st.integers(0, 2**63), min_size=1, max_size=5))
@settings(derandomize=True, deadline=None, max_examples=50)
def test_a_moved_generator_draws_what_a_new_one_draws(key: tuple[int, int], lane: int, repetitions: list[int]) -> None:
    moved = Lane(key, lane)
    for repetition in repetitions:
        assert draws(moved.at(repetition)) == draws(generator(key, repetition, lane))


def test_lanes_do_not_share_a_generator() -> None:
    one, other = Lane((1, 2), 0), Lane((1, 2), 1)
    a, b = one.at(3), other.at(3)
    expected = generator((1, 2), 3, 0).random(4).tolist()
    assert [a.random(), (b.random(), a.random())[1], a.random(), a.random()] == expected
