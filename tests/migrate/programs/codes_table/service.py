"""Codes are logged by name; a table says what to do about each."""
import time

import doca_comm_channel as cc

NAMES = {value: name for name, value in vars(cc).items() if name.startswith("DOCA_ERROR_")}
TAKE, RETRY, STOP = range(3)
POLICY = {
    cc.DOCA_SUCCESS: TAKE,
    cc.DOCA_ERROR_AGAIN: RETRY,
    cc.DOCA_ERROR_NOT_CONNECTED: STOP,
}


def policy(rc):
    return POLICY.get(rc, STOP)


def log(call, rc):
    print("%-10s %s" % (call, "ok" if rc == cc.DOCA_SUCCESS else NAMES[rc]))
    return rc


def find():
    rc, infos, n = cc.doca_devinfo_create_list()
    for info in infos:
        rc, equal = cc.doca_devinfo_is_equal_pci_addr(info, "03:00.0")
        if rc == cc.DOCA_SUCCESS and equal:
            rc, dev = cc.doca_dev_open(info)
            break
    cc.doca_devinfo_destroy_list(infos)
    rc, reps, n = cc.doca_devinfo_rep_create_list(dev, cc.DOCA_DEV_REP_FILTER_NET)
    for rep in reps:
        rc, equal = cc.doca_devinfo_rep_is_equal_pci_addr(rep, "b1:00.0")
        if rc == cc.DOCA_SUCCESS and equal:
            rc, opened = cc.doca_dev_rep_open(rep)
            break
    cc.doca_devinfo_rep_destroy_list(reps)
    return dev, opened


dev, rep = find()
rc, ep = cc.doca_comm_channel_ep_create()
log("create", rc)
log("listen", cc.doca_comm_channel_ep_listen(ep, "codes"))
log("device", cc.doca_comm_channel_ep_set_device(ep, dev))
log("rep", cc.doca_comm_channel_ep_set_device_rep(ep, rep))
log("size", cc.doca_comm_channel_ep_set_max_msg_size(ep, 0))
log("size", cc.doca_comm_channel_ep_set_max_msg_size(ep, 256))
log("listen", cc.doca_comm_channel_ep_listen(ep, "codes"))
log("listen", cc.doca_comm_channel_ep_listen(ep, "codes"))
log("size", cc.doca_comm_channel_ep_set_max_msg_size(ep, 512))
print("listening", flush=True)
count = 0
while True:
    rc, text, length, peer = cc.doca_comm_channel_ep_recvfrom(ep, 256, cc.DOCA_CC_MSG_FLAG_NONE)
    todo = policy(rc)
    if todo == RETRY:
        time.sleep(0.001)
    elif todo == TAKE:
        count += 1
        log("received", rc)
        log("sendto", cc.doca_comm_channel_ep_sendto(ep, text, length, cc.DOCA_CC_MSG_FLAG_NONE, peer))
        if text == b"last":
            break
    else:
        log("giving up", rc)
        break
log("disconnect", cc.doca_comm_channel_ep_disconnect(ep, peer))
log("again", cc.doca_comm_channel_ep_disconnect(ep, peer))
log("destroy", cc.doca_comm_channel_ep_destroy(ep))
log("close rep", cc.doca_dev_rep_close(rep))
log("close", cc.doca_dev_close(dev))
print("messages", count, "full:", NAMES.get(cc.DOCA_ERROR_FULL, "?"), cc.DOCA_SUCCESS in NAMES)
