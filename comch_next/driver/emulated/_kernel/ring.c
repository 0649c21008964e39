/* See ring.h for what a ring is; here is how it moves. Linux 5.14 or newer (MADV_POPULATE_WRITE). */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bells.h"
#include "ring.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { ALIGN = 16, COMMIT = 256 * 1024, REUSE = 32 * 1024, BUSY_TURNS = 64, AHEAD = 256 };
_Static_assert(COMCH_LAST_PLACE + sizeof(comch_shared) <= COMCH_PLACE, "the shared words fit before their place");
#define NO_CUT UINT64_MAX

typedef struct {
    uint32_t length, reserved;
    uint64_t stamp;
} record;

static uint32_t footprint(uint64_t length)
{
    return (uint32_t)((sizeof(record) + length + ALIGN - 1) & ~(uint64_t)(ALIGN - 1));
}

/* Bytes of records that always hold `messages` of the longest kind: one more is lost where the ring wraps,
 * one more keeps the writer from ever catching up with the reader. */
uint64_t comch_ring_capacity(uint32_t max_msg, uint32_t messages)
{
    uint64_t bytes = ((uint64_t)messages + 2) * footprint(max_msg);
    return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* Where the shared words lie, read once; NULL when that is no place for them. */
static comch_shared *shared_words(void *memory)
{
    uint32_t place = *(volatile uint32_t *)((uint8_t *)memory + COMCH_PLACE);
    return place % LINE || place > COMCH_LAST_PLACE ? NULL : (comch_shared *)((uint8_t *)memory + place);
}

int comch_tx_attach(comch_tx *tx, void *memory)
{
    uint32_t first = tx->capacity < COMMIT ? tx->capacity : COMMIT;

    if (!(tx->shared = shared_words(memory)))
        return COMCH_CORRUPT;
    tx->data = (uint8_t *)memory + PAGE;
    if (madvise(memory, (size_t)PAGE + first, MADV_POPULATE_WRITE))
        return COMCH_NOMEM;
    tx->committed = first;
    tx->cut = tx->shared->cut = NO_CUT;
    tx->open = 1;
    return COMCH_OK;
}

int comch_rx_attach(comch_rx *rx, void *memory)
{
    if (!(rx->shared = shared_words(memory)))
        return COMCH_CORRUPT;
    rx->data = (uint8_t *)memory + PAGE;
    rx->seen = LOAD(&rx->shared->head) != 0;
    return COMCH_OK;
}

/* Read these rings from now on; `rings` and `slots` have room for so many, and live as long as the poller. */
void comch_follow(comch_poller *poller, comch_rx **rings, comch_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        slots[i].head = &rings[i]->shared->head;
        slots[i].tail = rings[i]->tail;
    }
    poller->rings = rings;
    poller->slots = slots;
    poller->count = count;
    poller->turn++;  /* what has been found is of other rings */
    poller->others = 1;
}

/* Take over the reader's progress. What it says must lie between what it said before and what was sent. */
static int refresh(comch_tx *tx)
{
    uint64_t tail = LOAD(&tx->shared->tail);
    uint64_t pos = LOAD(&tx->shared->tail_pos);
    uint64_t left = LOAD(&tx->shared->left);

    if (tail < tx->tail || tail > tx->head || pos > tx->capacity || pos % ALIGN)
        return COMCH_CORRUPT;
    if (left && left - 1 > tx->head)
        return COMCH_CORRUPT;
    tx->tail = tail;
    tx->left = left;
    tx->tail_pos = tail == tx->jump ? 0 : (uint32_t)pos;
    return COMCH_OK;
}

