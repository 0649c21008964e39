# case: kept: each failure has its own words
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        print("create")
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        print("size")
        return rc

main()

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        print("create")
        return rc
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        print("size")
        return rc

main()


# case: kept: one check alone
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc
    print(rc)

main()

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    print(rc)

main()


# case: kept: a check that goes on
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        print("failed")
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        print("failed")

main()

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        print("failed")
    rc = comch.outcome(comch.Channel.configure, ep, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        print("failed")

main()


# case: kept: an else clause
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc
    else:
        print("made")
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        return rc

main()

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    else:
        print("made")
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        return rc

main()


# case: kept: something between that may raise by itself
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc
    print("made")
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        return rc

main()

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    print("made")
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        return rc

main()


# case: kept: a finally clause reads the code
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    try:
        rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
        if rc != DOCA_SUCCESS:
            return 1
        rc = doca_comm_channel_ep_set_recv_queue_size(ep, 64)
        if rc != DOCA_SUCCESS:
            return 1
    finally:
        print(int(rc))

main()

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    try:
        rc = comch.outcome(comch.Channel.configure, ep, max_msg_size=4080)[0]
        if rc != comch.ErrorCode.SUCCESS:
            return 1
        rc = comch.outcome(comch.Channel.configure, ep, recv_queue_size=64)[0]
        if rc != comch.ErrorCode.SUCCESS:
            return 1
    finally:
        print(int(rc))

main()


# case: kept: a finally clause reads what the call was to give
from doca_comm_channel import *

def main():
    ep = peer = None
    try:
        rc, ep = doca_comm_channel_ep_create()
        if rc != DOCA_SUCCESS:
            return rc
        rc, peer = doca_comm_channel_ep_connect(ep, "a")
        if rc != DOCA_SUCCESS:
            return rc
    finally:
        if peer is not None:
            doca_comm_channel_ep_disconnect(ep, peer)

main()

# output
import comch_next as comch

def main():
    ep = peer = None
    try:
        rc, ep = comch.outcome(comch.Client, one_sided=True)
        if rc != comch.ErrorCode.SUCCESS:
            return rc
        rc, peer = comch.outcome(ep.connect, "a", timeout=0)
        if rc != comch.ErrorCode.SUCCESS:
            return rc
    finally:
        if peer is not None:
            comch.outcome(comch.Client.disconnect, ep, peer)

main()


# case: kept: a closure reads the code
from doca_comm_channel import *

def main():
    def show():
        print(rc == DOCA_SUCCESS)

    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        return rc
    show()

main()

# output
import comch_next as comch

def main():
    def show():
        print(rc == comch.ErrorCode.SUCCESS)

    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    show()

main()


# case: kept: a global, which a handler of the caller reads
import sys
from doca_comm_channel import *

ep = None

def main():
    global ep
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        sys.exit(1)
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        sys.exit(1)

try:
    main()
finally:
    doca_comm_channel_ep_destroy(ep)

# output
import sys
import comch_next as comch

ep = None

def main():
    global ep
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        sys.exit(1)
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        sys.exit(1)

try:
    main()
finally:
    comch.outcome(comch.Channel.close, ep)


# case: kept: a number that is read
from doca_comm_channel import *

def main():
    rc, devs, n = doca_devinfo_create_list()
    if rc != DOCA_SUCCESS:
        return rc
    rc, dev = doca_dev_open(devs[n - 1])
    if rc != DOCA_SUCCESS:
        return rc

main()

# output
import comch_next as comch

def main():
    rc, devs, n = comch.outcome_list(comch.devices)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    rc, dev = comch.outcome(devs[n - 1].open)
    if rc != comch.ErrorCode.SUCCESS:
        return rc

main()


# case: kept: the length of a message is not that of its bytes
from doca_comm_channel import *

def main(ep, peer, text, length):
    rc = doca_comm_channel_ep_sendto(ep, text, length, DOCA_CC_MSG_FLAG_NONE, peer)
    if rc != DOCA_SUCCESS:
        return rc
    return doca_comm_channel_ep_disconnect(ep, peer)

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
main(ep, peer, b"abc", 2)

# output
import comch_next as comch

def main(ep, peer, text, length):
    rc = comch.Client.try_send_to(ep, text, length=length, connection=peer)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    return comch.outcome(comch.Client.disconnect, ep, peer)[0]

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
main(ep, peer, b"abc", 2)


# case: kept: a code that is an argument
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, rc)
    if rc != DOCA_SUCCESS:
        return rc

main()

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    rc = comch.outcome(ep.configure, max_msg_size=rc)[0]
    if rc != comch.ErrorCode.SUCCESS:
        return rc

