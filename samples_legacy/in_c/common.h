/* What both ends of a sample share: devices, messages that wait, and what is printed of them. */
#ifndef COMMON_H
#define COMMON_H

#include <doca_comm_channel.h>
#include <doca_dev.h>
#include <doca_error.h>

#define SERVICE_NAME "hello"
#define MAX_MSG_SIZE 4080
#define QUEUE_SIZE 10

typedef struct doca_comm_channel_ep_t endpoint_t;
typedef struct doca_comm_channel_addr_t peer_t;

struct message {
	char text[MAX_MSG_SIZE];
	size_t length;
};

doca_error_t open_device(const char *pci_addr, struct doca_dev **dev);
doca_error_t open_representor(struct doca_dev *dev, const char *pci_addr, struct doca_dev_rep **rep);
doca_error_t create_endpoint(struct doca_dev *dev, endpoint_t **ep);

/* Wait for a message, or for room for one. */
doca_error_t receive(endpoint_t *ep, struct message *message, peer_t **peer);
doca_error_t send_text(endpoint_t *ep, peer_t *peer, const char *text, size_t length);

doca_error_t show_statistics(peer_t *peer);
void nap(void);

/* Print the result; returns the exit status. */
int ended(doca_error_t result);

/* The value of a one-letter option ("-p" of "-p 03:00.0"), or what it is otherwise. */
const char *option(int argc, char **argv, const char *name, const char *otherwise);

#endif
