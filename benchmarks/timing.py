"""Fair timing of implementations of the same work: warm-up, interleaved rounds, ratios of medians with their spread."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

ROUNDS = 7


@dataclass(frozen=True)
class Timing:
    """Seconds of each round of one implementation, for one unit of work."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


@dataclass(frozen=True)
class Ratio:
    """Ratio of medians, and quartiles and range of the ratios round by round."""

    median: float
    lower: float
    upper: float
    least: float
    largest: float

    @classmethod
    def of(cls, top: Timing, bottom: Timing) -> Ratio:
        """Rounds are paired: both ran within one round of each other."""
        pairs = np.array(top.seconds) / np.array(bottom.seconds)
        lower, upper = np.quantile(pairs, [0.25, 0.75])
        return cls(top.median / bottom.median, float(lower), float(upper), float(pairs.min()), float(pairs.max()))

    def __str__(self) -> str:
        return f"{short(self.median)} ({short(self.lower)}–{short(self.upper)})"


def short(value: float) -> str:
    """Three significant digits, without an exponent where that is short."""
    if value == 0 or not 1e-3 <= abs(value) < 1e6:
        return f"{value:.3g}"
    digits = max(0, 2 - int(np.floor(np.log10(abs(value)))))
    return f"{value:.{digits}f}"


def seconds_of(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def interleaved(
    measures: Mapping[str, Callable[[], float]], *, rounds: int = ROUNDS, warm: bool = True
) -> dict[str, Timing]:
    """Each of ``measures`` returns the seconds of one unit of its work; all in turn, for ``rounds`` rounds.

    The order is turned by one from round to round, so that nobody always runs after the same neighbour.
    """
    names = list(measures)
    if warm:
        for measure in measures.values():
            measure()
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for i in range(rounds):
        at = i % len(names)
        for name in names[at:] + names[:at]:
            seconds[name].append(measures[name]())
    return {name: Timing(tuple(values)) for name, values in seconds.items()}
