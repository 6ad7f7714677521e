"""The decontamination study: every method on the same scores, on ideal p-values, and on splits of real scores."""

from typeone.engine.study import Measure, Study
from typeone.studies.jecs.parameters import Parameters, unused
from typeone.studies.jecs.planning import PLAN
from typeone.studies.jecs.simulate import share, simulate

STUDY = Study(
    name="jecs",
    text="Joint decontamination: contaminated share and power of JECS, its baselines and their kin.",
    parameters=Parameters,
    measures=(
        Measure("gcp", "fraction", "contaminated share of the selected items (0 if none is selected)", claim=True),
        Measure("power", "fraction", "selected share of the clean items"),
        Measure("selected", "mean", "number of selected items"),
        Measure("empty", "rate", "nothing is selected"),
        Measure("correlation", "mean", "correlation of clean items' scores between models (score files)"),
    ),
    simulate=simulate,
    share=share,
    unused=unused,
    shared_by=("family", "calibration", "candidates", "score", "rows"),
    # Every draw is the same whatever these say (``drawn`` says how many draws there are): common random numbers
    # across their values.
    paired=(
        "drawn",
        "clean",
        "pattern",
        "also",
        "shift",
        "shift_spread",
        "correlation",
        "miscalibration",
        "low_share",
        "low_shift",
        "values",
        "ties",
        "law",
        "score",
        "rows",
    ),
    inputs=("scores",),
    levels=("0.1",),
)

__all__ = ["PLAN", "STUDY"]
