"""A design: which study, which grid of cells, how many repetitions, and when to stop."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo

from typeone import seeds
from typeone.engine.parameters import Exact, Scalar, suggestion, typed
from typeone.levels import Level, levels

MAX_REPETITIONS = 10**12


NOT_BOOL = "true and false are no numbers"
_LONG_NUMBER = re.compile(r"[0-9][0-9_]{4299}")
"""Python reads no whole number of more digits."""


def reference(name: str) -> str:
    """A study's name as it is; a ValueError for ``module:NAME`` without a module, or with an empty part in its name."""
    module, colon, _ = name.partition(":")
    if colon and not all(part.strip() for part in module.split(".")):
        raise ValueError(f"study={name!r}: is written module:NAME")
    return name


def check_bools(fields: Mapping[str, FieldInfo], values: Mapping[str, Any]) -> None:
    """Refuse true and false where a field is a number, which pydantic takes for 1 and 0."""
    for name, value in values.items():
        if isinstance(value, bool) and name in fields and not _takes_bool(fields[name].annotation):
            raise ValueError(f"{name}={value!r}: {NOT_BOOL}")


def _takes_bool(annotation: Any) -> bool:
    return annotation in (bool, Any) or any(isinstance(a, bool) or _takes_bool(a) for a in get_args(annotation))


