"""Factors and inputs that change nothing: refused when given, left out where a run is told."""

from pathlib import Path

import pyarrow as pa
import pytest

from typeone import tables
from typeone.cli.root import main
from typeone.engine.lookup import changed, design_called
from typeone.engine.registry import find, names, presets
from typeone.engine.resolved import resolve, telling


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("jecs-real", {"models": [1, 2]}, "factors.models: changes nothing here: a score file has the models"),
        ("jecs-real", {"shift": "2"}, "factors.shift: changes nothing"),
        ("jecs", {"score": "score_loss"}, "factors.score: changes nothing here: family='scores' reads no score file"),
        ("jecs", {"low_shift": "2"}, "factors.low_shift: changes nothing here: low_share is 0"),
        ("jecs", {"pattern": "all", "also": "0.1"}, "factors.also: changes nothing"),
        ("jecs-validity", {"calibration": 50}, "factors.calibration: changes nothing"),
        ("scf-enron", {"rows": "domain=code"}, "factors.rows: changes nothing here: scenario='enron' reads no score"),
        ("scf-enron", {"scores": "FILE"}, "inputs.scores: changes nothing here: scenario='enron' reads no score file"),
        ("jecs", {"scores": "FILE"}, "inputs.scores: changes nothing"),
        ("scf-real", {"population": "redraw"}, "factors.population: changes nothing here: a score file is one"),
        ("scf-enron", {"population": "redraw", "population_seed": 4}, "factors.population_seed: changes nothing"),
        ("panels", {"size": 3}, "factors.size: changes nothing here: attack='none'"),
        ("panels", {"attack": "fixed", "beta": "0.2"}, "factors.beta: changes nothing here: attack='fixed'"),
        ("panels", {"attack": "capture", "clarity": "0.2"}, "factors.clarity: changes nothing"),
    ],
)
def test_what_changes_nothing_is_refused(name, changes, said, tmp_path: Path):
    file = tmp_path / "scores.parquet"
    tables.write(pa.table({"x": [1.0]}), file)
    changes = {key: str(file) if value == "FILE" else value for key, value in changes.items()}
    with pytest.raises(ValueError, match=f"^{said}"):
        resolve(changed(design_called(name), changes))


def test_one_cell_that_uses_it_is_enough():
    mixed = changed(design_called("jecs"), {"family": ["scores", "ideal"], "calibration": 50, "law": "t^2"})
    assert len(resolve(mixed).cells) == 2


@pytest.mark.parametrize("name", [*names(), *presets()])
def test_everything_that_comes_along_can_be_planned(name):
    assert resolve(design_called(name)).cells


def test_what_is_told_of_a_run_says_something():
    planned = resolve(design_called("jecs-real"))
    told = telling(find("jecs")[0], [planned.factors(cell) for cell in planned.cells])
    assert told == ["family", "candidates", "calibration", "ties", "score", "rows"]


@pytest.mark.parametrize("name", names())
def test_every_factor_says_what_it_is(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    fields = find(name)[0].parameters.model_fields
    assert [factor for factor, field in fields.items() if not field.description] == []
    with pytest.raises(SystemExit):
        main(["show", name, "--factors"])
    told = capsys.readouterr().out
    shown = [entry.split()[0].rstrip(":") for entry in told.split("\n\n")[1:]]
    assert shown[: len(fields)] == list(fields)
    assert max(map(len, told.splitlines())) <= 80
    assert "``" not in told
