"""The calls that make texts of what they are given, or write it as text, by their last names."""

BY_REPR = frozenset({"repr", "ascii", "pprint", "pformat"})
WRITING = frozenset({"print", "write", "debug", "info", "warning", "error", "critical", "exception", "log"})
SHOWING = BY_REPR | WRITING | {"str", "format"}
