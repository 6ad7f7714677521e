"""The frame of every page: head, contents, sections; styles and script stand in it, nothing is loaded."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files

from typeone.report.html import Markup, Section, element, joined

MOST_BYTES = 3_000_000


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """A complete document; a ValueError when it would not be small enough to hand over."""
    here = files(__package__)
    style = here.joinpath("page.css").read_text(encoding="utf-8")
    script = here.joinpath("page.js").read_text(encoding="utf-8")
    # The digest covers what stands between the tags, the line break after <script> included.
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    contents = element(
        "nav",
        element("ul", *(element("li", element("a", s.title, href=f"#{s.id}")) for s in sections)),
        aria_label="Contents",
    )
    body = [_section(section) for section in sections]
    document = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="typeone {version("typeone")}">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#answer">Skip to the answer</a>
<header>
<h1>{html.escape(title)}</h1>
<p class="lead">{html.escape(lead)}</p>
{contents}
</header>
<main>
{joined(*body)}
</main>
<script>
{script}</script>
</body>
</html>
"""
    size = len(document.encode())
    if size >= MOST_BYTES:
        raise ValueError(f"the page would be {size / 1e6:.1f} MB, more than {MOST_BYTES / 1e6:.0f}")
    return document


def _section(section: Section) -> Markup:
    heading = element("h2", section.title, id=f"{section.id}-title")
    return element("section", heading, section.body, id=section.id, aria_labelledby=f"{section.id}-title")
