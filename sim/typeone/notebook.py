"""A result's picture in a notebook, where matplotlib is imported only when the result is shown."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def drawn(figure: str, result: Any) -> str:
    """The picture as ``<svg>``: ``typeone.figures.inline`` holds a module called ``figure``.

    The one import against the direction of the arrows: a result shows itself, and knows no figure until it does.
    """
    draw: Callable[[Any], str] = import_module(f"typeone.figures.inline.{figure}").draw
    return draw(result)
