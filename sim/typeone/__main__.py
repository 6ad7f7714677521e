"""``python -m typeone``."""

from typeone.cli import main

main()
