"""Is "count >= tau" a posterior threshold?  With unequal reliabilities seldom: the search for what refutes it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MIN_EMIN, Context, Decimal
from fractions import Fraction
from itertools import combinations_with_replacement

from typeone.counts import one_count
from typeone.display import cell
from typeone.levels import LevelLike, level
from typeone.pooling.evidence import odds, probability
from typeone.pooling.reliability import several

MOST_PANELS = 20_000
_LEAST_DOUBLE = Fraction(sys.float_info.min)


@dataclass(frozen=True, slots=True)
class Item:
    """A pattern of votes, one for each source, and its exact posterior."""

    votes: tuple[int, ...]
    posterior: Fraction

    def __str__(self) -> str:
        return f"votes {self.votes} have posterior {_shown(self.posterior)}"


@dataclass(frozen=True, slots=True, repr=False)
class Reconciliation:
    """Whether a vote rule says the same as a posterior threshold on every item of one panel.

    tau : the one that does (n + 1: never accept), or None;
    accepted, refused : when there is none, two items of which the threshold accepts the first, with no more votes
        1 than the second, and refuses the second;
    gaps : (low, high] intervals of posterior thresholds, one for each count whose items differ in posterior, at
        which no tau works.

    >>> found = reconcile([".9", ".8"])
    >>> print(found.refused)
    votes (0, 1) have posterior 0.3077
    """

    reliabilities: tuple[Fraction, ...]
    threshold: Fraction
    tau: int | None
    accepted: Item | None
    refused: Item | None
    gaps: tuple[tuple[Fraction, Fraction], ...]

    def __str__(self) -> str:
        panel = ", ".join(_shown(r) for r in self.reliabilities)
        head = f"reliabilities {panel}, posterior >= {_shown(self.threshold)}"
        if self.tau is not None:
            text = f"{head}: count >= {self.tau} says the same on every item."
        else:
            text = f"{head}: no tau works, as {self.accepted} and {self.refused}."
        if self.gaps:
            intervals = ", ".join(f"({_shown(a)}, {_shown(b)}]" for a, b in self.gaps)
            text += f" No tau works at posterior thresholds in {intervals}."
        return text

    __repr__ = __str__


def reconcile(
    reliability: Sequence[LevelLike], threshold: LevelLike = "1/2", prior: LevelLike = "1/2"
) -> Reconciliation:
    """Look for a tau with: count >= tau exactly where posterior >= threshold, on all 2**n items of the panel.

    reliability : one value for each of the n sources, strictly between 0 and 1.  Exact rational arithmetic, O(n)
    products: among items of one count the posterior is least when the least reliable sources vote 1.

    Raises ValueError without any reliability, and for reliabilities, a threshold or a prior outside (0, 1).

    >>> reconcile([".79", ".80", ".81"]).tau
    2
    >>> print(reconcile([".9", ".8"]).tau)
    None
    """
    exact = several("reliability", reliability)
    return _reconcile(exact, level("threshold", threshold), level("prior", prior))


def counterexample(
    reliability: Sequence[LevelLike],
    threshold: LevelLike = "1/2",
    prior: LevelLike = "1/2",
    most: int = 12,
) -> Reconciliation | None:
    """The smallest panel for which no tau works, built from sources with the given reliabilities; None up to ``most``.

    Every multiset of the distinct reliabilities is tried, n = 1, 2, ... (within one n in ascending order), so the
    panel found is minimal in n.  Cost: comb(d + n - 1, n) panels of size n for d distinct values; raises ValueError
    where that exceeds MOST_PANELS in all.

    >>> counterexample([".9", ".8"]).refused.votes
    (1, 0)
    """
    exact = sorted(set(several("reliability", reliability)))
    cut, start = level("threshold", threshold), level("prior", prior)
    tried = 0
    for n in range(1, one_count("most", most, 1) + 1):
        for panel in combinations_with_replacement(exact, n):
            tried += 1
            if tried > MOST_PANELS:
                raise ValueError(f"most={most}: more than {MOST_PANELS} panels; none up to n = {n - 1} refutes")
            found = _reconcile(panel, cut, start)
            if found.tau is None:
                return found
    return None


def _shown(p: Fraction) -> str:
    """Four significant digits, also of a probability that is below every double."""
    if not 0 < p < _LEAST_DOUBLE:
        return cell(float(p))
    few = Context(prec=4, Emin=MIN_EMIN)
    return f"{few.divide(Decimal(p.numerator), Decimal(p.denominator)).normalize(few):e}"


def _reconcile(reliabilities: Sequence[Fraction], threshold: Fraction, prior: Fraction) -> Reconciliation:
    n = len(reliabilities)
    ascending = sorted(range(n), key=lambda i: (reliabilities[i], i))
    # Among items of one count: least posterior with the 1s from the least reliable, largest from the most reliable.
    low = _by_count(reliabilities, ascending, prior)
    high = _by_count(reliabilities, ascending[::-1], prior)
    accepts = [k for k in range(n + 1) if high[k].posterior >= threshold]
    refuses = [k for k in range(n + 1) if low[k].posterior < threshold]
    gaps = tuple((a.posterior, b.posterior) for a, b in zip(low, high, strict=True) if a.posterior < b.posterior)
    if not accepts or not refuses or accepts[0] > refuses[-1]:
        tau = accepts[0] if accepts else n + 1
        return Reconciliation(tuple(reliabilities), threshold, tau, None, None, gaps)
    both = sorted(set(accepts) & set(refuses))
    one, two = (both[0], both[0]) if both else (accepts[0], refuses[-1])
    return Reconciliation(tuple(reliabilities), threshold, None, high[one], low[two], gaps)


def _by_count(reliabilities: Sequence[Fraction], order: Sequence[int], prior: Fraction) -> list[Item]:
    """The items whose votes 1 come from the first k sources of ``order``, k = 0 .. n."""
    votes = [0] * len(order)
    total = odds(prior)
    for r in reliabilities:
        total /= odds(r)
    items = [Item(tuple(votes), probability(total))]
    for i in order:
        votes[i] = 1
        total *= odds(reliabilities[i]) ** 2
        items.append(Item(tuple(votes), probability(total)))
    return items
