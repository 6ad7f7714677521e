"""The kernel API: callable from compiled code, safe in threads, float32 widened, usable without a cache, documented."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.kernel_examples import EXAMPLES, arguments, public_kernels
from numba import njit

from benchmarks import kernel_table

KERNELS = public_kernels()
UNFILLED = {"buckets.rank_buffers"}  # returns memory that nobody has written yet
THREADS, CALLS = 4, 20
ROOT = Path(__file__).parent.parent.parent


def leaves(value: Any) -> list[Any]:
    """Numbers and arrays in nested tuples, in order."""
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [] if value is None else [value]


def outcome(kernel: Any, given: tuple[Any, ...]) -> list[Any]:
    """Everything that a call leaves: what it returns, and its arguments afterwards."""
    returned = kernel(*given)
    return [np.array(leaf) for leaf in (*leaves(returned), *leaves(given))]


def same(a: list[Any], b: list[Any]) -> bool:
    """Equal bit for bit, NaN equal to NaN."""
    return [x.shape for x in a] == [y.shape for y in b] and all(
        np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in zip(a, b, strict=True)
    )


@njit
def called(kernel, given):
    """A user's own compiled function."""
    return kernel(*given)


def test_there_is_an_example_of_every_kernel() -> None:
    assert EXAMPLES.keys() == KERNELS.keys()
    assert len(KERNELS) > 100


@pytest.mark.parametrize("name", KERNELS)
def test_examples_are_reproducible_and_differ(name: str) -> None:
    """Otherwise the tests below would compare nothing."""
    given = [[np.array(leaf) for leaf in leaves(arguments(name, seed))] for seed in (1, 1, 2)]
    if name not in UNFILLED:
        assert same(given[0], given[1])
    assert not same(given[0], given[2]) or name in {"panels.path_table"}


@pytest.mark.parametrize("name", KERNELS)
def test_called_from_compiled_code(name: str) -> None:
    kernel = KERNELS[name]
    found = outcome(lambda *given: called(kernel, given), arguments(name, 1))
    plain = outcome(kernel, arguments(name, 1))
    if name in UNFILLED:
        assert [x.shape for x in found] == [x.shape for x in plain]
    else:
        assert same(found, plain)


@pytest.mark.parametrize("name", [name for name in KERNELS if name not in UNFILLED])
def test_safe_in_threads(name: str) -> None:
    """Four threads on different data, many times over, against the same calls one after the other."""
    kernel = KERNELS[name]
    seeds = range(THREADS * CALLS)
    alone = [outcome(kernel, arguments(name, seed)) for seed in seeds]
    given = [arguments(name, seed) for seed in seeds]
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(lambda each: outcome(kernel, each), given))
    assert all(same(a, b) for a, b in zip(alone, together, strict=True))


def narrowed(value: Any, read_only: set[int], widen: bool) -> Any:
    """Read-only double arrays in nested tuples as float32, or as doubles of the same values."""
    if isinstance(value, tuple):
        parts = [narrowed(part, read_only, widen) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if id(value) not in read_only:
        return value
    single = value.astype(np.float32)
    return single.astype(np.float64) if widen else single


def read_only_doubles(name: str) -> list[int]:
    """Places, among the leaves, of double arrays that a call does not change."""
    given = arguments(name, 3)
    before = [np.array(leaf) for leaf in leaves(given)]
    KERNELS[name](*given)
    return [
        i
        for i, (old, new) in enumerate(zip(before, leaves(given), strict=True))
        if isinstance(new, np.ndarray) and new.dtype == np.float64 and np.array_equal(old, new) and old.any()
    ]


FLOATS = ("float64", "floating", "Scores", "Guide", "Plan")
READING = [
    name
    for name, kernel in KERNELS.items()
    if name not in UNFILLED and any(word in str(inspect.signature(kernel.py_func)) for word in FLOATS)
]


@pytest.mark.parametrize("name", READING)
def test_float32_is_widened_exactly(name: str) -> None:
    places = read_only_doubles(name)
    found = []
    for widen in (False, True):
        given = arguments(name, 3)
        chosen = {id(leaf) for i, leaf in enumerate(leaves(given)) if i in places}
        returned = KERNELS[name](*(of := narrowed(given, chosen, widen)))
        found.append([np.array(leaf, dtype=np.asarray(leaf).dtype) for leaf in (*leaves(returned), *leaves(of))])
    assert same([x.astype(float) if x.dtype == np.float32 else x for x in found[0]], found[1])


SCORES = ("buckets.sort_scores", "ranks.conformal_ranks", "ranks.random_ranks", "roc.twice_u", "bags.exact_sum")


@pytest.mark.parametrize("name", [*SCORES, "jecs.rank_models", "jecs.jecs_batch", "selection.step_up_doubles"])
def test_scores_are_among_what_is_widened(name: str) -> None:
    """Otherwise the test above would have compared a call with itself."""
    assert read_only_doubles(name)
    assert name in READING


WITHOUT_CACHE = ("ranks.conformal_ranks", "roc.twice_u", "selection.bh_cutoff", "streams.draw_subset", "scf.mean_keys")
SCRIPT = """
import sys
import numpy as np
from benchmarks.kernel_examples import arguments, public_kernels
from typeone_kernels._jit import cache_folder
kernels = public_kernels()
for name in sys.argv[1:]:
    assert cache_folder(name.partition(".")[0]) is None
    given = arguments(name, 1)
    returned = kernels[name](*given)
    print(name, returned, [np.asarray(a).tolist() for a in given if isinstance(a, np.ndarray)])
"""


def script_output(environment: dict[str, str]) -> str:
    command = [sys.executable, "-c", SCRIPT, *WITHOUT_CACHE]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_usable_without_the_cache(tmp_path: Path) -> None:
    """Switched off: the same results, and no file is written."""
    environment = os.environ | {"TYPEONE_CACHE": "off", "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    lines = script_output(environment).splitlines()
    assert not list(tmp_path.rglob("*.nbi"))
    for line, name in zip(lines, WITHOUT_CACHE, strict=True):
        given = arguments(name, 1)
        returned = KERNELS[name](*given)
        assert line == f"{name} {returned} {[np.asarray(a).tolist() for a in given if isinstance(a, np.ndarray)]}"


def test_the_page_is_that_of_the_code() -> None:
    assert kernel_table.PATH.read_text(encoding="utf-8") == kernel_table.markdown(), "python -m benchmarks.kernel_table"


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_says_what_it_does(name: str) -> None:
    what, cost = kernel_table.told(KERNELS[name].py_func)
    assert len(what) > 5
    assert cost
