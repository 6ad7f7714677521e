"""ROC counts against all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone import roc
from typeone_kernels.roc import best_true_positives, twice_u

SMALL = st.lists(st.integers(-3, 3), min_size=1, max_size=12)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(SMALL, SMALL)
def test_twice_u_counts_pairs(positives, negatives):
    expected = sum(2 * (p > n) + (p == n) for p in positives for n in negatives)
    assert twice_u(np.sort(np.array(positives)), np.sort(np.array(negatives))) == expected
    assert twice_u(np.sort(np.array(positives, float)), np.sort(np.array(negatives, float))) == expected


@settings(derandomize=True, deadline=None, max_examples=300)
@given(SMALL, SMALL, st.integers(0, 13))
def test_best_true_positives_tries_every_threshold(positives, negatives, most):
    thresholds = [-99, *positives, *negatives, 99]
    best = max(sum(p > c for p in positives) for c in thresholds if sum(n > c for n in negatives) <= most)
    assert best_true_positives(np.sort(np.array(positives)), np.sort(np.array(negatives)), most) == best


def test_auroc_with_ties_counts_one_half():
    assert roc.auroc([9, 9, 5, 5], [1, 0, 1, 0]) == 0.5


def test_tpr_is_the_best_point_below_the_target_not_the_nearest():
    scores, labels = [5, 4, 4, 3, 2, 1], [1, 0, 1, 1, 0, 0]
    # Thresholds give FPR 0, 1/3, 2/3: at most .4 allows one false positive, though 2/3 is no nearer.
    assert roc.tpr_at_fpr(scores, labels, "0.4") == 1.0
    assert roc.tpr_at_fpr(scores, labels, "0.3") == pytest.approx(1 / 3, abs=0)
    assert roc.tpr_at_fpr(scores, labels, 1) == 1.0


@pytest.mark.parametrize(
    ("scores", "labels", "fpr", "message"),
    [
        ([1, float("nan")], [1, 0], ".1", r"scores\[1\]"),
        ([1, 2], [1, 1], ".1", "both classes"),
        ([1, 2], [1, 2], ".1", r"labels\[1\]"),
        ([1, 2], [1], ".1", "equally long"),
        ([], [], ".1", "both classes"),
        ([1, 2], [1, 0], "1.1", "fpr=1.1"),
    ],
)
def test_bad_input_is_named(scores, labels, fpr, message):
    with pytest.raises(ValueError, match=message):
        roc.tpr_at_fpr(scores, labels, fpr)
