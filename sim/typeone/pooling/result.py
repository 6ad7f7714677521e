"""What pooling found: one row per item, bounds of its error rates, and what moved each item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone.display import first_rows, folded, html_paragraphs, html_table, text_table, warned
from typeone.notebook import drawn
from typeone.pooling import evidence
from typeone.pooling.decision import WORDS
from typeone.pooling.drift import Drift, over_any_sources
from typeone.pooling.heldout import Rate, RuleQuality
from typeone.pooling.options import Terms
from typeone.pooling.reliability import Reliabilities
from typeone.pooling.votes import Votes

_NAMED = 5  # sources or items that a warning names


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """Pooling's answer for T items, in order of first appearance.

    sums (T,) log-odds in units of 2**-40; decision (T,) 1 accept, 0 abstain, -1 reject; fitting, held_out (T,)
    parts of the labelled items; rates, comparison : on the held-out items, empty without any.

    >>> from typeone import pooling
    >>> votes = {"item": [1, 1, 2, 2], "source": ["a", "b", "a", "b"], "vote": [1, 1, 1, 0]}
    >>> result = pooling.apply(votes, reliability={"a": ".9", "b": ".8"})
    >>> result.to_arrow()["decision"].to_pylist()
    ['accept', 'abstain']
    """

    votes: Votes
    reliabilities: Reliabilities
    sums: NDArray[np.int64]
    decision: NDArray[np.int8]
    fitting: NDArray[np.bool_]
    held_out: NDArray[np.bool_]
    terms: Terms
    rates: tuple[Rate, ...]
    comparison: tuple[RuleQuality, ...]

    @property
    def log_odds(self) -> NDArray[np.float64]:
        """Posterior log-odds, (T,)."""
        return evidence.in_nats(self.sums)

    @property
    def posterior(self) -> NDArray[np.float64]:
        """Posterior probabilities, (T,)."""
        return evidence.posterior(self.sums)

    @property
    def log_odds_se(self) -> NDArray[np.float64] | None:
        """Standard error of the log-odds from the estimated reliabilities (taken as independent); None if given."""
        estimates = self.reliabilities.estimates
        if estimates is None:
            return None
        variance = estimates.standard_error[self.votes.source] ** 2
        return np.sqrt(np.bincount(self.votes.item, variance, minlength=len(self)))

    @property
    def guarantee(self) -> str:
        """What is promised, and what it rests on."""
        return (
            f"Each bound holds with probability {float(1 - self.terms.level):.4g} if held-out items are independent "
            "draws of the items to be decided, calibrated or not. The posterior is calibrated only if prior and "
            "reliabilities are right, errors are symmetric and votes independent given the truth; positively "
            "dependent votes make it overconfident."
        )

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before using the decisions."""
        found = []
        estimates = self.reliabilities.estimates
        names = self.votes.sources.to_pylist()
        if estimates is not None and (estimates.labelled == 0).any():
            unseen = [name for name, m in zip(names, estimates.labelled, strict=True) if m == 0]
            found.append(f"no label in the fitting half, so reliability 1/2 and no weight: {_few('source', unseen)}")
        contrary = [n for n, r in zip(names, self.reliabilities.values, strict=True) if 2 * r < 1]
        if contrary:
            found.append(f"reliability below 1/2, so its vote counts the other way: {_few('source', contrary)}")
        if self.votes.missing:
            found.append(f"{self.votes.missing} rows without a vote: taken as not consulted")
        silent = int((self.votes.consulted == 0).sum())
        if silent:
            found.append(f"{silent} items without any vote: their posterior is the prior")
        if not self.rates:
            found.append("no held-out labelled item: the error rates are not bounded, and nothing shows calibration")
        return found + self._broken_promises()

    def _broken_promises(self) -> list[str]:
        promised = {"accepted that are false": 1 - self.terms.accept, "rejected that are true": self.terms.reject}
        return [
            f"{rate.name}: at least {rate.lower:.4g} of them (level {self.terms.level.text}), where the posterior "
            f"promises at most {float(promised[rate.name]):.4g}: it is overconfident here"
            for rate in self.rates
            if rate.name in promised and Fraction(rate.lower) > promised[rate.name]
        ]

    def to_arrow(self) -> pa.Table:
        """One row per item: item, votes, positive, log_odds, (log_odds_se,) posterior, decision, part."""
        columns: dict[str, Any] = {
            "item": self.votes.items,
            "votes": self.votes.consulted,
            "positive": self.votes.positive,
            "log_odds": self.log_odds,
        }
        if self.log_odds_se is not None:
            columns["log_odds_se"] = self.log_odds_se
        part = np.select([self.fitting, self.held_out], ["fitting", "held out"], "not labelled")
        columns |= {
            "posterior": self.posterior,
            "decision": [WORDS[int(d)] for d in self.decision],
            "part": part.tolist(),
        }
        return pa.table(columns)

    def contributions(self, item: Any = None) -> pa.Table:
        """Which sources moved an item (or, without one, every item): one row per vote, the strongest first.

        Columns: item, source, vote, contribution (log-odds, positive towards accepting), posterior_without (the
        item's posterior without this vote).  Raises ValueError for an unknown item.
        """
        rows = np.arange(self.votes.vote.size) if item is None else self._rows_of(item)
        code, source, vote = self.votes.item[rows], self.votes.source[rows], self.votes.vote[rows]
        weight = np.array([evidence.units(r) for r in self.reliabilities.values], np.int64)
        moved = np.where(vote == 1, weight[source], -weight[source])
        order = np.lexsort((-np.abs(moved), code))
        code, source, vote, moved = code[order], source[order], vote[order], moved[order]
        return pa.table(
            {
                "item": self.votes.items.take(pa.array(code)),
                "source": self.votes.sources.take(pa.array(source)),
                "vote": vote,
                "contribution": evidence.in_nats(moved),
                "posterior_without": evidence.posterior(self.sums[code] - moved),
            }
        )

    def _rows_of(self, item: Any) -> NDArray[np.int64]:
        names = [str(name) for name in self.votes.items.to_pylist()]
        if str(item) not in names:
            raise ValueError(f"item {item!r}: there is no such item")
        return np.flatnonzero(self.votes.item == names.index(str(item)))

    def drift(self, tau: int, sizes: Sequence[int] | None = None) -> Drift:
        """What "count >= tau" means for these sources, any n of them, at the n of ``sizes``.

        Without ``sizes``: at every number of sources that voted on some item.
        """
        consulted = np.unique(self.votes.consulted)
        chosen = consulted[consulted > 0].tolist() if sizes is None else sizes
        return over_any_sources(tau, self.reliabilities.values, chosen, self.terms.prior)

    def __len__(self) -> int:
        return self.sums.size

    @property
    def title(self) -> str:
        """Sizes and rule in one line."""
        how = "given" if self.reliabilities.estimates is None else f"estimated on {int(self.fitting.sum())} items"
        return (
            f"Pooled log-odds: {len(self)} items, {len(self.votes.sources)} sources (reliabilities {how}), "
            f"prior {self.terms.prior.text}, accept >= {self.terms.accept.text}, reject <= {self.terms.reject.text}"
        )

    def _sections(self) -> list[tuple[str, Sequence[str], Sequence[Sequence[Any]], int]]:
        """Title, header, the rows that are shown, and how many there are."""
        decided = [(word, int((self.decision == code).sum())) for code, word in WORDS.items()]
        items = self.to_arrow()
        sections: list[tuple[str, Sequence[str], Sequence[Sequence[Any]], int]] = [
            ("decisions", ["decision", "items"], decided, len(decided)),
            ("items", items.column_names, first_rows(items), len(self)),
        ]
        if self.rates:
            held = f"{int(self.held_out.sum())} held-out items"
            header = ["rate", "count", "of", "rate ", "lower", "upper"]
            bounds = f"error rates on {held}, one-sided bounds at level {self.terms.level.text} each"
            sections.append((bounds, header, [astuple(rate) for rate in self.rates], len(self.rates)))
            rules = [astuple(quality) for quality in self.comparison]
            sections.append((f"counting against pooling on {held}", RuleQuality.__slots__, rules, len(rules)))
        return sections

    def __str__(self) -> str:
        blocks = [f"{name}\n{text_table(header, rows, total=n)}" for name, header, rows, n in self._sections()]
        return folded("\n\n".join([self.title, *blocks, *warned(self.warnings), self.guarantee]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = "".join(html_table(header, rows, caption=name, total=n) for name, header, rows, n in self._sections())
        notes = html_paragraphs([*warned(self.warnings), self.guarantee])
        return html_paragraphs([self.title]) + drawn("pooling", self) + tables + notes


def _few(kind: str, names: list[Any]) -> str:
    """``sources 'a', 'b' and 3 more``."""
    shown = ", ".join(repr(name) for name in names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{kind}{'s' if len(names) > 1 else ''} {shown}{more}"
