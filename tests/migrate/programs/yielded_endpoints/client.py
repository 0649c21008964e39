import contextlib
import time
import doca_comm_channel as cc


def clients(*names):
    """Yield connected clients with what they talk to, and close them all when the generator ends."""
    with contextlib.ExitStack() as stack:
        device = cc.open_device("b1:00.0")
        stack.callback(device.close)
        for name in names:
            ep = cc.Endpoint()
            stack.callback(ep.destroy)
            ep.set_device(device)
            ep.set_max_msg_size(400)
            peer = ep.connect(name)
            stack.callback(lambda ep=ep, peer=peer: ep.disconnect(peer))
            yield name, ep, peer


def done(step):
    try:
        step()
    except (cc.Again, cc.ConnectionInprogress):
        return False
    return True


def answers(ep):
    while True:
        try:
            yield ep.recvfrom(400)[0]
        except cc.Again:
            time.sleep(1e-4)


pool = []
made = clients("gen-a", "gen-b")
for name, ep, peer in made:
    while not done(peer.update_info):
        time.sleep(1e-4)
    pool.append((name, ep, peer))
    if len(pool) == 2:
        break
incoming = {name: answers(ep) for name, ep, _ in pool}
for name, ep, peer in pool:
    while not done(lambda: ep.sendto(name.encode(), peer)):
        pass
print({name: next(answer) for name, answer in incoming.items()})
for _, ep, peer in pool:
    while not done(lambda: ep.sendto(b"bye", peer)):
        pass
time.sleep(0.3)
made.close()
