"""The studies by name, found by listing the package ``typeone.studies``, which the engine does not import before.

A module or subpackage with a ``STUDY`` is a study of its name; a subpackage may keep ``STUDY`` in its module
``study``.  Presets are the TOML files in its folder ``presets``.  Adding a study edits no list.  A study of your own
is named ``module:NAME`` wherever a study's name is.
"""

from __future__ import annotations

import hashlib
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from typeone.engine.parameters import suggestion

if TYPE_CHECKING:
    from typeone.engine.study import Study

PACKAGE = "typeone.studies"


def names() -> list[str]:
    """Names of the studies in the package, without importing them."""
    folder = _folder()
    found = [file.stem for file in folder.glob("*.py")] + [file.parent.name for file in folder.glob("*/*.py")]
    return sorted({name.replace("_", "-") for name in found if not name.startswith("_")})


def presets() -> dict[str, Path]:
    """The presets of all studies by name (a file's stem).

    >>> presets()["scf-real"].name
    'scf-real.toml'
    """
    return {file.stem: file for file in sorted(_folder().glob("*/presets/*.toml"))}


def find(name: str) -> tuple[Study, str]:
    """The study called ``name`` (or ``module:NAME``), and the ``module:NAME`` it can be imported by.

    >>> study, reference = find("coin")
    >>> study.name, reference
    ('coin', 'typeone.studies.coin:STUDY')
    """
    reference = name if ":" in name else _reference(name)
    return load(reference), reference


def load(reference: str) -> Study:
    """Import ``module:NAME``; modules in the current folder are found too."""
    module, _, attribute = reference.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        home = import_module(module)
    except SystemExit as error:
        raise ValueError(f"study {reference!r}: its module ends the process (SystemExit: {error.code})") from None
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module is there; what it imports is not
        told = f"there is no module {error.name!r}, here or where Python looks"
        raise ValueError(f"study {reference!r}: {told}") from None
    study = getattr(home, attribute or "STUDY", None)
    if study is None:
        raise ValueError(f"study {reference!r}: module {module!r} has no {attribute or 'STUDY'}")
    from typeone.engine.study import Study  # not above: listing names, as Tab does, must be quick

    if not isinstance(study, Study):
        raise ValueError(f"study {reference!r}: is a {type(study).__name__}, not a Study")
    return study


def _folder() -> Path:
    package = find_spec(PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise ValueError(f"{PACKAGE}: no such package; the installation is not whole")
    return Path(package.submodule_search_locations[0])


def _reference(name: str) -> str:
    if name not in names():
        raise ValueError(f"study {name!r}: no such study{suggestion(name, names())}")
    return f"{PACKAGE}.{name.replace('-', '_')}:STUDY"


def module_digest(module: str) -> str | None:
    """SHA-256 of a module's text; None for one of ours, and for one that is no file of Python."""
    if module.partition(".")[0] == __name__.partition(".")[0]:
        return None
    found = find_spec(module)
    if found is None or found.origin is None or not found.origin.endswith(".py"):
        return None
    return hashlib.sha256(Path(found.origin).read_bytes()).hexdigest()
