"""A study that costs nothing and misbehaves on demand; imported by workers as ``engine.trivial:STUDY``."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from typeone.engine.parameters import Exact
from typeone.engine.study import Cell, Column, Columns, Measure, Study
from typeone.levels import Level
from typeone_kernels._jit import kernel
from typeone_kernels.streams import STATE_WORDS, next_uniform, open_stream

MARKS = "TRIVIAL_MARKS"
PARENT = "TRIVIAL_PARENT"


class Trivial(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    rate: Annotated[Exact, Field(ge=0, le=1)] = Level("1/20")
    shift: int = 0
    fail_every: int = 0
    """Every so-manieth repetition raises."""
    kill_at: int = -1
    """This repetition kills its worker, as long as there are fewer marks than ``kills``."""
    kills: int = 0
    nap: Exact = Level("0")
    """Seconds of sleep in each repetition."""
    big: bool = False
    """Share ten megabytes."""


@kernel
def draw(key: NDArray[np.uint64], first: int, out: NDArray[np.float64]) -> None:
    """The first uniform of each repetition's stream."""
    state = np.empty(STATE_WORDS, np.uint64)
    for i in range(out.size):
        open_stream(state, key, first + i, 0)
        out[i] = next_uniform(state)


def share(cell: Cell) -> NDArray[np.float64] | None:
    if MARKS in os.environ:
        with (Path(os.environ[MARKS]) / "shared").open("a", encoding="utf-8") as file:
            file.write(f"{cell.index}\n")
    return np.arange(1_250_000.0) if cell.parameters.big else None


def simulate(cell: Cell, shared: NDArray[np.float64] | None, first: int, count: int) -> Columns:
    trivial: Trivial = cell.parameters
    if first <= trivial.kill_at < first + count and PARENT in os.environ:
        _kill(trivial.kills)
    if trivial.nap:
        time.sleep(float(trivial.nap) * count)
    repetitions = np.arange(first, first + count)
    if trivial.fail_every and (repetitions % trivial.fail_every == trivial.fail_every - 1).any():
        raise RuntimeError(f"no luck among {trivial.fail_every}")
    uniform = np.empty(count)
    draw(np.array(cell.key, dtype=np.uint64), first, uniform)
    if shared is not None:
        assert shared[-1] == shared.size - 1
    error = (uniform < float(trivial.rate)).astype(np.float64)
    partial = np.where(uniform < 0.25, np.nan, uniform)
    return {
        Column("a", "error", cell.levels[0].text): error,
        Column("a", "part"): uniform,
        Column("a", "size"): np.log(uniform + 1e-9) * 1e3 + trivial.shift,
        Column("b - a", "edge"): np.round(partial - 0.6, 1),
    }


def _kill(most: int) -> None:
    marks = Path(os.environ[MARKS])
    if os.getpid() != int(os.environ[PARENT]) and len(list(marks.glob("kill-*"))) < most:
        (marks / f"kill-{time.monotonic_ns()}").touch()
        os.kill(os.getpid(), signal.SIGKILL)


STUDY = Study(
    name="trivial",
    text="Uniform numbers.",
    parameters=Trivial,
    measures=(
        Measure("error", "rate", claim=True),
        Measure("part", "fraction"),
        Measure("size", "mean"),
        Measure("edge", "gain"),
    ),
    simulate=simulate,
    share=share,
    shared_by=("big",),
    paired=("shift",),
)
REFERENCE = "engine.trivial:STUDY"
