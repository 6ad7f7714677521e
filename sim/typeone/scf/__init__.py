"""Source-balanced capped Fisher (SCF): did a source's documents take part in a model update?"""

from typeone.scf.check import check
from typeone.scf.options import Options
from typeone.scf.procedure import apply
from typeone.scf.reference import ReferenceMap, fit
from typeone.scf.result import Result
from typeone.scf.split import Split
from typeone.scf.statistics import Statistic, statistic

__all__ = ["Options", "ReferenceMap", "Result", "Split", "Statistic", "apply", "check", "fit", "statistic"]
