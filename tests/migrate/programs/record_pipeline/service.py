"""Records come in, one summary for each batch goes out."""
import sys

import doca_comm_channel as dcc
from pipeline import batched, check, decoded, endpoint, patient, polled, sender, started, whole


def summaries(batches):
    """Sum up each batch, and pass on what the batches end with."""
    def sums():
        end = yield from batches
        yield None, end
    for batch, end in ((item, None) if isinstance(item, list) else item for item in sums()):
        if batch is None:
            number, peer = end
            yield peer, {"last": number}
        else:
            peer = batch[0][2]
            yield peer, {"records": len(batch), "sum": sum(record["value"] for _, record, _ in batch)}


def main():
    dev = dcc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = endpoint(dev, rep)
    check(dcc.doca_comm_channel_ep_listen(ep, "records"))
    print("listening", flush=True)
    records = decoded(whole(patient(polled(ep))))
    count = 0
    for count, (peer, summary) in enumerate(summaries(batched(records, 8)), start=1):
        print(count, *summary.items())
        with started(sender(ep, peer)) as out:
            out.send((count, summary))
    number, word, peer = next(records)
    print("then", word, number)
    check(dcc.doca_comm_channel_peer_addr_update_info(peer))
    print("messages", check(*dcc.doca_comm_channel_peer_addr_get_recv_messages(peer)) > count,
          check(*dcc.doca_comm_channel_peer_addr_get_send_messages(peer)))
    check(dcc.doca_comm_channel_ep_disconnect(ep, peer))
    check(dcc.doca_comm_channel_ep_destroy(ep))
    check(dcc.doca_dev_rep_close(rep))
    check(dcc.doca_dev_close(dev))


if __name__ == "__main__":
    sys.exit(main())
