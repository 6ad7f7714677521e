"""The measured numbers as Markdown.  Everything in results/benchmarks/README.md is generated here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from benchmarks.timing import short

Data = dict[str, Any]
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def time_of(seconds: float) -> str:
    """With the unit that leaves digits before the point."""
    for unit, name in UNITS:
        if seconds >= unit:
            return f"{short(seconds / unit)} {name}"
    return f"{short(seconds / 1e-9)} ns"


TARGETS = ("work", "ours", "target", "measured", "verdict")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def spread(ratio: Data) -> str:
    return f"{short(ratio['median'])} ({short(ratio['lower'])}–{short(ratio['upper'])})"


def markdown(data: Data, command: str) -> str:
    """The whole page."""
    return "\n\n".join(part for part in _parts(data, command) if part) + "\n"


def _parts(data: Data, command: str) -> Iterator[str]:
    machine = data["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    yield "# Benchmarks"
    yield (
        f"Written by `{command}` on {machine['date'][:10]}, in {data['minutes']:.0f} minutes: {machine['processor']}, "
        f"{machine['cores']} cores (load {machine['load']:.2f} at the start), Python {machine['python']}, {versions}; "
        f"commit {machine['commit'] or 'unknown'}."
    )
    if data["quick"]:
        yield "**Quick: small inputs and three rounds. These numbers say that the command works, nothing else.**"
    yield (
        "Ratios are ratios of medians over interleaved rounds (at least seven), quartiles of the rounds' ratios in "
        "parentheses, one thread, compile time apart. A floor is the least work no implementation avoids; a twin is "
        "what a competent user of NumPy and SciPy writes; both and the inputs are frozen (`benchmarks/floors.py`, "
        "`benchmarks/twins`). A time of ours counts only when the output equals the twin's, ties included."
    )
    if data["rows"] or data["workers"] or data["startup"]:
        yield "## Targets"
        yield table(TARGETS, _targets(data))
    if data["rows"]:
        yield "![Ratios to floors and peers](ratios.svg)"
        yield "## Every implementation"
        yield table(("work", "implementation", "time", "over ours", "output"), _implementations(data["rows"]))
    if data["compile"]:
        yield "## Compile time"
        yield "Seconds once in an empty cache; what a row shares with one above it is counted there."
        yield table(("row", "seconds"), ([name, f"{value:.1f}"] for name, value in data["compile"].items()))
    if data["growth"]:
        yield "## Growth"
        yield "Exponent of time per repetition, beside that of numpy's sort of as much data; at most .1 above it."
        yield table(("varied", "from", "to", "exponent", "numpy sort", "verdict"), _growth(data))
        yield "![Growth](growth.svg)"
    if data["variance"]:
        yield "## Time to a given Monte Carlo error"
        yield _VARIANCE
        yield variance_table(data["variance"])


_VARIANCE = (
    "Time saved at equal error: (variance × time of a repetition) of the plain estimate over that of the better one. "
    "z is the difference of the two estimates in standard errors."
)


def variance_table(rows: list[Data]) -> str:
    return table(("measure", "plainly", "better", "z", "SD ratio", "time ratio", "saves"), _variance(rows))


def targets(data: Data) -> Iterator[list[str]]:
    """The rows of the page's first table, each with its work named."""
    name = ours = ""
    for row in _targets(data):
        name, ours = row[0] or name, row[1] or ours
        yield [name, ours, *(cell.replace("**", "").replace("`", "") for cell in row[2:])]


def _targets(data: Data) -> Iterator[list[str]]:
    for row in data["rows"]:
        name, ours = row["work"], time_of(row["implementations"]["ours"]["median"]) + f" a {row['unit']}"
        for target in row["targets"]:
            yield [name, ours, _aim(target), _value(target), _told(target["verdict"], data["quick"])]
            name = ours = ""
        for other in row["unmeasured"]:
            yield [name, ours, f"beside {other}", "—", "not measured: " + row["implementations"][other]["missing"]]
            name = ours = ""
    for row in data["workers"]:
        measured = f"{spread(row['share'])}: engine {short(row['engine'])}, bare {short(row['bare'])}"
        once = f"{short(row['seconds']['engine 1'])} s for {row['repetitions']}"
        name = f"two workers over one, {row['name']} study"
        yield [name, once, "≥ .95 × a bare loop's speedup", measured, _told(row["verdict"], data["quick"])]
    for row in data["startup"]:
        aim, told = f"≤ {row['limit']} × `{row['baseline']}`", _told(row["verdict"], data["quick"])
        yield [row["name"], time_of(row["seconds"]["ours"]), aim, spread(row["ratio"]), told]


def _aim(target: Data) -> str:
    sign = "≤" if target["rule"] == "at most" else "≥"
    if target["other"] == "s":
        return f"stretch {sign} {time_of(target['stretch'])}"
    parts = [f"{sign} {short(target['limit'])} × {target['other']}"] if target["limit"] is not None else []
    if target["stretch"] is not None:
        parts.append(f"stretch {sign} {short(target['stretch'])} ×" + ("" if parts else f" {target['other']}"))
    return "; ".join(parts)


def _value(target: Data) -> str:
    return spread(target["ratio"]) if target["ratio"] else time_of(target["value"])


def _told(verdict: str, quick: bool) -> str:
    if quick:
        return "quick"
    return f"**{verdict}**" if verdict in ("missed", "output differs") else verdict


def _implementations(rows: list[Data]) -> Iterator[list[str]]:
    for row in rows:
        work = row["work"]
        for name, each in row["implementations"].items():
            if "missing" in each:
                yield [work, name, "—", "—", each["missing"]]
            else:
                output = {True: each["differs"] or "equal", False: "—"}[each["compared"]]
                title = f"{name} ({each['note']})" if each["note"] else name
                yield [work, title, time_of(each["median"]), spread(each["over_ours"]), output]
            work = ""


def _growth(data: Data) -> Iterator[list[str]]:
    for row in data["growth"]:
        ends = [f"{row['sizes'][i]} ({time_of(row['seconds'][i])})" for i in (0, -1)]
        exponents = [f"{row[key]:.2f}" for key in ("exponent", "sort_exponent")]
        yield [row["name"], *ends, *exponents, _told(row["verdict"], data["quick"])]


def _variance(rows: list[Data]) -> Iterator[list[str]]:
    for row in rows:
        estimates = [f"{short(row[who]['mean'])} ± {short(row[who]['error'])}" for who in ("plain", "better")]
        ratios = [short(row["sd_ratio"]), short(row["time_ratio"]), f"{short(row['factor'])} ×"]
        yield [row["name"], *estimates, f"{row['z']:.1f}", *ratios]
