"""Pictures with matplotlib: functions that take tables or arrays and return Axes, for notebooks and reports."""

from typeone.figures.decisions import p_values, posteriors, selection, unit_sizes
from typeone.figures.drift import drift
from typeone.figures.envelope import envelope
from typeone.figures.estimates import against_factor, dots
from typeone.figures.gains import wins
from typeone.figures.grids import nested_loop, zip_plot
from typeone.figures.latex import latex_table
from typeone.figures.levels import against_level
from typeone.figures.lower_tail import lower_tail
from typeone.figures.maps import heat_map, power_map
from typeone.figures.panels import error_curves, phase_diagram, stable_sizes
from typeone.figures.reference import tail_map
from typeone.figures.roc import operating_points, roc
from typeone.figures.sizes import count_rule, plan_curve

__all__ = [
    "against_factor",
    "against_level",
    "count_rule",
    "dots",
    "drift",
    "envelope",
    "error_curves",
    "heat_map",
    "latex_table",
    "lower_tail",
    "nested_loop",
    "operating_points",
    "p_values",
    "phase_diagram",
    "plan_curve",
    "posteriors",
    "power_map",
    "roc",
    "selection",
    "stable_sizes",
    "tail_map",
    "unit_sizes",
    "wins",
    "zip_plot",
]
