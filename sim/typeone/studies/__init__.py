"""The studies: each module or subpackage with a ``STUDY`` is one, found by its place (``typeone.engine.registry``)."""
