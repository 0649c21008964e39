/* Threads of one process that poll. Each of them needs the interpreter's lock for every look, and who gives it back for
 * as long as a look takes has it again before another one has woken: that one would wait for the switch interval, 5 ms,
 * again and again. */
#include <time.h>

#include "objects.h"

#define PAUSE 20000 /* nanoseconds; with what the system adds, time enough for another thread to wake */
#define ALONE 1000  /* looks of one thread, after which no other one is polling */

/* A look has found nothing: leave the interpreter's lock to others for a moment if another thread polls, too. Whether it
 * was left. */
int calls_take_turns(void)
{
    static unsigned long last;
    static int looks = ALONE;
    const struct timespec pause = {0, PAUSE};
    unsigned long thread = PyThread_get_thread_ident();

    if (thread != last) {
        looks = last ? 0 : ALONE;
        last = thread;
    }
    if (looks == ALONE)
        return 0;
    looks++;
    Py_BEGIN_ALLOW_THREADS
    nanosleep(&pause, NULL);
    Py_END_ALLOW_THREADS
    return 1;
}

/* take_turns(): the same for looks of Python code. */
PyObject *calls_after_nothing(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    calls_take_turns();
    Py_RETURN_NONE;
}
