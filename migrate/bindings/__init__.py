"""Programs that call the old C libraries through cffi or ctypes, made flat: the same program on the old Python module.

The rules know no spelling: they rewrite the flat program. In it, a cell that C fills (``ffi.new("T **")``,
``c_size_t()``) is a list of one item, a buffer a bytearray, and a call that fills cells is
``comch_next.store(flat call, cells)``.

    tokens     what an expression of such a program can be
    shapes     C types as texts
    knowledge  cffi and ctypes, as the points-to analysis meets them
    libraries  which libraries are old, and which files share them
    found      questions whether a library is there
    joined     objects that stand for several libraries, one library in their place
    seen       where functions are called, and what names mean there
    relaying   helpers that examine what a function of C returns: their callers pass it instead
    forwarding functions that only pass on to a function of C, written out where they are called
    declaring  loops that only declare functions to ctypes
    removing   statements taken out of a text
    spelled_out names and types that a program computes, written out first
    looked_up  look-ups of functions whose names cannot be seen, which recorded runs may show
    finders    functions that only find a function of C
    hoisted    helpers that make a C value of the type that they are given
    rows       loops over functions with their arguments
    structs    structs that programs of ctypes declare: the old module's classes in their place
    struct_values and the values of them
    declarations, enums   what the texts of the program declare for cffi
    shown      what cffi shows callbacks of their arguments
    texts      the texts that an expression can have
    calls      a call of a C function as a call of the flat one
    handed     functions of C that Python's own functions call
    keeping    what functions of C are in classes, and under their names
    alignment  which parameter each argument is for, of one function or of several
    terminators the NUL that C has behind the bytes of Python
    conversions what a flat function is given in the place of what C takes
    callbacks  functions that C calls, and what they raise
    own_names  names of Python's own that the program has for itself
    numbers    what a type of C holds, and what is certainly a number
    releases   questions which functions the library has
    prototypes argtypes and restype
    tables     tables of prototypes, and the loops over them
    members    the functions of cffi and ctypes themselves
    copies     copies into buffers
    sources    where names, parameters and attributes have their values from
    uses       which places have room for what stands in the place of a C value
    truth      where only the truth of a value is asked
    told       the numbers that the library passes to callbacks
    user_data  what a program keeps with tasks and contexts
    user_data_values the variables of ctypes that have it
    addresses  handles of ctypes that a program needs as numbers
    views      and of pointers, views and user data
    reading    and the functions that read a buffer as bytes
    filled     cells that certainly hold a handle where they are read
    flatten    the edits of a project, and the places that are not understood
    files      the files that share a library: their new text, or why they stay
"""
