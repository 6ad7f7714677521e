"""SCF on a user's own scores: which sources took part in the update?

Validated input in, a ``Result`` out.  A control is a known nonparticipant; a target is any other source.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from typeone import tables
from typeone.levels import Level, LevelLike, level, levels
from typeone.scf.bags import Bags, as_ranks, ordered_keys
from typeone.scf.reference import ReferenceMap
from typeone.scf.result import Result, SplitSpread
from typeone.scf.statistics import Statistic, statistic
from typeone.scf.tail import Smoothing, cap_level, smoothing_rule
from typeone_kernels.scf import CALIBRATION, REFERENCE, TARGET, UNIT_BITS
from typeone_kernels.streams import STATE_WORDS, draw_subset, next_below, open_stream

ROLES = {"target": TARGET, "reference": REFERENCE, "calibration": CALIBRATION}
UNUSED = 3  # a control that a random split leaves out

_SPLIT_LANE, _TIE_LANE = 0, 1


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
    """

    method: str | Callable[..., Any] = "scf"
    cap: LevelLike = "0.05"
    levels: Sequence[LevelLike] = ("0.05",)
    smoothing: str | LevelLike = "document"
    rho: LevelLike = "0.5"
    fdr: LevelLike | None = None
    ties: Literal["conservative", "random"] = "conservative"


@dataclass(frozen=True, slots=True)
class Split:
    """How controls are divided at random, when the roles are not given.

    reference, calibration : numbers of sources K and L; None takes two fifths, and all that remain.
    seed : names the random split (and the random tie breaks).
    repeats : one split is one draw of luck; with R > 1 the p-value is twice the mean of R splits' p-values.
    """

    reference: int | None = None
    calibration: int | None = None
    seed: int = 0
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class _Checked:
    statistic: Statistic
    cap: Level
    levels: tuple[Level, ...]
    smoothing: Smoothing
    fdr: Level | None
    ties: str


