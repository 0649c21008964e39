/* Callables of the driver's that call the program's functions, with no Python code in between: see hot.h. */
#include "hot.h"

static PyObject *hot_unasked;

typedef void (*hot_completion)(void *task, union doca_data task_user_data, union doca_data ctx_user_data);

static union doca_data hot_user_data(PyObject *handle)
{
	return (union doca_data){.u64 = PyLong_AsUnsignedLongLongMask(SLOT(handle, user_data))};
}

/* Call a completion callback, which is at the address `function`, for the task of a handle. */
static PyObject *hot_completed(PyObject *function, PyObject *handle)
{
	const hot_completion callback = (hot_completion)PyLong_AsVoidPtr(function);
	const union doca_data own = hot_user_data(handle), context = hot_user_data(SLOT(handle, owner));
	void *const task = PyLong_AsVoidPtr(SLOT(handle, address));

	if (PyErr_Occurred())
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	callback(task, own, context);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

/* Call a message callback, with (its address, the handle of its context), for (connection, data). The program may write
 * into the message, but Python keeps one object for all that are equal and short. */
static PyObject *hot_received(PyObject *bound, PyObject *const *args, Py_ssize_t number)
{
	PyObject *const context = PyTuple_GetItem(bound, 1), *connection = Py_NewRef(args[0]), *const data = args[1];
	const doca_comch_event_msg_recv_cb_t callback =
		(doca_comch_event_msg_recv_cb_t)PyLong_AsVoidPtr(PyTuple_GetItem(bound, 0));
	const uint32_t length = (uint32_t)PyBytes_Size(data);
	uint8_t single = (uint8_t)*PyBytes_AsString(data), *const bytes = (uint8_t *)PyBytes_AsString(data);
	void *event, *peer;

	if (connection == Py_None) { /* of a client that has not asked for its connection */
		Py_DECREF(connection);
		connection = PyObject_CallFunctionObjArgs(hot_unasked, context, NULL);
	}
	event = PyLong_AsVoidPtr(SLOT(context, address));
	peer = connection ? PyLong_AsVoidPtr(SLOT(connection, address)) : NULL;
	Py_XDECREF(connection);
	if (PyErr_Occurred())
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	callback(event, length > 1 ? bytes : &single, length, peer);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

static PyMethodDef hot_completed_def = {"completed", hot_completed, METH_O, NULL};
static PyMethodDef hot_received_def = {"received", (PyCFunction)(void (*)(void))hot_received, METH_FASTCALL, NULL};

/* completed(address): what calls that function for the handle of a task. */
static PyObject *hot_make_completed(PyObject *none, PyObject *address)
{
	return PyCFunction_New(&hot_completed_def, address);
}

/* received((address, context)): what calls that function for a connection's handle and a message. */
static PyObject *hot_make_received(PyObject *none, PyObject *bound)
{
	return PyCFunction_New(&hot_received_def, bound);
}

static PyMethodDef hot_makers[] = {
	{"completed", hot_make_completed, METH_O, NULL},
	{"received", hot_make_received, METH_O, NULL},
};

/* Put the two makers into a list. `unasked` finds the handle of a client's connection. */
static void comch_face_callbacks(uintptr_t makers, uintptr_t unasked)
{
	const PyGILState_STATE state = PyGILState_Ensure(); /* cffi has let it go */
	size_t i;

	hot_unasked = Py_NewRef((PyObject *)unasked);
	for (i = 0; i < sizeof(hot_makers) / sizeof(*hot_makers); i++) {
		PyObject *const maker = PyCFunction_New(&hot_makers[i], NULL);

		if (!maker || PyList_Append((PyObject *)makers, maker))
			PyErr_WriteUnraisable((PyObject *)makers);
		Py_XDECREF(maker);
	}
	PyGILState_Release(state);
}
