"""What the commands ask about a file of votes and about a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.terminal.options import KINDS

File = Annotated[Path, typer.Argument(help=f"{KINDS} of votes, long or wide.")]
Evaluator = Annotated[str, typer.Option(help="Column with the evaluator.")]
Unit = Annotated[str | None, typer.Option(help="Column with the unit (long file).")]
Vote = Annotated[str | None, typer.Option(help="Column with the vote, 0 or 1 (long file).")]

Delta = Annotated[str, typer.Option(help="Tolerated disagreement error of a panel.")]
Theta = Annotated[str, typer.Option(help="Decision threshold.")]
Beta = Annotated[str, typer.Option(help="Share of units that may stay uncertified.")]
Grid = Annotated[str | None, typer.Option(help="Panel sizes, as 3,5,7; declared before the votes are seen.")]
Method = Annotated[str, typer.Option(help="mass-controlled or familywise.")]
EtaE = Annotated[str, typer.Option("--eta-e", help="Error budget of the evaluators.")]
EtaG = Annotated[str, typer.Option("--eta-g", help="Error budget of the generator.")]
XiE = Annotated[str, typer.Option("--xi-e", help="Mass of units whose interval may fail.")]

Census = Annotated[int | None, typer.Option(help="Votes M on record.")]
Positives = Annotated[int | None, typer.Option(help="Positive votes C among them.")]
Probability = Annotated[str | None, typer.Option(help="Or: acceptance probability of a superpopulation.")]
Horizon = Annotated[int | None, typer.Option(help="Largest panel looked at (with --probability).")]
CensusFlips = Annotated[int, typer.Option(help="Corrupted votes of the census.")]
PanelFlips = Annotated[int, typer.Option(help="Corrupted votes of each panel.")]
FixedShare = Annotated[str, typer.Option(help="Corrupted share of the superpopulation.")]
TargetedShare = Annotated[str, typer.Option(help="Share turned from the decision.")]
Sizes = Annotated[str | None, typer.Option("--grid", help="Only these panel sizes, as 3,5,7.")]
