"""The table of plugins: a word, and who answers it."""
import importlib

TABLE = {}


def answers(word, **options):
    """Enter a function, or a class of which an object is called, into the table."""
    def enter(plugin):
        TABLE[word] = plugin() if isinstance(plugin, type) else plugin
        return plugin
    return enter


def load(names):
    for name in names:
        importlib.import_module("." + name, __name__)
    return sorted(TABLE)
