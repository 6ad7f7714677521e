"""Pooling votes of many sources: calibrated log-odds in place of a count whose meaning drifts with its size."""

from typeone.pooling.check import check
from typeone.pooling.drift import Drift, OperatingPoint, drift
from typeone.pooling.options import Options
from typeone.pooling.procedure import apply
from typeone.pooling.reconciliation import Reconciliation, counterexample, reconcile
from typeone.pooling.reliability import Reliabilities
from typeone.pooling.result import Result

__all__ = [
    "Drift",
    "OperatingPoint",
    "Options",
    "Reconciliation",
    "Reliabilities",
    "Result",
    "apply",
    "check",
    "counterexample",
    "drift",
    "reconcile",
]
