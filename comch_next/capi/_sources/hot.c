/* sendto and recvfrom of generation 1: see hot.h. */
#include "hot.h"
#include "direct.h"

static PyObject *hot_endpoints, *hot_peers, *hot_new_peer, *hot_sendto, *hot_recvfrom;
static const comch_direct *hot_direct;

/* Use the table of handles, whose address this is, and what makes the handle of a peer of an endpoint: its address. */
static void comch_face_hot(uintptr_t table, uintptr_t new_peer)
{
	const PyGILState_STATE state = PyGILState_Ensure(); /* cffi has let it go */

	if (hot_use((PyObject *)table))
		PyErr_WriteUnraisable((PyObject *)table);
	hot_new_peer = Py_NewRef((PyObject *)new_peer);
	hot_endpoints = hot_handles("doca_comm_channel_ep_t");
	hot_peers = hot_handles("doca_comm_channel_addr_t");
	hot_sendto = PyUnicode_InternFromString("_compat_sendto_code");
	hot_recvfrom = PyUnicode_InternFromString("_compat_recvfrom_code");
	hot_direct = PyCapsule_Import(COMCH_DIRECT, 0);
	if (!hot_direct)
		PyErr_WriteUnraisable(NULL);
	PyGILState_Release(state);
}

/* Make a call of an endpoint's with two to four arguments, and give these back, which are NULL where there was no memory. */
static PyObject *hot_called(PyObject *call, PyObject **args, size_t number)
{
	PyObject *result = NULL;
	size_t i, made = 0;

	while (made < number && args[made])
		made++;
	if (made == number)
		result = PyObject_CallFunctionObjArgs(call, args[0], args[1], number > 2 ? args[2] : NULL,
						      number > 3 ? args[3] : NULL, NULL);
	for (i = 0; i < number; i++)
		Py_XDECREF(args[i]);
	return result;
}

static doca_error_t hot_send(PyObject *call, const void *msg, size_t len, int flags, PyObject *peer)
{
	doca_error_t code = DOCA_SUCCESS;
	PyObject *result;

	if (!flags && peer && !hot_direct->send(call, SLOT(peer, target), msg, len))
		return code;
	result = hot_called(call,
			    (PyObject *[]){PyBytes_FromStringAndSize(msg, (Py_ssize_t)len), PyLong_FromSize_t(len),
					   PyLong_FromLong(flags), Py_NewRef(peer ? SLOT(peer, target) : Py_None)},
			    4);
	code = result ? (doca_error_t)PyLong_AsLong(result) : hot_refused();
	Py_XDECREF(result);
	return code;
}

FACE doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg, size_t len,
					      int flags, struct doca_comm_channel_addr_t *peer_addr)
{
	PyObject *endpoint, *call;
	PyGILState_STATE state;
	doca_error_t code;

	REQUIRE(local_ep);
	REQUIRE(msg);
	if (len > UINT16_MAX) /* above every endpoint's property: nothing is read */
		return comch_face_invalid(__func__, "len", "longer than any message");
	state = hot_enter_python();
	endpoint = hot_find_kept(hot_endpoints, local_ep);
	if (endpoint) {
		call = PyObject_GetAttr(SLOT(endpoint, target), hot_sendto);
		code = call ? hot_send(call, msg, len, flags, hot_find_kept(hot_peers, peer_addr)) : hot_refused();
		Py_XDECREF(call);
	} else {
		code = hot_missing("doca_comm_channel_ep_t", local_ep);
	}
	PyGILState_Release(state);
	return code;
}

/* The number of a new peer's handle. Its message has been taken: what a signal's handler raises here must not lose that,
 * and is handed on to the program. */
static PyObject *hot_number(PyObject *peer, PyObject *endpoint)
{
	PyObject *number = PyObject_CallFunctionObjArgs(hot_new_peer, peer, endpoint, NULL), *kind, *error, *trace;

	if (number)
		return number;
	PyErr_Fetch(&kind, &error, &trace);
	PyErr_NormalizeException(&kind, &error, &trace);
	number = PyObject_CallFunctionObjArgs(hot_new_peer, peer, endpoint, NULL);
	if (number) {
		Py_XDECREF(PyObject_CallFunctionObjArgs(hot_table.unexpected, kind, error, trace ? trace : Py_None, NULL));
		PyErr_Clear();
	}
	Py_XDECREF(kind);
	Py_XDECREF(error);
	Py_XDECREF(trace);
	return number;
}

