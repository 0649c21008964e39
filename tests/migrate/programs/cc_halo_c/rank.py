#!/usr/bin/env python3
# Halo exchange of one cell between two ranks, over the fast path (DOCA 2.6). rank 0 runs on the DPU.
import array
import struct
import sys

import doca_cc as cc

CELL = struct.Struct("<Id")
STEPS = 4
RANK = int(sys.argv[1])
BDF = ("03:00.0", "b1:00.0")[RANK]


def ok(rc, *allowed):
    assert rc == cc.DOCA_SUCCESS or rc in allowed, cc.doca_error_get_name(rc)


def need(result):
    ok(result[0])
    return result[1]


class world:
    pe = need(cc.doca_pe_create())
    peer = None
    remote = None
    gone = False
    inbox = []
    nsent = 0


def find_dev():
    rc, lst, n = cc.doca_devinfo_create_list()
    ok(rc)
    try:
        for k in range(n):
            if need(cc.doca_devinfo_is_equal_pci_addr(lst[k], BDF)):
                return need(cc.doca_dev_open(lst[k]))
    finally:
        ok(cc.doca_devinfo_destroy_list(lst))
    sys.exit("no " + BDF)


def spin(until):
    while not until():
        cc.doca_pe_progress(world.pe)


def state(ctx):
    return need(cc.doca_ctx_get_state(ctx))


def bring_up(ctx):
    ok(cc.doca_pe_connect_ctx(world.pe, ctx))
    ok(cc.doca_ctx_start(ctx), cc.DOCA_ERROR_IN_PROGRESS)
    spin(lambda: state(ctx) == cc.DOCA_CTX_STATE_RUNNING)


def take_down(ctx):
    ok(cc.doca_ctx_stop(ctx), cc.DOCA_ERROR_IN_PROGRESS)
    spin(lambda: state(ctx) == cc.DOCA_CTX_STATE_IDLE)


def ctrl_done(task, t, c):
    cc.doca_task_free(cc.doca_cc_task_send_as_task(task))


def ctrl_msg(event, data, n, conn):
    raise AssertionError(data)


def came(event, conn, success):
    world.peer = conn


def went(event, conn, success):
    world.gone = True


def consumer_came(event, conn, number):
    world.remote = number


def consumer_went(event, conn, number):
    assert number == world.remote
    world.remote = None


class Grid:
    """The registered memory: cell 0 is sent, cells 1.. are received into."""

    def __init__(self, dev, slots):
        self.mem = bytearray(CELL.size * (slots + 1))
        self.map = need(cc.doca_mmap_create())
        ok(cc.doca_mmap_add_dev(self.map, dev))
        ok(cc.doca_mmap_set_permissions(self.map, cc.DOCA_ACCESS_FLAG_PCI_READ_WRITE))
        ok(cc.doca_mmap_set_memrange(self.map, self.mem, len(self.mem)))
        ok(cc.doca_mmap_start(self.map))
        rc, self.base, size = cc.doca_mmap_get_memrange(self.map)
        ok(rc)
        assert size == len(self.mem)
        self.inv = need(cc.doca_buf_inventory_create(slots + 1))
        ok(cc.doca_buf_inventory_start(self.inv))

    def empty(self, slot):
        return need(cc.doca_buf_inventory_buf_get_by_addr(self.inv, self.map, self.base + slot * CELL.size, CELL.size))

    def full(self, *values):
        CELL.pack_into(self.mem, 0, *values)
        return need(cc.doca_buf_inventory_buf_get_by_data(self.inv, self.map, self.base, CELL.size))

    def unpack(self, buf):
        start = need(cc.doca_buf_get_data(buf)) - self.base
        assert need(cc.doca_buf_get_data_len(buf)) == CELL.size
        return CELL.unpack_from(self.mem, start)

    def free(self):
        ok(cc.doca_buf_inventory_destroy(self.inv))
        ok(cc.doca_mmap_destroy(self.map))


def arrived(task, slot, grid):
    buf = cc.doca_cc_consumer_task_post_recv_get_buf(task)
    world.inbox.append(grid.unpack(buf))
    ok(cc.doca_buf_reset_data_len(buf))
    ok(cc.doca_task_submit(cc.doca_cc_consumer_task_post_recv_as_task(task)))


def retired(task, slot, grid):
    ok(cc.doca_buf_dec_refcount(cc.doca_cc_consumer_task_post_recv_get_buf(task))[0])
    cc.doca_task_free(cc.doca_cc_consumer_task_post_recv_as_task(task))


