#!/usr/bin/env python3
# -*- coding: latin-1 -*-
"""Written in the nineties' manner: tabs, CRLF, backslashes, semicolons; the greeting is in Latin-1: grüß Gott."""
from __future__ import print_function
import sys; import time
from doca_comm_channel import (Endpoint, open_device,	# objects
	Again,	# nothing there
	ConnectionInprogress,
	)	# the end of the list
import doca_comm_channel as \
	cc

GREETING = "grüß Gott"

def opened(pci, rep = None) :
	ep = Endpoint( ) ; dev = open_device (pci)
	ep.set_device(dev) ; ep.set_max_msg_size( 64 )	# both at once
	if rep : ep.set_device_rep(dev.open_representor( rep ))
	return ep

def poll(ep) :
	for turn in range(100000) :
		try : return ep.recvfrom( 64,	# size
			)
		except Again : time.sleep(1e-4)	# not yet
	else :
		sys.exit("silence")

def main() :
	server = opened("03:00.0", "b1:00.0") ; client = opened("b1:00.0")
	if server and \
	   client : server.listen ("odd_layout") ; peer = client.connect \
		( "odd_layout" )
	try : server . recvfrom (64)
	except ( Again ) : pass
	try : peer.update_info()
	except ConnectionInprogress : print("too early") ; return 1
	else : print("connected") ; client.sendto(GREETING.encode("latin-1"), \
		peer)	# bytes 0xfc and 0xdf
	data , sender = poll(server) ; print(len(data), data == "grüß Gott".encode("latin-1"))
	server.sendto((b"urgent; "	# first half
		b"not"), sender) ; print(poll(client)[0])	; n = 0
	while (n < 3) : n += 1 ; server.sendto(b"%d" % n, sender)
	print([poll(client)[0] for _ in "abc"]) ; rc = cc.doca_comm_channel_ep_sendto(client, b"xy", \
		1, cc.DOCA_CC_MSG_FLAG_NONE, peer) ; print(rc, poll(server)[0])
	for ep in (client, server) :
		dev = ep.get_device()
		if ep is server : rep = ep.get_device_rep()
		else : rep = None ; ep.disconnect(peer)
		ep.destroy() ; rep and rep.close() ; dev.close()
	return 0

if __name__ == "__main__" : sys.exit(main())
# no newline at the end