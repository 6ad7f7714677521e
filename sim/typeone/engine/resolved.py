"""From a design to numbered cells with their random keys, and to the identity of a run."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from typeone.engine.design import Design, check_bools, explain
from typeone.engine.parameters import Scalar, canonical, suggestion
from typeone.engine.registry import find, module_digest
from typeone.engine.streams import stream_key
from typeone.engine.study import Cell, Study
from typeone.levels import Level

RESERVED = frozenset(
    {
        "study",
        "cell",
        "method",
        "measure",
        "level",
        "estimate",
        "mc_se",
        "sd",
        "lower",
        "upper",
        "attempted",
        "valid",
        "failed",
        "verdict",
        "needed",
        "bounds",
    }
)
"""Columns of the summary, which a factor would hide."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A design resolved against its study."""

    design: Design
    study: Study
    reference: str
    """``module:NAME`` under which a worker imports the study."""
    cells: tuple[Cell, ...]
    facts: Mapping[str, Any]
    """What makes up the identity, as plain JSON."""

    @property
    def identity(self) -> str:
        """Digest of study, cells, levels, seed and input contents; nothing else."""
        return digest_of(self.facts)

    @property
    def repetitions(self) -> int:
        """Planned repetitions of all cells."""
        return self.design.repetitions * len(self.cells)

    def factors(self, cell: Cell) -> dict[str, Any]:
        """The cell's parameters by name, as the study's model holds them."""
        return {name: getattr(cell.parameters, name) for name in self.study.parameters.model_fields}

    def shared_key(self, cell: Cell) -> str:
        """Cells with equal keys use one shared object."""
        looked_at = self.study.shared_by
        values = self.factors(cell)
        if looked_at is not None:
            values = {name: values[name] for name in looked_at}
        return json.dumps({name: canonical(value) for name, value in sorted(values.items())})


def resolve(design: Design, *, paired: Collection[str] = ()) -> Resolved:
    """Resolve ``design``: find its study, validate every cell, digest its input files.

    Cells that differ only in factors of ``paired`` share their random streams, as those that differ only in the
    study's own paired factors always do.
    """
    study, reference = find(design.study)
    fields = study.parameters.model_fields
    for name in itertools.chain(design.factors, *design.cells):
        if name not in fields:
            raise ValueError(f"factors.{name}: {study.name} has no such factor{suggestion(name, fields)}")
    if clash := RESERVED & set(fields):
        raise ValueError(f"study {study.name}: a factor cannot be called {min(clash)!r}: a summary column is")
    levels = design.levels or tuple(Level(text) for text in study.levels)
    inputs = {name: Path(path) for name, path in design.inputs.items()}
    digests = {name: _file_digest(name, path, study) for name, path in sorted(inputs.items())}
    cells: list[Cell] = []
    canonical_cells: dict[str, int] = {}
    for index, values in enumerate(grid(design)):
        parameters = _validated(study, values, index)
        texts = {name: canonical(getattr(parameters, name)) for name in fields}
        first = canonical_cells.setdefault(json.dumps(texts, sort_keys=True), index)
        if first != index:
            raise ValueError(f"cells[{index}]: repeats cells[{first}]")
        unpaired = {name: text for name, text in texts.items() if name not in {*study.paired, *paired}}
        key = stream_key(design.seed, study.name, unpaired)
        cells.append(Cell(index, parameters, levels, key, inputs))
    _refuse_unused(study, cells, design)
    facts = {
        "study": study.name,
        "cells": [json.loads(text) for text in canonical_cells],
        "levels": [level.canonical for level in levels],
        "seed": design.seed,
        "inputs": digests,
    }
    if paired:
        facts["paired"] = sorted(paired)
    if code := _code(study, reference, cells):
        facts["code"] = code
    return Resolved(design, study, reference, tuple(cells), facts)


def unused(study: Study, cells: Iterable[Any]) -> dict[str, str]:
    """Factors and inputs that change nothing in any of some cells, given by their parameters, with a reason."""
    reasons = [study.unused(parameters) for parameters in cells]
    first = reasons[0] if reasons else {}
    return {name: why for name, why in first.items() if all(name in each for each in reasons)}


def telling(study: Study, cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """The factors that say something about stored cells: those that are neither unused nor left empty in all."""
    idle = unused(study, (study.parameters.model_validate(dict(cell)) for cell in cells))
    return [name for name in cells[0] if name not in idle and any(cell[name] != "" for cell in cells)]


def _refuse_unused(study: Study, cells: Sequence[Cell], design: Design) -> None:
    """An input, or a factor with another value than its default, that changes nothing in any cell."""
    fields = study.parameters.model_fields
    for name, why in sorted(unused(study, (cell.parameters for cell in cells)).items()):
        if name in design.inputs:
            raise ValueError(f"inputs.{name}: changes nothing here: {why}")
        if name in fields and any(getattr(cell.parameters, name) != fields[name].get_default() for cell in cells):
            raise ValueError(f"factors.{name}: changes nothing here: {why}")


MOST_CELLS = 20_000


def grid_size(design: Design) -> int:
    """How many cells the design has, without making them."""
    return sum(
        math.prod(
            len(values) if isinstance(values, list) else 1
            for name, values in design.factors.items()
            if name not in listed
        )
        for listed in design.cells or [{}]
    )


def grid(design: Design) -> Iterator[dict[str, Scalar]]:
    """The listed cells, each crossed with the factors it does not name, in the order of the design."""
    if (cells := grid_size(design)) > MOST_CELLS:
        raise ValueError(f"factors: the grid has {cells} cells; {MOST_CELLS} are possible")
    for listed in design.cells or [{}]:
        crossed = {name: values for name, values in design.factors.items() if name not in listed}
        axes = [values if isinstance(values, list) else [values] for values in crossed.values()]
        for name, axis in zip(crossed, axes, strict=True):
            if not axis:
                raise ValueError(f"factors.{name}: at least one value is needed")
        for point in itertools.product(*axes):
            yield {**listed, **dict(zip(crossed, point, strict=True))}


def gaps(done: Iterable[tuple[int, int]], stop: int) -> Iterator[tuple[int, int]]:
    """What is missing of 0..stop-1, as (first, count); ``done`` likewise."""
    position = 0
    for first, count in sorted((*done, (stop, 0))):
        end = min(first, stop)
        if position < end:
            yield position, end - position
        position = max(position, first + count)


def digest_of(facts: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical JSON text of ``facts``."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _validated(study: Study, values: Mapping[str, Scalar], index: int) -> Any:
    try:
        check_bools(study.parameters.model_fields, values)
        return study.parameters.model_validate(dict(values))
    except ValidationError as error:
        raise ValueError(f"cells[{index}].{explain(error, study.name)}") from None
    except ValueError as error:
        raise ValueError(f"cells[{index}].{error}") from None


def _code(study: Study, reference: str, cells: Iterable[Cell]) -> dict[str, str]:
    """Digests of the modules that are not ours and decide numbers: ours are known by their version."""
    modules = {reference.partition(":")[0], *(name for cell in cells for name in study.code(cell.parameters))}
    return {name: digest for name in sorted(modules) if (digest := module_digest(name)) is not None}


def _file_digest(name: str, path: Path, study: Study) -> str:
    if name not in study.inputs:
        raise ValueError(f"inputs.{name}: {study.name} reads no such file{suggestion(name, study.inputs)}")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ValueError(f"inputs.{name}: cannot read {path}: {error.strerror}") from None
