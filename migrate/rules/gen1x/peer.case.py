# case: what is known of a peer
import doca_comm_channel as cc

rc, ep = cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr(msgsize=64))
rc, peer = cc.doca_comm_channel_ep_connect(ep, "svc")
cc.doca_comm_channel_peer_addr_user_data_set(peer, 7)
rc, number = cc.doca_comm_channel_peer_addr_user_data_get(peer)
rc, info = cc.doca_comm_channel_peer_addr_info_get(peer)
print(number, info.rx_msgs, info.curmsgs)

# output
import comch_next as comch

rc, ep = comch.outcome(comch.BlockingChannel, comch.InitAttr(msgsize=64))
rc, peer = comch.outcome(comch.BlockingChannel.connect, ep, "svc")
comch.outcome(comch.Connection.user_data.fset, peer, 7)
rc, number = comch.outcome(comch.Connection.user_data.fget, peer)
rc, info = comch.outcome(comch.peer_info, peer)
print(number, info.rx_msgs, info.curmsgs)
