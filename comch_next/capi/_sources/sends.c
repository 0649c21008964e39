/* The allocation of send tasks: see hot.h. */
#include "hot.h"

enum { MOST_READ = 1 << 16 }; /* as in binding.py */

static PyObject *hot_servers, *hot_clients, *hot_connections, *hot_tasks, *hot_sends, *hot_send_task, *hot_zero;
static PyObject *hot_noun, *hot_alloc_of, *hot_check;

/* Use the table of handles, whose address this is, and these: the noun of send tasks, what finds a context's alloc, and
 * what refuses a length that no message of a context has. */
static void comch_face_hot(uintptr_t table, uintptr_t sends)
{
	const PyGILState_STATE state = PyGILState_Ensure(); /* cffi has let it go */
	PyObject *const given = Py_NewRef((PyObject *)sends);

	if (hot_use((PyObject *)table) || !PyArg_ParseTuple(given, "OOO", &hot_noun, &hot_alloc_of, &hot_check))
		PyErr_WriteUnraisable(given);
	hot_servers = hot_handles("doca_comch_server");
	hot_clients = hot_handles("doca_comch_client");
	hot_connections = hot_handles("doca_comch_connection");
	hot_tasks = hot_handles("doca_task");
	hot_sends = hot_handles("doca_comch_task_send");
	hot_send_task = PyUnicode_InternFromString("doca_comch_task_send");
	hot_zero = PyLong_FromLong(0);
	PyGILState_Release(state);
}

/* A handle for a task of that context, which is not in the table yet. */
static PyObject *hot_new(PyObject *context)
{
	PyObject *const handle = PyType_GenericAlloc(hot_table.kind, 0);

	if (!handle)
		return NULL;
	SLOT(handle, address) = PyIter_Next(hot_table.addresses);
	SLOT(handle, tag) = Py_NewRef(hot_send_task);
	SLOT(handle, target) = Py_NewRef(Py_None);
	SLOT(handle, owner) = Py_NewRef(context);
	SLOT(handle, owned) = Py_NewRef(Py_None);
	SLOT(handle, noun) = Py_NewRef(hot_noun);
	SLOT(handle, kept) = Py_NewRef(Py_None);
	SLOT(handle, alloc) = Py_NewRef(Py_None);
	SLOT(handle, quick) = Py_NewRef(SLOT(context, quick));
	SLOT(handle, user_data) = Py_NewRef(hot_zero);
	SLOT(handle, opens) = Py_NewRef(hot_zero);
	return handle;
}

/* Enter a handle in the table, with its task, which it takes over. Whether that failed. */
static int hot_enter(PyObject *handle, PyObject *task)
{
	PyObject *const address = SLOT(handle, address);

	Py_DECREF(SLOT(handle, target)); /* None */
	SLOT(handle, target) = task;
	return !address || PyDict_SetItem(hot_sends, address, handle) || PyDict_SetItem(hot_tasks, address, handle) ||
	       PySet_Add(SLOT(SLOT(handle, owner), owned), handle);
}

/* What allocates for a context, made when it is first asked for: a borrowed reference. */
static PyObject *hot_alloc(PyObject *context)
{
	PyObject *made;

	if (SLOT(context, alloc) == Py_None) {
		made = PyObject_CallFunctionObjArgs(hot_alloc_of, context, NULL);
		Py_XDECREF(made); /* the handle has it */
		if (!made)
			return NULL;
	}
	return SLOT(context, alloc);
}

/* Whether a message is longer than any of the context's, and so may not be read: InvalidValue is raised. */
static int hot_too_long(PyObject *context, size_t length)
{
	PyObject *checked;

	if (length <= MOST_READ)
		return 0;
	checked = PyObject_CallFunction(hot_check, "On", context, (Py_ssize_t)length);
	Py_XDECREF(checked);
	return !checked;
}

static doca_error_t hot_allocated(PyObject *context, PyObject *connection, const void *msg, size_t length, void **task)
{
	PyObject *const alloc = hot_too_long(context, length) ? NULL : hot_alloc(context);
	PyObject *const handle = alloc ? hot_new(context) : NULL;
	PyObject *const message = handle ? PyBytes_FromStringAndSize(msg, (Py_ssize_t)length) : NULL, *made = NULL;
	doca_error_t code = DOCA_SUCCESS;

	if (message)
		made = PyObject_CallFunctionObjArgs(alloc, SLOT(connection, target), message, handle, NULL);
	if (made && !hot_enter(handle, made))
		*task = PyLong_AsVoidPtr(SLOT(handle, address));
	else
		code = hot_refused();
	Py_XDECREF(message);
	Py_XDECREF(handle);
	return code;
}

static doca_error_t hot_alloc_init(const char *function, const char *tag, PyObject *const *contexts, const void *ctx, const void *peer,
				   const void *msg, size_t length, void **task)
{
	PyObject *context, *connection;
	PyGILState_STATE state;
	doca_error_t code;

	if (!msg || !task)
		return comch_face_invalid(function, msg ? "task" : "msg", "NULL");
	state = hot_enter_python();
	context = Py_XNewRef(hot_find_kept(*contexts, ctx));
	connection = Py_XNewRef(hot_find_kept(hot_connections, peer));
	if (!context)
		code = hot_missing(tag, ctx);
	else if (!connection)
		code = hot_missing("doca_comch_connection", peer);
	else
		code = hot_allocated(context, connection, msg, length, task);
	Py_XDECREF(context);
	Py_XDECREF(connection);
	PyGILState_Release(state);
	return code;
}

FACE doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *server,
							 struct doca_comch_connection *peer, const void *msg, uint32_t len,
							 struct doca_comch_task_send **task)
{
	return hot_alloc_init(__func__, "doca_comch_server", &hot_servers, server, peer, msg, len, (void **)task);
}

FACE doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *client,
							 struct doca_comch_connection *peer, const void *msg, uint32_t len,
							 struct doca_comch_task_send **task)
{
	return hot_alloc_init(__func__, "doca_comch_client", &hot_clients, client, peer, msg, len, (void **)task);
}
