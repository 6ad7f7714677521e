"""A design by what a user types (preset, TOML file, study or ``module:NAME``), and changes to it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from typeone.engine.design import Design, Stop, design_from, read_design, reference
from typeone.engine.parameters import suggestion
from typeone.engine.registry import find, names, presets
from typeone.engine.study import Study


def design_called(name: str) -> Design:
    """The preset, file or study (with its defaults) called ``name``.

    Raises ValueError for a name that is none of them.

    >>> design_called("coin").factors["flips"]
    10
    """
    known = presets()
    if name in known:
        return read_design(known[name])
    if name.endswith(".toml") or Path(name).is_file():
        if not Path(name).is_file():
            raise ValueError(f"{name}: no such file")
        return read_design(name)
    if ":" in name or name in names():
        return defaults(find(reference(name))[0], name)
    own = f"; did you mean '{name}:STUDY'?" if Path(f"{name}.py").is_file() else ""
    raise ValueError(f"{name!r} is no preset, TOML file or study{own or suggestion(name, {*known, *names()})}")


def defaults(study: Study, name: str) -> Design:
    """The study's own grid: one cell, every factor at its default where it has one."""
    fields = study.parameters.model_fields
    values = {key: field.get_default() for key, field in fields.items() if not field.is_required()}
    factors = {key: getattr(value, "text", value) for key, value in values.items() if value is not None}
    return design_from({"study": name, "text": study.text, "levels": study.levels, "factors": factors})


def changed(design: Design, changes: Mapping[str, Any]) -> Design:
    """The design with other values: of factors, inputs, its own keys, or ``stop.KEY``.

    Raises ValueError for a key that the design and its study do not know.

    >>> changed(design_called("coin"), {"flips": 20, "repetitions": 50}).repetitions
    50
    """
    study, _ = find(design.study)
    values = design.model_dump(mode="json", exclude_unset=True)
    for key, value in changes.items():
        _change(values, key, value, study)
    return design_from(values)


def _change(values: dict[str, Any], key: str, value: Any, study: Study) -> None:
    factors = study.parameters.model_fields
    name = next((known for known in (*factors, *study.inputs) if _same(known, key)), key)
    head, _, tail = key.partition(".")
    if name in factors:
        for cell in values.get("cells", []):
            cell.pop(name, None)
        values.setdefault("factors", {})[name] = value
        if not any(values.get("cells", [])):
            values.pop("cells", None)
    elif name in study.inputs:
        values.setdefault("inputs", {})[name] = str(value)
    elif head == "stop" and tail:
        values["stop"] = {**(values.get("stop") or {}), tail: value}
    elif key in Design.model_fields and key not in ("study", "factors", "cells", "inputs", "stop"):
        values[key] = value if key != "levels" or isinstance(value, list) else [value]
    else:
        known = {*factors, *study.inputs, "levels", "margin", "chunk", "bounds", "seed", "repetitions"}
        known |= {f"stop.{name}" for name in Stop.model_fields}
        raise ValueError(f"{key}: {study.name} has no such factor or input{suggestion(key, known)}")


def _same(known: str, typed: str) -> bool:
    return known.replace("_", "-").lower() == typed.replace("_", "-").lower()


def given(words: Sequence[str], sets: Iterable[str] | None, inputs: Iterable[str] | None, **own: Any) -> dict[str, Any]:
    """Changes by ``--key VALUE``, ``--set``, ``--input`` and ``own`` options (None: not given), each key in one way."""
    found = options(words)
    files = {key: str(value) for key, value in pairs(inputs or (), "--input").items()}
    for more in (pairs(sets or (), "--set"), files, {key: value for key, value in own.items() if value is not None}):
        for key in more:
            _once(key, found)
        found |= more
    return found


def _once(key: str, found: Iterable[str]) -> None:
    """Of two values the last would win, unnoticed."""
    if any(_same(known, key) for known in found):
        raise ValueError(f"{key}: is given twice; give it once")


def pairs(texts: Iterable[str], option: str) -> dict[str, Any]:
    """``key=value`` texts; a value is read as TOML, ``a,b`` as a list, and anything else as a string."""
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"{option} {text!r}: write key=value")
        _once(key.strip(), found)
        found[key.strip()] = value_of(value)
    return found


def options(words: Sequence[str]) -> dict[str, Any]:
    """``--some-key VALUE`` and ``--some-key=VALUE`` as changes."""
    found: dict[str, Any] = {}
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("--") or len(word) < 3:
            raise ValueError(f"{word!r}: not understood; factors are given as --name VALUE or --set name=VALUE")
        key, equals, value = word[2:].partition("=")
        if not equals:
            if not waiting:
                raise ValueError(f"{word}: a value is needed")
            value = waiting.pop(0)
        _once(key, found)
        found[key] = value_of(value)
    return found


def value_of(text: str) -> Any:
    """``5``, ``0.1``, ``true``, ``[1, 2]`` as in TOML; ``1,2`` as a list; the rest as it stands."""
    text = text.strip()
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except ValueError:  # not TOML, or more digits than Python reads: what the key allows is checked with the design
        inner = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text  # [.1, .2] is no TOML, but is meant
        return [value_of(part) for part in inner.split(",")] if "," in text else text
    return value if isinstance(value, bool | int | list | str) else text
