"""Attributes whose absence is explained; see _attributes.c."""

class Explained:
    """An object whose class has `_explain(name)`: the error for an attribute that it lacks, or None for Python's."""

    __slots__ = ()
