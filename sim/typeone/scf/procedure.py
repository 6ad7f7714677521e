"""SCF on a user's own scores: which sources took part in the update?

Validated input in, a ``Result`` out.  A control is a known nonparticipant; a target is any other source.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone import seeds, tables
from typeone.levels import Level
from typeone.scf.bags import Bags, as_ranks, ordered_keys
from typeone.scf.documents import ROLES, Documents, read_documents
from typeone.scf.options import DEFAULTS, Options, Terms
from typeone.scf.reference import ReferenceMap
from typeone.scf.result import Result, SplitSpread
from typeone.scf.split import DEFAULT_SPLIT, Split, counted, partitions, sizes
from typeone_kernels.buckets import rank_buffers, sort_scores
from typeone_kernels.exact import level_pair
from typeone_kernels.ranks import random_ranks
from typeone_kernels.scf import CALIBRATION, CONTROL, REFERENCE, TARGET, UNIT_BITS, UNUSED
from typeone_kernels.selection import bh_cutoff, cumulative_counts

_TIE_LANE = 1  # of the split's seed; its lane 0 draws the split


def apply(  # an argument for each column, the terms, the split, and what is done meanwhile; each is used alone
    data: Any,
    *,
    source: str = "source",
    score: str = "score",
    role: str | None = None,
    control: str | None = None,
    options: Options = DEFAULTS,
    split: Split = DEFAULT_SPLIT,
    missing: tables.Missing = "error",
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Test every target source for participation.

    Parameters
    ----------
    data : an Arrow table, a pandas or polars frame, a mapping of equally long columns, or a path to a Parquet,
        Feather, CSV or JSON file; one row per document.
    source, score : names of the columns with the source's identifier (integers or strings) and the document's
        score (finite; larger = more evidence of participation).
    role : name of a column that says ``reference``, ``calibration`` or ``target`` for every document; or
    control : name of a column that is true for the documents of known nonparticipants, which ``split`` divides.
    options : what is tested, and how.
    split : how controls are divided at random; with a ``role`` column its ``seed`` names random ties, and more than
        one of its ``splits`` divides the controls anew.
    missing : ``"error"``, or ``"drop"`` to leave out documents without a score (their number is reported).
    progress : told the number of splits done and of all, before each split.

    Returns a ``Result`` with one row per target source, in order of first appearance.

    Raises ValueError, naming column, row and rule, for missing or infinite scores, unknown roles, sources with
    two roles, too few controls, and levels outside (0, 1).

    Guarantee: if target and calibration sources, their bag sizes included, are exchangeable given the
    reference sources, then P(p <= t) <= floor(t (L + 1)) / (L + 1) <= t.  The probability is also over the draw
    of the calibration sources.

    Source: Liu, Zou, Zhu, Source-balanced Capped Fisher (2026).

    >>> documents = {"source": [1, 2, 3, 4, 5], "score": [0.1, 5.0, 0.2, 0.3, 9.0],
    ...              "role": ["reference", "reference", "calibration", "calibration", "target"]}
    >>> apply(documents, role="role", options=Options(levels=["0.4"])).p_value.tolist()
    [0.3333333333333333]
    """
    terms = Terms.of(options)
    seeds.checked(split.seed)
    if terms.fdr is not None and split.splits != 1:
        raise ValueError("fdr: is valid for one split only; leave out splits, or fdr")
    if role is not None and (split.reference, split.calibration) != (None, None):
        raise ValueError("reference, calibration: the role column already fixes these numbers")
    documents = read_documents(tables.as_table(data), source, score, role, control, missing)
    drawn: Iterable[NDArray[np.int8]] = [documents.role]
    numbers = counted(documents.role)
    if role is None or split.splits != 1:
        numbers = sizes(documents.role, split)
        drawn = partitions(documents.bags, documents.role, numbers, split)
    return _test(documents, _told(drawn, split.splits, progress), numbers, terms, split)


def _told(
    drawn: Iterable[NDArray[np.int8]], splits: int, progress: Callable[[int, int], None] | None
) -> Iterator[NDArray[np.int8]]:
    """The same partitions; ``progress`` is told how many of them have been tested."""
    for done, role in enumerate(drawn):
        if progress:
            progress(done, splits)
        yield role


def _test(
    documents: Documents,
    partitions: Iterable[NDArray[np.int8]],
    numbers: tuple[int, int],
    terms: Terms,
    split: Split,
) -> Result:
    """The answer over partitions that each have ``numbers`` = (K, L) reference and calibration sources."""
    bags, (K, L), single = documents.bags, numbers, split.splits == 1
    target = np.flatnonzero(documents.role == TARGET)
    if target.size == 0:
        raise ValueError("role, control: no target source is left to test")
    referenced = terms.statistic.referenced
    found = _over_splits(bags, target, partitions, terms, split)
    m = terms.statistic.calibration_sources(K, L)
    return Result(
        sources=bags.names.take(target),
        documents=bags.sizes[target],
        evidence=found.evidence,
        capped=found.capped if single else None,
        p_exact=_combined(found.ranks, m),
        discovery=_discoveries(found.ranks, m, terms.fdr),
        method=terms.statistic.name,
        cap=terms.cap if terms.statistic.name == "scf" else None,
        levels=terms.levels,
        fdr=terms.fdr,
        reference_sources=K if referenced else 0,
        calibration_sources=m,
        resplit=not single and not (documents.role == CONTROL).any(),
        unused_controls=int((documents.role != TARGET).sum()) - K - L,
        dropped=documents.dropped,
        spread=None if single else SplitSpread.of(found.ranks, m),
    )


