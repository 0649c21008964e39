/* Threads of one process that poll. Each of them needs the interpreter's lock for every look, and who gives it back for
 * as long as a look takes has it again before another one has woken: that one would wait for the switch interval, 5 ms,
 * again and again. Who looks a few times and then sleeps until something comes is left alone. */
#include <sched.h>
#include <time.h>

#include "objects.h"

#define PAUSE 20000 /* nanoseconds; with what the system adds, time enough for another thread to wake */
#define PATIENT 16  /* looks that find nothing, one after the other, make a thread that polls */
#define ALONE 1000  /* looks of one thread, after which no other one is polling */

/* A look has found something, or nothing. Who has polled for nothing leaves the interpreter's lock to others for a moment
 * if another thread looks, too. Whether it was left. */
int calls_looked(int found)
{
    static unsigned long last;
    static int looks = ALONE;
    static _Thread_local int empty;
    const struct timespec pause = {0, PAUSE};
    unsigned long thread;

    if (found) {
        empty = 0;
        return 0;
    }
    thread = PyThread_get_thread_ident();
    if (thread != last) {
        looks = last ? 0 : ALONE;
        last = thread;
    }
    looks += looks < ALONE;
    empty += empty < PATIENT;
    if (looks == ALONE || empty < PATIENT)
        return 0;
    Py_BEGIN_ALLOW_THREADS
    nanosleep(&pause, NULL);
    Py_END_ALLOW_THREADS
    return 1;
}

/* looked(found): the same for looks of Python code. */
PyObject *calls_looked_in_python(PyObject *Py_UNUSED(module), PyObject *found)
{
    calls_looked(found == Py_True);
    Py_RETURN_NONE;
}

/* Give the interpreter's lock away: what an engine waits for comes from another thread of the process. */
void calls_let_others_run(void)
{
    Py_BEGIN_ALLOW_THREADS
    sched_yield();
    Py_END_ALLOW_THREADS
}

/* let_others_run(): the same for Python code, whose own sched_yield keeps the lock in some releases of 3.10. */
PyObject *calls_let_others_run_in_python(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    calls_let_others_run();
    Py_RETURN_NONE;
}
