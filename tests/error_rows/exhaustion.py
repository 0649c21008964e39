"""Child programs that meet a limit of the system in one public call, and print the error that it answers with."""

from __future__ import annotations

from typing import NamedTuple

PREAMBLE = """
import resource
import comch_next as comch

comch.ProgressEngine().destroy()  # everything that is imported late

def no_more_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 4096))

def no_more_memory():
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))

def error_of(call):
    try:
        call()
    except comch.DocaError as error:
        return f"{type(error).__name__} {error.code.name} {error}"
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 4096))
    return "SUCCESS"
"""

# A started map of the library's memory.
MMAP = """
host = comch.open_device("b1:00.0"); mmap = comch.Mmap(host, 4096, comch.AccessFlag.PCI_READ_WRITE); mmap.start()
"""

FEW, SHORT = "Too many open files", "out of memory"


class Program(NamedTuple):
    """A program that prints the error; `condition` is found in its text: it is that of the row."""

    source: str
    condition: str


PROGRAMS: dict[tuple[str, str], Program] = {
    ("doca_pe_create", "NO_MEMORY"): Program("no_more_descriptors(); print(error_of(comch.ProgressEngine))", FEW),
    ("doca_comch_server_create", "INITIALIZATION"): Program(
        """
dpu = comch.open_device("03:00.0"); engine = comch.ProgressEngine(); rep = dpu.open_representor("b1:00.0")
no_more_descriptors(); print(error_of(lambda: comch.Server(dpu, rep, "svc", engine=engine)))
""",
        FEW,
    ),
    ("doca_comch_client_create", "INITIALIZATION"): Program(
        """
host = comch.open_device("b1:00.0"); engine = comch.ProgressEngine()
no_more_descriptors(); print(error_of(lambda: comch.Client(host, "svc", engine=engine)))
""",
        FEW,
    ),
    # A name so long that the library cannot even measure it in the memory that is left.
    ("doca_comch_server_create", "NO_MEMORY"): Program(
        """
dpu = comch.open_device("03:00.0"); engine = comch.ProgressEngine(); rep = dpu.open_representor("b1:00.0")
name = "\\u00e9" * 200_000_000
no_more_memory(); print(error_of(lambda: comch.Server(dpu, rep, name, engine=engine)))
""",
        SHORT,
    ),
    ("doca_comch_client_create", "NO_MEMORY"): Program(
        """
host = comch.open_device("b1:00.0"); engine = comch.ProgressEngine()
name = "\\u00e9" * 200_000_000
no_more_memory(); print(error_of(lambda: comch.Client(host, name, engine=engine)))
""",
        SHORT,
    ),
    # A topology file larger than the memory that is left.
    ("doca_devinfo_create_list", "NO_MEMORY"): Program(
        """
import os, tempfile
with tempfile.NamedTemporaryFile() as file:
    os.environ["COMCH_TOPOLOGY"] = file.name
    error_of(comch.devices)  # an empty one: what reads it is imported
    file.truncate(400_000_000)
    no_more_memory(); print(error_of(comch.devices))
""",
        SHORT,
    ),
    ("doca_mmap_export_pci", "NO_MEMORY"): Program(
        MMAP + "no_more_descriptors(); print(error_of(lambda: mmap.export_pci(host)))", FEW
    ),
    ("doca_mmap_create_from_export", "NO_MEMORY"): Program(
        MMAP
        + """
there = mmap.export_pci(host)
no_more_descriptors(); print(error_of(lambda: comch.Mmap.create_from_export(there, host)))
""",
        FEW,
    ),
    # A process that lets nobody look into it, and another user, for whom the superuser's child has to pass itself off.
    ("doca_mmap_create_from_export", "NOT_PERMITTED"): Program(
        MMAP
        + """
import ctypes, os
there = mmap.export_pci(host)
PR_SET_DUMPABLE = 4
assert ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
child = os.fork()
if not child:
    if not os.getuid():
        os.setuid(65534)
    own = comch.open_device("b1:00.0")
    print(error_of(lambda: comch.Mmap.create_from_export(there, own)), flush=True)
    os._exit(0)
os.waitpid(child, 0)
""",
        "denies access",
    ),
    ("doca_comch_producer_create", "NO_MEMORY"): Program(
        """
from tests.control_path.pair import pair
there, here = pair(); connection = here.connection
no_more_descriptors(); print(error_of(lambda: comch.Producer(connection)))
""",
        FEW,
    ),
    # More representors than that memory can list.
    ("doca_devinfo_rep_create_list", "NO_MEMORY"): Program(
        """
import os, tempfile
with tempfile.NamedTemporaryFile("w") as file:
    rows = ",".join(f"{{pci_addr='{number >> 8:x}:{number & 255:x}:00.0'}}" for number in range(60_000))
    file.write("[[device]]\\npci_addr = '03:00.0'\\nside = 'dpu'\\nrepresentor = [" + rows + "]\\n"); file.flush()
    os.environ["COMCH_TOPOLOGY"] = file.name
    device = comch.devices()[0].open()
from tests.short_of_memory import short_of_memory
def attempt():
    try:
        return device.representors()
    except comch.DocaError as error:
        return error
error = short_of_memory(attempt, spare=2000)
print(type(error).__name__, error.code.name, error)
""",
        SHORT,
    ),
}
