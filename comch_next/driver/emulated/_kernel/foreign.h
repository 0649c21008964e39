/* Descriptors that came from a peer, and sockets that a peer may have filled with more of them.
 *
 * Whoever closes a descriptor last may have to wait for it: a socket that lingers waits for its own peer, who may read
 * nothing for minutes. So nothing of a peer's is just closed, nor left to the kernel to close. */
#ifndef COMCH_FOREIGN_H
#define COMCH_FOREIGN_H

void comch_discard(int fd);
int comch_drain(int bell);
int comch_is_bell(int fd);

#endif
