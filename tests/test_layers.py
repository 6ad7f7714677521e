"""The arrows of ARCHITECTURE: imports point to lower layers only, and no files form a circle."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import typeone
import typeone_kernels

ROOTS = {"typeone": Path(typeone.__file__).parent, "typeone_kernels": Path(typeone_kernels.__file__).parent}
LAYERS = (
    {"typeone_kernels"},
    {"arrays", "decimals", "groups", "ipc", "plain"},
    {"levels", "seeds", "outputs", "formats", "aligned"},
    {"counts", "tables", "display"},
    {"tails", "exact", "roc", "notebook", "audit"},
    {"terminal"},
    {"scf", "jecs", "panels", "pooling", "engine"},
    {"studies", "figures", "plan"},
    {"report", "verify"},
    {"commands"},
    {"cli"},
    {"__main__"},
)
"""From the lowest: a part imports from layers below its own, and nothing from others of its own layer."""
BY_NAME = {
    "typeone": "its public names, when they are first used",
    "typeone.scf.statistics": "a user's own module",
    "typeone.engine.on_dask": "a library that may be missing",
    "typeone.engine.on_ray": "a library that may be missing",
    "typeone.engine.registry": "studies, by their place",
    "typeone.report.main_tables": "tables of a study, by their place",
    "typeone.report.result": "kinds of results, by their place",
    "typeone.plan.hints": "hints of a study, by their place",
    "typeone.figures.catalog": "figures, by their place",
    "typeone.cli.root": "commands, by their place",
    "typeone.cli.health": "kernels, by their place",
    "typeone.verify.catalog": "promises, by their place",
    "typeone.notebook": "the one arrow that points up: a result shows itself in a notebook",
}
"""What is imported by a name that the program puts together, and so cannot be followed here."""
PARTS = {part for layer in LAYERS for part in layer}


def modules():
    """Every module by name, with its syntax tree."""
    found = {}
    for package, folder in ROOTS.items():
        for file in folder.rglob("*.py"):
            parts = (package, *file.relative_to(folder).with_suffix("").parts)
            found[".".join(parts).removesuffix(".__init__")] = ast.parse(file.read_text(encoding="utf-8"))
    return found


def imported(tree, known):
    """The modules of ours that a module imports, also inside functions and for types alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in inner)


KNOWN = modules()
IMPORTS = {name: set(imported(tree, KNOWN)) - {name} for name, tree in KNOWN.items()}


def part(module):
    """The part of the project that a module belongs to: a method's or a study's commands are apart from it."""
    package, *rest = module.split(".")
    if package != "typeone":
        return package
    return "commands" if "commands" in rest and rest[0] != "cli" else rest[0]


def test_there_is_much_to_look_at():
    assert len(KNOWN) > 200
    assert sum(map(len, IMPORTS.values())) > 600


def rank(name):
    """The part's layer; a folder that is not listed is one more method."""
    listed = [rank for rank, layer in enumerate(LAYERS) if name in layer]
    assert listed or (ROOTS["typeone"] / name / "__init__.py").exists(), f"{name}: which layer is it in?"
    return listed[0] if listed else rank("scf")


def test_every_layer_is_there():
    assert {part(module) for module in KNOWN if module != "typeone"} >= PARTS


@pytest.mark.parametrize("name", sorted({part(module) for module in KNOWN if module != "typeone"}))
def test_imports_point_downwards(name):
    upwards = [
        f"{module} imports {other}"
        for module in KNOWN
        if module != "typeone" and part(module) == name
        for other in IMPORTS[module]
        if part(other) != name and rank(part(other)) >= rank(name)
    ]
    assert upwards == []


def test_imports_by_name_are_few_and_known():
    def by_name(tree):
        calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
        names = {getattr(call, "id", getattr(call, "attr", "")) for call in calls}
        return bool(names & {"import_module", "__import__"})

    assert {module for module, tree in KNOWN.items() if by_name(tree)} == BY_NAME.keys()


def test_no_files_form_a_circle():
    TopologicalSorter(IMPORTS).prepare()  # raises a CycleError that names them
