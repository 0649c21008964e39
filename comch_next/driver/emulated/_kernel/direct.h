/* Quick calls for callers in C, which hold the interpreter's lock: straight from their memory, and into it. To be included
 * after Python.h. */
#ifndef COMCH_DIRECT_H
#define COMCH_DIRECT_H

#define COMCH_DIRECT "comch_next.driver.emulated._kernel.calls.direct" /* the capsule that has these */

/* What they answer when the call itself has to be made, and has had nothing done to it; and when nothing has come. */
enum { COMCH_NOT_DIRECT = -1, COMCH_NOTHING = -2 };

typedef struct {
    /* Send by a port's send, to the program's object for a peer: 0. */
    int (*send)(PyObject *call, PyObject *peer, const char *data, size_t length);
    /* Receive by a port's receive a message of at most `room` bytes: its length, and the program's object for its peer as
     * a new reference. */
    int64_t (*receive)(PyObject *call, char *into, size_t room, PyObject **peer);
} comch_direct;

#endif
