/* See posts.h. */
#include <string.h>

#include "bells.h"
#include "posts.h"
#include "ring.h"

uint32_t comch_post_stride(uint32_t imm_max)
{
    return (uint32_t)((sizeof(comch_post) + imm_max + LINE - 1) & ~(size_t)(LINE - 1));
}

void comch_consumer_attach(comch_consumer *consumer, void *memory)
{
    consumer->shared = memory;
    consumer->slots = (uint8_t *)memory + PAGE;
}

void comch_target_attach(comch_target *target, void *posts, void *memory)
{
    target->shared = posts;
    target->slots = (uint8_t *)posts + PAGE;
    target->memory = memory;
}

/* COMCH_AGAIN when every slot is taken. */
int comch_post_buffer(comch_consumer *consumer, uint64_t offset, uint32_t room, int with_buffer)
{
    comch_post post = {.offset = offset, .room = room, .with_buffer = with_buffer != 0};

    if (consumer->posted - consumer->done >= consumer->depth)
        return COMCH_AGAIN;
    memcpy(consumer->slots + consumer->posted % consumer->depth * consumer->stride, &post, sizeof post);
    STORE(&consumer->shared->posted, ++consumer->posted);
    return COMCH_OK;
}

/* The oldest post that has been written to: its lengths, producer and immediate data are then in `consumer`. */
int comch_take_post(comch_consumer *consumer)
{
    uint64_t filled = LOAD(&consumer->shared->filled);
    const uint8_t *slot;
    comch_post post;

    if (filled == consumer->done)
        return COMCH_AGAIN;
    if (filled - consumer->done > consumer->posted - consumer->done)
        return COMCH_CORRUPT;
    slot = consumer->slots + consumer->done % consumer->depth * consumer->stride;
    copy_once(&post, slot, sizeof post / 8);
    if (post.imm_length > consumer->imm_max)
        return COMCH_CORRUPT;
    consumer->length = post.length;
    consumer->imm_length = post.imm_length;
    consumer->producer = post.producer;
    memcpy(consumer->imm, slot + sizeof post, post.imm_length);
    consumer->done++;
    return COMCH_OK;
}

/* Has a post been written to (or a fault happened)? */
int comch_any_filled(comch_consumer *consumer)
{
    return LOAD(&consumer->shared->filled) != consumer->done;
}

/* Ask for the bell when a post is written to; 1: one has been (or a fault) already. */
int comch_arm_posts(comch_consumer *consumer)
{
    arm(&consumer->shared->armed);
    return comch_any_filled(consumer);
}

void comch_close_posts(comch_consumer *consumer)
{
    STORE(&consumer->shared->closed, 1);
    FENCE();
}

/* Is a producer writing to a post right now? */
int comch_being_written(comch_consumer *consumer)
{
    return LOAD(&consumer->shared->claimed) != LOAD(&consumer->shared->filled);
}

/* Write to the next post. COMCH_AGAIN: there is none; COMCH_LONG: its buffer is too small, or the consumer takes less
 * immediate data; COMCH_CLOSED: the consumer is going. Callers take turns. */
int comch_fill(comch_target *target, const char *data, uint64_t length, const char *imm, uint32_t imm_length,
               uint32_t producer)
{
    comch_posts *shared = target->shared;
    uint64_t waiting = LOAD(&shared->posted) - target->filled;
    uint8_t *slot;
    comch_post post;

    if (LOAD(&shared->closed))
        return COMCH_CLOSED;
    if (!waiting)
        return COMCH_AGAIN;
    if (waiting > target->depth)
        return COMCH_CORRUPT;
    slot = target->slots + target->filled % target->depth * target->stride;
    copy_once(&post, slot, sizeof post / 8);
    if (post.offset > target->memory_size || post.room > target->memory_size - post.offset)
        return COMCH_CORRUPT;
    if (length > (post.with_buffer ? post.room : 0) || imm_length > target->imm_max)
        return COMCH_LONG;
    STORE(&shared->claimed, target->filled + 1);
    FENCE();
    if (LOAD(&shared->closed)) {
        STORE(&shared->claimed, target->filled);
        FENCE();
        ring_bell(target->bell, &shared->armed);  /* it may have seen the claim, and wait for its end */
        return COMCH_CLOSED;
    }
    if (length)
        memcpy(target->memory + post.offset, data, length);
    post.length = (uint32_t)length;
    post.imm_length = imm_length;
    post.producer = producer;
    memcpy(slot, &post, sizeof post);
    if (imm_length)
        memcpy(slot + sizeof post, imm, imm_length);
    STORE(&shared->filled, ++target->filled);
    FENCE();
    ring_bell(target->bell, &shared->armed);
    return COMCH_OK;
}
