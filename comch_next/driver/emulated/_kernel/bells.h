/* What the kernels read by and ring. */
#ifndef COMCH_BELLS_H
#define COMCH_BELLS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

enum { PAGE = 4096, LINE = 64 };

#define LOAD(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Copy `words` of 8 bytes that the other side may change meanwhile, each read once: plain memory may be read again by what
 * the compiler makes of its check, or of its use. */
static inline void copy_once(void *into, const void *from, size_t words)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < words; i++) {
        uint64_t word = __atomic_load_n((const uint64_t *)from + i, __ATOMIC_RELAXED);
        memcpy((uint64_t *)into + i, &word, sizeof word);
    }
}

static inline void arm(uint32_t *armed)
{
    STORE(armed, 1);
    FENCE();
}

static inline void ring_bell(int bell, uint32_t *armed)
{
    if (__atomic_load_n(armed, __ATOMIC_RELAXED) && __atomic_exchange_n(armed, 0, __ATOMIC_SEQ_CST) && bell >= 0
        && send(bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && (errno == ENOBUFS || errno == ENOMEM))
        STORE(armed, 1);  /* the next may do it; one that is full is as loud as it gets */
}

#endif
