"""Cells of the decontamination study, and their repetitions."""

from typeone.engine.streams import stream_key
from typeone.engine.study import Cell
from typeone.levels import levels
from typeone.studies.jecs import STUDY


def cell(at=("0.1",), inputs=None, **parameters):
    key = stream_key(7, "jecs", {})
    return Cell(0, STUDY.parameters(**parameters), levels("levels", list(at)), key, inputs or {})


def simulate(repetitions, first=0, **parameters):
    c = cell(**parameters)
    return STUDY.simulate(c, STUDY.share(c), first, repetitions)
