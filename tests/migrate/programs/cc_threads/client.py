"""Sends ten words, and prints the answers in the order of the alphabet."""

import doca_cc as cc

WORDS = [b"alpha", b"bravo", b"charlie", b"delta", b"echo", b"foxtrot", b"golf", b"hotel", b"india", b"juliett"]


def main():
    answers = []

    def on_answer(event, data, size, connection):
        answers.append(data)

    def on_state(words, ctx, before, after):
        if after == cc.DOCA_CTX_STATE_RUNNING:
            for word in words:
                client.task_send_alloc_init(client.get_connection(), word).as_task().submit()

    dev = cc.open_device("b1:00.0")
    pe = cc.ProgressEngine()
    client = cc.Client(dev, "upper")
    client.task_send_set_conf(lambda task, *_: task.as_task().free(), lambda task, *_: task.as_task().free(), 10)
    client.event_msg_recv_register(on_answer)
    ctx = client.as_ctx()
    ctx.set_user_data(WORDS)
    ctx.set_state_changed_cb(on_state)
    pe.connect_ctx(ctx)
    ctx.start()
    while len(answers) < len(WORDS):
        pe.progress()
    print(*sorted(answers))
    ctx.stop()
    while ctx.get_state() != cc.DOCA_CTX_STATE_IDLE:
        pe.progress()
    client.destroy()
    pe.destroy()
    dev.close()


main()
