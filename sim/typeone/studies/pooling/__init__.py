"""The pooling study: counting votes against pooling them, as sources grow in number, differ, and depend."""

from typeone.engine.study import Measure, Study
from typeone.studies.pooling.parameters import Parameters
from typeone.studies.pooling.planning import PLAN
from typeone.studies.pooling.simulate import share, simulate

_MEASURES = (
    Measure("fpr", "fraction", "share of false items accepted"),
    Measure("tpr", "fraction", "share of true items accepted"),
    Measure("abstention", "fraction", "share of items neither accepted nor rejected"),
    Measure("accepted_error", "fraction", "share of accepted items that are false", claim=True),
    Measure("rejected_error", "fraction", "share of rejected items that are true", claim=True),
    Measure("auroc", "fraction", "AUROC of the rule's order of items, ties one half"),
    Measure("brier", "fraction", "mean squared error of the rule's forecast"),
    Measure("calibration", "fraction", "mean gap between forecast and share of true items, in ten bins"),
    Measure("overconfidence", "mean", "mean confidence minus accuracy of the rule's forecast"),
)

STUDY = Study(
    name="pooling",
    text="Many sources: vote count, vote share and pooled posterior, simulated and (known reliabilities) exact.",
    parameters=Parameters,
    measures=(
        *_MEASURES,
        *(Measure(f"{m.name}_exact", "mean", f"exact value: {m.text}") for m in _MEASURES),
        Measure("operating_point", "mean", "posterior at which the rule accepts with n sources"),
    ),
    simulate=simulate,
    share=share,
    # Neither changes which items are drawn: common random numbers across their values.
    paired=("miscalibration", "labelled"),
    # The error tolerated among decided items: accept at posterior 1 - level, reject at posterior level.
    levels=("0.05",),
)

__all__ = ["PLAN", "STUDY"]
