/* An end of a measured pair in C: what the measurement asks of it, and what its devices are. */
#ifndef PING_H
#define PING_H

#include <stddef.h>

#include <doca_dev.h>
#include <doca_error.h>

#define SERVICE_NAME "bench"
#define MAX_MSG_SIZE 4080
#define QUEUE_SIZE 1024

/* Ends that fail leave the program; send and receive wait. The message received is dropped. */
void meet_as_service(struct doca_dev *dev, struct doca_dev_rep *rep, void (*ready)(void));
void meet_as_client(struct doca_dev *dev);
void send_message(const void *data, size_t length);
void receive_message(void);
void leave(void);

/* Leave the program unless a call has succeeded. */
void must(const char *what, doca_error_t result);

#endif
