"""The command tree, found by listing folders; a command's module is imported only when it is used.

- ``cli/commands/NAME.py`` is ``typeone NAME``;
- ``METHOD/commands/apply.py`` and ``check.py`` are ``typeone apply METHOD`` and ``typeone check METHOD``;
- any other ``METHOD/commands/NAME.py``, and ``studies/METHOD/commands/NAME.py``, is ``typeone METHOD NAME``.

Each such module holds a function ``command`` with Typer annotations, and may hold ``CONTEXT``, Typer's context
settings, and ``OPTIONS``, arguments that messages name and their options where the two differ by more than hyphens; its
first docstring line is the help text, read without importing, so ``typeone --help`` stays fast.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from typeone.cli.usage import USAGE_ERROR, usage

_LONG = re.compile(r"""(['"])((?:(?!\1).){60})(?:(?!\1).){20,}\1""")
"""A value that would bury what is said about it."""
HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent
BY_METHOD = {
    "apply": "Run a method on your own scores.",
    "check": "Audit a file before a method is run on it.",
}


class ModuleTree(TyperGroup):
    """A group whose commands are modules (leaves) or further groups, imported on use."""

    branches: Mapping[str, Path | Mapping[str, Any]]

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in alphabetical order."""
        return sorted(self.branches)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command as a help page lists it: its text is known, its module is not imported."""
        return self._build(cmd_name, imported=False)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is about to run (or to complete its options), imported."""
        command = self._build(args[0], imported=True)
        return super().resolve_command(ctx, args) if command is None else (args[0], command, args[1:])

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Read the words of the command line."""
        return _heard(super().make_context, *arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """Find and run a command."""
        return _heard(super().invoke, ctx)

    def _build(self, name: str, *, imported: bool) -> Any:
        branch = self.branches.get(name)
        if branch is None:
            return None
        if isinstance(branch, Path):
            return _leaf(name, branch, imported=imported)
        return _group(branch, name=name, text=BY_METHOD.get(name, f"Single questions about {name}."))


def _heard(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """``call(...)``, in which Ctrl-C is told to `main`; of Typer's own way it would hear nothing but a code."""
    try:
        return call(*arguments, **options)
    except KeyboardInterrupt:
        raise typer.Abort from None


class Leaf(TyperCommand):
    """A command whose errors name options, not the arguments of the function behind it."""

    arguments: Mapping[str, str] = {}
    """Options of arguments that are no parameters of the command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options; one that holds a single value must not be given two, of which the last would win."""
        words: dict[str, Any] = {}
        if not ctx.resilient_parsing:  # while completing, words may be anything
            words, _, given = self.make_parser(ctx).parse_args(list(args))
            for option in given:
                single = option.param_type_name == "option" and not option.multiple
                if single and not option.is_eager and given.count(option) > 1:
                    raise ValueError(f"{option.opts[-1]}: is given twice; give it once")
        rest: list[str] = super().parse_args(ctx, args)
        for name, word in words.items():
            if word == "" and isinstance(ctx.params.get(name), Path):  # which has become the folder "."
                raise ValueError(f"{self._called(name)}: a name is needed")
        return rest

    def _called(self, name: str) -> str:
        """A parameter as a user knows it: ``--out``, or FILE."""
        known = next(p for p in self.params if p.name == name)
        return known.opts[-1] if known.param_type_name == "option" else name.upper()

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        _check_environment()
        try:
            return super().invoke(ctx)
        except ValueError as error:
            if _is_of_a_file(str(error), ctx):
                raise  # no option was typed for what stands in a file
            from typeone.terminal.spelling import spelled

            own = {p.name: p.opts[-1] for p in self.params if p.param_type_name == "option"}
            own |= {word[2:].replace("-", "_"): word for word in _factors(ctx)}
            raise ValueError(spelled(str(error), own | dict(self.arguments), _typed(ctx))) from None


def _factors(ctx: Any) -> list[str]:
    """Options that a command takes besides its own: the factors of a study."""
    return [word.partition("=")[0] for word in ctx.args if word.startswith("--")]


def _is_of_a_file(message: str, ctx: Any) -> bool:
    """Whether the message begins with the name of a file that the user typed."""
    words = [word for given in ctx.params.values() for word in _listed(given) if isinstance(word, str | Path)]
    return any(message.startswith(f"{Path(word)}: ") and os.path.isfile(word) for word in words)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _check_environment() -> None:
    """A library reads this while it is imported, and does not say what it cannot read."""
    moment = os.environ.get("SOURCE_DATE_EPOCH", "0")
    try:
        int(moment)
    except ValueError:
        told = "a whole number of seconds is needed, or no such variable"
        raise ValueError(f"SOURCE_DATE_EPOCH={moment!r}: {told}") from None


def _typed(ctx: Any) -> Iterator[str]:
    """What the user typed that could be taken for an argument and its value."""
    for given in (*ctx.params.values(), ctx.args):
        for word in _listed(given):
            if "=" in str(word):
                yield str(word)


def _leaf(name: str, file: Path, *, imported: bool) -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    text = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n\n")[0]
    if imported:
        dotted = ".".join(("typeone", *file.relative_to(PACKAGE).with_suffix("").parts))
        module = import_module(dotted)
        app.command(
            name=name,
            cls=type("Leaf", (Leaf,), {"arguments": getattr(module, "OPTIONS", {})}),
            help=module.command.__doc__ or text,
            short_help=text,
            context_settings=getattr(module, "CONTEXT", None),
        )(module.command)
    else:
        app.command(name=name, help=text)(lambda: None)
    return typer.main.get_command(app)


def _group(branches: Mapping[str, Any], *, name: str | None, text: str) -> Any:
    cls = type("Tree", (ModuleTree,), {"branches": branches})
    app = typer.Typer(
        cls=cls,
        add_completion=name is None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # rich help takes three times as long to import as Typer
    )
    if name is None:
        app.callback(help=text)(_root)
    else:
        app.callback(help=text)(lambda: None)
    command = typer.main.get_command(app)
    command.name = name
    return command


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"typeone {version('typeone')}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", help="Show the version and exit.", is_eager=True, callback=_show_version
    ),
) -> None:
    pass


def modules(folder: Path) -> dict[str, Path]:
    """Public modules of ``folder`` by command name (underscores become hyphens)."""
    return {
        file.stem.strip("_").replace("_", "-"): file for file in folder.glob("*.py") if not file.stem.startswith("_")
    }


def tree() -> dict[str, Any]:
    """The whole command tree, as nested mappings from names to module files."""
    root: dict[str, Any] = dict(modules(HERE / "commands"))
    root |= {verb: {} for verb in BY_METHOD}
    for folder in sorted([*PACKAGE.glob("*/commands"), *PACKAGE.glob("studies/*/commands")]):
        method = folder.parent.name
        if method == HERE.name:
            continue
        for name, file in modules(folder).items():
            (root[name] if name in BY_METHOD else root.setdefault(method, {}))[
                method if name in BY_METHOD else name
            ] = file
    return root


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad usage and bad input end with exit code 2 and one sentence, no traceback."""
    text = "Check procedures that promise an exact error rate, and run them on your own scores."
    command = _group(tree(), name=None, text=text)
    # Numba's colored errors, which no user sees, have the terminal's attributes reset when the process ends.
    os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
    try:
        code = command(args=arguments, prog_name="typeone", standalone_mode=False)
    except MemoryError:
        typer.echo("typeone: not enough memory, of the machine or within the limit set for it", err=True)
        raise SystemExit(1) from None
    except (ValueError, OSError) as error:
        from typeone.terminal.output import harmless

        typer.echo(f"typeone: {harmless(_sentence(error))}", err=True)
        raise SystemExit(2) from None
    except typer.Abort:
        typer.echo("typeone: stopped", err=True)
        raise SystemExit(130) from None
    except USAGE_ERROR as error:
        typer.echo(usage(error), err=True)
        raise SystemExit(2) from None
    raise SystemExit(code if isinstance(code, int) else 0)


def _sentence(error: ValueError | OSError) -> str:
    """The message; of an error from the system the file and the reason, without its number."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror[:1].lower()}{error.strerror[1:]}"
    return _LONG.sub(r"\1\2…\1", str(error))
