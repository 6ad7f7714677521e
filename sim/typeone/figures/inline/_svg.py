"""A figure as one ``<svg>`` that fetches nothing."""

from __future__ import annotations

import html
import io
import re

import matplotlib
import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

MOST_MARKS = 600
"""Marks in one collection; more are drawn as pixels, so that the file stays small."""
_LINES = 'style="stroke-linejoin: round; stroke-linecap: butt"'
_NETWORK = re.compile(r'\s(?:xmlns(?::\w+)?|version)="[^"]*"')


def svg(figure: Figure, label: str) -> str:
    """The figure as ``<svg>`` on white, ``label`` for those who do not see it; no address stands in it."""
    for points in figure.findobj(PathCollection):
        points.set_urls([None])
        if np.shape(points.get_offsets())[0] > MOST_MARKS:
            points.set_rasterized(True)
    sink = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "typeone", "svg.fonttype": "none"}):
        figure.savefig(sink, format="svg", facecolor="white", metadata={"Date": None}, dpi=110)
    text = sink.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
    head, body = text[: text.index(">") + 1], text[text.index(">") + 1 :]
    head = _NETWORK.sub("", head).replace("<svg", f'<svg role="img" aria-label="{html.escape(label)}" {_LINES}', 1)
    body = re.sub(
        r"<defs>\s*<style.*?</style>\s*</defs>", "", body, flags=re.S
    )  # its rule would hold for the whole page
    body = re.sub(r"<[^>]*>", _shorter, body).replace("xlink:href", "href")
    return head + re.sub(r"<!--.*?-->\s*", "", body, flags=re.S).strip()


def _shorter(tag: re.Match[str]) -> str:
    """Two decimals of a coordinate are enough; pixels are left as they are."""
    return tag[0] if "base64" in tag[0] else re.sub(r"(\d+\.\d\d)\d+", r"\1", tag[0])
