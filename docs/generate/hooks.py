"""What MkDocs calls while it builds the documentation: generated pages and parts, lists as CommonMark reads them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import api_pages
import commands_page
import results_page
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
TIGHT_LIST = re.compile(r"^((?! *[-*|] )\S.*\n)(?=[-*] )", re.MULTILINE)


def on_files(files: Files, config: Any) -> Files:
    """Add the command reference and the page of results, which are made from the code and from results/."""
    files.append(File.generated(config, "commands.md", content=commands_page.page()))
    files.append(File.generated(config, "results.md", content=results_page.page(ROOT)))
    for name, file in results_page.pictures(ROOT).items():
        files.append(File.generated(config, name, abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A list may follow a paragraph without an empty line, as it does everywhere else Markdown is read."""
    parts = FENCED.split(api_pages.filled(markdown))
    return "".join(part if part.startswith("```") else TIGHT_LIST.sub(r"\1\n", part) for part in parts)
