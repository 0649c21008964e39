"""What touches Linux and shared memory. Imports nothing of the storeys above.

ring.h, ring.c     a connection's messages in one direction; posts.h, posts.c: the buffers of a consumer
pace.h, pace.c     when sockets are polled
turns.c            threads that poll give each other the interpreter's lock
bells.h            what both read by and ring
foreign.h, foreign.c    closes what came from a peer, without waiting for anybody
remote.h, remote.c copies from and to the memory of another process
calls.c, objects.h the hot calls: objects that own what they point to, in one C file for each noun
direct.c, direct.h the quick calls for callers in C, as the C libraries are
build              compiles ring, pace, posts, foreign and remote, and names the system calls that Python lacks
memory             sealed shared memory
ring               the two ends of a ring
poller             the rings that are read together
alarm, removal     descriptors that become readable: when a time has passed, when a file has lost its name
handle             what has descriptors, and gives them back when it is dropped
fork               what a process has made stays its own
"""
