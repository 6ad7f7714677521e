"""ROC counts against all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone import roc
from typeone_kernels.buckets import rank_buffers
from typeone_kernels.roc import best_true_positives, split_classes, twice_u

SMALL = st.lists(st.integers(-3, 3), min_size=1, max_size=12)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(SMALL, SMALL)
def test_twice_u_counts_pairs(positives, negatives):
    expected = sum(2 * (p > n) + (p == n) for p in positives for n in negatives)
    assert twice_u(np.array(positives, float), np.array(negatives, float), rank_buffers(len(negatives))) == expected


@pytest.mark.parametrize("values", [2, 3, 30, 1000, 0])
@pytest.mark.parametrize("skewed", [False, True])
def test_twice_u_equals_a_merge_of_sorted_scores(values, skewed):
    """1 to 3000 scores of a class: few values, many, all different; buckets of one value, of several, and long ones."""
    rng = np.random.default_rng([values, skewed])
    for n, m in ((1, 1), (1, 2000), (40, 40), (2000, 1), (3000, 2000)):
        drawn = rng.standard_normal(n + m)
        scores = np.exp(8 * drawn) if skewed else drawn
        if values:
            scores = np.floor(np.argsort(np.argsort(scores)) * values / (n + m)) ** (3 if skewed else 1)
        positives, negatives = scores[:n], scores[n:]
        ordered = np.sort(negatives)
        below, through = (np.searchsorted(ordered, positives, side=side).sum() for side in ("left", "right"))
        assert twice_u(positives, negatives, rank_buffers(m)) == below + through


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), max_size=12))
def test_classes_are_split_in_order(rows):
    scores, labels = np.array([float(s) for s, _ in rows]), np.array([label for _, label in rows], bool)
    positives, negatives = np.empty(len(rows)), np.empty(len(rows))
    n = split_classes(scores, labels, positives, negatives)
    assert positives[:n].tolist() == [s for s, label in rows if label]
    assert negatives[: len(rows) - n].tolist() == [s for s, label in rows if not label]


@settings(derandomize=True, deadline=None, max_examples=300)
@given(SMALL, SMALL, st.integers(0, 13))
def test_best_true_positives_tries_every_threshold(positives, negatives, most):
    thresholds = [-99, *positives, *negatives, 99]
    best = max(sum(p > c for p in positives) for c in thresholds if sum(n > c for n in negatives) <= most)
    assert best_true_positives(np.sort(np.array(positives)), np.sort(np.array(negatives)), most) == best


def test_labels_in_every_spelling_give_the_same():
    labels = [True, False, True, True]
    for spelled in (labels, [1, 0, 1, 1], np.array(labels), np.array([1.0, 0.0, 1.0, 1.0])):
        assert roc.auroc([3, 2, 1, 2], spelled) == 0.5


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
