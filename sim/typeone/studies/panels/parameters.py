"""Factors of the panels study, with their defaults and rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from typeone.engine.parameters import Exact
from typeone.levels import Level
from typeone.panels.options import Options, Terms

Share = Annotated[Exact, Field(ge=0, le=1)]


class Parameters(BaseModel):
    """One cell: a certificate from simulated votes (``attack = "none"``), or panels under attack.

    Generator law: a unit is *clear* with probability ``clear``, and then its acceptance probability lies ``clarity``
    from theta, else ``unclear``; above theta with probability ``accepting``.  These are atoms, or the means of beta
    laws with ``concentration`` a + b.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    evaluators: int = Field(default=40, ge=1, le=100_000)
    """E; in attacks on a census its number of votes M."""
    units: int = Field(default=50, ge=1, le=20_000)
    """Generated units A."""
    shared: Share = Level("1/2")
    """Dependence: the probability that an evaluator votes by its one uniform shared by all units (see
    ``typeone_kernels.certificates``); 0 makes votes independent."""
    clear: Share = Level("7/10")
    """Share of units whose acceptance probability is far from theta."""
    clarity: Share = Level("9/20")
    """That distance: a clear unit is accepted with probability theta + clarity or theta - clarity."""
    unclear: Share = Level("1/50")
    """The distance from theta of the other units."""
    accepting: Share = Level("1/2")
    """Share of units that lie above theta."""
    concentration: Annotated[Exact, Field(ge=0)] = Level("0")
    """a + b of beta laws; 0: atoms."""
    delta: Exact = Level("0.01")
    """Tolerated disagreement error of a panel."""
    theta: Exact = Level("1/2")
    """Decision threshold: a group accepts with at least this share of positive votes."""
    beta: Exact = Level("0.10")
    """Share of units that may stay uncertified."""
    grid: str = "3,5,7,11,15,23,31,47"
    """Panel sizes of the certificate, separated by commas."""
    control: Literal["mass-controlled", "familywise"] = "mass-controlled"
    """The method of the certificate."""
    eta_e: Exact = Level("0.025")
    """Error budget of the evaluators."""
    eta_g: Exact = Level("0.025")
    """Error budget of the generator."""
    xi_e: Exact = Level("0.025")
    """Mass of units whose interval may fail."""
    attack: Literal["none", "fixed", "targeted", "panel", "census", "capture"] = "none"
    """``none``: the certificate; else panels of ``size`` under attack at acceptance probability theta + clarity."""
    corrupted: Annotated[Exact, Field(ge=0)] = Level("0")
    """A share of the population (fixed, targeted, capture), or a number of votes (panel, census)."""
    size: int = Field(default=7, ge=1, le=10_000)
    """Panel size K under attack."""

    @model_validator(mode="after")
    def _consistent(self) -> Parameters:
        self.terms("exact")
        for name in ("clarity", "unclear"):
            distance: Level = getattr(self, name)
            if (self.accepting > 0 and self.theta + distance > 1) or (self.accepting < 1 and self.theta - distance < 0):
                raise ValueError(f"{name}={distance.text}: leads out of [0, 1] from theta={self.theta.text}")
        if self.attack in ("panel", "census"):
            if self.corrupted.denominator != 1:
                raise ValueError(f"corrupted={self.corrupted.text}: attack={self.attack!r} flips whole votes")
        elif self.corrupted > 1:
            raise ValueError(f"corrupted={self.corrupted.text}: attack={self.attack!r} corrupts a share, at most 1")
        if self.attack == "census" and self.size > self.evaluators:
            raise ValueError(f"size={self.size}: a panel is drawn from a census of evaluators={self.evaluators}")
        return self

    def terms(self, generator: Literal["exact", "hoeffding", "catalogue"]) -> Terms:
        """The certificate's terms with one of the generator layers."""
        try:
            sizes = [int(word) for word in self.grid.split(",")]
        except ValueError:
            raise ValueError(f"grid={self.grid!r}: is written '3,5,7'") from None
        return Terms.of(
            Options(
                self.delta,
                self.theta,
                self.beta,
                sizes,
                self.control,
                generator,
                self.eta_e,
                self.eta_g,
                self.xi_e,
            )
        )

    @property
    def components(self) -> list[tuple[Fraction, Fraction]]:
        """(weight, mean) of the generator's components; weights sum to 1."""
        sides = ((Fraction(self.accepting), 1), (1 - self.accepting, -1))
        kinds = ((Fraction(self.clear), self.clarity), (1 - self.clear, self.unclear))
        return [
            (kind * side, self.theta + sign * distance)
            for kind, distance in kinds
            for side, sign in sides
            if kind * side > 0
        ]


_CERTIFICATE = ("units", "shared", "clear", "unclear", "accepting", "concentration", "delta", "beta", "grid", "control")
_BUDGETS = ("eta_e", "eta_g", "xi_e")


def unused(p: Parameters) -> dict[str, str]:
    """Factors of a certificate where panels are attacked, and the other way round."""
    if p.attack == "none":
        return dict.fromkeys(("corrupted", "size"), "attack='none': a certificate has a grid of sizes and no adversary")
    found = dict.fromkeys((*_CERTIFICATE, *_BUDGETS), f"attack={p.attack!r}: no certificate is asked for")
    if p.attack != "census":
        found["evaluators"] = f"attack={p.attack!r} draws panels from a population without end"
    if p.attack == "capture":
        found["clarity"] = "attack='capture' asks for a decision that is forced, whatever the honest votes"
    return found
