# case: a producer of another library
producer.task_send_alloc_init(buf, 1)


# case: producers and consumers
import doca_cc as cc


def received(task, task_user_data, ctx_user_data):
    print(task.get_producer_id(), task.get_buf().get_data_len())
    task.set_buf(ctx_user_data)
    task.as_task().submit()


def sent(task, task_user_data, ctx_user_data):
    task.set_consumer_id(task.get_consumer_id() + 1)


client = cc.Client(cc.open_device("b1:00.0"), "svc")
mmap, inventory = cc.Mmap(), cc.BufInventory(2)
consumer = cc.Consumer(client.get_connection(), mmap)
consumer.task_post_recv_set_conf(received, received, 4)
producer = cc.Producer(client.get_connection())
producer.task_send_set_conf(sent, sent, 4)
buf = inventory.buf_get_by_data(mmap, mmap.get_memrange()[0], 8)
post = consumer.task_post_recv_alloc_init(buf)
send = producer.task_send_alloc_init(buf, consumer.get_id())
send = producer.task_send_alloc_init(consumer_id=producer.get_id(), buf=buf)
for context in (consumer, producer):
    context.as_ctx().stop()
    context.destroy()

# output
import comch_next as comch


def received(task, task_user_data, ctx_user_data):
    print(task.producer_id, task.buf.data_len)
    task.buf = ctx_user_data
    task.submit()


def sent(task, task_user_data, ctx_user_data):
    task.consumer_id = task.consumer_id + 1


client = comch.Client(comch.open_device("b1:00.0"), "svc")
mmap, inventory = comch.Mmap(), comch.BufInventory(2)
consumer = comch.Consumer(client.connection, mmap)
consumer.task_post_recv_set_conf(
    lambda task: received(task, task.user_data, task.context.user_data),
    lambda task: received(task, task.user_data, task.context.user_data),
    4,
)
producer = comch.Producer(client.connection)
producer.task_send_set_conf(
    lambda task: sent(task, task.user_data, task.context.user_data),
    lambda task: sent(task, task.user_data, task.context.user_data),
    4,
)
buf = inventory.buf_get_by_data(mmap, mmap.memrange[0], 8)
post = consumer.task_post_recv_alloc_init(buf)
send = producer.task_send_alloc_init(buf, None, consumer.id)
send = producer.task_send_alloc_init(
    consumer_id=producer.id, buf=buf, imm_data=None
)
for context in (consumer, producer):
    context.stop()
    context.destroy()


# case: flat, with the words of 2.5
from doca_cc import *

LOG_NUM_TASKS = 2


def received(task, task_user_data, ctx_user_data):
    doca_cc_consumer_post_recv_task_set_buf(task, None)


def sent(task, task_user_data, ctx_user_data):
    print(doca_cc_producer_send_task_get_consumer_id(task))


def open_lane(connection, mmap):
    rc, consumer = doca_cc_consumer_create(connection, mmap)
    rc = doca_cc_consumer_post_recv_task_set_conf(consumer, received, received, LOG_NUM_TASKS)
    rc, producer = doca_cc_producer_create(connection)
    rc = doca_cc_producer_send_task_set_conf(producer, sent, sent, LOG_NUM_TASKS + 1)
    return consumer, producer


rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
rc, connection = doca_cc_client_get_connection(client)
rc, mmap = doca_mmap_create()
consumer, producer = open_lane(connection, mmap)
rc, task = doca_cc_producer_send_task_alloc_init(producer, None, 1)

# output
import comch_next as comch

LOG_NUM_TASKS = 2


def received(task, task_user_data, ctx_user_data):
    task.buf = None


def sent(task, task_user_data, ctx_user_data):
    print(task.consumer_id)


def open_lane(connection, mmap):
    rc, consumer = comch.outcome(comch.Consumer, connection, mmap)
    rc = comch.outcome(
        comch.Consumer.task_post_recv_set_conf,
        consumer,
        lambda task: received(task, task.user_data, task.context.user_data),
        lambda task: received(task, task.user_data, task.context.user_data),
        1 << LOG_NUM_TASKS,
    )[0]
    rc, producer = comch.outcome(comch.Producer, connection)
    rc = comch.outcome(
        comch.Producer.task_send_set_conf,
        producer,
        lambda task: sent(task, task.user_data, task.context.user_data),
        lambda task: sent(task, task.user_data, task.context.user_data),
        1 << (LOG_NUM_TASKS + 1),
    )[0]
    return consumer, producer


rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
rc, connection = comch.outcome(comch.Client.connection.fget, client)
rc, mmap = comch.outcome(comch.Mmap)
consumer, producer = open_lane(connection, mmap)
rc, task = comch.outcome(comch.Producer.task_send_alloc_init, producer, None, None, 1)


# case: a send whose allocation is a value
import doca_cc as cc

host = cc.open_device("b1:00.0")
client = cc.Client(host, "svc")
producer = cc.Producer(client.get_connection())
alloc = producer.task_send_alloc_init
task = alloc(None, 1)

# output
import comch_next as comch

host = comch.open_device("b1:00.0")
client = comch.Client(host, "svc")
producer = comch.Producer(client.connection)
alloc = lambda buf, consumer_id, *, producer=producer: producer.task_send_alloc_init(
    buf, None, consumer_id
)
task = alloc(None, 1)
