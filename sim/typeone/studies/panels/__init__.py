"""The panels study: does a certificate keep its promise and how often is it given; panels under attack."""

from typeone.engine.study import Measure, Study
from typeone.studies.panels.parameters import Parameters, unused
from typeone.studies.panels.planning import PLAN
from typeone.studies.panels.simulate import share, simulate

STUDY = Study(
    name="panels",
    text="Panel certificates: violations of the lower bound, certification rate, chosen size; panels under attack.",
    parameters=Parameters,
    measures=(
        Measure("violation", "rate", "some size's lower bound exceeds the true coverage", claim=True),
        Measure("certified", "rate", "some size of the grid is certified"),
        Measure("certified_exactly", "mean", "exact probability of a certificate (independent votes)"),
        Measure("chosen_size", "mean", "smallest certified size, where there is one"),
        Measure("bound", "mean", "largest lower bound over the grid"),
        Measure("coverage", "mean", "largest true coverage over the grid"),
        Measure("disagreement", "rate", "a panel under attack misses the decision, or can be forced"),
        Measure("disagreement_exactly", "mean", "exact probability of that"),
    ),
    simulate=simulate,
    share=share,
    unused=unused,
    # What is asked of the votes does not change them: common random numbers.
    paired=("control", "beta", "grid", "delta", "eta_e", "eta_g", "xi_e"),
    levels=("0.05",),
)

__all__ = ["PLAN", "STUDY"]
