/* In place of close, for foreign.c: a gate that holds up whoever closes one of some descriptors, and remembers how the
 * last of them came there. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { MOST = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static char holds[MOST];
static int held, apart;
static pthread_t own;

/* From now on these are held up. */
void hold(const int *fds, int count)
{
    own = pthread_self();
    for (int i = 0; i < count; i++)
        holds[fds[i]] = 1;
}

/* How many are held up now. */
int count_held(void)
{
    int count;

    pthread_mutex_lock(&lock);
    count = held;
    pthread_mutex_unlock(&lock);
    return count;
}

/* Whether whoever closed the last of them takes no signal, and is not the thread that called `hold`. */
int is_apart(void)
{
    return apart;
}

void let_pass(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST; i++)
        holds[i] = 0;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
}

int gated_close(int fd)
{
    sigset_t blocked;

    pthread_mutex_lock(&lock);
    if (holds[fd]) {
        pthread_sigmask(SIG_SETMASK, NULL, &blocked);
        apart = sigismember(&blocked, SIGINT) && !pthread_equal(own, pthread_self());
        held++;
        while (holds[fd])
            pthread_cond_wait(&opened, &lock);
        held--;
    }
    pthread_mutex_unlock(&lock);
    return close(fd);
}
