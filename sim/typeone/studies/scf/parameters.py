"""Factors of the SCF study, with their defaults and rules."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from typeone.engine.parameters import Exact
from typeone.levels import Level
from typeone.scf.tail import cap_level, smoothing_rule
from typeone.studies.scf.scenarios import SCENARIOS


class Parameters(BaseModel):
    """One cell: where the population comes from, and how its null pool is divided."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scenario: str = "scores"
    """``scores`` (a score file: ``[inputs] scores``, or the packaged real scores) or the name of a scenario."""
    population: Literal["fixed", "redraw"] = "fixed"
    """One population for all repetitions, or a new one from the scenario in each."""
    population_seed: int = Field(default=1, ge=0, lt=2**63)
    reference: int = Field(default=0, ge=0)
    """Reference sources K; 0: the scenario's own, or 20 for a score file."""
    calibration: int = Field(default=0, ge=0)
    """Calibration sources L; 0: the scenario's own, or 39 for a score file."""
    cap: Exact = Level("0.05")
    smoothing: str = "document"
    rho: Exact = Level("0.5")
    own: str = ""
    """A statistic of your own, ``module:function``, beside the built-in ones."""
    source: str = "source"
    score: str = "score_ratio"
    participant: str = "participant"
    control: str = ""
    """Column that is true for known nonparticipants; empty: every source that is not a participant."""
    rows: str = ""
    """``column=value``: only these rows of the score file."""

    @field_validator("scenario")
    @classmethod
    def _known(cls, value: str) -> str:
        if value != "scores" and value not in SCENARIOS:
            raise ValueError(f"{value!r} is not 'scores' or one of {', '.join(SCENARIOS)}")
        return value

    @field_validator("cap")
    @classmethod
    def _cap(cls, value: Level) -> Level:
        return cap_level(value)

    @field_validator("smoothing")
    @classmethod
    def _smoothing(cls, value: str) -> str:
        smoothing_rule(value)
        return value

    @field_validator("rho")
    @classmethod
    def _rho(cls, value: Level) -> Level:
        if not 0 < value < 1:
            raise ValueError(f"{value.text}: the trimmed share lies strictly between 0 and 1")
        return value

    @property
    def K(self) -> int:
        """Reference sources of a partition."""
        return self.reference or (SCENARIOS[self.scenario].reference if self.scenario in SCENARIOS else 20)

    @property
    def L(self) -> int:
        """Calibration sources of a partition."""
        return self.calibration or (SCENARIOS[self.scenario].calibration if self.scenario in SCENARIOS else 39)
