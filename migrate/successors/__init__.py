"""Programs that call doca_cc through cffi or ctypes, as the same programs on doca_comch: `--keep-spelling`.

Nothing is made flat: every name of the old library is replaced by that of the new one, wherever it stands, and calls,
declarations and tables of types change where a function takes other arguments. A program changes as a whole or stays.

    names         the names of both libraries, and what became of the parameters
    words         whole names in the text, and those of libraries, headers and pkg-config modules
    composed      names that a program puts together from parts
    declarations  what C declares in texts
    types         the types that are declared to ctypes
    cells         numbers that C fills in, where they were wider
    references    where a function goes whose arguments have changed
    arguments     its arguments
    program       the changes of files that imports connect, or why they stay
"""
