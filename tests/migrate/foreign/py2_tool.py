#!/usr/bin/env python2
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
print "opened", dev
try:
    ep = cc.Endpoint()
except cc.DocaError, e:
    print >>sys.stderr, e
