"""SCF from the formulas of METHODS section 1: rationals, and 60 digits for the logarithm.

Scores are doubles and so rationals.  A bag is a list of them; documents and bags are not sorted anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mpmath import mp, mpf

Bag = Sequence[float]


def balanced_tail(score: float, reference: Sequence[Bag]) -> Fraction:
    """Step 1: A(s), every reference source counting equally."""
    shares = [Fraction(sum(1 for x in bag if x >= score), len(bag)) for bag in reference]
    return sum(shares, Fraction(0)) / len(reference)


def smoothed_tail(score: float, reference: Sequence[Bag], smoothing: str) -> Fraction:
    """Step 1: Q(s) under ``document``, ``source`` or a number epsilon."""
    tail = balanced_tail(score, reference)
    if smoothing == "document":
        documents = sum(len(bag) for bag in reference)
        return (1 + documents * tail) / (documents + 1)
    if smoothing == "source":
        return (1 + len(reference) * tail) / (len(reference) + 1)
    epsilon = Fraction(smoothing)
    return (epsilon + tail) / (1 + epsilon)


def evidence_units(tail: Fraction, cap: Fraction) -> int:
    """Step 2: -log max(Q, cap), to the nearest multiple of 2**-40 (policy on ties)."""
    larger = max(tail, cap)
    with mp.workdps(60):
        value = -mp.log(mpf(larger.numerator) / larger.denominator)
        return int(mp.nint(value * 2**40))


def mean_evidence(bag: Bag, reference: Sequence[Bag], smoothing: str, cap: Fraction) -> Fraction:
    """Step 2: evidence of a source in units of 2**-40, exactly."""
    units = [evidence_units(smoothed_tail(x, reference, smoothing), cap) for x in bag]
    return Fraction(sum(units), len(units))


def capped_documents(bag: Bag, reference: Sequence[Bag], smoothing: str, cap: Fraction) -> int:
    """Documents with Q < cap."""
    return sum(1 for x in bag if smoothed_tail(x, reference, smoothing) < cap)


def raw_statistic(method: str, bag: Bag, rho: Fraction) -> Fraction:
    """Comparators: Mean, Max, Min and RaMIA of the raw scores."""
    exact = sorted((Fraction(x) for x in bag), reverse=True)
    if method == "max":
        return exact[0]
    if method == "min":
        return exact[-1]
    kept = len(exact) if method == "mean" else max(1, int((1 - rho) * len(exact)))
    return sum(exact[:kept], Fraction(0)) / kept


def rank(value: Fraction, calibration: Sequence[Fraction]) -> int:
    """Step 3: the numerator of the p-value."""
    return 1 + sum(1 for other in calibration if other >= value)


def p_value(value: Fraction, calibration: Sequence[Fraction]) -> Fraction:
    """Step 3."""
    return Fraction(rank(value, calibration), len(calibration) + 1)


def attainable(level: Fraction, calibration: int) -> Fraction:
    """floor(t (L + 1)) / (L + 1)."""
    return Fraction(int(level * (calibration + 1)), calibration + 1)


def benjamini_hochberg(p_values: Sequence[Fraction], level: Fraction) -> list[bool]:
    """The k smallest for the largest k with p_(k) <= level k / n."""
    n = len(p_values)
    ordered = sorted(p_values)
    passed = [k for k in range(1, n + 1) if ordered[k - 1] <= level * k / n]
    return [bool(passed) and p <= ordered[passed[-1] - 1] for p in p_values]


def auroc(positives: Sequence[Fraction], negatives: Sequence[Fraction]) -> Fraction:
    """P(positive > negative), ties one half."""
    wins = sum(
        Fraction(1) if x > y else Fraction(1, 2) if x == y else Fraction(0) for x in positives for y in negatives
    )
    return Fraction(wins) / (len(positives) * len(negatives))


def tpr_at_fpr(positives: Sequence[Fraction], negatives: Sequence[Fraction], fpr: Fraction) -> Fraction:
    """The best true-positive rate among thresholds s (accept >= s) whose false-positive rate is at most ``fpr``."""
    best = Fraction(0)
    for threshold in {*positives, *negatives}:
        if Fraction(sum(1 for y in negatives if y >= threshold), len(negatives)) <= fpr:
            best = max(best, Fraction(sum(1 for x in positives if x >= threshold), len(positives)))
    return best
