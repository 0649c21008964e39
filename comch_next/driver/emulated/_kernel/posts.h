/* The fast path's kernel: the buffers that one consumer has posted, in a shared memfd, and what producers made of them.
 *
 * A page of `comch_posts` is followed by `depth` slots of `stride` bytes, a slot being a `comch_post` and the
 * immediate data behind it. Post number n lies in slot n % depth. The consumer owns `posted` and `closed`, and of a
 * slot where the buffer lies; the producers own `claimed` and `filled`, and of a slot what came. Producers of one
 * connection live in one process and take turns there, so towards the consumer they are one.
 *
 * A producer claims a post before it writes: so either it sees that the consumer has closed, or the consumer sees
 * that somebody is writing and keeps the memory until that has ended. Buffers are offsets into a memfd of the
 * consumer's that both sides have mapped. Whatever is read from the other side is copied out, then checked.
 */
#ifndef COMCH_POSTS_H
#define COMCH_POSTS_H

#include <stdint.h>

typedef struct {
    uint64_t posted, closed;
    uint64_t pad0[6];
    uint64_t claimed, filled;
    uint64_t pad1[6];
    uint32_t armed, pad2[15];
} comch_posts;

typedef struct {
    uint64_t offset;               /* of the free part of the buffer; by the consumer */
    uint32_t room, with_buffer;    /* bytes of it; 0 where only immediate data is wanted */
    uint32_t length, imm_length;   /* what came; by the producer */
    uint32_t producer, reserved;
} comch_post;

typedef struct {
    comch_posts *shared;
    uint8_t *slots;
    uint64_t posted, done;
    uint32_t depth, stride, imm_max;
    uint32_t length, imm_length, producer;  /* of the post taken last */
    uint8_t imm[1024];
} comch_consumer;

typedef struct {
    comch_posts *shared;
    uint8_t *slots, *memory;
    uint64_t memory_size, filled;
    uint32_t depth, stride, imm_max;
    int32_t bell;
} comch_target;

uint32_t comch_post_stride(uint32_t imm_max);
void comch_consumer_attach(comch_consumer *consumer, void *memory);
void comch_target_attach(comch_target *target, void *posts, void *memory);
int comch_post_buffer(comch_consumer *consumer, uint64_t offset, uint32_t room, int with_buffer);
int comch_take_post(comch_consumer *consumer);
int comch_any_filled(comch_consumer *consumer);
int comch_arm_posts(comch_consumer *consumer);
void comch_close_posts(comch_consumer *consumer);
int comch_being_written(comch_consumer *consumer);
int comch_fill(comch_target *target, const char *data, uint64_t length, const char *imm, uint32_t imm_length,
               uint32_t producer);

#endif