/* The address of a peer, whose handle is made when it is first seen, or NULL. */
static void *hot_address(PyObject *peer, PyObject *endpoint)
{
	PyObject *const handle = hot_find_kept(hot_table.by_target, peer);
	PyObject *const number = handle ? Py_NewRef(SLOT(handle, address)) : hot_number(peer, endpoint);
	void *const address = number ? PyLong_AsVoidPtr(number) : NULL;

	Py_XDECREF(number);
	return address;
}

/* Write what has come, of (code, message, length, peer) with None where C gets nothing; the message fits. */
static doca_error_t hot_taken(PyObject *result, PyObject *endpoint, void *msg, size_t *len,
			      struct doca_comm_channel_addr_t **peer_addr)
{
	PyObject *const data = PyTuple_GetItem(result, 1), *const length = PyTuple_GetItem(result, 2);
	PyObject *const peer = PyTuple_GetItem(result, 3);

	if (PyBytes_Check(data))
		memcpy(msg, PyBytes_AsString(data), (size_t)PyBytes_Size(data));
	if (length != Py_None)
		*len = PyLong_AsSize_t(length);
	if (peer != Py_None)
		*peer_addr = hot_address(peer, endpoint);
	return PyErr_Occurred() ? hot_refused() : (doca_error_t)PyLong_AsLong(PyTuple_GetItem(result, 0));
}

/* Receive by the call itself. */
static doca_error_t hot_receive(PyObject *call, PyObject *endpoint, void *msg, size_t *len, int flags,
				struct doca_comm_channel_addr_t **peer_addr)
{
	PyObject *const result = hot_called(call, (PyObject *[]){PyLong_FromSize_t(*len), PyLong_FromLong(flags)}, 2);
	const doca_error_t code = result ? hot_taken(result, endpoint, msg, len, peer_addr) : hot_refused();

	Py_XDECREF(result);
	return code;
}

/* Receive a message that is there straight into the caller's memory, or nothing; otherwise by the call itself. */
static doca_error_t hot_receive_direct(PyObject *call, PyObject *endpoint, void *msg, size_t *len,
				       struct doca_comm_channel_addr_t **peer_addr)
{
	PyObject *peer;
	const int64_t length = hot_direct->receive(call, msg, *len, &peer);

	if (length == COMCH_NOTHING)
		return DOCA_ERROR_AGAIN;
	if (length < 0)
		return hot_receive(call, endpoint, msg, len, 0, peer_addr);
	*len = (size_t)length;
	*peer_addr = hot_address(peer, endpoint);
	Py_DECREF(peer);
	return PyErr_Occurred() ? hot_refused() : DOCA_SUCCESS;
}

FACE doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len, int flags,
						struct doca_comm_channel_addr_t **peer_addr)
{
	PyObject *endpoint, *call;
	PyGILState_STATE state;
	doca_error_t code;

	REQUIRE(local_ep);
	REQUIRE(msg);
	REQUIRE(len);
	REQUIRE(peer_addr);
	state = hot_enter_python();
	endpoint = Py_XNewRef(hot_find_kept(hot_endpoints, local_ep));
	if (endpoint) {
		call = PyObject_GetAttr(SLOT(endpoint, target), hot_recvfrom);
		if (!call)
			code = hot_refused();
		else if (flags)
			code = hot_receive(call, endpoint, msg, len, flags, peer_addr);
		else
			code = hot_receive_direct(call, endpoint, msg, len, peer_addr);
		Py_XDECREF(call);
		Py_DECREF(endpoint);
	} else {
		code = hot_missing("doca_comm_channel_ep_t", local_ep);
	}
	PyGILState_Release(state);
	return code;
}
