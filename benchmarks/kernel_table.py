"""Writes benchmarks/KERNELS.md from the kernels: ``python -m benchmarks.kernel_table``.

What a kernel computes, its shapes and its cost are said once, in its docstring; the arguments come from its signature.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.kernel_examples import public_kernels

PATH = Path(__file__).parent / "KERNELS.md"
COST = re.compile(r"\bO\(|\b[Cc]osts?\b|About \w+ evaluations")
TYPES = {
    "NDArray[np.float64] | NDArray[np.int64]": "float64[] or int64[]",
    "NDArray[np.floating[Any]]": "float[]",
    "Ints": "int64[]",
    "Bools": "bool[]",
    "Floats": "float64[]",
    "Words": "uint64[]",
    "np.uint64": "uint64",
    "None": "",
}
SCORES = {"roc": "float[] or int64[]"}
CONSTANT = "O(1)"
LINEAR = "O(size of the arrays)"
COSTS = (
    (r".*_quantile(_array)?", "O(log sd) tails a value"),
    (r"(binomial|hypergeometric)_(log)?(tail|cdf|sf|pmf|logcdf|logsf|logpmf|log_tail)\w*|upper_tail", "O(1) a value"),
    (r"clopper_pearson_\w+", "two or three tails a bound"),
    (r"(hypergeometric|binomial)_sum", "O(1): a bounded number of terms, or a series"),
    (r"binomial_by_bits", "n / 32 words and log2 n steps"),
    (r"scan|chord_\w+|attainable_floor", "O(steps of the scan, and grid values up to the cut-off)"),
    (r"rank_models", "O(K n + sum m_k) expected, O((K n + sum m_k) log m) at worst"),
    (r"sort_scores|group_scores", "O(m) expected, O(m log m) at worst"),
    (r"conformal_ranks|grouped_ranks", "O(n) expected, O(n log m) at worst"),
    (r"evidence|referenced_counts", "one pass a partition"),
    (r"decide|decide_models", "O(K n + grid values)"),
)
"""Where a docstring says nothing about cost: a pattern of names and what it costs."""

HEAD = """# Kernels

Written by `python -m benchmarks.kernel_table` from the code; a test (`tests/benchmarks/test_kernels.py`) keeps it
true and calls every kernel below in the ways stated here.

`typeone_kernels` is for your own compiled code too. Arrays in, arrays out: a kernel validates nothing and assumes what
its line says (the procedures in `typeone` check a user's data); wrong shapes are undefined behaviour, as in C.

```python
from numba import njit
from typeone_kernels.buckets import rank_buffers, sort_scores
from typeone_kernels.ranks import conformal_ranks


@njit
def small_ranks(calibration, candidates, out, most):
    guide = sort_scores(calibration, rank_buffers(calibration.size))
    conformal_ranks(guide, candidates, False, out)
    return (out <= most).sum()
```

- **From `@njit` code**: every kernel. Do not cache such a function of yours with `cache=True` unless you clear it
  after an update: Numba's own cache looks only at your file, not at the kernels compiled into it.
- **From threads**: every kernel releases the GIL and keeps no state. Calls in several threads are safe when they share
  no array that one of them writes: scratch (`work`, `buffers`, `state`) belongs to one thread.
- **float32**: computation is in float64. A float32 array may stand for any float array that is only read; it is
  compiled for as it is, every value is widened when read, which is exact, and the result is that of the same values in
  float64. A score of 0.1 in float32 is not 0.1 in float64: do not mix the two between calibration and candidates
  unless both came from the same rounding. Arrays that a kernel fills are float64; integers are int64 unless stated.
- **Compile time**: on the first call for a type; then from the cache. `TYPEONE_CACHE=off` switches the cache off,
  `NUMBA_CACHE_DIR` moves it; without a place to write, kernels are compiled in every process.
- Compiled with `error_model="numpy"`, without fastmath: NaN, ties and the order of sums are as written.
"""


def shown(annotation: str, module: str) -> str:
    """``float64[]`` for ``NDArray[np.float64]``."""
    if annotation == "Scores":
        return SCORES.get(module, "float[]")
    if annotation in TYPES:
        return TYPES[annotation]
    return re.sub(r"NDArray\[np\.(\w+?)_?\]", r"\1[]", annotation)


def signature(function: Any, module: str) -> str:
    parts = inspect.signature(function)
    given = [f"{name}: {shown(str(of.annotation), module)}" for name, of in parts.parameters.items()]
    returned = shown(str(parts.return_annotation), module)
    return "`" + ", ".join(given) + (f" → {returned}`" if returned else "`")


def sentences(text: str) -> list[str]:
    """Split after a full stop that ends a sentence."""
    flat = " ".join(text.replace("``", "`").split())
    return re.split(r"(?<=[.:;])(?<!e\.g\.) +(?=[A-Z`#0-9_(])", flat)


def told(function: Any) -> tuple[str, str]:
    """(what it computes, cost): the docstring's sentences, those about cost apart."""
    text = sentences(inspect.getdoc(function) or "")
    cost = [part for part in text if COST.search(part)]
    rest = [part for part in text if part not in cost[-1:]]
    arrays = any("NDArray" in str(p.annotation) for p in inspect.signature(function).parameters.values())
    known = (text for pattern, text in COSTS if re.fullmatch(pattern, function.__name__))
    return " ".join(rest), cost[-1] if cost else next(known, LINEAR if arrays else CONSTANT)


def rows(module: str, kernels: dict[str, Any]) -> Iterator[str]:
    for name, kernel in kernels.items():
        what, cost = told(kernel.py_func)
        cells = [f"`{name}`", signature(kernel.py_func, module), what, cost]
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def markdown() -> str:
    """The whole page."""
    found: dict[str, dict[str, Any]] = {}
    for full, kernel in public_kernels().items():
        module, _, name = full.partition(".")
        found.setdefault(module, {})[name] = kernel
    page = [HEAD]
    for module, kernels in found.items():
        about = (import_module(f"typeone_kernels.{module}").__doc__ or "").strip().splitlines()[0]
        page += [f"## {module}\n\n{about}\n", "| kernel | arguments → result | what, formula, shapes | cost |"]
        page += ["| --- | --- | --- | --- |", *rows(module, kernels), ""]
    return "\n".join(page)


if __name__ == "__main__":
    PATH.write_text(markdown(), encoding="utf-8")
    print(f"written: {PATH}")
