"""Pictures inside a notebook's cell, one module for each kind of result, found by its name.

A module holds ``draw(result)``, which returns the natural figure of the result as one ``<svg>``.
"""
