"""The public names: few, and importable at no cost (test_docstrings: documented, with examples that run)."""

import subprocess
import sys

import pytest

import typeone


def test_public_names_are_exactly_these():
    assert typeone.__all__ == ["Level", "exact", "jecs", "panels", "pooling", "roc", "scf", "tails"]
    for name in typeone.__all__:
        assert getattr(typeone, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        typeone.nothing  # noqa: B018


def test_a_star_import_brings_these_and_no_more():
    names = {}
    exec("from typeone import *", names)  # what a user of a notebook types
    assert names.keys() - {"__builtins__"} == set(typeone.__all__)


def test_a_folder_that_is_added_is_reached_as_an_attribute(tmp_path):
    """As docs/adding-a-method.md promises: the fifth method edits no list."""
    (tmp_path / "fifth").mkdir()
    (tmp_path / "fifth" / "__init__.py").write_text("ANSWER = 5\n")
    code = f"import typeone; typeone.__path__.append({str(tmp_path)!r}); assert typeone.fifth.ANSWER == 5"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_import_costs_nothing():
    code = "import sys, typeone; assert not {'numba', 'numpy', 'pyarrow', 'pydantic', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
