"""What programs of the control path do for every message, in C: see calls.c."""
