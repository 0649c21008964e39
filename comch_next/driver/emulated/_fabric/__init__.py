"""How two processes find and notify each other. Imports `_kernel` and nothing above.

topology    the devices of both sides and their limits, built in or from a file
meeting     the runtime directory, and the listener behind a name
handshake   greeting, welcome and farewell: the datagrams of a connection's socket
greeting    a client between its connect and its acceptance
lobby       the clients of a server that have not greeted yet
offers      consumers as the two sides announce them
bells       the descriptors that one side rings to wake the other
channel     a descriptor for poll and epoll over bells and sockets
status      what a server shows of itself to `python -m comch_next`
"""
