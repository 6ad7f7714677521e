"""Promises of conformal p-values, the first step of JECS: every pattern of ties, and ties broken at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from typeone.engine.streams import generator
from typeone.engine.study import Columns
from typeone.verify import mutants
from typeone.verify.model import ExactRate, Key, Mutant, Parameters, Promise, Space, as_error, column
from typeone_kernels.buckets import rank_buffers, sort_scores
from typeone_kernels.ranks import conformal_ranks, random_ranks


def kernel_rank(calibration: Sequence[float], score: float, larger: bool) -> int:
    """The conformal rank of one score."""
    out = np.empty(1, np.int64)
    guide = sort_scores(np.array(calibration, float), rank_buffers(len(calibration)))
    conformal_ranks(guide, np.array([score]), larger, out)
    return int(out[0])


def compositions(total: int) -> Iterator[list[int]]:
    """Sizes of the blocks of equal scores among ``total`` scores, in every order."""
    for cuts in product((0, 1), repeat=total - 1):
        edges = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), total]
        yield [b - a for a, b in pairwise(edges)]


def rank_errors(rank: Callable[[Sequence[float], float], int], most: int) -> Iterator[ExactRate]:
    """P(rank <= r) for every pattern of ties among m + 1 exchangeable scores, m up to ``most``, and every r."""
    for m in range(1, most + 1):
        for blocks in compositions(m + 1):
            scores = np.repeat(np.arange(len(blocks), dtype=float), blocks)
            ranks = [rank(np.delete(scores, i).tolist(), float(scores[i])) for i in range(m + 1)]
            for r in range(1, m + 1):
                rate = Fraction(sum(x <= r for x in ranks), m + 1)
                yield ExactRate(f"m={m} blocks={blocks} r={r}", rate, Fraction(r, m + 1))


def _conformal() -> Iterator[ExactRate]:
    for larger in (False, True):
        yield from rank_errors(lambda calibration, score, larger=larger: kernel_rank(calibration, score, larger), 6)  # type: ignore[misc]


def _random_ranks(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    m, values = parameters["m"], parameters["values"]
    ranks, out = np.empty(count), np.empty(1, np.int64)
    stream = np.array(key, np.uint64)
    for i in range(count):
        rng = generator(key, first + i)
        scores = rng.integers(0, values, m + 1).astype(float)
        if "broken" in parameters:
            ranks[i] = mutants.random_tie_rank(scores[1:], scores[0], rng, own_place=not parameters["broken"])
        else:
            guide = sort_scores(scores[1:], rank_buffers(m))
            random_ranks(guide, scores[:1], False, stream, np.array([first + i], np.uint64), 7, out)
            ranks[i] = out[0]
    return {column(f"r={r} of {m + 1}", Fraction(r, m + 1)): as_error(ranks <= r) for r in sorted({1, (m + 1) // 2, m})}


PROMISES = (
    Promise(
        "conformal-rank",
        "A conformal p-value r/(m+1) is at most t with probability at most t.",
        "The score and its m calibration scores are exchangeable.",
        "METHODS §2, step 1",
        "Every pattern of ties among up to seven scores, both directions.",
        exact=_conformal,
    ),
    Promise(
        "conformal-random-ties",
        "With ties broken at random the rank is uniform on 1 .. m + 1.",
        "As for conformal-rank.",
        "METHODS §2, Ties",
        "One, two and three distinct values.",
        cells=({"m": 1, "values": 1}, {"m": 4, "values": 2}, {"m": 9, "values": 3}, {"m": 4, "values": 1}),
        simulate=_random_ranks,
        space=Space({"m": tuple(range(1, 21)), "values": (1, 2, 3, 5, 10, 100)}),
        effort=2.0,
        chunk=2000,
    ),
)


def _mutant_rank(mistake: str) -> Callable[[bool], Iterator[ExactRate]]:
    def exact(broken: bool) -> Iterator[ExactRate]:
        yield from rank_errors(lambda c, s: mutants.conformal_rank(c, s, mistake if broken else ""), 4)

    return exact


MUTANTS = (
    Mutant("rank-no-plus-one", "conformal-rank", "#{calibration <= s} / (m + 1)", _mutant_rank("no-plus-one")),
    Mutant("rank-strict", "conformal-rank", "1 + #{calibration < s}", _mutant_rank("strict-inequality")),
    Mutant(
        "rank-without-own-place", "conformal-random-ties", "the tie block without the score's own place",
        simulate=_random_ranks, cell={"m": 4, "values": 1},
    ),
)  # fmt: skip
