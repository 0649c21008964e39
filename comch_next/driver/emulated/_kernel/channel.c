/* A descriptor for poll and epoll: see Channel in _fabric/channel.py. It is a set of epoll's, of a latch that this side
 * rings, of bells that peers ring, and of sockets. Latch and bells are edge-triggered, so that seeing a ring silences
 * it; a bell that was rung is emptied at the arming after the next, long before honest peers have filled it. Sockets are
 * watched while the channel is armed, and by one that sleeps and wakes by turns in between, too.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "foreign.h"
#include "objects.h"

PyTypeObject *calls_channel_type;
static PyObject *flood_name;

enum { EVENTS = 16, RUNG = 1, BROKEN = 2 };
#define RINGING (EPOLLIN | EPOLLRDHUP | EPOLLET)

struct Watched {
    int fd;
    char is_bell, rung, waits;  /* rung: since the last arming; waits: and is to be emptied at this one */
};

static void channel_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);

    PyMem_Free(SELF(Channel, object)->watched);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static int change(Channel *channel, int operation, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};

    return epoll_ctl(channel->set, operation, fd, &event);
}

static PyObject *done(int failed)
{
    if (failed)
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_RETURN_NONE;
}

/* hold(set, latch): be the channel of these descriptors; of -1, -1: forget everything. */
static PyObject *channel_hold(Channel *channel, PyObject *args)
{
    int set, latch;

    if (!PyArg_ParseTuple(args, "ii", &set, &latch))
        return NULL;
    channel->set = set;
    channel->latch = latch;
    channel->armed = channel->watching = 0;
    channel->count = channel->bells = channel->rung = channel->waiting = 0;
    return done(set >= 0 && change(channel, EPOLL_CTL_ADD, latch, EPOLLIN | EPOLLET));
}

static Watched *find(Channel *channel, int fd)
{
    for (size_t i = 0; i < channel->count; i++)
        if (channel->watched[i].fd == fd)
            return &channel->watched[i];
    return NULL;
}

/* add(fd, is_bell): be ready for this bell, or while armed for these sockets. Idempotent. */
static PyObject *channel_add(Channel *channel, PyObject *args)
{
    Watched *more;
    int fd, is_bell;

    if (!PyArg_ParseTuple(args, "ip", &fd, &is_bell))
        return NULL;
    if (find(channel, fd))
        Py_RETURN_NONE;
    if (!(more = PyMem_Realloc(channel->watched, sizeof *more * (channel->count + 1))))
        return PyErr_NoMemory();
    channel->watched = more;
    if (change(channel, EPOLL_CTL_ADD, fd, is_bell ? RINGING : channel->watching ? EPOLLIN : 0))
        return done(-1);
    more[channel->count++] = (Watched){.fd = fd, .is_bell = (char)is_bell};
    channel->bells += is_bell != 0;
    Py_RETURN_NONE;
}

/* drop(fd): be ready for it no more. Idempotent; the program may have closed it by itself. */
static PyObject *channel_drop(Channel *channel, PyObject *number)
{
    long fd = PyLong_AsLong(number);
    Watched *watched;

    if (PyErr_Occurred())
        return NULL;
    if ((watched = find(channel, (int)fd))) {
        channel->rung -= watched->rung != 0;
        channel->bells -= watched->is_bell != 0;
        channel->waiting -= watched->waits != 0;
        *watched = channel->watched[--channel->count];
        change(channel, EPOLL_CTL_DEL, (int)fd, 0);
    }
    Py_RETURN_NONE;
}

static void note(Channel *channel, const struct epoll_event *event, int *silent)
{
    Watched *watched = find(channel, event->data.fd);

    if (!watched)
        return;  /* the latch */
    if (!watched->is_bell) {
        *silent = 0;
        return;
    }
    channel->rung += !watched->rung;
    watched->rung = event->events == EPOLLIN ? RUNG : BROKEN;
}

/* Take the events that there are; sockets that stay ready are seen once. Whether that failed. */
static int take_events(Channel *channel, int *silent)
{
    struct epoll_event events[EVENTS];
    int count;

    for (size_t seen = 0; seen <= channel->count; seen += EVENTS) {
        if ((count = epoll_wait(channel->set, events, EVENTS, 0)) < 0)
            return -1;
        for (int i = 0; i < count; i++)
            note(channel, &events[i], silent);
        if (count < EVENTS)
            break;
    }
    return 0;
}

/* Begin to listen for a bell's rings again, and empty it if that waits. Whether its peer rings it too fast. */
static int rearm(Channel *channel, Watched *watched)
{
    char rung = watched->rung, waited = watched->waits;

    if (rung)
        channel->rung--;
    if (waited)
        channel->waiting--;
    watched->rung = 0;
    watched->waits = rung == RUNG && !waited;
    if (watched->waits)
        channel->waiting++;
    return rung == BROKEN || (waited && comch_drain(watched->fd));
}

