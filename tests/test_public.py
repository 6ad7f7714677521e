"""The public names: few, importable at no cost, each with a docstring whose examples run."""

import doctest
import importlib
import inspect
import subprocess
import sys

import pytest

import typeone

MODULES = [name for name in typeone.__all__ if name != "Level"]


def test_public_names_are_exactly_these():
    assert typeone.__all__ == ["Level", "exact", "jecs", "panels", "pooling", "roc", "scf", "tails"]
    for name in typeone.__all__:
        assert getattr(typeone, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        typeone.nothing  # noqa: B018


def test_import_costs_nothing():
    code = "import sys, typeone; assert not {'numba', 'numpy', 'pyarrow', 'pydantic', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_documented(name):
    module = getattr(typeone, name)
    for public in getattr(module, "__all__", [n for n, f in vars(module).items() if inspect.isfunction(f)]):
        if public.startswith("_"):
            continue
        thing = getattr(module, public)
        if callable(thing):
            assert (inspect.getdoc(thing) or "").strip(), f"typeone.{name}.{public}"


@pytest.mark.parametrize("name", ["levels", "roc", "scf.procedure", "scf.reference", "tails", "exact"])
def test_examples_in_docstrings_run(name):
    outcome = doctest.testmod(importlib.import_module(f"typeone.{name}"))
    assert outcome.failed == 0
