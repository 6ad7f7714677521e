"""Fair timing of implementations of the same work: warm-up, interleaved rounds, ratios of medians."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of each round of one implementation."""

    name: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def interleaved(work: Mapping[str, Callable[[], object]], *, rounds: int = 7) -> dict[str, Timing]:
    """Run every implementation once to warm up, then in turn for ``rounds`` rounds."""
    for function in work.values():
        function()
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, function in work.items():
            start = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - start)
    return {name: Timing(name, tuple(values)) for name, values in seconds.items()}


def ratio(slow: Timing, fast: Timing) -> tuple[float, float, float]:
    """(median, least, largest) of the ratios slow / fast, round by round; the median is that of the medians."""
    pairs = [a / b for a, b in zip(slow.seconds, fast.seconds, strict=True)]
    return slow.median / fast.median, min(pairs), max(pairs)
