"""What both ends of cc_data_path do on their connection: a consumer, a producer, one text each way (DOCA 2.6)."""
import argparse
import sys
import time

from doca_cc import *

SERVICE_NAME = "data_path_high_speed"
MAX_TEXT_SIZE = 4096
TIMEOUT_S = 30.0


class SampleError(Exception):
    def __init__(self, rc, what):
        super().__init__("%s: %s" % (what, doca_error_get_descr(rc)))
        self.rc = rc


def check(rc, what):
    if rc != DOCA_SUCCESS:
        raise SampleError(rc, what)


def text_of(argument):
    text = argument.encode()
    if not 1 <= len(text) <= MAX_TEXT_SIZE:
        raise argparse.ArgumentTypeError("the text is of 1 to %d bytes, not of %d" % (MAX_TEXT_SIZE, len(text)))
    return text


def show(what, text):
    print("peer 1 %s %d bytes %r" % (what, len(text), bytes(text).decode(errors="replace")), flush=True)


def open_dev(pci_addr):
    rc, dev_list, nb_devs = doca_devinfo_create_list()
    check(rc, "devinfo_create_list")
    try:
        for devinfo in dev_list[:nb_devs]:
            rc, is_equal = doca_devinfo_is_equal_pci_addr(devinfo, pci_addr)
            if rc == DOCA_SUCCESS and is_equal:
                rc, dev = doca_dev_open(devinfo)
                check(rc, "dev_open")
                return dev
    finally:
        doca_devinfo_destroy_list(dev_list)
    raise SampleError(DOCA_ERROR_NOT_FOUND, "no device " + pci_addr)


class DataPath:
    """The state of one end; user data of its context."""

    def __init__(self, pe, text):
        self.pe = pe
        self.text = text
        self.inbox = bytearray(MAX_TEXT_SIZE)
        self.outbox = bytearray(text)
        self.connection = None
        self.disconnected = False
        self.remote_consumer_id = None
        self.text_sent = self.text_received = False
        self.failed = DOCA_SUCCESS

    def progress(self):
        if doca_pe_progress(self.pe) == 0:
            time.sleep(1e-5)
        if time.monotonic() > self.deadline:
            raise SampleError(DOCA_ERROR_TIME_OUT, "the other side did nothing")
        if self.disconnected and self.connection is not None:
            check(doca_cc_connection_update_info(self.connection), "connection_update_info")
        check(self.failed, "a text did not get through")

    def within(self, timeout_s):
        self.deadline = time.monotonic() + timeout_s


def on_control_sent(task, task_user_data, ctx_user_data):
    doca_task_free(doca_cc_task_send_as_task(task))


def on_control_message(event, recv_buffer, msg_len, cc_connection):
    """Nothing to do: the texts go through the fast path."""


def on_received(task, path, ctx_user_data):
    show("received", path.inbox[:doca_buf_get_data_len(doca_cc_consumer_task_post_recv_get_buf(task))[1]])
    path.text_received = True
    give_back(doca_cc_consumer_task_post_recv_get_buf(task), doca_cc_consumer_task_post_recv_as_task(task))


def on_receive_failed(task, path, ctx_user_data):
    path.failed = doca_task_get_status(doca_cc_consumer_task_post_recv_as_task(task))
    give_back(doca_cc_consumer_task_post_recv_get_buf(task), doca_cc_consumer_task_post_recv_as_task(task))


def on_sent(task, path, ctx_user_data):
    show("sent", path.outbox)
    path.text_sent = True
    give_back(doca_cc_producer_task_send_get_buf(task), doca_cc_producer_task_send_as_task(task))


def on_send_failed(task, path, ctx_user_data):
    path.failed = doca_task_get_status(doca_cc_producer_task_send_as_task(task))
    give_back(doca_cc_producer_task_send_get_buf(task), doca_cc_producer_task_send_as_task(task))


def give_back(buf, task):
    doca_buf_dec_refcount(buf)
    doca_task_free(task)


def local_mmap(dev, memory, permissions):
    rc, mmap = doca_mmap_create()
    check(rc, "mmap_create")
    check(doca_mmap_add_dev(mmap, dev), "mmap_add_dev")
    check(doca_mmap_set_permissions(mmap, permissions), "mmap_set_permissions")
    check(doca_mmap_set_memrange(mmap, memory, len(memory)), "mmap_set_memrange")
    check(doca_mmap_start(mmap), "mmap_start")
    return mmap


