"""Simulation engine for procedures that promise an exact error rate when they audit language models."""
