"""Everything the campaign tries, found by listing: each module of ``promises`` holds PROMISES, FAILING and MUTANTS."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from typeone.engine.parameters import suggestion
from typeone.verify import promises as package
from typeone.verify.model import Failing, Mutant, Promise


@cache
def promises() -> dict[str, Promise]:
    """By name."""
    return {item.name: item for item in _all("PROMISES") if isinstance(item, Promise)}


@cache
def failings() -> dict[str, Failing]:
    """By name."""
    return {item.name: item for item in _all("FAILING") if isinstance(item, Failing)}


@cache
def mutants() -> dict[str, Mutant]:
    """By name."""
    return {item.name: item for item in _all("MUTANTS") if isinstance(item, Mutant)}


def find(kind: str, name: str) -> Promise | Failing | Mutant:
    """The record of this kind (promise, failing or mutant) and name."""
    if kind == "promise":
        return promises()[name]
    return failings()[name] if kind == "failing" else mutants()[name]


def chosen(only: str) -> tuple[str, ...]:
    """Names of the promises whose name is ``only`` or begins with it (all for ``""``); ValueError when none does."""
    names = tuple(name for name in promises() if name.startswith(only))
    if not names:
        raise ValueError(f"only={only!r}: no promise of this name{suggestion(only, promises())}")
    return names


def _all(attribute: str) -> list[object]:
    names = sorted(module.name for module in iter_modules(package.__path__))
    found = [getattr(import_module(f"{package.__name__}.{name}"), attribute, ()) for name in names]
    return [item for group in found for item in group]
