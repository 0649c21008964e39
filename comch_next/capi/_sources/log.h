/* The library's own messages: see log.c. */
#ifndef COMCH_FACE_LOG_H
#define COMCH_FACE_LOG_H

#include <doca_log.h>

/* Report an error of the library itself: to the SDK backends, or where there are none to standard error. */
void comch_face_report(const char *text);

/* Log why a call has been refused, for the SDK backends whose limits let it pass. */
void comch_face_refused(uint32_t level, const char *text);

#endif
