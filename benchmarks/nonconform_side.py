"""nonconform's and SciPy's part of a row, in a process of their own; benchmarks/peers.py speaks to it.

Reads pickles: first (task, values), then words: ``seconds`` (of one unit, the mean over some calls), ``output`` or
``version``.  Needs nothing but nonconform, NumPy and SciPy.
"""

from __future__ import annotations

import pickle
import platform
import sys
import time
from typing import Any

import numpy as np
from nonconform import __version__
from nonconform.scoring import calculate_p_val
from scipy.stats import false_discovery_control


def p_values(values: dict[str, Any]) -> Any:
    """Larger is stranger there, so scores change sign."""
    return calculate_p_val(-values["candidates"], -values["calibration"])


def jecs(values: dict[str, Any]) -> Any:
    """P-values of every model, BH on each, and BH on each item's largest: no random numbers, no other method."""
    pairs = zip(values["candidates"], values["calibration"], strict=True)
    found = np.stack([calculate_p_val(-x, -c) for x, c in pairs])
    return found, [false_discovery_control(p) <= values["level"] for p in (*found, found.max(axis=0))]


def main() -> None:
    """Answer until the pipe closes."""
    task, values = pickle.load(sys.stdin.buffer)
    run = {"p_values": p_values, "jecs": jecs}[task]
    while True:
        try:
            word = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        if word == "seconds":
            start = time.perf_counter()
            for _ in range(values["calls"]):
                run(values)
            answer = (time.perf_counter() - start) / values["calls"]
        elif word == "output":
            answer = run(values)
        else:
            answer = f"{platform.python_version()}, nonconform {__version__}, NumPy {np.__version__}"
        pickle.dump(answer, sys.stdout.buffer, protocol=5)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
