/* The interpreter behind the faces: see interpreter.c. */
#ifndef COMCH_FACE_INTERPRETER_H
#define COMCH_FACE_INTERPRETER_H

/* Have a Python interpreter that can import this project: the program's own where it is Python, else start one.
 * Any thread, any number of times. 0, or -1 when there is none, with the reason on standard error. */
int comch_face_interpreter(void);

#endif
