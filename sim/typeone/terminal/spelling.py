"""Messages name arguments as Python spells them; on the command line the same message names the option.

The procedures write ``missing='drop'``, ``C=41 lies above …`` or ``role, control: …``.  A command knows the option of
each of its parameters, so one rewriting of the finished message serves every command and every message.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Mapping

_QUOTED = r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_VALUE = rf"{_QUOTED}|\[[^\]]*\]|[^\s,;:()]+"


def spelled(message: str, options: Mapping[str, str], typed: Iterable[str] = ()) -> str:
    """``message`` with options in place of arguments.

    ``options`` maps names of arguments to options (``{"xi_e": "--xi-e"}``).  An argument is recognized where it
    stands with a value, ``name=value`` or ``cells[0].name=value``, and at the head of the message, ``name: …`` or
    ``name, other: …``.  Text in quotes, and words of the user's own (``typed``: a path such as ``score=1.csv``), stay
    as they are.
    """
    if not options:
        return message
    names = "|".join(sorted(map(re.escape, options), key=len, reverse=True))
    own = "|".join(sorted(map(re.escape, filter(None, typed)), key=len, reverse=True)) or r"(?!)"
    argument = rf"(?:\w+(?:\[\d+\])?\.)?(?P<name>{names})(?:\[[\d, ]*\])?(?:=(?P<value>{_VALUE}))?"
    plain = re.sub(r"\?P<\w+>", "?:", argument)
    head = re.match(rf"(?!{own}){plain}(?:(?:, | and ){plain})*(?=:)", message)
    end = head.end() if head else 0

    def option(found: re.Match[str]) -> str:
        if found["name"] is None or (found["value"] is None and found.end() > end):
            return found[0]
        return _given(options[found["name"]], found["value"])

    return re.sub(rf"{own}|(?<![\w.\-]){argument}(?![\w\-])|{_QUOTED}", option, message)


def _given(option: str, value: str | None) -> str:
    """The option as one types it: a list gives it several times."""
    if value is None:
        return option
    try:
        literal = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        literal = value
    if not isinstance(literal, str | list):
        literal = value
    values = literal if isinstance(literal, list) else [literal]
    return " ".join(f"{option} {shlex.quote(str(one))}" for one in values)
