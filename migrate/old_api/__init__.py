"""The old APIs: their names, calls and spellings. Nothing here knows a rule."""
