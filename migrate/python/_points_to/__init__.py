"""The points-to analysis behind `values`, one storey upon the other.

domain       the values, and the Knowledge of libraries
slots        sets of values that flow into each other: the solver
heap         where values are kept: variables, expressions, fields, contents of collections
classes      order of bases, attributes of instances and classes
elements     iterating, entering, awaiting
items        indexing, slicing, unpacking
functions    frames, arguments and parameters
calls        what a called value leads to, and what leaves the project
texts        texts of values, and exceptions on their way
attributes   reading, storing and the standard library's objects
expressions  statements  patterns    what each node of the syntax tree means
engine       the run: all files, then what nothing calls

bodies       the code of a function; generic: which functions are analysed per call; fixtures: pytest's
library      the table of the standard library; library_*: its entries
"""
