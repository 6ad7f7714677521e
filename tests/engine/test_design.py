"""Designs: TOML in and out, errors that name key and rule, cells, identity, keys."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.trivial import REFERENCE
from typeone.engine.design import Design, Stop, design_from, read_design
from typeone.engine.lookup import changed, design_called, options, pairs, value_of
from typeone.engine.parameters import canonical, suggestion
from typeone.engine.registry import find, names, presets
from typeone.engine.resolved import gaps, resolve
from typeone.levels import Level

BASE: dict[str, Any] = {"study": REFERENCE}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"repetitons": 5}, r"repetitons: no such key; did you mean 'repetitions'\?"),
        ({"stop": {"mcse": 1}}, r"stop\.mcse: no such key; did you mean 'mc_se'\?"),
        ({"repetitions": 0}, r"repetitions=0: must be at least 1$"),
        ({"repetitions": 2.5}, r"repetitions=2\.5: an integer is needed"),
        ({"repetitions": True}, r"repetitions=True: an integer is needed"),
        ({"repetitions": "10"}, r"repetitions='10': an integer is needed"),
        ({"seed": -1}, r"seed=-1: a seed is a whole number from 0 to 2\^64 - 1$"),
        ({"cells": []}, r"cells: at least one is needed"),
        ({"cells": [3]}, r"cells\.0=3: a table"),
        ({"factors": 3}, r"factors=3: a table"),
        ({"study": 3, "stduy": 4}, r"stduy: no such key; did you mean 'study'\?"),
        ({"levels": ["0.1", "1/10"]}, r"^levels\[1\]=1/10: repeats levels\[0\]=0\.1$"),
        ({"levels": [1.5]}, r"strictly between 0 and 1"),
        ({"margin": -0.1}, r"margin=-0\.1: .*\[0, 1\)"),
        ({"bounds": "wide"}, r"bounds='wide': .*'fixed' or 'sequence'"),
        ({"stop": {}}, "exactly one target"),
        ({"stop": {"mc_se": 0.1, "verdict": True}}, "exactly one target"),
        ({"stop": {"verdict": True, "looks": [100, 100]}}, "looks: repetition counts must"),
        ({"stop": {"verdict": True, "looks": [1]}}, "looks: repetition counts must"),
        *(({"factors": {"rate": v}}, r"factors\.rate: a value is .* or a list of these$") for v in ({"a": 1}, [[1]])),
        ({"cells": [{"rate": [1]}]}, r"cells\.0\.rate: a value is true, false, an integer, a number or a string$"),
    ],
)
def test_a_bad_design_names_key_and_rule(values: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        design_from(BASE | values)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"factors": {"rat": 1}}, r"factors\.rat: trivial has no such factor; did you mean 'rate'\?"),
        ({"factors": {"rate": [0.1, 2]}}, r"cells\[1\]\.rate.*must be at most 1"),
        ({"factors": {"rate": []}}, r"factors\.rate: at least one value"),
        ({"factors": {"rate": [0.5, "1/2"]}}, r"cells\[1\]: repeats cells\[0\]"),
        ({"factors": {"shift": 1.5}}, r"cells\[0\]\.shift=1\.5"),
        ({"inputs": {"scores": "x"}}, r"inputs\.scores: trivial reads no such file"),
        ({"study": "con"}, r"no such study; did you mean 'coin'\?"),
        ({"study": "engine.nothing:STUDY"}, "there is no module 'engine.nothing'"),
        ({"study": "engine.trivial:STUDIES"}, "has no STUDIES"),
    ],
)
def test_a_design_that_does_not_fit_its_study_names_key_and_rule(values: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        resolve(design_from(BASE | values))


def test_a_missing_study_is_told() -> None:
    with pytest.raises(ValueError, match="study: this key is needed"):
        design_from({})


def test_a_design_survives_toml(tmp_path: Path) -> None:
    design = design_from(
        {
            "study": REFERENCE,
            "text": 'a "quoted" line\nand \\ another\x7f',
            "repetitions": 2500,
            "seed": 2**64 - 1,
            "levels": ["0.05", "1/10", 0.2],
            "factors": {"rate": [0.5, "1/20"], "big": True, "odd key": "x"},
            "cells": [{"shift": 1}, {"shift": 2, "kills": 3}],
            "inputs": {"scores": "/a/b.csv"},
            "margin": "0.005",
            "stop": {"measures": ["error"], "mc_se": 0.001},
        }
    )
    file = tmp_path / "design.toml"
    file.write_text(design.as_toml(), encoding="utf-8")
    assert read_design(file) == design
    assert [level.text for level in read_design(file).levels] == ["0.05", "1/10", "0.2"]


def test_a_file_that_is_no_design_is_told(tmp_path: Path) -> None:
    file = tmp_path / "d.toml"
    file.write_text("study = ")
    with pytest.raises(ValueError, match=r"d\.toml is not a TOML file"):
        read_design(file)
    file.write_text('study = "coin"\nrepetition = 5')
    with pytest.raises(ValueError, match=r"d\.toml: repetition: no such key; did you mean 'repetitions'"):
        read_design(file)


def test_input_files_are_looked_for_beside_the_design(tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_text('study = "coin"\n[inputs]\nscores = "s.csv"')
    assert read_design(tmp_path / "d.toml").inputs == {"scores": str(tmp_path / "s.csv")}


def test_listed_cells_are_crossed_with_the_factors_they_do_not_name() -> None:
    design = design_from(
        BASE | {"factors": {"rate": [0.1, 0.2], "shift": 9}, "cells": [{"shift": 1}, {"rate": 0.5, "shift": 2}]}
    )
    cells = [(str(c.parameters.rate), c.parameters.shift) for c in resolve(design).cells]
    assert cells == [("1/10", 1), ("1/5", 1), ("1/2", 2)]


def identity(**values: Any) -> str:
    return resolve(design_from(BASE | {"factors": {"rate": [0.1, 0.2]}} | values)).identity


def test_the_identity_is_of_study_cells_levels_and_seed_only() -> None:
    same = [
        {"repetitions": 5, "chunk": 3, "margin": 0.1, "bounds": "sequence", "text": "x"},
        {"stop": {"verdict": True}},
        {"factors": {"rate": ["1/10", "0.20"], "shift": 0}},
        {"levels": ["1/20"]},
        {"cells": [{"rate": 0.1}, {"rate": 0.2}], "factors": {}},
    ]
    other = [{"seed": 2}, {"levels": [0.1]}, {"factors": {"rate": [0.1]}}, {"factors": {"rate": [0.2, 0.1]}}]
    assert {identity(**values) for values in same} == {identity()}
    assert len({identity(), *(identity(**values) for values in other)}) == 1 + len(other)


def test_keys_are_those_of_canonical_parameters_without_paired_ones() -> None:
    def keys(**factors: Any) -> list[tuple[int, int]]:
        return [cell.key for cell in resolve(design_from(BASE | {"factors": factors})).cells]

    assert keys(rate="0.10") == keys(rate="1/10") == keys(rate=0.1, shift=5)
    assert len(set(keys(rate=[0.1, 0.2], kills=[0, 1], shift=[0, 1]))) == 4
    assert all(0 <= word < 2**64 for key in keys() for word in key)


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), (5, "5"), ("a b", "a b"), (0.1, "1/10"), (Level("2"), "2/1"), (None, "")],
)
def test_canonical_text(value: Any, text: str) -> None:
    assert canonical(value) == text


def test_what_is_no_scalar_has_no_canonical_text() -> None:
    with pytest.raises(ValueError, match="not a scalar"):
        canonical([1])


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=6),
    st.integers(1, 40),
)
@settings(derandomize=True, deadline=None, max_examples=200)
def test_gaps_are_what_is_missing(done: list[tuple[int, int]], stop: int) -> None:
    there = {i for first, count in done for i in range(first, first + count)}
    missing = [i for first, count in gaps(done, stop) for i in range(first, first + count)]
    assert missing == sorted(set(range(stop)) - there)
    assert all(count > 0 for _, count in gaps(done, stop))


def test_looks_double_or_are_listed_and_end_at_the_most() -> None:
    assert Stop(verdict=True, first=100).counts(750) == (100, 200, 400, 750)
    assert Stop(verdict=True, first=100).counts(800) == (100, 200, 400, 800)
    assert Stop(verdict=True, looks=(50, 60, 900)).counts(800) == (50, 60, 800)
    assert Stop(verdict=True).counts(10) == (10,)
    assert Design(study="coin", repetitions=7).looks == (7,)


def test_studies_and_presets_are_found_by_listing() -> None:
    assert "coin" in names()
    assert presets()["coin"].name == "coin.toml"
    study, reference = find("coin")
    assert (study.name, reference) == ("coin", "typeone.studies.coin:STUDY")
    for name in names():
        assert find(name)[0].name == name


def test_every_preset_is_a_valid_design() -> None:
    for name, file in presets().items():
        design = read_design(file)
        assert design_called(name) == design
        if not find(design.study)[0].inputs:
            assert resolve(design).cells


def test_a_study_is_a_design_with_its_defaults(tmp_path: Path) -> None:
    design = design_called(REFERENCE)
    (cell,) = resolve(design).cells
    assert cell.parameters.rate == Fraction(1, 20)
    with pytest.raises(ValueError, match=r"'coins' is no preset, TOML file or study; did you mean 'coin'"):
        design_called("coins")
    with pytest.raises(ValueError, match="no such file"):
        design_called(str(tmp_path / "none.toml"))


def test_changes_from_the_command_line() -> None:
    design = design_from(BASE | {"cells": [{"shift": 1}, {"shift": 2}], "factors": {"rate": 0.5}})
    new = changed(design, pairs(["rate=0.1,0.2", "kill-at=7", "levels=0.1", "stop.verdict=true"], "--set"))
    assert new.factors == {"rate": ["0.1", "0.2"], "kill_at": 7}
    assert [level.text for level in new.levels] == ["0.1"]
    assert new.stop == Stop(verdict=True)
    assert len(resolve(new).cells) == 4
    assert changed(design, options(["--shift", "4", "--repetitions=9"])).factors["shift"] == 4
    assert len(resolve(changed(design, {"shift": 4})).cells) == 1
    with pytest.raises(ValueError, match=r"kils: trivial has no such factor or input; did you mean 'kills'"):
        changed(design, {"kils": 1})
    with pytest.raises(ValueError, match="write key=value"):
        pairs(["rate"], "--set")
    with pytest.raises(ValueError, match="--rate: a value is needed"):
        options(["--rate"])
    with pytest.raises(ValueError, match="'rate': not understood"):
        options(["rate"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("0.10", "0.10"),
        ("true", True),
        ("[1, 2]", [1, 2]),
        ("a,2,1/3", ["a", 2, "1/3"]),
        ("1/20", "1/20"),
        ('"x"', "x"),
        ("2020-01-01", "2020-01-01"),
    ],
)
def test_values_on_the_command_line(text: str, value: Any) -> None:
    assert value_of(text) == value


def test_what_is_known_is_listed_once() -> None:
    assert suggestion("zzz", ["power", "error", "power"]) == "; known: error, power"
