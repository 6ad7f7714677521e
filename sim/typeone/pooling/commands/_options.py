"""What the commands ask about a file of votes and about the sources."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from typeone.terminal.options import KINDS

File = Annotated[Path, typer.Argument(help=f"{KINDS}, one row for each item and source.")]
Item = Annotated[str, typer.Option(help="Column with the item.")]
Source = Annotated[str, typer.Option(help="Column with the source.")]
Vote = Annotated[str, typer.Option(help="Column with the vote: 1, 0, or empty (not consulted).")]
Label = Annotated[str | None, typer.Option(help="Column with the item's truth: 1, 0, or empty.")]
Prior = Annotated[str, typer.Option(help="Probability of a hypothesis before any vote.")]
