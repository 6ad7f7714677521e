"""Helpers of the searches for quantiles and bounds."""

from __future__ import annotations

import math

from typeone_kernels._jit import kernel


@kernel
def normal_deviate(q: float) -> float:
    """The standard normal quantile of 0 < q < 1 to a relative 1e-6, as a start of a search.

    Source: Wichura, *The percentage points of the normal distribution* (Algorithm AS 241, PPND7; 1988).
    """
    c = q - 0.5
    if abs(c) <= 0.425:
        r = 0.180625 - c * c
        top = ((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179
        return c * top / (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1)
    r = math.sqrt(-math.log(min(q, 1 - q)))
    if r <= 5:
        r -= 1.6
        top = ((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777
        z = top / ((0.12021132975 * r + 0.73700164250) * r + 1)
    else:
        r -= 5
        top = ((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150
        z = top / ((0.012258202635 * r + 0.24197894225) * r + 1)
    return z if q > 0.5 else -z


@kernel
def narrow(below: int, above: int, probe: int, holds: bool, step: int) -> tuple[int, int, int, int]:
    """One step of the search for the smallest integer of which a monotone statement holds.

    It fails at ``below``, holds at ``above``, and ``holds`` or not at ``probe`` between them.  Returns the new
    ``below``, ``above``, ``probe`` and ``step``: steps double away from a good first probe, then bisection.
    """
    if holds:
        above, candidate = probe, probe - step
    else:
        below, candidate = probe, probe + step
    if candidate <= below or candidate >= above:
        candidate = below + (above - below) // 2
    return below, above, candidate, 2 * step
