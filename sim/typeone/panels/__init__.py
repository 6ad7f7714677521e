"""Panels that reproduce a population's decision: errors, sizes, certificates, adversaries."""

from typeone.panels.adversaries import census_capture, superpopulation_capture
from typeone.panels.bridge import finite_population_factor, total_variation_bound
from typeone.panels.certificate import Certificate, Passing, certify
from typeone.panels.check import check
from typeone.panels.contamination import Contamination, contamination
from typeone.panels.design import Certification, certification, evaluators_needed, units_needed
from typeone.panels.options import Options
from typeone.panels.procedure import apply
from typeone.panels.result import Needs, Result
from typeone.panels.sizes import (
    PanelSizes,
    census_errors,
    census_sizes,
    superpopulation_errors,
    superpopulation_sizes,
)

__all__ = [
    "Certificate",
    "Certification",
    "Contamination",
    "Needs",
    "Options",
    "PanelSizes",
    "Passing",
    "Result",
    "apply",
    "census_capture",
    "census_errors",
    "census_sizes",
    "certification",
    "certify",
    "check",
    "contamination",
    "evaluators_needed",
    "finite_population_factor",
    "superpopulation_capture",
    "superpopulation_errors",
    "superpopulation_sizes",
    "total_variation_bound",
    "units_needed",
]
