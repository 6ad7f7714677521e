"""The verification campaign: every promise is tried, its worst case looked for, and broken procedures must be caught.

``promises`` holds the records by method, ``mutants`` the procedures that are broken on purpose.
"""