def exchange(path, dev):
    """Send the text and receive the other side's: what the guide calls the data path."""
    inbox = local_mmap(dev, path.inbox, DOCA_ACCESS_FLAG_PCI_READ_WRITE)
    outbox = local_mmap(dev, path.outbox, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE)
    rc, inventory = doca_buf_inventory_create(2)
    check(rc, "buf_inventory_create")
    check(doca_buf_inventory_start(inventory), "buf_inventory_start")

    rc, consumer = doca_cc_consumer_create(path.connection, inbox)
    check(rc, "consumer_create")
    check(doca_cc_consumer_task_post_recv_set_conf(consumer, on_received, on_receive_failed, 1), "post_recv_set_conf")
    rc, producer = doca_cc_producer_create(path.connection)
    check(rc, "producer_create")
    check(doca_cc_producer_task_send_set_conf(producer, on_sent, on_send_failed, 1), "task_send_set_conf")
    contexts = [doca_cc_consumer_as_ctx(consumer), doca_cc_producer_as_ctx(producer)]
    for ctx in contexts:
        check(doca_pe_connect_ctx(path.pe, ctx), "pe_connect_ctx")
        rc = doca_ctx_start(ctx)
        if rc != DOCA_ERROR_IN_PROGRESS:
            check(rc, "ctx_start")
    try:
        path.within(TIMEOUT_S)
        while path.remote_consumer_id is None or doca_ctx_get_state(contexts[0])[1] != DOCA_CTX_STATE_RUNNING:
            path.progress()
        receive(path, consumer, inventory, inbox)
        send(path, producer, inventory, outbox)
        while not (path.text_sent and path.text_received):
            path.progress()
    finally:
        for ctx in contexts:
            stop(path.pe, ctx)
        check(doca_cc_producer_destroy(producer), "producer_destroy")
        check(doca_cc_consumer_destroy(consumer), "consumer_destroy")
    doca_buf_inventory_destroy(inventory)
    doca_mmap_destroy(inbox)
    doca_mmap_destroy(outbox)


def receive(path, consumer, inventory, mmap):
    rc, buf = doca_buf_inventory_buf_get_by_addr(inventory, mmap, path.inbox, len(path.inbox))
    check(rc, "buf_get_by_addr")
    rc, task = doca_cc_consumer_task_post_recv_alloc_init(consumer, buf)
    check(rc, "post_recv_alloc_init")
    doca_task_set_user_data(doca_cc_consumer_task_post_recv_as_task(task), path)
    check(doca_task_submit(doca_cc_consumer_task_post_recv_as_task(task)), "task_submit")


def send(path, producer, inventory, mmap):
    rc, buf = doca_buf_inventory_buf_get_by_data(inventory, mmap, path.outbox, len(path.outbox))
    check(rc, "buf_get_by_data")
    rc, task = doca_cc_producer_task_send_alloc_init(producer, buf, path.remote_consumer_id)
    check(rc, "task_send_alloc_init")
    doca_task_set_user_data(doca_cc_producer_task_send_as_task(task), path)
    rc = doca_task_submit(doca_cc_producer_task_send_as_task(task))
    while rc == DOCA_ERROR_AGAIN:              # until the other side has posted a buffer, of which no event tells
        path.progress()
        rc = doca_task_submit(doca_cc_producer_task_send_as_task(task))
    check(rc, "task_submit")


def stop(pe, ctx):
    if doca_ctx_get_state(ctx)[1] != DOCA_CTX_STATE_IDLE:
        doca_ctx_stop(ctx)
    while doca_ctx_get_state(ctx)[1] != DOCA_CTX_STATE_IDLE:
        doca_pe_progress(pe)


def run_sample(parser, run):
    args = parser.parse_args()
    try:
        run(args)
    except SampleError as error:
        print(error, file=sys.stderr)
        print("result", doca_error_get_name(error.rc))
        return 1
    except KeyboardInterrupt:
        sys.exit("interrupted")
    print("result DOCA_SUCCESS")
    return 0
