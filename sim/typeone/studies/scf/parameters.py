"""Factors of the SCF study, with their defaults and rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from typeone.engine.parameters import Exact
from typeone.levels import Level
from typeone.scf.statistics import statistic, trimmed_share
from typeone.scf.tail import cap_level, smoothing_rule
from typeone.studies.scf.scenarios import SCENARIOS, Scenario

SHAPED = ("tau", "nu", "stretch", "share")


class Parameters(BaseModel):
    """One cell: where the population comes from, and how its null pool is divided."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    scenario: str = "scores"
    """``scores`` (a score file: ``[inputs] scores``, or the packaged real scores) or the name of a scenario."""
    population: Literal["fixed", "redraw"] = "fixed"
    """One population for all repetitions, or a new one from the scenario in each."""
    population_seed: int = Field(default=1, ge=0, lt=2**63)
    """Seed of a fixed population of a scenario."""
    reference: int = Field(default=0, ge=0)
    """Reference sources K; 0: the scenario's own, or 20 for a score file."""
    calibration: int = Field(default=0, ge=0)
    """Calibration sources L; 0: the scenario's own, or 39 for a score file."""
    queries: int = Field(default=0, ge=0, le=1000)
    """Queries (documents) of every source of a scenario; 0: the published number, or 1 to 16 where that varies."""
    cap: Exact = Level("0.05")
    """Evidence cap alpha of SCF; 0: uncapped."""
    smoothing: str = "document"
    """Of the reference tail: ``document``, ``source``, or a number above 0."""
    rho: Exact = Level("0.5")
    """Share of each bag that RaMIA trims."""
    own: str = ""
    """A statistic of your own, ``module:function``, beside the built-in ones."""
    source: str = "source"
    """Column of the score file with the source."""
    score: str = "score_ratio"
    """Column of the score file with the score, larger = more evidence."""
    participant: str = "participant"
    """Column of the score file that is true for sources that took part."""
    control: str = ""
    """Column that is true for known nonparticipants; empty: every source that is not a participant."""
    packaged: Literal["scf", "scf_null"] = "scf"
    """The packaged file that is read when the design names none; in ``scf_null`` no source took part."""
    rows: str = ""
    """``column=value``: only these rows of the score file."""
    pool: int = Field(default=0, ge=0)
    """Null sources; 0: the scenario's own, and where populations are redrawn enough to test as many as it does."""
    effect: Annotated[Exact, Field(ge=0)] = Level("1")
    """Multiplies the scenario's effect, or the distance of participants from controls in a score file."""
    tau: Annotated[Exact, Field(ge=0)] | None = None
    """SD of the sources' baselines, in place of the scenario's own; likewise the next three."""
    nu: Annotated[Exact, Field(gt=0)] | None = None
    """Degrees of freedom of a document's noise."""
    stretch: Annotated[Exact, Field(gt=0)] | None = None
    """Of the noise's positive part."""
    share: Annotated[Exact, Field(ge=0, le=1)] | None = None
    """Of a participant's documents that respond."""
    resample: bool = False
    """Draw every repetition's sources from those of the score file, with replacement (a pilot)."""

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
        return trimmed_share(value)

    @model_validator(mode="after")
    def _fits(self) -> Parameters:
        if self.resample and self.scenario != "scores":
            raise ValueError("resample: only a score file is resampled; a scenario has population='redraw'")
        if self.pool and self.scenario == "scores" and not self.resample:
            raise ValueError("pool: a score file has the controls it has, unless resample=true")
        if self.queries and self.scenario == "scores":
            raise ValueError("queries: a score file has the documents it has; only a scenario can draw others")
        return self

    @model_validator(mode="after")
    def _shaped(self) -> Parameters:
        if self.scenario == "scores" and (given := [name for name in SHAPED if getattr(self, name) is not None]):
            raise ValueError(f"{given[0]}: the shape of a score file is its own; only a scenario's can be changed")
        return self

    @model_validator(mode="after")
    def _divides(self) -> Parameters:
        if self.scenario != "scores" and self.scene.pool < self.K + self.L + 1:
            raise ValueError(
                f"reference={self.K}, calibration={self.L}: the null pool has {self.scene.pool} sources, and at least "
                "one must be left to test; population='redraw' draws as many as it takes, or give a larger pool"
            )
        return self

    @property
    def scene(self) -> Scenario:
        """The scenario with this cell's null pool, queries, shape and effect."""
        given = {name: float(value) for name in SHAPED if (value := getattr(self, name)) is not None}
        scenario = SCENARIOS[self.scenario]
        scenario = scenario.reshaped(replace(scenario.shape, **given))
        tested = scenario.pool - scenario.reference - scenario.calibration
        needed = self.K + self.L + tested if self.population == "redraw" else 0
        return scenario.changed(self.pool or max(scenario.pool, needed), float(self.effect), self.queries)

    @property
    def K(self) -> int:
        """Reference sources of a partition."""
        return self.reference or (SCENARIOS[self.scenario].reference if self.scenario in SCENARIOS else 20)

    @property
    def L(self) -> int:
        """Calibration sources of a partition."""
        return self.calibration or (SCENARIOS[self.scenario].calibration if self.scenario in SCENARIOS else 39)


def calibration_size(p: Parameters, method: str) -> int:
    """How many sources ``method``, a name or ``module:function``, is calibrated on: L, or K + L when it is raw."""
    return statistic(method).calibration_sources(p.K, p.L)


_FILE = ("source", "score", "participant", "control", "packaged", "rows", "scores")
_REDRAWN = ("population", "population_seed")


def unused(p: Parameters) -> dict[str, str]:
    """Factors and inputs of a score file where a scenario is drawn, and the other way round."""
    if p.scenario != "scores":
        found = dict.fromkeys(_FILE, f"scenario={p.scenario!r} reads no score file (scenario='scores' does)")
        if p.population == "redraw":
            found["population_seed"] = "population='redraw' draws a new one in every repetition"
        return found
    return dict.fromkeys(_REDRAWN, "a score file is one population; resample=true draws its sources anew")
