"""``typeone doctor``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from typeone.cli import health
from typeone.cli.root import main


def doctor(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as left:
        main(["doctor", *words])
    return int(left.value.code or 0), capsys.readouterr().out


def test_facts_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = doctor("--json", capsys=capsys)
    told = json.loads(out)
    assert told["versions"]["numba"] == version("numba")
    assert told["kernels"]["one kernel, called"] == "right"
    assert told["kernels"]["kernels"] > 20
    assert set(told["backends"]) == {"loky", "threading", "dask", "ray"}
    assert told["processor"]["usable"] >= 1
    assert code == (1 if told["advice"] else 0)


def test_text_has_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    _, out = doctor(capsys=capsys)
    for words in ("versions", "processor", "kernels", "backends", "terminal", "cache folder"):
        assert words in out


@pytest.mark.parametrize(
    ("part", "name", "value", "told"),
    [
        ("kernels", "cache folder", None, "NUMBA_CACHE_DIR"),
        ("kernels", "one kernel, called", "WRONG", "wrong value"),
        ("kernels", "jit disabled", True, "NUMBA_DISABLE_JIT"),
        ("terminal", "encoding", "ascii", "PYTHONUTF8"),
        ("versions", "scipy", None, "not installed: scipy"),
    ],
)
def test_advice(part: str, name: str, value: object, told: str) -> None:
    facts = {
        "versions": dict.fromkeys(health.PACKAGES, "1"),
        "kernels": {"cache folder": "x", "one kernel, called": "right", "jit disabled": False},
        "terminal": {"encoding": "UTF-8"},
    }
    assert list(health.advice_on(facts)) == []
    facts[part][name] = value
    assert told in " ".join(health.advice_on(facts))


def test_a_closed_output_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    found = health.examine()
    assert (found.facts["terminal"]["is a terminal"], found.facts["terminal"]["encoding"]) == (False, None)
    assert "encoding" not in " ".join(found.advice)


@pytest.mark.parametrize("words", [["doctor"], ["panels", "size", "--census", "40", "--positives", "30"]])
def test_without_compilation_there_are_no_kernels(words: list[str]) -> None:
    line = [sys.executable, "-m", "typeone", *words]
    told = subprocess.run(
        line, capture_output=True, text=True, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=False
    )
    assert told.returncode == (1 if words == ["doctor"] else 2)
    last = (told.stdout if words == ["doctor"] else told.stderr).splitlines()[-1]
    assert last.endswith("NUMBA_DISABLE_JIT is set, and the kernels run compiled only: unset it")
    assert "Traceback" not in told.stderr


def test_trouble_is_an_exit_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(health, "examine", lambda: health.Health({"part": {"name": True}}, ["do this"]))
    code, out = doctor(capsys=capsys)
    assert code == 1
    assert "! do this" in out
    assert "name  yes" in out
