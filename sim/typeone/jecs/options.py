"""What JECS is asked for: the method, the level, and which scores speak for a clean item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from typeone import seeds
from typeone.jecs.methods import method_called
from typeone.levels import Level, LevelLike, level


@dataclass(frozen=True, slots=True)
class Options:
    """What is selected, and how.

    method : ``"jecs"``, ``"jecs-filter"``, ``"max-p"``, ``"storey"``, ``"adafilter"``, ``"intersection"``, ``"union"``.
    level : bound on the expected share of contaminated items among the selected, strictly between 0 and 1.
    evidence : whether ``"smaller"`` or ``"larger"`` scores speak for a clean item.
    ties : ``"attainable"`` counts a tie against the item; ``"random"`` breaks it at random, from a stream keyed by the
        seed and the names of item and model.
    seed : names the random tie breaks.

    >>> Options(method="max-p", level="0.05").evidence
    'smaller'
    """

    method: str = "jecs"
    level: LevelLike = "0.1"
    evidence: Literal["smaller", "larger"] = "smaller"
    ties: Literal["attainable", "random"] = "attainable"
    seed: int = 0


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Terms:
    """The same, checked and exact."""

    method: str
    level: Level
    larger: bool
    """Larger scores speak for a clean item."""
    at_random: bool
    """Ties are broken at random."""
    seed: int

    @classmethod
    def of(cls, options: Options, models: int) -> Terms:
        """For so many models.  Raises ValueError, naming the option, for anything that is not one."""
        for name, value, words in (
            ("evidence", options.evidence, ("smaller", "larger")),
            ("ties", options.ties, ("attainable", "random")),
        ):
            if not isinstance(value, str) or value not in words:
                raise ValueError(f"{name}={value!r}: is {words[0]!r} or {words[1]!r}")
        seeds.checked(options.seed)
        if not isinstance(options.method, str):
            raise ValueError(f"method={options.method!r}: is the name of a method")
        method_called(options.method, models)
        alpha = level("level", options.level)
        return cls(options.method, alpha, options.evidence == "larger", options.ties == "random", options.seed)
