"""What every command of the line has in common: its options, how a message names them, and what is printed."""
