"""The rules: one subject, one file, its examples beside it. The folders are the registry."""
