"""Two workers of the host, a thread, an engine and a client each."""

import struct
import threading

import doca_cc as c

JOB = struct.Struct("!Iq")
lock = threading.Lock()
results = {}


def checked(result):
    rc, *rest = result if isinstance(result, tuple) else (result,)
    if rc != c.DOCA_SUCCESS:
        raise OSError(rc, c.doca_error_get_descr(rc))
    return rest[0] if len(rest) == 1 else rest


class Worker(threading.Thread):
    def __init__(self, name, dev, numbers):
        super().__init__(name=name)
        self.dev = dev
        self.numbers = list(numbers)
        self.answers = {}

    def run(self):
        pe = checked(c.doca_pe_create())
        client = checked(c.doca_cc_client_create(self.dev, "farm"))
        ctx = c.doca_cc_client_as_ctx(client)
        checked(c.doca_pe_connect_ctx(pe, ctx))
        checked(c.doca_ctx_set_user_data(ctx, self))
        checked(c.doca_cc_client_task_send_set_conf(client, self.freed, self.freed, 16))
        checked(c.doca_cc_client_event_msg_recv_register(client, self.answered))
        rc = c.doca_ctx_start(ctx)
        assert rc == c.DOCA_ERROR_IN_PROGRESS, rc
        while checked(c.doca_ctx_get_state(ctx)) != c.DOCA_CTX_STATE_RUNNING:
            c.doca_pe_progress(pe)
        connection = checked(c.doca_cc_client_get_connection(client))
        for number, value in enumerate(self.numbers):
            msg = JOB.pack(number, value)
            task = checked(c.doca_cc_client_task_send_alloc_init(client, connection, msg, JOB.size))
            checked(c.doca_task_submit(c.doca_cc_task_send_as_task(task)))
        while len(self.answers) < len(self.numbers):
            c.doca_pe_progress(pe)
        rc = c.doca_ctx_stop(ctx)
        while checked(c.doca_ctx_get_state(ctx)) != c.DOCA_CTX_STATE_IDLE:
            c.doca_pe_progress(pe)
        checked(c.doca_cc_client_destroy(client))
        checked(c.doca_pe_destroy(pe))
        with lock:
            results[self.name] = self.answers

    def freed(self, task, task_user_data, worker):
        assert worker is self
        c.doca_task_free(c.doca_cc_task_send_as_task(task))

    def answered(self, event, recv_buffer, msg_len, cc_connection):
        client = c.doca_cc_client_get_client_ctx(cc_connection)
        worker = checked(c.doca_ctx_get_user_data(c.doca_cc_client_as_ctx(client)))
        number, value = JOB.unpack(recv_buffer[:msg_len])
        worker.answers[number] = value


infos, count = checked(c.doca_devinfo_create_list())
dev = None
for info in infos:
    if checked(c.doca_devinfo_is_equal_pci_addr(info, "b1:00.0")):
        dev = checked(c.doca_dev_open(info))
checked(c.doca_devinfo_destroy_list(infos))
workers = [Worker("w%d" % n, dev, range(10 * n, 10 * n + 10)) for n in range(2)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
for name, answers in sorted(results.items()):
    print("%s: %d answers, sum %d" % (name, len(answers), sum(answers.values())))
checked(c.doca_dev_close(dev))
