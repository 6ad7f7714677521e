"""Scalars of a design: exact numbers for pydantic models, and one canonical text for every value."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

from pydantic import GetPydanticSchema
from pydantic_core import core_schema

from typeone.levels import Level

Scalar: TypeAlias = bool | int | float | str

Exact: TypeAlias = Annotated[
    Level,
    GetPydanticSchema(
        lambda _source, _handler: core_schema.no_info_plain_validator_function(
            Level, serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value.text)
        )
    ),
]
"""A pydantic field that holds an exact rational: 0.1, "0.1", ".1" and "1/10" are the same value."""


def canonical(value: Any) -> str:
    """The same text for every spelling of one value: ``true``, ``5``, ``1/20``, or the string itself."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | str):
        return str(value)
    if isinstance(value, float):
        value = Level(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if value is None:
        return ""
    raise ValueError(f"{value!r} is not a scalar: a parameter is a bool, an integer, a string or a number")


def typed(value: Any) -> Any:
    """The value as a user would type it in a TOML file; exact numbers as their own text."""
    return value.text if isinstance(value, Level) else value


def suggestion(key: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` when a known key is near, else the list of what is known."""
    known = sorted(set(known))
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; known: {', '.join(known)}" if known else "; none is known here"
