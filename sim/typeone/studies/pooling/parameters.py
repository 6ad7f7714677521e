"""Factors of the pooling study, with their defaults and rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from typeone.engine.parameters import Exact
from typeone.levels import Level

_LEAST_RELIABILITY = Fraction(501, 1000)  # nearer 1/2 the thresholds of a vote count grow without bound


class Parameters(BaseModel):
    """One cell: the sources, what they share, and what the pooled rule knows of them."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    n: int = Field(default=12, ge=1, le=1_000)
    """Sources consulted on an item."""
    reliability: Annotated[Exact, Field(gt=0, lt=1)] = Level("0.8")
    """P(a source is right), the middle of the two groups below."""
    spread: Annotated[Exact, Field(ge=0)] = Level("0")
    """Sources 1, 3, 5, ... are right with probability reliability + spread, the others with reliability - spread."""
    dependence: Annotated[Exact, Field(ge=0, le=1)] = Level("0")
    """P(a source looks at the item's latent variable instead of its own); marginals do not change."""
    miscalibration: Annotated[Exact, Field(gt=0, le=100)] = Level("1")
    """The pooled rule takes this multiple of every true logit (1: calibrated).  Only where ``labelled`` is 0."""
    labelled: int = Field(default=0, ge=0, le=100_000)
    """Labelled items from which each repetition estimates the reliabilities; 0: they are known."""
    prior: Annotated[Exact, Field(gt=0, lt=1)] = Level("0.5")
    """Share of true hypotheses, which the pooled rule knows."""
    reference: int = Field(default=3, ge=1, le=1_000)
    """Sources with which the thresholds of the vote count and the vote share were set."""
    partial: Annotated[Exact, Field(ge=0, le=1)] = Level("0")
    """Share of items on which only the first ``reference`` sources are consulted."""
    items: int = Field(default=1_000, ge=2, le=1_000_000)
    """Items of one repetition."""

    @model_validator(mode="after")
    def _consistent(self) -> Parameters:
        if self.reliability < _LEAST_RELIABILITY:
            raise ValueError(f"reliability={self.reliability.text}: lies at or above {_LEAST_RELIABILITY}")
        if not 2 * (self.reliability - self.spread) > 1 or not self.reliability + self.spread < 1:
            raise ValueError(
                f"spread={self.spread.text}: reliability - spread lies above 1/2 and reliability + spread below 1"
            )
        if self.labelled and self.miscalibration != 1:
            raise ValueError(
                f"miscalibration={self.miscalibration.text}: is for known reliabilities, labelled = 0; "
                "estimated ones have their own error"
            )
        if self.partial and self.reference > self.n:
            raise ValueError(f"reference={self.reference}: exceeds n={self.n}, while partial items consult so many")
        return self

    @property
    def groups(self) -> tuple[Fraction, Fraction]:
        """Reliabilities of sources 1, 3, 5, ... and of sources 2, 4, 6, ..."""
        return self.reliability + self.spread, self.reliability - self.spread

    @property
    def reliabilities(self) -> list[Fraction]:
        """Of the n sources in the order in which they are consulted."""
        return [self.groups[i % 2] for i in range(self.n)]
