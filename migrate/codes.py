"""Every code that a finding can carry: title, explanation, advice, level."""

from __future__ import annotations

from typing import NamedTuple


class Evidence(NamedTuple):
    """What recorded runs show about a code.

    observation: which records of a run count: "names" read at a line, the "handles" that a call got and where these
    were made, the "uses" of handles made at a line, the "results" of a call, or the "callbacks" that called; "" where
    a run shows nothing. settles: whether they suffice to rewrite; otherwise they only support what a person decides.
    never: the results that must not have occurred.
    """

    observation: str = ""
    settles: bool = False
    never: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """What a run does for the code: "settles", "supports" or ""."""
        return "settles" if self.settles else "supports" if self.observation else ""


class Code(NamedTuple):
    """One page of ``python -m migrate explain``."""

    title: str
    explanation: str
    advice: str
    level: str = "manual"
    evidence: Evidence = Evidence()


_NAMES, _HANDLES = Evidence("names", settles=True), Evidence("handles", settles=True)
_USES, _CALLBACKS = Evidence("uses", settles=True), Evidence("callbacks", settles=True)
_NEVER_INVALID = Evidence("results", settles=True, never=("DOCA_ERROR_INVALID_VALUE",))
_NEVER_UNCONNECTED = Evidence("results", settles=True, never=("DOCA_ERROR_NOT_CONNECTED",))
_NEVER_SOMETHING_ELSE = Evidence("results", settles=True, never=("DOCA_ERROR_INVALID_VALUE", "AttributeError"))
_NAMES_SEEN, _HANDLES_SEEN, _RESULTS_SEEN = Evidence("names"), Evidence("handles"), Evidence("results")


