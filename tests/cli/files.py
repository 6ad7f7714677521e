"""One small file for each method, and the words with which its commands read it."""

from __future__ import annotations

from typing import Any

import numpy as np

N = 96
NUMBER = np.arange(N)
FILES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "scf": (
        {
            "source": NUMBER // 4,
            "score": np.sqrt(NUMBER * 7 % 101).tolist(),
            "control": (NUMBER // 4 < 16).tolist(),
            "half": (NUMBER // 48).tolist(),
        },
        ["--control", "control"],
    ),
    "jecs": (
        {
            "item": NUMBER // 2,
            "model": np.where(NUMBER % 2, "a", "b").tolist(),
            "role": np.where(NUMBER // 2 % 3, "candidate", "calibration").tolist(),
            "score": np.sqrt(NUMBER * 7 % 101).tolist(),
            "half": (NUMBER // 48).tolist(),
        },
        [],
    ),
    "panels": (
        {
            "evaluator": NUMBER // 8,
            "unit": NUMBER % 8,
            "vote": (NUMBER * 7 % 5 > 1).astype(int),
            "half": (NUMBER // 48).tolist(),
        },
        [],
    ),
    "pooling": (
        {
            "item": NUMBER // 4,
            "source": NUMBER % 4,
            "vote": (NUMBER * 7 % 5 > 1).astype(int),
            "label": (NUMBER // 4 % 2).tolist(),
            "half": (NUMBER // 48).tolist(),
        },
        ["--label", "label"],
    ),
}
