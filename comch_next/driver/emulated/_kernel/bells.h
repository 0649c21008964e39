/* What the kernels read by and ring. */
#ifndef COMCH_BELLS_H
#define COMCH_BELLS_H

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>

enum { PAGE = 4096, LINE = 64 };

#define LOAD(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

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