main()


# case: kept: the code may come from before
from doca_comm_channel import *

def main(again):
    rc = DOCA_ERROR_AGAIN
    if again:
        rc, ep = doca_comm_channel_ep_create()
        if rc != DOCA_SUCCESS:
            return 1
        rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
        if rc != DOCA_SUCCESS:
            return 1
    return rc

main(True)

# output
import comch_next as comch

def main(again):
    rc = comch.ErrorCode.AGAIN
    if again:
        rc, ep = comch.outcome(comch.Channel, one_sided=True)
        if rc != comch.ErrorCode.SUCCESS:
            return 1
        rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
        if rc != comch.ErrorCode.SUCCESS:
            return 1
    return rc

main(True)


# case: kept: another code
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc == DOCA_ERROR_NO_MEMORY:
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc == DOCA_ERROR_NO_MEMORY:
        return rc

main()

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc == comch.ErrorCode.NO_MEMORY:
        return rc
    rc = comch.outcome(comch.Channel.configure, ep, max_msg_size=4080)[0]
    if rc == comch.ErrorCode.NO_MEMORY:
        return rc

main()


# case: kept: the check asks what is being handled
import traceback
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        traceback.print_exc()
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        traceback.print_exc()
        return rc

main()

# output
import traceback
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        traceback.print_exc()
        return rc
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        traceback.print_exc()
        return rc

main()


# case: kept: the log gets what is being handled
import logging
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        logging.error("failed: %d", rc, exc_info=True)
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        logging.error("failed: %d", rc, exc_info=True)
        return rc

main()

# output
import logging
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        logging.error("failed: %d", rc, exc_info=True)
        return rc
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        logging.error("failed: %d", rc, exc_info=True)
        return rc

main()


# case: kept: options that may ask what is being handled
import logging
from doca_comm_channel import *

def main(options):
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        logging.error("failed: %d", rc, **options)
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        logging.error("failed: %d", rc, **options)
        return rc

main({"exc_info": True})

# output
import logging
import comch_next as comch

def main(options):
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        logging.error("failed: %d", rc, **options)
        return rc
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        logging.error("failed: %d", rc, **options)
        return rc

main({"exc_info": True})


# case: kept: the check calls the program, which may ask what is being handled
import sys
from doca_comm_channel import *

def fail(rc):
    print(rc, sys.exc_info())
    sys.exit(1)

rc, ep = doca_comm_channel_ep_create()
if rc != DOCA_SUCCESS:
    fail(rc)
rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
if rc != DOCA_SUCCESS:
    fail(rc)

# output
import sys
import comch_next as comch

def fail(rc):
    print(rc, sys.exc_info())
    sys.exit(1)

rc, ep = comch.outcome(comch.Channel, one_sided=True)
if rc != comch.ErrorCode.SUCCESS:
    fail(rc)
rc = comch.outcome(comch.Channel.configure, ep, max_msg_size=4080)[0]
if rc != comch.ErrorCode.SUCCESS:
    fail(rc)


# case: kept: the code is shown in a test that is not a check
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS and print(rc) is None:
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS and print(rc) is None:
        return rc

