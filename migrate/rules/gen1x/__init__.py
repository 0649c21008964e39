"""Rules for generation 1 before DOCA 1.5."""
