"""Pictures with matplotlib: functions that take tables or arrays and return Axes, for notebooks and reports."""

from typeone.figures.envelope import envelope
from typeone.figures.estimates import against_factor, dots
from typeone.figures.gains import wins
from typeone.figures.grids import nested_loop, zip_plot
from typeone.figures.latex import latex_table
from typeone.figures.levels import against_level
from typeone.figures.maps import heat_map, power_map
from typeone.figures.panels import error_curves, phase_diagram, stable_sizes
from typeone.figures.reference import tail_map
from typeone.figures.roc import operating_points, roc

__all__ = [
    "against_factor",
    "against_level",
    "dots",
    "envelope",
    "error_curves",
    "heat_map",
    "latex_table",
    "nested_loop",
    "operating_points",
    "phase_diagram",
    "power_map",
    "roc",
    "stable_sizes",
    "tail_map",
    "wins",
    "zip_plot",
]
