"""Endpoints for asyncio: the event channels are read by the loop."""
import asyncio

import doca_comm_channel as cc

SIZE = 1024


class Stream:
    """An endpoint whose calls can be awaited; a lock for each direction, since an event channel is one-shot."""

    def __init__(self, ep):
        self.ep = ep
        self.loop = asyncio.get_running_loop()
        self.send_fd, self.recv_fd = ep.get_event_channel()
        self.sending, self.receiving = asyncio.Lock(), asyncio.Lock()

    async def _readable(self, fd):
        ready = self.loop.create_future()
        self.loop.add_reader(fd, ready.set_result, None)
        try:
            await ready
        finally:
            self.loop.remove_reader(fd)

    async def send(self, data, peer):
        async with self.sending:
            while True:
                try:
                    return self.ep.sendto(data, peer)
                except cc.Again:
                    self.ep.event_handle_arm_send()
                    try:
                        await asyncio.wait_for(self._readable(self.send_fd), timeout=0.01)
                    except asyncio.TimeoutError:
                        pass

    async def recv(self):
        async with self.receiving:
            while True:
                try:
                    return self.ep.recvfrom(SIZE)
                except cc.Again:
                    self.ep.event_handle_arm_recv()
                    await self._readable(self.recv_fd)


async def open_stream(dev, name):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_max_msg_size(SIZE)
    peer = ep.connect(name)
    while True:
        try:
            peer.update_info()
            break
        except cc.ConnectionInprogress:
            await asyncio.sleep(0.001)
    return Stream(ep), peer


def start_service(dev, rep, name):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.set_max_msg_size(SIZE)
    ep.listen(name)
    return Stream(ep)
