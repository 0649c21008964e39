"""What a field engineer tries first when nothing works: every wrong start, and the code it ends with."""
import sys

from doca_comm_channel import *

TABLE = []


def attempt(function):
    """Register a start; each returns its code."""
    TABLE.append((function.__name__.replace("_", " "), function))
    return function


def endpoint(dev=None, rep=None):
    rc, ep = doca_comm_channel_ep_create()
    if rc == DOCA_SUCCESS and dev is not None:
        rc = doca_comm_channel_ep_set_device(ep, dev)
    if rc == DOCA_SUCCESS and rep is not None:
        rc = doca_comm_channel_ep_set_device_rep(ep, rep)
    assert rc == DOCA_SUCCESS, doca_error_get_name(rc)
    return ep


def code(result):
    return result[0] if isinstance(result, tuple) else result


@attempt
def nobody_listens(dpu, rep, host):
    ep = endpoint(host)
    rc, peer = doca_comm_channel_ep_connect(ep, "nobody")
    assert peer is None
    again = code(doca_comm_channel_ep_connect(ep, "nobody"))
    assert again == rc, again
    doca_comm_channel_ep_destroy(ep)
    return rc


@attempt
def wrong_service(dpu, rep, host):
    server, client = endpoint(dpu, rep), endpoint(host)
    assert doca_comm_channel_ep_listen(server, "right") == DOCA_SUCCESS
    rc = code(doca_comm_channel_ep_connect(client, "wrong"))
    right = code(doca_comm_channel_ep_connect(client, "right"))
    print("  then the right one:", doca_error_get_name(right))
    doca_comm_channel_ep_destroy(client)
    doca_comm_channel_ep_destroy(server)
    return rc


@attempt
def no_device(dpu, rep, host):
    ep = endpoint()
    rc = code(doca_comm_channel_ep_connect(ep, "right"))
    doca_comm_channel_ep_destroy(ep)
    return rc


@attempt
def no_representor(dpu, rep, host):
    ep = endpoint(dpu)
    rc = doca_comm_channel_ep_listen(ep, "right")
    doca_comm_channel_ep_set_device_rep(ep, rep)
    print("  with one:", doca_error_get_name(doca_comm_channel_ep_listen(ep, "right")))
    doca_comm_channel_ep_destroy(ep)
    return rc


@attempt
def name_too_long(dpu, rep, host):
    ep = endpoint(dpu, rep)
    rc, longest = doca_comm_channel_get_max_service_name_len()
    assert rc == DOCA_SUCCESS
    rc = doca_comm_channel_ep_listen(ep, "n" * longest)
    fits = doca_comm_channel_ep_listen(ep, "n" * (longest - 1))
    print("  one less:", doca_error_get_name(fits))
    doca_comm_channel_ep_destroy(ep)
    return rc


@attempt
def sizes_beyond_the_device(dpu, rep, host):
    ep = endpoint(dpu, rep)
    rc, most = doca_comm_channel_get_max_message_size(doca_dev_as_devinfo(dpu))
    largest = doca_comm_channel_ep_set_max_msg_size(ep, most)
    rc = doca_comm_channel_ep_set_max_msg_size(ep, most + 1)
    print("  largest:", doca_error_get_name(largest), doca_comm_channel_ep_get_max_msg_size(ep))
    doca_comm_channel_ep_destroy(ep)
    return rc


@attempt
def no_such_device(dpu, rep, host):
    rc, infos, n = doca_devinfo_create_list()
    found = [info for info in infos if doca_devinfo_is_equal_pci_addr(info, "7f:00.0")[1]]
    doca_devinfo_destroy_list(infos)
    return doca_dev_open(found[0])[0] if found else DOCA_ERROR_NOT_FOUND


def main():
    dpu = open_device("03:00.0")
    rep = dpu.open_representor("b1:00.0")
    host = open_device("b1:00.0")
    for label, function in TABLE:
        print("%-24s %s" % (label, doca_error_get_name(function(dpu, rep, host))))
    codes = [doca_dev_rep_close(rep), doca_dev_close(dpu), doca_dev_close(host)]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
