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
MEMBERS = frozenset({"getmembers", "getmembers_static"})
TAKING = LOOKING_UP | {"setattr", "delattr", "getattr_static"}  # take or store an attribute of it by a name
OF_METHODS = frozenset({"__getattribute__", "__getattr__", "__setattr__", "__delattr__"})  # which do so, too
# Look for names, in whatever way, that may be computed.
SEEKING = (
    TAKING | NAMESPACES | MEMBERS | RUNNING | OF_METHODS | {"__dict__", "__globals__", "attrgetter", "dir", "f_globals"}
)

# Import or run modules by their names, or by those of their files.
IMPORTING = frozenset({"__import__", "import_module", "resolve_name", "run_module"})
LOADING = frozenset({"exec_module", "load_module", "run_path", "spec_from_file_location"})

# Call an argument, now or later, with the arguments behind it: by its place, counted with the object of a method.
_APPLYING = {
    0: "atexit.register asyncio.to_thread",
    1: ".callback .addCleanup .addClassCleanup .addfinalizer .call_soon .call_soon_threadsafe .after_idle .submit"
    " .push_async_callback weakref.finalize contextlib.ExitStack.callback pytest.raises pytest.warns",
    2: ".assertRaises .assertWarns .call_later .call_at .add_reader .add_writer .add_signal_handler .run_in_executor",
}
APPLYING = {name: place for place, names in _APPLYING.items() for name in names.split()}
