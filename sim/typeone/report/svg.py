"""Figures as inline SVG: ids of their own, colors that follow the page, marks that link to rows of a table."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable

import matplotlib
from matplotlib.figure import Figure

from typeone.figures import style
from typeone.report.html import Markup

VARIABLES = {
    style.INK: "--ink",
    style.FAINT: "--faint",
    style.GRID: "--grid",
    style.PAPER: "--paper",
    style.ALARM: "--alarm",
    **{color: f"--m{i}" for i, color in enumerate(style.COLORS)},
}
_MARK = re.compile(r'<a xlink:href="row:(\d+)"[^>]*>(.*?)</a>', re.S)
_COLOR = re.compile("|".join(VARIABLES))


def inline(figure: Figure, name: str, label: str, tip: Callable[[int], str | None]) -> tuple[Markup, set[int]]:
    """The figure as ``<svg>``, and the rows of the table that its marks stand for.

    ``name`` makes ids unique in the page; ``label`` is read out instead of the picture; ``tip(row)`` is what
    hovering over a mark shows, None for a row that the page's table leaves out.
    """
    sink = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(sink, format="svg", transparent=True, metadata={"Date": None})
    source = sink.getvalue()
    source = source[source.index("<svg") :]
    source = re.sub(r"<metadata>.*?</metadata>", "", source, flags=re.S)
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', source)
    assert box is not None
    body = source[source.index(">") + 1 :]
    body = _shorter(_own_ids(body, name))
    rows: set[int] = set()

    def link(found: re.Match[str]) -> str:
        row = int(found[1])
        words = tip(row)
        if words is None:
            return found[2]
        rows.add(row)
        return f'<a href="#row-{row}" tabindex="-1"><title>{html.escape(words)}</title>{found[2]}</a>'

    body = _MARK.sub(link, body)
    wide, high = float(box[1]), float(box[2])
    widths = f"max-width:{wide * 4 / 3:.0f}px;min-width:{wide * 0.8:.0f}px"
    head = f'<svg viewBox="0 0 {wide:.0f} {high:.0f}" style="{widths}" role="img" aria-label="{html.escape(label)}">'
    return Markup(head + body.strip()), rows


def _own_ids(body: str, name: str) -> str:
    """Only ids that something refers to are kept, with ``name`` before them."""
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', body))

    def renamed(found: re.Match[str]) -> str:
        return f' id="{name}-{found[1]}"' if found[1] in used else ""

    body = re.sub(r' id="([^"]*)"', renamed, body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", body)
    return re.sub(r'(?:xlink:)?href="#([^"]+)"', rf'href="#{name}-\1"', body)


def _shorter(body: str) -> str:
    """Two decimals of a coordinate are enough for a screen; one font for all; colors by name."""
    body = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d+\.\d\d)\d+", r"\1", tag[0]), body)
    body = re.sub(r"(font: [\d.]+px) [^;\"]*", r"\1 'DejaVu Sans', Verdana, sans-serif", body)
    body = _COLOR.sub(lambda found: f"var({VARIABLES[found[0]]})", body)
    body = re.sub(r"\n\s*", "\n", body)
    return re.sub(r"<!--.*?-->\n?", "", body, flags=re.S)