CODES: dict[str, Code] = {
    # Files and imports
    "CCM001": Code(
        "this interpreter cannot read the file as Python",
        "The file names the old API but does not parse: Python 2, a template, or grammar newer than this Python's.",
        "Port the file to Python 3 first, run migrate on what the template makes, or use a newer interpreter.",
    ),
    "CCM002": Code(
        "the import stays: code that was not rewritten needs it",
        "Code that keeps the old API uses some of the names that it binds, or `__all__` exports them, or an "
        "`__init__.py` imports them for others, or the program looks up names that it computes, which may be these.",
        "Resolve the other comments, remove the names that no other program imports from `__all__` and `__init__.py`, "
        "and run migrate again: the import goes with the last use.",
    ),
    "CCM003": Code(
        "not rewritten because the code around it was not",
        "The name itself could change, but the code that uses it keeps the old API.",
        "Resolve the finding that this one names, then run migrate again.",
    ),
    "CCM004": Code(
        "the name has more than one origin",
        "Several statements bind it to different things: a fallback import, a second library, a stub of your own.",
        "Decide which library the program uses and keep that import only, then run migrate again.",
        evidence=_NAMES_SEEN,
    ),
    "CCM005": Code(
        "an old name is looked up at run time",
        "getattr, importlib, exec, doctest or a loader reads the name from a string, the program looks up names that "
        'it computes, or an f-string shows the name as it is written: `f"{x=}"`.',
        "Write the import or the call out in Python (a lambda in place of `methodcaller`), then run migrate again; or "
        'change the text by hand: `ep.configure(**{name: value})` for `getattr(ep, "set_" + name)(value)`.',
        evidence=_NAMES,
    ),
    "CCM006": Code(
        "a feature test decides between old and new",
        "The branches belong to different releases of the library; rewriting one of them would undo the test.",
        "Remove the old branch once the program runs on comch_next only.",
        evidence=_NAMES_SEEN,
    ),
    "CCM007": Code(
        "a C name on an object that migrate does not know",
        "It belongs to a wrapper of your own, or to a module that cffi has compiled. migrate does not rewrite these.",
        "Run the program unchanged on comm_channel_compat, or call comch_next directly.",
        evidence=_NAMES_SEEN,
    ),
    "CCM008": Code(
        "the project is too large or too dynamic to follow its values",
        "The file and those that it is connected with by imports hand so many objects on to each other, through code "
        "that could do anything with them, that migrate gave up. It changed none of these files.",
        "Copy the part of the project that uses the old API, without tests and tools that inspect all of it, to a "
        "folder of its own, and run migrate there.",
    ),
    "CCM009": Code(
        "the old module is used as a value",
        "The module is shown, inspected, or given to another library, or a name is taken from it in a way that migrate "
        "cannot rewrite.",
        "Name what you need from the module (cc.Endpoint, cc.Again) where it is used.",
        evidence=_NAMES_SEEN,
    ),
    "CCM010": Code(
        "the name is gone from `__all__`, with its import",
        "The project imports this file but no longer takes the old name from it, and it cannot be installed, so no "
        "other program takes the name either. A name that comch_next has, too, stays.",
        "Nothing, unless another project imports the name from this file.",
        "safe",
    ),
    "CCM011": Code(
        "the name, which the file does not use, is gone with its import",
        "The file imports an old name that it does not read, which other programs could take from it. An "
        "`__init__.py`, or `import X as X`, keeps such a name if comch_next has it, too, or if no file of the project "
        "takes it.",
        "Nothing, unless another project imports the name from this file: then import it from comch_next again.",
        "safe",
    ),
    "CCM012": Code(
        "the old module has no such name",
        "It raises an AttributeError or ImportError here. Other generations of the API may have the name.",
        "Correct the name: docs/symbols.md has a row for every old one.",
    ),
    "CCM050": Code(
        "a module of the program has the name of the new module",
        "With --mode shim the import would find the program's own comm_channel_compat.",
        "Rename the program's module, then run migrate again.",
    ),
    # Calls
    "CCM022": Code(
        "comch_next has no counterpart",
        "Nothing in comch_next takes the place of this name.",
        "See the name's row in docs/symbols.md.",
    ),
    "CCM023": Code(
        "the blocking API of DOCA 1.2 - 1.4",
        "An endpoint is made from attributes, but no file uses doca_comm_channel_init_attr, or one uses "
        "doca_comm_channel_ep_set_device. So migrate cannot tell whether the program was written before DOCA 1.5, "
        "when calls blocked.",
        "Give migrate the file that makes the attributes, too. Calls on the endpoint then become those of "
        "comch_next.BlockingChannel.",
        evidence=_NAMES_SEEN,
    ),
    "CCM038": Code(
        "the arguments of the call cannot be sorted",
        "The call has star arguments, unknown keywords, or too many or too few arguments.",
        "Write the call out with its arguments.",
        evidence=_HANDLES_SEEN,
    ),
    "CCM040": Code(
        "a message flag that may not be DOCA_CC_MSG_FLAG_NONE",
        "DOCA 1.5 and later define no other flag, and comch_next has none. DONTWAIT and MORE, of DOCA 1.2 to 1.4, are "
        "rewritten where migrate can see the value.",
        "Pass DOCA_CC_MSG_FLAG_NONE, or drop the flag by hand.",
        evidence=_RESULTS_SEEN,
    ),
    "CCM070": Code(
        "an argument with an effect would be dropped or evaluated in another order",
        "The modern call has no such argument (a size, a flag, a length), or takes the handle before the others.",
        "Evaluate the argument in a statement before, and pass the variable.",
    ),
    # Handles
    "CCM030": Code(
        "not rewritten because another use of its handle was not",
        "An endpoint, peer or device is rewritten everywhere or nowhere.",
        "Resolve the finding that this one names, then run migrate again.",
    ),
    "CCM033": Code(
        "a handle goes where migrate cannot follow it",
        "It is passed to a function of a package that is not part of this project, and that may use the old API.",
        "Keep the handle in code of this project, or port this part by hand.",
        evidence=_USES,
    ),
    "CCM034": Code(
        "migrate cannot see where this handle comes from",
        "It is the result of a call, or a parameter, that no file of this project explains.",
        "Give migrate the file that makes the handle, too.",
        evidence=_HANDLES,
    ),
    "CCM035": Code(
        "the variable is also used for something else",
        "The same expression is an old handle at one time, and another object with the same method at another.",
        "Give the two values two names.",
        evidence=_HANDLES_SEEN,
    ),
    "CCM036": Code(
        "the value is a handle of several kinds",
        "The same expression is a handle of one class at one time, and of another at another. One method of comch_next "
        "does not take the place of the old ones, or migrate cannot see that it does.",
        "Write a branch for each class; for a method that is called later, `lambda: handle.destroy()` may do.",
        evidence=_HANDLES_SEEN,
    ),
    "CCM039": Code(
        "a class extends an old class",
        "Methods that override old calls would not be called any more.",
        "Let the class hold a Server or Client and call it, instead of extending the old one.",
    ),
    "CCM049": Code(
        "a file that was not given uses this handle",
        "Rewriting one of the two files would break the other.",
        "Give migrate both files.",
    ),
    "CCM080": Code(
        "the name is replaced on the old module",
        "mock.patch, monkeypatch or an assignment replaces the name on the old module, or `errcheck` a C function's "
        "result. The replacement would miss the modern call.",
        "Change the test so that it replaces the name on comch_next, or check the result after the call instead of in "
        "`errcheck`; then run migrate again.",
    ),
    "CCM081": Code(
        "an old object is shown as text",
        "str, repr and print show another text for the modern object.",
        "Run migrate with --unsafe if the text does not matter.",
        "needs-evidence",
    ),
    "CCM082": Code(
        "an old object is inspected, compared, copied or pickled",
        "The modern object has other attributes, takes none of your own, and has another state. An old function or "
        "method is replaced by a function that is made at each place, and no two of these are equal, as keys, caches "
        "and enumerations require. A context and its client, which were two objects, are one. A result code, which was "
        "an int, is a member of an enum. The event that a callback is given is None.",
        "Take what you need from the object by its methods, and keep what is yours beside it; tell functions apart by "
        "names of your own; pickle `int(code)`.",
    ),
    "CCM083": Code(
        "migrate cannot see who calls this function or class",
        "It takes or returns handles, and nothing in this project calls it. Its callers need the same migration.",
        "Give migrate the files that call it, or run it with --unsafe and migrate them as well.",
        "needs-evidence",
        evidence=_USES,
    ),
    "CCM084": Code(
        "the file reads its own source or lists its names",
        "inspect.getsource, open(__file__), the lines and frames of a traceback or __code__ would show the modern "
        "text; globals(), dir() and sys.modules would list the modern import.",
        "Check what the program does with its source, and rewrite the file by hand.",
    ),
    "CCM085": Code(
        "an old object may be shown as text",
        "At other times the expression is None or an empty collection. The modern object has another text.",
        "Nothing, unless another program reads the output.",
        "safe",
    ),
    "CCM086": Code(
        "devices are compared",
        "Opening a device twice gave two objects that were not equal. In comch_next they are equal, also as dictionary "
        "keys and in sets.",
        "Run migrate with --unsafe if no device is opened twice, or if the two opens may count as one.",
        "needs-evidence",
        evidence=_HANDLES_SEEN,
    ),
    "CCM087": Code(
        "nothing calls this function or class of a script",
        "It takes or returns handles. The file is a script that no other file imports, so nothing can call it.",
        "Remove it, or migrate the programs that import the script as well.",
        "safe",
    ),
    "CCM088": Code(
        "the function may be called with something else",
        "Called with anything but its handle, None included, the old function raised InvalidValue, which is caught "
        "here. The modern method does not exist on such a value, which raises AttributeError.",
        "Test for the handle before the call; or run migrate with --unsafe if it is always there.",
        "needs-evidence",
        evidence=_NEVER_SOMETHING_ELSE,
    ),
    "CCM089": Code(
        "the C library is called through cffi or ctypes",
        "Files that share a library are rewritten completely or not at all: handles of C and of comch_next do not mix. "
        "migrate could not find where this program calls functions of the library. It runs unchanged under "
        "`python -m comm_channel_compat run`, which finds the libraries of generations 1 and 2 by name and path, and "
        "their headers for cffi's API mode.",
        "Run the program with the launcher, or call comch_next in the place of the C functions.",
    ),
    "CCM092": Code(
        "migrate does not follow how this C value is used",
        "What C fills (`ffi.new`, `c_size_t()`, a buffer) becomes a list of one item or a bytearray. Here it is used "
        "as only a C value can be, or it goes where migrate cannot follow it. All files that share the library stay.",
        "Read the value (`cell[0]`, `cell.value`, `ffi.buffer(buf, n)[:]`) before it goes on, then run migrate again.",
    ),
    "CCM093": Code(
        "migrate cannot read this call of a C function",
        "Its arguments are not written one by one, their number is not that of any release, the function calls back "
        "or keeps a pointer, or it comes out of a helper. All files that share the library stay.",
        "Write the call with the arguments of DOCA 1.5 to 2.6, on the library itself: `lib.doca_...(...)`; or call "
        "comch_next by hand.",
    ),
    "CCM094": Code(
        "the library is not the old API's alone",
        "The program also takes other functions from it; or computes its name in a way that has to stay; or declares, "
        "for other libraries or for itself, something that uses a type of the old API, or that is not written out in "
        "one place. All files that share the library stay.",
        "Use an FFI object and a library of their own for the old API, then run migrate again.",
    ),
    "CCM095": Code(
        "the garbage collector destroys this handle",
        "`ffi.gc` has cffi call a function of the library when the last reference goes. Objects of comch_next are "
        "closed by explicit calls, in the order of these calls. All files that share the library stay.",
        "Destroy the handle where the program is done with it, as in `try`/`finally`, then run migrate again.",
    ),
    "CCM096": Code(
        "a C struct of the program's own is the user data",
        "The program gets it back from the pointer that the library passes to a callback. In comch_next user data is "
        "a Python object. All files that share the library stay.",
        "Keep a Python object: `ffi.new_handle(object)`, and `ffi.from_handle` in the callback; run migrate again.",
    ),
    "CCM097": Code(
        "the C library is called through a module that cffi compiles from C",
        "`set_source` with C text makes an extension module, whose types and functions are what its C compiler found "
        "in the headers; migrate reads no C. The program compiles and runs unchanged under "
        "`python -m comm_channel_compat run`.",
        "Use `set_source(name, None)` and `ffi.dlopen`, which migrate follows, or call comch_next in its place.",
    ),
    # Text
    "CCM042": Code(
        "the place has no room for the new import",
        "The import cannot be written where the old one stands.",
        "Give the import a line of its own.",
    ),
    "CCM045": Code(
        "a type comment names the old API",
        "migrate does not rewrite comments, and so the import stays.",
        "Write the annotation out, or change the comment by hand.",
    ),
    "CCM046": Code(
        "the rewrite did not pass its own check",
        "The new text would have lost a name or used an unbound one, so nothing was changed.",
        "Port this file by hand, and please report it: this is a bug in migrate.",
    ),
    "CCM048": Code(
        "inside an f-string that cannot be rewritten safely",
        "Before Python 3.12 the places of expressions in f-strings are not reliable, and quotes in them clash.",
        "Store the value in a variable before, and use it in the f-string.",
    ),
    "CCM051": Code(
        "the program has a name of Python's own for something else",
        "The new text would call it (`bytearray`, `memoryview`), and where that would stand the program has a variable "
        "or function of that name. All files that share a library of C stay.",
        "Give the variable another name, then run migrate again.",
    ),
    # Differences
    "CCM061": Code(
        "connections end as generation 1 saw it",
        "one_sided=True keeps the old behaviour: a peer that leaves in order is not an event. Without it, send, and a "
        "client's receive, raise Shutdown and update_info raises ConnectionAborted once the peer has left. A server's "
        "receive goes on waiting: it learns of this by messages(on_lost=...), update_info or the disconnect callback.",
        "Handle Shutdown beside ConnectionReset and remove one_sided=True when you are ready.",
        "safe",
    ),
    "CCM071": Code(
        "the text of an error is compared or parsed",
        "The exceptions are the same; their texts name the modern call. A text that is sent or stored counts, too, if "
        "the program searches what it reads for a name of the old API.",
        "Compare the class or the code of the exception instead.",
        "needs-evidence",
        evidence=_RESULTS_SEEN,
    ),
    "CCM072": Code(
        "the buffer may be too small for the text",
        "The old call reported INVALID_VALUE for a text that did not fit with its NUL. comch_next returns it whole.",
        "Run migrate with --unsafe if the size was meant to be large enough.",
        "needs-evidence",
        evidence=_NEVER_INVALID,
    ),
    "CCM074": Code(
        "the text of an error is shown",
        "The exceptions are the same; their texts name the modern call.",
        "Nothing, unless another program reads the output.",
        "safe",
    ),
    "CCM075": Code(
        "log set-up that has no counterpart is dropped",
        "comch_next logs through Python's logging, so there is no standard backend to create. By default nothing that "
        "the library logs is printed. This is reported once per file.",
        "Nothing; or give the logger comch_next a level or a handler, to see what the library logs.",
        "safe",
    ),
    # Generation 2
    "CCM110": Code(
        "a log2 count that migrate cannot see",
        "DOCA 2.5 took the log2 of the number of tasks, which cffi and ctypes convert to an integer of C. `1 << n` is "
        "that number; if n is out of range, it fails in another way than the old call did.",
        "Make sure that the value is a whole number from 0 to 31, then run migrate with --unsafe.",
        "needs-evidence",
        evidence=_NEVER_INVALID,
    ),
    "CCM111": Code(
        "a log2 count that is out of range",
        "The old call refused it with INVALID_VALUE, after cffi or ctypes had converted it.",
        "Give the log2 of the number of tasks, from 0 to 31, then run migrate again.",
    ),
    "CCM112": Code(
        "a context is started before an engine is connected to it",
        "The old call failed with NOT_CONNECTED. A context of comch_next without an engine gets one of its own and "
        "starts, after which no other one can be connected.",
        "Connect an engine before the start. If the call has to fail, write that failure yourself; if it may succeed, "
        "run migrate with --unsafe.",
        "needs-evidence",
        evidence=_NEVER_UNCONNECTED,
    ),
    "CCM113": Code(
        "progress that may run inside of a callback",
        "doca_pe_progress inside of a callback did nothing and returned 0. comch_next's progress raises BadState.",
        "Remove the call from callbacks, or make sure that no callback reaches it; then run migrate with --unsafe.",
        "needs-evidence",
        evidence=_CALLBACKS,
    ),
    # --keep-spelling
    "CCM120": Code(
        "generation 1 has no successor that is called in the same way",
        "doca_comch has contexts, tasks and callbacks where doca_comm_channel had endpoints and polling. With "
        "--keep-spelling only calls of doca_cc change; those of doca_comm_channel stay.",
        "Run migrate without --keep-spelling, which rewrites the program for comch_next, or run it with the launcher.",
    ),
    "CCM121": Code(
        "a name of the C library is put together in a way that migrate cannot see",
        "With --keep-spelling either every name of doca_cc changes or none. This one is put together from parts that "
        "have no successor of their own, or that come from elsewhere.",
        "Write the name out, or choose among whole names, then run migrate again.",
    ),
    "CCM122": Code(
        "migrate cannot see what this function of the C library is given",
        "The successor takes something else: a count in the place of its log2, two more arguments, other types. The "
        "function goes where migrate cannot follow it, or its arguments or types are not written one by one.",
        "Call the function where it is taken from the library, with its arguments written out, then run migrate again.",
    ),
    "CCM123": Code(
        "the program knows two names of one thing",
        "It chooses between the names of DOCA 2.5 and 2.6, or between doca_cc and doca_comch, or uses the Python "
        "module beside the C library. The successor has one name for both.",
        "Keep the branch for one of them, then run migrate again.",
    ),
    "CCM124": Code(
        "a number that the C library fills in is another one now",
        "Limits of tasks were log2 in DOCA 2.5 and are counts since; sizes were eight bytes wide and are four. What "
        "the program fills in or reads here cannot be seen, or would mean something else.",
        "Call the function of DOCA 2.6, with a uint32_t that is made where the call is, then run migrate again.",
    ),
    # Idioms
    "CCM100": Code(
        "a loop that repeated a send became one send that waits",
        "send_to without a timeout waits for room by itself. Nothing else in the loop, and nothing else in the "
        "program, could run meanwhile.",
        "Nothing. Give send_to a timeout in seconds if the program should not wait for ever.",
        "safe",
    ),
    "CCM101": Code(
        "a loop that polled for a message became one receive that waits",
        "receive without a timeout waits for a message by itself. Nothing else in the loop, and nothing else in the "
        "program, could run meanwhile.",
        "Nothing. Give receive a timeout in seconds if the program should not wait for ever.",
        "safe",
    ),
    "CCM102": Code(
        "the options of a context went into its constructor",
        "The statements that set them followed it directly, and nothing reads the context when one is refused.",
        "Nothing.",
        "safe",
    ),
    "CCM103": Code(
        "a loop that waited for the service became a connect that waits",
        "connect with timeout=None returns when the service has accepted the client, and raises the error that ended "
        "the loop. Nothing uses a connection that has not come up.",
        "Nothing. Give connect a timeout in seconds if the program should not wait for ever.",
        "safe",
    ),
    "CCM104": Code(
        "a loop over messages in flight became a flush",
        "flush of a one-sided connection takes snapshots until nothing is in flight, and raises what update_info "
        "raises.",
        "Nothing. Give flush a timeout in seconds if the program should not wait for ever.",
        "safe",
    ),
    "CCM105": Code(
        "checks that only left became one except clause",
        "The code of each call was checked, and every failure left in the same way. Now the calls raise, and one "
        "clause catches that, with the same code.",
        "Nothing. Remove the clause if the exception may go on.",
        "safe",
    ),
    "CCM106": Code(
        "a wait for the event channel became a receive that waits",
        "The service had accepted the client. It armed its channel, waited for nothing else and without a time limit, "
        "then received. receive without a timeout waits for a message by itself.",
        "Nothing. Give receive a timeout in seconds if the program should not wait for ever.",
        "safe",
    ),
    # Requests
    "CCM090": Code(
        "left alone on request",
        "A `# migrate: skip` comment covers this line.",
        "Remove the comment to have the line rewritten.",
        "safe",
    ),
    "CCM091": Code(
        "the skip comment has no effect",
        "Nothing on its line would be rewritten or reported under that code.",
        "Remove the comment.",
        "safe",
    ),
}


def comment(code: str) -> str:
    """Return the text of the coded comment, from its hash on."""
    return f"# {code}: {CODES[code].title} (python -m migrate explain {code})"
