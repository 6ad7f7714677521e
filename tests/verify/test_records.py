"""The records are complete, and every promise has a mutant that its check catches."""

from __future__ import annotations

import math
import pickle

import pytest

from typeone.verify import catalog
from typeone.verify.catch import Catch, catch
from typeone.verify.model import Mutant, Promise, label
from typeone.verify.sample import Pool
from typeone.verify.study import Work

PROMISES = list(catalog.promises().values())
ALPHA = 0.01 / 32


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.name)
def test_a_promise_says_what_it_is_and_can_be_tried(promise: Promise) -> None:
    for text in (promise.statement, promise.assumptions, promise.where, promise.hardest):
        assert text
    assert promise.exact is not None or (promise.simulate is not None and promise.cells)
    assert bool(promise.cells) == (promise.simulate is not None)
    assert len({label(cell) for cell in promise.cells}) == len(promise.cells)
    assert promise.space is None or promise.simulate is not None or promise.exact_at is not None


def test_names_are_unique_and_refer_to_promises() -> None:
    names = set(catalog.promises())
    assert len(names) == sum(len(group) for group in _groups("PROMISES"))
    assert {of.promise for of in catalog.failings().values()} <= names
    assert {of.promise for of in catalog.mutants().values()} == names  # every promise has a mutant
    assert len(catalog.mutants()) == sum(len(group) for group in _groups("MUTANTS"))
    assert len(catalog.failings()) == sum(len(group) for group in _groups("FAILING"))


def _groups(attribute: str) -> list[tuple[object, ...]]:
    from importlib import import_module
    from pkgutil import iter_modules

    from typeone.verify import promises

    modules = [import_module(f"{promises.__name__}.{found.name}") for found in iter_modules(promises.__path__)]
    return [getattr(module, attribute, ()) for module in modules]


def test_the_required_mistakes_are_among_the_mutants() -> None:
    names = set(catalog.mutants())
    assert {
        "no-plus-one", "strict-inequality", "cap-after-averaging", "overlap", "forward-subtraction", "chord-tied-width",
    } <= names  # fmt: skip


@pytest.mark.parametrize("promise", [p for p in PROMISES if p.simulate], ids=lambda promise: promise.name)
def test_every_cell_runs_and_has_levels(promise: Promise) -> None:
    with Pool(1, 1) as pool:
        samples = pool.run([Work("promise", promise.name, cell, "test", 3) for cell in promise.cells])
    for sample in samples:
        assert sample.attempted == 3
        assert sample.sums
        for column in sample.sums:
            assert column.level


@pytest.mark.parametrize("promise", [p for p in PROMISES if p.space], ids=lambda promise: promise.name)
def test_a_space_holds_points_and_neighbors_that_fit(promise: Promise) -> None:
    import numpy as np

    assert promise.space is not None
    random = np.random.Generator(np.random.Philox(1))
    for _ in range(20):
        point = promise.space.draw(random)
        near = promise.space.neighbor(point, random)
        assert promise.space.fits(near)
        assert sum(near[name] != point[name] for name in point) == 1
        pickle.dumps(point)


@pytest.mark.parametrize("promise", [p for p in PROMISES if p.exact], ids=lambda promise: promise.name)
def test_enumerated_promises_hold_exactly(promise: Promise) -> None:
    assert promise.exact is not None
    found = list(promise.exact())
    assert found
    assert [of for of in found if not of.kept] == []
    worst = max(of.ratio for of in found)
    assert math.isfinite(worst)
    if any(of.level > 0 for of in found) and promise.name not in ("bounded-mean", "rate-sequence"):
        assert worst > 0.5  # the cells are hard enough to tell


MUTANTS = list(catalog.mutants().values())


@pytest.fixture(scope="module")
def catches() -> dict[str, tuple[Catch, Catch]]:
    """Every mutant under its check, broken and right: seed 1, false-alarm rate .01 for all the right ones together."""
    with Pool(1, 1) as pool:
        broken = catch(MUTANTS, pool, 0.01)
        fewer = [_short(mutant) for mutant in MUTANTS]
        right = [_right(mutant, pool) for mutant in fewer]
    return {a.mutant: (a, b) for a, b in zip(broken, right, strict=True)}


def _short(mutant: Mutant) -> Mutant:
    from dataclasses import replace

    return replace(mutant, most=64)


def _right(mutant: Mutant, pool: Pool) -> Catch:
    return catch([mutant], pool, ALPHA, broken=False)[0]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_caught_and_the_right_procedure_is_not(
    mutant: Mutant, catches: dict[str, tuple[Catch, Catch]]
) -> None:
    broken, right = catches[mutant.name]
    assert broken.caught
    assert broken.repetitions <= 8192
    assert not right.caught
    assert broken.rate > broken.level
