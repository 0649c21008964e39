"""Child programs that meet a limit of the system in one public call, and print the code that it answers with."""

PREAMBLE = """
import resource
import comch_next as comch
from comch_next.driver import load

load()  # everything that is imported late

def no_more_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 4096))

def no_more_memory():
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))

def code_of(call):
    try:
        call()
    except comch.DocaError as error:
        return error.code.name
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 4096))
    return "SUCCESS"
"""

# A started map of the library's memory.
MMAP = """
host = comch.open_device("b1:00.0"); mmap = comch.Mmap(host, 4096, comch.AccessFlag.PCI_READ_WRITE); mmap.start()
"""

PROGRAMS: dict[str, str] = {
    "doca_pe_create": "no_more_descriptors(); print(code_of(comch.ProgressEngine))",
    "doca_comch_server_create INITIALIZATION": """
dpu = comch.open_device("03:00.0"); engine = comch.ProgressEngine(); rep = dpu.open_representor("b1:00.0")
no_more_descriptors(); print(code_of(lambda: comch.Server(dpu, rep, "svc", engine=engine)))
""",
    "doca_comch_client_create INITIALIZATION": """
host = comch.open_device("b1:00.0"); engine = comch.ProgressEngine()
no_more_descriptors(); print(code_of(lambda: comch.Client(host, "svc", engine=engine)))
""",
    # A name so long that the library cannot even measure it in the memory that is left.
    "doca_comch_server_create": """
dpu = comch.open_device("03:00.0"); engine = comch.ProgressEngine(); rep = dpu.open_representor("b1:00.0")
name = "\\u00e9" * 200_000_000
no_more_memory(); print(code_of(lambda: comch.Server(dpu, rep, name, engine=engine)))
""",
    "doca_comch_client_create": """
host = comch.open_device("b1:00.0"); engine = comch.ProgressEngine()
name = "\\u00e9" * 200_000_000
no_more_memory(); print(code_of(lambda: comch.Client(host, name, engine=engine)))
""",
    # A topology file larger than the memory that is left.
    "doca_devinfo_create_list": """
import os, tempfile
with tempfile.NamedTemporaryFile() as file:
    file.truncate(400_000_000)
    os.environ["COMCH_TOPOLOGY"] = file.name
    no_more_memory(); print(code_of(comch.devices))
""",
    "doca_mmap_export_pci": MMAP + "no_more_descriptors(); print(code_of(lambda: mmap.export_pci(host)))",
    "doca_mmap_create_from_export": MMAP + """
there = mmap.export_pci(host)
no_more_descriptors(); print(code_of(lambda: comch.Mmap.create_from_export(there, host)))
""",
    # A process that lets nobody look into it, and another user, for whom the superuser's child has to pass itself off.
    "doca_mmap_create_from_export NOT_PERMITTED": MMAP + """
import ctypes, os
there = mmap.export_pci(host)
PR_SET_DUMPABLE = 4
assert ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
child = os.fork()
if not child:
    if not os.getuid():
        os.setuid(65534)
    own = comch.open_device("b1:00.0")
    print(code_of(lambda: comch.Mmap.create_from_export(there, own)), flush=True)
    os._exit(0)
os.waitpid(child, 0)
""",
    "doca_comch_producer_create": """
from tests.control_path.pair import pair
there, here = pair(); connection = here.connection
no_more_descriptors(); print(code_of(lambda: comch.Producer(connection)))
""",
    # More representors than that memory can list.
    "doca_devinfo_rep_create_list": """
import os, tempfile
with tempfile.NamedTemporaryFile("w") as file:
    rows = ",".join(f"{{pci_addr='{number >> 8:x}:{number & 255:x}:00.0'}}" for number in range(60_000))
    file.write("[[device]]\\npci_addr = '03:00.0'\\nside = 'dpu'\\nrepresentor = [" + rows + "]\\n"); file.flush()
    os.environ["COMCH_TOPOLOGY"] = file.name
    devices = load().devices
    handle = devices.open(devices.create_list()[0])
from tests.short_of_memory import short_of_memory
listing = lambda: comch.outcome(devices.rep_create_list, handle, comch.RepFilter.ALL)[0].name
print(short_of_memory(listing, spare=2000))
""",
}
