"""typeone.scf, typeone.roc and the SCF study against the oracle, input by input."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from oracles import scf as oracle
from oracles.inputs import cases, near, score_maker, some_level
from typeone import roc, scf
from typeone.levels import Level

RAW = ("mean", "max", "min", "ramia")
UNIT = Fraction(1, 2**40)


def bags_of(random: Random, most_sources: int, most_documents: int) -> list[list[float]]:
    make = score_maker(random)
    equal = random.randint(1, most_documents) if random.random() < 0.3 else None
    return [
        [make() for _ in range(equal or random.randint(1, most_documents))]
        for _ in range(random.randint(1, most_sources))
    ]


def some_cap(random: Random, documents: int) -> str:
    kind = random.randrange(5)
    if kind == 0:
        return "0"
    if kind == 1:
        return random.choice(["1e-12", "0.999999999", "0.5", "1e-100"])
    if kind == 2:
        return f"{random.randint(0, documents)}/{documents + 1}"
    return random.choice(["0.05", ".01", "0.1", "0.02"])


def some_smoothing(random: Random) -> str:
    return random.choice(["document", "document", "source", "0.001", "1", "1e-9", "1e-100", "1000000"])


def some_rho(random: Random) -> str:
    return random.choice(["0.5", "0.1", "0.25", "1/3", "0.999999999", "1e-12", "0.7"])


def table(parts: dict[str, list[list[float]]], random: Random, names: Any) -> tuple[dict[str, list[Any]], list[Any]]:
    """Rows in random order, and the targets in order of first appearance."""
    rows, number = [], 0
    for role, bags in parts.items():
        for bag in bags:
            rows += [(names(number), x, role, role != "target") for x in bag]
            number += 1
    random.shuffle(rows)
    columns = dict(zip(("source", "score", "role", "control"), map(list, zip(*rows, strict=True)), strict=True))
    return columns, list(dict.fromkeys(name for name, _, role, _ in rows if role == "target"))


def draw_parts(random: Random) -> dict[str, list[list[float]]]:
    """Reference, calibration and target bags from one law; some targets repeat a calibration bag."""
    most = random.choice([1, 3, 3, 8, 16])
    bags: list[list[float]] = []
    while len(bags) < 3:
        bags = bags_of(random, random.choice([3, 6, 30]), most)
    first, second = sorted(random.sample(range(1, len(bags)), 2)) if len(bags) > 3 else (1, 2)
    parts = {"reference": bags[:first], "calibration": bags[first:second], "target": bags[second:]}
    if random.random() < 0.4:
        parts["target"].append(list(random.choice(parts["calibration"])))
        parts["target"].append([x for x in random.choice(parts["calibration"]) for _ in range(2)])
    return parts


def wanted_statistics(
    method: str, parts: dict[str, list[list[float]]], smoothing: str, cap: Fraction, rho: Fraction
) -> tuple[list[Fraction], list[Fraction], Fraction]:
    """Statistics of targets and of calibration sources, and the unit in which they are held."""
    if method in RAW:
        return (
            [oracle.raw_statistic(method, bag, rho) for bag in parts["target"]],
            [oracle.raw_statistic(method, bag, rho) for bag in parts["reference"] + parts["calibration"]],
            Fraction(1),
        )
    return (
        [oracle.mean_evidence(bag, parts["reference"], smoothing, cap) for bag in parts["target"]],
        [oracle.mean_evidence(bag, parts["reference"], smoothing, cap) for bag in parts["calibration"]],
        UNIT,
    )


@pytest.mark.parametrize("method", ["scf", "fisher", *RAW])
def test_apply(method: str, oracles: int) -> None:
    for case, random in cases(f"scf apply {method}", oracles):
        parts = draw_parts(random)
        names = (lambda i: i * 7 % 1000 - 300) if random.random() < 0.5 else (lambda i: f"s{i}é")
        data, order = table(parts, random, names)
        smoothing, rho = some_smoothing(random), some_rho(random)
        cap = some_cap(random, sum(map(len, parts["reference"]))) if method != "fisher" else "0.05"
        calibrators = len(parts["calibration"]) + (len(parts["reference"]) if method in RAW else 0)
        typed = list(dict.fromkeys(some_level(random, calibrators + 1) for _ in range(3)))
        levels = [x for i, x in enumerate(typed) if Fraction(x) not in map(Fraction, typed[:i])]
        fdr = some_level(random, calibrators + 1)
        options = scf.Options(method, cap=cap, levels=levels, smoothing=smoothing, rho=rho, fdr=fdr)
        result = scf.apply(data, role="role", options=options)

        exact_cap = Fraction(0) if method == "fisher" else Fraction(cap)
        targets, calibration, unit = wanted_statistics(method, parts, smoothing, exact_cap, Fraction(rho))
        offset = len(parts["reference"]) + len(parts["calibration"])
        at = [order.index(names(offset + i)) for i in range(len(targets))]
        where = (case, method, parts, smoothing, cap, rho, levels, fdr)
        p_values = [oracle.p_value(t, calibration) for t in targets]
        assert result.sources.to_pylist() == order, where
        assert [result.p_exact[i] for i in at] == p_values, where
        assert [int(result.documents[i]) for i in at] == [len(bag) for bag in parts["target"]], where
        # A raw sum is rounded once, and once more when it is divided: right to one unit in the last place.
        last = [math.ulp(float(t * unit)) if method in RAW else 0.0 for t in targets]
        off = [abs(float(result.evidence[i]) - float(t * unit)) for i, t in zip(at, targets, strict=True)]
        assert all(x <= y for x, y in zip(off, last, strict=True)), where
        for level in levels:
            assert [bool(result.reject(Level(level))[i]) for i in at] == [p <= Fraction(level) for p in p_values], where
            assert result.attainable(Level(level)) == oracle.attainable(Fraction(level), len(calibration)), where
        assert result.discovery is not None
        discovered = oracle.benjamini_hochberg(p_values, Fraction(fdr))
        assert [bool(result.discovery[i]) for i in at] == discovered, where
        if method not in RAW:
            capped = [oracle.capped_documents(bag, parts["reference"], smoothing, exact_cap) for bag in parts["target"]]
            assert result.capped is not None
            assert [int(result.capped[i]) for i in at] == capped, where


def whole_weights(reference: list[list[float]], smoothing: str) -> bool:
    """Whether K lcm(sizes) (a + b) <= 2**53, where tails are promised to be exact integers."""
    documents, sources = sum(map(len, reference)), len(reference)
    epsilon = Fraction(1, {"document": documents, "source": sources}.get(smoothing, 1))
    if smoothing not in ("document", "source"):
        epsilon = Fraction(smoothing)
    scale = sources * math.lcm(*map(len, reference)) * (epsilon.numerator + epsilon.denominator)
    return scale * max(map(len, reference)) <= 2**53


def test_reference_map(oracles: int) -> None:
    for case, random in cases("scf map", oracles):
        reference = bags_of(random, random.choice([1, 3, 12]), random.choice([1, 3, 16]))
        smoothing = some_smoothing(random)
        cap = some_cap(random, sum(map(len, reference)))
        make = score_maker(random)
        documents = [(x, i) for i, bag in enumerate(reference) for x in bag]
        random.shuffle(documents)
        scores = [make() for _ in range(5)] + [x for x, _ in documents][:5] + [1.7e308, -1.7e308]
        fitted = scf.fit([x for x, _ in documents], [i for _, i in documents], smoothing=smoothing)
        tails = [oracle.smoothed_tail(s, reference, smoothing) for s in scores]
        where = (case, reference, smoothing, cap, scores)
        assert all(near(float(g), w, 1e-15) for g, w in zip(fitted.tail(scores), tails, strict=True)), where
        assert fitted.capped(scores, cap).tolist() == [q < Fraction(cap) for q in tails], where
        units = [oracle.evidence_units(q, Fraction(cap)) for q in tails]
        assert fitted.units(np.array(scores), Level(cap)).tolist() == units, where
        assert fitted.evidence(scores, cap).tolist() == [float(u * UNIT) for u in units], where
        if whole_weights(reference, smoothing):
            counts = [int(c) for c in fitted.tail_counts(np.array([-1.7e308, *scores]))]
            balanced = [oracle.balanced_tail(s, reference) for s in scores]
            assert [Fraction(c, counts[0]) for c in counts[1:]] == balanced, where
            attained = random.choice([*(q for q in tails if q < 1), Fraction(1, 2)])
            assert fitted.capped(scores, attained).tolist() == [q < attained for q in tails], (where, attained)


def test_at_the_cap_without_whole_weights_the_evidence_is_the_caps() -> None:
    """Where 1 / n do not fit into 53 bits a Q equal to the cap may count as capped; its evidence does not change."""
    reference = [[2.0] + [1.0] * (n - 1) for n in (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)]
    documents = [(x, i) for i, bag in enumerate(reference) for x in bag]
    fitted = scf.fit([x for x, _ in documents], [i for _, i in documents])
    tail = oracle.smoothed_tail(2.0, reference, "document")
    for cap in (tail, tail * (1 - Fraction(1, 10**10)), tail * (1 + Fraction(1, 10**10))):
        assert fitted.evidence([2.0], cap)[0] == pytest.approx(-math.log(max(tail, cap)), abs=2.0**-39)
    assert not fitted.capped([2.0], tail * (1 - Fraction(1, 10**10)))[0]
    assert fitted.capped([2.0], tail * (1 + Fraction(1, 10**10)))[0]


def test_means_whose_running_sum_overflows() -> None:
    large = 1.7e308
    parts = {
        "reference": [[large]],
        "calibration": [[large, large, -large, 1.0]],
        "target": [[large, 0.0, 0.0, 2.0]],
    }
    data, _ = table(parts, Random(0), lambda i: i)
    targets, calibration, _ = wanted_statistics("mean", parts, "document", Fraction(0), Fraction(0))
    result = scf.apply(data, role="role", options=scf.Options("mean"))
    assert result.p_exact == [oracle.p_value(targets[0], calibration)]


def test_means_far_apart() -> None:
    parts = {"reference": [[1.7e308]], "calibration": [[1.7e308]], "target": [[-1.7e308]]}
    data, _ = table(parts, Random(0), lambda i: i)
    assert scf.apply(data, role="role", options=scf.Options("mean")).p_exact == [Fraction(1)]


def test_random_ties_stay_inside_their_block(oracles: int) -> None:
    for case, random in cases("scf random ties", oracles):
        parts = draw_parts(random)
        data, order = table(parts, random, lambda i: i)
        method = random.choice(["scf", "mean", "max"])
        options = scf.Options(method, ties="random")
        result = scf.apply(data, role="role", options=options, split=scf.Split(seed=case))
        targets, calibration, _ = wanted_statistics(method, parts, "document", Fraction("0.05"), Fraction(1, 2))
        offset = len(parts["reference"]) + len(parts["calibration"])
        for i, target in enumerate(targets):
            p = result.p_exact[order.index(offset + i)]
            low = Fraction(1 + sum(1 for c in calibration if c > target), len(calibration) + 1)
            assert low <= p <= oracle.p_value(target, calibration), (case, parts, i)
            assert (p * (len(calibration) + 1)).denominator == 1, (case, parts, i)


def test_a_split_of_the_controls_is_some_split(oracles: int) -> None:
    """One reference of few controls: the answer is that of one of the splits that are possible."""
    for case, random in cases("scf split", oracles):
        parts = draw_parts(random)
        controls = (parts["reference"] + parts["calibration"])[:5]
        parts = {"control": controls, "target": parts["target"][:4]}
        data, order = table(parts, random, lambda i: i)
        split = scf.Split(1, len(controls) - 1, seed=case)
        method = random.choice(["scf", "fisher", "mean"])
        result = scf.apply(data, control="control", options=scf.Options(method), split=split)
        got = [result.p_exact[order.index(len(controls) + i)] for i in range(len(parts["target"]))]
        possible = []
        for chosen in range(len(controls)):
            roles = {
                "reference": [controls[chosen]],
                "calibration": controls[:chosen] + controls[chosen + 1 :],
                "target": parts["target"],
            }
            cap = Fraction(0) if method == "fisher" else Fraction(1, 20)
            targets, calibration, _ = wanted_statistics(method, roles, "document", cap, Fraction(1, 2))
            possible.append([oracle.p_value(t, calibration) for t in targets])
        assert got in possible, (case, method, parts, got, possible)


def test_many_splits_double_the_mean(oracles: int) -> None:
    """Equal controls make all splits alike, so that the doubled mean is known whatever the draw."""
    for case, random in cases("scf repeats", oracles):
        make = score_maker(random)
        bag = [make() for _ in range(random.randint(1, 4))]
        controls = [list(bag) for _ in range(random.randint(2, 6))]
        targets = [[make() for _ in range(random.randint(1, 4))] for _ in range(random.randint(1, 4))]
        data, order = table({"control": controls, "target": targets}, random, lambda i: i)
        split = scf.Split(1, None, seed=case, splits=random.randint(2, 5))
        result = scf.apply(data, control="control", split=split)
        roles = {"reference": controls[:1], "calibration": controls[1:], "target": targets}
        values, calibration, _ = wanted_statistics("scf", roles, "document", Fraction(1, 20), Fraction(1, 2))
        wanted = [min(Fraction(1), 2 * oracle.p_value(t, calibration)) for t in values]
        assert [result.p_exact[order.index(len(controls) + i)] for i in range(len(targets))] == wanted, (case, data)


def test_roc(oracles: int) -> None:
    for case, random in cases("roc", oracles):
        make = score_maker(random)
        positives = [make() for _ in range(random.choice([1, 2, 3, 20]))]
        negatives = [make() for _ in range(random.choice([1, 2, 3, 20]))]
        pairs = [(x, 1) for x in positives] + [(x, 0) for x in negatives]
        random.shuffle(pairs)
        scores, labels = [x for x, _ in pairs], [y for _, y in pairs]
        exact = [Fraction(x) for x in positives], [Fraction(x) for x in negatives]
        assert roc.auroc(scores, labels) == float(oracle.auroc(*exact)), (case, pairs)
        fpr = random.choice(["0", "1", some_level(random, len(negatives)), some_level(random)])
        wanted = float(oracle.tpr_at_fpr(*exact, Fraction(fpr)))
        assert roc.tpr_at_fpr(scores, labels, fpr) == wanted, (case, pairs, fpr)
