"""README's commands and the outputs shown for them; `python tests/readme.py` writes the outputs anew."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"<!-- (?P<command>typeone [^>]*?) -->\n```text\n(?P<output>.*?)```\n", re.DOTALL)
WHOLE, MOST_LINES = 60, 18


def commands(text: str) -> list[str]:
    """The typeone commands of README's sh blocks, without comments."""
    lines = "".join(COMMANDS.findall(text)).replace("\\\n", " ").splitlines()
    return [line.partition(" #")[0].strip() for line in lines if line.strip().startswith("typeone ")]


def run(command: str, folder: Path) -> str:
    """What ``command`` prints in ``folder``; raises when it fails."""
    words = [sys.executable, "-m", "typeone", *shlex.split(command)[1:]]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def shortened(output: str) -> str:
    """What README shows of an output: its first lines."""
    lines = output.rstrip("\n").splitlines()
    cut = lines if len(lines) <= WHOLE else [*lines[:MOST_LINES], "…"]
    return "\n".join(line.rstrip() for line in cut) + "\n"


def main() -> None:
    import tempfile

    text = README.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        outputs = {command: run(command, Path(folder)) for command in commands(text)}
        for shown in SHOWN.finditer(text):
            command = shown["command"]
            output = outputs.get(command) or run(command, Path(folder))
            text = text.replace(shown[0], f"<!-- {command} -->\n```text\n{shortened(output)}```\n")
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
