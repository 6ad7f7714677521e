"""The command line: ``typeone COMMAND ...``."""

from typeone.cli.root import main

__all__ = ["main"]
