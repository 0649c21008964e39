"""The release of the whole project (docs/versioning.md)."""

__version__ = "0.1.0.dev0"
