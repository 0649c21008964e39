"""Two opens of one device are one device: whatever is made with either belongs to both, and the last close counts."""

from __future__ import annotations

import pytest

from comch_next import AlreadyExist, Consumer, Device, InUse, InvalidValue, Mmap, NotFound, Server, open_device
from tests.fast_path.lane import Inbox, Lane, Outbox
from tests.memory.conftest import READ_WRITE, SIZE


def test_two_opens_compare_equal(device: Device) -> None:
    with open_device("03:00.0") as again, open_device("b1:00.0") as other:
        assert device == again
        assert hash(device) == hash(again)
        assert device != other
        assert device != "03:00.0"
        assert {device: "found"}[again] == "found"


def test_closing_one_leaves_the_other_good(device: Device) -> None:
    again = open_device("03:00.0")
    again.close()
    again.close()
    assert device.representors() != []
    with Mmap(device, SIZE, READ_WRITE):
        pass


def test_only_the_last_close_is_refused_while_the_device_is_used(device: Device) -> None:
    again = open_device("03:00.0")
    with Mmap(again, SIZE, READ_WRITE) as mmap:
        again.close()
        assert len(mmap.export_pci(device)) > 0
        with pytest.raises(InUse, match="1 context or memory map still uses"):
            device.close()
    server = Server(device, "b1:00.0", "svc")
    with pytest.raises(InUse, match="1 context or memory map still uses"):
        device.close()
    server.close()


def test_a_device_is_closed_by_as_many_closes_as_opens() -> None:
    first, second = open_device("b1:00.3"), open_device("b1:00.3")
    first.close()
    with pytest.raises(InvalidValue, match="has been closed"):
        Mmap(first)
    Mmap(second).destroy()
    second.close()
    with pytest.raises(InvalidValue, match="has been closed"):
        Mmap(second)
    assert first == second
    with open_device("b1:00.3") as third:
        Mmap(third).destroy()


def test_a_map_has_a_device_whichever_open_it_was_given(device: Device) -> None:
    with open_device("03:00.0") as again:
        with Mmap(device, SIZE, READ_WRITE) as mmap:
            with Mmap.create_from_export(mmap.export_pci(again), again) as imported:
                assert len(imported) == SIZE
        mmap = Mmap(device, SIZE, READ_WRITE)
        with pytest.raises(AlreadyExist):
            mmap.add_dev(again)
        mmap.rm_dev(again)
        with pytest.raises(NotFound):
            mmap.rm_dev(device)
        mmap.destroy()


def test_a_fast_path_through_memory_of_another_open() -> None:
    """NVIDIA's secure channel opens the device anew for its memory, and closes that before the memory is gone."""
    lane = Lane()
    taking, giving = open_device("03:00.0"), open_device("b1:00.0")
    inbox, outbox = Inbox(lane.there.connection, taking), Outbox(lane.here.connection, giving)
    taking.close()
    giving.close()
    inbox.consumer.start()
    outbox.producer.start()
    lane.until(lambda: inbox.consumer.id in lane.news)
    inbox.post()
    outbox.send(inbox.consumer.id, b"data")
    lane.until(lambda: inbox.received)
    assert inbox.received == [(b"data", None)]
    inbox.consumer.stop()
    outbox.producer.stop()
    lane.until(lambda: inbox.consumer.num_inflight_tasks == 0 and lane.gone)
    inbox.close()
    outbox.close()
    lane.close()


# A map's devices


def test_a_consumer_takes_no_map_without_its_connections_device() -> None:
    lane = Lane()
    with open_device("b1:00.0") as other, Mmap(other, SIZE, READ_WRITE) as mmap:
        with pytest.raises(InvalidValue, match=r"device 0000:03:00\.0"):
            Consumer(lane.there.connection, mmap)
        assert mmap.num_bufs == 0
    with open_device("b1:00.0") as other, open_device("03:00.0") as own:
        mmap = Mmap(other, SIZE, READ_WRITE)
        mmap.add_dev(own)
        with mmap:
            Consumer(lane.there.connection, mmap).destroy()
    lane.close()


def test_a_producer_takes_no_buffer_whose_map_lacks_its_connections_device() -> None:
    lane = Lane()
    lane.run()
    lane.inbox.post()
    with open_device("03:00.0") as other, Mmap(other, SIZE, READ_WRITE) as mmap:
        buf = lane.outbox.inventory.buf_get_by_data(mmap, mmap.addr, 16)
        with pytest.raises(InvalidValue, match=r"device 0000:b1:00\.0"):
            lane.outbox.producer.task_send_alloc_init(buf, None, lane.inbox.consumer.id)
        task = lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id)
        with pytest.raises(InvalidValue, match=r"device 0000:b1:00\.0"):
            task.buf = buf
        assert task.buf is None
        task.submit()
        lane.until(lambda: lane.inbox.received)
        assert lane.inbox.received == [(b"", b"x")]
        buf.dec_refcount()
    lane.close()