class Stop(BaseModel):
    """Stop a cell once every named measure has reached one target, looked at after fixed repetition counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    measures: tuple[str, ...] = ()
    """Names of measures; none: every measure that is a validity claim."""
    mc_se: float | None = Field(default=None, gt=0)
    half_width: float | None = Field(default=None, gt=0)
    verdict: bool = False
    first: int = Field(default=1000, ge=2, strict=True)
    """The first look; each following one is at twice as many repetitions."""
    looks: tuple[int, ...] = ()
    """The looks, when doubling is not wanted."""

    @field_validator("mc_se", "half_width", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError(NOT_BOOL)
        return value

    @model_validator(mode="after")
    def _check(self) -> Stop:
        if (self.mc_se is not None) + (self.half_width is not None) + self.verdict != 1:
            raise ValueError("give exactly one target: mc_se, half_width or verdict = true")
        if any(a >= b for a, b in zip((1, *self.looks), self.looks, strict=False)):
            raise ValueError("looks: repetition counts must be at least 2 and increase")
        return self

    def counts(self, most: int) -> tuple[int, ...]:
        """The repetition counts at which a cell is looked at; the last is ``most``."""
        counts = list(self.looks)
        if not counts:
            counts = [self.first]
            while counts[-1] < most:
                counts.append(2 * counts[-1])
        return (*(count for count in counts if count < most), most)


class Design(BaseModel):
    """The whole description of a run; ``design_from`` is the constructor whose errors name key and rule."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    study: str = Field(min_length=1)
    """A study's name, or ``module:NAME`` of one of your own."""
    text: str = ""
    repetitions: int = Field(default=1000, ge=1, le=MAX_REPETITIONS, strict=True)
    """Repetitions of each cell; the most of them when a stopping rule is given."""
    seed: int = 1
    levels: tuple[Exact, ...] = ()
    """Error levels judged; none: the study's own."""
    factors: dict[str, Scalar | list[Scalar]] = {}
    """Crossed: every combination is a cell.  A single value is a factor with one value."""
    cells: list[dict[str, Scalar]] = Field(default=[], min_length=1)
    """Listed: each is crossed with the factors it does not name."""
    inputs: dict[str, str] = {}
    """Input files by name."""
    chunk: int | None = Field(default=None, ge=1, strict=True)
    """Repetitions in one task and one file; by default about a second of work."""
    margin: Exact = Level("0")
    """A claim holds when its upper bound is at most level + margin."""
    bounds: Literal["fixed", "sequence"] = "fixed"
    """``sequence`` when the run may be topped up later: bounds valid at every look."""
    stop: Stop | None = None

    @field_validator("study")
    @classmethod
    def _study(cls, value: str) -> str:
        return reference(value)

    @field_validator("levels", mode="before")
    @classmethod
    def _levels(cls, value: Any) -> tuple[Level, ...]:
        return () if value in ((), []) else levels("levels", value)

    @field_validator("seed", mode="before")
    @classmethod
    def _seed(cls, value: Any) -> int:
        if not seeds.is_seed(value):
            raise ValueError(seeds.RULE)
        return int(value)

    @field_validator("margin")
    @classmethod
    def _margin(cls, value: Level) -> Level:
        if not 0 <= value < 1:
            raise ValueError("a margin lies in [0, 1)")
        return value

    @property
    def looks(self) -> tuple[int, ...]:
        """Repetition counts after which a cell is judged; one without a stopping rule."""
        return self.stop.counts(self.repetitions) if self.stop else (self.repetitions,)

    def as_dict(self) -> dict[str, Any]:
        """Plain values that ``design_from`` reads back, without what is left at its default."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def as_toml(self) -> str:
        """The design as a TOML file that ``read_design`` reads back."""
        return _toml(self.as_dict())


def design_from(values: Mapping[str, Any]) -> Design:
    """A design from plain values; a ValueError names the key, the rule and the nearest known key."""
    try:
        return Design.model_validate(dict(values))
    except ValidationError as error:
        raise ValueError(explain(error, "design")) from None


def read_design(file: str | Path) -> Design:
    """A design from a TOML file; input files are looked for beside it."""
    file = Path(file)
    values = _parsed(file)
    if isinstance(values.get("inputs"), dict):
        values["inputs"] = {
            name: str(file.parent / path) if isinstance(path, str) else path for name, path in values["inputs"].items()
        }
    try:
        return design_from(values)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _parsed(file: Path) -> dict[str, Any]:
    text = ""
    try:
        text = file.read_text(encoding="utf-8-sig")
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"{file} is not a TOML file: too deeply nested") from None
    except ValueError as error:  # not TOML, not UTF-8, or a number that Python does not read
        long = next((line for line in text.splitlines() if _LONG_NUMBER.search(line)), None)
        if long is None:
            raise ValueError(f"{file} is not a TOML file: {error}") from None
        key = long.partition("=")[0].strip()[:40]
        raise ValueError(f"{file}: {key}: a whole number of more than 4300 digits") from None


_RULES = {
    "dict_type": "a table (key = value) is needed",
    "list_type": "a list is needed",
    "too_short": "at least one is needed",
    "int_type": "an integer is needed",
    "int_from_float": "an integer is needed",
    "int_parsing": "an integer is needed",
    "string_type": "a string is needed",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be greater than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
}
_SCALARS = {"bool", "int", "float", "str"}


def explain(error: ValidationError, what: str) -> str:
    """One fault of a pydantic error as one sentence: key, rule, nearest known key; unknown keys first."""
    faults = error.errors(include_url=False)
    fault = next((f for f in faults if f["type"] == "extra_forbidden"), faults[0])
    path = [str(step) for step in fault["loc"]]
    if fault["type"] == "extra_forbidden":
        model = Stop if path[0] == "stop" and len(path) > 1 else Design
        return f"{'.'.join(path)}: no such key{suggestion(path[-1], model.model_fields)}"
    if path and path[0] in ("factors", "cells") and (path[-1] in _SCALARS or "list[" in path[-1]):
        # One branch of the union of what a value may be: the rule is the union's.
        several = " or a list of these" if path[0] == "factors" else ""
        return f"{'.'.join(path[:-1])}: a value is true, false, an integer, a number or a string{several}"
    where = ".".join(path) or what
    if fault["type"] == "missing":
        return f"{where}: this key is needed"
    given = fault["input"]
    shown = f"={given!r}" if isinstance(given, bool | int | float | str) else ""
    if rule := _RULES.get(fault["type"]):
        return f"{where}{shown}: {rule.format(**fault.get('ctx', {}))}"
    rule = fault["msg"].removeprefix("Value error, ")
    return rule if rule.startswith(where) else f"{where}{shown}: {rule}"


def _toml(values: Mapping[str, Any]) -> str:
    lines = [f"{key} = {_value(v)}" for key, v in values.items() if not _is_table(v)]
    for key, value in values.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]", *(f"{_key(k)} = {_value(v)}" for k, v in value.items())]
        elif _is_table(value):
            for row in value:
                lines += ["", f"[[{key}]]", *(f"{_key(k)} = {_value(v)}" for k, v in row.items())]
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)


def _value(value: Any) -> str:
    value = typed(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # JSON's strings, integers, floats and booleans are TOML's too, once DEL is escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
