"""Panels under attack, drawn one by one, and the exact error beside them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from typeone import panels
from typeone.engine.streams import generator
from typeone.engine.study import Cell, Column, Columns
from typeone.levels import Level
from typeone.panels.curves import quota
from typeone.studies.panels.parameters import Parameters


def attacked(cell: Cell, first: int, count: int) -> Columns:
    """Whether each panel misses the decision to accept (capture: can be forced to accept), and the exact chance."""
    p: Parameters = cell.parameters
    missed = np.array([_misses(p, generator(cell.key, first + i)) for i in range(count)], float)
    return {
        Column(p.attack, "disagreement"): missed,
        Column(p.attack, "disagreement_exactly"): np.full(count, exact_error(p)),
    }


def _misses(p: Parameters, rng: np.random.Generator) -> bool:
    """One panel, by what the adversary does."""
    q = quota(p.theta, p.size)
    if p.attack == "census":
        votes = rng.permutation(p.evaluators)[: p.size] < max(_positives(p) - int(p.corrupted), 0)
        return int(votes.sum()) < q
    uniform = rng.random(p.size)
    if p.attack == "capture":
        return int((uniform < float(p.corrupted)).sum()) >= q
    votes = uniform < float(_chance(p))
    if p.attack == "fixed":
        votes &= rng.random(p.size) >= float(p.corrupted)
    elif p.attack == "targeted":  # votes that would have been positive, a share of the population
        votes &= uniform >= float(p.corrupted)
    flips = int(p.corrupted) if p.attack == "panel" else 0
    return int(votes.sum()) - flips < q


def exact_error(p: Parameters) -> float:
    """The same chance from exact tails."""
    if p.attack == "census":
        flips = min(int(p.corrupted), p.evaluators)
        return float(panels.census_errors(p.evaluators, _positives(p), theta=p.theta, census_flips=flips)[p.size - 1])
    if p.attack == "capture":
        return float(panels.superpopulation_capture(p.corrupted, p.size, force="accept", theta=p.theta)[p.size - 1])
    errors = panels.superpopulation_errors(
        Level(str(_chance(p))),
        p.size,
        theta=p.theta,
        fixed_share=p.corrupted if p.attack == "fixed" else 0,
        targeted_share=p.corrupted if p.attack == "targeted" else 0,
        panel_flips=min(int(p.corrupted), p.size) if p.attack == "panel" else 0,
    )
    return float(errors[p.size - 1])


def _chance(p: Parameters) -> Fraction:
    return p.theta + p.clarity


def _positives(p: Parameters) -> int:
    """The least number of positive votes with which the census is as clear as asked."""
    return math.ceil(_chance(p) * p.evaluators)
