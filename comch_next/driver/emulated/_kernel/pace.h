/* When the sockets are polled: once per millisecond, and at once for a caller that has been away while one of them is
 * ready. To see that is one system call; the poll that it may spare takes ten to a hundred times as long as any other
 * call. A loop whose turns take as long as an absence must not poll in every turn, or it would take that long by its
 * polls alone.
 *
 * Clocks are nanoseconds of CLOCK_MONOTONIC. */
#ifndef COMCH_PACE_H
#define COMCH_PACE_H

#include <stdint.h>

enum { COMCH_NOT_DUE, COMCH_DUE_IF_READY, COMCH_DUE };

/* `next`: when a poll is due in any case; `last`: the last call. `watched` is a descriptor that is readable when one of
 * the sockets is; 0: there is none, and they may all be ready. */
typedef struct {
    uint64_t next, last;
    int32_t watched, reserved;
} comch_pace;

uint64_t comch_now(void);
int comch_due(comch_pace *pace, uint64_t clock);
int comch_poll_due(comch_pace *pace, uint64_t clock);
void comch_polled(comch_pace *pace);
void comch_attended(comch_pace *pace);
void comch_hurry(comch_pace *pace);

#endif
