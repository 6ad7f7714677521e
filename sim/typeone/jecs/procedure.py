"""Joint decontamination on a user's own scores: which candidates was no model trained on?

Validated input in, a ``Result`` out.  Calibration items are known members of a model's training data; candidates
are the items in question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from typeone import arrays, tables
from typeone.groups import first_repeat
from typeone.jecs.methods import METHODS
from typeone.jecs.options import DEFAULTS, Options, Terms
from typeone.jecs.result import Envelope, Result
from typeone.jecs.scores import read_scores
from typeone_kernels.jecs import (
    ADAFILTER,
    CHORD,
    FILTERED,
    MAX_P,
    STOREY,
    Plan,
    TieKeys,
    Work,
    decide,
    make_plan,
    rank_models,
    scan_thresholds,
    workspace,
)

PerModel: TypeAlias = Mapping[Any, ArrayLike] | Sequence[ArrayLike]
_LARGEST_PRODUCT = 2**62  # what the kernels' integer comparisons can hold


def apply(
    data: Any,
    *,
    item: str = "item",
    model: str | None = "model",
    role: str = "role",
    score: str | Sequence[str] = "score",
    options: Options = DEFAULTS,
    missing: tables.Missing = "error",
) -> Result:
    """Select the candidates of a table that no model was trained on.

    Parameters
    ----------
    data : an Arrow table, a pandas or polars frame, a mapping of equally long columns, or a path to a Parquet,
        Feather, CSV or JSON file.  Long: one row for each item and model.  Wide (``model=None``): one for each item.
    item, model, role : names of the columns with the item's and the model's identifier (integers or strings), and with
        the item's role: ``candidate`` or ``calibration`` (a known member of the models that score it).
    score : name of the column with the score; in a wide table the names of one column for each model.
    options : see ``Options``.
    missing : ``"error"``, or ``"drop"`` to leave out candidates that lack a score, and calibration scores that are
        missing (their numbers are reported).

    Returns a ``Result`` with one row per candidate, in order of first appearance.

    Raises ValueError, naming column, row and rule, for missing or infinite scores, unknown roles, items in both roles,
    a second score of an item under one model, candidates that some model did not score, and models without calibration
    scores.

    Guarantee and source as for ``select``.

    >>> scores = {"item": [*"abcd", *"efghijklmnopqrst"], "role": ["candidate"] * 4 + ["calibration"] * 16}
    >>> scores |= {"s": [0.5, 0.6, 7.5, 20.5, *range(1, 17)]}
    >>> apply(scores, model=None, score="s", options=Options("max-p", level="0.4")).selected_items.to_pylist()
    ['a', 'b']
    """
    table = tables.as_table(data)
    scores = read_scores(table, item, model, role, score, missing)
    calibration = [row[~np.isnan(row)] for row in scores.calibration]
    return _select(scores.items, scores.models, scores.candidates, calibration, options, scores.dropped, scores.absent)


def select(candidates: PerModel, calibration: PerModel, *, items: Any = None, options: Options = DEFAULTS) -> Result:
    """Select the candidates that no model was trained on.

    Parameters
    ----------
    candidates : for each of K models the scores of the same n candidates, shape (n,): a mapping from the model's name,
        or a sequence (models 0, 1, ...).  Finite; by default smaller = more evidence that the item is clean.
    calibration : for each of the same models the scores of m_k items that it was trained on, shape (m_k,).
    items : n distinct names of the candidates, whole numbers or text; None: 0, 1, ...
    options : see ``Options``.

    Returns a ``Result`` with one row per candidate, in the order given.

    Raises ValueError, naming argument, model and position, for missing or infinite scores, models that differ between
    the two arguments, unequal numbers of candidates, repeated items, and levels outside (0, 1).

    Guarantee: see ``Result.guarantee``; it depends on the method.

    Source: Liu, Zeng, Wei, Provable Joint Decontamination for Benchmarking Multiple Large Language Models (2026).

    >>> members, rising = [1.0 + i for i in range(39)], [0.5, 0.6, 7.5, 20.5]
    >>> select({"a": rising, "b": rising}, {"a": members, "b": members}, options=Options("max-p")).selected.tolist()
    [True, True, False, False]
    """
    of_candidates, members = _by_model("candidates", candidates), _by_model("calibration", calibration)
    if of_candidates.keys() != members.keys():
        name = next(iter(of_candidates.keys() ^ members.keys()))
        raise ValueError(f"candidates, calibration: model {name!r} is in only one of the two")
    for model, given in of_candidates.items():
        both = [(_called("candidates", model), given), (_called("calibration", model), members[model])]
        arrays.keep_apart(both, _position)
    scored = {model: given.doubles for model, given in of_candidates.items()}
    known = {model: given.doubles for model, given in members.items()}
    sizes = {model: values.size for model, values in scored.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"candidates: every model scores the same items; their numbers are {sizes}")
    n = next(iter(sizes.values()))
    names = _items(items, n)
    matrix = np.array(list(scored.values()))
    return _select(names, tuple(scored), matrix, [known[model] for model in scored], options)


def _check_sizes(
    models: tuple[Any, ...], candidates: NDArray[np.float64], calibration: Sequence[NDArray[np.float64]]
) -> None:
    n = candidates.shape[1]
    if n == 0:
        raise ValueError("candidates: at least one item is needed")
    for model, values in zip(models, calibration, strict=True):
        if not values.size:
            raise ValueError(f"calibration, model {model!r}: at least one calibration score is needed")
    sizes = [values.size + 1 for values in calibration]
    if (n + 1) * max(sizes) * (max(sizes) // int(np.gcd.reduce(sizes)) + 1) >= _LARGEST_PRODUCT:
        raise ValueError(
            f"calibration: {n} candidates and {max(sizes) - 1} calibration scores are too many to compare exactly; "
            "give every model the same number of calibration scores"
        )


def _called(argument: str, model: Any) -> str:
    return f"{argument}, model {model!r}"


def _position(name: str, place: tuple[int, ...]) -> str:
    return f"{name}, position {', '.join(map(str, place))}" if place else name


def _by_model(argument: str, values: PerModel) -> dict[Any, arrays.Reals]:
    """Scores by model name; every array one-dimensional and finite."""
    try:
        named = dict(values) if isinstance(values, Mapping) else dict(enumerate(values))
    except TypeError:
        raise ValueError(f"{argument}: scores of each model are needed, not {type(values).__name__}") from None
    found = {}
    for model, given in named.items():
        name = _called(argument, model)
        numbers = arrays.reals(name, given, arrays.SCORES, _position)
        shape = numbers.doubles.shape
        if len(shape) != 1:
            raise ValueError(f"{name}: one score for each item is needed, not shape {shape}")
        unusable = ~np.isfinite(numbers.doubles)
        if unusable.any():
            place = _position(name, (int(unusable.argmax()),))
            raise ValueError(f"{place}: the score is missing or infinite")
        found[model] = numbers
    if not found:
        raise ValueError(f"{argument}: at least one model is needed")
    return found


def _items(items: Any, n: int) -> pa.Array:
    table = tables.as_table({"items": np.arange(n) if items is None else _names(items)})
    codes, names = tables.labels(table, "items")
    if codes.size != n:
        raise ValueError(f"items: {codes.size} names for {n} candidates")
    repeat = first_repeat(codes)
    if repeat is not None:
        raise ValueError(f"items: {names[int(codes[repeat[1]])].as_py()!r} stands twice")
    return names


def _names(items: Any) -> pa.Array:
    """Items in an order of their own: no text, which is one name, and no set."""
    rule = "a sequence of distinct names is needed"
    if isinstance(items, str | bytes | Set | Mapping) or not np.iterable(items):
        raise ValueError(f"items: {rule}, not {type(items).__name__}")
    if isinstance(items, np.ma.MaskedArray):
        items = arrays.plain("items", items, rule)
    try:
        return pa.array(items)
    except (pa.ArrowException, OverflowError) as error:
        raise ValueError(f"items: {rule}, whole numbers or text: {str(error).splitlines()[0]}") from None


def _select(
    items: pa.Array,
    models: tuple[Any, ...],
    candidates: NDArray[np.float64],
    calibration: Sequence[NDArray[np.float64]],
    options: Options,
    dropped: int = 0,
    absent: int = 0,
) -> Result:
    terms = Terms.of(options, len(models))
    _check_sizes(models, candidates, calibration)
    plan, work, found = decided(candidates, calibration, terms, items, models)
    lam = scan_thresholds()[found.step]
    width = Fraction(int(found.width), int(found.size))
    scale = (1 + found.inside) / (candidates.shape[1] * width) if width else None
    usable = {name: of for name, of in METHODS.items() if len(models) >= of.models}
    return Result(
        items=items,
        models=models,
        ranks=work.ranks,
        calibration_sizes=tuple(values.size for values in calibration),
        selections={name: work.selected[of.row].copy() for name, of in usable.items()},
        cutoffs={
            name: _value(plan, int(work.cutoffs[of.row]))
            for name, of in usable.items()
            if of.row in (MAX_P, STOREY, CHORD, ADAFILTER, FILTERED)
        },
        envelope=Envelope(lam, lam / 2, int(found.inside), width, scale),
        method=terms.method,
        level=terms.level,
        ties=options.ties,
        dropped=dropped,
        absent=absent,
    )


def decided(
    candidates: NDArray[np.float64],
    calibration: Sequence[NDArray[np.float64]],
    terms: Terms,
    items: pa.Array,
    models: tuple[Any, ...],
) -> tuple[Plan, Work, Any]:
    """The kernels' plan, filled workspace and envelope for valid input."""
    sizes = [values.size for values in calibration]
    plan = make_plan(candidates.shape[1], sizes, terms.level, terms.larger, terms.at_random)
    work = workspace(plan)
    keys = np.array([[terms.seed, 0]], np.uint64)
    ties = TieKeys(keys, _digests(items.to_pylist() if terms.at_random else []), _digests(models))
    rank_models(plan, np.concatenate(calibration), np.ascontiguousarray(candidates), ties, 0, work)
    return plan, work, decide(plan, work)


def _digests(names: Sequence[Any]) -> NDArray[np.uint64]:
    """64 bits of each name: a stream depends on the name alone, never on the order of rows."""
    return np.array([int.from_bytes(hashlib.sha256(str(n).encode()).digest()[:8], "little") for n in names], np.uint64)


def _value(plan: Plan, code: int) -> Fraction:
    grid = plan.grid
    return Fraction(int(grid.numerators[code]), int(grid.denominators[code]) * grid.unit)
