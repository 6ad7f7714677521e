"""Peers as installed from PyPI.  One that is not installed is named with the reason, and left out."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import Trials
from benchmarks.rows import Differs, Implementation, repeated

Floats = NDArray[np.float64]
HERE = Path(__file__).parent


def peer(package: str, function: str, call: Callable[[Callable[..., Any]], Any], differs: Differs) -> Implementation:
    """``call`` gets the function ``module:name`` of an installed package and returns an output; see Implementation."""
    if find_spec(package) is None:
        return Implementation(lambda: None, missing=f"{package} is not installed")
    module, name = function.split(":")
    found = getattr(import_module(module), name)
    return Implementation(lambda: call(found), 1, differs, note=function.replace(":", "."))


def statsmodels_bh(p: Floats, level: float, differs: Differs) -> Implementation:
    function = "statsmodels.stats.multitest:multipletests"
    return peer("statsmodels", function, lambda f: f(p, alpha=level, method="fdr_bh")[0], differs)


def statsmodels_bounds(of: Trials, wanted: Floats) -> Implementation:
    """Its two-sided interval at twice the level; it computes both ends, so a unit is two bounds."""

    def differs(found: Floats) -> str:
        off = ~(np.abs(found - wanted) <= 1e-9 * np.maximum(np.minimum(wanted, 1 - wanted), 1e-300))
        return f"{int(off.sum())} of {off.size} bounds off by more than 1e-9" if off.any() else ""

    made = peer(
        "statsmodels",
        "statsmodels.stats.proportion:proportion_confint",
        lambda f: np.asarray(f(of.k, of.n, alpha=2 * of.level, method="beta")[0]),
        differs,
    )
    return Implementation(made.run, 2 * of.k.size, made.differs, None, made.note, made.missing)


def sklearn_auroc(scores: Floats, labels: NDArray[np.bool_]) -> Implementation:
    """It adds up trapezoids in floating point: close, not equal."""
    from benchmarks.twins.special import auroc

    wanted = auroc(scores, labels)
    return peer(
        "sklearn",
        "sklearn.metrics:roc_auc_score",
        lambda f: f(labels, scores),
        lambda found: "" if abs(found - wanted) < 1e-12 else f"off by {abs(found - wanted):.0e}",
    )


def crepes_p_values(calibration: Floats, candidates: Floats, calls: int, differs: Differs) -> Implementation:
    """Larger is stranger there, so scores change sign."""
    made = peer(
        "crepes",
        "crepes.base:p_values_batch",
        lambda f: repeated(calls, lambda: f(-calibration, -candidates, smoothing=False)),
        differs,
    )
    return Implementation(made.run, calls, made.differs, None, made.note, made.missing)


@cache
def interpreter(module: str) -> str | None:
    """A Python that imports ``module``: this one, or the one that benchmarks/setup.sh made for peers."""
    for python in (sys.executable, str(Path(sys.prefix) / "peers" / "bin" / "python")):
        if Path(python).exists():
            command = [python, "-c", f"import {module}"]
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                return python
    return None


class Side:
    """nonconform in an interpreter of its own, since it needs Python 3.12; it times itself inside.

    Only one round runs at a time, so nothing competes with it.  The process starts when it is first asked.
    """

    def __init__(self, task: str, values: Mapping[str, Any]) -> None:
        self._task, self._values = task, dict(values)
        self._process: subprocess.Popen[bytes] | None = None

    def implementation(self, differs: Differs) -> Implementation:
        if interpreter("nonconform") is None:
            return Implementation(lambda: None, missing="nonconform is not installed (it needs Python 3.12)")
        return Implementation(self.output, 1, differs, self.seconds, note=f"Python {self._ask('version')}")

    def output(self) -> Any:
        return self._ask("output")

    def seconds(self) -> float:
        return float(self._ask("seconds"))

    def _ask(self, what: str) -> Any:
        if self._process is None:
            python = interpreter("nonconform")
            assert python is not None
            self._process = subprocess.Popen(
                [python, str(HERE / "nonconform_side.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            self._send((self._task, self._values))
        self._send(what)
        assert self._process.stdout is not None
        return pickle.load(self._process.stdout)

    def _send(self, value: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        pickle.dump(value, self._process.stdin, protocol=5)
        self._process.stdin.flush()

    def __del__(self) -> None:
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process.wait()
