"""What calls of Python's own library do with their arguments, by their last names."""

# Make a text of it, or write it as text.
BY_REPR = frozenset({"repr", "ascii", "pprint", "pformat"})
WRITING = frozenset({"print", "write", "debug", "info", "warning", "error", "critical", "exception", "log"})
SHOWING = BY_REPR | WRITING | {"str", "format"}

# Look for it in a text: methods of texts, and functions and methods of patterns.
SEARCHING = frozenset({"startswith", "endswith", "find", "rfind", "index", "rindex", "count"})
SEARCHING |= {"partition", "rpartition", "split", "rsplit"}
MATCHING = frozenset({"search", "match", "fullmatch", "findall", "finditer"})

RUNNING = frozenset({"exec", "eval", "compile"})  # run it as code
LOOKING_UP = frozenset({"getattr", "hasattr"})  # take an attribute of it by a name
NAMESPACES = frozenset({"globals", "locals", "vars"})  # give all variables or attributes by their names
