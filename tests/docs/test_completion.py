"""Shell completion: a script for each shell, and what is offered at the places where one presses Tab."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SHELLS = {"bash": "complete", "zsh": "compdef", "fish": "complete --command typeone"}


def typeone(*words: str, **variables: str) -> str:
    """What the installed command, under its own name, prints."""
    code = "import sys; sys.argv[0] = 'typeone'; from typeone.cli import main; main()"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("_TYPER", "_TYPEONE", "COMP_"))}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], env=environment | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def offered(line: str, shell: str = "bash") -> list[str]:
    """The words offered where the cursor stands, at the end of ``line``."""
    if shell == "bash":
        place = str(len(line.split()) if line.endswith(" ") else len(line.split()) - 1)
        told = typeone(_TYPEONE_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=place)
        return told.split()
    variables = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    told = typeone(_TYPEONE_COMPLETE=f"complete_{shell}", **variables)
    if shell == "fish":
        return [row.partition("\t")[0] for row in told.splitlines()]
    return re.findall(r'^(?:_arguments .*?\(\()?"([^"]+)"', told, re.MULTILINE)


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_a_script(shell: str) -> None:
    script = typeone(_TYPEONE_COMPLETE=f"source_{shell}")
    assert SHELLS[shell] in script
    assert "_TYPEONE_COMPLETE" in script


def test_show_completion_prints_the_script() -> None:
    for shell, mark in SHELLS.items():
        assert mark in typeone("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")


@pytest.mark.parametrize("shell", SHELLS)
def test_install_completion_writes_the_script(shell: str, tmp_path: Path) -> None:
    typeone("--install-completion", shell, HOME=str(tmp_path), _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    written = [file.read_text(encoding="utf-8") for file in tmp_path.rglob("*") if file.is_file()]
    assert any("_TYPEONE_COMPLETE" in text for text in written)


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_are_offered(shell: str) -> None:
    assert offered("typeone ru", shell) == ["run"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("typeone re", ["replay", "report"]),
        ("typeone apply s", ["scf"]),
        ("typeone check p", ["panels", "pooling"]),
        ("typeone panels s", ["size"]),
        ("typeone run --dr", ["--dry-run"]),
        ("typeone apply scf --cal", ["--calibration"]),
        ("typeone nothing x", []),
        ("typeone run scf-r", ["scf-real", "scf-reddit"]),
        ("typeone example s", ["scf", "scf_null"]),
    ],
)
def test_words_are_offered(line: str, words: list[str]) -> None:
    assert offered(line) == words
