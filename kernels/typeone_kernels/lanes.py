"""Eight neighboring array elements at a time, where LLVM does not see by itself that they fit wide registers.

A loop that adds up eight comparisons is compiled into eight of them, one after the other, and a transposition into
single loads and stores.  These are vectors from the start; LLVM splits them where registers are narrower.  Nothing is
checked: the caller keeps to the arrays' shapes.  float32 is widened when read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 8

_INTEGER = ir.IntType(64)
_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_READ = {
    types.float64: _DOUBLES,
    types.float32: ir.VectorType(ir.FloatType(), LANES),
    types.int64: ir.VectorType(_INTEGER, LANES),
}
_BYTES = {types.float64: 8, types.float32: 4, types.int64: 8}


def _place(builder: Any, array: Any, index: Any, vector: Any) -> Any:
    """Pointer to the ``LANES`` elements of an array from ``index`` on."""
    return builder.bitcast(builder.gep(array.data, [index]), vector.as_pointer())


def _load(builder: Any, array: Any, dtype: Any, index: Any) -> Any:
    """The elements as doubles or integers."""
    held = builder.load(_place(builder, array, index, _READ[dtype]), align=_BYTES[dtype])
    return builder.fpext(held, _DOUBLES) if dtype == types.float32 else held


def _is_contiguous(array: Any, dtypes: tuple[Any, ...], ndim: int) -> bool:
    return isinstance(array, types.Array) and array.dtype in dtypes and array.ndim == ndim and array.layout == "C"


def _order(lanes: list[int]) -> Any:
    return ir.Constant(ir.VectorType(ir.IntType(32), LANES), lanes)


def _counter(comparison: str) -> Callable[[Any, int, Any], int]:
    """A function of (values, start, target): how many of ``values[start : start + LANES]`` compare so with target.

    ``values``, floating or int64, is contiguous and at least start + LANES long.
    """

    @intrinsic  # type: ignore[untyped-decorator]
    def count(typingctx: Any, values: Any, start: Any, target: Any) -> Any:
        if not _is_contiguous(values, tuple(_READ), 1):
            return None
        whole = values.dtype == types.int64

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            held = _load(builder, context.make_array(values)(context, builder, args[0]), values.dtype, args[1])
            nothing = ir.Constant(held.type, ir.Undefined)
            wanted = builder.insert_element(nothing, args[2], ir.Constant(ir.IntType(32), 0))
            wanted = builder.shuffle_vector(wanted, nothing, _order([0] * LANES))
            compare = builder.icmp_signed if whole else builder.fcmp_ordered
            bits = builder.bitcast(compare(comparison, held, wanted), ir.IntType(LANES))
            return builder.ctpop(builder.zext(bits, _INTEGER))

        return types.int64(values, types.int64, types.int64 if whole else types.float64), generate

    return count  # type: ignore[no-any-return]


count_at_most = _counter("<=")
count_below = _counter("<")


@intrinsic  # type: ignore[untyped-decorator]
def transpose(typingctx: Any, source: Any, row: Any, column: Any, out: Any, rows: Any, first: Any, place: Any) -> Any:
    """``out[rows[first + j], place + i] = source[row + i, column + j]`` for i, j < LANES; ``out`` float64."""
    if not (
        _is_contiguous(source, (types.float64, types.float32), 2)
        and _is_contiguous(out, (types.float64,), 2)
        and _is_contiguous(rows, (types.int64,), 1)
    ):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        of = {i: context.make_array(kind)(context, builder, args[i]) for i, kind in ((0, source), (3, out), (4, rows))}
        width, horizon = (builder.extract_value(of[i].shape, 1) for i in (0, 3))

        def plus(value: Any, i: int) -> Any:
            return builder.add(value, ir.Constant(_INTEGER, i))

        held = []
        for i in range(LANES):
            index = builder.add(builder.mul(plus(args[1], i), width), args[2])
            held.append(_load(builder, of[0], source.dtype, index))
        half = LANES // 2
        while half:  # exchange the off-diagonal blocks of this size
            for i in (i for i in range(LANES) if not i & half):
                one, other = held[i], held[i | half]
                low = [j if not j & half else LANES + (j ^ half) for j in range(LANES)]
                high = [j | half if not j & half else LANES + j for j in range(LANES)]
                held[i] = builder.shuffle_vector(one, other, _order(low))
                held[i | half] = builder.shuffle_vector(one, other, _order(high))
            half //= 2
        for j in range(LANES):
            target = builder.load(builder.gep(of[4].data, [plus(args[5], j)]))
            index = builder.add(builder.mul(target, horizon), args[6])
            builder.store(held[j], _place(builder, of[3], index, _DOUBLES), align=8)
        return context.get_dummy_value()

    return types.void(source, types.int64, types.int64, out, rows, types.int64, types.int64), generate
