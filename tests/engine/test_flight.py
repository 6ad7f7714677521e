"""Who is blamed for a dead worker: a chunk that kills, never one that happened to fly beside it."""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone.engine.backend import Backend, WorkerLostError
from typeone.engine.flight import STRIKES, Flight
from typeone.engine.schedule import Chunk


class Fragile(Backend):
    """Tickets are numbers; a worker dies with the chunks in ``killers``, or by chance ``accidents`` times."""

    def __init__(self, slots: int, falls_whole: bool, killers: set[int], accidents: int, seed: int) -> None:
        self.slots = slots
        self.falls_whole = falls_whole
        self.killers = killers
        self.accidents = accidents
        self.random = random.Random(seed)
        self.tasks: dict[int, Chunk] = {}
        self.dead: set[int] = set()
        self.deaths = 0
        self.since_accident = 99
        self.together: list[set[int]] = []

    def share(self, value: Any) -> Any:
        return value

    def submit(self, task: Any, handle: Any = None) -> int:
        ticket = len(self.tasks)
        self.tasks[ticket] = task
        return ticket

    def ended(self, tickets: Collection[int], seconds: float, *, every: bool = False) -> Collection[int]:
        flying = sorted(tickets)
        self.together.append({self.tasks[t].first for t in flying})
        if every:
            return flying
        ticket = self.random.choice(flying)
        self.since_accident += 1
        # Two accidents in a row would be two deaths of one chunk: chance is not that unkind.
        accident = self.accidents > 0 and self.since_accident > 1 and self.random.random() < 0.3
        if accident:
            self.accidents -= 1
            self.since_accident = 0
        if accident or self.tasks[ticket].first in self.killers:
            self.deaths += 1
            self.dead |= set(flying) if self.falls_whole else {ticket}
        return [ticket]

    def result(self, ticket: int) -> Any:
        if ticket in self.dead:
            raise WorkerLostError
        return self.tasks[ticket]

    def restart(self) -> None:
        pass

    def close(self, *, kill: bool) -> None:
        pass


@given(
    st.integers(1, 25),
    st.integers(1, 6),
    st.booleans(),
    st.sets(st.integers(0, 24), max_size=3),
    st.integers(0, 10),
    st.integers(0, 10**6),
)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_killers_are_given_up_and_nobody_else(
    count: int, slots: int, falls_whole: bool, killers: set[int], accidents: int, seed: int
) -> None:
    backend = Fragile(slots, falls_whole, killers, accidents, seed)
    chunks = [Chunk(0, i, 1) for i in range(count)]
    waiting = list(reversed(chunks))
    flight = Flight(backend, lambda: waiting.pop() if waiting else None, backend.submit)
    landings = [landing for landing in flight if landing is not None]
    assert sorted(chunk for chunk, _ in landings) == chunks
    assert {chunk.first for chunk, batch in landings if batch is None} == killers & set(range(count))


@pytest.mark.parametrize("falls_whole", [True, False])
def test_a_killer_is_given_up_at_its_third_death_and_suspects_fly_alone(falls_whole: bool) -> None:
    backend = Fragile(4, falls_whole, {2}, 0, 1)
    waiting = [Chunk(0, i, 1) for i in reversed(range(8))]
    lost = [
        landing
        for landing in Flight(backend, lambda: waiting.pop() if waiting else None, backend.submit)
        if landing is not None and landing[1] is None
    ]
    assert lost == [(Chunk(0, 2, 1), None)]
    assert backend.deaths == STRIKES
    first = next(i for i, flying in enumerate(backend.together) if flying == {2})
    assert all(flying == {2} or 2 not in flying for flying in backend.together[first:])