/* Find `need` contiguous bytes: go back to the start where the end is too near, and to warm memory when empty. */
static int make_room(comch_tx *tx, uint32_t need)
{
    int empty = tx->head == tx->tail;

    if (!empty && tx->pos < tx->tail_pos)
        return tx->tail_pos - tx->pos > need ? COMCH_OK : COMCH_AGAIN;
    if (tx->capacity - tx->pos >= need && !(empty && tx->pos >= REUSE))
        return COMCH_OK;
    if (!empty && tx->tail_pos <= need)
        return COMCH_AGAIN;
    if (empty)
        tx->tail_pos = 0;
    tx->pos = 0;
    tx->jump = tx->head;
    __atomic_store_n(&tx->shared->jump, tx->jump, __ATOMIC_RELAXED);  /* published by the next `head` */
    return COMCH_OK;
}

static int commit(comch_tx *tx, uint32_t end)
{
    while (end > tx->committed) {
        uint32_t left = tx->capacity - tx->committed;
        uint32_t part = left < COMMIT ? left : COMMIT;
        uint8_t *from = tx->data + tx->committed;
        size_t over = (uintptr_t)from % (size_t)sysconf(_SC_PAGESIZE);  /* which may be more than PAGE */
        if (madvise(from - over, over + part, MADV_POPULATE_WRITE))
            return COMCH_NOMEM;
        tx->committed += part;
    }
    return COMCH_OK;
}

/* Why no such message can be sent, if it cannot. */
static int refusal(comch_tx *tx, uint64_t length)
{
    if (!tx->open)
        return COMCH_CLOSED;
    return length > tx->max_msg ? COMCH_LONG : COMCH_OK;
}

static int append(comch_tx *tx, const char *message, uint64_t length, uint64_t stamp)
{
    uint64_t limit = (uint64_t)tx->recv_limit + tx->send_limit;
    uint32_t need = footprint(length);
    record header = {.stamp = stamp, .length = (uint32_t)length};
    int result;

    if (tx->head - tx->tail >= limit || (tx->pos >= REUSE && !(tx->head % 16))) {
        if ((result = refresh(tx)))
            return result;
        if (tx->head - tx->tail >= limit)
            return COMCH_AGAIN;
    }
    if (make_room(tx, need) && ((result = refresh(tx)) || (result = make_room(tx, need))))
        return result;
    if ((result = commit(tx, tx->pos + need)))
        return result;
    memcpy(tx->data + tx->pos, &header, sizeof header);
    memcpy(tx->data + tx->pos + sizeof header, message, length);
    tx->pos += need;
    tx->head++;
    tx->sent_bytes += length;
    STORE(&tx->shared->head, tx->head);
    for (uint32_t ahead = 0; ahead < AHEAD; ahead += LINE)  /* the reader had these last; nobody waits for them now */
        __builtin_prefetch(tx->data + tx->pos + ahead, 1);
    FENCE();
    ring_bell(tx->bell, &tx->shared->data_armed);
    return COMCH_OK;
}

int comch_send(comch_tx *tx, const char *message, uint64_t length)
{
    int result = refusal(tx, length);
    uint64_t stamp;

    if (result)
        return result;
    stamp = comch_now();
    return comch_poll_due(&tx->pace, stamp) ? COMCH_POLL : append(tx, message, length, stamp);
}

/* As comch_send, for whoever has just looked at the sockets, or looks at them later in any case. */
int comch_send_now(comch_tx *tx, const char *message, uint64_t length)
{
    int result = refusal(tx, length);

    return result ? result : append(tx, message, length, comch_now());
}

/* Would a send be accepted now? */
int comch_check(comch_tx *tx)
{
    if (!tx->open)
        return COMCH_CLOSED;
    if (refresh(tx))
        return COMCH_CORRUPT;
    return tx->head - tx->tail < (uint64_t)tx->recv_limit + tx->send_limit ? COMCH_OK : COMCH_AGAIN;
}

/* How many sends have reached the receiver's queue. */
uint64_t comch_completed(comch_tx *tx)
{
    uint64_t reached;

    if (refresh(tx))
        return tx->tail;
    reached = tx->tail + tx->recv_limit;
    if (reached > tx->head)
        reached = tx->head;
    if (tx->left && reached >= tx->left)
        reached = tx->left > tx->tail ? tx->left - 1 : tx->tail;
    return reached < tx->cut ? reached : tx->cut;
}

