"""What doca_caps does not print: the channel's numbers of every device, with the words of DOCA 2.5."""
import cffi

ffi = cffi.FFI()
ffi.cdef("""
    typedef int doca_error_t; typedef struct doca_devinfo doca_devinfo;
    doca_error_t doca_devinfo_create_list(doca_devinfo ***list, uint32_t *n);
    doca_error_t doca_devinfo_destroy_list(doca_devinfo **list);
    doca_error_t doca_devinfo_get_pci_addr_str(doca_devinfo *info, char *pci);
    const char *doca_error_get_name(doca_error_t);
    doca_error_t doca_cc_cap_server_is_supported(doca_devinfo *);
    doca_error_t doca_cc_cap_client_is_supported(doca_devinfo *);
    doca_error_t doca_cc_cap_is_producer_supported(doca_devinfo *);
    doca_error_t doca_cc_cap_is_consumer_supported(doca_devinfo *);
    doca_error_t doca_cc_cap_get_max_name_len(doca_devinfo *, uint32_t *);
    doca_error_t doca_cc_cap_get_max_msg_size(doca_devinfo *, size_t *);
    doca_error_t doca_cc_cap_get_max_recv_queue_size(doca_devinfo *, size_t *);
    doca_error_t doca_cc_cap_get_max_send_tasks(doca_devinfo *, size_t *);
    doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(doca_devinfo *, size_t *);
    doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(doca_devinfo *, size_t *);
    doca_error_t doca_cc_producer_cap_get_max_num_tasks(doca_devinfo *, uint32_t *);
""")
common, cc = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")
NUMBERS = {"max_name_len": "uint32_t", "max_msg_size": "size_t", "max_recv_queue_size": "size_t",
           "max_send_tasks": "size_t"}


def name(rc):
    return ffi.string(common.doca_error_get_name(rc)).decode()


def number(function, ctype, info):
    cell = ffi.new(ctype + " *", -1 if ctype == "int" else 0)
    rc = function(info, cell)
    return cell[0] if rc == 0 else name(rc)


infos, n = ffi.new("doca_devinfo ***"), ffi.new("uint32_t *")
assert common.doca_devinfo_create_list(infos, n) == 0
seen = {}
for info in infos[0][0:n[0]]:
    pci = ffi.new("char[13]")
    assert common.doca_devinfo_get_pci_addr_str(info, pci) == 0
    seen[ffi.string(pci).decode()] = info
for pci in ("0000:03:00.0", "0000:b1:00.0"):
    info = seen[pci]
    print(pci)
    for what in ("server_is_supported", "client_is_supported", "is_producer_supported", "is_consumer_supported"):
        print(" ", what, name(getattr(cc, "doca_cc_cap_" + what)(info)))
    for what, ctype in NUMBERS.items():
        print(" ", what, number(getattr(cc, "doca_cc_cap_get_" + what), ctype, info))
for noun in ("producer", "consumer"):
    log = number(getattr(cc, f"doca_cc_{noun}_cap_get_max_log_num_tasks"), "size_t", seen["0000:03:00.0"])
    print(noun, "log", log, "tasks", 1 << log)
try:
    cc.doca_cc_producer_cap_get_max_num_tasks
except AttributeError:
    print("no absolute numbers yet")
common.doca_devinfo_destroy_list(infos[0])
