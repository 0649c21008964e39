/* The interpreter behind the faces: see interpreter.c. */
#ifndef COMCH_FACE_INTERPRETER_H
#define COMCH_FACE_INTERPRETER_H

#include <doca_error.h>

/* Have a Python interpreter that can import this project: the program's own where it is Python, else start one; and import
 * the module that implements a face, and the extension that holds its calls. Any thread, any number of times. These calls,
 * or NULL: with an interpreter the next call tries again, as descriptors or memory may have been lacking. The reason is
 * on standard error, unless it has been `reported`. */
const void *comch_face_start(const char *module_name, const char *extension, int *reported);

/* What every call returns from now on, once nothing can be called any more: there is no interpreter, the program's has
 * ended, or the program has left a call, which it has not returned from. */
extern doca_error_t comch_face_ended;

/* Note that the program leaves this call by an exception of C++, or by the end of its thread, out of a callback: Python's
 * frames and the engine's lock stay behind, so nothing can be called any more. */
void comch_face_abandon(const char *call);

#endif
