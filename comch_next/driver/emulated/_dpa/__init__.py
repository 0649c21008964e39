"""The emulated DPA: its threads are threads of this process, which run functions as kernels.

instance    one DPA, and its fatal error
threads     its threads, and what activates their kernels
completions where kernels find what has completed
contexts    consumers and producers whose data path is there
device      the calls that kernels make
handles     the numbers that kernels know all of these by
"""