def apply(
    data: Any,
    *,
    source: str = "source",
    score: str = "score",
    role: str | None = None,
    control: str | None = None,
    options: Options = Options(),
    split: Split = Split(),
    missing: tables.Missing = "error",
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
    checked = _check(options)
    if not 0 <= split.seed < 2**64:
        raise ValueError(f"seed={split.seed}: lies between 0 and 2**64 - 1")
    table = tables.as_table(data)
    if (role is None) == (control is None):
        raise ValueError("role, control: name exactly one of the two columns")
    scores = tables.scores(table, score, missing=missing)
    dropped = int(np.isnan(scores).sum())
    codes, names = tables.labels(table, source)
    if role is not None:
        by_source = _roles(table, role, codes, names, source)
    else:
        assert control is not None
        by_source = _controls(table, control, codes, names, source)
    kept = ~np.isnan(scores)
    _every_source_kept(codes, names, kept, source)
    bags = Bags.of(scores[kept], codes[kept], names)
    if role is not None and split.repeats == 1:
        partitions = [by_source]
    else:
        partitions = _partitions(bags, by_source, _sizes(by_source, split, from_roles=role is not None), split)
    return _test(bags, partitions, checked, split, dropped, from_roles=role is not None)


def _check(options: Options) -> _Checked:
    if options.ties not in ("conservative", "random"):
        raise ValueError(f"ties={options.ties!r}: is 'conservative' or 'random'")
    return _Checked(
        statistic(options.method, rho=options.rho),
        cap_level(options.cap),
        levels("levels", [options.levels] if isinstance(options.levels, str) else list(options.levels)),
        smoothing_rule(options.smoothing),
        None if options.fdr is None else level("fdr", options.fdr),
        options.ties,
    )


def _roles(table: Any, name: str, codes: NDArray[np.int64], names: Any, source: str) -> NDArray[np.int8]:
    role_codes, words = tables.labels(table, name)
    known = [str(word.as_py()).strip().lower() for word in words]
    for position, word in enumerate(known):
        if word not in ROLES:
            row = int(np.argmax(role_codes == position)) + 1
            typed = words[position].as_py()
            raise ValueError(f"column {name!r}, row {row}: {typed!r} is not reference, calibration or target")
    by_document = np.array([ROLES[word] for word in known], dtype=np.int8)[role_codes]
    return _constant(by_document, codes, names, f"column {name!r}", source)


def _controls(table: Any, name: str, codes: NDArray[np.int64], names: Any, source: str) -> NDArray[np.int8]:
    by_document = tables.booleans(table, name).astype(np.int8)  # 1 = control, split later
    return _constant(by_document, codes, names, f"column {name!r}", source)


def _constant(
    by_document: NDArray[np.int8], codes: NDArray[np.int64], names: Any, what: str, source: str
) -> NDArray[np.int8]:
    """One value for each source, or a ValueError that names a source with two."""
    by_source = np.empty(len(names), np.int8)
    by_source[codes[::-1]] = by_document[::-1]  # a source's first row counts
    wrong = by_source[codes] != by_document
    if wrong.any():
        row = int(np.argmax(wrong)) + 1
        name = names[int(codes[row - 1])].as_py()
        raise ValueError(f"{what}, row {row}: {source} {name!r} had another value before; a source has one")
    return by_source


def _every_source_kept(codes: NDArray[np.int64], names: Any, kept: NDArray[np.bool_], source: str) -> None:
    left = np.bincount(codes[kept], minlength=len(names))
    if (left == 0).any():
        name = names[int(np.argmin(left))].as_py()
        raise ValueError(f"{source} {name!r}: every score is missing; drop the source or supply one score")


def _sizes(by_source: NDArray[np.int8], split: Split, *, from_roles: bool) -> tuple[int, int]:
    """(K, L) of a random split, or a ValueError that says which number does not fit."""
    controls = int((by_source != TARGET).sum())
    K, L = split.reference, split.calibration
    if from_roles:
        if K is not None or L is not None:
            raise ValueError("reference, calibration: the role column already fixes these numbers")
        K = int((by_source == REFERENCE).sum())
        L = int((by_source == CALIBRATION).sum())
    if K is None:
        K = controls * 2 // 5 if L is None else controls - L
    if L is None:
        L = controls - K
    for name, count in (("reference", K), ("calibration", L)):
        if isinstance(count, bool) or int(count) != count or count < 1:
            raise ValueError(f"{name}={count}: at least one {name} source is needed ({controls} controls given)")
    if controls < K + L:
        raise ValueError(f"reference={K}, calibration={L}: only {controls} control sources are given")
    return int(K), int(L)


def _partitions(
    bags: Bags, by_source: NDArray[np.int8], sizes: tuple[int, int], split: Split
) -> list[NDArray[np.int8]]:
    """Random roles; drawn over the sources in the order of their names, so row order does not matter."""
    if split.repeats < 1:
        raise ValueError(f"splits={split.repeats}: at least one split is needed")
    K, L = sizes
    order = bags.canonical_order()
    controls = order[by_source[order] != TARGET]
    state = np.zeros(STATE_WORDS, np.uint64)
    key = np.array([split.seed, 0], np.uint64)
    partitions = []
    for repeat in range(split.repeats):
        open_stream(state, key, repeat, _SPLIT_LANE)
        pool = controls.copy()
        draw_subset(state, pool, K + L)
        role = np.where(by_source != TARGET, UNUSED, TARGET).astype(np.int8)
        role[pool[:K]] = REFERENCE
        role[pool[K : K + L]] = CALIBRATION
        partitions.append(role)
    return partitions


def _test(
    bags: Bags,
    partitions: list[NDArray[np.int8]],
    checked: _Checked,
    split: Split,
    dropped: int,
    *,
    from_roles: bool,
) -> Result:
    target = np.flatnonzero(partitions[0] == TARGET)
    if target.size == 0:
        raise ValueError("role, control: no target source is left to test")
    raw = None if checked.statistic.referenced else checked.statistic.of_bags(bags)
    ranks = np.empty((len(partitions), target.size), np.int64)
    evidence = np.zeros(target.size)
    for i, role in enumerate(partitions):
        values, keys, capped = _statistics(bags, role, checked, raw)
        evidence += values[target]
        calibration = np.isin(role, [CALIBRATION] if raw is None else [CALIBRATION, REFERENCE])
        ranks[i] = _ranks(keys[target], keys[calibration], bags, target, checked.ties, split.seed)
    m = int(calibration.sum())
    p = _combined(ranks, m)
    return Result(
        sources=bags.names.take(target),
        documents=bags.sizes[target],
        evidence=evidence / len(partitions),
        capped=None if capped is None or len(partitions) > 1 else capped[target],
        p_exact=p,
        discovery=_discoveries(ranks, m, checked.fdr),
        method=checked.statistic.name,
        cap=checked.cap if checked.statistic.name == "scf" else None,
        levels=checked.levels,
        fdr=checked.fdr,
        reference_sources=int((role == REFERENCE).sum()) if raw is None else 0,
        calibration_sources=m,
        resplit=from_roles and len(partitions) > 1,
        unused_controls=int((role == UNUSED).sum()),
        dropped=dropped,
        spread=None if len(partitions) == 1 else SplitSpread.of(ranks, m),
    )


def _statistics(
    bags: Bags, role: NDArray[np.int8], checked: _Checked, raw: tuple[NDArray[np.float64], NDArray[np.int64]] | None
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64] | None]:
    """Every source's statistic, its integer key, and its number of capped documents (SCF only)."""
    if raw is not None:
        return *raw, None
    for name in ("reference", "calibration"):
        if not (role == ROLES[name]).any():
            raise ValueError(f"role: no {name} source is given")
    if checked.statistic.kernel is not None:
        used = np.where(role == UNUSED, TARGET, role).astype(np.int8)
        values = checked.statistic.of_reference(bags, used)
        return values, as_ranks(values), None
    cap = checked.cap if checked.statistic.name == "scf" else Level(0)
    reference = ReferenceMap.of_bags(bags, role == REFERENCE, checked.smoothing)
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
