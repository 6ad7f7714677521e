"""Compiled kernels of typeone: arrays in, arrays out.

Nothing here reads files, holds configuration or validates input: a kernel assumes what its docstring
says, and the procedures in ``typeone`` check it.  Only ``numpy`` and ``numba`` are imported.

Floating-point policy: kernels compute in float64.  A float32 array handed in is compiled for as it is
and every value is widened on reading, which is exact; no kernel rounds to float32.
"""
