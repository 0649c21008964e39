/* The library's own messages: see log.c. */
#ifndef COMCH_FACE_LOG_H
#define COMCH_FACE_LOG_H

#include <doca_log.h>

/* Report an error of the library itself: to the SDK backends, or where there are none to standard error. */
void comch_face_report(const char *text);

/* Log why a call has been refused, or what has become of a connection, for the SDK backends whose limits let it pass. */
void comch_face_log(uint32_t level, const char *text);

/* Log that a call has been refused because of a parameter, "NULL" or whatever else it is: INVALID_VALUE. */
doca_error_t comch_face_invalid(const char *function, const char *parameter, const char *is);

/* Refuse a pointer that is NULL, where the function returns a result code. */
#define REQUIRE(pointer) \
	do { \
		if (!(pointer)) \
			return comch_face_invalid(__func__, #pointer, "NULL"); \
	} while (0)

#endif