def departed(task, slot, grid):
    world.nsent += 1
    ok(cc.doca_buf_dec_refcount(cc.doca_cc_producer_task_send_get_buf(task))[0])
    cc.doca_task_free(cc.doca_cc_producer_task_send_as_task(task))


def lost(task, slot, grid):
    sys.exit(cc.doca_error_get_name(cc.doca_task_get_status(cc.doca_cc_producer_task_send_as_task(task))))


def exchange(producer, grid, step, value):
    rc, task = cc.doca_cc_producer_task_send_alloc_init(producer, grid.full(step, value), world.remote)
    ok(rc)
    task = cc.doca_cc_producer_task_send_as_task(task)
    while (rc := cc.doca_task_submit(task)) == cc.DOCA_ERROR_AGAIN:
        cc.doca_pe_progress(world.pe)
    ok(rc)
    spin(lambda: world.inbox and world.nsent > step)
    number, other = world.inbox.pop(0)
    assert number == step
    return other


def iterate(producer, grid):
    cells = array.array("d", [0.0, 10.0])
    received = 0
    for step in range(STEPS):
        cells[1 - RANK] = exchange(producer, grid, step, cells[RANK])
        received += 1
        print("step %d left %6.3f right %6.3f" % (step, cells[0], cells[1]))
        left, right = cells
        cells[0], cells[1] = (2 * left + right) / 3, (left + 2 * right) / 3
    print("rank %d: %d sent %d received" % (RANK, world.nsent, received))


dev = find_dev()
if RANK == 0:
    rc, reps, n = cc.doca_devinfo_rep_create_list(dev, cc.DOCA_DEVINFO_REP_FILTER_NET)
    rep = need(cc.doca_dev_rep_open(reps[0]))
    end = need(cc.doca_cc_server_create(dev, rep, "halo"))
    ctx = cc.doca_cc_server_as_ctx(end)
    ok(cc.doca_cc_server_task_send_set_conf(end, ctrl_done, ctrl_done, 1))
    ok(cc.doca_cc_server_event_msg_recv_register(end, ctrl_msg))
    ok(cc.doca_cc_server_event_connection_register(end, came, went))
    ok(cc.doca_cc_server_event_consumer_register(end, consumer_came, consumer_went))
    bring_up(ctx)
    print("listening", flush=True)
    spin(lambda: world.peer is not None)
else:
    end = need(cc.doca_cc_client_create(dev, "halo"))
    ctx = cc.doca_cc_client_as_ctx(end)
    ok(cc.doca_cc_client_task_send_set_conf(end, ctrl_done, ctrl_done, 1))
    ok(cc.doca_cc_client_event_msg_recv_register(end, ctrl_msg))
    ok(cc.doca_cc_client_event_consumer_register(end, consumer_came, consumer_went))
    bring_up(ctx)
    world.peer = need(cc.doca_cc_client_get_connection(end))

grid = Grid(dev, 2)
consumer = need(cc.doca_cc_consumer_create(world.peer, grid.map))
ok(cc.doca_cc_consumer_task_post_recv_set_conf(consumer, arrived, retired, 2))
producer = need(cc.doca_cc_producer_create(world.peer))
ok(cc.doca_cc_producer_task_send_set_conf(producer, departed, lost, 2))
lanes = [cc.doca_cc_consumer_as_ctx(consumer), cc.doca_cc_producer_as_ctx(producer)]
for lane in lanes:
    ok(cc.doca_ctx_set_user_data(lane, grid))
    bring_up(lane)
for slot in (1, 2):
    rc, task = cc.doca_cc_consumer_task_post_recv_alloc_init(consumer, grid.empty(slot))
    ok(rc)
    ok(cc.doca_task_submit(cc.doca_cc_consumer_task_post_recv_as_task(task)))
spin(lambda: world.remote is not None)
iterate(producer, grid)
take_down(lanes[1])
ok(cc.doca_cc_producer_destroy(producer))
take_down(lanes[0])
ok(cc.doca_cc_consumer_destroy(consumer))
spin(lambda: world.remote is None)
grid.free()
if RANK == 0:
    spin(lambda: world.gone)
    take_down(ctx)
    ok(cc.doca_cc_server_destroy(end))
    ok(cc.doca_dev_rep_close(rep))
else:
    take_down(ctx)
    ok(cc.doca_cc_client_destroy(end))
ok(cc.doca_pe_destroy(world.pe))
ok(cc.doca_dev_close(dev))
