"""Pooling on a user's own votes: accept, reject or abstain on every item, with bounded error rates.

Validated input in, a ``Result`` out.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeone import tables
from typeone.levels import Level, LevelLike
from typeone.pooling.decision import decide
from typeone.pooling.evidence import units, weights
from typeone.pooling.heldout import Rate, RuleQuality, compare, fitting_half, rates
from typeone.pooling.options import DEFAULTS, Options, Terms
from typeone.pooling.reliability import Reliabilities, fitted, given
from typeone.pooling.result import Result
from typeone.pooling.votes import UNKNOWN, Votes, read_votes
from typeone_kernels.pooling import pool_list


def apply(
    data: Any,
    *,
    item: str = "item",
    source: str = "source",
    vote: str = "vote",
    label: str | None = None,
    reliability: Mapping[Any, LevelLike] | Any | None = None,
    options: Options = DEFAULTS,
) -> Result:
    """Pool the votes on every item into a posterior, and decide.

    Parameters
    ----------
    data : an Arrow table, a pandas or polars frame, a mapping of equally long columns, or a path to a Parquet,
        Feather, CSV or JSON file; one row for each item and source.
    item, source : names of the columns with identifiers (integers or strings).
    vote : name of the column with the vote, 1 or 0 (true or false), also as text (1.0); missing: the source was not
        consulted.
    label : name of a column with the item's truth, 1 or 0, the same in all its rows; missing: not labelled.
    reliability : P(a source is right), a mapping from source to value or a table with columns ``source`` (or the
        name given above) and ``reliability``.  Without it, reliabilities are estimated from one half of the
        labelled items as (right + 1/2) / (labelled + 1), and the other half is held out; with it, all labelled items
        are held out.  Which half an item falls in depends on its name and the seed only.
    options : see ``Options``.

    Returns a ``Result`` with one row per item, in order of first appearance.

    Raises ValueError, naming column, row and rule, for votes or labels other than 0, 1 and missing, a source that
    stands twice on one item, an item with two labels, no vote at all, reliabilities of 0 or 1, a source without a
    reliability, thresholds outside (0, 1) or in the wrong order, and neither ``label`` nor ``reliability``.
    A source without a fitting label has reliability 1/2 and so no weight; the result warns of it.

    Guarantee: on held-out items that are independent draws of the items to be decided, each bound of an error rate
    holds with probability 1 - level, whether or not the posteriors are calibrated.  The posteriors themselves
    are calibrated only if the prior and the reliabilities are right, errors are symmetric, and votes are independent
    given the truth: positively dependent votes make them overconfident.

    Source: the abstract on count-scale drift printed beside the SCF paper (METHODS §4); the weights logit r are those
    of Nitzan, Paroush, Optimal Decision Rules in Uncertain Dichotomous Choice Situations (1982).

    >>> votes = {"item": [1, 1, 2, 2], "source": ["a", "b", "a", "b"], "vote": [1, 1, 1, 0]}
    >>> apply(votes, reliability={"a": ".9", "b": ".8"}).posterior.round(4).tolist()
    [0.973, 0.6923]
    """
    terms = Terms.of(options)
    if label is None and reliability is None:
        raise ValueError("label, reliability: name a label column, or give reliabilities")
    votes = read_votes(tables.as_table(data), item, source, vote, label)
    fitting, sources = _reliabilities(votes, reliability, source, terms)
    sums = _pooled(votes, sources.values, terms.prior)
    decision = decide(votes, sources.values, sums, terms.prior, (terms.accept, terms.reject))
    held_out = (votes.truth != UNKNOWN) & ~fitting
    error_rates, rules = _on_held_out(votes, decision, sums, held_out, terms)
    return Result(
        votes=votes,
        reliabilities=sources,
        sums=sums,
        decision=decision,
        fitting=fitting,
        held_out=held_out,
        terms=terms,
        rates=error_rates,
        comparison=rules,
    )


def _reliabilities(
    votes: Votes, reliability: Any, source: str, terms: Terms
) -> tuple[NDArray[np.bool_], Reliabilities]:
    """The items whose labels are used to fit, (T,), none where reliabilities are given; and the sources'."""
    if reliability is not None:
        return np.zeros(len(votes.items), bool), given(reliability, votes.sources, source)
    fitting = fitting_half(votes.items, votes.truth, terms.seed)
    return fitting, fitted(votes, fitting, terms.level)


def _pooled(votes: Votes, reliabilities: tuple[Fraction, ...], prior: Level) -> NDArray[np.int64]:
    """Log-odds of every item in units, (T,)."""
    sums = np.empty(len(votes.items), np.int64)
    weight = weights(reliabilities, prior, int(votes.consulted.max()))
    pool_list(votes.item, votes.source, votes.vote, weight, units(prior), sums)
    return sums


def _on_held_out(
    votes: Votes, decision: NDArray[np.int8], sums: NDArray[np.int64], held_out: NDArray[np.bool_], terms: Terms
) -> tuple[tuple[Rate, ...], tuple[RuleQuality, ...]]:
    """Bounds and comparison; nothing without a held-out item."""
    if not held_out.any():
        return (), ()
    truth = votes.truth[held_out]
    compared = compare(votes.positive[held_out], votes.consulted[held_out], sums[held_out], truth, float(terms.prior))
    return rates(decision[held_out], truth, terms.level), compared
