/* Calls whose exceptions nobody catches: finalizers, those at a fork and at exit, and those that C makes. What a handler of
 * a signal raises there would be lost, and end the first ones halfway. Here such a call runs to its end, but for those of
 * C, and the main thread raises the handler's exception afterwards. And calls that C makes once only, with signals held
 * back: Python's own looks for them come before its first line. And callbacks of the program's that get what the library
 * makes of the arguments. Written for the stable ABI of Python 3.10.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <pthread.h>
#include <signal.h>

enum {
    ATTEMPTS = 8,  /* a signal that another thread has received may interrupt each */
    MOST_CONTEXTS = 64,  /* followed: a program may have made a circle of them */
};

typedef struct {
    PyObject *type, *value, *trace;
} Raised;

static PyObject *finalize_name, *comes_late_name, *unraisable_name;

static Raised fetch(void)
{
    Raised raised;

    PyErr_Fetch(&raised.type, &raised.value, &raised.trace);
    return raised;
}

static void forget(Raised raised)
{
    Py_XDECREF(raised.type);
    Py_XDECREF(raised.value);
    Py_XDECREF(raised.trace);
}

/* Make it an exception with its traceback. */
static void normalize(Raised *raised)
{
    PyErr_NormalizeException(&raised->type, &raised->value, &raised->trace);
    if (raised->trace)
        PyException_SetTraceback(raised->value, raised->trace);
}

/* The context of an exception, which has it, or NULL. */
static PyObject *context_of(PyObject *value)
{
    PyObject *context = PyException_GetContext(value);

    Py_XDECREF(context);
    return context;
}

/* Whether it is another one, or among its contexts. */
static int is_within(PyObject *value, PyObject *other)
{
    for (int length = 0; other && other != value && length < MOST_CONTEXTS; length++)
        other = context_of(other);
    return other == value;
}

/* Make another one a context of it: the last one, but for those that both have. */
static void add_context(PyObject *value, PyObject *other)
{
    PyObject *next = NULL;

    if (is_within(other, value) || is_within(value, other))
        return;
    for (int length = 0; (next = context_of(value)) && !is_within(next, other); length++) {
        if (length == MOST_CONTEXTS)
            return;
        value = next;
    }
    PyException_SetContext(value, Py_NewRef(other));
}

/* Keep what has been raised first; what comes after it is a context of it. */
static void keep(Raised *first, Raised other)
{
    if (!first->type) {
        *first = other;
        return;
    }
    normalize(first);
    normalize(&other);
    add_context(first->value, other.value);
    forget(other);
}

/* Fetch it without its frames, which hold the object that is being finalized. */
static Raised fetch_frameless(void)
{
    Raised raised = fetch();

    PyErr_NormalizeException(&raised.type, &raised.value, &raised.trace);
    Py_CLEAR(raised.trace);
    if (PyExceptionInstance_Check(raised.value))
        PyException_SetTraceback(raised.value, Py_None);
    return raised;
}

static void restore(Raised raised)
{
    PyErr_Restore(raised.type, raised.value, raised.trace);
}

/* A pending call of the main thread's. What is being handled there is its context, as of any other, if it has none. */
static int raise_late(void *late)
{
    Raised raised = *(Raised *)late;

    PyMem_Free(late);
    normalize(&raised);
    if (context_of(raised.value)) {
        restore(raised);
        return -1;
    }
    PyErr_SetObject(raised.type, raised.value);
    forget(raised);
    return -1;
}

/* Have the main thread raise it soon, wherever that is: it has no frame of the program's that says whose it is. */
static void raise_soon(Raised raised, PyObject *call)
{
    Raised *late, current;

    if (!raised.type)
        return;
    current = fetch();  /* the call's own, which a look-up might clear */
    if (PyObject_SetAttr(raised.value, comes_late_name, Py_True))
        PyErr_Clear();
    restore(current);
    if ((late = PyMem_Malloc(sizeof *late))) {
        *late = raised;
        if (!Py_AddPendingCall(raise_late, late))
            return;
        PyMem_Free(late);
    }
    restore(raised);
    PyErr_WriteUnraisable(call);
}

/* All signals but those that a fault raises in the thread itself: faulthandler reports it there. */
static void fill_held(sigset_t *held)
{
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    sigfillset(held);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(held, faults[i]);
}

