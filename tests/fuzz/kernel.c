/* Plays cases of the kernel's fuzzing against ring.c and posts.c, built with the sanitizers by test_kernel.py.
 *
 * Reads cases from the standard input, `case NAME` and then one step per line (see grammar.py), and repeats every
 * name before it begins, so that a crash tells whose it was. The two sides' shared memory lies in heap blocks of the
 * exact size, so that a step out of it is noticed. Until a case has lied, what is received must be what was sent.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "pace.c"
#include "ring.c"
#include "posts.c"

enum { LONGEST = 4096, MOST_QUEUE = 16, MOST_DEPTH = 16, MOST_IMM = 1024, MOST_MEMORY = 1 << 16 };
#define MUST(condition) do { if (!(condition)) fail(__LINE__, #condition); } while (0)

static char name[256] = "none";
static comch_tx tx;
static comch_rx rx;
static comch_rx *rings[1] = {&rx};
static comch_slot slots[1];
static comch_poller poller;
static comch_consumer consumer;
static comch_target target;
static uint8_t *ring, *posts, *memory;
static uint64_t ring_size, posts_size;
static uint64_t sent, received, filled, taken;  /* messages */
static int lied;

static void fail(int line, const char *what)
{
    fprintf(stderr, "case %s: line %d: %s\n", name, line, what);
    abort();
}

static uint8_t *block(uint64_t size)
{
    void *made = NULL;
    MUST(!posix_memalign(&made, PAGE, size));
    memset(made, 0, size);
    return made;
}

static uint32_t clamped(uint64_t value, uint32_t least, uint32_t most)
{
    return (uint32_t)(least + (value - least) % (most - least + 1));
}

static void let_go(void)
{
    free(ring);
    free(posts);
    free(memory);
    ring = posts = memory = NULL;
}

/* Whoever made the ring says where its words begin. Where they cannot, neither end takes it. */
static void attach(uint64_t said)
{
    uint32_t place = (uint32_t)said;
    int possible = place % LINE == 0 && place <= COMCH_LAST_PLACE;

    memcpy(ring + COMCH_PLACE, &place, sizeof place);
    MUST(comch_tx_attach(&tx, ring) == (possible ? COMCH_OK : COMCH_CORRUPT));
    MUST(comch_rx_attach(&rx, ring) == (possible ? COMCH_OK : COMCH_CORRUPT));
    if (!possible)
        attach(0);
}

/* open MAX_MSG RECV_LIMIT SEND_LIMIT DEPTH IMM_MAX MEMORY_SIZE PLACE */
static void step_open(const uint64_t *n)
{
    let_go();
    memset(&tx, 0, sizeof tx);
    memset(&rx, 0, sizeof rx);
    memset(&poller, 0, sizeof poller);
    memset(&consumer, 0, sizeof consumer);
    memset(&target, 0, sizeof target);
    sent = received = filled = taken = lied = 0;
    tx.max_msg = rx.max_msg = clamped(n[0], 1, LONGEST);
    tx.recv_limit = clamped(n[1], 1, MOST_QUEUE);
    tx.send_limit = clamped(n[2], 1, MOST_QUEUE);
    rx.limit = tx.recv_limit + tx.send_limit;
    tx.capacity = rx.capacity = (uint32_t)comch_ring_capacity(tx.max_msg, rx.limit);
    tx.bell = rx.bell = -1;
    ring_size = (uint64_t)PAGE + tx.capacity;
    ring = block(ring_size);
    attach(n[6]);
    comch_follow(&poller, rings, slots, 1);
    consumer.depth = target.depth = clamped(n[3], 1, MOST_DEPTH);
    consumer.imm_max = target.imm_max = clamped(n[4], 0, MOST_IMM);
    consumer.stride = target.stride = comch_post_stride(consumer.imm_max);
    target.memory_size = clamped(n[5], 1, MOST_MEMORY);
    target.bell = -1;
    posts_size = (uint64_t)PAGE + (uint64_t)consumer.depth * consumer.stride;
    posts = block(posts_size);
    memory = malloc(target.memory_size);
    comch_consumer_attach(&consumer, posts);
    comch_target_attach(&target, posts, memory);
}

static void must_be_sane(int result, int truth)
{
    MUST(result <= COMCH_OK && result > COMCH_POLL);
    MUST(lied || truth);
}

static void step_send(const uint64_t *n)
{
    uint64_t length = n[0] % (LONGEST + 2);
    char *message = malloc(length + 1);
    int result;

    memset(message, (int)(sent & 0xFF), length);
    result = comch_send_now(&tx, message, length);
    free(message);
    must_be_sane(result, result != COMCH_CORRUPT);
    MUST(result != COMCH_LONG || length > tx.max_msg);
    MUST(tx.pos <= tx.capacity && tx.committed <= tx.capacity);
    sent += result == COMCH_OK;
}

