"""The documentation, built once for all tests of it, and the modules that generate its pages."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from documents import ROOT

GENERATE = ROOT / "docs" / "generate"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make docs`` builds, in a folder with a space."""
    pytest.importorskip("material", reason="mkdocs-material is not installed: pip install .[docs]")
    folder = tmp_path_factory.mktemp("the docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    """The module of docs/generate that the test names."""
    monkeypatch.syspath_prepend(str(GENERATE))
    name = f"{request.param}"
    yield import_module(name)
    del sys.modules[name]
