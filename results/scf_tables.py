"""Tables of the SCF report, in the shape of the publication's, from the rows that `scf.py` writes to CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from typeone.display import markdown_table
from writing import Check, Verdict, judged, root_of_squares

Rows = list[dict[str, Any]]
LEVELS = ("0.05", "0.10", "0.20")
METHODS = ("Mean", "Max", "Min", "RaMIA", "Fisher", "SCF")
CAP = "0.05"
PARTITIONS = 500
"""Behind each published value."""

# Liu, Zou, Zhu (2026), as docs/METHODS.md states them; texts, since their rounding is part of the comparison.
AUROC = {
    "reddit": (".6443", ".6176", ".6158", ".6444", ".6438", ".6456"),
    "cc-news": (".6305", ".5953", ".6050", ".6227", ".6327", ".6354"),
    "enron": (".8068", ".7222", ".6104", ".7973", ".8227", ".8309"),
    "chromium": (".6178", ".5527", ".5620", ".6196", ".6279", ".6346"),
}
CAPPED = {
    "reddit": (".05180", ".08270"),
    "cc-news": (".05188", ".09430"),
    "enron": (".04943", ".09398"),
    "chromium": (".05244", ".06401"),
}
RATES = {
    ("reddit", "SCF"): ((".0882", ".0495"), (".1721", ".1002"), (".3262", ".2005")),
    ("reddit", "Mean"): ((".0953", ".0495"), (".1770", ".1008"), (".3360", ".1995")),
    ("reddit", "RaMIA"): ((".1073", ".0507"), (".1746", ".0999"), (".3116", ".2005")),
    ("cc-news", "SCF"): ((None, ".0486"), (None, ".1008"), (None, ".2029")),
}
CAPS = ("0", "0.01", "0.02", "0.05", "0.10")
SENSITIVITY = {
    "reddit": ((".6438", ".0248"), (".6451", ".0248"), (".6460", ".0248"), (".6456", ".0247"), (".6450", ".0258")),
    "cc-news": ((".6327", ".0022"), (".6330", ".0020"), (".6337", ".0018"), (".6354", ".0017"), (".6372", ".0017")),
    "enron": ((".8227", ".0462"), (".8237", ".0453"), (".8256", ".0444"), (".8309", ".0428"), (".8356", ".0419")),
    "chromium": ((".6279", ".0320"), (".6296", ".0318"), (".6298", ".0314"), (".6346", ".0310"), (".6351", ".0314")),
}


def of_cap(rows: Rows, cap: str = CAP) -> Rows:
    """Rows of scenarios at one cap, averages over populations."""
    return [row for row in rows if row["cap"] == cap and row["population"] == "redraw"]


def _find(rows: Rows, **values: str) -> dict[str, Any]:
    return next(row for row in rows if all(row[name] == value for name, value in values.items()))


def _pm(row: dict[str, Any], name: str, digits: int = 4) -> str:
    return f"{row[name]:.{digits}f} ± {row[f'{name} se']:.{digits}f}"


def auroc(rows: Rows) -> str:
    """One line for each population, one column for each method."""
    places = list(dict.fromkeys(row["scores"] for row in rows))
    body = [
        [place, *(_pm(_find(rows, scores=place, method=method), "auroc") for method in METHODS)] for place in places
    ]
    return markdown_table(["scores", *METHODS], body)


def capped(rows: Rows) -> str:
    """Shares of capped documents, averaged within sources, then over partitions."""
    body = [[row["scores"], _pm(row, "nonparticipants"), _pm(row, "participants")] for row in rows]
    return markdown_table(["scores", "nonparticipants", "participants"], body)


def rates(rows: Rows) -> str:
    """TPR ± error, and FPR with its interval beside the attainable level."""
    body = [
        [row["scores"], row["method"]]
        + [_pm(row, f"tpr {t}") for t in LEVELS]
        + [
            f"{row[f'fpr {t}']:.4f} [{row[f'fpr {t} lower']:.4f}, {row[f'fpr {t} upper']:.4f}], "
            f"{row[f'attainable {t}']:.4f}"
            for t in LEVELS
        ]
        for row in rows
    ]
    header = ["scores", "method", *(f"TPR at {t}" for t in LEVELS), *(f"FPR at {t} [95 %], attainable" for t in LEVELS)]
    return markdown_table(header, body)


def paired(rows: Rows) -> str:
    """SCF against each other method: AUROC."""
    places = list(dict.fromkeys(row["scores"] for row in rows))
    body = []
    for place in places:
        cells = []
        for other in METHODS[:-1]:
            gain, se, win, tie, loss = _gain(rows, place, "SCF", other)
            cells.append(f"{gain:+.4f} ± {se:.4f} ({100 * win:.0f} / {100 * tie:.0f} / {100 * loss:.0f})")
        body.append([place, *cells])
    return markdown_table(["scores", *(f"over {other}" for other in METHODS[:-1])], body)


def _gain(rows: Rows, place: str, one: str, other: str) -> tuple[float, float, float, float, float]:
    """Mean, error, wins, ties and losses of ``one`` over ``other``, whichever way round they are stored."""
    for row in rows:
        if row["scores"] == place and row["measure"] == "auroc":
            counts = row["win"], row["tie"], row["loss"]
            if (row["one"], row["other"]) == (one, other):
                return row["gain"], row["gain se"], *counts
            if (row["one"], row["other"]) == (other, one):
                return -row["gain"], row["gain se"], *counts[::-1]
    raise LookupError(f"{place}: no comparison of {one} with {other}")


def orderings(scenarios: Rows, real: Rows) -> str:
    """For each pair of methods: where the first is ahead, behind, or not told apart (two Monte Carlo errors)."""
    body = []
    for one, other in (("SCF", "Fisher"), ("Fisher", "Mean"), ("SCF", "Mean"), ("SCF", "RaMIA"), ("SCF", "Max")):
        a, b = METHODS.index(one), METHODS.index(other)
        published = {place: float(row[a]) - float(row[b]) for place, row in AUROC.items()}
        cells = [_sides({place: (gain, 0.0) for place, gain in published.items()})]
        for rows in (scenarios, real):
            places = [row["scores"] for row in rows if "negative control" not in row["scores"]]
            cells.append(_sides({place: _gain(rows, place, one, other)[:2] for place in dict.fromkeys(places)}))
        body.append([f"{one} > {other}", *cells])
    return markdown_table(["ordering", "published", "scenarios", "real scores"], body)


def _sides(gains: dict[str, tuple[float, float]]) -> str:
    """``holds: …; fails: …; even: …`` by the sign of each gain."""
    found: dict[str, list[str]] = {"holds": [], "fails": [], "even": []}
    for place, (gain, error) in gains.items():
        word = "even" if abs(gain) <= 2 * error else "holds" if gain > 0 else "fails"
        found[word].append(f"{place} {gain:+.4f}")
    return "; ".join(f"{word}: {', '.join(places)}" for word, places in found.items() if places)


def sensitivity(rows: Rows) -> str:
    """AUROC of SCF by cap: one population as published SDs have it, and paired gains over the uncapped statistic."""
    body = []
    for place, values in SENSITIVITY.items():
        for cap, (published, sd) in zip(CAPS, values, strict=True):
            one = _find(rows, scores=place, cap=cap, method="SCF", population="fixed")
            many = _find(rows, scores=place, cap=cap, method="SCF", population="redraw")
            none = _find(rows, scores=place, cap="0", method="SCF", population="redraw")
            gains = [f"{float(published) - float(values[0][0]):+.4f}", f"{many['auroc'] - none['auroc']:+.4f}"]
            body.append([place, cap, published, _pm(one, "auroc"), sd, f"{one['auroc sd']:.4f}", *gains])
    header = [
        "scenario",
        "cap",
        "published AUROC",
        "one population",
        "published SD",
        "our SD",
        "published gain",
        "ours",
    ]
    return markdown_table(header, body)


def fpr_by_cap(rows: Rows) -> str:
    """FPR of SCF at every cap and level, averages over populations."""
    body = []
    for place in SENSITIVITY:
        for cap in CAPS:
            row = _find(rows, scores=place, cap=cap, method="SCF", population="redraw")
            body.append([place, cap, *(f"{_pm(row, f'fpr {t}')}, {row[f'attainable {t}']:.4f}" for t in LEVELS)])
    return markdown_table(["scenario", "cap", *(f"FPR at {t}, attainable" for t in LEVELS)], body)


def checks(methods: Rows, shares: Rows) -> Iterator[Check]:
    """Every published value of METHODS section 1 beside ours."""
    for place, published in AUROC.items():
        for method, value in zip(METHODS, published, strict=True):
            rows = _both(methods, scores=place, method=method)
            yield _check(f"AUROC, {place}, {method}", value, rows, "auroc", fitted=True)
    for place, (nonparticipants, participants) in CAPPED.items():
        rows = _both(shares, scores=place)
        yield _check(f"capped share, {place}, nonparticipants", nonparticipants, rows, "nonparticipants", fitted=True)
        yield _check(f"capped share, {place}, participants", participants, rows, "participants", fitted=True)
    for (place, method), pairs in RATES.items():
        rows = _both(methods, scores=place, method=method)
        for t, (tpr, fpr) in zip(LEVELS, pairs, strict=True):
            if tpr is not None:
                yield _check(f"TPR at {t}, {place}, {method}", tpr, rows, f"tpr {t}")
            yield _check(f"FPR at {t}, {place}, {method}", fpr, rows, f"fpr {t}")
    for place, values in SENSITIVITY.items():
        yield from _sensitivity_checks(place, values, methods)


def _sensitivity_checks(place: str, values: Sequence[tuple[str, str]], methods: Rows) -> Iterator[Check]:
    """Gains over cap 0, and the SD over partitions of one population, at every cap."""
    rows = {
        population: [_find(methods, scores=place, cap=cap, method="SCF", population=population) for cap in CAPS]
        for population in ("fixed", "redraw")
    }
    for i, (cap, (published, sd)) in enumerate(zip(CAPS, values, strict=True)):
        if i:
            gain = f"{float(published) - float(values[0][0]):.4f}"
            ours = rows["redraw"][i]["auroc"] - rows["redraw"][0]["auroc"]
            why = "both caps are in the fit" if cap == CAP else "judged by its sign alone"
            verdict: Verdict = "fitted" if cap == CAP else "agrees" if ours * float(gain) > 0 else "differs"
            yield Check(f"AUROC gain of cap {cap} over 0, {place}", gain, f"{ours:.4f}", "", verdict, why)
        one = rows["fixed"][i]
        # Relative error of an SD from n normal values: 1 / sqrt(2 n), for theirs and ours.
        error = one["auroc sd"] * root_of_squares((2 * PARTITIONS) ** -0.5, (2 * one["repetitions"]) ** -0.5)
        why = "one population of the scenario; SDs differ between populations too"
        judgement = judged(one["auroc sd"], error, sd)
        yield Check(f"SD of AUROC, cap {cap}, {place}", sd, f"{one['auroc sd']:.4f}", f"{error:.4f}", judgement, why)


def _both(rows: Rows, **values: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """At the published cap: the average over populations, and one population."""
    redraw, fixed = (_find(rows, cap=CAP, population=population, **values) for population in ("redraw", "fixed"))
    return redraw, fixed


def _check(
    value: str, published: str, rows: tuple[dict[str, Any], dict[str, Any]], name: str, *, fitted: bool = False
) -> Check:
    """A published level, of one population and 500 partitions, against an average over populations."""
    row, fixed = rows
    # A repetition of ``redraw`` differs from the next by its population and its partition, one of ``fixed`` by the
    # latter alone.
    partition = fixed[f"{name} sd"] / PARTITIONS**0.5
    population = max(row[f"{name} sd"] ** 2 - fixed[f"{name} sd"] ** 2, 0.0) ** 0.5
    if name.startswith("fpr"):
        population, why = 0.0, "held out; exchangeability gives it whatever the population"
    else:
        why = "in the fit" if fitted else "held out; a scenario, not the data"
    error = root_of_squares(population, partition, row[f"{name} se"])
    verdict = "fitted" if fitted else judged(row[name], error, published)
    return Check(value, published, f"{row[name]:.4f}", f"{error:.4f}", verdict, why)
