/* See foreign.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "foreign.h"

#ifndef SCM_PIDFD
#define SCM_PIDFD 4  /* since Linux 6.5: the sender's, where whoever has the socket has asked for it */
#endif

enum { RINGS = 8, MOST_FDS = 253, MOST_QUEUED = 4096, DEEPEST = 16 };

static void discard(int fd, int depth);

typedef union {
    struct cmsghdr align;
    char room[CMSG_SPACE(MOST_FDS * sizeof(int)) + CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
} control;

/* Discard the descriptors that came with a message, or are made for it. */
static void discard_fds(struct msghdr *message, int depth)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part))
        if (part->cmsg_level == SOL_SOCKET && (part->cmsg_type == SCM_RIGHTS || part->cmsg_type == SCM_PIDFD))
            for (size_t at = 0; at + sizeof(int) <= part->cmsg_len - CMSG_LEN(0); at += sizeof(int))
                discard(*(int *)(CMSG_DATA(part) + at), depth - 1);
}

/* Take what lies in a socket, and discard whatever came with it. -1: nothing lies there; 0: it was empty, or this is
 * the end, unless credentials have been asked for: these come with all but the end, and that of a stream. */
static int take_one(int sock, int depth)
{
    control parts;
    char data[256];
    struct iovec text = {data, sizeof data};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = &parts, .msg_controllen = sizeof parts};
    ssize_t length = recvmsg(sock, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

    if (length < 0)
        return -1;
    discard_fds(&message, depth);
    return length > 0 || message.msg_controllen > 0;
}

/* Nobody can put anything more into it, and what lies there is taken out; so are those who wait to be accepted. */
static void empty(int sock, int depth)
{
    int asks, type = SOCK_STREAM, waiting;
    socklen_t size = sizeof type;

    shutdown(sock, SHUT_RD);
    getsockopt(sock, SOL_SOCKET, SO_TYPE, &type, &size);
    asks = type != SOCK_STREAM;  /* which has no empty messages, but credentials at its end */
    setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &asks, sizeof asks);
    for (int queued = 0; queued < MOST_QUEUED && take_one(sock, depth) > 0; queued++)
        ;
    for (int queued = 0; queued < MOST_QUEUED && (waiting = accept4(sock, NULL, NULL, SOCK_CLOEXEC)) >= 0; queued++)
        discard(waiting, depth - 1);
}

static void discard(int fd, int depth)
{
    struct linger none = {0, 0};
    int domain = 0;
    socklen_t size = sizeof domain;

    if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none) == 0 && depth > 0
        && getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX)
        empty(fd, depth);
    close(fd);
}

/* Close a descriptor without waiting for anybody. */
void comch_discard(int fd)
{
    discard(fd, DEEPEST);
}

/* Make a bell silent, by one system call. 1: it was rung more often than anybody can have asked for. */
int comch_drain(int bell)
{
    control parts[RINGS];
    char data[RINGS];
    struct iovec texts[RINGS];
    struct mmsghdr rings[RINGS];
    int count;

    for (int i = 0; i < RINGS; i++) {
        texts[i] = (struct iovec){&data[i], 1};
        rings[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &texts[i], .msg_iovlen = 1, .msg_control = &parts[i],
                                                .msg_controllen = sizeof parts[i]}};
    }
    count = recvmmsg(bell, rings, RINGS, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
    for (int i = 0; i < count; i++)
        discard_fds(&rings[i].msg_hdr, DEEPEST);
    return count == RINGS;
}

static int option(int fd, int name)
{
    int value = -1;
    socklen_t size = sizeof value;

    return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

/* Whether it is of the kind that bells are. These two questions take no lock of the socket, which a peer may hold. */
int comch_is_bell(int fd)
{
    return option(fd, SO_DOMAIN) == AF_UNIX && option(fd, SO_TYPE) == SOCK_DGRAM;
}
