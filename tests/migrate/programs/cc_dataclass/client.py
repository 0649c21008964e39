"""Two clients in one process, one after the other."""

import doca_cc as cc
from peer import Engine, Sender


def talk(dev, words):
    engine = Engine()
    client = cc.Client(dev=dev, name="words")
    answers = []
    sender = Sender(client, depth=len(words) + 1)
    client.event_msg_recv_register(lambda event, buffer, length, connection: answers.append(bytes(buffer)))
    ctx = engine.attach(client)
    ctx.start()
    engine.until(lambda: ctx.get_state() == cc.DOCA_CTX_STATE_RUNNING)
    for word in [*words, "?"]:
        sender.send(client.get_connection(), word)
    engine.until(lambda: answers and not sender.waiting)
    ctx.stop()
    engine.until(lambda: ctx.get_state() == cc.DOCA_CTX_STATE_IDLE)
    client.destroy()
    engine.pe.destroy()
    return answers


dev = cc.open_device("b1:00.0")
print(talk(dev, ["one", "two", "three"]))
print(talk(dev, []))
dev.close()
