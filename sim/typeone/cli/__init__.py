"""The command line: ``typeone COMMAND ...``."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line, as ``root.main``; Ctrl-C ends it with code 130, also while it is loaded."""
    import sys

    try:
        from typeone.cli import root

        root.main(arguments)
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("typeone: stopped\n")
        raise SystemExit(130) from None


__all__ = ["main"]
