"""README and docs: their commands, code, outputs and tables; `python tests/documents.py [FILE ...]` writes these anew.

What happens to a fenced block, in the order of the page, in one empty folder for each page:

- ``sh``: lines that start with ``typeone`` or ``python`` are run and must succeed; ``make TARGET`` must be a target of
  the Makefile; ``pip install`` needs a network and is not run; a line that needs a cluster (``--backend dask`` or
  ``ray``) is only parsed: its options, and the factors it sets, must exist; so are ``dask scheduler`` and ``dask
  worker``, whose options must be in their help.  Nothing else may stand in such a block;
- ``python`` is executed; the blocks of a page share their names; one that imports dask_jobqueue needs a batch system
  and is only compiled;
- with ``title="FILE"`` the block is written to FILE; a ``--8<--`` line stands for a file of this repository; lines
  with ``typeone`` in a script are parsed as above; a page that adds files to sim/ or kernels/ works on a copy of both,
  and may replace nothing in it;
- ``text`` is an output: of the command, or of the Python block (``output``), named in the comment above it.

``<!-- table FILE | COLUMNS | where COLUMN=VALUE, ... -->`` stands above a table of numbers out of results/.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FORMULAS_ONLY = ROOT / "docs" / "METHODS.md"
BLOCK = re.compile(
    r"(?:<!-- (?P<of>[^>]*?) -->\n)?"
    r'```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?(?: [^\n]*)?\n(?P<text>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
TABLE = re.compile(
    r"<!-- table (?P<file>\S+) \| (?P<columns>[^|]*?)(?: \| where (?P<where>[^|]*?))? -->\n(?P<rows>(?:\|.*\n)*)"
)
MADE = re.compile(r"(?<=<!-- made -->\n).*")
CLUSTER = re.compile(r"--backend[ =](?:dask|ray)\b")
WHOLE, MOST_LINES = 60, 18
SOURCES = ("sim", "kernels")


class Block(NamedTuple):
    """A fenced block: its language, the file it is (or ""), what it is the output of (or ""), its text."""

    language: str
    title: str
    of: str
    text: str


def pages() -> list[Path]:
    """README and every page of docs but the one that holds formulas only."""
    return [ROOT / "README.md", *(page for page in sorted(ROOT.glob("docs/**/*.md")) if page != FORMULAS_ONLY)]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [Block(m["language"], m["title"] or "", m["of"] or "", m["text"]) for m in BLOCK.finditer(text)]


def lines(text: str) -> list[str]:
    """The commands of a shell block: continued lines joined, comments left out."""
    whole = (line.partition(" #")[0].strip() for line in text.replace("\\\n", " ").splitlines())
    return [line for line in whole if line and not line.startswith("#")]


def run(command: str, folder: Path) -> str:
    """What a typeone or python command prints in ``folder`` (of its copy of sim/, if any); raises when it fails."""
    program, *words = shlex.split(command)
    module = ["-m", "typeone"] if program == "typeone" else []
    arguments = [sys.executable, *module, *words]
    here = os.pathsep.join(str(folder / source) for source in SOURCES if (folder / source).is_dir())
    copied = {"PYTHONPATH": here, "NUMBA_CACHE_DIR": str(folder / "cache")} if here else {}
    done = subprocess.run(
        arguments, cwd=folder, env=os.environ | copied, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def parse(command: str) -> None:
    """Check that a typeone command's options, and the factors that it sets, exist, without running it."""
    import typer

    from typeone.cli.root import PACKAGE, tree
    from typeone.engine import lookup

    name, *words = shlex.split(command)[1:]
    branch = tree()[name]
    if not isinstance(branch, Path):
        raise ValueError(f"{command}: a command of a group needs no cluster")
    from importlib import import_module

    module = import_module(".".join(("typeone", *branch.relative_to(PACKAGE).with_suffix("").parts)))
    app = typer.Typer(add_completion=False)
    app.command(name=name, context_settings=getattr(module, "CONTEXT", None))(module.command)
    context = typer.main.get_command(app).make_context(name, words)
    if name == "run":
        lookup.changed(lookup.design_called(context.params["name"]), lookup.options(context.args))


def check_options(words: list[str]) -> None:
    """Check that ``dask WORD``, which is not run, has the options that the line gives it."""
    module = f"distributed.cli.dask_{words[0]}"
    shown = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True).stdout
    for word in words[1:]:
        if word.startswith("--") and not re.search(rf"{re.escape(word)}\b", shown):
            raise ValueError(f"dask {words[0]}: no option {word}")


def copy_sources(folder: Path) -> None:
    """Put a copy of sim/ and kernels/ into ``folder``, unless it is there."""
    for source in SOURCES:
        if not (folder / source).is_dir():
            shutil.copytree(ROOT / source, folder / source, ignore=shutil.ignore_patterns("__pycache__"))


