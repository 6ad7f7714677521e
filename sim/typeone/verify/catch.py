"""Are broken procedures caught, by which check, and after how many repetitions?

A mutant's check is looked at after 16, 32, 64, ... repetitions with a bound that is valid at every look; the mutant
is caught at the first look at which the lower bound lies above the level.  The false-alarm rate ALPHA is shared over
all mutants and their columns, so that a right procedure is called broken with at most this probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from typeone.engine.verdicts import bounds
from typeone.verify.model import Mutant, level_of
from typeone.verify.sample import Pool, Sums, merge
from typeone.verify.study import Work

FIRST_LOOK = 16


@dataclass(frozen=True, slots=True)
class Catch:
    """What became of one mutant; ``repetitions`` 0 means that the check enumerates."""

    mutant: str
    promise: str
    text: str
    caught: bool
    repetitions: int
    rate: float
    lower: float
    level: float
    where: str


def catch(mutants: Sequence[Mutant], pool: Pool, alpha: float, *, broken: bool = True) -> list[Catch]:
    """Run every mutant's check; with ``broken=False`` on the right procedure, which must not be caught."""
    share = alpha / max(1, len(mutants))
    found = [_enumerated(mutant, broken) for mutant in mutants if mutant.exact is not None]
    flying = [mutant for mutant in mutants if mutant.exact is None]
    sums: dict[str, Sums] = {mutant.name: {} for mutant in flying}
    done, look = 0, FIRST_LOOK
    while flying:
        works = [
            Work("mutant", m.name, {**m.cell, "broken": broken}, "mutant", min(look, m.most) - done, done)
            for m in flying
        ]
        for mutant, sample in zip(flying, pool.run(works), strict=True):
            merge(sums[mutant.name], sample.sums)
        ended = [of for mutant in flying if (of := _looked(mutant, sums[mutant.name], share, look)) is not None]
        found += ended
        names = {of.mutant for of in ended}
        flying = [mutant for mutant in flying if mutant.name not in names]
        done, look = look, 2 * look
    order = {mutant.name: place for place, mutant in enumerate(mutants)}
    return sorted(found, key=lambda of: order[of.mutant])


def _enumerated(mutant: Mutant, broken: bool) -> Catch:
    assert mutant.exact is not None
    worst = max(mutant.exact(broken), key=lambda found: (not found.kept, found.ratio))
    rate = float(worst.rate)
    return Catch(
        mutant.name, mutant.promise, mutant.text, not worst.kept, 0, rate, rate, float(worst.level), worst.cell
    )


def _looked(mutant: Mutant, sums: Sums, alpha: float, look: int) -> Catch | None:
    """The end of a mutant's watch at this look, or None when it goes on."""
    each = [
        (column, moments, bounds(mutant.kind, moments, alpha / len(sums), sequence=True).lower)
        for column, moments in sums.items()
        if moments.count
    ]
    over = [found for found in each if Fraction(found[2]) > level_of(found[0])]
    if not over and look < mutant.most:
        return None
    column, moments, lower = max(over or each, key=lambda found: found[2] - float(level_of(found[0])))
    level = float(level_of(column))
    count = min(look, mutant.most)
    return Catch(mutant.name, mutant.promise, mutant.text, bool(over), count, moments.mean, lower, level, column.method)
