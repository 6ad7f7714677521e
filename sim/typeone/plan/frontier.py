"""Two factors at once: which pairs of sizes are worth having, and which costs least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from typeone.levels import Level
from typeone.plan.result import Answer, Size


def priced(answers: Sequence[Answer], factors: Sequence[str], costs: Mapping[str, Level]) -> tuple[Answer, ...]:
    """The answers with costs, and marked when they are on the frontier or the cheapest, by stable sizes.

    Answers to different multiples of the effect are not compared with each other.
    """
    paid = [replace(a, cost=_costs(a, factors, costs)) if costs else a for a in answers]
    return tuple(
        replace(
            answer,
            frontier=len(factors) > 1 and _is_on_frontier(answer, paid),
            cheapest=bool(costs) and _is_cheapest(answer, paid),
        )
        for answer in paid
    )


def _costs(answer: Answer, factors: Sequence[str], costs: Mapping[str, Level]) -> dict[str, float | None]:
    def cost(found: Size) -> float | None:
        if found.size is None:
            return None
        pair = (found.size, answer.outer or 0)
        return float(sum(costs[factor] * size for factor, size in zip(factors, pair, strict=False)))

    return {"minimum": cost(answer.minimum), "stable": cost(answer.stable)}


def _is_on_frontier(answer: Answer, answers: Sequence[Answer]) -> bool:
    if answer.stable.size is None:
        return False
    mine = (answer.stable.size, answer.outer or 0)
    others = [(a.stable.size, a.outer or 0) for a in answers if a.multiple == answer.multiple]
    return not any(
        size is not None and size <= mine[0] and outer <= mine[1] and (size, outer) != mine for size, outer in others
    )


def _is_cheapest(answer: Answer, answers: Sequence[Answer]) -> bool:
    mine = answer.cost["stable"]
    others = [a.cost["stable"] for a in answers if a.multiple == answer.multiple]
    return mine is not None and mine == min(cost for cost in others if cost is not None)