static void hold_signals(sigset_t *before)
{
    sigset_t held;

    fill_held(&held);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

/* Call it with the arguments, if there are any, or its method of that name if there is one. Returns NULL if every attempt
 * has failed, with the last one's exception. What a handler has raised, the main thread raises later.
 */
static PyObject *run(PyObject *call, PyObject *name, PyObject *args)
{
    Raised early = {0}, late = {0};
    PyObject *result = NULL;
    sigset_t before;

    hold_signals(&before);
    if (PyErr_CheckSignals())
        early = fetch_frameless();
    for (int attempt = 0; !result && attempt < ATTEMPTS; attempt++) {
        if (attempt)
            keep(&late, fetch_frameless());
        result = name ? PyObject_CallMethodObjArgs(call, name, NULL) : PyObject_CallObject(call, args);
    }
    raise_soon(early, call);
    if (result)
        raise_soon(late, call);
    else
        forget(late);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

static void finalized_finalize(PyObject *object)
{
    Raised current = fetch();
    PyObject *result = run(object, finalize_name, NULL);

    if (!result)
        PyErr_WriteUnraisable(object);
    Py_XDECREF(result);
    restore(current);
}

static PyType_Slot finalized_slots[] = {{Py_tp_finalize, finalized_finalize}, {0, NULL}};

static PyType_Spec finalized_spec = {
    "comch_next.driver.protocol._shield.Finalized", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    finalized_slots,
};

static PyObject *run_shielded(PyObject *call, PyObject *args)
{
    return run(call, NULL, args);
}

static PyMethodDef shielded_call = {"shielded", run_shielded, METH_VARARGS, NULL};

static PyObject *shielded(PyObject *Py_UNUSED(module), PyObject *call)
{
    return PyCFunction_NewEx(&shielded_call, call, NULL);
}

/* Have the main thread raise the exception that the call returns, if it returns one: no Python code follows here. */
static PyObject *hand_on(PyObject *call, PyObject *args)
{
    PyObject *error = run(call, NULL, args);

    if (error && error != Py_None)
        raise_soon((Raised){PyObject_Type(error), error, PyException_GetTraceback(error)}, call);
    else
        Py_XDECREF(error);
    return error ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef handing_on_call = {"handing_on", hand_on, METH_VARARGS, NULL};

static PyObject *handing_on(PyObject *Py_UNUSED(module), PyObject *call)
{
    return PyCFunction_NewEx(&handing_on_call, call, NULL);
}

/* Signals that a thread holds back in a with block, and what it held back before: to go back to that takes no memory. */
typedef struct {
    PyObject_HEAD
    PyObject *masks;  /* a list that has this object meanwhile, if any */
    sigset_t held, before;
} HeldSignals;

static PyTypeObject *held_signals_type;

static HeldSignals *new_held_signals(PyTypeObject *type, PyObject *masks)
{
    HeldSignals *signals = (HeldSignals *)PyType_GenericAlloc(type, 0);

    if (signals) {
        signals->masks = Py_XNewRef(masks);
        fill_held(&signals->held);
        pthread_sigmask(SIG_BLOCK, NULL, &signals->before);
    }
    return signals;
}

/* HeldSignals(masks=None, only=0): hold back what a program may handle, or only that signal. */
static PyObject *held_signals_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *masks = Py_None;
    HeldSignals *signals;
    int only = 0;

    if (keywords || !PyArg_ParseTuple(args, "|Oi", &masks, &only))
        return NULL;
    signals = new_held_signals(type, masks == Py_None ? NULL : masks);
    if (signals && only) {
        sigemptyset(&signals->held);
        sigaddset(&signals->held, only);
    }
    return (PyObject *)signals;
}

static void held_signals_dealloc(PyObject *signals)
{
    PyTypeObject *type = Py_TYPE(signals);

    Py_XDECREF(((HeldSignals *)signals)->masks);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(signals);
    Py_DECREF(type);
}

/* None, unless a handler raises. */
static PyObject *unless_interrupted(void)
{
    return PyErr_CheckSignals() ? NULL : Py_NewRef(Py_None);
}

/* hold(): hold them back, again. */
static PyObject *held_signals_hold(HeldSignals *signals, PyObject *Py_UNUSED(none))
{
    pthread_sigmask(SIG_BLOCK, &signals->held, NULL);
    return unless_interrupted();
}

/* let_in(): hold back what was held back before. */
static PyObject *held_signals_let_in(HeldSignals *signals, PyObject *Py_UNUSED(none))
{
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    return unless_interrupted();
}

static void leave_list(HeldSignals *signals)
{
    if (signals->masks)
        PyList_SetSlice(signals->masks, 0, PyList_Size(signals->masks), NULL);
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

static PyObject *held_signals_enter(HeldSignals *signals, PyObject *Py_UNUSED(none))
{
    pthread_sigmask(SIG_BLOCK, &signals->held, &signals->before);
    if (PyErr_CheckSignals() || (signals->masks && PyList_Append(signals->masks, (PyObject *)signals))) {
        pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
        return NULL;
    }
    return Py_NewRef((PyObject *)signals);
}

static PyObject *held_signals_exit(HeldSignals *signals, PyObject *const *Py_UNUSED(raised), Py_ssize_t Py_UNUSED(count))
{
    leave_list(signals);
    return unless_interrupted();
}

static PyMethodDef held_signals_methods[] = {
    {"hold", (PyCFunction)held_signals_hold, METH_NOARGS, NULL},
    {"let_in", (PyCFunction)held_signals_let_in, METH_NOARGS, NULL},
    {"__enter__", (PyCFunction)held_signals_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))held_signals_exit, METH_FASTCALL, NULL},
    {0},
};

static PyType_Slot held_signals_slots[] = {
    {Py_tp_new, held_signals_new}, {Py_tp_dealloc, held_signals_dealloc}, {Py_tp_methods, held_signals_methods},
    {0, NULL},
};

static PyType_Spec held_signals_spec = {
    "comch_next.driver.protocol._shield.HeldSignals", sizeof(HeldSignals), 0, Py_TPFLAGS_DEFAULT, held_signals_slots,
};

/* Raise the first one; the other, if there is one, is its context. */
static void raise_within(Raised first, Raised other)
{
    normalize(&first);
    if (other.type) {
        normalize(&other);
        add_context(first.value, other.value);
        forget(other);
    }
    restore(first);
}

/* What a call returns: its result, unless a handler has raised something early. */
static PyObject *unless_raised(Raised early, PyObject *result)
{
    if (early.type) {
        Py_CLEAR(result);
        raise_within(early, fetch());
    }
    return result;
}

static unsigned long main_thread;

/* Note on which thread Python runs handlers. */
static PyObject *handlers_run_on(PyObject *Py_UNUSED(module), PyObject *thread)
{
    main_thread = PyLong_AsUnsignedLong(thread);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* Call it with the signals held back, which the list says meanwhile. What the handler of an earlier signal raises does not
 * keep it from being called: it is raised afterwards. Within such a call they are held back already. A thread that runs no
 * handlers has its own signals, which processes that it starts inherit. */
static PyObject *run_held(PyObject *bound, PyObject *args)
{
    PyObject *masks = PyTuple_GetItem(bound, 0), *call = PyTuple_GetItem(bound, 1), *result = NULL;
    HeldSignals *signals = NULL;
    Raised early = {0};

    if (PyThread_get_thread_ident() != main_thread)
        return PyObject_CallObject(call, args);
    if (PyList_Size(masks) == 0) {
        if (!(signals = new_held_signals(held_signals_type, masks)))
            return NULL;
        pthread_sigmask(SIG_BLOCK, &signals->held, NULL);
    }
    if (PyErr_CheckSignals())
        early = fetch();
    if (!signals || !PyList_Append(masks, (PyObject *)signals))
        result = PyObject_CallObject(call, args);
    if (signals)
        leave_list(signals);
    Py_XDECREF(signals);
    return unless_raised(early, result);
}

static PyMethodDef held_call = {"held", run_held, METH_VARARGS, NULL};

static PyObject *held(PyObject *Py_UNUSED(module), PyObject *bound)
{
    return PyCFunction_NewEx(&held_call, bound, NULL);
}

/* Call the program back with what the library makes of the arguments. What a handler of a signal raises while that is
 * made, which is done once more, does not keep the program from being called: it is raised afterwards. */
static PyObject *pass_on(PyObject *bound, PyObject *args)
{
    PyObject *make = PyTuple_GetItem(bound, 0), *call = PyTuple_GetItem(bound, 1), *made = NULL, *result = NULL;
    Raised early = {0};

    for (int attempt = 0; !made && attempt < ATTEMPTS; attempt++) {
        if (attempt)
            keep(&early, fetch());
        made = PyObject_CallObject(make, args);
    }
    if (made)
        result = PyObject_CallObject(call, made);
    Py_XDECREF(made);
    return unless_raised(early, result);
}

static PyMethodDef passing_call = {"passing", pass_on, METH_VARARGS, NULL};

static PyObject *passing(PyObject *Py_UNUSED(module), PyObject *bound)
{
    return PyCFunction_NewEx(&passing_call, bound, NULL);
}

/* Pass an exception to sys.unraisablehook. */
static PyObject *report_unraisable(PyObject *Py_UNUSED(module), PyObject *error)
{
    if (!PyExceptionInstance_Check(error)) {
        PyErr_SetString(PyExc_TypeError, "report_unraisable takes an exception");
        return NULL;
    }
    PyErr_Restore(PyObject_Type(error), Py_NewRef(error), PyException_GetTraceback(error));
    PyErr_WriteUnraisable(unraisable_name);  /* "Exception ignored in" that */
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"shielded", shielded, METH_O, NULL},
    {"handlers_run_on", handlers_run_on, METH_O, NULL},
    {"held", held, METH_VARARGS, NULL},
    {"handing_on", handing_on, METH_O, NULL},
    {"passing", passing, METH_VARARGS, NULL},
    {"report_unraisable", report_unraisable, METH_O, NULL},
    {0},
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_shield", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__shield(void)
{
    PyObject *module = PyModule_Create(&definition), *type = module ? PyType_FromSpec(&finalized_spec) : NULL;

    held_signals_type = type ? (PyTypeObject *)PyType_FromSpec(&held_signals_spec) : NULL;
    finalize_name = PyUnicode_InternFromString("finalize");
    comes_late_name = PyUnicode_InternFromString("_comes_late");
    unraisable_name = PyUnicode_InternFromString("a callback of comch_next");
    if (!finalize_name || !comes_late_name || !unraisable_name || !held_signals_type
        || PyModule_AddType(module, (PyTypeObject *)type) || PyModule_AddType(module, held_signals_type))
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
