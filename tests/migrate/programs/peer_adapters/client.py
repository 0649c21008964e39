import logging
import sys
import time

import doca_comm_channel as cc
import errtab

logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="cli[7] %(levelname)s %(message)s")
log = logging.getLogger("cli")


def poll(call, *args, again=(cc.Again, cc.ConnectionInprogress)):
    while True:
        try:
            return call(*args)
        except again:
            time.sleep(1e-4)


def main():
    status = 0
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    log.debug("connecting")
    try:
        peer = ep.connect("logs")
    except cc.DocaError as error:
        log.log(errtab.level(error.code), "%s: %s", errtab.short(error.code), errtab.text(error.code))
        return 1
    poll(ep.sendto, b"\7", peer)
    poll(ep.recvfrom, 1024)
    log.info("connected")
    for msg in b"short", b"x" * 100:
        poll(ep.sendto, msg, peer)
        answer, _ = poll(ep.recvfrom, 1024)
        code, text = answer[0], answer[1:]
        if code != cc.DOCA_SUCCESS:
            log.log(errtab.level(code), "service says %d, that is %s (%s)", code, errtab.short(code), errtab.text(code))
        else:
            log.log(errtab.level(code), "answer %r", text)
    log.info("codes: %s", " ".join("%d=%s" % (code, errtab.short(code)) for code in sorted(errtab.TEXTS)))
    poll(ep.sendto, b"bye", peer)
    while True:
        peer.update_info()
        if peer.get_send_in_flight_messages() == 0:
            break
    ep.disconnect(peer)
    ep.destroy()
    dev.close()
    log.info("bye")
    return status


sys.exit(main())
