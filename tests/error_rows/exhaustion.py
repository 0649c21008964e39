"""Child programs that meet a resource limit in one public call, and print the code that it answers with."""

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
    # More representors than that memory can list.
    "doca_devinfo_rep_create_list": """
import os, tempfile
with tempfile.NamedTemporaryFile("w") as file:
    rows = ",".join(f"{{pci_addr='{number >> 8:x}:{number & 255:x}:00.0'}}" for number in range(60_000))
    file.write("[[device]]\\npci_addr = '03:00.0'\\nside = 'dpu'\\nrepresentor = [" + rows + "]\\n"); file.flush()
    os.environ["COMCH_TOPOLOGY"] = file.name
    devices = load().devices
    handle = devices.open(devices.create_list()[0])
no_more_memory(); print(code_of(lambda: devices.rep_create_list(handle, comch.RepFilter.ALL)))
""",
}