main()

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS and print(rc) is None:
        return rc
    rc = comch.outcome(comch.Channel.configure, ep, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS and print(rc) is None:
        return rc

main()


# case: kept: nobody here calls the function, so that its callers cannot be seen
from doca_comm_channel import *

def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        raise RuntimeError("failed")
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        raise RuntimeError("failed")

# output
import comch_next as comch

def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        raise RuntimeError("failed")
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        raise RuntimeError("failed")


# case: kept: in a loop that reads the code of the turn before
from doca_comm_channel import *

def main():
    rc = DOCA_SUCCESS
    for size in (64, 4080):
        if rc != DOCA_SUCCESS:
            print("failed before")
        rc, ep = doca_comm_channel_ep_create()
        if rc != DOCA_SUCCESS:
            continue
        rc = doca_comm_channel_ep_set_max_msg_size(ep, size)
        if rc != DOCA_SUCCESS:
            continue

main()

# output
import comch_next as comch

def main():
    rc = comch.ErrorCode.SUCCESS
    for size in (64, 4080):
        if rc != comch.ErrorCode.SUCCESS:
            print("failed before")
        rc, ep = comch.outcome(comch.Channel, one_sided=True)
        if rc != comch.ErrorCode.SUCCESS:
            continue
        rc = comch.outcome(ep.configure, max_msg_size=size)[0]
        if rc != comch.ErrorCode.SUCCESS:
            continue

main()


# case: kept: raised while another exception is handled
from doca_comm_channel import *

def main():
    try:
        raise KeyError
    except KeyError:
        rc, ep = doca_comm_channel_ep_create()
        if rc != DOCA_SUCCESS:
            raise RuntimeError("failed")
        rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
        if rc != DOCA_SUCCESS:
            raise RuntimeError("failed")

main()

# output
import comch_next as comch

def main():
    try:
        raise KeyError
    except KeyError:
        rc, ep = comch.outcome(comch.Channel, one_sided=True)
        if rc != comch.ErrorCode.SUCCESS:
            raise RuntimeError("failed")
        rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
        if rc != comch.ErrorCode.SUCCESS:
            raise RuntimeError("failed")

main()


# case: kept: raised in a finally clause, which may run for another exception
from doca_comm_channel import *

def main(path):
    try:
        open(path).close()
    finally:
        rc, ep = doca_comm_channel_ep_create()
        if rc != DOCA_SUCCESS:
            raise RuntimeError("failed")
        rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
        if rc != DOCA_SUCCESS:
            raise RuntimeError("failed")

main("settings")

# output
import comch_next as comch

def main(path):
    try:
        open(path).close()
    finally:
        rc, ep = comch.outcome(comch.Channel, one_sided=True)
        if rc != comch.ErrorCode.SUCCESS:
            raise RuntimeError("failed")
        rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
        if rc != comch.ErrorCode.SUCCESS:
            raise RuntimeError("failed")

main("settings")


# case: kept: raised in what a finally clause calls
from doca_comm_channel import *

def begin():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        raise RuntimeError("failed")
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        raise RuntimeError("failed")

def main(path):
    try:
        open(path).close()
    finally:
        begin()

main("settings")

# output
import comch_next as comch

def begin():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        raise RuntimeError("failed")
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        raise RuntimeError("failed")

def main(path):
    try:
        open(path).close()
    finally:
        begin()

main("settings")


# case: kept: a coroutine, whose callers are not calls
import asyncio
from doca_comm_channel import *

async def main():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        return rc

asyncio.run(main())

# output
import asyncio
import comch_next as comch

async def main():
    rc, ep = comch.outcome(comch.Channel, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    rc = comch.outcome(ep.configure, max_msg_size=4080)[0]
    if rc != comch.ErrorCode.SUCCESS:
        return rc

asyncio.run(main())


# case: a client
import sys
import time
from doca_comm_channel import *

def main():
    rc, devs, n = doca_devinfo_create_list()  # all of them
    if rc != DOCA_SUCCESS:
        return rc
    rc, dev = doca_dev_open(devs[0])
    if rc != DOCA_SUCCESS:
        return rc  # in use
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc
    rc = doca_comm_channel_ep_set_device(ep, dev)
    if rc != DOCA_SUCCESS:
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if rc != DOCA_SUCCESS:
        return rc
    rc, peer = doca_comm_channel_ep_connect(ep, "a")
    if rc != DOCA_SUCCESS:
        return rc
    while (rc := doca_comm_channel_peer_addr_update_info(peer)) == DOCA_ERROR_CONNECTION_INPROGRESS:
        time.sleep(1e-5)
    if rc != DOCA_SUCCESS:
        return rc
    while (rc := doca_comm_channel_ep_sendto(ep, b"hello", 5, DOCA_CC_MSG_FLAG_NONE, peer)) == DOCA_ERROR_AGAIN:
        time.sleep(1e-5)
    doca_comm_channel_ep_destroy(ep)
    return rc

sys.exit(main())

# output
import sys
import time
import comch_next as comch

def main():
    try:
        devs = comch.devices()  # all of them
        dev = devs[0].open()
        # in use
        ep = comch.Client(device=dev, max_msg_size=4080, one_sided=True)
        peer = ep.connect("a", timeout=None)
    except comch.DocaError as error:
        return error.code
    rc = comch.outcome(ep.send_to, b"hello", peer)[0]
    comch.outcome(ep.close)
    return rc

sys.exit(main())


# case: a script that says why it ends
import sys
import doca_comm_channel as cc

rc, ep = cc.doca_comm_channel_ep_create()
if cc.DOCA_IS_ERROR(rc):
    print("cannot start:", cc.doca_error_get_descr(rc))
    sys.exit(1)
rc = cc.doca_comm_channel_ep_set_send_queue_size(ep, 16)
if cc.DOCA_IS_ERROR(rc):
    print("cannot start:", cc.doca_error_get_descr(rc))
    sys.exit(1)
print(rc)

# output
import sys
import comch_next as comch

try:
    ep = comch.Channel(send_queue_size=16, one_sided=True)
except comch.DocaError as error:
    print("cannot start:", comch.describe(error.code))
    sys.exit(1)
print(comch.ErrorCode.SUCCESS)


# case: what was made before is destroyed
from doca_comm_channel import *

def dial(dev, size):
    rc, ep = doca_comm_channel_ep_create()
    if DOCA_SUCCESS != rc:
        return rc, None
    rc = doca_comm_channel_ep_set_device(ep, dev)
    if rc:
        doca_comm_channel_ep_destroy(ep)
        return rc, None
    rc = doca_comm_channel_ep_set_max_msg_size(ep, size)
    if rc:
        doca_comm_channel_ep_destroy(ep)
        return rc, None
    rc, peer = doca_comm_channel_ep_connect(ep, "a")
    if rc:
        doca_comm_channel_ep_destroy(ep)
        return rc, None
    return rc, (ep, peer)

rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
print(dial(dev, 64)[0])

# output
import comch_next as comch

def dial(dev, size):
    rc, ep = comch.outcome(comch.Client, one_sided=True)
    if comch.ErrorCode.SUCCESS != rc:
        return rc, None
    try:
        ep.device = dev
        ep.max_msg_size = size
        peer = ep.connect("a", timeout=0)
    except comch.DocaError as error:
        comch.outcome(ep.close)
        return error.code, None
    return comch.ErrorCode.SUCCESS, (ep, peer)

rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
print(dial(dev, 64)[0])


# case: in a loop that takes the next
from doca_comm_channel import *

def largest():
    rc, devs, n = doca_devinfo_create_list()
    best = 0
    for info in devs:
        rc, most = doca_comm_channel_get_max_message_size(info)
        if rc != DOCA_SUCCESS:
            continue
        rc, queue = doca_comm_channel_get_max_send_queue_size(info)
        if rc != DOCA_SUCCESS:
            continue
        best = max(best, most, queue)
    return best

print(largest())

# output
import comch_next as comch

def largest():
    rc, devs, n = comch.outcome_list(comch.devices)
    best = 0
    for info in devs:
        try:
            most = info.cap_get_max_msg_size()
            queue = info.cap_get_max_send_tasks()
        except comch.DocaError:
            continue
        best = max(best, most, queue)
    return best

print(largest())


# case: the wait for a service, and the name that the exception has
import time
from doca_comm_channel import *

error = "none"

def dial(ep):
    global error
    rc, peer = doca_comm_channel_ep_connect(ep, "a")
    if rc != DOCA_SUCCESS:
        raise SystemExit(f"{rc:d}")
    while True:
        rc = doca_comm_channel_peer_addr_update_info(peer)
        if rc != DOCA_ERROR_CONNECTION_INPROGRESS:
            break
        time.sleep(0.01)
    if rc != DOCA_SUCCESS:
        raise SystemExit(f"{rc:d}")
    error = "connected"
    return peer

rc, ep = doca_comm_channel_ep_create()
if rc == DOCA_SUCCESS:
    peer = dial(ep)

# output
import time
import comch_next as comch

error = "none"

def dial(ep):
    global error
    try:
        peer = ep.connect("a", timeout=None)
    except comch.DocaError as failure:
        raise SystemExit(f"{failure.code:d}") from None
    error = "connected"
    return peer

rc, ep = comch.outcome(comch.Client, one_sided=True)
if rc == comch.ErrorCode.SUCCESS:
    peer = dial(ep)


# case: the comments of a loop in between
import time
from doca_comm_channel import *

def say(ep, peer, text):
    rc = doca_comm_channel_ep_set_send_queue_size(ep, 8)
    if rc != DOCA_SUCCESS:
        return False
    while True:  # until there is room
        rc = doca_comm_channel_ep_sendto(ep, text, len(text), 0, peer)
        if rc != DOCA_ERROR_AGAIN:
            break
        time.sleep(0.001)  # a moment
    if rc != DOCA_SUCCESS:
        return False
    return True

rc, ep = doca_comm_channel_ep_create()
if rc != DOCA_SUCCESS:
    raise SystemExit(1)
rc, peer = doca_comm_channel_ep_connect(ep, "a")
if rc == DOCA_SUCCESS:
    print(say(ep, peer, b"x"))

# output
import time
import comch_next as comch

def say(ep, peer, text):
    try:
        ep.send_queue_size = 8
        # until there is room
        ep.send_to(text, peer)  # a moment
    except comch.DocaError:
        return False
    return True

rc, ep = comch.outcome(comch.Client, one_sided=True)
if rc != comch.ErrorCode.SUCCESS:
    raise SystemExit(1)
rc, peer = comch.outcome(ep.connect, "a", timeout=0)
if rc == comch.ErrorCode.SUCCESS:
    print(say(ep, peer, b"x"))
