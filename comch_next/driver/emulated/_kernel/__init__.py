"""What touches Linux and shared memory. Imports nothing of the storeys above.

ring.h, ring.c     a connection's messages in one direction; posts.h, posts.c: the buffers of a consumer
bells.h            what both read by and ring
foreign.h, foreign.c    closes what came from a peer, without waiting for anybody
calls.c, objects.h the hot calls: objects that own what they point to, in one C file for each noun
build              compiles the three above, and names the system calls that Python lacks
memory             sealed shared memory
ring               the two ends of a ring
poller             the rings that are read together
alarm, removal     descriptors that become readable: when a time has passed, when a file has lost its name
handle             what has descriptors, and gives them back when it is dropped
fork               what a process has made stays its own
"""
