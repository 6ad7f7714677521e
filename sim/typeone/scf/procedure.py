"""SCF on a user's own scores: which sources took part in the update?

Validated input in, a ``Result`` out.  A control is a known nonparticipant; a target is any other source.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from typeone import seeds, tables
from typeone.levels import Level, LevelLike, level, levels
from typeone.scf.bags import Bags, as_ranks, ordered_keys
from typeone.scf.documents import ROLES, Documents, read_documents
from typeone.scf.reference import ReferenceMap
from typeone.scf.result import Result, SplitSpread
from typeone.scf.split import DEFAULT_SPLIT, UNUSED, Split, partitions, sizes
from typeone.scf.statistics import Statistic, statistic
from typeone.scf.tail import Smoothing, cap_level, smoothing_rule
from typeone_kernels.scf import CALIBRATION, REFERENCE, TARGET, UNIT_BITS
from typeone_kernels.streams import STATE_WORDS, next_below, open_stream

_TIE_LANE = 1  # of the split's seed; its lane 0 draws the split


@dataclass(frozen=True, slots=True)
class Options:
    """What is tested, and how.

    method : ``"scf"``, a comparator (``"fisher"``, ``"mean"``, ``"max"``, ``"min"``, ``"ramia"``),
        ``"module:function"`` or a function of your own (see ``typeone.scf.statistic``).
    cap : the evidence cap alpha of SCF, 0 <= alpha < 1 (0: uncapped).
    levels : the nominal levels t at which to reject, each strictly between 0 and 1.
    smoothing : ``"document"``, ``"source"`` or a number (see ``typeone.scf.fit``).
    rho : the share of a bag that RaMIA trims.
    fdr : a level for the false discovery rate over all targets (Benjamini-Hochberg), or None.
    ties : ``"conservative"`` counts a tie against the discovery; ``"random"`` breaks it at random, from a
        stream keyed by the split's seed and the source's name.

    >>> options = Options(method="ramia", rho="0.25", levels=["0.05", "0.10"])
    >>> options.ties
    'conservative'
    """

    method: str | Callable[..., Any] = "scf"
    cap: LevelLike = "0.05"
    levels: Sequence[LevelLike] = ("0.05",)
    smoothing: str | LevelLike = "document"
    rho: LevelLike = "0.5"
    fdr: LevelLike | None = None
    ties: Literal["conservative", "random"] = "conservative"


@dataclass(frozen=True, slots=True)
class _Terms:
    """The options, checked and exact."""

    statistic: Statistic
    cap: Level
    levels: tuple[Level, ...]
    smoothing: Smoothing
    fdr: Level | None
    ties: str


def apply(  # an argument for each column, the terms, the split, and what is done meanwhile; each is used alone
    data: Any,
    *,
    source: str = "source",
    score: str = "score",
    role: str | None = None,
    control: str | None = None,
    options: Options = Options(),
    split: Split = DEFAULT_SPLIT,
    missing: tables.Missing = "error",
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Test every target source for participation.

    Parameters
    ----------
    data : an Arrow table, a pandas or polars frame, a mapping of equally long columns, or a path to a Parquet,
        Feather or CSV file; one row per document.
    source, score : names of the columns with the source's identifier (integers or strings) and the document's
        score (finite; larger = more evidence of participation).
    role : name of a column that says ``reference``, ``calibration`` or ``target`` for every document; or
    control : name of a column that is true for the documents of known nonparticipants, which ``split`` divides.
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
    terms = _check(options)
    seeds.checked(split.seed)
    documents = read_documents(tables.as_table(data), source, score, role, control, missing)
    drawn: Iterable[NDArray[np.int8]] = [documents.role]
    if role is None or split.repeats != 1:
        numbers = sizes(documents.role, split, from_roles=role is not None)
        drawn = partitions(documents.bags, documents.role, numbers, split)
    return _test(documents, _told(drawn, split.repeats, progress), terms, split, from_roles=role is not None)


def _told(
    drawn: Iterable[NDArray[np.int8]], repeats: int, progress: Callable[[int, int], None] | None
) -> Iterator[NDArray[np.int8]]:
    """The same partitions; ``progress`` is told how many of them have been tested."""
    for done, role in enumerate(drawn):
        if progress:
            progress(done, repeats)
        yield role


def _check(options: Options) -> _Terms:
    if options.ties not in ("conservative", "random"):
        raise ValueError(f"ties={options.ties!r}: is 'conservative' or 'random'")
    return _Terms(
        statistic(options.method, rho=options.rho),
        cap_level(options.cap),
        levels("levels", [options.levels] if isinstance(options.levels, str) else list(options.levels)),
        smoothing_rule(options.smoothing),
        None if options.fdr is None else level("fdr", options.fdr),
        options.ties,
    )


def _test(
    documents: Documents, partitions: Iterable[NDArray[np.int8]], terms: _Terms, split: Split, *, from_roles: bool
) -> Result:
    bags, repeats = documents.bags, split.repeats
    target = np.flatnonzero(documents.role == TARGET)
    if target.size == 0:
        raise ValueError("role, control: no target source is left to test")
    raw = None if terms.statistic.referenced else terms.statistic.of_bags(bags)
    ranks = np.empty((repeats, target.size), np.int64)
    evidence = np.zeros(target.size)
    for i, role in enumerate(partitions):
        values, keys, capped = _statistics(bags, role, terms, raw)
        evidence += values[target]
        calibration = np.isin(role, [CALIBRATION] if raw is None else [CALIBRATION, REFERENCE])
        ranks[i] = _ranks(keys[target], keys[calibration], bags, target, terms.ties, split.seed)
    m = int(calibration.sum())
    p = _combined(ranks, m)
    return Result(
        sources=bags.names.take(target),
        documents=bags.sizes[target],
        evidence=evidence / repeats,
        capped=None if capped is None or repeats > 1 else capped[target],
        p_exact=p,
        discovery=_discoveries(ranks, m, terms.fdr),
        method=terms.statistic.name,
        cap=terms.cap if terms.statistic.name == "scf" else None,
        levels=terms.levels,
        fdr=terms.fdr,
        reference_sources=int((role == REFERENCE).sum()) if raw is None else 0,
        calibration_sources=m,
        resplit=from_roles and repeats > 1,
        unused_controls=int((role == UNUSED).sum()),
        dropped=documents.dropped,
        spread=None if repeats == 1 else SplitSpread.of(ranks, m),
    )


def _statistics(
    bags: Bags, role: NDArray[np.int8], terms: _Terms, raw: tuple[NDArray[np.float64], NDArray[np.int64]] | None
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


def _ranks(
    target_keys: NDArray[np.int64],
    calibration_keys: NDArray[np.int64],
    bags: Bags,
    target: NDArray[np.int64],
    ties: str,
    seed: int,
) -> NDArray[np.int64]:
    """1 + #{calibration >= target}; with ties = "random", uniform inside the block of ties."""
    if calibration_keys.size == 0:
        raise ValueError("role: no control source is given to calibrate on")
    ordered = np.sort(calibration_keys)
    rank: NDArray[np.int64] = 1 + ordered.size - np.searchsorted(ordered, target_keys, side="left")
    if ties == "random":
        above = 1 + ordered.size - np.searchsorted(ordered, target_keys, side="right")
        state = np.zeros(STATE_WORDS, np.uint64)
        key = np.array([seed, 0], np.uint64)
        for i in np.flatnonzero(rank > above):
            digest = hashlib.sha256(repr(bags.names[int(target[i])].as_py()).encode()).digest()
            open_stream(state, key, int.from_bytes(digest[:8], "little") >> 1, _TIE_LANE)
            rank[i] = above[i] + next_below(state, int(rank[i] - above[i]) + 1)
    return rank


def _combined(ranks: NDArray[np.int64], m: int) -> list[Fraction]:
    """p = r / (m + 1) for one split; min(1, twice the mean) for several (valid for any dependence)."""
    repeats = ranks.shape[0]
    total = ranks.sum(axis=0)
    if repeats == 1:
        return [Fraction(int(r), m + 1) for r in total]
    return [min(Fraction(1), Fraction(2 * int(r), repeats * (m + 1))) for r in total]


def _discoveries(ranks: NDArray[np.int64], m: int, fdr: Level | None) -> NDArray[np.bool_] | None:
    """Benjamini-Hochberg on one split's p-values, in integers: r n b <= a k (m + 1)."""
    if fdr is None:
        return None
    if ranks.shape[0] > 1:
        raise ValueError("fdr: is valid for one split only; leave out splits, or fdr")
    r = ranks[0]
    a, b, n = fdr.numerator, fdr.denominator, r.size
    ordered = np.sort(r).tolist()
    cut = max((x for k, x in enumerate(ordered, start=1) if x * n * b <= a * k * (m + 1)), default=0)
    return np.asarray(r <= cut)
