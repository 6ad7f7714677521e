"""Benchmarks: ours beside peers, twins and floors on the same inputs.  ``python -m benchmarks`` runs all of them."""
