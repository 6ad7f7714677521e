"""What the results of all procedures have in common: how long tables are cut, and how wide sentences are."""

import numpy as np
import pytest

from typeone import jecs, panels, pooling, scf
from typeone.display import MOST_ROWS

N = 45
NUMBER = np.arange(N)
RESULTS = {
    "scf": lambda: scf.apply(
        {"source": np.arange(N + 9), "score": np.arange(N + 9) % 7, "known": [False] * N + [True] * 9},
        control="known",
        split=scf.Split(3, 6),
    ),
    "jecs": lambda: jecs.select([NUMBER, NUMBER], [[1.0, 2.0], [3.0]]),
    "panels": lambda: panels.apply(
        {"evaluator": np.repeat([1, 2, 3], N), "unit": np.tile(NUMBER, 3), "vote": np.arange(3 * N) % 2}
    ),
    "pooling": lambda: pooling.apply(
        {"item": NUMBER, "source": NUMBER % 3, "vote": NUMBER % 2}, reliability={0: ".9", 1: ".8", 2: ".1"}
    ),
}


@pytest.mark.parametrize("method", RESULTS)
def test_long_tables_are_cut_and_long_sentences_folded_alike(method, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = RESULTS[method]()
    assert len(result) == N
    text = str(result)
    assert max(map(len, text.split("\n"))) <= 80
    assert f"\n… and {N - MOST_ROWS} more rows\n" in text
    assert f"<p>… and {N - MOST_ROWS} more rows</p>" in result._repr_html_()
    flat = " ".join(text.split())
    assert " ".join(result.guarantee.split()) in flat
    assert result.warnings
    for warning in result.warnings:
        assert "warning: " + " ".join(warning.split()) in flat
