"""The campaign as a study of the engine: a cell is one item (promise, failing or mutant) and its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from typeone.engine.parameters import canonical
from typeone.engine.streams import stream_key
from typeone.engine.study import Cell, Columns, Measure, Study
from typeone.verify import catalog
from typeone.verify.model import MEASURE, Failing, Mutant, Promise

REFERENCE = "typeone.verify.study:STUDY"


class Item(BaseModel):
    """What a cell runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    """promise, failing or mutant."""
    name: str
    parameters: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Work:
    """One cell and its number of repetitions; ``phase`` names the random streams."""

    kind: str
    name: str
    parameters: Mapping[str, Any]
    phase: str
    repetitions: int
    first: int = 0

    def cell(self, index: int, seed: int) -> Cell:
        """As the engine takes it."""
        texts = {name: canonical(value) for name, value in self.parameters.items() if name != "broken"}
        key = stream_key(seed, f"verify {self.kind} {self.name} {self.phase}", texts)
        item = Item(kind=self.kind, name=self.name, parameters=tuple(self.parameters.items()))
        return Cell(index, item, (), key)

    @property
    def item(self) -> Promise | Failing | Mutant:
        """The record that says what is simulated."""
        return catalog.find(self.kind, self.name)


@lru_cache(maxsize=4)
def _shared(kind: str, name: str, parameters: tuple[tuple[str, Any], ...]) -> Any:
    return catalog.find(kind, name).share(dict(parameters))


def simulate(cell: Cell, shared: None, first: int, count: int) -> Columns:
    """Repetitions of the cell's item."""
    item: Item = cell.parameters
    found = catalog.find(item.kind, item.name)
    assert found.simulate is not None
    common = _shared(item.kind, item.name, item.parameters)
    return found.simulate(dict(item.parameters), common, cell.key, first, count)


STUDY = Study(
    name="verify",
    text="Errors of promises, of promises outside their assumptions, and of procedures broken on purpose.",
    parameters=Item,
    measures=(Measure(MEASURE, "fraction", "an error, or the share of errors"),),
    simulate=simulate,
)
