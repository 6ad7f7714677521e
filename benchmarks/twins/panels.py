"""Panel errors for every count and size by SciPy's hypergeometric law, and panel sizes from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TIE = 1e-12  # relative: an error this close to a tolerance equals it (it does at K = 1, where e = 1 - C/M)


def curves(M: int) -> Floats:
    """e(K) of the majority decision for C = 0..M and K = 1..M, shape (M + 1, M)."""
    size = np.arange(1, M + 1)
    quota = (size + 1) // 2
    votes = np.arange(M + 1)[:, None]
    accepted = votes[:, 0] >= quota[-1]
    errors = np.empty((M + 1, M))
    errors[accepted] = hypergeom.cdf(quota - 1, M, votes[accepted], size)
    errors[~accepted] = hypergeom.sf(quota - 1, M, votes[~accepted], size)
    return errors


def sizes(errors: Floats, deltas: list[float]) -> tuple[Ints, Ints]:
    """Minimum and stable sizes, each (M + 1, tolerances); 0 stands for none."""
    last = errors.shape[1]
    minimum, stable = [], []
    for delta in deltas:
        kept = errors <= delta * (1 + TIE)
        minimum.append(np.where(kept.any(axis=1), kept.argmax(axis=1) + 1, 0))
        broken = np.where(kept.all(axis=1), 0, last - (~kept[:, ::-1]).argmax(axis=1))
        stable.append(np.where(broken == last, 0, broken + 1))
    return np.stack(minimum, axis=1), np.stack(stable, axis=1)
