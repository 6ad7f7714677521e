"""Error curves of panels: P(X_K < Q(K)) for every panel size K at once, census or superpopulation.

One *path* ``Q(0), Q(1), …`` with Q(1) ≥ 1 and steps 0 or 1 states the question.  With q(K) = ⌈θK⌉ it is q(K) for
a decision to accept (X counts positive votes) and K − q(K) + 1 for one to reject (X counts negative
votes); b votes flipped after sampling add b.  A *lane* is one population: C of M votes count, or a share p.

Let w(K) = P(X_K = Q(K) − 1), and let x and y be the chances that the next vote counts or does not when
X_K = Q(K) − 1.  One more vote changes the error e(K) = P(X_K < Q(K)) by

    Q(K+1) = Q(K):      e(K) − e(K+1) = w(K) x,                   w(K+1) = w(K) y (K+1)/(K+2−Q)
    Q(K+1) = Q(K) + 1:  e(K) − e(K+1) = −w(K) x (K−Q+1)/Q,        w(K+1) = w(K) x (K+1)/Q

So w runs forward from w(1) and e is summed backward from the largest K, O(K) per lane.  The changes have
both signs, since e is not monotone, and a change is no larger than the errors it lies between.  But a later
error is at most K'² e(K): given a panel of K' that errs, the mean of X_K lies beyond its quota by at least 1/K'.
So what an error inherits from later ones is a bounded multiple of itself, and with everything held in
double-double (106 bits) e(K) is right to 3 M⁴ 2**-103 relative, below 1e-13 for M ≤ 2·10⁴ by this crude bound and
far beyond in practice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.doubledouble import add, divide, fma
from typeone_kernels.lanes import LANES, transpose

# Probabilities are held times 2**900, so that 1e-308 is still 2**-124: neither its lower half nor the
# neighbours it is made from underflow.
_SCALE = 2.0**900
# Paths that start in a far tail (many flipped votes) are entered where w reaches this; what is left out is
# below 2**-120 K beside an error of nearly 1.
_ENTRY = 2.0**-120
_SHIFT = 2.0**600  # any large power of two
# Columns of a path's table.
X_OFFSET, Z_OFFSET, CHANGE, CHANGE_LOW, NEXT, NEXT_LOW = range(6)


@kernel
def _multiply(ah: float, al: float, bh: float, bl: float) -> tuple[float, float]:
    """Product of two double-doubles, with a relative error of 2**-103."""
    product = ah * bh
    rest = fma(ah, bh, -product) + fma(ah, bl, al * bh)
    high = product + rest
    return high, rest - (high - product)


@kernel
def path_table(quota: NDArray[np.int64], population: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """What a path does to every lane: steps, shape (n,), and coefficients, shape (n, 6), for n + 1 quotas.

    ``population`` is M < 2**26 for a census and 0 for a superpopulation.  In row K the change is
    w · (counting + X_OFFSET) · CHANGE and the next w is w · (z + Z_OFFSET) · NEXT, where z is the lane's
    counting weight at a step of the path and its other weight elsewhere.
    """
    n = quota.size - 1
    step = np.zeros(n, np.bool_)
    table = np.zeros((n, 6))
    for size in range(1, n):
        # Below the entry Q > K the error is 1; the path is followed along its lowest useful line Q = K.
        q = min(quota[size], size)
        step[size] = min(quota[size + 1], size + 1) > q
        counting = 1.0 - q if population else 0.0
        other = q - 1.0 - size if population else 0.0
        left = float(population - size) if population else 1.0
        row = table[size]
        row[X_OFFSET] = counting
        if step[size]:
            row[Z_OFFSET] = counting
            row[CHANGE], row[CHANGE_LOW] = divide(q - 1.0 - size, 0.0, q * left, 0.0)
            row[NEXT], row[NEXT_LOW] = divide(size + 1.0, 0.0, q * left, 0.0)
        else:
            row[Z_OFFSET] = other
            row[CHANGE], row[CHANGE_LOW] = divide(1.0, 0.0, left, 0.0)
            row[NEXT], row[NEXT_LOW] = divide(size + 1.0, 0.0, (size + 2.0 - q) * left, 0.0)
    return step, table


@kernel
def _enter(
    lanes: NDArray[np.float64],
    j: int,
    quota: NDArray[np.int64],
    path: tuple[NDArray[np.bool_], NDArray[np.float64]],
    population: int,
    last: int,
) -> tuple[int, float, float]:
    """The first K ≤ last whose w(K) matters in lane j, and 2**900 w(K); (last, 0, 0) if there is none.

    That is where Q ≤ K and w reaches 2**-120, or the boundary the mean: from there errors may be small.
    """
    step, table = path
    draws = max(float(population), 1.0)
    high, low = divide(lanes[2, j], lanes[3, j], draws, 0.0)
    shifts = 0
    for size in range(1, last + 1):
        beyond_mean = (quota[size] - 1) * draws > size * lanes[0, j]
        if quota[size] <= size and (not beyond_mean or (shifts == 0 and high >= _ENTRY)):
            scale = _SCALE / _SHIFT**shifts
            return size, high * scale, low * scale
        if size == last:
            break
        z = 0 if step[size] else 2
        high, low = _multiply(high, low, lanes[z, j] + table[size, Z_OFFSET], lanes[z + 1, j])
        high, low = _multiply(high, low, table[size, NEXT], table[size, NEXT_LOW])
        if high <= 0.0:
            break
        if high < 1.0 / _SHIFT:
            high, low, shifts = high * _SHIFT, low * _SHIFT, shifts + 1
        elif shifts > 0 and high > 1.0:
            high, low, shifts = high / _SHIFT, low / _SHIFT, shifts - 1
    return last, 0.0, 0.0


@kernel
def _changes(
    lanes: NDArray[np.float64],
    quota: NDArray[np.int64],
    path: tuple[NDArray[np.bool_], NDArray[np.float64]],
    population: int,
    work: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Fill ``work`` with e(K) − e(K+1), K < last, as pairs; return w(last) in rows 0 and 1 of four."""
    step, table = path
    last, width = work.shape[1] - 1, lanes.shape[1]
    entry = np.empty(width, np.int64)
    start = np.empty((2, width))
    entered = 0
    for j in range(width):
        entry[j], start[0, j], start[1, j] = _enter(lanes, j, quota, path, population, last)
        entered = max(entered, entry[j])
    sums = np.zeros((4, width))
    w, w_low = sums[0], sums[1]
    counting, counting_low = lanes[0], lanes[1]
    for size in range(1, last + 1):
        if size <= entered:
            for j in range(width):
                if entry[j] == size:
                    w[j], w_low[j] = start[0, j], start[1, j]
        if size == last:
            break
        z, z_low = (lanes[0], lanes[1]) if step[size] else (lanes[2], lanes[3])
        x_offset, z_offset = table[size, X_OFFSET], table[size, Z_OFFSET]
        change, change_low = table[size, CHANGE], table[size, CHANGE_LOW]
        following, following_low = table[size, NEXT], table[size, NEXT_LOW]
        out, out_low = work[0, size], work[1, size]
        for j in range(width):
            high, low = _multiply(w[j], w_low[j], counting[j] + x_offset, counting_low[j])
            out[j], out_low[j] = _multiply(high, low, change, change_low)
            high, low = _multiply(w[j], w_low[j], z[j] + z_offset, z_low[j])
            w[j], w_low[j] = _multiply(high, low, following, following_low)
    return sums


