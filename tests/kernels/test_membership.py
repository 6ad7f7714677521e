"""Memberships: against a plain loop over items, on patterns, mixtures and the ends of the uniforms' range."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone_kernels.membership import PATTERNS, Contamination, memberships


def plain(law: Contamination, u: list[float], K: int) -> tuple[list[bool], bool]:
    """Models that were trained on one item, by its uniforms in order."""
    contaminated = u[0] >= law.clean
    pattern = PATTERNS[sum(u[1] >= s for s in law.pattern_sums.tolist())]
    drawn = math.floor(u[2] * K)
    inside = []
    for k in range(K):
        if pattern == "one":
            member = k == drawn
        elif pattern == "each":
            member = k == drawn or u[3 + k] < law.also
        elif pattern == "all":
            member = True
        else:
            member = k <= drawn
        inside.append(contaminated and member)
    return inside, contaminated


# Just below 1 is where u K could round up to K.
UNIFORM = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1 - 2.0**-53]) | st.floats(0, 1, exclude_max=True)


@given(
    K=st.integers(1, 6),
    n=st.integers(1, 5),
    sums=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=3).map(sorted),
    clean=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    also=st.sampled_from([0.0, 0.5, 1.0]),
    data=st.data(),
)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_equal_to_a_plain_loop(K, n, sums, clean, also, data):
    law = Contamination(clean, np.array(sums), also)
    uniforms = np.array(data.draw(st.lists(UNIFORM, min_size=2 * (K + 3) * n, max_size=2 * (K + 3) * n)))
    uniforms = uniforms.reshape(2, K + 3, n)
    members, contaminated = np.empty((2, K, n), bool), np.empty((2, n), bool)
    memberships(law, uniforms, members, contaminated)
    for r in range(2):
        for i in range(n):
            inside, bad = plain(law, uniforms[r, :, i].tolist(), K)
            assert members[r, :, i].tolist() == inside
            assert contaminated[r, i] == bad == any(inside)


@pytest.mark.parametrize("K", [127, 128, 300])
def test_many_models(K):
    rng = np.random.default_rng(1)
    law = Contamination(0.1, np.array([0.25, 0.5, 0.6]), 0.3)
    uniforms = rng.random((1, K + 3, 40))
    members, contaminated = np.empty((1, K, 40), bool), np.empty((1, 40), bool)
    memberships(law, uniforms, members, contaminated)
    for i in range(40):
        assert members[0, :, i].tolist() == plain(law, uniforms[0, :, i].tolist(), K)[0]
