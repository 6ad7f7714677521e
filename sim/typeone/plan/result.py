"""The answer to a question: sizes with their intervals, limits with their verdicts, and the curve behind them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from typeone.display import html_table
from typeone.engine.verdicts import Verdict
from typeone.notebook import drawn
from typeone.plan.search import Bracket

CURVE = pa.schema(
    [
        ("multiple", pa.string()),
        ("outer", pa.int64()),
        ("size", pa.int64()),
        ("estimate", pa.float64()),
        ("mc_se", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("repetitions", pa.int64()),
        ("failed", pa.int64()),
        ("status", pa.string()),
        ("source", pa.string()),
    ]
)
"""``lower`` and ``upper`` are the bounds that decided, valid for all sizes and looks together; ``source`` is
"exact", "simulated" or, for a size between two of one tooth that agree, "inferred"."""


class Estimated(NamedTuple):
    """An expectation at one size: with its Monte Carlo error and bounds, or exactly (repetitions 0)."""

    estimate: float
    mc_se: float
    lower: float
    upper: float
    repetitions: int
    failed: int


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit from above (a Type-I error) at an answer."""

    text: str
    """With the design's margin, if it has one."""
    verdict: Verdict
    found: Estimated | None
    """None before the first look."""


@dataclass(frozen=True, slots=True)
class Size:
    """A size with the interval that its true value lies in; None stands for "beyond the upper end"."""

    size: int | None
    lower: int | None
    upper: int | None
    ends: tuple[int, int]
    reached: Estimated | None
    """The target's measure at ``size``."""
    limits: tuple[Limit, ...] = ()

    @classmethod
    def of(cls, bracket: Bracket, sizes: tuple[int, ...], reached: Estimated | None, limits: tuple[Limit, ...]) -> Size:
        """From positions among ``sizes``."""
        size, lower, upper = ((*sizes, None)[position] for position in bracket)
        return cls(size, lower, upper, (sizes[0], sizes[-1]), reached, limits)

    @property
    def text(self) -> str:
        """In words."""
        first, last = self.ends
        if self.lower is None:
            return f"beyond the upper end (> {last})"
        if self.upper == first:
            return f"already at the lower end (<= {first})"
        if self.size is None or self.upper is None:
            point = f"{self.size}" if self.size is not None else f"> {last}"
            return f"{point} (>= {self.lower}; the upper end {last} does not settle it)"
        return f"{self.size}" if self.lower == self.upper else f"{self.size} ({self.lower} to {self.upper})"

    @property
    def short(self) -> str:
        """For a table: what is known, without the words."""
        first, last = self.ends
        if self.lower is None:
            return f"> {last}"
        if self.upper == first:
            return f"<= {first}"
        point = f"{self.size}" if self.size is not None else f"> {last}"
        if self.size is None or self.upper is None:
            return f"{point} (>= {self.lower})"
        return point if self.lower == self.upper else f"{point} ({self.lower} to {self.upper})"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer along one line: for one multiple of the effect and one size of the second factor."""

    multiple: str
    effect: str
    """The effect's value there; "" when none was asked about."""
    outer: int | None
    minimum: Size
    stable: Size
    cost: Mapping[str, float | None] = field(default_factory=dict)
    """Of the minimum and of the stable size."""
    frontier: bool = False
    """No other line needs less of one factor (stable size) and no more of the other."""
    cheapest: bool = False
    """No other line's stable size costs less."""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """What ``typeone plan`` finds; the same for any number of workers."""

    study: str
    target: str
    column: tuple[str, str, str]
    factors: tuple[str, ...]
    effect: str
    """The factor that was also taken smaller and larger; "": none."""
    about: str
    """What the multiples of the effect are, in a sentence."""
    holds_for: str
    """What the answer is about, where that is less than a reader would think, in a sentence."""
    error: str
    answers: tuple[Answer, ...]
    repetitions: int = 0
    """Of all sizes together."""
    curve: pa.Table = field(default_factory=CURVE.empty_table, repr=False)

    @property
    def main(self) -> tuple[Answer, ...]:
        """The answers at the effect as it is."""
        return tuple(answer for answer in self.answers if answer.multiple == "1")

    def as_json(self) -> str:
        """Everything but the curve."""
        return json.dumps(_plain(self), indent=1, allow_nan=False)

    @property
    def _caption(self) -> str:
        return "; ".join(filter(None, (f"{self.study}: {self.target}", self.about, self.holds_for)))

    def _repr_html_(self) -> str:
        return html_table(*answer_rows(self), caption=self._caption) + drawn("plan", self)


def _plain(value: Any) -> Any:
    if isinstance(value, Estimated):
        return {k: None if v != v else v for k, v in value._asdict().items()}
    if isinstance(value, PlanResult | Answer | Size | Limit):
        names = [name for name in value.__dataclass_fields__ if name != "curve"]
        extra = {"text": value.text} if isinstance(value, Size) else {}
        return {name: _plain(getattr(value, name)) for name in names} | extra
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def answer_rows(result: PlanResult) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of a table of all answers, one line each."""
    inner, *outer = result.factors
    priced = any(answer.cost for answer in result.answers)
    valued = any(answer.effect != answer.multiple for answer in result.answers if result.effect)
    header = [f"x {result.effect}"] if result.effect else []
    header += [result.effect] if valued else []
    header += [*outer, f"minimum {inner}", f"stable {inner}"]
    header += ["stable cost", "cheapest"] if priced else []
    header += ["frontier"] if outer else []
    rows = []
    for answer in result.answers:
        row: list[Any] = [answer.multiple] if result.effect else []
        row += [answer.effect] if valued else []
        row += [answer.outer] if outer else []
        row += [answer.minimum.short, answer.stable.short]
        row += [answer.cost.get("stable"), answer.cheapest] if priced else []
        row += [answer.frontier] if outer else []
        rows.append(row)
    return header, rows