@dataclass
class Reader:
    """A page being read from top to bottom: its folder, what has been printed, the names its code has defined."""

    folder: Path
    printed: dict[str, str] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})

    def read(self, block: Block) -> None:
        """Do what the block says."""
        if block.title:
            self._write(block)
        elif block.language == "sh":
            for line in lines(block.text):
                self._run(line)
        elif block.language == "python":
            self._execute(block.text)
        elif block.language == "toml":
            tomllib.loads(block.text)
        elif block.language != "text":
            raise ValueError(f"a block of {block.language}: no rule says how it is tested")

    def check(self, text: str) -> None:
        """Do what the blocks of a page say; every output shown must be what was printed."""
        for block in blocks(text):
            self.read(block)
            if block.language == "text" and self.output(block.of) != block.text:
                raise AssertionError(f"{block.of}: shown\n{block.text}\nprinted\n{self.output(block.of)}")

    def output(self, of: str) -> str:
        """What the command, or the last Python block, printed, as a page shows it."""
        if not of:
            raise ValueError("an output without the command that gave it")
        if of not in self.printed:
            self.printed[of] = run(of, self.folder)
        return shortened(self.printed[of])

    def _run(self, line: str) -> None:
        program, *words = shlex.split(line)
        if CLUSTER.search(line):
            parse(line)
        elif program in ("typeone", "python"):
            self.printed[line] = run(line, self.folder)
        elif program == "make":
            if not re.search(
                rf"^{re.escape(words[0])}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
            ):
                raise ValueError(f"{line}: no such target")
        elif program == "dask":
            check_options(words)
        elif [program, *words[:1]] != ["pip", "install"]:
            raise ValueError(f"{line}: no rule says how it is tested")

    def _execute(self, code: str) -> None:
        printed = io.StringIO()
        compiled = compile(code, "page", "exec")
        if "dask_jobqueue" in code:
            return
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed):
            exec(compiled, self.names)
        self.printed["output"] = printed.getvalue()

    def _write(self, block: Block) -> None:
        text = re.sub(r'^--8<-- "(.*)"\n', lambda m: (ROOT / m[1]).read_text(encoding="utf-8"), block.text, flags=re.M)
        file = self.folder / block.title
        if block.title.startswith(tuple(f"{source}/" for source in SOURCES)):
            copy_sources(self.folder)
        if file.exists():
            raise ValueError(f"{block.title}: is there already")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if block.language == "sh":
            for line in lines(text):
                if "typeone " in line:
                    parse(line[line.index("typeone ") :])


def shortened(output: str) -> str:
    """What a page shows of an output: its first lines."""
    printed = output.rstrip("\n").splitlines()
    cut = printed if len(printed) <= WHOLE else [*printed[:MOST_LINES], "…"]
    return "\n".join(line.rstrip() for line in cut) + "\n"


def table(file: str, columns: str, where: str | None) -> str:
    """The rows of a results file that ``where`` picks, as Markdown; numbers with four digits."""
    from typeone.display import markdown_table

    with (ROOT / file).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    wanted = [name.strip() for name in columns.split(",")]
    rules = [rule.strip().split("=", 1) for rule in (where or "").split(",") if rule.strip()]
    missing = {*wanted, *(name for name, _ in rules)} - rows[0].keys()
    if missing:
        raise ValueError(f"{file}: no column {', '.join(sorted(missing))}; there are {', '.join(rows[0])}")
    chosen = [[_number(row[name]) for name in wanted] for row in rows if all(row[n] == v for n, v in rules)]
    if not chosen:
        raise ValueError(f"{file}: no row with {where}")
    return markdown_table(wanted, chosen) + "\n"


def _number(text: str) -> float | str:
    return float(text) if "." in text and text.replace(".", "").replace("e-", "").isdigit() else text


def refreshed(text: str) -> str:
    """The page with its outputs and tables made anew."""
    with tempfile.TemporaryDirectory() as folder:
        parts = list(_refreshed(text, Reader(Path(folder))))
    new = TABLE.sub(lambda m: m[0].removesuffix(m["rows"]) + table(m["file"], m["columns"], m["where"]), "".join(parts))
    return new if new == text else MADE.sub(_made(), new)


def _refreshed(text: str, reader: Reader) -> Iterator[str]:
    end = 0
    for match, block in zip(BLOCK.finditer(text), blocks(text), strict=True):
        reader.read(block)
        yield text[end : match.start("text")]
        yield reader.output(block.of) if block.language == "text" else block.text
        end = match.end("text")
    yield text[end:]


def _made() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("typeone", "numpy", "numba"))
    return f"*Outputs of {date.today()}: {packages}, Python {sys.version.split()[0]}.*"


def main(files: list[str]) -> None:
    """Rewrite the files, or all pages."""
    for page in [Path(file) for file in files] or pages():
        old = page.read_text(encoding="utf-8")
        new = refreshed(old)
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(f"written: {page}")


if __name__ == "__main__":
    main(sys.argv[1:])
