"""Which functions take a buffer for the bytes that are in it: to these, memory is what a buffer of cffi is.

An item of that is bytes, an item of memory a number.
"""

from __future__ import annotations

import sys

from migrate.python.values import Bound, Collection, External, Plain, Value

_BUILTINS = frozenset({"len", "bool", "bytes", "bytearray", "memoryview", "id", "int.from_bytes"})
_PACKING = "base64 binascii bz2 codecs gzip hashlib hmac json lzma marshal pickle re struct zlib"
_MOVING = "asyncio io mmap multiprocessing os queue select socket ssl sys threading"
_MODULES = frozenset(f"{_PACKING} {_MOVING}".split())
_HOLDING = "append appendleft insert put put_nowait set_result setdefault submit call_soon call_soon_threadsafe"
_SEARCHING = "count endswith find findall finditer fullmatch index match partition remove replace rfind rindex"
_CUTTING = "removeprefix removesuffix rpartition rsplit search split startswith strip lstrip rstrip sub translate"
_CODING = "compress decode decompress feed feed_data from_bytes frombytes loads unpack unpack_from iter_unpack"
_WRITING = "pack_into readinto readinto1 recv_into recvfrom_into recv_bytes_into send send_bytes sendall sendto write"
_METHODS = frozenset(" ".join((_HOLDING, _SEARCHING, _CUTTING, _CODING, _WRITING)).split())
_OF_MEMORY = frozenset({"extend", "update"})  # of a bytearray and of a hash; those of collections take items
_TAKING_ITEMS = frozenset({"join", "extend", "extendleft", "update", "writelines"})


def reads_bytes(function: Value, called: str) -> bool:
    """Whether a function reads a buffer as bytes. called: the attribute that is called, "" for none."""
    if isinstance(function, Bound) and isinstance(function.function, External):
        name = _last(function.function)
        is_collection = any(isinstance(value, Collection) for value in function.arguments)
        return name in _METHODS or (name in _OF_MEMORY and not is_collection)
    if isinstance(function, External):
        module, _, rest = function.name.partition(".")
        if module == "builtins":
            return rest in _BUILTINS
        return module in _MODULES if module in sys.stdlib_module_names else _last(function) not in _TAKING_ITEMS
    return isinstance(function, Plain) and called not in _TAKING_ITEMS - _OF_MEMORY


def _last(function: External) -> str:
    return function.name.rpartition(".")[2]
