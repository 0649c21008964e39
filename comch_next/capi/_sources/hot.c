/* sendto and recvfrom of generation 1, which programs call in loops: straight to Python, with nothing in between.
 *
 * `sends` is called with (endpoint, message, length, flags, peer) and returns a code. `receives` is called with
 * (endpoint, length, flags) and returns a code alone, or (code, message, length, peer) with None where C gets nothing. */
#include <doca_comm_channel.h>

#include <string.h>

static PyObject *sends, *receives;

static int started(void);

/* Keep the two functions, whose addresses these are. */
static void comch_face_hot(uintptr_t sendto, uintptr_t recvfrom)
{
	sends = Py_NewRef((PyObject *)sendto);
	receives = Py_NewRef((PyObject *)recvfrom);
}

/* Call a function and give its arguments back. Without a result, what was raised is reported. */
static PyObject *called(PyObject *function, PyObject **arguments, size_t number)
{
	PyObject *result = NULL;
	size_t i, made = 0;

	while (made < number && arguments[made])
		made++;
	if (made == number)
		result = PyObject_Vectorcall(function, arguments, number, NULL);
	for (i = 0; i < number; i++)
		Py_XDECREF(arguments[i]);
	if (!result)
		PyErr_WriteUnraisable(function);
	return result;
}

FACE doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg, size_t len,
					      int flags, struct doca_comm_channel_addr_t *peer_addr)
{
	doca_error_t code = DOCA_ERROR_UNEXPECTED;
	PyGILState_STATE state;
	PyObject *result;

	if (!local_ep || !msg || len > UINT16_MAX) /* above every endpoint's property: nothing is read */
		return DOCA_ERROR_INVALID_VALUE;
	if (!started())
		return DOCA_ERROR_INITIALIZATION;
	state = PyGILState_Ensure();
	result = called(sends,
			(PyObject *[]){PyLong_FromVoidPtr(local_ep), PyBytes_FromStringAndSize(msg, (Py_ssize_t)len),
				       PyLong_FromSize_t(len), PyLong_FromLong(flags), PyLong_FromVoidPtr(peer_addr)},
			5);
	if (result)
		code = (doca_error_t)PyLong_AsLong(result);
	Py_XDECREF(result);
	PyGILState_Release(state);
	return code;
}

/* Write what has come; the message fits, or there would be none. */
static doca_error_t taken(PyObject *result, void *msg, size_t *len, struct doca_comm_channel_addr_t **peer_addr)
{
	PyObject *const data = PyTuple_GET_ITEM(result, 1), *const length = PyTuple_GET_ITEM(result, 2);
	PyObject *const peer = PyTuple_GET_ITEM(result, 3);

	if (PyBytes_Check(data))
		memcpy(msg, PyBytes_AS_STRING(data), (size_t)PyBytes_GET_SIZE(data));
	if (length != Py_None)
		*len = PyLong_AsSize_t(length);
	if (peer != Py_None)
		*peer_addr = PyLong_AsVoidPtr(peer);
	return (doca_error_t)PyLong_AsLong(PyTuple_GET_ITEM(result, 0));
}

FACE doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len, int flags,
						struct doca_comm_channel_addr_t **peer_addr)
{
	doca_error_t code = DOCA_ERROR_UNEXPECTED;
	PyGILState_STATE state;
	PyObject *result;

	if (!local_ep || !msg || !len || !peer_addr)
		return DOCA_ERROR_INVALID_VALUE;
	if (!started())
		return DOCA_ERROR_INITIALIZATION;
	state = PyGILState_Ensure();
	result = called(receives,
			(PyObject *[]){PyLong_FromVoidPtr(local_ep), PyLong_FromSize_t(*len), PyLong_FromLong(flags)}, 3);
	if (result)
		code = PyTuple_Check(result) ? taken(result, msg, len, peer_addr) : (doca_error_t)PyLong_AsLong(result);
	Py_XDECREF(result);
	PyGILState_Release(state);
	return code;
}
