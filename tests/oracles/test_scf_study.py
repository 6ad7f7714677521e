"""The SCF study's measures, partition by partition, against the oracle.

Which sources a partition makes reference, calibration and null test is taken from the study's own random draw;
everything that follows from it is computed from the formulas.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from oracles import scf as oracle
from oracles.inputs import cases, near, score_maker, some_level
from typeone.engine.design import design_from
from typeone.engine.resolved import resolve
from typeone.engine.study import Column
from typeone.studies.scf import STUDY
from typeone_kernels.partitions import draw_roles

METHODS = ("scf", "fisher", "mean", "max", "min", "ramia")
NULL, REFERENCE, CALIBRATION, PARTICIPANT = range(4)
PARTITIONS = 20

Bags = list[list[float]]
Answer = tuple[Fraction, list[Fraction], list[Fraction]]


def population(random: Random, folder: Path) -> tuple[Bags, int, Path]:
    """Bags of documents, participants first, and the file that holds them."""
    participants = random.randint(1, 4)
    total = participants + random.randint(4, 12)
    most = random.choice([1, 3, 16])
    make = score_maker(random)
    while abs(make()) > 1e100:  # extreme magnitudes are for test_scf
        make = score_maker(random)
    bags = [[max(-1e100, min(1e100, make())) for _ in range(random.randint(1, most))] for _ in range(total)]
    rows = [(f"s{i:03}", x, i < participants) for i, bag in enumerate(bags) for x in bag]
    random.shuffle(rows)
    path = folder / "scores.parquet"
    names = ("source", "score", "participant")
    pq.write_table(pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))), path)
    return bags, participants, path


def answer(method: str, bags: Bags, roles: list[int], p: dict[str, str], levels: list[str]) -> Answer:
    """AUROC, and TPR and FPR at every level, of one partition."""
    of = {role: [bag for bag, r in zip(bags, roles, strict=True) if r == role] for role in range(4)}
    if method in ("scf", "fisher"):
        cap = Fraction(p["cap"]) if method == "scf" else Fraction(0)

        def value(bag: list[float]) -> Fraction:
            return oracle.mean_evidence(bag, of[REFERENCE], p["smoothing"], cap)

        calibration = [value(bag) for bag in of[CALIBRATION]]
    else:

        def value(bag: list[float]) -> Fraction:
            return oracle.raw_statistic(method, bag, Fraction(p["rho"]))

        calibration = [value(bag) for bag in of[REFERENCE] + of[CALIBRATION]]
    found = [value(bag) for bag in of[PARTICIPANT]], [value(bag) for bag in of[NULL]]
    rates = [
        [
            Fraction(sum(oracle.p_value(t, calibration) <= Fraction(level) for t in tested), len(tested))
            for level in levels
        ]
        for tested in found
    ]
    return oracle.auroc(*found), rates[0], rates[1]


def capped_share(bags: Bags, roles: list[int], role: int, p: dict[str, str]) -> Fraction:
    """Documents with Q < cap, averaged within sources, then over the sources of a role."""
    reference = [bag for bag, r in zip(bags, roles, strict=True) if r == REFERENCE]
    chosen = [bag for bag, r in zip(bags, roles, strict=True) if r == role]
    cap = Fraction(p["cap"])
    shares = [Fraction(oracle.capped_documents(bag, reference, p["smoothing"], cap), len(bag)) for bag in chosen]
    return sum(shares, Fraction(0)) / len(shares)


def wanted_columns(bags: Bags, roles: list[int], p: dict[str, str], levels: list[str]) -> dict[Column, Fraction]:
    """Every measure of one partition, paired differences included."""
    answers = {method: answer(method, bags, roles, p, levels) for method in METHODS}
    wanted = {}
    for method, (area, tpr, fpr) in answers.items():
        wanted[Column(method, "auroc")] = area
        for level, true, false in zip(levels, tpr, fpr, strict=True):
            wanted[Column(method, "tpr", level)] = true
            wanted[Column(method, "fpr", level)] = false
    for one, other in combinations(METHODS, 2):
        wanted[Column(f"{one} - {other}", "auroc_gain")] = answers[one][0] - answers[other][0]
        for i, level in enumerate(levels):
            wanted[Column(f"{one} - {other}", "tpr_gain", level)] = answers[one][1][i] - answers[other][1][i]
    wanted[Column("scf", "capped_participants")] = capped_share(bags, roles, PARTICIPANT, p)
    wanted[Column("scf", "capped_nonparticipants")] = capped_share(bags, roles, NULL, p)
    return wanted


def test_partitions(oracles: int, tmp_path: Path) -> None:
    """Each input is one partition; 20 partitions share a population and a cell."""
    for case, random in cases("scf study", max(1, oracles // PARTITIONS)):
        bags, participants, path = population(random, tmp_path)
        pool = len(bags) - participants
        K = random.randint(1, pool - 2)
        L = random.randint(1, pool - K - 1)
        p = {
            "cap": random.choice(["0", "0.05", "0.3", "1e-12", "0.999999999"]),
            "smoothing": random.choice(["document", "source", "0.01"]),
            "rho": random.choice(["0.5", "0.25", "0.9"]),
        }
        levels = [some_level(random, L + 1), "0.3"]
        levels = levels[:1] if Fraction(levels[0]) == Fraction(levels[1]) else levels
        factors = {"reference": K, "calibration": L, "score": "score", **p}
        typed = {"study": "scf", "factors": factors, "inputs": {"scores": str(path)}, "levels": levels, "seed": case}
        cell = resolve(design_from(typed)).cells[0]
        shared = STUDY.share(cell)
        columns = STUDY.simulate(cell, shared, 0, PARTITIONS)
        roles = np.full((PARTITIONS, len(bags)), -1, np.int8)
        draw_roles(np.array(cell.key, np.uint64), 0, shared.pool, np.array([K, L]), roles)
        place = [shared.bags.names.to_pylist().index(f"s{i:03}") for i in range(len(bags))]
        for i in range(PARTITIONS):
            held = [int(roles[i, at]) for at in place]
            assert [held.count(r) for r in range(4)] == [pool - K - L, K, L, participants], (case, i)
            wanted = wanted_columns(bags, held, p, levels)
            assert set(columns) == set(wanted), (case, set(columns) ^ set(wanted))
            for column, value in wanted.items():
                # Rates are divided once, a paired difference is one of two rounded numbers.
                assert near(float(columns[column][i]), value, 1e-15, 2.0**-52), (case, i, column, bags, held, factors)
