"""Read the shapes: small programs of generation 1 in text files, one file per kind.

`=== title | marks` begins a program, its lines are main.py; `--- path` begins another file of it. A line
`%objects cc.` stands for the usual set-up under that prefix, at the line's indentation, `%600[text]` for 600 times
the text. The marks:
    whole      nothing of it is left to the reader
    exits=3    how it ends, when that is not 0
    3.11       the oldest Python that reads it
    given=a.py;b.py,c.py    files are migrated in turns, these first, those then; without it all at once
    coded=latin-1    how the text becomes bytes; `crlf` is UTF-8 with that end of lines
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SHAPES", "Shape", "shapes_of"]

DEVICES = """
dpu = {p}open_device("03:00.0")
host = {p}open_device("b1:00.0")
rep = dpu.open_representor("b1:00.0")
"""
OBJECTS = """
service = {p}Endpoint()
service.set_device(dpu)
service.set_device_rep(rep)
service.listen("svc")
client = {p}Endpoint()
client.set_device(host)
peer = client.connect("svc")
while True:
    try:
        service.recvfrom(4080)
    except {p}Again:
        pass
    try:
        peer.update_info()
        break
    except {p}ConnectionInprogress:
        pass
"""
FLAT_DEVICES = """
rc, infos, count = {p}doca_devinfo_create_list()
for info in infos:
    if {p}doca_devinfo_is_equal_pci_addr(info, "03:00.0")[1]:
        rc, dpu = {p}doca_dev_open(info)
    elif {p}doca_devinfo_is_equal_pci_addr(info, "b1:00.0")[1]:
        rc, host = {p}doca_dev_open(info)
rc, reps, count = {p}doca_devinfo_rep_create_list(dpu, {p}DOCA_DEV_REP_FILTER_ALL)
rc, rep = {p}doca_dev_rep_open(reps[0])
"""
FLAT = """
rc, service = {p}doca_comm_channel_ep_create()
rc = {p}doca_comm_channel_ep_set_device(service, dpu)
rc = {p}doca_comm_channel_ep_set_device_rep(service, rep)
rc = {p}doca_comm_channel_ep_listen(service, "svc")
rc, client = {p}doca_comm_channel_ep_create()
rc = {p}doca_comm_channel_ep_set_device(client, host)
rc, peer = {p}doca_comm_channel_ep_connect(client, "svc")
while {p}doca_comm_channel_peer_addr_update_info(peer) == {p}DOCA_ERROR_CONNECTION_INPROGRESS:
    rc, data, size, sender = {p}doca_comm_channel_ep_recvfrom(service, 4080, 0)
"""
SET_UPS = {
    "devices": DEVICES,
    "objects": DEVICES + OBJECTS,
    "flatdevices": FLAT_DEVICES,
    "flat": FLAT_DEVICES + FLAT,
}
SET_UP = re.compile(r"(?m)^( *)%(\w+) ?(\S*)$")
REPEAT = re.compile(r"%(\d+)\[(.*?)\]")


@dataclass(frozen=True)
class Shape:
    """One program: its files by path, main.py first; what is demanded of its migration."""

    kind: str
    title: str
    files: dict[str, bytes]
    whole: bool
    status: int
    python: tuple[int, ...]
    turns: list[list[str]]

    @property
    def id(self) -> str:
        return f"{self.kind}-{self.title}".replace(" ", "_")


def _set_up(match: re.Match[str]) -> str:
    indent, name, prefix = match.groups()
    lines = SET_UPS[name].format(p=prefix).split("\n")
    return "\n".join(indent + line for line in lines if line)


def _source(text: str) -> str:
    return REPEAT.sub(lambda match: match[2] * int(match[1]), SET_UP.sub(_set_up, text))


def _encode(text: str, coded: str) -> bytes:
    return text.replace("\n", "\r\n").encode() if coded == "crlf" else text.encode(coded)


def _shape(kind: str, text: str) -> Shape:
    head, _, body = text.partition("\n")
    title, _, marks = (part.strip() for part in head.partition("|"))
    pieces = re.split(r"(?m)^--- (\S+)\n", body)
    files = dict(zip(["main.py", *pieces[1::2]], pieces[::2], strict=True))
    exits = re.search(r"exits=(\d+)", marks)
    python = re.search(r"\b3\.(\d+)\b", marks)
    given = re.search(r"given=(\S+)", marks)
    coded = re.search(r"coded=(\S+)", marks)
    return Shape(
        kind,
        title,
        {path: _encode(_source(text), coded[1] if coded else "utf-8") for path, text in files.items()},
        whole="whole" in marks.split(),
        status=int(exits[1]) if exits else 0,
        python=(3, int(python[1])) if python else (3, 10),
        turns=[turn.split(",") for turn in given[1].split(";")] if given else [list(files)],
    )


def shapes_of(path: Path) -> list[Shape]:
    """The programs of one text file."""
    return [_shape(path.stem, text) for text in re.split(r"(?m)^=== ", path.read_text())[1:]]


SHAPES = [shape for path in sorted(Path(__file__).parent.glob("*.txt")) for shape in shapes_of(path)]
