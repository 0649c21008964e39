"""Facts about a program, computed once and never changed: references, where handles go, lifetimes, result codes."""
