# Secure channel, after NVIDIA's application: two threads, one endpoint, one mutex, two epoll sets.
import os, select, signal, threading
from doca_comm_channel import Endpoint, open_device, Again, DocaError

lock = threading.Lock()
first_peer = threading.Event()
peers = []


def sender(ep, count, text):
	first_peer.wait()
	peer = peers[0]
	fd, _ = ep.get_event_channel()
	poller = select.epoll()
	poller.register(fd, select.EPOLLIN)
	sent = 0
	while sent < count:
		try:
			with lock:
				ep.sendto(text, peer)
			sent += 1
		except Again:
			with lock:
				ep.event_handle_arm_send()
			poller.poll(0.01)
		except DocaError as e:
			print("skipped", e)
	print("sent", sent)


def receiver(ep, count):
	_, fd = ep.get_event_channel()
	poller = select.epoll()
	poller.register(fd, select.EPOLLIN)
	got = 0
	while got < count:
		try:
			with lock:
				msg, peer = ep.recvfrom(4080)
			if not peers:
				peers.append(peer)
				first_peer.set()
			got += 1
		except Again:
			with lock:
				ep.event_handle_arm_recv()
			poller.poll()
	print("got", got)


def main():
	dev = open_device("03:00.0")
	rep = dev.open_representor("b1:00.0")
	ep = Endpoint()
	ep.set_device(dev)
	ep.set_device_rep(rep)
	ep.set_send_queue_size(8190)
	ep.set_recv_queue_size(8190)
	ep.listen("secure")
	threads = [threading.Thread(target=sender, args=(ep, 10, b"hi")),
	           threading.Thread(target=receiver, args=(ep, 10))]
	for t in threads: t.start()
	for t in threads: t.join()
	ep.destroy()


main()
