"""The faces: which functions each has, what implements them, and where its files lie."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from comch_next import api

__all__ = ["FACES", "UNSEEN", "Face"]

UNSEEN = "doca_dev.h"  # declares what only samples show: they ask about devices


@dataclass(frozen=True)
class Face:
    """One shared library. `package` holds its lib, include and pkgconfig; `module` implements its functions.

    `generations` are those of the functions, `headers` the ones that declare them; `sources` are written in C, need no
    Python, and what they define is not generated. `hot` are those that call Python's objects themselves. `needs` are
    faces that it is linked with, `calls` what its Python calls in C. A face of one release, `doca`, has the types of
    that time and a folder of its own; without a module it calls those that it needs. Names of functions that kernels
    call begin with `kernels`. Where a call `waits` for the peer, a thread can be cancelled meanwhile.
    """

    name: str
    package: str
    module: str
    generations: tuple[api.Generation, ...]
    headers: tuple[str, ...]
    sources: tuple[str, ...] = ()
    hot: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    doca: str = ""
    kernels: str = ""
    waits: bool = False

    @property
    def key(self) -> str:
        """What it is called among the faces: one name may have several releases."""
        return f"{self.name}-{self.doca}" if self.doca else self.name

    @property
    def extension(self) -> str:
        """The module between the library and Python, which is imported when a function is first called."""
        return f"{self.package}._face_{re.sub(r'[^0-9a-z]', '_', self.key)}"

    @property
    def soname(self) -> str:
        return f"libdoca_{self.name}.so.2"

    @property
    def folder(self) -> Path:
        return Path(*self.package.split("."), self.key if self.doca else "")

    def callbacks(self, generation: api.Generation) -> list[api.Callback]:
        """List a generation's callbacks, with the types of its release."""
        return [api.in_release(row, self.doca) for row in api.callbacks(generation)]

    def functions(self) -> list[api.Function]:
        """List the functions in the order of the tables, each name once."""
        rows = (row for generation in self.generations for row in api.functions(generation))
        if self.doca:
            rows = (api.in_release(row, self.doca) for row in rows if row.available_in(self.doca))
        own = (row for row in rows if (row.header or UNSEEN) in self.headers and _is_given(row))
        return list({row.name: row for row in own}.values())


def _is_given(row: api.Function) -> bool:
    """Whether the tables say all that it takes to call it: of structs in an array they lack the fields."""
    return not any(param.ctype.endswith("[]") for param in row.params)


_CORE = (
    *("doca_dev.h", "doca_error.h", "doca_types.h", "doca_pe.h", "doca_ctx.h"),
    *("doca_mmap.h", "doca_buf.h", "doca_buf_inventory.h", "doca_log.h", "doca_version.h"),
)
_BY_HAND = ("python.c", "interpreter.c", "log.c", "version.c")
_CC = ("doca_cc.h", "doca_cc_consumer.h", "doca_cc_producer.h")
_COMCH = ("doca_comch.h", "doca_comch_consumer.h", "doca_comch_producer.h", "doca_comch_msgq.h")

_DPA = ("doca_dpa.h", "doca_dpa_dev.h", "doca_dpa_dev_buf.h", "doca_dpa_dev_comch_msgq.h")
_KERNELS = (
    "void comch_face_run_kernel(uintptr_t function, uint64_t arg);",
    "void comch_face_end_kernel(void);",
    "void comch_face_name_kernel(uintptr_t function, char *name, size_t size);",
)

_LOG = "int doca_log_level_set_global_{}_limit(uint32_t level);"
_ARGP_CALLS = ("void exit(int);", "const char *doca_version(void);", _LOG.format("lower"), _LOG.format("sdk"))

FACES = {
    face.key: face
    for face in (
        Face(
            "common",
            "comch_next.capi",
            "comch_next.capi._common",
            ("core",),
            _CORE,
            _BY_HAND,
            ("tasks.c",),
            calls=("void comch_face_hot(uintptr_t table);",),
        ),
        Face(
            "comch",
            "comch_next.capi",
            "comch_next.capi._comch",
            ("comch",),
            _COMCH,
            hot=("sends.c", "callbacks.c"),
            needs=("common",),
            calls=(
                "void comch_face_hot(uintptr_t table, uintptr_t sends);",
                "void comch_face_callbacks(uintptr_t makers, uintptr_t unasked);",
            ),
        ),
        Face(
            "argp",
            "comch_next.capi",
            "comch_next.capi._argp",
            ("core",),
            ("doca_argp.h",),
            needs=("common",),
            calls=_ARGP_CALLS,
        ),
        Face(
            "dpa",
            "comch_next.capi",
            "comch_next.capi._dpa",
            ("dpa",),
            _DPA,
            hot=("kernels.c",),
            needs=("comch", "common"),
            calls=_KERNELS,
            kernels="doca_dpa_dev_",
        ),
        Face(
            "comm_channel",
            "comm_channel_compat.capi",
            "comm_channel_compat.capi._comm_channel",
            ("comm_channel",),
            ("doca_comm_channel.h",),
            hot=("hot.c",),
            needs=("common",),
            calls=("void comch_face_hot(uintptr_t table, uintptr_t peer);",),
        ),
        Face(
            "comm_channel",
            "comm_channel_compat.capi",
            "comm_channel_compat.capi._blocking",
            ("comm_channel_1x",),
            ("doca_comm_channel.h",),
            hot=("hot.c",),
            needs=("common",),
            calls=("void comch_face_hot(uintptr_t table, uintptr_t peer);",),
            doca="1.4",
            waits=True,
        ),
        *(
            Face("cc", "comm_channel_compat.capi", "", ("cc",), _CC, needs=("comch", "common"), doca=doca)
            for doca in ("2.5", "2.6")
        ),
    )
}
