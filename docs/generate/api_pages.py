"""Reference of a package's public names, made from signatures and docstrings: ``<!-- api typeone.scf -->``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

PLACE = re.compile(r"^<!-- api ([\w.]+) -->$", re.MULTILINE)
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : ", re.MULTILINE)
NO_TAG = re.compile(r"(``.*?``|`.*?`)|<")
EXAMPLE = re.compile(r"^>>> (?:.+\n?)+", re.MULTILINE)


def filled(markdown: str) -> str:
    """The page with every mark replaced by the reference of the package that it names."""
    return PLACE.sub(lambda match: "\n\n".join(_names(match[1])), markdown)


def _names(package: str) -> Iterator[str]:
    module = import_module(package)
    for name in module.__all__:
        thing = getattr(module, name)
        yield f"### {package}.{name}"
        if inspect.isclass(thing):
            yield from _class(thing)
        elif callable(thing):
            yield _signature(name, thing)
            yield _text(thing)
        else:
            yield f"Value: `{thing!r}`" if len(repr(thing)) < 400 else f"A {type(thing).__name__}."


def _class(cls: type[Any]) -> Iterator[str]:
    if is_dataclass(cls):
        yield _signature(cls.__name__, cls)
    yield _text(cls)
    own = {field.name for field in fields(cls)} if is_dataclass(cls) else set()
    for name, member in vars(cls).items():
        if name.startswith("_") or name in own:
            continue
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if inspect.isfunction(function) and function.__doc__:
            head = f"{name}" if isinstance(member, property) else f"{name}{_arguments(function)}"
            yield f"`{head}`\n\n:   " + _text(function).replace("\n", "\n    ")


def _arguments(function: Any) -> str:
    """The arguments of a method by name: what they are is said in the docstring."""
    return "(" + ", ".join(name for name in inspect.signature(function).parameters if name not in ("self", "cls")) + ")"


def _signature(name: str, thing: Any) -> str:
    """One argument a line where one line is too long; annotations as they were written."""
    signature = inspect.signature(thing)
    shown = [re.sub(r"<([\w.]+) .*?>", r"\1", str(p)).replace("'", "") for p in signature.parameters.values()]
    kinds = [p.kind for p in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    line = f"{name}({', '.join(shown)})"
    if len(line) > 88:
        line = f"{name}(\n" + "".join(f"    {part},\n" for part in shown) + ")"
    return f"```python\n{line}\n```"


def _text(thing: Any) -> str:
    """The docstring as Markdown: headings bold, "name : what" as items, examples as code."""
    text = HEADING.sub(r"**\1**\n", inspect.getdoc(thing) or "")
    parts, end = [], 0
    for example in EXAMPLE.finditer(text):
        parts += [_items(text[end : example.start()]), f"```python\n{example[0].rstrip()}\n```\n"]
        end = example.end()
    return "\n".join([*parts, _items(text[end:])]).strip()


def _items(text: str) -> str:
    """Every "name : what" an item of a list; the lines that continue it are indented already."""
    marked = ENTRY.sub(r"- **\1**: ", NO_TAG.sub(lambda match: match[1] or "&lt;", text))
    return re.sub(r"(?<=\S)\n- \*\*", r"\n- **", marked)