/* Begin to listen for rings again. A peer that rings its bell too fast is reported, and Python code runs. */
static int rearm_bells(Channel *channel)
{
    size_t count = channel->rung + channel->waiting ? channel->count : 0;

    for (size_t i = 0; i < count; i++) {
        Watched *watched = &channel->watched[i];
        PyObject *fd, *reported;

        if (!rearm(channel, watched))
            continue;
        fd = PyLong_FromLong(watched->fd);
        reported = fd ? PyObject_CallMethodObjArgs((PyObject *)channel, flood_name, fd, NULL) : NULL;
        Py_XDECREF(fd);
        if (!reported)
            return -1;
        Py_DECREF(reported);
        i = (size_t)-1;  /* the table may be another one now */
        count = channel->count;
    }
    return 0;
}

static int watch_sockets(Channel *channel, int watching)
{
    if (watching == channel->watching)
        return 0;
    channel->watching = (char)watching;
    for (size_t i = 0; i < channel->count; i++)
        if (!channel->watched[i].is_bell
            && change(channel, EPOLL_CTL_MOD, channel->watched[i].fd, watching ? EPOLLIN : 0))
            return -1;
    return 0;
}

/* Forget what has happened, and be armed or not from now on. Whether the sockets were watched, and none was ready; or
 * -1, with an exception set. Silent sockets stay watched by a channel that is disarmed: it may soon be armed again. */
int calls_forget(Channel *channel, int armed)
{
    int silent = channel->watching, failed = take_events(channel, &silent);

    if (!failed) {
        channel->armed = (char)armed;
        failed = watch_sockets(channel, armed || silent);
    }
    if (failed)
        PyErr_SetFromErrno(PyExc_OSError);
    return failed || (armed && rearm_bells(channel)) ? -1 : silent;
}

/* Be armed again. When every bell has been rung since the last arming, none is rung before the next one, and there is no
 * event to forget. Whether that failed, with an exception set. */
int calls_arm_again(Channel *channel)
{
    if (!channel->bells || channel->rung < channel->bells)
        return calls_forget(channel, 1) < 0;
    channel->armed = 1;
    if (!watch_sockets(channel, 1))
        return rearm_bells(channel);
    PyErr_SetFromErrno(PyExc_OSError);
    return -1;
}

/* rest(): stop watching sockets unless it is armed. The program may have closed it by itself. */
static PyObject *channel_rest(Channel *channel, PyObject *Py_UNUSED(none))
{
    watch_sockets(channel, channel->armed);
    Py_RETURN_NONE;
}

static PyObject *channel_forget(Channel *channel, PyObject *armed)
{
    int silent = calls_forget(channel, PyObject_IsTrue(armed));

    return silent < 0 ? NULL : PyBool_FromLong(silent);
}

/* Be ready until the next arming. Whether that failed, with an exception set. */
int calls_ring(Channel *channel)
{
    uint64_t one = 1;

    if (write(channel->latch, &one, sizeof one) == sizeof one)
        return 0;
    PyErr_SetFromErrno(PyExc_OSError);
    return -1;
}

static PyObject *channel_ring(Channel *channel, PyObject *Py_UNUSED(none))
{
    if (calls_ring(channel))
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef channel_methods[] = {
    {"hold", (PyCFunction)channel_hold, METH_VARARGS, NULL},
    {"add", (PyCFunction)channel_add, METH_VARARGS, NULL},
    {"drop", (PyCFunction)channel_drop, METH_O, NULL},
    {"forget", (PyCFunction)channel_forget, METH_O, NULL},
    {"rest", (PyCFunction)channel_rest, METH_NOARGS, NULL},
    {"ring_latch", (PyCFunction)channel_ring, METH_NOARGS, NULL},
    {0},
};

static PyMemberDef channel_members[] = {
    {"descriptor", T_INT, offsetof(Channel, set), READONLY, NULL},
    {"armed", T_BOOL, offsetof(Channel, armed), 0, NULL},
    {0},
};

static PyType_Slot channel_slots[] = {
    {Py_tp_dealloc, channel_dealloc}, {Py_tp_methods, channel_methods}, {Py_tp_members, channel_members}, {0, NULL},
};

static PyType_Spec channel_spec = {
    NAME "Channel", sizeof(Channel), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, channel_slots,
};

int calls_add_channel(PyObject *module)
{
    const Name names[] = {{&flood_name, "on_flood"}, {0}};

    return calls_intern(names) || calls_add_type(module, &channel_spec, NULL, &calls_channel_type);
}
