/* The one hot kernel: a single-producer single-consumer ring of variable records in a shared memfd.
 *
 * A direction of a connection is one `comch_shared` page followed by `capacity` bytes of records. The
 * sender owns `head`, `jump` and `cut`, the receiver owns `tail`, `tail_pos`, `claim` and `left`; nothing else in
 * shared memory steers anybody: sizes and limits are local, and whatever is read from the other side is checked
 * before use. Counts are of messages and never wrap in practice; positions are byte offsets into the records.
 *
 * A message is in the receiver's queue while fewer than `recv_limit` undelivered ones lie before it. The
 * `send_limit` messages behind those are in flight. Both live in the same ring, so a message moves from
 * flight into the queue by the receiver's read alone, with no work on the sender's side. What is sent after the
 * receiver has left reaches no queue: `left` is one more than what had been sent by then, 0 until it leaves.
 *
 * Where in their page the shared words lie differs from ring to ring, and the page's last word tells: a reader of
 * many rings would find all their words in the same few places of its cache otherwise.
 *
 * Messages of several rings are received in the order of their stamps, which their senders write. No stamp is
 * believed that is later than now, earlier than the one before it, or earlier than the beginning of the lap before:
 * a ring holds one lap, so the message has been sent since. So whoever forges stamps gets two laps ahead at most.
 *
 * Records never cross the end: message number `jump` starts at offset 0. At most one jump is unread at a time.
 */
#ifndef COMCH_RING_H
#define COMCH_RING_H

#include <stdint.h>

#include "pace.h"

enum {
    COMCH_PLACE = 4092,      /* offset of the 32-bit word that tells where the shared words begin */
    COMCH_LAST_PLACE = 3776  /* the last multiple of 64 where they may */
};

enum {
    COMCH_OK = 0,
    COMCH_AGAIN = -1,    /* no room, or nothing there */
    COMCH_LONG = -2,     /* message above the limit, or above the caller's buffer */
    COMCH_CLOSED = -3,   /* this direction has ended: see comch_tx.open */
    COMCH_NOMEM = -4,    /* the next part of the ring could not be committed */
    COMCH_CORRUPT = -5,  /* the other side wrote something impossible */
    COMCH_POLL = -6      /* it is time to look at the sockets, then to call again */
};

typedef struct {
    uint64_t head, jump, cut;
    uint64_t pad0[5];
    uint64_t tail, tail_pos, claim, left;
    uint64_t pad1[4];
    uint32_t data_armed, pad2[15];
    uint32_t space_armed, pad3[15];
} comch_shared;

typedef struct {
    comch_shared *shared;
    uint8_t *data;
    comch_pace pace;
    uint64_t head, tail, jump, cut, left, sent_bytes;
    uint32_t pos, tail_pos, capacity, committed, max_msg, recv_limit, send_limit;
    int32_t bell, open;
} comch_tx;

typedef struct {
    comch_shared *shared;
    uint8_t *data;
    uint64_t tail, received_bytes, stamp, lap_began;
    uint32_t pos, capacity, max_msg, limit, lap;  /* lap: messages taken since lap_began; one is `limit` long */
    int32_t bell, seen;  /* seen: it was not empty at the poller's last sweep */
} comch_rx;

/* What a sweep reads of an empty ring; of many rings these lie close together. */
typedef struct {
    const uint64_t *head;
    uint64_t tail;
} comch_slot;

/* Where a connection's two ends keep what they know. A server's cells lie in memory that others may read, so that
 * its counters can be shown while it is busy or stopped: see _fabric/status.py. `since` is nanoseconds of the clock that
 * counts from boot. */
typedef struct {
    comch_tx tx;
    comch_rx rx;
    uint64_t since;
    int32_t client_pid;
    uint32_t up;
} comch_cell;

typedef struct {
    comch_rx **rings;
    comch_slot *slots;
    uint32_t count, index, turn, others;
    uint64_t length, swept;  /* swept: when all rings were last asked, if there are several; others: how many besides
                                that of the message found had one then */
    comch_pace pace;
} comch_poller;

uint64_t comch_ring_capacity(uint32_t max_msg, uint32_t messages);
int comch_tx_attach(comch_tx *tx, void *memory);
int comch_rx_attach(comch_rx *rx, void *memory);
void comch_follow(comch_poller *poller, comch_rx **rings, comch_slot *slots, uint32_t count);
int comch_send(comch_tx *tx, const char *message, uint64_t length);
int comch_send_now(comch_tx *tx, const char *message, uint64_t length);
int comch_check(comch_tx *tx);
uint64_t comch_completed(comch_tx *tx);
uint64_t comch_cut(comch_tx *tx);
void comch_leave(comch_rx *rx);
int comch_has_left(comch_tx *tx);
int comch_arm_space(comch_tx *tx);
int comch_arm_flight(comch_tx *tx, uint64_t count);
int64_t comch_available(comch_rx *rx);
int64_t comch_find(comch_poller *poller);
int comch_take(comch_poller *poller, char *into);
int64_t comch_find_more(comch_poller *poller);
int comch_more_of_last(comch_poller *poller);
int comch_any(comch_poller *poller);
void comch_poll_again(comch_poller *poller);
int comch_arm_data(comch_poller *poller);

#endif
