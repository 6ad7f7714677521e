"""The SCF study: random partitions of a null pool, all methods on the same partitions."""

from typeone.engine.study import Measure, Study
from typeone.studies.scf.parameters import SHAPED, Parameters, unused
from typeone.studies.scf.planning import PLAN
from typeone.studies.scf.simulate import share, simulate


def _own_modules(parameters: Parameters) -> list[str]:
    """Where a statistic of the user's own comes from."""
    return [parameters.own.partition(":")[0]] if parameters.own else []


STUDY = Study(
    name="scf",
    text="Source inference: AUROC, TPR and FPR of SCF and its comparators over random partitions of a null pool.",
    parameters=Parameters,
    measures=(
        Measure("auroc", "fraction", "AUROC of the source statistic, ties one half"),
        Measure("tpr", "fraction", "share of participants rejected at the level"),
        Measure("fpr", "fraction", "share of null test sources rejected at the level", claim=True),
        Measure("auroc_gain", "gain", "paired difference in AUROC between two methods"),
        Measure("tpr_gain", "gain", "paired difference in TPR between two methods"),
        Measure("capped_participants", "fraction", "capped documents (Q < cap), averaged within participants"),
        Measure("capped_nonparticipants", "fraction", "capped documents, averaged within null test sources"),
    ),
    simulate=simulate,
    share=share,
    unused=unused,
    # Cap, smoothing and rho change the methods, not the partitions: common random numbers across their values;
    # a larger effect or pool, more queries or another shape is another world, but one that is compared with the first.
    paired=("cap", "smoothing", "rho", "own", "effect", "pool", "queries", "resample", *SHAPED),
    inputs=("scores",),
    levels=("0.05", "0.10", "0.20"),
    code=_own_modules,
)

__all__ = ["PLAN", "STUDY"]
