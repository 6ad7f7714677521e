"""Promises of panel curves: errors, sizes, attacks and the bridge between the laws, against sums of fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil, comb

from typeone import panels
from typeone.panels.bridge import total_variation_bound
from typeone.panels.thresholds import lower_tail
from typeone.verify import mutants
from typeone.verify.model import ExactRate, Mutant, Promise

NEVER = Fraction(0)
DIGITS = Fraction(1, 10**13)

# Error curves from the definition


def census_error(M: int, C: int, K: int, theta: Fraction, flips: int = 0) -> Fraction:
    """P(a panel of K from M votes, C positive, misses the honest decision); ``flips`` of its votes are turned."""
    q = ceil(theta * K)
    accepting = ceil(theta * M) <= C
    ways = 0
    for x in range(max(0, K - M + C), min(K, C) + 1):
        wrong = x - flips < q if accepting else x + flips >= q
        ways += comb(C, x) * comb(M - C, K - x) if wrong else 0
    return Fraction(ways, comb(M, K))


def attacked_census_error(M: int, C: int, K: int, theta: Fraction, b: int) -> Fraction:
    """The worst over all ways to turn up to b votes of the census, against the honest decision."""
    q = ceil(theta * K)
    accepting = ceil(theta * M) <= C
    worst = Fraction(0)
    for turned in range(max(0, C - b), min(M, C + b) + 1):
        ways = sum(comb(turned, x) * comb(M - turned, K - x) for x in range(K + 1) if (x < q) == accepting)
        worst = max(worst, Fraction(ways, comb(M, K)))
    return worst


def _wrong(found: Sequence[float], right: Sequence[Fraction]) -> Fraction:
    """Share of doubles off by more than 1e-13 of themselves."""
    off = sum(abs(Fraction(a) - b) > DIGITS * b for a, b in zip(found, right, strict=True))
    return Fraction(off, len(right))


THETAS = ("1/2", "2/3", "1/5")


def _errors() -> Iterator[ExactRate]:
    for text in THETAS:
        theta = Fraction(text)
        for M in (1, 2, 7, 12):
            counts, sizes = range(M + 1), range(1, M + 1)
            for b in (0, 1, 3):
                b = min(b, M)
                found = panels.census_errors(M, theta=text, panel_flips=b).ravel().tolist()
                right = [census_error(M, C, K, theta, min(b, K)) for C in counts for K in sizes]
                yield ExactRate(f"theta={text} M={M} panel flips={b}", _wrong(found, right), NEVER)
                found = panels.census_errors(M, theta=text, census_flips=b).ravel().tolist()
                right = [attacked_census_error(M, C, K, theta, b) for C in counts for K in sizes]
                yield ExactRate(f"theta={text} M={M} census flips={b}", _wrong(found, right), NEVER)
        for p in ("1/10", "1/3", "1/2", "7/10", "1"):
            found = panels.superpopulation_errors(p, 25, theta=text).tolist()
            right = [superpopulation_error(Fraction(p), K, theta) for K in range(1, 26)]
            yield ExactRate(f"theta={text} p={p}", _wrong(found, right), NEVER)
        captured = panels.superpopulation_capture("1/4", 25, force="accept", theta=text).tolist()
        right = [1 - lower_tail(ceil(theta * K) - 1, K, Fraction(1, 4)) for K in range(1, 26)]
        yield ExactRate(f"theta={text} capture", _wrong(captured, right), NEVER)
    far = [census_error(200, 150, K, Fraction(1, 2)) for K in range(1, 201)]
    yield ExactRate("M=200 C=150", _wrong(panels.census_errors(200, 150).tolist(), far), NEVER)


def superpopulation_error(p: Fraction, K: int, theta: Fraction) -> Fraction:
    """P(a panel of K independent votes misses the decision at acceptance probability p)."""
    below = lower_tail(ceil(theta * K) - 1, K, p)
    return below if p >= theta else 1 - below


def sizes_from(errors: Sequence[Fraction], delta: Fraction) -> tuple[int, int]:
    """Minimum and stable size from the definitions; 0: none."""
    kept = [K for K, e in enumerate(errors, 1) if e <= delta]
    broken = [K for K, e in enumerate(errors, 1) if e > delta]
    stable = (max(broken) if broken else 0) + 1
    return (kept[0] if kept else 0), (stable if stable <= len(errors) else 0)


def _sizes() -> Iterator[ExactRate]:
    """Tolerances among them that equal an error exactly."""
    for text in THETAS:
        for M in (1, 5, 12, 20):
            wrong = tried = 0
            for C in range(M + 1):
                errors = [census_error(M, C, K, Fraction(text)) for K in range(1, M + 1)]
                equal = {e for e in errors if 0 < e < 1}
                for delta in sorted({Fraction(1, 100), Fraction(1, 4), *equal}):
                    found = panels.census_sizes(M, C, delta=delta, theta=text)
                    wrong += (int(found.minimum), int(found.stable)) != sizes_from(errors, delta)
                    tried += 1
            yield ExactRate(f"theta={text} M={M}", Fraction(wrong, tried), NEVER)


def variation(M: int, C: int, K: int) -> Fraction:
    """Total variation distance between the hypergeometric and the binomial law of a panel's positive votes."""
    p = Fraction(C, M)
    total = Fraction(0)
    for x in range(K + 1):
        drawn = Fraction(comb(C, x) * comb(M - C, K - x), comb(M, K))
        total += abs(drawn - comb(K, x) * p**x * (1 - p) ** (K - x))
    return total / 2


