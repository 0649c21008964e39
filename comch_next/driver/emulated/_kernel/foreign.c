/* See foreign.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "foreign.h"

#ifndef SCM_PIDFD
#define SCM_PIDFD 4  /* since Linux 6.5: the sender's, where whoever has the socket has asked for it */
#endif

enum { RINGS = 8, MOST_FDS = 253 + 1, MOST_TAKEN = 64 };
enum { MOST_CLOSERS = 64, STACK = 256 << 10, PATIENCE_NS = 20000000 };

typedef union {
    struct cmsghdr align;
    char room[CMSG_SPACE(MOST_FDS * sizeof(int)) + CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
} control;

static int option(int fd, int name)
{
    int value = -1;
    socklen_t size = sizeof value;

    return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

/* The descriptors that came with a message, or are made for it: MOST_FDS at most. */
static int fds_of(struct msghdr *message, int *fds)
{
    int count = 0;

    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part))
        if (part->cmsg_level == SOL_SOCKET && (part->cmsg_type == SCM_RIGHTS || part->cmsg_type == SCM_PIDFD)) {
            size_t size = part->cmsg_len - CMSG_LEN(0);

            memcpy(&fds[count], CMSG_DATA(part), size);
            count += (int)(size / sizeof *fds);
        }
    return count;
}

/* What lies in a socket first. */
typedef struct {
    char bytes[256];
    ssize_t length;
    int fds[MOST_FDS], count, is_whole;  /* not whole: there was no room for more descriptors */
} Seen;

/* Look at what lies in a socket first, if anything does. It stays there, and holds its descriptors, too. An empty message
 * without descriptors cannot be told from the end, unless credentials have been asked for, which come with messages. */
static int look(int sock, Seen *seen)
{
    control parts;
    struct iovec text = {seen->bytes, sizeof seen->bytes};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = &parts, .msg_controllen = sizeof parts};

    do
        seen->length = recvmsg(sock, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (seen->length < 0 && errno == ECONNRESET);  /* told once, before what still lies there */
    if (seen->length < 0 || (seen->length == 0 && !message.msg_controllen))
        return 0;
    seen->count = fds_of(&message, seen->fds);
    seen->is_whole = !(message.msg_flags & MSG_CTRUNC);
    return 1;
}

static void take(int sock, Seen *seen)
{
    recv(sock, seen->bytes, (size_t)seen->length, MSG_DONTWAIT);
}

/* Descriptors that a closer has still to close. */
typedef struct {
    int *fds, count, room;
} Pile;

static void put(Pile *pile, int fd)
{
    if (pile->count == pile->room) {
        int room = pile->room ? 2 * pile->room : MOST_FDS, *more = realloc(pile->fds, (size_t)room * sizeof *more);

        if (!more) {
            close(fd);
            return;
        }
        pile->fds = more;
        pile->room = room;
    }
    pile->fds[pile->count++] = fd;
}

/* Close without lingering. */
static void close_soon(int fd)
{
    const struct linger none = {0, 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close(fd);
}

/* Put on the pile what lies in a socket of AF_UNIX, and who waits there to be accepted. */
static void take_out(int sock, Pile *pile)
{
    Seen seen;
    int asks = option(sock, SO_TYPE) != SOCK_STREAM, waiting;  /* which has no empty messages, but credentials at its end */

    shutdown(sock, SHUT_RD);
    setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &asks, sizeof asks);
    while (look(sock, &seen)) {
        if (!seen.is_whole) {  /* closing the socket closes the others as they are */
            while (seen.count > 0)
                close_soon(seen.fds[--seen.count]);
            return;
        }
        take(sock, &seen);
        while (seen.count > 0)
            put(pile, seen.fds[--seen.count]);
    }
    while ((waiting = accept4(sock, NULL, NULL, SOCK_CLOEXEC)) >= 0)
        put(pile, waiting);
}

/* Close descriptors, by a closer: each of these calls may wait. No socket lingers, nor does what lies in it, except what
 * Linux closes itself, as this process has no room for it. */
static void dispose(const int *fds, int count)
{
    Pile pile = {0};

    while (count > 0)
        put(&pile, fds[--count]);
    while (pile.count > 0) {
        int fd = pile.fds[--pile.count];

        if (option(fd, SO_DOMAIN) == AF_UNIX)
            take_out(fd, &pile);
        close_soon(fd);
    }
    free(pile.fds);
}

/* Descriptors to close. Either the caller still waits for that, and frees it, or a closer does. */
typedef struct Job {
    struct Job *next;
    int awaited, ended, count;
    int fds[];
} Job;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_ended;
static Job *jobs, **jobs_end;
static int closers, late;  /* late: jobs that nobody waits for any more */

static void *run_closer(void *none)
{
    pthread_mutex_lock(&guard);
    while (jobs) {
        Job *job = jobs;

        if (!(jobs = job->next))
            jobs_end = &jobs;
        pthread_mutex_unlock(&guard);
        dispose(job->fds, job->count);
        pthread_mutex_lock(&guard);
        job->ended = 1;
        if (job->awaited) {
            pthread_cond_broadcast(&job_ended);
        } else {
            late--;
            free(job);
        }
    }
    closers--;
    pthread_mutex_unlock(&guard);
    return none;
}

/* Start a closer, which takes no signal of the program's. If there are too many, or the system has no thread to give,
 * the job waits for another closer. */
static void start_closer(void)
{
    pthread_attr_t detached;
    pthread_t thread;
    sigset_t all, before;

    if (closers >= MOST_CLOSERS || pthread_attr_init(&detached))
        return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&detached, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    closers += pthread_create(&thread, &detached, run_closer, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
}

/* Wait a little for a job's end, unless others have taken longer and have not ended yet. */
static void await(Job *job)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PATIENCE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!job->ended && !late && closers && pthread_cond_timedwait(&job_ended, &guard, &until) == 0)
        ;
}

