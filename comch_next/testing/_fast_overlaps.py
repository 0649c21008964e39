"""Checks of a producer that writes while its consumer does something else: polls, or stops."""

from itertools import count

from comch_next.errors import InvalidValue
from comch_next.testing._fast_streams import post_again
from comch_next.testing._loops import sleep_until, submit_again
from comch_next.testing._pair import Pair, both_ways
from comch_next.testing._side import Side, told_data
from comch_next.testing._waiting import expect, until

_LONG = 1 << 20  # bytes: writing them takes long enough to meet what the consumer does
_ROUNDS = 40
_DEPTH = 8
_STOPS = 8


def _targets(side: Side, length: int) -> list[int | None]:
    return [side.buf(slot * length, length) if length else None for slot in range(_DEPTH)]


def _source(number: int) -> bytes:
    return bytes([number % 251]) * _LONG


def _send(side: Side, buf: int | None, number: int, consumer: int, timeout: float) -> None:
    """Send it as the number so-and-so, until it has completed."""
    task = side.send_task(buf, b"%d" % number, consumer)
    submit_again(side, "main", task, timeout)
    sleep_until(side, "main", lambda: len(side.told("done", "producer")), number + 1, timeout, "completions")


def _write(side: Side, consumer: int, timeout: float) -> None:
    buf = side.buf(0, _LONG, _LONG, "source")
    for number in range(_ROUNDS):
        side.write(_source(number), 0, "source")
        _send(side, buf, number, consumer, timeout)


def _poll(side: Side, timeout: float) -> None:
    filled = post_again(side, "consumer", _targets(side, _LONG), lambda: True)
    until(lambda: filled() >= _ROUNDS, True, "whether all came", side.progress, timeout)


@both_ways(False, True)
def check_data_is_whole_when_it_is_told(pair: Pair, taking: Side, giving: Side, own: bool) -> None:
    """The consumer polls without rest while long buffers are being written."""
    taking.map(_DEPTH * _LONG, own=own)
    giving.map(_LONG, "source")
    consumer = pair.open_channel(taking, giving)
    pair.together(lambda: giving.run(_write, consumer, pair.timeout), lambda: taking.run(_poll, pair.timeout))
    wrong = [
        number
        for number, (_, data, _, _) in enumerate(taking.told("received", "consumer"))
        if data != told_data(_source(number))
    ]
    expect(wrong, [], f"which of {_ROUNDS} buffers were not whole")


def _write_until_the_end(side: Side, consumer: int, length: int, timeout: float) -> int:
    """Send until the consumer is no more; how many sends were accepted."""
    buf = side.buf(0, length, length, "source") if length else None
    for number in count():
        try:
            _send(side, buf, number, consumer, timeout)
        except InvalidValue:
            break
    return number


def _take_and_stop(side: Side, length: int, wanted: int, timeout: float) -> None:
    """Stop inside the callback that reports the last wanted one, when a producer is likely to write the next."""
    left = iter(range(wanted - 1))

    def more() -> bool:
        if next(left, None) is not None:
            return True
        if side.state("consumer") == "RUNNING":
            side.stop("consumer")
        return False

    filled = post_again(side, "consumer", _targets(side, length), more)
    sleep_until(side, "main", filled, wanted, timeout, "what was received")
    until(lambda: side.leave("fast"), True, "whether the consumer became IDLE", side.rest, timeout)


@both_ways(0, _LONG)
def check_stop_while_a_producer_writes(pair: Pair, taking: Side, giving: Side, length: int) -> None:
    """What was accepted has arrived, and nothing else; receives complete once, filled or failed."""
    taking.map(_DEPTH * _LONG)
    giving.map(_LONG, "source")
    for wanted in range(1, _STOPS):
        _stop_while_writing(pair, taking, giving, length, wanted)


def _stop_while_writing(pair: Pair, taking: Side, giving: Side, length: int, wanted: int) -> None:
    consumer = pair.open_channel(taking, giving)
    accepted, _ = pair.together(
        lambda: giving.run(_write_until_the_end, consumer, length, pair.timeout),
        lambda: taking.run(_take_and_stop, length, wanted, pair.timeout),
    )
    came = [row[2] for row in taking.told("received", "consumer")]
    expect(came, [b"%d" % number for number in range(accepted)], "what came of all that was accepted")
    expect(len(giving.told("done", "producer")), accepted, "how many sends completed")
    failed = [task for task, _ in taking.told("failed", "consumer")]
    expect(len(failed), _DEPTH + wanted - 1 - len(came), "how many receives failed, of those submitted")
    expect(len(set(failed)), len(failed), "how many different ones")
    giving.stop("producer")
    for side, key in ((taking, "consumer"), (giving, "producer")):
        side.destroy(key)
        side.forget()
