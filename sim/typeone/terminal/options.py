"""Options that several commands share: each is typed, and its help written, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

KINDS = "Parquet, Feather, CSV or JSON file (- is standard input)"
SEEDS = "Seed, 0 to 2^64 - 1,"

Texts = list[str] | None

Rows = Annotated[Texts, typer.Option(help="column=value: use only these rows; repeatable, and all must hold.")]
Out = Annotated[Path | None, typer.Option(help="Write the table here (.parquet, .csv, .feather, .json, .jsonl).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the table as JSON.")]
Quiet = Annotated[bool, typer.Option(help="Print errors only.")]
FindingsAsJson = Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")]
WarningsOnly = Annotated[bool, typer.Option(help="Print warnings only.")]
Document = Annotated[str | None, typer.Option(help="Column that identifies a document, such as a digest.")]
Compared = Annotated[Texts, typer.Option(help="Numeric column to compare; repeatable.")]

Folder = Annotated[Path, typer.Argument(help="A run's folder, finished or not.")]
Jobs = Annotated[int, typer.Option(help="Worker processes.")]
Backend = Annotated[str, typer.Option(help="loky, threading, dask or ray.")]
Address = Annotated[str | None, typer.Option(help="Of a Dask scheduler or Ray head.")]
Sets = Annotated[Texts, typer.Option("--set", help="key=value of a factor or design key; repeatable.")]
Inputs = Annotated[Texts, typer.Option("--input", help="name=FILE of an input; repeatable.")]
