/* What gcc has code call before each read of memory, with -fsanitize=thread, in place of that sanitizer's own library:
 * here the other side changes a word that it shares. */
#include <stdint.h>
#include <string.h>

static uintptr_t word;
static uint64_t size, before, after;
static uint32_t reads, at;

/* Have the word there read as `first` so many times, and then as `later`. */
void change(void *where, uint64_t bytes, uint64_t first, uint64_t later, uint32_t times)
{
    word = (uintptr_t)where;
    size = bytes;
    before = first;
    after = later;
    at = times;
    reads = 0;
}

/* How often it has been read since. */
uint32_t count_reads(void)
{
    return reads;
}

static void read_soon(const volatile void *from, uint64_t bytes)
{
    if ((uintptr_t)from < word + size && word < (uintptr_t)from + bytes)
        memcpy((void *)word, reads++ < at ? &before : &after, size);
}

void *watched_memcpy(void *into, const void *from, size_t bytes)
{
    read_soon(from, bytes);
    return memcpy(into, from, bytes);
}

#define READ(bytes) void __tsan_read##bytes(void *from) { read_soon(from, bytes); }
#define UNALIGNED(bytes) void __tsan_unaligned_read##bytes(void *from) { read_soon(from, bytes); }
#define WRITE(kind) void __tsan_##kind(void *into) { (void)into; }
#define ATOMIC(bits)                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *from, int order)        \
    {                                                                                                 \
        (void)order;                                                                                  \
        read_soon(from, sizeof *from);                                                                \
        return *from;                                                                                 \
    }                                                                                                 \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *into, uint##bits##_t value, int order) \
    {                                                                                                 \
        (void)order;                                                                                  \
        *into = value;                                                                                \
    }                                                                                                 \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *into, uint##bits##_t value, int order) \
    {                                                                                                 \
        uint##bits##_t found = __tsan_atomic##bits##_load(into, order);                               \
        *into = value;                                                                                \
        return found;                                                                                 \
    }

READ(1) READ(2) READ(4) READ(8) READ(16)
UNALIGNED(2) UNALIGNED(4) UNALIGNED(8) UNALIGNED(16)
WRITE(write1) WRITE(write2) WRITE(write4) WRITE(write8) WRITE(write16)
WRITE(unaligned_write2) WRITE(unaligned_write4) WRITE(unaligned_write8) WRITE(unaligned_write16)
ATOMIC(32) ATOMIC(64)

void __tsan_read_range(void *from, unsigned long bytes)
{
    read_soon(from, bytes);
}

void __tsan_write_range(void *into, unsigned long bytes)
{
    (void)into, (void)bytes;
}

void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
