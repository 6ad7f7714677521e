"""The page on accuracy and speed, made from what the scripts in results/ wrote.

Every folder of results/ is a part, every Markdown file in it a section; a folder that is added is picked up.
"""

from __future__ import annotations

import re
from pathlib import Path

MOST_ROWS = 16
SPEED = "benchmarks"
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
PICTURE = re.compile(r"(!\[[^\]]*\]\()([^):]+)\)")
INTRO = """# Accuracy and speed

Made from the files in `results/`, which the command named in each part wrote, with its date and versions. A number
after ± is a Monte Carlo standard error; brackets hold 95 % intervals. Long tables are cut here; the whole ones,
unrounded, are the CSV files beside them."""
NO_SPEED = """## Speed

`results/benchmarks` does not exist in this copy: no timing is shown here. How to measure on your own machine stands in
`benchmarks/README.md`."""


def folders(root: Path) -> list[Path]:
    """The parts: folders of results/ with something written in them."""
    return sorted({file.parent for file in root.glob("results/*/*.md")})


def page(root: Path) -> str:
    """The whole page."""
    parts = [INTRO]
    for folder in folders(root):
        files = sorted(folder.glob("*.md"), key=lambda file: (file.name != "README.md", file.name))
        parts += [_section(file) for file in files]
    if not (root / "results" / SPEED).is_dir():
        parts.append(NO_SPEED)
    return "\n\n".join(parts) + "\n"


def pictures(root: Path) -> dict[str, Path]:
    """The pictures that the sections show, by the place they get in the site."""
    found = {}
    for folder in folders(root):
        for file in folder.glob("*.md"):
            for _, name in PICTURE.findall(file.read_text(encoding="utf-8")):
                found[f"results/{folder.name}/{name}"] = folder / name
    return found


def _section(file: Path) -> str:
    """One file, its headings one level lower, its long tables cut, its pictures where the site has them."""
    text = file.read_text(encoding="utf-8").rstrip() + "\n"
    text = re.sub(r"^#", "##", text, flags=re.MULTILINE)
    text = PICTURE.sub(rf"\1results/{file.parent.name}/\2)", text)
    return TABLE.sub(lambda match: _cut(match[0], f"results/{file.parent.name}/{file.name}"), text)


def _cut(rows: str, source: str) -> str:
    lines = rows.splitlines()
    left = len(lines) - 2 - MOST_ROWS
    if left <= 0:
        return rows
    return "\n".join(lines[: 2 + MOST_ROWS]) + f"\n\n*{left} more rows in `{source}`.*\n"
