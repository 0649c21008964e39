"""Rules for generation 2 (doca_cc), in the shapes of DOCA 2.5 and 2.6."""
