"""The fast path: an inbound lane of some posted slots, an outbound lane of one."""

from __future__ import annotations

from doca_cc import *

from .errors import check
from .links import Link

SLOT = 4096
LOG_SLOTS = 1
SLOTS = 1 << LOG_SLOTS


class Memory:
    def __init__(self, link: Link, slots: int, access: int) -> None:
        self.bytes = bytearray(SLOT * slots)
        rc, self.mmap = doca_mmap_create()
        check(rc, "mmap_create")
        check(doca_mmap_set_memrange(self.mmap, self.bytes, SLOT * slots), "set_memrange")
        check(doca_mmap_set_permissions(self.mmap, access), "set_permissions")
        check(doca_mmap_add_dev(self.mmap, link.dev), "add_dev")
        check(doca_mmap_start(self.mmap), "mmap_start")
        rc, self.start, _ = doca_mmap_get_memrange(self.mmap)
        check(rc, "get_memrange")
        rc, self.inventory = doca_buf_inventory_create(slots)
        check(rc, "inventory_create")
        check(doca_buf_inventory_start(self.inventory), "inventory_start")

    def close(self) -> None:
        check(doca_buf_inventory_stop(self.inventory), "inventory_stop")
        check(doca_buf_inventory_destroy(self.inventory), "inventory_destroy")
        check(doca_mmap_stop(self.mmap), "mmap_stop")
        check(doca_mmap_destroy(self.mmap), "mmap_destroy")


class Inbound:
    def __init__(self, link: Link) -> None:
        self.link = link
        self.pieces: list[bytes] = []
        self.memory = Memory(link, SLOTS, DOCA_ACCESS_FLAG_PCI_READ_WRITE)
        rc, self.consumer = doca_cc_consumer_create(link.peer, self.memory.mmap)
        check(rc, "consumer_create")
        check(
            doca_cc_consumer_post_recv_task_set_conf(self.consumer, self.on_piece, self.on_failed, LOG_SLOTS), "conf"
        )
        self.ctx = doca_cc_consumer_as_ctx(self.consumer)
        link.start(self.ctx)
        for slot in range(SLOTS):
            address = self.memory.start + slot * SLOT
            rc, buf = doca_buf_inventory_buf_get_by_addr(self.memory.inventory, self.memory.mmap, address, SLOT)
            check(rc, "buf_get_by_addr")
            rc, task = doca_cc_consumer_post_recv_task_alloc_init(self.consumer, buf)
            check(rc, "post_recv_task_alloc_init")
            check(doca_task_submit(doca_cc_consumer_post_recv_task_as_task(task)), "post")

    def on_piece(self, task, task_user_data, ctx_user_data) -> None:
        buf = doca_cc_consumer_post_recv_task_get_buf(task)
        rc, address = doca_buf_get_data(buf)
        rc, length = doca_buf_get_data_len(buf)
        offset = address - self.memory.start
        self.pieces.append(bytes(self.memory.bytes[offset : offset + length]))
        check(doca_buf_reset_data_len(buf), "reset_data_len")
        check(doca_task_submit(doca_cc_consumer_post_recv_task_as_task(task)), "post again")

    def on_failed(self, task, task_user_data, ctx_user_data) -> None:
        doca_buf_dec_refcount(doca_cc_consumer_post_recv_task_get_buf(task))
        doca_task_free(doca_cc_consumer_post_recv_task_as_task(task))

    def take(self, count: int) -> bytes:
        self.link.wait(lambda: len(self.pieces) >= count)
        taken, self.pieces[:count] = self.pieces[:count], []
        return b"".join(taken)

    def close(self) -> None:
        self.link.stop(self.ctx)
        check(doca_cc_consumer_destroy(self.consumer), "consumer_destroy")
        self.memory.close()


class Outbound:
    def __init__(self, link: Link) -> None:
        self.link = link
        self.busy = False
        self.memory = Memory(link, 1, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE)
        rc, self.producer = doca_cc_producer_create(link.peer)
        check(rc, "producer_create")
        check(doca_cc_producer_send_task_set_conf(self.producer, self.on_gone, self.on_gone, 0), "conf")
        self.ctx = doca_cc_producer_as_ctx(self.producer)
        link.start(self.ctx)
        link.wait(lambda: link.consumer_id is not None)

    def on_gone(self, task, task_user_data, ctx_user_data) -> None:
        check(doca_task_get_status(doca_cc_producer_send_task_as_task(task)), "piece %d" % task_user_data)
        doca_buf_dec_refcount(doca_cc_producer_send_task_get_buf(task))
        doca_task_free(doca_cc_producer_send_task_as_task(task))
        self.busy = False

    def give(self, data: bytes) -> int:
        count = 0
        for offset in range(0, len(data), SLOT):
            piece = data[offset : offset + SLOT]
            self.memory.bytes[: len(piece)] = piece
            rc, buf = doca_buf_inventory_buf_get_by_data(
                self.memory.inventory, self.memory.mmap, self.memory.start, len(piece)
            )
            check(rc, "buf_get_by_data")
            rc, task = doca_cc_producer_send_task_alloc_init(self.producer, buf, self.link.consumer_id)
            check(rc, "send_task_alloc_init")
            generic = doca_cc_producer_send_task_as_task(task)
            doca_task_set_user_data(generic, count)
            rc = doca_task_submit(generic)
            while rc == DOCA_ERROR_AGAIN:
                self.link.turn()
                rc = doca_task_submit(generic)
            check(rc, "submit")
            self.busy = True
            self.link.wait(lambda: not self.busy)
            count += 1
        return count

    def close(self) -> None:
        self.link.stop(self.ctx)
        check(doca_cc_producer_destroy(self.producer), "producer_destroy")
        self.memory.close()
