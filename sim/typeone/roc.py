"""ROC measures of scores with known labels, exact in the presence of ties."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeone import arrays
from typeone.levels import LevelLike, number
from typeone_kernels.buckets import rank_buffers
from typeone_kernels.roc import best_true_positives, split_classes, twice_u

_LABELS = "labels are 0 or 1"


def auroc(scores: Any, labels: Any) -> float:
    """Area under the ROC curve, ties counted one half: 2U / (2 n m) with an exact integer U.

    scores : (N,) finite numbers, larger = more positive.  labels : (N,) true / false or 1 / 0, both present.
    Raises ValueError for unequal lengths, values that are not finite, other labels, or one class only.
    O(N) time for scores with a bounded density or few values, O(N log N) for any; O(N) memory.

    >>> auroc([9, 9, 5, 5], [1, 0, 1, 0])
    0.5
    """
    positives, negatives = _classes(scores, labels)
    wins = twice_u(positives, negatives, rank_buffers(negatives.size))
    return float(wins / (2 * positives.size * negatives.size))


def tpr_at_fpr(scores: Any, labels: Any, fpr: LevelLike) -> float:
    """The best true-positive rate among thresholds whose false-positive rate is at most ``fpr`` (0 <= fpr <= 1).

    Arguments and errors as for ``auroc``.  The count of false positives allowed is floor(fpr m), exact.

    >>> tpr_at_fpr([4, 3, 2, 1], [1, 0, 1, 0], "0.25")
    0.5
    """
    target = number("fpr", fpr)
    if not 0 <= target <= 1:
        raise ValueError(f"fpr={target.text}: a rate lies between 0 and 1")
    positives, negatives = _classes(scores, labels)
    most = math.floor(target * negatives.size)
    return float(best_true_positives(np.sort(positives), np.sort(negatives), most) / positives.size)


def _classes(scores: Any, labels: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values = arrays.scores("scores", scores)
    marks = arrays.plain("labels", labels, _LABELS, truths=True)
    if values.ndim != 1 or marks.shape != values.shape:
        raise ValueError(f"scores, labels: equally long sequences are needed, not {values.shape} and {marks.shape}")
    positive = marks if marks.dtype == bool else _truths(marks)
    buffers = np.empty(values.size), np.empty(values.size)
    n = split_classes(values, positive, *buffers)
    if not np.isfinite(values).all():
        position = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"scores[{position}]={values[position]}: scores are finite numbers")
    if n in (0, values.size):
        raise ValueError("labels: both classes are needed")
    return buffers[0][:n], buffers[1][: values.size - n]


def _truths(marks: NDArray[Any]) -> NDArray[np.bool_]:
    if marks.dtype.kind not in "iufO":
        raise ValueError(f"labels: {_LABELS}, not {arrays.kind(marks)}")
    if marks.dtype.kind == "O":
        wrong = np.array([not _is_label(mark) for mark in marks], bool)
    else:
        wrong = ~np.isin(marks, [0, 1])
    if wrong.any():
        raise ValueError(f"labels[{int(wrong.argmax())}]={marks[wrong.argmax()]}: {_LABELS}")
    return marks.astype(bool)


def _is_label(mark: Any) -> bool:
    return (isinstance(mark, bool | np.bool_) or arrays.is_real(mark)) and mark in (0, 1)
