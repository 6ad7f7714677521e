"""How often a panel of K evaluators misses the population's decision, and how large a panel must be.

An evaluator votes 0 or 1 on a unit; a group of K accepts when it holds at least q(K) = ⌈θK⌉ positive votes.

*Census*: M votes are on record, C of them positive, and the panel is drawn from them without replacement; X is
hypergeometric, and e(K) = P(X < q(K)) when C ≥ q(M), else P(X ≥ q(K)).  *Superpopulation*: votes are
independent, positive with probability p; X is binomial, the decision is to accept when p ≥ θ.

For a tolerance δ the **minimum** size is the least K with e(K) ≤ δ, and the **stable** size the least K from
which on every error is at most δ: up to M, up to a stated horizon, or on a declared grid.  e is not monotone
(parity, quota ties), so both look at every size.  Errors are right to 1e-13 relative down to 1e-300; a
comparison with δ that is closer than 1e-11 is settled in integers.

Source: Lago, Castellana, Nemše, *Aggregate Disambiguation Systems*, arXiv 2608.30805 (2026).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from typeone.counts import Counts, counts
from typeone.levels import Level, LevelLike, level, levels
from typeone.panels.arguments import Shares, count, share, shares, sizes_grid
from typeone.panels.curves import LARGEST, Question, Quotas, curve_blocks, error_curves, quota
from typeone_kernels.panels import size_positions, store_curves

_UNSETTLED = 1e-11  # relative distance to a tolerance below which doubles do not decide
_SMALLEST_TOLERANCE = Fraction(1, 10**290)


class PanelSizes(NamedTuple):
    """Panel sizes as int64 arrays of the shape of the units followed by that of the tolerances.

    0 stands for "none": no size up to the last one keeps the tolerance.

    >>> sizes = census_sizes(40, 25, delta=["0.01", "0.05"])
    >>> sizes.minimum, sizes.stable
    (array([24, 16]), array([26, 20]))
    """

    minimum: NDArray[np.int64]
    stable: NDArray[np.int64]


def census_errors(
    M: SupportsIndex,
    C: Counts | None = None,
    *,
    theta: LevelLike = "1/2",
    census_flips: SupportsIndex = 0,
    panel_flips: SupportsIndex = 0,
) -> NDArray[np.float64]:
    """e(K) for K = 1 … M, for one or many counts C of positive votes among M; shape ``C.shape + (M,)``.

    ``C=None`` means every count 0 … M.  The adversary turns up to ``census_flips`` votes of the census
    before the panel is drawn, or ``panel_flips`` votes of the panel (all of a smaller one), each time against
    the decision of the honest census; what is returned is the worst case.  Independence of the evaluators
    is not assumed: the census is fixed and the draw is the only chance.

    Definitions, accuracy and source: ``typeone.panels.sizes``.  Raises ValueError for numbers out of range.

    >>> census_errors(5, 4).round(4)
    array([0.2, 0. , 0. , 0. , 0. ])
    """
    M = count("M", M, 1, LARGEST)
    shape, questions = _census(M, C, level("theta", theta), census_flips, panel_flips)
    return error_curves(questions, M).reshape((*shape, M))


def census_sizes(
    M: SupportsIndex,
    C: Counts | None = None,
    *,
    delta: LevelLike | list[LevelLike] | tuple[LevelLike, ...],
    theta: LevelLike = "1/2",
    grid: Counts | None = None,
    census_flips: SupportsIndex = 0,
    panel_flips: SupportsIndex = 0,
    errors: NDArray[np.float64] | None = None,
) -> PanelSizes:
    """Minimum and stable panel sizes for a census of M votes with C positive, for one or several δ.

    Arguments as for ``census_errors``; shapes are ``C.shape`` for a single δ, else ``C.shape + (len(δ),)``.
    With ``grid`` (increasing sizes) only panels of these sizes count.  ``errors``, float64 of shape
    ``C.shape + (M,)``, is filled with what ``census_errors`` returns, at half the cost of asking twice.  Costs at most
    O(M) per count, less the further C/M lies from θ if no errors are asked for.

    Raises ValueError for numbers out of range and for a grid that does not increase.

    >>> census_sizes(40, [25, 35], delta="0.01").stable
    array([26,  4])
    """
    M = count("M", M, 1, LARGEST)
    shape, questions = _census(M, C, level("theta", theta), census_flips, panel_flips)
    return _sizes(shape, questions, _tolerances(delta), sizes_grid(grid, M), _curves(errors, (*shape, M)))


def superpopulation_errors(
    p: Shares,
    horizon: SupportsIndex,
    *,
    theta: LevelLike = "1/2",
    fixed_share: LevelLike = 0,
    targeted_share: LevelLike = 0,
    panel_flips: SupportsIndex = 0,
) -> NDArray[np.float64]:
    """e(K) for K = 1 … horizon at one or many acceptance probabilities p; shape ``p.shape + (horizon,)``.

    p is exact as written (0.1 means 1/10).  The adversary holds a ``fixed_share`` f of the population,
    whatever its votes would have been, so a favorable share g becomes (1 − f)g; or a ``targeted_share``,
    so it becomes g − f, clipped at 0; or turns ``panel_flips`` votes of the panel.  The decision is that
    of the honest p.

    Definitions, accuracy and source: ``typeone.panels.sizes``.  Raises ValueError for numbers out of range.

    >>> superpopulation_errors("0.8", 5).round(4)
    array([0.2   , 0.04  , 0.104 , 0.0272, 0.0579])
    """
    horizon = count("horizon", horizon, 1, LARGEST)
    shape, questions = _superpopulation(
        p, horizon, level("theta", theta), _attack(fixed_share, targeted_share), panel_flips
    )
    return error_curves(questions, horizon).reshape((*shape, horizon))


def superpopulation_sizes(
    p: Shares,
    horizon: SupportsIndex,
    *,
    delta: LevelLike | list[LevelLike] | tuple[LevelLike, ...],
    theta: LevelLike = "1/2",
    grid: Counts | None = None,
    fixed_share: LevelLike = 0,
    targeted_share: LevelLike = 0,
    panel_flips: SupportsIndex = 0,
) -> PanelSizes:
    """Minimum and stable panel sizes up to a stated horizon at acceptance probability p.

    Arguments as for ``superpopulation_errors``, results as for ``census_sizes``.  At p = θ panels need not
    stabilize: the answer is then 0, none.

    Raises ValueError for numbers out of range and for a grid that does not increase.

    >>> superpopulation_sizes(["0.8", "0.9"], 200, delta="0.01").minimum
    array([10,  2])
    """
    horizon = count("horizon", horizon, 1, LARGEST)
    shape, questions = _superpopulation(
        p, horizon, level("theta", theta), _attack(fixed_share, targeted_share), panel_flips
    )
    return _sizes(shape, questions, _tolerances(delta), sizes_grid(grid, horizon), None)


def _census(
    M: int, C: Counts | None, theta: Level, census_flips: SupportsIndex, panel_flips: SupportsIndex
) -> tuple[tuple[int, ...], list[Question]]:
    positive = counts("C", np.arange(M + 1) if C is None else C, 0, M, empty=False)
    flipped = count("census_flips", census_flips, 0, M)
    flips = count("panel_flips", panel_flips, 0, M)
    questions = []
    accepted = positive.ravel() >= quota(theta, M)
    for accepting in (True, False):
        units = np.flatnonzero(accepted == accepting)
        votes = positive.ravel()[units]
        favorable = np.maximum((votes if accepting else M - votes) - flipped, 0)
        questions.append(Question(Quotas(theta, M, M, accepting, flips), units, favorable))
    return positive.shape, questions


def _attack(fixed_share: LevelLike, targeted_share: LevelLike) -> Callable[[Fraction], Fraction]:
    fixed, targeted = share("fixed_share", fixed_share), share("targeted_share", targeted_share)
    if fixed and targeted:
        raise ValueError("fixed_share and targeted_share: an adversary holds one or the other, not both")
    return lambda favorable: max((1 - fixed) * favorable - targeted, Fraction(0))


def _superpopulation(
    p: Shares, horizon: int, theta: Level, attack: Callable[[Fraction], Fraction], panel_flips: SupportsIndex
) -> tuple[tuple[int, ...], list[Question]]:
    shape, positive = shares("p", p)
    flips = count("panel_flips", panel_flips, 0, horizon)
    questions = []
    for accepting in (True, False):
        units = [i for i, chance in enumerate(positive) if (chance >= theta) == accepting]
        favorable = [attack(positive[i] if accepting else 1 - positive[i]) for i in units]
        quotas = Quotas(theta, horizon, 0, accepting, flips)
        questions.append(Question(quotas, np.array(units, np.intp), favorable))
    return shape, questions


def _tolerances(delta: LevelLike | list[LevelLike] | tuple[LevelLike, ...]) -> list[Level] | Level:
    exact = levels("delta", delta)
    for i, item in enumerate(exact):
        if item < _SMALLEST_TOLERANCE:
            where = f"delta[{i}]" if len(exact) > 1 else "delta"
            raise ValueError(f"{where}={item.text}: tolerances below 1e-290 are not supported")
    return list(exact) if isinstance(delta, list | tuple) else exact[0]


def _curves(errors: NDArray[np.float64] | None, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """``errors`` as rows to fill, sharing its memory."""
    if errors is None:
        return None
    fits = isinstance(errors, np.ndarray) and errors.dtype == np.float64 and errors.shape == shape
    if not fits or not errors.flags.c_contiguous or not errors.flags.writeable:
        raise ValueError(f"errors: a writable, contiguous float64 array of shape {shape} is needed")
    return errors.reshape(-1, shape[-1])


def _sizes(
    shape: tuple[int, ...],
    questions: list[Question],
    delta: list[Level] | Level,
    grid: NDArray[np.int64],
    curves: NDArray[np.float64] | None,
) -> PanelSizes:
    several = delta if isinstance(delta, list) else [delta]
    falling = sorted(several, reverse=True)
    value = np.array([float(item) for item in falling])
    below, above = value * (1 - _UNSETTLED), value * (1 + _UNSETTLED)
    units = sum(question.units.size for question in questions)
    minimum, stable = np.empty((2, units, value.size), np.int64)
    unsettled = np.empty((units, value.size), np.bool_)
    tolerance = -float(np.log(value[-1]))
    for question in questions:
        for places, errors, deciding in curve_blocks(question, tolerance, whole=curves is not None):
            block = question.units[places]
            if curves is not None:
                store_curves(errors, block, curves)
            errors = errors[:deciding]
            if size_positions(errors, grid, below, above, block, minimum, stable, unsettled):
                for lane, rank in np.argwhere(unsettled[block]):
                    kept = _kept_exactly(
                        question.quotas, question.favorable[places[lane]], errors[:, lane], grid, falling[rank]
                    )
                    minimum[block[lane], rank], stable[block[lane], rank] = _positions(kept)
    # One entry more: the position grid.size means that there is no such size.
    sizes = np.append(grid, 0)
    columns = [falling.index(item) for item in several]
    full = (*shape, value.size) if isinstance(delta, list) else shape
    return PanelSizes(sizes[minimum[:, columns]].reshape(full), sizes[stable[:, columns]].reshape(full))


def _kept_exactly(
    quotas: Quotas, favorable: Fraction | np.int64, errors: NDArray[np.float64], grid: NDArray[np.int64], delta: Level
) -> NDArray[np.bool_]:
    """Which sizes of the grid keep the tolerance; close calls by exact fractions.  Beyond the errors, all do."""
    kept = np.ones(grid.size, np.bool_)
    known = grid < errors.size
    error = errors[grid[known]]
    kept[known] = error <= float(delta)
    for i in np.flatnonzero(np.abs(error - float(delta)) <= 2 * _UNSETTLED * float(delta)):
        kept[i] = quotas.error(favorable, int(grid[i])) <= delta
    return kept


def _positions(kept: NDArray[np.bool_]) -> tuple[int, int]:
    """The first kept position, and the one after the last that is not kept; kept.size if there is none."""
    broken = np.flatnonzero(~kept)
    return (int(kept.argmax()) if kept.any() else kept.size), (int(broken[-1]) + 1 if broken.size else 0)
