"""A result's picture in a notebook, where matplotlib is imported only when the result is shown."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def drawn(figure: str, result: Any) -> str:
    """The picture as ``<svg>``: ``typeone.figures.inline`` holds a function called ``figure``."""
    draw: Callable[[Any], str] = getattr(import_module("typeone.figures.inline"), figure)
    return draw(result)