@kernel
def _add_term(sums: NDArray[np.float64], lanes: NDArray[np.float64], count: float, size: float, finite: float) -> None:
    """From P(X = count) to P(X = count − 1) in every lane, added to the sums; ``sums`` as in _lower_tails."""
    for j in range(sums.shape[1]):
        up, up_low = _multiply(count, 0.0, lanes[2, j] - finite * (size - count), lanes[3, j])
        down, down_low = _multiply(size - count + 1.0, 0.0, lanes[0, j] - finite * (count - 1.0), lanes[1, j])
        if down == 0.0:  # only outside the support, where the term is 0 whatever it is divided by
            down = 1.0
        ratio, ratio_low = divide(up, up_low, down, down_low)
        sums[2, j], sums[3, j] = _multiply(sums[2, j], sums[3, j], ratio, ratio_low)
        sums[0, j], sums[1, j] = add(sums[0, j], sums[1, j], sums[2, j], sums[3, j])


@kernel
def _lower_tails(sums: NDArray[np.float64], lanes: NDArray[np.float64], size: int, quota: int, population: int) -> None:
    """Put P(X_K < Q) into rows 0 and 1 of ``sums``, shape (4, lanes), where P(X_K = Q − 1) stands.

    Adds up probabilities from Q − 1 down until none matters.  Rows 2 and 3 hold the latest ones.  Where
    P(X_K = Q − 1) has vanished, all the mass lies on one side of the boundary: the side of the mean.
    """
    width = sums.shape[1]
    for j in range(width):
        sums[2, j], sums[3, j] = sums[0, j], sums[1, j]
    for count in range(quota - 1, 0, -1):
        _add_term(sums, lanes, float(count), float(size), 1.0 if population else 0.0)
        if count % 8 == 0:
            # What is left falls with the count and has less than 2**26 terms.
            settled = True
            for j in range(width):
                settled = settled and sums[2, j] <= sums[0, j] * 2.0**-130
            if settled:
                break
    for j in range(width):
        if sums[0, j] == 0.0 and (quota - 1) * max(population, 1) > lanes[0, j] * size:
            sums[0, j] = _SCALE