/* End the direction: what is in the queue stays readable, what is in flight is taken back. Returns how many
 * messages the receiver may still get in all. The receiver claims a message before it reads it, so either it
 * sees the cut, or the cut sees its claim. */
uint64_t comch_cut(comch_tx *tx)
{
    uint64_t claim;

    if (!tx->open)
        return tx->cut;
    tx->cut = comch_completed(tx);
    tx->open = 0;
    STORE(&tx->shared->cut, tx->cut);
    FENCE();
    claim = LOAD(&tx->shared->claim);
    if (claim > tx->cut && claim <= tx->head) {
        tx->cut = claim;
        STORE(&tx->shared->cut, claim);
    }
    return tx->cut;
}

/* The receiver leaves: nothing that is sent from now on has reached its queue. */
void comch_leave(comch_rx *rx)
{
    STORE(&rx->shared->left, LOAD(&rx->shared->head) + 1);
}

/* Has the receiver left, as it does before it says goodbye? */
int comch_has_left(comch_tx *tx)
{
    return LOAD(&tx->shared->left) != 0;
}

/* Ask for the bell when room appears; 1: there is room (or an end) already. */
int comch_arm_space(comch_tx *tx)
{
    arm(&tx->shared->space_armed);
    return comch_check(tx) != COMCH_AGAIN;
}

/* Ask for the bell when send number `count` leaves flight; 1: it has left already. */
int comch_arm_flight(comch_tx *tx, uint64_t count)
{
    arm(&tx->shared->space_armed);
    return comch_completed(tx) >= count;
}

/* Messages that may be read now, or COMCH_CORRUPT. */
int64_t comch_available(comch_rx *rx)
{
    uint64_t head = LOAD(&rx->shared->head), cut = LOAD(&rx->shared->cut);

    if (head - rx->tail > rx->limit)
        return COMCH_CORRUPT;
    if (cut < head)
        head = cut;
    return head > rx->tail ? (int64_t)(head - rx->tail) : 0;
}

/* Copy the next header out of shared memory and check the copy. */
static int peek(comch_rx *rx, record *header)
{
    if (__atomic_load_n(&rx->shared->jump, __ATOMIC_RELAXED) == rx->tail)
        rx->pos = 0;
    if (rx->pos >= rx->capacity)
        return COMCH_CORRUPT;
    copy_once(header, rx->data + rx->pos, sizeof *header / 8);
    if (header->reserved || header->length > rx->max_msg || footprint(header->length) > rx->capacity - rx->pos)
        return COMCH_CORRUPT;
    return COMCH_OK;
}

static uint64_t clamp(comch_rx *rx, uint64_t stamp, uint64_t clock)
{
    if (stamp > clock)
        stamp = clock;
    return stamp > rx->stamp ? stamp : rx->stamp;
}

/* The first ring from `from` on that is not empty, or `to`. Most rings are empty most of the time, and each receive
 * passes over them all: this loop has nothing in it that only a message needs. */
static uint32_t next_filled(const comch_slot *slots, uint32_t from, uint32_t to)
{
    while (from < to && LOAD(slots[from].head) == slots[from].tail)
        from++;
    return from;
}

/* Find the oldest message of all rings: its length, or a negative code; poller->index says whose it is. A busy poller
 * is sent to look at the sockets now and then, too. The message stays until comch_take. */
