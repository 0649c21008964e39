"""Facts about a program, made once, never changed: references, where handles go, lifetimes, result codes."""