@kernel
def _accumulate(
    total: NDArray[np.float64],
    total_low: NDArray[np.float64],
    row: NDArray[np.float64],
    row_low: NDArray[np.float64],
) -> None:
    """Add a row of changes to the totals and put the errors in its place.

    Its own function because LLVM vectorizes the loop over lanes only when the rows come as arguments.
    """
    for j in range(row.size):
        high, low = add(total[j], total_low[j], row[j], row_low[j])
        total[j], total_low[j] = high, low
        row[j] = high / _SCALE


@kernel
def panel_errors(
    lanes: NDArray[np.float64],
    quota: NDArray[np.int64],
    path: tuple[NDArray[np.bool_], NDArray[np.float64]],
    population: int,
    work: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Error curves e(K), K = 1 … last, of several lanes; row K of the result, shape (last + 1, lanes).

    ``lanes``, shape (4, lanes): the counting weight (C, or p) and the other weight (M − C, or 1 − p), each
    as high and low part.  ``path`` is ``path_table(quota, population)``.  ``work``, shape
    (2, last + 1, lanes), 1 ≤ last < quota.size, is overwritten and the result lies in it; row 0 means
    nothing.  Errors below 1e-308 lose digits and then vanish.  Cost: about 50 flops for each K and lane.
    """
    last = work.shape[1] - 1
    sums = _changes(lanes, quota, path, population, work)
    _lower_tails(sums, lanes, last, min(quota[last], last), population)
    errors: NDArray[np.float64] = work[0]
    for j in range(lanes.shape[1]):
        errors[last, j] = sums[0, j] / _SCALE
    for size in range(last - 1, 0, -1):
        _accumulate(sums[0], sums[1], errors[size], work[1, size])
    for size in range(1, last + 1):
        if quota[size] > size:
            for j in range(lanes.shape[1]):
                errors[size, j] = 1.0
    return errors


@kernel
def store_curves(errors: NDArray[np.float64], units: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    """Row ``units[j]`` of ``out`` (units, horizon) becomes lane j of ``errors`` (last + 1, lanes), from K = 1 on.

    Beyond the last size errors have vanished: 0.  All arrays are contiguous.  Squares of 8 by 8 are turned in
    registers, O(lanes horizon).
    """
    last, width, horizon = errors.shape[0] - 1, errors.shape[1], out.shape[1]
    sizes, lanes = last - last % LANES, width - width % LANES
    for j in range(0, lanes, LANES):
        for k in range(0, sizes, LANES):
            transpose(errors, k + 1, j, out, units, j, k)
    for j in range(width):
        row = out[units[j]]
        for k in range(sizes if j < lanes else 0, last):
            row[k] = errors[k + 1, j]
        row[last:horizon] = 0.0


@kernel
def size_positions(
    errors: NDArray[np.float64],
    grid: NDArray[np.int64],
    below: NDArray[np.float64],
    above: NDArray[np.float64],
    units: NDArray[np.int64],
    minimum: NDArray[np.int64],
    stable: NDArray[np.int64],
    unsettled: NDArray[np.bool_],
) -> int:
    """Positions in ``grid`` of the minimum and the stable size: row ``units[j]`` of the arrays (units, tolerances).

    ``errors`` has row K for size K and lane j; ``grid`` holds increasing sizes, and those beyond the last row are taken
    to keep every tolerance.  Tolerances fall; an error keeps one if it is ≤ below and breaks it if it is > above.
    An error in between on which an answer hangs sets ``unsettled``, for the caller to decide exactly; returned is how
    often.  The minimum is the first kept position, the stable one follows the last broken one; grid.size says there is
    none.  One comparison for each K on the way.
    """
    known = int(np.searchsorted(grid, errors.shape[0]))
    open_ends = 0
    for j in range(errors.shape[1]):
        of = units[j]
        i = 0
        for level in range(below.size):
            while i < known and errors[grid[i], j] > above[level]:
                i += 1
            minimum[of, level] = i
            unsettled[of, level] = i < known and errors[grid[i], j] > below[level]
        i = known
        for level in range(below.size - 1, -1, -1):
            while i > 0 and errors[grid[i - 1], j] <= below[level]:
                i -= 1
            stable[of, level] = i
            unsettled[of, level] |= i > 0 and errors[grid[i - 1], j] <= above[level]
            open_ends += unsettled[of, level]
    return open_ends
