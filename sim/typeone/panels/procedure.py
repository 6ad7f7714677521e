"""Panels on a user's own vote matrix: the certificate, the frozen census beside it, and what corruption does.

Validated input in, a ``Result`` out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.exact import clopper_pearson
from typeone.groups import first_repeat
from typeone.levels import LevelLike
from typeone.panels.certificate import Passing, certify
from typeone.panels.contamination import FLIPS, SHARES, contamination
from typeone.panels.curves import quota
from typeone.panels.design import evaluators_needed, least_units
from typeone.panels.options import DEFAULTS, Options, Terms
from typeone.panels.result import Needs, Result
from typeone.panels.sizes import census_sizes
from typeone.panels.votes import Malformed, read_votes


def apply(  # an argument for each column, the terms, and what is done about bad votes; half of it is the reference
    data: Any,
    *,
    evaluator: str = "evaluator",
    unit: str | None = None,
    vote: str | None = None,
    options: Options = DEFAULTS,
    weights: Any = None,
    malformed: Malformed = "error",
    ignore: Sequence[str] = (),
    flips: Sequence[int] = FLIPS,
    shares: Sequence[LevelLike] = SHARES,
) -> Result:
    """Certify how large a panel must be to decide as the population of evaluators would.

    Parameters
    ----------
    data : an Arrow table, a pandas or polars frame, a mapping of equally long columns, or a path to a Parquet,
        Feather, CSV or JSON file.  Long: one row for each ``evaluator`` and ``unit``, with the ``vote`` 0 or 1
        (false or true), also as text (1.0).  Wide
        (``unit`` and ``vote`` not named, no columns of these names): one row for each evaluator, one column for
        each unit; ``ignore`` names columns that are neither.
    options : see ``Options``.
    weights : for a catalogue (``options.generator = "catalogue"``): a table with the columns unit and weight, one
        row for each unit; equal weights if not given.
    malformed : ``"error"``, or ``"zero"`` to count votes that are missing or not 0 or 1 as 0 (their number is
        reported).
    flips, shares : corruption budgets of the contamination profile.

    Returns a ``Result`` with one row per unit, in order of first appearance.

    Raises ValueError, naming column, row and rule, for malformed or repeated votes, weights that do not match the
    units, and options out of range.

    Guarantee: see ``typeone.panels.certificate``.  Rows must be independent draws from the evaluator population;
    columns may depend on each other through the rows.

    Source: Lago, Castellana, Nemše, *Aggregate Disambiguation Systems*, arXiv 2608.30805 (2026).

    >>> votes = {"evaluator": [1, 1, 2, 2, 3, 3], "unit": [7, 8, 7, 8, 7, 8], "vote": [1, 0, 1, 0, 1, 1]}
    >>> apply(votes).to_arrow()["stable_size"].to_pylist()
    [1, 3]
    """
    terms = Terms.of(options)
    matrix = read_votes(tables.as_table(data), evaluator, unit, vote, malformed=malformed, ignore=ignore)
    positives = matrix.positives
    E, A = matrix.votes.shape
    by_unit = None if weights is None else _weights(tables.as_table(weights), matrix.units)
    certificate = certify(positives, E, options, weights=by_unit)
    census = census_sizes(E, positives, delta=terms.delta, theta=terms.theta)
    lower, upper = clopper_pearson(positives, E, terms.interval_level(A))
    borne = [b for b in flips if b <= E] if flips is FLIPS else flips
    return Result(
        options=options,
        units=matrix.units,
        evaluators=E,
        positives=positives,
        accepted=positives >= quota(terms.theta, E),
        minimum=census.minimum,
        stable=census.stable,
        lower=lower,
        upper=upper,
        passes_at=_passes_at(certificate.passing, positives, terms.grid),
        certificate=certificate,
        contamination=contamination(positives, E, options, weights=by_unit, flips=borne, budgets=shares),
        needs=_needs(options, A),
        malformed=matrix.malformed,
        absent=matrix.absent,
    )


def _passes_at(rule: Passing, positives: NDArray[np.int64], grid: NDArray[np.int64]) -> NDArray[np.int64]:
    """The smallest size from which on a unit passes up to the end of the grid, (A,); 0 if it does not at the end."""
    onwards = np.logical_and.accumulate(rule.of(positives)[:, ::-1], axis=1)[:, ::-1]
    found: NDArray[np.int64] = np.where(onwards[:, -1], grid[onwards.argmax(axis=1)], 0)
    return found


def _needs(options: Options, units: int) -> Needs:
    sampled = options.generator != "catalogue"
    needed = least_units(Terms.of(options), Fraction(1), Fraction(1)) if sampled else None
    return Needs(needed, evaluators_needed(options, units=units))


def _weights(table: pa.Table, units: pa.Array) -> list[LevelLike]:
    """One weight for each unit, in the units' order, exact as written."""
    codes, names = tables.labels(table, "unit")
    repeat = first_repeat(codes)
    if repeat is not None:
        raise ValueError(f"weights, row {repeat[1] + 1}: unit {names[int(codes[repeat[1]])].as_py()!r} stands twice")
    values = tables.column(table, "weight").to_pylist()
    known = {str(name): values[i] for i, name in enumerate(names.to_pylist())}
    wanted = [str(name) for name in units.to_pylist()]
    for name in wanted:
        if known.get(name) is None:
            raise ValueError(f"weights: unit {name!r} has no weight")
    extra = set(known) - set(wanted)
    if extra:
        raise ValueError(f"weights: unit {min(extra)!r} is not among the votes")
    return [known[name] for name in wanted]
