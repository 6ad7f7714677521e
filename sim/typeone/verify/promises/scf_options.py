"""Promises of what a user may add to SCF: random ties, several splits, a false discovery rate; influence and order."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from typeone import scf
from typeone.engine.streams import generator
from typeone.engine.study import Columns
from typeone.levels import Level
from typeone.scf.statistics import BUILT_IN
from typeone.verify import mutants
from typeone.verify.model import Key, Mutant, Parameters, Promise, Space, as_error, column
from typeone.verify.promises.scf import DEFAULTS, LAWS, calibrated, documents


def _pool_table(p: Parameters, rng: np.random.Generator, targets: int = 1) -> dict[str, Any]:
    """A pool drawn anew, the targets among it at random: exchangeable whatever the law."""
    sources = p["controls"] + targets
    score, codes = documents({**DEFAULTS, **p}, rng, sources)
    order = rng.permutation(sources)
    return {"source": codes, "score": score, "control": order[codes] >= targets}


def _random_ties(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    ranks = np.empty(count)
    for i in range(count):
        rng = generator(key, first + i)
        table = _pool_table(parameters, rng)
        if "broken" in parameters:
            means = np.bincount(table["source"], table["score"]) / np.bincount(table["source"])
            control = np.bincount(table["source"], table["control"]) > 0
            ranks[i] = mutants.random_rank(means[~control][0], means[control], rng, whole=not parameters["broken"])
        else:
            options = scf.Options(method=parameters["method"], ties="random")
            split = scf.Split(reference=2, seed=int(rng.integers(2**63)))
            of = scf.apply(table, control="control", options=options, split=split)
            ranks[i] = float(of.p_exact[0] * (of.calibration_sources + 1))
    m = (
        parameters["controls"]
        if "broken" in parameters
        else calibrated(parameters["method"], 2, parameters["controls"] - 2)
    )
    return {column(f"t={r}/{m + 1}", Fraction(r, m + 1)): as_error(ranks <= r + 0.5) for r in (1, m // 2, m)}


def _splits(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    p = []
    for i in range(count):
        rng = generator(key, first + i)
        split = scf.Split(reference=2, seed=int(rng.integers(2**63)), splits=parameters["repeats"])
        options = scf.Options(method=parameters["method"])
        doubled = scf.apply(_pool_table(parameters, rng), control="control", options=options, split=split).p_exact[0]
        p.append(doubled / 2 if parameters.get("broken") else doubled)
    return {
        column(f"t={t}", t): as_error(np.array([value <= Fraction(t) for value in p]))
        for t in ("0.3", "0.5", "0.8", "0.95")
    }


def _fdr(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """False share of the discoveries among null targets and participants shifted by ``shift``."""
    shares = np.empty(count)
    level = Level(parameters["fdr"])
    for i in range(count):
        table = _pool_table(parameters, generator(key, first + i), parameters["nulls"])
        score = table["score"]
        part = 1000 + np.arange(parameters["participants"])
        table = {
            "source": np.concatenate([table["source"], part]),
            "score": np.concatenate([score, np.full(part.size, float(parameters["shift"]) + score.max())]),
            "control": np.concatenate([table["control"], np.zeros(part.size, bool)]),
        }
        options = scf.Options(method=parameters["method"], fdr=level)
        of = scf.apply(table, control="control", options=options, split=scf.Split(reference=2, seed=first + i))
        null = of.sources.to_numpy() < 1000
        assert of.discovery is not None
        found = of.discovery
        if "broken" in parameters:
            ranks = np.array([int(p * (of.calibration_sources + 1)) for p in of.p_exact])
            found = mutants.step_up(ranks, of.calibration_sources, level, every=not parameters["broken"])
        shares[i] = (found & null).sum() / max(1, found.sum())
    return {column(f"fdr={parameters['fdr']}", parameters["fdr"]): shares}


def _influence(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """One document of a bag is replaced: the bag's evidence moves by at most -log(cap) / n."""
    moved = np.zeros(count)
    cap = float(Level(parameters["cap"]))
    for i in range(count):
        rng = generator(key, first + i)
        reference = np.asarray(rng.standard_cauchy(parameters["documents"]))
        of = scf.fit(reference, np.arange(reference.size) // 2)
        n = int(rng.integers(1, 6))
        bag = np.asarray(rng.standard_cauchy(n))
        other = np.concatenate([[rng.standard_cauchy() * 100], bag[1:]])
        if "broken" in parameters:
            a, b = (mutants.capped_mean(of.tail(x), cap, each=not parameters["broken"]) for x in (bag, other))
        else:
            a, b = (float(of.evidence(x, parameters["cap"]).mean()) for x in (bag, other))
        moved[i] = abs(a - b) > -math.log(cap) / n + 2.0**-38
    return {column("moves too far", "0"): moved}


def _order(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """The same documents in another order give the same p-values; scores are such that sums round differently."""
    differs = np.zeros(count)
    for i in range(count):
        rng = generator(key, first + i)
        sources = np.repeat(np.arange(parameters["sources"]), rng.integers(2, 6, parameters["sources"]))
        score = rng.choice([0.1, 0.2, 0.3, 0.4, 0.7, 1.1], sources.size)
        roles = np.array(["reference", "reference", *["calibration"] * 4, "target", "target"])[sources]
        shuffle = rng.permutation(sources.size)
        answers = []
        for order in (np.arange(sources.size), shuffle):
            table = {"source": sources[order], "score": score[order], "role": roles[order]}
            if "broken" in parameters:
                answers.append(mutants.mean_p_values(table, exact=not parameters["broken"]))
            else:
                method = BUILT_IN[(first + i) % len(BUILT_IN)]
                of = scf.apply(table, role="role", options=scf.Options(method=method))
                answers.append(dict(zip(of.sources.to_pylist(), of.p_exact, strict=True)))
        differs[i] = answers[0] != answers[1]
    return {column("another p-value", "0"): differs}


PROMISES = (
    Promise(
        "scf-random-ties",
        "With ties broken at random a null source's p-value is at most r/(m+1) with probability r/(m+1).",
        "As for scf-level.",
        "scf.Options",
        "Scores with one or two values, where everything ties.",
        cells=tuple(
            {"method": method, "law": law, "controls": 7}
            for method, law in (("scf", "two"), ("scf", "normal"), ("mean", "two"), ("mean", "constant"))
        ),
        simulate=_random_ties,
        space=Space({"method": BUILT_IN, "law": LAWS, "controls": (3, 4, 5, 7, 9, 12)}),
        effort=0.5,
        search=0.1,
        chunk=200,
    ),
    Promise(
        "scf-splits",
        "Twice the mean p-value over several random splits is at most t with probability at most t.",
        "As for scf-level; any dependence between splits.",
        "README, scf.Split",
        "Levels from .3 to .95, where a mean of p-values gathers; two and twenty splits.",
        cells=({"method": "scf", "controls": 8, "repeats": 20}, {"method": "fisher", "controls": 5, "repeats": 2}),
        simulate=_splits,
        space=Space({"method": BUILT_IN, "law": LAWS, "controls": (3, 4, 5, 8, 12), "repeats": (2, 3, 5, 10)}),
        effort=0.1,
        search=0.2,
        chunk=50,
    ),
    Promise(
        "scf-fdr",
        "Benjamini-Hochberg over all targets keeps the expected share of false discoveries at most the level.",
        "As for scf-level, null targets exchangeable with the calibration sources jointly.",
        "scf.Options",
        "Few nulls beside many participants far above everything; ties.",
        "fraction",
        cells=(
            {
                "method": "scf",
                "law": "normal",
                "controls": 12,
                "nulls": 4,
                "participants": 2,
                "shift": "5",
                "fdr": "0.3",
            },
            {"method": "mean", "law": "two", "controls": 6, "nulls": 1, "participants": 6, "shift": "5", "fdr": "0.5"},
            {
                "method": "mean",
                "law": "normal",
                "controls": 9,
                "nulls": 10,
                "participants": 0,
                "shift": "0",
                "fdr": "0.5",
            },
        ),
        simulate=_fdr,
        space=Space(
            {
                "method": ("scf", "mean", "max", "min"),
                "law": LAWS,
                "controls": (3, 4, 6, 9, 12, 20),
                "nulls": (1, 2, 4, 10),
                "participants": (0, 1, 2, 6, 12),
                "shift": ("0", "5"),
                "fdr": ("0.1", "0.3", "0.5", "0.8"),
            }
        ),
        effort=0.2,
        search=0.3,
        chunk=100,
    ),
    Promise(
        "scf-influence",
        "One document moves the evidence of its source by at most -log(cap) / n.",
        "None.",
        "METHODS §1 (capped evidence)",
        "Cauchy scores, a replacement a hundred times as large, bags of one to five.",
        cells=({"cap": "0.05", "documents": 40}, {"cap": "0.5", "documents": 4}),
        simulate=_influence,
        effort=0.7,
    ),
    Promise(
        "scf-order",
        "The order in which documents are listed changes no p-value.",
        "None.",
        "METHODS, policies",
        "Multiples of .1, whose sums round differently in another order, and many ties of means.",
        cells=({"sources": 8},),
        simulate=_order,
        effort=0.8,
        chunk=100,
    ),
)


MUTANTS = (
    Mutant(
        "favorable-ties", "scf-random-ties", "the rank is drawn without the block's last place", simulate=_random_ties,
        cell={"law": "two", "controls": 7},
    ),
    Mutant(
        "mean-not-doubled", "scf-splits", "the mean p-value itself", simulate=_splits,
        cell={"method": "scf", "controls": 8, "repeats": 20},
    ),
    Mutant(
        "any-step", "scf-fdr", "each source at the whole level, no step-up", simulate=_fdr, kind="fraction",
        cell={"method": "mean", "law": "normal", "controls": 9, "nulls": 10, "participants": 0, "shift": "0",
              "fdr": "0.3"},
    ),
    Mutant(
        "cap-after-averaging", "scf-influence", "min(mean of -log Q, -log cap)", simulate=_influence,
        cell={"cap": "0.05", "documents": 40},
    ),
    Mutant("summed-in-order", "scf-order", "means of doubles added as they are listed", simulate=_order,
        cell={"sources": 8},
    ),
)  # fmt: skip