static void step_receive(const uint64_t *n)
{
    uint64_t size = n[0] % (LONGEST + 2);
    char *into = malloc(size + 1);
    int64_t result;
    int taken_back;

    while ((result = comch_find(&poller)) == COMCH_POLL)
        if (comch_available(&rx) == 0) {
            result = COMCH_AGAIN;
            break;
        }
    if (result >= 0) {
        MUST(poller.index == 0 && (uint64_t)result <= rx.max_msg);
        if ((uint64_t)result > size)
            result = COMCH_LONG;
        else if ((taken_back = comch_take(&poller, into)) != COMCH_OK)
            result = taken_back;
    }
    MUST(rx.pos <= rx.capacity);
    if (result >= 0) {
        for (int64_t i = 0; !lied && i < result; i++)
            MUST((uint8_t)into[i] == (received & 0xFF));
        MUST(lied || received < sent);
        received++;
    } else {
        must_be_sane((int)result, result != COMCH_CORRUPT);
    }
    free(into);
}

static void step_look(const uint64_t *n)
{
    (void)n;
    must_be_sane(comch_check(&tx), comch_check(&tx) != COMCH_CORRUPT);
    MUST(comch_completed(&tx) <= tx.head);
    MUST(comch_available(&rx) <= (int64_t)rx.limit);
    comch_arm_space(&tx);
    comch_arm_flight(&tx, tx.head);
    comch_arm_data(&poller);
    comch_arm_posts(&consumer);
    comch_being_written(&consumer);
}

static void step_cut(const uint64_t *n)
{
    (void)n;
    MUST(comch_cut(&tx) <= tx.head && comch_cut(&tx) == tx.cut);
}

static void step_leave(const uint64_t *n)
{
    (void)n;
    comch_leave(&rx);
}

/* post OFFSET ROOM WITH_BUFFER: honest ones lie in the memory; past its end it is a lie. */
static void step_post(const uint64_t *n)
{
    uint64_t offset = n[0], room = n[1] & UINT32_MAX;

    if (offset > target.memory_size || room > target.memory_size - offset)
        lied = 1;
    must_be_sane(comch_post_buffer(&consumer, offset, (uint32_t)room, (int)(n[2] & 1)), 1);
}

/* fill LENGTH IMM_LENGTH PRODUCER */
static void step_fill(const uint64_t *n)
{
    uint64_t length = n[0] % (MOST_MEMORY + 2);
    uint32_t imm_length = clamped(n[1], 0, MOST_IMM);
    char *data = malloc(length + 1), *imm = malloc(imm_length + 1);
    int result;

    memset(data, (int)(filled & 0xFF), length);
    memset(imm, (int)(filled & 0xFF), imm_length);
    result = comch_fill(&target, data, length, imm, imm_length, (uint32_t)n[2]);
    free(data);
    free(imm);
    must_be_sane(result, result != COMCH_CORRUPT);
    filled += result == COMCH_OK;
}

static void step_take(const uint64_t *n)
{
    int result = comch_take_post(&consumer);

    (void)n;
    must_be_sane(result, result != COMCH_CORRUPT);
    if (result == COMCH_OK) {
        MUST(consumer.imm_length <= consumer.imm_max);
        for (uint32_t i = 0; !lied && i < consumer.imm_length; i++)
            MUST(consumer.imm[i] == (taken & 0xFF));
        MUST(lied || taken < filled);
        taken++;
    }
    MUST(consumer.posted - consumer.done <= consumer.depth);
}

static void step_close(const uint64_t *n)
{
    (void)n;
    comch_close_posts(&consumer);
}

static void poke(uint8_t *shared, uint64_t size, uint64_t offset, uint64_t value, uint64_t width)
{
    lied = 1;
    width = width % 8 + 1;
    if (size >= width)
        memcpy(shared + offset % (size - width + 1), &value, width);
}

/* ring OFFSET VALUE WIDTH, posts likewise: the other side writes anywhere. */
static void step_ring(const uint64_t *n)
{
    poke(ring, ring_size, n[0], n[1], n[2]);
}

static void step_posts(const uint64_t *n)
{
    poke(posts, posts_size, n[0], n[1], n[2]);
}

static const struct {
    const char *verb;
    void (*play)(const uint64_t *);
} STEPS[] = {
    {"open", step_open}, {"send", step_send}, {"receive", step_receive}, {"look", step_look}, {"cut", step_cut},
    {"leave", step_leave}, {"post", step_post}, {"fill", step_fill}, {"take", step_take}, {"close", step_close},
    {"ring", step_ring}, {"posts", step_posts},
};

static void play(char *line)
{
    static const uint64_t usual[7] = {100, 4, 4, 4, 32, 4096, 0};
    uint64_t n[7] = {0};
    char *rest = strchr(line, ' ');

    if (rest)
        *rest++ = 0;
    if (!strcmp(line, "case")) {
        snprintf(name, sizeof name, "%s", rest ? rest : "");
        printf("case %s\n", name);
        step_open(usual);
        return;
    }
    for (int i = 0; rest && i < 7; i++)
        n[i] = strtoull(rest, &rest, 0);
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++)
        if (!strcmp(line, STEPS[i].verb)) {
            STEPS[i].play(n);
            return;
        }
    fail(__LINE__, line);
}

int main(void)
{
    char line[4096];

    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line && *line != '#')
            play(line);
    }
    let_go();
    puts("done");
    return 0;
}
