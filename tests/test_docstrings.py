"""The public names' docstrings: each has an example, and every example in the package runs."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import typeone

PUBLIC = [name for name in typeone.__all__ if name != "Level"]


def functions(module):
    """Names of the functions that a module without ``__all__`` defines."""
    return [name for name, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name):
    module = getattr(typeone, name)
    public = [n for n in getattr(module, "__all__", functions(module)) if not n.startswith("_")]
    things = {n: getattr(module, n) for n in public if callable(getattr(module, n))}
    assert len(things) >= 2
    assert [n for n, thing in things.items() if ">>> " not in (inspect.getdoc(thing) or "")] == []


def test_every_example_runs():
    """In all modules but commands, which print, and promises at scale, which have none."""
    tried = 0
    for info in pkgutil.walk_packages(typeone.__path__, "typeone."):
        if not {"cli", "commands", "verify", "__main__"} & set(info.name.split(".")):
            outcome = doctest.testmod(importlib.import_module(info.name))
            assert outcome.failed == 0, info.name
            tried += outcome.attempted
    assert tried > 100
