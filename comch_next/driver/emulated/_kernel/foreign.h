/* Descriptors that came from a peer, and sockets that a peer may have filled with more of them.
 *
 * To close one may take as long as a stranger likes: a socket that lingers waits for its own peer, a file on FUSE for
 * the process behind it; a socket that is closed closes what lies in it. To ask or read a socket that a peer has, too,
 * may wait for that peer. So only what cannot wait is closed here: memory, bells and sockets in which nothing lies.
 * Everything else is closed by threads that do nothing else, made when they are needed; a thread that is stuck holds
 * nobody up.
 */
#ifndef COMCH_FOREIGN_H
#define COMCH_FOREIGN_H

void comch_discard(int *fds, int count);
void comch_hang_up(int sock);
int comch_empty(int sock);
int comch_drain(int bell);
int comch_is_bell(int fd);
int comch_closing(void);
int comch_accept(int listener);

#endif
