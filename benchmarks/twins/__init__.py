"""What a competent user of NumPy and SciPy would write: vectorised, exact on ties, and not slowed down.

Twins are frozen with the floors.  A time of ours counts only when its output equals the twin's.  The slow, obvious
twins of the tests (Fractions, plain loops, mpmath) are others: they stand in ``tests/twins``.
"""