int64_t comch_find(comch_poller *poller)
{
    uint64_t oldest = UINT64_MAX, clock = poller->count > 1 ? comch_now() : 0;
    uint32_t best = poller->count, first = poller->index < best ? poller->index + 1 : 0;
    record header;

    if (++poller->turn % BUSY_TURNS == 0 && comch_now() >= poller->pace.next && comch_poll_due(&poller->pace, comch_now()))
        return COMCH_POLL;
    poller->others = 0;
    for (int part = 0; part < 2; part++) {  /* the likeliest is asked last: least time passes after it */
        uint32_t i = part ? 0 : first, end = part ? first : poller->count;
        for (; (i = next_filled(poller->slots, i, end)) < end; i++) {
            comch_rx *rx = poller->rings[i];
            int64_t waiting = comch_available(rx);
            if (!waiting)
                continue;
            if (waiting < 0 || peek(rx, &header)) {
                poller->index = i;
                return COMCH_CORRUPT;
            }
            if (!rx->seen && poller->swept > rx->stamp)
                rx->stamp = poller->swept;  /* it was empty then, so this came after, whatever its sender says */
            rx->seen = 1;
            poller->others += best != poller->count;
            rx->stamp = clamp(rx, header.stamp, clock);
            if (rx->stamp < oldest || best == poller->count) {
                oldest = rx->stamp;
                best = i;
                poller->length = header.length;
            }
        }
    }
    poller->swept = clock;
    if (best == poller->count)
        return comch_poll_due(&poller->pace, clock ? clock : comch_now()) ? COMCH_POLL : COMCH_AGAIN;
    poller->index = best;
    return (int64_t)poller->length;
}

/* A look that was due has not been made: the next comch_find says so again. Turns only go up: whoever has been away knows
 * by them that what was found before is another's. */
void comch_poll_again(comch_poller *poller)
{
    comch_hurry(&poller->pace);
    poller->turn |= BUSY_TURNS - 1;
}

/* Take the message that was found, of poller->length bytes. COMCH_AGAIN: its sender has taken it back meanwhile. */
int comch_take(comch_poller *poller, char *into)
{
    uint32_t length = (uint32_t)poller->length;
    comch_rx *rx = poller->rings[poller->index];

    STORE(&rx->shared->claim, rx->tail + 1);
    FENCE();
    if (LOAD(&rx->shared->cut) <= rx->tail)
        return COMCH_AGAIN;
    memcpy(into, rx->data + rx->pos + sizeof(record), length);
    rx->pos += footprint(length);
    rx->tail++;
    poller->slots[poller->index].tail = rx->tail;
    rx->seen = LOAD(&rx->shared->head) != rx->tail;
    rx->received_bytes += length;
    if (++rx->lap >= rx->limit) {
        if (rx->stamp < rx->lap_began)
            rx->stamp = rx->lap_began;
        rx->lap_began = poller->swept;
        rx->lap = 0;
    }
    STORE(&rx->shared->tail_pos, rx->pos);
    STORE(&rx->shared->tail, rx->tail);
    FENCE();
    ring_bell(rx->bell, &rx->shared->space_armed);
    return COMCH_OK;
}

/* What comch_find says, after comch_take: rings that were empty before it are asked in a later turn. */
int64_t comch_find_more(comch_poller *poller)
{
    if (poller->others || poller->rings[poller->index]->seen)
        return comch_find(poller);
    return comch_poll_due(&poller->pace, comch_now()) ? COMCH_POLL : COMCH_AGAIN;
}

/* Whether something has come on the ring of the last message: the cheapest of all looks, at the likeliest place. */
int comch_more_of_last(comch_poller *poller)
{
    uint32_t i = poller->index;

    return i < poller->count && LOAD(poller->slots[i].head) != poller->slots[i].tail;
}

/* Whether there is a message, or a fault. */
int comch_any(comch_poller *poller)
{
    for (uint32_t i = 0; i < poller->count; i++)
        if (comch_available(poller->rings[i]))
            return 1;
    return 0;
}

/* Ask for the bell when a message arrives on any ring. 1: there is one (or a fault) already, and no bell is asked for:
 * whoever knows of a message need not be woken by others. */
int comch_arm_data(comch_poller *poller)
{
    if (comch_any(poller))
        return 1;
    for (uint32_t i = 0; i < poller->count; i++)
        arm(&poller->rings[i]->shared->data_armed);
    if (!comch_any(poller))
        return 0;
    for (uint32_t i = 0; i < poller->count; i++)
        STORE(&poller->rings[i]->shared->data_armed, 0);
    return 1;
}
