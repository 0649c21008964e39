# case: a size of something else
print(window.get_recv_queue_size())


# case: read back
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
print(ep.get_max_msg_size(), ep.get_device() is dev)

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(dev, "svc")
peer = ep.connect(timeout=0)
print(ep.max_msg_size, ep.device is dev)


# case: queue sizes, which were rounded
import doca_comm_channel as cc

QUEUE_SIZE = 10
dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_send_queue_size(QUEUE_SIZE)
ep.set_recv_queue_size(2)
peer = ep.connect("svc")
print(ep.get_send_queue_size(), ep.get_recv_queue_size())

# output
import comch_next as comch

QUEUE_SIZE = 10
dev = comch.open_device("b1:00.0")
ep = comch.Client(dev, "svc", send_queue_size=QUEUE_SIZE, recv_queue_size=2)
peer = ep.connect(timeout=0)
print(16, 8)


# case: a queue size that only the library knows
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
print(ep.get_recv_queue_size())

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
peer = ep.connect("svc")
# CCM043: a queue size is read back (python -m migrate explain CCM043)
print(ep.get_recv_queue_size())
