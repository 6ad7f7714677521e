"""A picture that stored results allow: its name, its words, and how to draw it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Picture:
    """Drawn only when asked for."""

    name: str
    """What ``typeone plot --figure`` and file names use."""
    title: str
    caption: str
    """What the reader sees and how certain it is: repetitions, error."""
    draw: Callable[[], Figure]
