"""Joint decontamination (JECS): which candidate items was no model trained on?"""

from typeone.jecs.check import check
from typeone.jecs.methods import METHODS
from typeone.jecs.options import Options
from typeone.jecs.procedure import apply, select
from typeone.jecs.result import Envelope, Result

__all__ = ["METHODS", "Envelope", "Options", "Result", "apply", "check", "select"]
