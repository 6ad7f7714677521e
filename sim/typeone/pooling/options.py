"""What pooling is asked for: thresholds, prior, the level of every bound, and the seed of the split."""

from __future__ import annotations

from dataclasses import dataclass

from typeone import seeds
from typeone.levels import Level, LevelLike, level


@dataclass(frozen=True, slots=True)
class Options:
    """What is decided, and how.

    accept, reject : accept an item when its posterior is at least ``accept``, reject it when the posterior is at
        most ``reject``, abstain between; 0 < reject <= accept < 1, compared exactly (with equal thresholds an item
        that lies on them is left undecided).
    prior : probability that an item's hypothesis is true before any vote.
    level : every one-sided bound, and every source's two-sided interval, errs with probability at most ``level``.
    seed : names the split of the labelled items into a fitting half and a held-out half.

    >>> options = Options(accept="0.99", reject="0.01")
    >>> options.prior
    '0.5'
    """

    accept: LevelLike = "0.95"
    reject: LevelLike = "0.05"
    prior: LevelLike = "0.5"
    level: LevelLike = "0.05"
    seed: int = 0


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Terms:
    """The same, checked and exact."""

    accept: Level
    reject: Level
    prior: Level
    level: Level
    seed: int

    @classmethod
    def of(cls, options: Options) -> Terms:
        """Raises ValueError, naming the option, for anything that is not one."""
        accept, reject = level("accept", options.accept), level("reject", options.reject)
        if reject > accept:
            raise ValueError(f"reject={reject.text}: lies above accept={accept.text}")
        prior, error = level("prior", options.prior), level("level", options.level)
        return cls(accept, reject, prior, error, seeds.checked(options.seed))
