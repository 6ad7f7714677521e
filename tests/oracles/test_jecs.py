"""typeone.jecs and the decontamination study against the oracle, input by input."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from oracles import jecs as oracle
from oracles.inputs import cases, score_maker, some_level
from typeone import jecs
from typeone.engine.design import design_from
from typeone.engine.resolved import resolve
from typeone.engine.study import Column
from typeone.studies.jecs import STUDY
from typeone.studies.jecs.ideal import IdealBatch
from typeone_kernels.ideal import GRID

Scores = list[list[float]]


def draw_scores(random: Random) -> tuple[Scores, Scores]:
    """Candidates (K, n) and calibration (m_k of each model): tied, tiny, or with signal."""
    models = random.choice([1, 2, 2, 3, 5])
    n = random.choice([1, 2, 3, 12, 40, 120])
    common = random.choice([1, 2, 3, 9, 10, 19, 39, 60, None])
    sizes = [common or random.choice([1, 2, 3, 7, 19, 20, 50]) for _ in range(models)]
    kind = random.random()
    if kind < 0.35:
        make = score_maker(random)
        return [[make() for _ in range(n)] for _ in sizes], [[make() for _ in range(m)] for m in sizes]
    digits = random.choice([0, 1, 2, 15])
    shift = random.choice([0, 1, 3, 6])
    clean = [random.random() < random.choice([0.1, 0.5, 0.9]) for _ in range(n)]
    candidates = [
        [round(random.gauss(-shift if c or random.random() < 0.3 else 0, 1), digits) for c in clean] for _ in sizes
    ]
    return candidates, [[round(random.gauss(0, 1), digits) for _ in range(m)] for m in sizes]


def exact_p(ranks: list[list[int]], sizes: list[int]) -> list[list[Fraction]]:
    return [[Fraction(r, m + 1) for r in row] for row, m in zip(ranks, sizes, strict=True)]


def compare(result: jecs.Result, p: list[list[Fraction]], steps: list[oracle.Steps], level: str, where: object) -> None:
    """Envelope, every cut-off, every selection and the contamination bound."""
    alpha, largest = Fraction(level), oracle.largest(p)
    envelope = oracle.chord(largest, steps)
    got = result.envelope
    assert (got.lam, got.kappa, got.inside, got.width, got.scale) == (
        envelope.lam,
        envelope.kappa,
        envelope.inside,
        envelope.width,
        envelope.scale,
    ), where
    cutoffs = {
        "max-p": oracle.benjamini_hochberg(largest, alpha),
        "storey": oracle.storey(largest, alpha),
        "jecs": oracle.jecs(largest, envelope, alpha),
    }
    if len(p) > 1:
        second = oracle.second_largest(p)
        cutoffs["adafilter"] = oracle.adafilter(largest, second, alpha)
        cutoffs["jecs-filter"] = oracle.filtered(largest, second, envelope, alpha)
    selections = {name: [x <= cut for x in largest] for name, cut in cutoffs.items()}
    selections["union"], selections["intersection"] = oracle.union(p, alpha), oracle.intersection(p, alpha)
    assert set(result.selections) == set(selections), where
    for name, wanted in selections.items():
        assert result.selections[name].tolist() == wanted, (name, where)
    assert dict(result.cutoffs) == cutoffs, where
    for name, cut in cutoffs.items():
        bound = result.contamination_bound(name)
        if envelope.scale is None or cut > envelope.kappa:
            assert bound is None, (name, where)
        else:
            assert bound == len(largest) * envelope.scale * cut / max(1, sum(selections[name])), (name, where)


@pytest.mark.parametrize("evidence", ["smaller", "larger"])
def test_select(evidence: str, oracles: int) -> None:
    sign = 1 if evidence == "smaller" else -1
    for case, random in cases(f"jecs {evidence}", oracles):
        candidates, calibration = draw_scores(random)
        level = some_level(random, 1 + len(calibration[0]) * len(candidates[0]))
        options = jecs.Options("jecs", level=level, evidence=evidence)  # type: ignore[arg-type]
        result = jecs.select(
            [[sign * x for x in row] for row in candidates],
            [[sign * x for x in row] for row in calibration],
            options=options,
        )
        sizes = [len(row) for row in calibration]
        ranks = [[oracle.conformal_rank(x, c) for x in row] for row, c in zip(candidates, calibration, strict=True)]
        where = (case, candidates, calibration, level)
        assert result.ranks.tolist() == ranks, where
        p = exact_p(ranks, sizes)
        for got, row in zip(result.p_models, p, strict=True):
            assert got.tolist() == [float(x) for x in row], where
        assert result.p_max.tolist() == [float(x) for x in oracle.largest(p)], where
        compare(result, p, [oracle.below(oracle.attainable(c)) for c in calibration], level, where)


def test_random_ties(oracles: int) -> None:
    """Ranks lie in their tie block; what follows from them is compared exactly."""
    for case, random in cases("jecs random ties", oracles):
        candidates, calibration = draw_scores(random)
        level = some_level(random, 20)
        result = jecs.select(candidates, calibration, options=jecs.Options(level=level, ties="random", seed=case))
        sizes = [len(row) for row in calibration]
        ranks = result.ranks.tolist()
        for got, row, known in zip(ranks, candidates, calibration, strict=True):
            for rank, x in zip(got, row, strict=True):
                below = 1 + sum(1 for c in known if c < x)
                assert below <= rank <= oracle.conformal_rank(x, known), (case, candidates, calibration)
        p = exact_p(ranks, sizes)
        compare(result, p, [oracle.floor_to(m + 1) for m in sizes], level, (case, candidates, calibration, level))


def test_table(oracles: int) -> None:
    """A long table in random row order gives what the arrays give."""
    for case, random in cases("jecs table", oracles):
        candidates, calibration = draw_scores(random)
        rows = [(f"c{i}", k, "candidate", x) for k, row in enumerate(candidates) for i, x in enumerate(row)]
        rows += [(f"m{i}", k, "calibration", x) for k, row in enumerate(calibration) for i, x in enumerate(row)]
        random.shuffle(rows)
        data = dict(zip(("item", "model", "role", "score"), map(list, zip(*rows, strict=True)), strict=True))
        result = jecs.apply(data, options=jecs.Options("max-p", level="0.2"))
        order = list(dict.fromkeys(name for name, _, role, _ in rows if role == "candidate"))
        assert result.items.to_pylist() == order, case
        at = [int(name[1:]) for name in order]
        ranks = [[oracle.conformal_rank(candidates[k][i], calibration[k]) for i in at] for k in map(int, result.models)]
        assert result.ranks.tolist() == ranks, (case, rows)
        p = exact_p(ranks, [len(calibration[int(k)]) for k in result.models])
        compare(
            result,
            p,
            [oracle.below(oracle.attainable(calibration[int(k)])) for k in result.models],
            "0.2",
            (case, rows),
        )


def test_ideal_study(oracles: int) -> None:
    """Ideal p-values u / M, G(t) = floor(t M) / M: the study's measures of the methods that need max-p alone.

    Each input is one repetition of the study; 20 repetitions share a cell.
    """
    for case, random in cases("jecs ideal", max(1, oracles // 20)):
        factors = {
            "family": "ideal",
            "models": random.choice([1, 2, 3]),
            "candidates": random.choice([1, 3, 40, 150, 400]),
            "clean": random.choice(["0", "0.3", "0.5", "1"]),
            "law": random.choice(["t", "t^2", "t^3", "mixture", "t^c H(t)"]),
        }
        typed = ["0.1", some_level(random)]
        levels = typed if Fraction(typed[0]) != Fraction(typed[1]) else typed[:1]
        cell = resolve(design_from({"study": "jecs", "factors": factors, "levels": levels, "seed": case})).cells[0]
        columns = STUDY.simulate(cell, STUDY.share(cell), 0, 20)
        batch = IdealBatch(cell.parameters, 20)
        batch.draw(cell.key, 0, 20)
        for repetition in range(20):
            p = [Fraction(int(u), GRID) for u in batch.largest[repetition]]
            contaminated = batch.contaminated[repetition].tolist()
            envelope = oracle.chord(p, [oracle.floor_to(GRID)])
            for level in levels:
                cutoffs = {
                    "max-p": oracle.benjamini_hochberg(p, Fraction(level)),
                    "storey": oracle.storey(p, Fraction(level)),
                    "jecs": oracle.jecs(p, envelope, Fraction(level)),
                }
                for method, cut in cutoffs.items():
                    selected = [x <= cut for x in p]
                    wanted = {
                        "gcp": oracle.contaminated_share(selected, contaminated),
                        "power": oracle.power(selected, contaminated),
                        "selected": sum(selected),
                        "empty": not any(selected),
                    }
                    for measure, value in wanted.items():
                        got = float(columns[Column(method, measure, level)][repetition])
                        if measure == "power" and all(contaminated):
                            assert got == 0 or math.isnan(got), (case, repetition, factors)
                        else:
                            assert got == float(value), (case, repetition, factors, method, measure, level)
