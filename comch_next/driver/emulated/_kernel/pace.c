/* See pace.h for what a pace is. */
#include <poll.h>
#include <time.h>

#include "pace.h"

#define POLL_EVERY 1000000ull  /* nanoseconds between polls */
#define AWAY 20000ull          /* nanoseconds without a call that make a loop no tight one */

uint64_t comch_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* What a caller has to do now, one of the constants of pace.h. */
int comch_due(comch_pace *pace, uint64_t clock)
{
    int away = clock - pace->last > AWAY;

    pace->last = clock;
    return clock >= pace->next ? COMCH_DUE : away ? COMCH_DUE_IF_READY : COMCH_NOT_DUE;
}

static int is_ready(int32_t watched)
{
    struct pollfd entry = {.fd = watched, .events = POLLIN};

    return !watched || poll(&entry, 1, 0) != 0;
}

/* Is it time to poll the sockets? Then it is not again before a millisecond has passed. */
int comch_poll_due(comch_pace *pace, uint64_t clock)
{
    int due = comch_due(pace, clock);

    if (due == COMCH_NOT_DUE || (due == COMCH_DUE_IF_READY && !is_ready(pace->watched)))
        return 0;
    pace->next = clock + POLL_EVERY;
    return 1;
}

/* A poll has ended. However long it took, whoever makes the next call has not been away meanwhile. */
void comch_polled(comch_pace *pace)
{
    pace->last = comch_now();
    pace->next = pace->last + POLL_EVERY;
}

/* Whoever makes the next call has not been away, but waited for the sockets: a poll is due when its time has come. */
void comch_attended(comch_pace *pace)
{
    pace->last = comch_now();
}

/* A poll is due in the next call. */
void comch_hurry(comch_pace *pace)
{
    pace->next = 0;
}