def bridge_errors(bound: Callable[[int, int, int], Fraction]) -> Iterator[ExactRate]:
    """Share of panels whose distance exceeds the bound."""
    for M in (5, 12, 24):
        panels_of = [(C, K) for C in range(M + 1) for K in range(1, M + 1)]
        over = sum(variation(M, C, K) > bound(M, C, K) for C, K in panels_of)
        yield ExactRate(f"M={M}", Fraction(over, len(panels_of)), NEVER)


def _bridge() -> Iterator[ExactRate]:
    yield from bridge_errors(lambda M, C, K: Fraction(total_variation_bound(M, C, K)))


PROMISES = (
    Promise(
        "panel-errors",
        "Error curves, honest or under attack, are right to 1e-13 of themselves.",
        "None.",
        "METHODS §3, panels.sizes",
        "Every count and size of small censuses, three thresholds, flips in the census and in the panel; M = 200.",
        exact=_errors,
    ),
    Promise(
        "panel-sizes",
        "Minimum and stable sizes are those of the definition.",
        "None.",
        "METHODS §3",
        "Every count of small censuses at every tolerance that equals an error exactly.",
        exact=_sizes,
    ),
    Promise(
        "panel-bridge",
        "Hypergeometric and binomial panel laws differ by at most (K-1)/(M-1) in total variation, where the variance "
        "is at least 1.",
        "None.",
        "METHODS §3, growing census",
        "Every count and size at M = 5, 12 and 24.",
        exact=_bridge,
    ),
)


def _mutant_forward(broken: bool) -> Iterator[ExactRate]:
    found = mutants.odd_errors(200, 150, forward=broken)
    right = {K: census_error(200, 150, K, Fraction(1, 2)) for K in found}
    wrong = sum(abs(Fraction(found[K]) - right[K]) > Fraction(1, 10**9) * right[K] for K in found)
    yield ExactRate("M=200 C=150, to 1e-9", Fraction(wrong, len(found)), NEVER)


def _mutant_bisection(broken: bool) -> Iterator[ExactRate]:
    curves = [[census_error(20, C, K, Fraction(1, 2)) for K in range(1, 21)] for C in range(21)]
    deltas = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 4))
    wrong = [
        mutants.least_size(errors, delta, every=not broken) != sizes_from(errors, delta)[0]
        for errors in curves
        for delta in deltas
    ]
    yield ExactRate("M=20", Fraction(sum(wrong), len(wrong)), NEVER)


def _mutant_bridge(broken: bool) -> Iterator[ExactRate]:
    yield from bridge_errors(
        lambda M, C, K: mutants.bridge(M, K, whole=not broken) if K * C * (M - C) >= M * M else Fraction(1)
    )


MUTANTS = (
    Mutant("forward-subtraction", "panel-errors", "e(K + 2) = e(K) - a from K = 1 on", _mutant_forward),
    Mutant("bisection", "panel-sizes", "the least size by bisection", _mutant_bisection),
    Mutant("half-bridge", "panel-bridge", "K(K-1)/(2M(M-1)) in place of (K-1)/(M-1)", _mutant_bridge),
)