class _Found(NamedTuple):
    """Of n targets: ranks (splits, n), mean evidence (n,), and the first split's capped documents (n,)."""

    ranks: NDArray[np.int64]
    evidence: NDArray[np.float64]
    capped: NDArray[np.int64] | None


def _over_splits(
    bags: Bags, target: NDArray[np.int64], partitions: Iterable[NDArray[np.int8]], terms: Terms, split: Split
) -> _Found:
    raw = None if terms.statistic.referenced else terms.statistic.of_bags(bags)
    calibrating = (CALIBRATION,) if raw is None else (CALIBRATION, REFERENCE)
    ties = _Ties.of(bags, target, split.seed) if terms.ties == "random" else None
    ranks = np.empty((split.splits, target.size), np.int64)
    evidence, capped = np.zeros(target.size), None
    for i, role in enumerate(partitions):
        values, keys, held = _statistics(bags, role, terms, raw)
        evidence += values[target]
        ranks[i] = _ranks(keys, target, np.isin(role, calibrating), ties)
        if i == 0 and held is not None:
            capped = held[target]
    return _Found(ranks, evidence / split.splits, capped)


def _statistics(
    bags: Bags, role: NDArray[np.int8], terms: Terms, raw: tuple[NDArray[np.float64], NDArray[np.int64]] | None
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64] | None]:
    """Every source's statistic, its integer key, and its number of capped documents (SCF only)."""
    if raw is not None:
        return *raw, None
    for name in ("reference", "calibration"):
        if not (role == ROLES[name]).any():
            raise ValueError(f"role: no {name} source is given")
    if terms.statistic.kernel is not None:
        used = np.where(role == UNUSED, TARGET, role).astype(np.int8)
        values = terms.statistic.of_reference(bags, used)
        return values, as_ranks(values), None
    cap = terms.cap if terms.statistic.name == "scf" else Level(0)
    reference = ReferenceMap.of_bags(bags, role == REFERENCE, terms.smoothing)
    sums = np.zeros(bags.sizes.size, np.int64)
    np.add.at(sums, bags.source, reference.units(bags.score, cap))
    capped = np.bincount(bags.source[reference.capped(bags.score, cap)], minlength=bags.sizes.size)
    return sums / bags.sizes / 2.0**UNIT_BITS, ordered_keys(sums, bags.sizes), capped.astype(np.int64)


class _Ties(NamedTuple):
    """Names of the streams that break ties: the split's key (2,), and 63 bits of each target's name (n,)."""

    key: NDArray[np.uint64]
    items: NDArray[np.uint64]

    @classmethod
    def of(cls, bags: Bags, target: NDArray[np.int64], seed: int) -> _Ties:
        """A stream depends on the seed and the source's name alone, never on the order of rows."""
        digests = [hashlib.sha256(repr(name).encode()).digest() for name in bags.names.take(target).to_pylist()]
        items = [int.from_bytes(digest[:8], "little") >> 1 for digest in digests]
        return cls(np.array([seed, 0], np.uint64), np.array(items, np.uint64))


def _ranks(
    keys: NDArray[np.int64], target: NDArray[np.int64], calibrating: NDArray[np.bool_], ties: _Ties | None
) -> NDArray[np.int64]:
    """1 + #{calibration >= target}; with random ties, uniform inside the block of ties.  ``keys`` (S,) of sources."""
    if not calibrating.any():
        raise ValueError("role: no control source is given to calibrate on")
    if ties is None:
        ordered = np.sort(keys[calibrating])
        return np.asarray(1 + ordered.size - np.searchsorted(ordered, keys[target], side="left"))
    places = np.unique(keys, return_inverse=True)[1].astype(np.float64)  # the kernel ranks doubles; keys have 62 bits
    guide = sort_scores(places[calibrating], rank_buffers(int(calibrating.sum())))
    ranks = np.empty(target.size, np.int64)
    random_ranks(guide, places[target], True, ties.key, ties.items, _TIE_LANE, ranks)
    return ranks


def _combined(ranks: NDArray[np.int64], m: int) -> list[Fraction]:
    """p = r / (m + 1) for one split; min(1, twice the mean) for several (valid for any dependence)."""
    splits = ranks.shape[0]
    total = ranks.sum(axis=0)
    if splits == 1:
        return [Fraction(int(r), m + 1) for r in total]
    return [min(Fraction(1), Fraction(2 * int(r), splits * (m + 1))) for r in total]


def _discoveries(ranks: NDArray[np.int64], m: int, fdr: Level | None) -> NDArray[np.bool_] | None:
    """Benjamini-Hochberg on one split's p-values r / (m + 1), in integers."""
    if fdr is None:
        return None
    r = ranks[0]
    grid, counts = np.arange(m + 2), np.empty(m + 2, np.int64)
    cumulative_counts(r, counts)
    cut = bh_cutoff(grid, np.ones_like(grid), counts, m + 1, level_pair(fdr), m + 1)
    return np.asarray(r <= cut)