/* Have a closer close these. */
static void hand_over(const int *fds, int count)
{
    Job *job = malloc(sizeof *job + (size_t)count * sizeof *fds);

    if (!job)
        return dispose(fds, count);
    *job = (Job){.awaited = 1, .count = count};
    memcpy(job->fds, fds, (size_t)count * sizeof *fds);
    pthread_mutex_lock(&guard);
    *jobs_end = job;
    jobs_end = &job->next;
    start_closer();
    await(job);
    if (job->ended) {
        free(job);
    } else {
        job->awaited = 0;
        late++;
    }
    pthread_mutex_unlock(&guard);
}

/* Whether descriptors are left that nobody waits for any more. */
int comch_closing(void)
{
    int closing;

    pthread_mutex_lock(&guard);
    closing = late > 0;
    pthread_mutex_unlock(&guard);
    return closing;
}

static void before_fork(void)
{
    pthread_mutex_lock(&guard);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&guard);
}

/* A child has no closers, and leaves what they have not closed to its parent. */
static void begin_without_closers(void)
{
    pthread_condattr_t steady;

    jobs = NULL;
    jobs_end = &jobs;
    closers = late = 0;
    pthread_mutex_init(&guard, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&job_ended, &steady);
    pthread_condattr_destroy(&steady);
}

__attribute__((constructor)) static void prepare(void)
{
    begin_without_closers();
    pthread_atfork(before_fork, after_fork, begin_without_closers);
}

/* Whether it is of the kind that bells are. These two questions take no lock of the socket, which a peer may hold. */
int comch_is_bell(int fd)
{
    return option(fd, SO_DOMAIN) == AF_UNIX && option(fd, SO_TYPE) == SOCK_DGRAM;
}

/* How many descriptors lie in a socket of AF_UNIX, which Linux tells from 5.6 on; -1: nobody knows, or there is no
 * descriptor left to ask with. It waits for nobody, nor does it take a lock that a peer may hold. */
static int count_within(int sock)
{
    char path[64], text[512], *found;
    ssize_t length = -1;
    int facts;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", sock);
    if ((facts = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
        length = read(facts, text, sizeof text - 1);
        close(facts);
    }
    if (length < 0)
        return -1;
    text[length] = '\0';
    return (found = strstr(text, "scm_fds:")) ? atoi(found + strlen("scm_fds:")) : -1;
}

/* Whether it is a socket of AF_UNIX into which nothing more comes, and in which no descriptor lies. */
static int is_silent(int fd)
{
    int type = option(fd, SO_TYPE);

    return option(fd, SO_DOMAIN) == AF_UNIX && (type == SOCK_DGRAM || type == SOCK_SEQPACKET)
        && shutdown(fd, SHUT_RD) == 0 && count_within(fd) == 0;
}

static int is_harmless(int fd)
{
    return fcntl(fd, F_GET_SEALS) >= 0 || is_silent(fd);
}

/* Close what came from a peer. What may wait is one job: a peer is stuck with its own. The array is overwritten. */
void comch_discard(int *fds, int count)
{
    int risky = 0;

    for (int i = 0; i < count; i++)
        if (is_harmless(fds[i]))
            close(fds[i]);
        else
            fds[risky++] = fds[i];
    if (risky)
        hand_over(fds, risky);
}

/* Take the descriptors out that lie in a socket that no peer has, if they are harmless. Whether none is left. */
int comch_empty(int sock)
{
    Seen seen;
    int within;

    for (int taken = 0; (within = count_within(sock)) > 0 && taken < MOST_TAKEN && look(sock, &seen); taken++) {
        int harmless = 0;

        while (harmless < seen.count && is_harmless(seen.fds[harmless]))
            harmless++;
        if (harmless < seen.count || !seen.is_whole) {
            comch_discard(seen.fds, seen.count);
            return 0;
        }
        take(sock, &seen);
        while (seen.count > 0)
            close(seen.fds[--seen.count]);
    }
    return within == 0;
}

/* The socket of the next client that waits at a listener, or minus what errno says. */
int comch_accept(int listener)
{
    int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    return sock < 0 ? -errno : sock;
}

/* Close a socket that no peer has; a listener, too, and who waits there to be accepted. */
void comch_hang_up(int sock)
{
    int waiting, empty;

    shutdown(sock, SHUT_RD);
    if (option(sock, SO_ACCEPTCONN) > 0) {
        while ((waiting = accept4(sock, NULL, NULL, SOCK_CLOEXEC)) >= 0)
            comch_hang_up(waiting);
        empty = errno == EAGAIN || errno == EINVAL;  /* nobody waits, nor can anybody; EINVAL: of one that blocks */
    } else {
        empty = comch_empty(sock);
    }
    if (empty)
        close(sock);
    else
        hand_over(&sock, 1);
}

/* Make a bell silent, by one system call. 1: it was rung more often than anybody can have asked for. */
int comch_drain(int bell)
{
    control parts[RINGS];
    char data[RINGS];
    struct iovec texts[RINGS];
    struct mmsghdr rings[RINGS];
    int fds[MOST_FDS], count;

    for (int i = 0; i < RINGS; i++) {
        texts[i] = (struct iovec){&data[i], 1};
        rings[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &texts[i], .msg_iovlen = 1, .msg_control = &parts[i],
                                                .msg_controllen = sizeof parts[i]}};
    }
    count = recvmmsg(bell, rings, RINGS, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
    for (int i = 0; i < count; i++)
        comch_discard(fds, fds_of(&rings[i].msg_hdr, fds));
    return count == RINGS;
}
