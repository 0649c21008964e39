"""Wrong rewrites: what migrate makes of a program, with an error that a person, or a rule, could make."""

from __future__ import annotations

from typing import NamedTuple

Edits = tuple[tuple[str, str], ...]  # each replaces a text that is there once


class Seed(NamedTuple):
    """A wrong rewrite; `faults` are those under which it shows, "" when it shows without."""

    kind: str
    name: str
    program: str
    edits: Edits
    faults: str = ""

    def applied(self, text: str) -> str:
        """Return the wrong text for a right one."""
        for right, wrong in self.edits:
            assert text.count(right) == 1, (self, text.count(right))
            text = text.replace(right, wrong)
        return text


AGAIN = "again:send@2x3,again:task@2x3"

_FLAT_SEND = "rc = comch.Channel.try_send_to(ep, data, length=length, connection=peer)\n    while"

_LONG_TASK = """\
    try:
        red.send(red.context.connection, bytes(1000), 1)
    except comch.DocaError as error:
        print("long", comch.code_name(error.code))
"""

_HOST = 'comch.open_device("b1:00.0")\n    rep = dpu.open_representor("b1:00.0")'
_ANOTHER = _HOST, _HOST.replace("b1:00.0", "b1:00.1")

_ROWS: dict[str, list[tuple[str, str, Edits] | tuple[str, str, Edits, str]]] = {
    "swapped arguments": [
        ("queues", "desk", (("ep.send_queue_size = 32", "ep.send_queue_size = 64"),
                            ("ep.recv_queue_size = 64", "ep.recv_queue_size = 32"))),
        ("counters", "desk", (("comch.Counter.SENT_BYTES", "comch.Counter.RECV_BYTES"),)),
        ("queues in codes", "flat", (("send_queue_size=16", "send_queue_size=48"),
                                     ("recv_queue_size=48", "recv_queue_size=16"))),
        ("states", "tasks", (("context, old, new)", "context, new, old)"),)),
        ("sizes", "tasks", (("context.max_msg_size = 256", "context.max_msg_size = 128"),
                            ("context.recv_queue_size = 16", "context.recv_queue_size = 32"))),
    ],
    "dropped retry": [
        ("of a part", "desk", (("except comch.Again:\n                time.sleep(0.0001)",
                                "except comch.Again:\n                break"),), AGAIN),
        ("once only", "flat", ((_FLAT_SEND, _FLAT_SEND.replace("while", "if")),), AGAIN),
        ("none", "flat", (("while rc == comch.ErrorCode.AGAIN:", "while False:"),), AGAIN),
        ("of a task", "tasks", (("except comch.NoMemory:\n                self.engine.progress()",
                                 "except comch.NoMemory:\n                return"),), AGAIN),
    ],
    "wrong peer": [
        ("who is there", "desk", (('b"are you there", known', 'b"are you there", other'),)),
        ("who leaves", "flat", (('check("disconnect", comch.outcome(comch.Channel.disconnect, ours, to_service)',
                                 'check("disconnect", comch.outcome(comch.Channel.disconnect, service, to_us)'),)),
        ("one's own", "flat", (("len(answer), to_us", "len(answer), to_service"),)),
        ("the first who joined", "tasks", (('server.send(connection, b"%d"', 'server.send(joined[0], b"%d"'),)),
    ],
    "short length": [
        ("of a part", "desk", (("* size, peer, timeout=0", "* (size - 1), peer, timeout=0"),)),
        ("the whole buffer", "flat", ((_FLAT_SEND, _FLAT_SEND.replace("=length,", "=len(data),")),)),
        ("by one", "flat", ((_FLAT_SEND, _FLAT_SEND.replace("=length,", "=length - 1,")),)),
        ("of a task", "tasks", (("alloc_init(connection, text)", "alloc_init(connection, text[:-1])"),)),
        ("of what has come", "tasks", (("data, len(data), connection", "data, len(data) - 1, connection"),)),
    ],
    "lost disconnect": [
        ("of the first", "desk", (("    first.disconnect(to_desk)\n", ""),)),
        ("of the code", "flat", (('check("disconnect", comch', '("disconnect", lambda: comch'),)),
        ("of a server", "tasks", (("        server.context.stop()", "        pass"),)),
        ("of a client", "tasks", (("        red.context.stop()\n", ""), ("server.context.stop()", "pass"))),
    ],
    "swallowed code": [
        ("of what fails", "desk", (("failures += 1\n        print(what, error.name)", "pass"),)),
        ("of who has gone", "desk", (('print("the first has gone")', "pass"),)),
        ("of what is long", "flat", (('check("long", rc)', "pass"),)),
        ("of a limit", "flat", (('check("limits", comch', '("limits", comch'),)),
        ("of a long task", "tasks", (('print("long", comch.code_name(error.code))', "pass"),)),
    ],
    "changed exit status": [
        ("always well", "desk", (("return failures", "return 0"),)),
        ("one for all", "desk", (("return failures", "return min(failures, 1)"),)),
        ("a truth", "flat", (("return errors", "return errors > 0"),)),
        ("forgotten", "flat", (("sys.exit(main())", "main()"),)),
        ("less", "tasks", (("blue.failed + 4", "blue.failed"),)),
    ],
    "reordered sends": [
        ("thanks first", "desk", (('b"%s: %d" % (head, total)', 'b"THANKS"'),
                                  ('b"thanks"', 'b"%s: %d" % (head, total)'), ("THANKS", "thanks"))),
        ("byes", "flat", (('send(ours, b"bye", 3, to_service)', 'send(ours, b"bye again", 9, to_SERVICE)'),
                          ('send(ours, b"bye again", 9, to_service)', 'send(ours, b"bye", 3, to_service)'),
                          ("to_SERVICE", "to_service"))),
        ("answers", "tasks", (("data[::-1], len(data))", 'b"%d" % len(data), 1) '),
                              ('b"%d" % len(data), 1)\n', "data[::-1], len(data))\n"))),
        ("numbers", "flush", (('send_to(b"%d" % sent', 'send_to(b"%d" % (sent ^ 1)'),)),
        ("a receipt before its parcel", "parcels",
         (("    until(lambda: server.parcels, client, server)\n    print(server", "    print(server"),
          ("    print(server.words.pop(), len(server.parcels.pop()))\n", ""),
          ('    server.send(b"receipt %d" % number)\n', '    server.send(b"receipt %d" % number)\n'
           "    until(lambda: server.parcels, client, server)\n"
           "    print(server.words.pop(), len(server.parcels.pop()))\n"))),
        ("a word behind its parcel", "parcels",
         (('    client.say(b"parcel %d" % number)\n    until(lambda: server.words, client, server)\n', ""),
          ("    until(lambda: server.parcels, client, server)\n",
           '    client.say(b"parcel %d" % number)\n'
           "    until(lambda: server.words and server.parcels, client, server)\n"))),
    ],
    "moved evaluation": [
        ("counts before they are taken", "desk", (("    peer.update_info()\n    print", "    print"),)),
        ("sizes before they are set", "desk", (('    print("queues", ep.send_queue_size, ep.recv_queue_size)\n', ""),
                                               ("    ep.device_rep = rep\n",
                                                '    ep.device_rep = rep\n    print("queues", ep.send_queue_size, '
                                                "ep.recv_queue_size)\n"))),
        ("the peers of before", "desk", (("        desk.update_info()\n", ""),)),
        ("counts of now", "flat", (("    rc, sent =", "    to_service.update_info()\n    rc, sent ="),)),
        ("what is in flight of before", "flush", (("    peer.update_info()\n    while", "    while"),)),
    ],
    "missing flush": [
        ("not at all", "flush", (("while peer.in_flight:", "while False:"),)),
        ("once", "flush", (("while peer.in_flight:", "if peer.in_flight:"),)),
        ("in codes", "flush", (("or waiting == 0", "or waiting"),)),
        ("almost", "flush", (("or waiting == 0", "or waiting < 4"),)),
    ],
    "lost end": [
        ("of a device", "desk", (("    host.close()\n", ""),)),
        ("of a representor", "desk", (("    rep.close()\n", ""),)),
        ("of a device in codes", "flat", (("    comch.outcome(dpu.close)\n", ""),)),
        ("of the engines", "tasks", (("        end.engine.destroy()\n", ""),)),
        ("of an inventory", "parcels", (("        self.inventory.destroy()\n", ""),)),
        ("of memory", "parcels", (("    client.memory.end()\n", ""),)),
        ("of a client and its engine", "parcels",
         (("    client.context.destroy()\n    client.engine.destroy()\n", ""),)),
    ],
    "lost setting": [
        ("of a desk", "desk", (("    ep.max_msg_size = 1024\n    ep.send", "    ep.send"),)),
        ("of a server", "tasks", (("        context.max_msg_size = 256\n",
                                   '        if name != "server":\n            context.max_msg_size = 256\n'),)),
        ("of a queue", "flat", (("recv_queue_size=48", "recv_queue_size=16 if rep is not None else 48"),)),
    ],
    "another device": [
        ("of objects", "desk", (_ANOTHER,)),
        ("of codes", "flat", (('comch.open_device("b1:00.0")\n    rc =', 'comch.open_device("b1:00.1")\n    rc ='),
                              ('open_representor("b1:00.0")', 'open_representor("b1:00.1")'))),
        ("of tasks", "tasks", (_ANOTHER,)),
    ],
    "other bytes of stdout": [
        ("that are no text", "parcels", (("\\xa7", "\\xb6"),)),
        ("at the end of a line", "parcels", (("\\r\\n", "\\n"),)),
        ("behind the last line", "parcels", (("\\r\\n", "\\r"),)),
    ],
    "failing send among good ones": [
        ("earlier", "flat",
         (('rc = comch.Channel.try_send_to(ours, bytes(200), length=200, connection=to_service)\n    check("long", rc)',
           'check("long", long)'),
          ('copy, to_us = b"", None\n', 'copy, to_us = b"", None\n    long = comch.Channel.try_send_to('
           "ours, bytes(200), length=200, connection=to_service)\n"))),
        ("of a task, earlier", "tasks",
         ((_LONG_TASK, '    print("long", comch.code_name(long))\n'),
          ("    for number, text in enumerate(TEXTS):\n",
           _LONG_TASK.replace('print("long", comch.code_name(error.code))', "long = error.code")
           + "    for number, text in enumerate(TEXTS):\n"))),
        ("to one peer less", "crier",
         (("for peer in peers:", "for peer in peers[: 3 - (len(news) > 100)]:"),
          ("skipped += 1", "skipped += 1 + (len(news) > 100 and peer is peers[1])"))),
    ],
    "broadcast in another order": [
        ("last peer first", "crier", (("for peer in peers:", "for peer in reversed(peers):"),)),
        ("once", "crier", (("for peer in peers:",
                            'for peer in sorted(peers, key=lambda peer: news == b"wind" and peer is peers[0]):'),)),
    ],
    "moved print": [
        ("behind sends", "crier", (('        print("news", number)\n        cry(crier, peers, news)\n',
                                    '        cry(crier, peers, news)\n        print("news", number)\n'),)),
        ("behind sends in codes", "flat",
         (('    print("bytes", sent, received)\n', ""),
          ("9, to_service)\n", '9, to_service)\n    print("bytes", sent, received)\n'))),
        ("behind receives", "crier",
         (("            for _ in towns:\n                print(\n", "            for line in [\n"),
          (")[0]\n                )\n", ")[0] for _ in towns]:\n                print(line)\n"))),
        ("behind a failure", "tasks",
         (('    print("limits", red.context.max_msg_size, red.context.recv_queue_size)\n', ""),
          ('        print("long"', '        print("limits", red.context.max_msg_size, red.context.recv_queue_size)\n'
           '        print("long"'))),
    ],
    "other failure of a call": [
        ("before the messages", "crier", (("        resize(crier)\n    print", "    print"),
                                          ("        write(number, news)\n",
                                           "        resize(crier)\n        write(number, news)\n"))),
        ("once more", "crier", (('    print("skipped"', '    resize(crier)\n    print("skipped"'),)),
        ("as there is no such name", "crier", (("ep.max_msg_size = 128", "ep.max_msg_size = ep.max_size"),)),
    ],
    "other traceback": [
        ("none", "crier", (('    print("wages", wages["clerk"])', '    wages.get("clerk")'),)),
        ("of another class", "crier", (('wages["clerk"])', 'wages["crier"] / 0)'),)),
    ],
    "end by a signal": [
        ("instead of a status", "flat", (("sys.exit(main())", "main()\n    import os\n    os.kill(os.getpid(), 15)"),)),
        ("that is not caught", "crier", (("sys.exit(main())", "main()\n    os.kill(os.getpid(), 10)"),)),
    ],
    "other file": [
        ("with other lines", "crier", (("print(number, len(news), file=diary)", "print(number, file=diary)"),)),
        ("with its last line only", "crier", (('open("diary.txt", "a")', 'open("diary.txt", "w")'),)),
        ("elsewhere", "crier", (('open("diary.txt", "a")', 'open("diary", "a")'),)),
    ],
}  # fmt: skip

SEEDS = [Seed(kind, *row) for kind, rows in _ROWS.items() for row in rows]
