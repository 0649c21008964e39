/* sendto and recvfrom of generation 1: see hot.h. */
#include "hot.h"

static PyObject *hot_endpoints, *hot_peers, *hot_new_peer, *hot_sendto, *hot_recvfrom;

/* Use the table of handles, whose address this is, and what makes the handle of a peer of an endpoint: its address. */
static void comch_face_hot(uintptr_t table, uintptr_t new_peer)
{
	const PyGILState_STATE state = PyGILState_Ensure(); /* cffi has let it go */

	if (hot_use((PyObject *)table))
		PyErr_WriteUnraisable((PyObject *)table);
	hot_new_peer = Py_NewRef((PyObject *)new_peer);
	hot_endpoints = hot_handles("doca_comm_channel_ep_t");
	hot_peers = hot_handles("doca_comm_channel_addr_t");
	hot_sendto = PyUnicode_InternFromString("_sendto_code");
	hot_recvfrom = PyUnicode_InternFromString("_recvfrom_code");
	PyGILState_Release(state);
}

/* Call one of an endpoint's, and give its arguments back, which are NULL where there was no memory. */
static PyObject *hot_called(PyObject *endpoint, PyObject *name, PyObject **args, size_t number)
{
	PyObject *const call = PyObject_GetAttr(SLOT(endpoint, target), name);
	PyObject *result = NULL;
	size_t i, made = 0;

	while (made < number && args[made])
		made++;
	if (call && made == number)
		result = PyObject_Vectorcall(call, args, number, NULL);
	for (i = 0; i < number; i++)
		Py_XDECREF(args[i]);
	Py_XDECREF(call);
	return result;
}

FACE doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg, size_t len,
					      int flags, struct doca_comm_channel_addr_t *peer_addr)
{
	doca_error_t code = DOCA_ERROR_INVALID_VALUE;
	PyObject *endpoint, *peer, *result;
	PyGILState_STATE state;

	if (!local_ep || !msg || len > UINT16_MAX) /* above every endpoint's property: nothing is read */
		return DOCA_ERROR_INVALID_VALUE;
	if (!hot_started())
		return DOCA_ERROR_INITIALIZATION;
	state = PyGILState_Ensure();
	endpoint = hot_find(hot_endpoints, local_ep);
	if (endpoint) {
		peer = hot_find(hot_peers, peer_addr);
		result = hot_called(endpoint, hot_sendto,
				    (PyObject *[]){PyBytes_FromStringAndSize(msg, (Py_ssize_t)len), PyLong_FromSize_t(len),
						   PyLong_FromLong(flags), Py_NewRef(peer ? SLOT(peer, target) : Py_None)},
				    4);
		code = result ? (doca_error_t)PyLong_AsLong(result) : hot_refused();
		Py_XDECREF(result);
	}
	PyGILState_Release(state);
	return code;
}

/* The address of a peer, whose handle is made when it is first seen, or NULL. */
static void *hot_address(PyObject *peer, PyObject *endpoint)
{
	PyObject *const id = PyLong_FromVoidPtr(peer), *const handle = id ? PyDict_GetItem(hot_table.by_target, id) : NULL;
	PyObject *const number = handle ? Py_NewRef(SLOT(handle, address)) :
					  PyObject_CallFunctionObjArgs(hot_new_peer, peer, endpoint, NULL);
	void *const address = number ? PyLong_AsVoidPtr(number) : NULL;

	Py_XDECREF(id);
	Py_XDECREF(number);
	return address;
}

/* Write what has come, of (code, message, length, peer) with None where C gets nothing; the message fits. */
static doca_error_t hot_taken(PyObject *result, PyObject *endpoint, void *msg, size_t *len,
			      struct doca_comm_channel_addr_t **peer_addr)
{
	PyObject *const data = PyTuple_GET_ITEM(result, 1), *const length = PyTuple_GET_ITEM(result, 2);
	PyObject *const peer = PyTuple_GET_ITEM(result, 3);

	if (PyBytes_Check(data))
		memcpy(msg, PyBytes_AS_STRING(data), (size_t)PyBytes_GET_SIZE(data));
	if (length != Py_None)
		*len = PyLong_AsSize_t(length);
	if (peer != Py_None)
		*peer_addr = hot_address(peer, endpoint);
	return PyErr_Occurred() ? hot_refused() : (doca_error_t)PyLong_AsLong(PyTuple_GET_ITEM(result, 0));
}

FACE doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len, int flags,
						struct doca_comm_channel_addr_t **peer_addr)
{
	doca_error_t code = DOCA_ERROR_INVALID_VALUE;
	PyObject *endpoint, *result;
	PyGILState_STATE state;

	if (!local_ep || !msg || !len || !peer_addr)
		return DOCA_ERROR_INVALID_VALUE;
	if (!hot_started())
		return DOCA_ERROR_INITIALIZATION;
	state = PyGILState_Ensure();
	endpoint = hot_find(hot_endpoints, local_ep);
	if (endpoint) {
		Py_INCREF(endpoint);
		result = hot_called(endpoint, hot_recvfrom,
				    (PyObject *[]){PyLong_FromSize_t(*len), PyLong_FromLong(flags)}, 2);
		code = result ? hot_taken(result, endpoint, msg, len, peer_addr) : hot_refused();
		Py_XDECREF(result);
		Py_DECREF(endpoint);
	}
	PyGILState_Release(state);
	return code;
}
