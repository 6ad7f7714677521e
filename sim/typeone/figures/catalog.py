"""Which pictures stored results allow, found by asking every module of this package that offers some."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from typeone import figures
from typeone.figures.picture import Picture
from typeone.figures.stored import Stored


def pictures(run: Stored) -> list[Picture]:
    """All pictures of a run: families in the order of their ``PLACE``; each module's ``offers`` decides."""
    found = [import_module(f"{figures.__name__}.{module.name}") for module in iter_modules(figures.__path__)]
    families: list[Any] = sorted((m for m in found if hasattr(m, "offers")), key=lambda m: m.PLACE)
    return [picture for family in families for picture in family.offers(run)]
