"""Lists of buffers: chained and split in any order, and given back as a whole by their head."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from comch_next import Buf, BufInventory, InvalidValue, Mmap, NotPermitted
from tests.fast_path.lane import Inbox, Lane, Outbox
from tests.memory.conftest import Bufs


def elements(head: Buf) -> list[bytes]:
    """What each element of a list holds, by the calls for lists."""
    found, element = [bytes(head.view)], head
    while (following := element.next_in_list) is not None:
        element = following
        found.append(bytes(element.view))
    assert element == head.last_in_list
    assert len(found) == head.list_len
    return found


def chain(*bufs: Buf) -> Buf:
    """One list of them all."""
    for buf in bufs[1:]:
        bufs[0].chain_list(buf)
    return bufs[0]


def place(buf: Buf) -> tuple[bool, bool, bool]:
    """Whether it is first, last, and chained at all."""
    return buf.is_first_in_list, buf.is_last_in_list, buf.is_in_list


def test_a_list_knows_its_places(bufs: Bufs) -> None:
    one, two, three = bufs.take(b"1"), bufs.take(b"2"), bufs.take(b"3")
    assert place(one) == (True, True, False)
    assert (one.next_in_list, one.last_in_list, one.list_len) == (None, one, 1)
    chain(one, two, three)
    assert [place(buf) for buf in (one, two, three)] == [
        (True, False, True),
        (False, False, True),
        (False, True, True),
    ]
    assert elements(one) == [b"1", b"2", b"3"]
    assert two.last_in_list == three
    attempts: tuple[Callable[[], object], ...] = (lambda: two.list_len, two.inc_refcount, two.dec_refcount)
    for attempt in attempts:
        with pytest.raises(NotPermitted, match="takes the head of a list"):
            attempt()
    one.dec_refcount()


@pytest.mark.parametrize("by_tail", [False, True])
def test_lists_are_appended_whole(bufs: Bufs, by_tail: bool) -> None:
    first, tail = bufs.take(b"1"), bufs.take(b"2")
    second = chain(bufs.take(b"3"), bufs.take(b"4"))
    chain(first, tail)
    if by_tail:
        first.chain_list_tail(tail, second)
    else:
        first.chain_list(second)
    assert elements(first) == [b"1", b"2", b"3", b"4"]
    assert not second.is_first_in_list
    first.dec_refcount()


def test_what_cannot_be_chained(bufs: Bufs) -> None:
    one, two = bufs.take(b"1"), bufs.take(b"2")
    lone, shared = bufs.take(b"3"), bufs.take(b"4")
    chain(one, two)
    shared.inc_refcount()
    attempts: tuple[tuple[Callable[[], object], type[Exception]], ...] = (
        (lambda: one.chain_list(one), InvalidValue),  # would be a ring
        (lambda: one.chain_list(two), NotPermitted),  # already inside
        (lambda: lone.chain_list(two), NotPermitted),  # inside of another
        (lambda: two.chain_list(lone), NotPermitted),  # appended to what is no head
        (lambda: one.chain_list(shared), NotPermitted),
        (lambda: one.chain_list_tail(one, lone), InvalidValue),  # no tail
        (lambda: one.chain_list_tail(lone, shared), InvalidValue),  # no tail of this list
        (lambda: one.chain_list(None), InvalidValue),  # type: ignore[arg-type]
    )
    for attempt, refusal in attempts:
        with pytest.raises(refusal):
            attempt()
    assert elements(one) == [b"1", b"2"], "a refusal changes nothing"
    assert not lone.is_in_list
    shared.chain_list(lone)  # the first may be shared
    assert elements(shared) == [b"4", b"3"]
    one.dec_refcount()
    shared.dec_refcount()
    shared.dec_refcount()


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_list_is_split_anywhere(inventory: BufInventory, bufs: Bufs, cut: int) -> None:
    parts = [bufs.take(b"%d" % number) for number in range(4)]
    chain(*parts)
    parts[0].unchain_list(parts[cut])
    assert elements(parts[0]) + elements(parts[cut]) == [b"0", b"1", b"2", b"3"]
    assert parts[0].list_len == cut
    for what in (parts[cut], parts[0]):  # which is out already, and before whose head there is nothing
        with pytest.raises(InvalidValue, match="not inside"):
            parts[0].unchain_list(what)
    parts[0].dec_refcount()
    assert inventory.num_free_elements == 4 + cut
    assert elements(parts[cut])[0] == b"%d" % cut, "the other list is unharmed"
    parts[cut].dec_refcount()
    assert inventory.num_free_elements == 8


def test_the_head_gives_the_whole_list_back(inventory: BufInventory, mmap: Mmap, bufs: Bufs) -> None:
    with BufInventory(2) as other:
        parts = [bufs.take(b"1"), Bufs(other, mmap).take(b"2"), bufs.take(b"3")]
        head = chain(*parts)
        head.inc_refcount()
        assert head.dec_refcount() == 2
        assert (inventory.num_free_elements, other.num_free_elements, mmap.num_bufs) == (6, 1, 3)
        assert head.dec_refcount() == 1
        assert (inventory.num_free_elements, other.num_free_elements, mmap.num_bufs) == (8, 2, 0)
        assert [buf.refcount for buf in parts] == [0, 0, 0]
        for buf in parts:
            with pytest.raises(InvalidValue, match="gone back"):
                _ = buf.next_in_list


def test_a_duplicate_of_a_list_is_a_list(inventory: BufInventory, bufs: Bufs) -> None:
    head = chain(bufs.take(b"1"), bufs.take(b"2"), bufs.take(b"3"))
    copy = inventory.buf_dup(head)
    assert elements(copy) == [b"1", b"2", b"3"]
    head.dec_refcount()
    assert elements(copy) == [b"1", b"2", b"3"]
    assert inventory.num_free_elements == 5
    copy.dec_refcount()


@pytest.mark.parametrize("seed", range(5))
def test_any_order_of_chaining_and_splitting(bufs: Bufs, seed: int) -> None:
    """Against a model: each list is a Python list."""
    chance = random.Random(seed)
    lists = [[bufs.take(b"%d" % number)] for number in range(8)]
    for _ in range(200):
        longer = [each for each in lists if len(each) > 1]
        if len(lists) > 1 and (not longer or chance.random() < 0.5):
            first, second = chance.sample(lists, 2)
            first[0].chain_list(second[0])
            lists.remove(second)
            first += second
        else:
            whole = chance.choice(longer)
            cut = chance.randrange(1, len(whole))
            whole[0].unchain_list(whole[cut])
            lists.append(whole[cut:])
            del whole[cut:]
        assert [elements(each[0]) for each in lists] == [[bytes(buf.view) for buf in each] for each in lists]
    for each in lists:
        each[0].dec_refcount()


def test_comch_takes_no_lists() -> None:
    lane = Lane().run()
    consumer, producer = lane.inbox.consumer, lane.outbox.producer
    allocs: tuple[tuple[Inbox | Outbox, Callable[[Buf], object]], ...] = (
        (lane.inbox, consumer.task_post_recv_alloc_init),
        (lane.outbox, lambda buf: producer.task_send_alloc_init(buf, b"", consumer.id)),
    )
    for end, alloc in allocs:
        head, tail = (end.inventory.buf_get_by_addr(end.mmap, end.mmap.addr, 8) for _ in range(2))
        head.chain_list(tail)
        for buf in (head, tail):
            with pytest.raises(InvalidValue, match="takes a single buffer"):
                alloc(buf)
        head.dec_refcount()
    info = lane.there.context.device.devinfo
    assert info.consumer_cap_get_max_buf_list_len() == info.producer_cap_get_max_buf_list_len() == 1
    lane.close()
