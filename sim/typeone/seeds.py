"""One rule for seeds, wherever one is taken: a whole number of 64 bits."""

from __future__ import annotations

from typing import Any

RULE = "a seed is a whole number from 0 to 2^64 - 1"


def is_seed(value: Any) -> bool:
    """Whether ``value`` follows the rule; True and 1.0 do not."""
    return not isinstance(value, bool) and hasattr(value, "__index__") and 0 <= value.__index__() < 2**64


def checked(value: Any) -> int:
    """``value`` as an int, or a ValueError that states the rule."""
    if not is_seed(value):
        raise ValueError(f"seed={value!r}: {RULE}")
    return int(value)
