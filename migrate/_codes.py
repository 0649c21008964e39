"""Every code that a refusal, a note or a skip can carry: title, explanation, advice."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """One page of ``python -m migrate explain``."""

    title: str
    explanation: str
    advice: str
    level: str = "manual"


CODES: dict[str, Code] = {
    "CCM001": Code(
        "the file is not Python that this interpreter reads",
        "It holds old names, but it does not parse: Python 2, a template, or grammar newer than this interpreter.",
        "Port the file to Python 3 first, run migrate on what the template makes, or use a newer interpreter.",
    ),
    "CCM002": Code(
        "the import stays, because code below still needs it",
        "Some of the names that it brings are used in code that was not rewritten.",
        "Deal with the other comments in this file and run migrate again: the import goes with the last use.",
    ),
    "CCM003": Code(
        "stays with the old code around it",
        "The name itself could change, but the function, class or file around it keeps its old calls.",
        "Deal with the other comments in this function, class or file, then run migrate again.",
    ),
    "CCM004": Code(
        "the name has more than one origin",
        "The same name is bound by several statements: a fallback import, a None for 'not installed', a second import.",
        "Decide which library the program uses and keep that import only, then run migrate again.",
    ),
    "CCM005": Code(
        "an old name is put together or looked up at run time",
        "The name stands in a string that getattr, importlib, exec, cffi or a loader reads; what it "
        "will be is not known here.",
        "Write the import or the call out in Python, then run migrate again; or change the string by hand.",
    ),
    "CCM006": Code(
        "a feature test decides between old and new",
        "The branches belong to different library versions; rewriting one of them would undo the test.",
        "Take the old branch out once the program runs on comch_next only.",
    ),
    "CCM007": Code(
        "a C name on an object that this tool does not know",
        "The C functions are called through cffi, ctypes, or a wrapper of your own. Those spellings "
        "are not rewritten yet.",
        "Run the program unchanged on comm_channel_compat, or call comch_next directly.",
    ),
    "CCM008": Code(
        "the second generation (doca_cc) is not rewritten yet",
        "doca_cc_* became doca_comch_*; this form of migrate knows the first generation only.",
        "The tables in MIGRATION.md name the successor of each call.",
    ),
    "CCM009": Code(
        "the old module is used as a value",
        "The module is passed on, stored or inspected, so which names are taken from it is not known.",
        "Name what you need from the module (cc.Endpoint, cc.Again) where it is used.",
    ),
    "CCM020": Code(
        "the endpoint of this event channel has no name, and cannot get one here",
        "It is worked out inside of a comprehension. The two descriptors are read one after the other, which takes "
        "a name, and a comprehension has no place for it.",
        "Give the endpoint a name in a statement before.",
    ),
    "CCM021": Code(
        "the state of a service is asked of a client",
        "Only a service has one: the old call answered NOT_SUPPORTED to every client, and a Client of comch_next "
        "has no such call.",
        "Take the call out, with whatever handles its NOT_SUPPORTED.",
    ),
    "CCM022": Code(
        "no counterpart in comch_next",
        "Nothing in comch_next takes the place of this name, or its arguments meant something else.",
        "See the name's row in MIGRATION.md.",
    ),
    "CCM023": Code(
        "the blocking API of DOCA 1.2 - 1.4",
        "These calls took attributes and blocked; from 1.5 on nothing blocks, so a retry loop would "
        "have to be invented.",
        "Use send(timeout=None) and receive(timeout=None): they block as the old calls did.",
    ),
    "CCM030": Code(
        "belongs to a flow that stays old",
        "An endpoint, peer or device is rewritten everywhere or nowhere. Another use of this one "
        "could not be rewritten.",
        "Deal with the comments that name the cause, then run migrate again.",
    ),
    "CCM031": Code(
        "a handle is kept on an object",
        "An endpoint, peer or device is stored in an attribute, and others than the methods of its own class may read "
        "or replace it: the class has a base or is one, hands itself on, or the attribute is used on something else "
        "than self.",
        "Let only the methods of one plain class use the attribute, hand the endpoint to them as an argument, or port "
        "the class as a whole.",
    ),
    "CCM032": Code(
        "a handle is kept in a container",
        "An endpoint, peer or device goes into a list, tuple, set or dict and comes out elsewhere.",
        "Keep the handle in a name of its own, or port this part by hand.",
    ),
    "CCM033": Code(
        "a handle is handed to code that this tool cannot follow",
        "It is passed to a function of another module, a callback, a thread, a generator or a format string.",
        "Call functions of this file by name, or port this part by hand.",
    ),
    "CCM034": Code(
        "a handle comes from where this tool cannot look",
        "The endpoint, peer or device is a parameter nobody in this file fills, an import, or an unknown result.",
        "Port this file together with the one that makes the handle.",
    ),
    "CCM035": Code(
        "a name holds a handle and other things",
        "The same name is also bound to a value that is no handle of this kind.",
        "Give the two values two names.",
    ),
    "CCM036": Code(
        "server or client is not decided here",
        "In comch_next the role is chosen when the object is made. This endpoint both listens and "
        "connects, or neither.",
        "Split the set-up into one function for the server and one for the client.",
    ),
    "CCM037": Code(
        "the set-up of the endpoint is not one straight piece",
        "Server and Client take device, representor, name and sizes at once. Here branches, loops, other functions or "
        "changing values stand between the calls that set them.",
        "Bring ep_create, the ep_set_* calls and listen or connect together, then run migrate again.",
    ),
    "CCM038": Code(
        "an old function is called or used in a way that hides its arguments",
        "Star arguments, unknown keywords, partial, a decorator, or the function taken as a value.",
        "Write the call out with its arguments.",
    ),
    "CCM039": Code(
        "a class extends an old class",
        "Methods that override old calls would no longer be called.",
        "Let the class hold a Server or Client and call it, instead of extending the old one.",
    ),
    "CCM040": Code(
        "a message flag that is not DOCA_CC_MSG_FLAG_NONE",
        "The first generation defines no other flag; its value is not known here.",
        "Pass DOCA_CC_MSG_FLAG_NONE, or drop the flag by hand.",
    ),
    "CCM041": Code(
        "several results are used as one tuple",
        "The modern call returns other values, or fewer of them, so the old tuple cannot be made in this place.",
        "Unpack the results into names in a statement of its own.",
    ),
    "CCM042": Code(
        "the call shares its line with other statements",
        "The rewrite needs more than one statement, and this place has room for one.",
        "Give the call a line of its own.",
    ),
    "CCM043": Code(
        "a queue size is read back",
        "The old library rounded queue sizes up to a power of two; comch_next keeps what was set. The size set here is "
        "no constant, or none was set, so what the old call gave is not known.",
        "Keep the size in a name of your own.",
    ),
    "CCM044": Code(
        "a set-up call that may fail has a check of its own",
        "The size is not known here, so the old call could fail with a message of its own. In comch_next Server "
        "or Client says so, at listen or connect.",
        "Run migrate with --unsafe if the wording of that failure does not matter.",
        "needs-evidence",
    ),
    "CCM045": Code(
        "an annotation or type comment names an old class",
        "It is text; the rewrite leaves it, and so the import stays.",
        "Write comch.Server, comch.Client or comch.Connection.",
    ),
    "CCM046": Code(
        "the rewrite did not pass its own check",
        "The new text would have lost a name or used an unknown one, so nothing was changed.",
        "Port this file by hand, and please report it: this is a fault of migrate.",
    ),
    "CCM047": Code(
        "the role of the endpoint in this function is not one",
        "The function is called with servers and with clients, and this call differs between them.",
        "Use one function per role.",
    ),
    "CCM048": Code(
        "inside of an f-string that cannot be taken apart safely",
        "Before Python 3.12 the places of expressions in f-strings are not reliable, and quotes in them clash.",
        "Give the value a name in a statement before, and use the name in the f-string.",
    ),
    "CCM049": Code(
        "another file uses this handle",
        "A file of the same run imports the name; rewriting one of the two would break the other.",
        "Keep the handle and its calls in one file, or port the files together by hand.",
    ),
    "CCM065": Code(
        "the peer may be None here",
        "The old call answered NOT_CONNECTED, or INVALID_VALUE, when it was given None. In comch_next the call is a "
        "method of the connection itself, and None has none.",
        "Look whether there is a peer before the call, then run migrate again.",
    ),
    "CCM060": Code(
        "the maximum message size is now agreed on",
        "Two comch_next sides that both state max_msg_size, and different ones, do not connect. Old "
        "ends never refused.",
        "Migrate both ends together with the same size, or leave max_msg_size out on one side.",
        "note",
    ),
    "CCM061": Code(
        "the peer is told when the other side leaves",
        "Once the peer has left in order, send and receive say Shutdown and update_info says ConnectionAborted. The "
        "first generation still answered SUCCESS to these calls, or failed later with CONNECTION_RESET.",
        "Handle Shutdown and ConnectionAborted beside ConnectionReset.",
        "note",
    ),
    "CCM062": Code(
        "queue sizes are taken as they are",
        "The old library rounded them up to a power of two, at least 8; AGAIN now comes exactly at the size given.",
        "Raise the size if the program relied on the rounding.",
        "note",
    ),
    "CCM063": Code(
        "result codes are members of ErrorCode",
        "str(), print(code) and format() give the number as before; repr(), and so containers and !r, show the name.",
        "Use int(code) where the number has to stand in a repr or in a printed container.",
        "note",
    ),
    "CCM064": Code(
        "there may be no endpoint or peer here",
        "A result code was not looked at, the program goes on after it, or an attribute starts as None. When "
        "connect, listen or recvfrom failed "
        "the old calls answered with one more code (NOT_CONNECTED, BAD_STATE, INVALID_VALUE); comch_next made no "
        "object, and a call on None is an AttributeError.",
        "Leave, or go around these calls, when the code before is not SUCCESS.",
        "note",
    ),
    "CCM066": Code(
        "a length that may be more than the message has",
        "The old call answered INVALID_VALUE to a length above that of the message, or below 0; a slice of the message "
        "is sent as it comes.",
        "Pass the message alone where the length is its own, or compare the two before.",
        "note",
    ),
    "CCM067": Code(
        "a name that is taken is told by another code",
        "Where a service of the name was there already, listen said CONNECTION_ABORTED; it is ALREADY_EXIST now. A "
        "connect that nobody answers says CONNECTION_ABORTED as before.",
        "Handle AlreadyExist (ALREADY_EXIST) where the code may come from listen.",
        "note",
    ),
}


def comment(code: str) -> str:
    """The text of the coded comment, from its hash on."""
    return f"# {code}: {CODES[code].title} (python -m migrate explain {code})"
