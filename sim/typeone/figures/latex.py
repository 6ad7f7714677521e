"""Tables as LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from typeone.display import cell

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "–": "--",
    "α": r"$\alpha$",
    "λ": r"$\lambda$",
    "κ": r"$\kappa$",
    "δ": r"$\delta$",
    "θ": r"$\theta$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


def escape(text: str) -> str:
    """``text`` as LaTeX prints it, in any engine."""
    return "".join(_SPECIAL.get(mark, mark) for mark in text)


def latex_table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, caption: str = "", label: str = "") -> str:
    """A ``table`` environment for the package booktabs: numbers right, text left, everything escaped."""
    body = [list(row) for row in rows]
    right = [
        all(isinstance(row[i], int | float | None) and not isinstance(row[i], bool) for row in body)
        for i in range(len(header))
    ]
    lines = [
        r"\begin{table}",
        r"\centering",
        *([f"\\caption{{{escape(caption)}}}"] if caption else []),
        *([f"\\label{{{label}}}"] if label else []),
        f"\\begin{{tabular}}{{{''.join('r' if r else 'l' for r in right)}}}",
        r"\toprule",
        " & ".join(escape(name) for name in header) + r" \\",
        r"\midrule",
        *(" & ".join(escape(cell(value)) for value in row) + r" \\" for row in body),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"
