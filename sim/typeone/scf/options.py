"""What SCF is asked for: the statistic, its cap and smoothing, and the levels at which to reject."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from typeone.levels import Level, LevelLike, level, levels
from typeone.scf.statistics import Statistic, statistic
from typeone.scf.tail import Smoothing, cap_level, smoothing_rule


@dataclass(frozen=True, slots=True)
class Options:
    """What is tested, and how.

    method : ``"scf"``, a comparator (``"fisher"``, ``"mean"``, ``"max"``, ``"min"``, ``"ramia"``),
        ``"module:function"`` or a function of your own (see ``typeone.scf.statistic``).
    cap : the evidence cap alpha of SCF, 0 <= alpha < 1 (0: uncapped).
    levels : the nominal levels t at which to reject, each strictly between 0 and 1.
    smoothing : ``"document"``, ``"source"`` or a number (see ``typeone.scf.fit``).
    rho : the share of a bag that RaMIA trims.
    fdr : a level for the false discovery rate over all targets (Benjamini-Hochberg), or None.
    ties : ``"conservative"`` counts a tie against the discovery; ``"random"`` breaks it at random, from a
        stream keyed by the split's seed and the source's name.

    >>> options = Options(method="ramia", rho="0.25", levels=["0.05", "0.10"])
    >>> options.ties
    'conservative'
    """

    method: str | Callable[..., Any] = "scf"
    cap: LevelLike = "0.05"
    levels: Sequence[LevelLike] = ("0.05",)
    smoothing: str | LevelLike = "document"
    rho: LevelLike = "0.5"
    fdr: LevelLike | None = None
    ties: Literal["conservative", "random"] = "conservative"


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Terms:
    """The same, checked and exact."""

    statistic: Statistic
    cap: Level
    levels: tuple[Level, ...]
    smoothing: Smoothing
    fdr: Level | None
    ties: str

    @classmethod
    def of(cls, options: Options) -> Terms:
        """Raises ValueError, naming the option, for anything that is not one."""
        if not isinstance(options.ties, str) or options.ties not in ("conservative", "random"):
            raise ValueError(f"ties={options.ties!r}: is 'conservative' or 'random'")
        if not isinstance(options.method, str) and not callable(options.method):
            raise ValueError(f"method={options.method!r}: is a name, or a function of your own")
        return cls(
            statistic(options.method, rho=options.rho),
            cap_level(options.cap),
            levels("levels", _several(options.levels)),
            smoothing_rule(options.smoothing),
            None if options.fdr is None else level("fdr", options.fdr),
            options.ties,
        )


def _several(given: Any) -> list[LevelLike]:
    """The levels one by one; a word is one level."""
    if isinstance(given, str):
        return [given]
    try:
        return list(given)
    except TypeError:
        raise ValueError(f"levels={given!r}: a list of levels is needed, such as ['0.05']") from None
