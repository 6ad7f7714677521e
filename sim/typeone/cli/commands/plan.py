"""Find the smallest design that reaches a target: sizes for any study and any whole-number factor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from typeone.cli.completion import designs
from typeone.terminal.options import SEEDS, Address, Backend, Inputs, Jobs, Quiet, Sets, Texts

if TYPE_CHECKING:
    from typeone.plan import Answer, PlanResult, Question, Size, Workers

CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True}
MOST_ROWS = 40


def command(  # long because an option of the command line is a parameter, and its help stands here
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(help="A preset, a TOML file, a study, or module:NAME.", autocompletion=designs)
    ],
    target: Annotated[str, typer.Option(help="e.g. power=.8, tpr@0.05:scf=.8, or error<=.01.")],
    vary: Annotated[list[str], typer.Option(help="FACTOR=FROM:TO[:STEP]; give two for a frontier.")],
    out: Annotated[Path, typer.Option(help="Folder of the plan; made or continued.")],
    at_most: Annotated[Texts, typer.Option(help="A limit checked at the answer, e.g. fpr=.05; repeatable.")] = None,
    cost: Annotated[Texts, typer.Option(help="FACTOR=COST of one unit; repeatable.")] = None,
    effect: Annotated[str, typer.Option(help="A factor to take smaller and larger too, to see what it does.")] = "",
    level: Annotated[str, typer.Option(help="Level of measures that name none.")] = "",
    method: Annotated[str, typer.Option(help="Method of measures that name none.")] = "",
    every: Annotated[bool, typer.Option("--every", help="Simulate every size, infer none.")] = False,
    simulate: Annotated[bool, typer.Option("--simulate", help="Simulate also what is known exactly.")] = False,
    first: Annotated[int, typer.Option(help="Repetitions before a size is first looked at.")] = 200,
    most: Annotated[int, typer.Option(help="Most repetitions of a size; more of them narrow the answer.")] = 12_800,
    error: Annotated[str, typer.Option(help="Probability that any size is decided wrongly.")] = "0.05",
    seed: Annotated[int | None, typer.Option(help=f"{SEEDS} of all streams: another seed, another plan.")] = None,
    sets: Sets = None,
    inputs: Inputs = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    address: Address = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Find the smallest size of a factor of NAME that reaches the target.

    Given are the minimum (the least size that reaches it) and the stable size (from which on every size does).
    Run the same command again to resume, with more --most to narrow an interval. Factors of the study are
    options too: --factor VALUE.
    """
    from typeone.engine import lookup
    from typeone.levels import number
    from typeone.plan import Question, Workers

    changes = lookup.given(context.args, sets, inputs, seed=seed)
    question = Question(
        design=lookup.changed(lookup.design_called(name), changes),
        target=target,
        vary=tuple(vary),
        at_most=tuple(at_most or ()),
        cost=tuple(cost or ()),
        effect=effect,
        given=tuple(key.replace("-", "_") for key in changes),
        level=level,
        method=method,
        every=every,
        simulate=simulate,
        first=first,
        most=most,
        error=number("--error", error),
    )
    result = _found(question, out, Workers(jobs, backend, address), quiet=quiet)
    if as_json:
        typer.echo(result.as_json())
    elif not quiet:
        _report(result, out)


def _found(question: Question, out: Path, workers: Workers, *, quiet: bool) -> PlanResult:
    from typeone.plan import Progress, answer
    from typeone.terminal.output import progress

    with progress("plan", quiet=quiet, unit="repetitions") as bar:

        def tell(told: Progress) -> None:
            bar(told.repetitions, note=f"look {told.looks} at {told.sizes} sizes")

        try:
            return answer(question, out, workers=workers, progress=tell)
        except KeyboardInterrupt:
            typer.echo("interrupted; what is complete is saved: the same command continues", err=True)
            raise typer.Exit(130) from None


def _report(result: PlanResult, out: Path) -> None:
    from typeone.display import text_table
    from typeone.plan.result import answer_rows
    from typeone.terminal.output import say

    say(f"{result.study}: the least {result.factors[0]} with {result.target}")
    if len(result.main) == 1:
        for title, size in (("minimum", result.main[0].minimum), ("stable", result.main[0].stable)):
            _say(title, size, result.main[0])
    if len(result.answers) > 1:
        typer.echo("\n" + text_table(*answer_rows(result), most=MOST_ROWS))
        if result.about:
            say("\n" + result.about)
        for one in result.main if len(result.main) > 1 else ():
            if one.cheapest:
                typer.echo(f"\ncheapest: {result.factors[1]} {one.outer}")
                _say("stable", one.stable, one)
    rows = [row for row in result.curve.to_pylist() if row["repetitions"]]
    if len(result.main) == 1 and rows:
        names = ["size", "estimate", "mc_se", "lower", "upper", "repetitions", "status"]
        body = [[row[name] for name in names] for row in rows if row["multiple"] == "1"]
        typer.echo("\n" + text_table([result.factors[0], *names[1:]], body, most=MOST_ROWS))
    known = [
        row["estimate"] for row in result.curve.to_pylist() if row["multiple"] == "1" and row["estimate"] is not None
    ]
    if len(known) > 1 and len(set(known)) == 1:
        seen = "as far as was simulated" if rows else "exactly, at the sizes looked at"
        say(f"\nEvery {result.factors[0]} gave the same numbers: it does not move this target, {seen}.")
    if result.holds_for:
        say("\n" + result.holds_for)
    wrong = f"at most {float(result.error):.4g} probability that any size was decided wrongly"
    say(f"\n{result.repetitions} repetitions; {wrong}; the whole curve is in {out / 'curve.parquet'}")


def _say(title: str, size: Size, answer: Answer) -> None:
    from typeone.display import folded

    at = size.reached
    parts = [size.text]
    if (cost := answer.cost.get(title)) is not None:
        parts.append(f"cost {cost:.6g}")
    if at and at.repetitions:
        parts.append(f"there {at.estimate:.4g} ± {at.mc_se:.2g}, in {at.lower:.4g} to {at.upper:.4g}")
    elif at:
        parts.append(f"there {at.estimate:.4g}, exactly")
    in_one = "   ".join(parts)
    lines = [in_one] if len(in_one) <= 69 else parts
    for limit in size.limits:
        found = limit.found
        seen = f" ({found.estimate:.4g}, in {found.lower:.4g} to {found.upper:.4g})" if found else ""
        lines.append(f"{limit.text}: {limit.verdict}{seen}")
    typer.echo(f"  {title:<8} " + folded("\n".join(lines), indent=11))
