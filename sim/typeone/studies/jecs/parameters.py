"""Factors of the decontamination study, with their defaults and rules."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from typeone.engine.parameters import Exact
from typeone.levels import Level
from typeone_kernels.membership import PATTERNS

LAWS = ("t", "t^2", "t^3", "mixture", "t^c H(t)")

Share = Annotated[Exact, Field(ge=0, le=1)]


class Parameters(BaseModel):
    """One cell: a family, the sizes, who is contaminated where, and what the scores are like.

    ``scores``: scores are drawn and ranked among shared calibration scores.  ``ideal``: largest p-values are drawn
    from laws that satisfy the theorem.  ``real``: random splits of a score file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    family: Literal["scores", "ideal", "real"] = "scores"
    """``scores``: simulated scores; ``ideal``: p-values by law, as the theorem has them; ``real``: a score file."""
    models: int = Field(default=3, ge=1, le=64)
    """Models K (a score file has the models it has)."""
    candidates: int = Field(default=1000, ge=0, le=1_000_000)
    """Candidate items n; 0: all that a score file has left."""
    calibration: int = Field(default=1000, ge=0, le=1_000_000)
    """Calibration items m of each model; 0: as many as a score file has in that role."""
    calibration_spread: Annotated[Exact, Field(ge=0, lt=1)] = Level("0")
    """m_k runs evenly from m (1 - spread) to m (1 + spread) over the models."""
    drawn: int = Field(default=0, ge=0, le=1_000_000)
    """Calibration items drawn for each model, of which the first m_k are used: cells that draw equally many have
    the same candidates, whatever m.  0: as many as are used."""
    clean: Share = Level("0.3")
    """Probability that an item is clean."""
    pattern: str = "each"
    """Models a contaminated item is in: ``one`` (uniform), ``each`` (one, and each other with probability ``also``),
    ``all``, ``nested`` (models 1 to J, J uniform), or weighted: ``0.3 one + 0.7 all``."""
    also: Share = Level("0.5")
    """With the pattern ``each``: probability of each further model."""
    shift: Annotated[Exact, Field(ge=0)] = Level("3")
    """How much lower a model scores an item that it was not trained on, in SDs of its members' scores."""
    shift_spread: Annotated[Exact, Field(ge=0, le=1)] = Level("0")
    """The shift runs evenly from shift (1 - spread) to shift (1 + spread) over the models."""
    correlation: Annotated[Exact, Field(ge=0, lt=1)] = Level("0")
    """Of an item's scores between models, given membership."""
    tails: int = Field(default=0, ge=0, le=1000)
    """Degrees of freedom of Student scores; 0: normal."""
    miscalibration: Exact = Level("0")
    """How much higher calibration items score than contaminated candidates."""
    low_share: Share = Level("0")
    """Probability that an item, of either role, scores ``low_shift`` lower under every model."""
    low_shift: Annotated[Exact, Field(ge=0)] = Level("6")
    """See ``low_share``; in SDs of members' scores."""
    values: int = Field(default=0, ge=0, le=1_000_000)
    """Distinct values that scores can take, by cuts evenly spaced in (-3, 1); 0: no ties, 2: two-valued."""
    ties: Literal["attainable", "random"] = "attainable"
    """How a rank counts calibration scores equal to the candidate's: all (attainable), or a random number of them."""
    law: str = "t"
    """Ideal family: the contaminated items' law.  ``mixture``: t, t^2 and t^3 equally often; ``t^c H(t)``: the
    largest of the p-values of K independent models, the item being in c of them as ``pattern`` says."""
    score: str = "score_ref"
    """Score column of a file, larger = more evidence of membership."""
    rows: str = ""
    """``column=value``: only these rows of the score file."""

    @field_validator("law")
    @classmethod
    def _known_law(cls, value: str) -> str:
        if value not in LAWS:
            raise ValueError(f"{value!r} is not one of {', '.join(LAWS)}")
        return value

    @field_validator("pattern")
    @classmethod
    def _known_pattern(cls, value: str) -> str:
        weights(value)
        return value

    @model_validator(mode="after")
    def _fits(self) -> Parameters:
        if self.family != "real" and (not self.candidates or not self.calibration):
            raise ValueError("candidates, calibration: 0 is for a score file; draw at least one item")
        if self.drawn and self.family != "scores":
            raise ValueError("drawn: only drawn scores can be more than are used (family='scores')")
        if 0 < self.drawn < max(self.sizes):
            raise ValueError(f"drawn={self.drawn}: a model uses {max(self.sizes)} calibration items")
        if self.values == 1:
            raise ValueError("values: scores with one value decide nothing; 0 means no ties")
        return self

    @property
    def sizes(self) -> list[int]:
        """Calibration scores of each model."""
        return [max(1, round(self.calibration * f)) for f in self._spread(self.calibration_spread)]

    @property
    def most(self) -> int:
        """Calibration items drawn for each model."""
        return self.drawn or max(self.sizes)

    @property
    def shifts(self) -> list[float]:
        """Clean shift of each model."""
        return [float(self.shift * f) for f in self._spread(self.shift_spread)]

    def _spread(self, spread: Fraction) -> Sequence[Fraction]:
        K = self.models
        return [1 + spread * Fraction(2 * k - (K - 1), max(1, K - 1)) for k in range(K)]


def weights(pattern: str) -> list[float]:
    """The probability of each of ``PATTERNS`` in a text such as ``0.3 one + 0.7 all``."""
    found = [Fraction(0)] * len(PATTERNS)
    for term in pattern.split("+"):
        *weight, name = term.split() or [""]
        if name not in PATTERNS or len(weight) > 1:
            raise ValueError(f"{pattern!r}: write one of {', '.join(PATTERNS)}, or a mixture such as 0.3 one + 0.7 all")
        found[PATTERNS.index(name)] += Level(weight[0]) if weight else 1
    if min(found) < 0 or sum(found) != 1:
        raise ValueError(f"{pattern!r}: weights are not negative and sum to 1")
    return [float(weight) for weight in found]


_DRAWN = ("calibration_spread", "drawn", "correlation", "tails", "miscalibration", "low_share", "low_shift", "values")
"""Of scores that are drawn; who is contaminated where, and the clean shift, matter for ideal p-values as well."""
_MEMBERSHIP = ("models", "clean", "pattern", "also", "shift", "shift_spread")


def unused(p: Parameters) -> dict[str, str]:
    """Factors that belong to another family, and details of what the cell does not have."""
    no_file = f"family={p.family!r} reads no score file (family='real' does)"
    found = dict.fromkeys(("score", "rows", "scores"), no_file)
    if p.family == "real":
        found = dict.fromkeys((*_DRAWN, *_MEMBERSHIP, "law"), "a score file has the models, items and scores it has")
    elif p.family == "ideal":
        found |= dict.fromkeys((*_DRAWN, "calibration", "ties"), "family='ideal' draws p-values, no scores")
        if p.law != "t^c H(t)":
            found |= dict.fromkeys(("pattern", "also"), f"law={p.law!r} does not ask in which models an item is")
    else:
        found["law"] = "only family='ideal' draws p-values from a law"
    if p.family != "real" and not weights(p.pattern)[PATTERNS.index("each")]:
        found["also"] = f"pattern={p.pattern!r} says itself in which models an item is"
    if not p.low_share:
        found["low_shift"] = "low_share is 0: no item scores lower"
    return found
