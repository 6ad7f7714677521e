"""Source inference: which sources took part, and the documents that say so."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from typeone import scf, tables
from typeone.figures import reference, style
from typeone.figures.decisions import p_values
from typeone.figures.picture import Picture
from typeone.report.html import Markup, bullets, element, joined, paragraph, table
from typeone.scf.documents import ROLES, roles
from typeone.scf.result import GUARANTEE
from typeone.scf.tail import cap_level

TITLE = "Source inference: which sources took part in the update"
COLUMNS = frozenset({"source", "documents", "evidence", "p_value"})
ORDER = "p_value"
NAME = "source"
EVIDENCE = {"source": "source", "score": "score", "role": "role", "cap": "0.05", "smoothing": "document"}
_MOST_NAMED = 12
_MOST_MAPS = 3
_MOST_DOCUMENTS = 4000


def answer(found: pa.Table) -> Markup:
    """How many sources are rejected at each level, and which."""
    return joined(bullets(_sentences(found)), paragraph(GUARANTEE))


def _levels(found: pa.Table) -> list[str]:
    return [name.removeprefix("reject_") for name in found.column_names if name.startswith("reject_")]


def _sentences(found: pa.Table) -> Iterator[Markup]:
    sources = [str(name) for name in found["source"].to_pylist()]
    for name in found.column_names:
        if not name.startswith(("reject_", "discovery_fdr_")):
            continue
        kind, _, level = name.rpartition("_")
        rule = f"level {level}" if kind == "reject" else f"false discovery rate {level}"
        hit = [source for source, yes in zip(sources, found[name].to_pylist(), strict=True) if yes]
        named = ", ".join(hit[:_MOST_NAMED]) + (f" and {len(hit) - _MOST_NAMED} more" if len(hit) > _MOST_NAMED else "")
        told = f"{len(hit)} of {len(sources)} sources are found to have taken part"
        yield joined(element("strong", f"At {rule}: {told}{':' if hit else '.'}"), f" {named}")
    smallest = pc.min(found["p_value"]).as_py()
    yield joined(
        f"The smallest p-value is {smallest:.4g}. Some findings may be false: at level t, up to t of the sources that "
        "did not take part are expected among them. A source that is not named is not cleared."
    )


def pictures(found: pa.Table) -> list[Picture]:
    """The sorted p-values."""
    p, at = found["p_value"].to_numpy(), _levels(found)

    def draw() -> Any:
        return style.figure_of(p_values(p, at=at, rows=range(p.size)))

    caption = (
        f"p-values of {p.size} target sources from smallest to largest, and the levels. If no source had taken part, "
        "they would follow the diagonal. Each p-value is a rank among the calibration sources: no error bar applies."
    )
    return [Picture("p-values", "p-values of all targets", caption, draw)]


def evidence(found: pa.Table, file: Path, asked: Mapping[str, str]) -> tuple[Markup, list[Picture]]:
    """Every target document with its tail Q and evidence, from the scores that were tested and their roles."""
    fitted, own = _documents(file, asked)
    cap = cap_level(asked["cap"])
    rows: list[list[Any]] = []
    maps: list[Picture] = []
    for name, stored in zip(map(str, found["source"].to_pylist()), found["evidence"].to_pylist(), strict=True):
        if name not in own:
            raise ValueError(f"{file}: source {name!r} of the result has no scored document there")
        scores = np.sort(own[name])[::-1]
        each = fitted.evidence(scores, cap)
        if not math.isclose(float(each.mean()), stored, rel_tol=1e-6, abs_tol=1e-9):
            raise ValueError(
                f"{file}: the documents of source {name!r} have a mean evidence of {each.mean():.6g}, the result says "
                f"{stored:.6g}; method scf, one split, and the same --cap, --smoothing and file are needed"
            )
        told = zip(scores, fitted.tail(scores), each, fitted.capped(scores, cap), strict=True)
        rows += [[name, float(s), float(q), float(e), bool(c)] for s, q, e, c in told]
        if len(maps) < _MOST_MAPS:
            maps.append(_map(fitted, scores, name, asked["cap"]))
    left = f" (the first {_MOST_DOCUMENTS:,} of {len(rows):,})" if len(rows) > _MOST_DOCUMENTS else ""
    header = ["source", "score", "Q", "evidence", "capped"]
    caption = (
        f"Documents of the targets{left}: Q is the share of the reference at or above the score; a capped document "
        f"(Q < {cap.text}) counts no more than any other capped one"
    )
    return table("documents", caption, header, rows[:_MOST_DOCUMENTS], choose=["capped"]), maps


def _documents(file: Path, asked: Mapping[str, str]) -> tuple[scf.ReferenceMap, dict[str, NDArray[np.float64]]]:
    """The map fitted on the reference documents, and the scores of every other source."""
    data = tables.read(file)
    scores = tables.scores(data, asked["score"], missing="drop")
    codes, names = tables.labels(data, asked["source"])
    kept = ~np.isnan(scores)
    is_reference = (roles(data, asked["role"]) == ROLES["reference"]) & kept
    if not is_reference.any():
        raise ValueError(f"column {asked['role']!r}: no document is a reference, so there is no map to show")
    fitted = scf.fit(scores[is_reference], codes[is_reference], smoothing=asked["smoothing"])
    kept &= ~is_reference
    order = np.argsort(codes[kept], kind="stable")
    several, starts = np.unique(codes[kept][order], return_index=True)
    parts = np.split(scores[kept][order], starts[1:])
    return fitted, {str(names[int(code)]): part for code, part in zip(several, parts, strict=True)}


def _map(fitted: scf.ReferenceMap, own: Any, name: str, cap: str) -> Picture:
    def draw() -> Any:
        return style.figure_of(reference.tail_map(fitted, cap=cap, documents=own, name=name))

    caption = (
        f"The reference map, and where the {own.size} documents of {name} lie on it: filled squares are capped, open "
        "circles are not. Their mean is the source's evidence. The map is computed exactly: no error bar applies."
    )
    return Picture(f"map-{name}", f"Evidence of source {name}", caption, draw)
