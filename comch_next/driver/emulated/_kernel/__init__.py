"""What touches Linux and shared memory. Imports nothing of the storeys above.

ring.h, ring.c     a connection's messages in one direction; posts.h, posts.c: the buffers of a consumer
build              compiles them, and names the system calls that Python lacks
memory             sealed shared memory
ring               the two ends of a ring
alarm, removal     descriptors that become readable: when a time has passed, when a file has lost its name
fork               what a process has made stays its own
"""
