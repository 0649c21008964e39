"""Python itself: source, scopes, control flow, modules, values. Nothing here knows DOCA."""
