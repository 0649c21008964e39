/* Generation 1 as the secure channel uses it: one endpoint, a sender and a receiver thread, a mutex, two epoll sets. */
#ifndef TWO_THREADS_H
#define TWO_THREADS_H

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <doca_comm_channel.h>

#include "guest.h"

#define MESSAGES 1000
#define SIZE 4080

struct side {
	struct doca_comm_channel_ep_t *endpoint;
	struct doca_comm_channel_addr_t *peer;
	pthread_mutex_t lock;
	pthread_cond_t known;
	doca_event_channel_t send_channel, recv_channel;
	int sent, received, wrong;
};

/* Wait on an event channel beside a signal descriptor, for a limited time. */
static inline void wait_for(int set, int timeout_ms)
{
	struct epoll_event event;

	if (epoll_wait(set, &event, 1, timeout_ms) < 0)
		must(DOCA_ERROR_OPERATING_SYSTEM, "epoll_wait");
}

static inline int new_set(int descriptor)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
	sigset_t signals;
	int set = epoll_create1(EPOLL_CLOEXEC);

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
	event.data.fd = signalfd(-1, &signals, SFD_CLOEXEC);
	epoll_ctl(set, EPOLL_CTL_ADD, event.data.fd, &event);
	return set;
}

static inline void *send_all(void *argument)
{
	struct side *side = argument;
	int set = new_set(side->send_channel);
	unsigned char message[SIZE];
	doca_error_t result;

	pthread_mutex_lock(&side->lock);
	while (side->peer == NULL)
		pthread_cond_wait(&side->known, &side->lock);
	pthread_mutex_unlock(&side->lock);
	for (int index = 0; index < MESSAGES; index++) {
		memset(message, index % 251, sizeof(message));
		for (time_t since = time(NULL);; in_time(since)) {
			pthread_mutex_lock(&side->lock);
			result = doca_comm_channel_ep_sendto(side->endpoint, message, 1 + index * 4 % SIZE,
							     DOCA_CC_MSG_FLAG_NONE, side->peer);
			if (result == DOCA_ERROR_AGAIN)
				MUST(doca_comm_channel_ep_event_handle_arm_send(side->endpoint));
			pthread_mutex_unlock(&side->lock);
			if (result != DOCA_ERROR_AGAIN)
				break;
			wait_for(set, 10);
		}
		must(result, "sendto");
		side->sent++;
	}
	close(set);
	return NULL;
}

static inline void *receive_all(void *argument)
{
	struct side *side = argument;
	int set = new_set(side->recv_channel);
	struct doca_comm_channel_addr_t *peer;
	unsigned char message[SIZE];
	doca_error_t result;
	size_t length;

	while (side->received < MESSAGES) {
		length = sizeof(message);
		pthread_mutex_lock(&side->lock);
		result = doca_comm_channel_ep_recvfrom(side->endpoint, message, &length, DOCA_CC_MSG_FLAG_NONE, &peer);
		if (result == DOCA_ERROR_AGAIN)
			MUST(doca_comm_channel_ep_event_handle_arm_recv(side->endpoint));
		if (result == DOCA_SUCCESS && side->peer == NULL) {
			side->peer = peer;
			pthread_cond_signal(&side->known);
		}
		pthread_mutex_unlock(&side->lock);
		if (result == DOCA_ERROR_AGAIN) {
			wait_for(set, GUEST_PATIENCE_S * 1000);
			continue;
		}
		must(result, "recvfrom");
		side->wrong += length != (size_t)(1 + side->received * 4 % SIZE) || peer != side->peer ||
			       message[0] != side->received % 251 || message[length - 1] != message[0];
		side->received++;
	}
	close(set);
	return NULL;
}

static inline void exchange(struct side *side)
{
	pthread_t sender, receiver;
	sigset_t signals;
	uint64_t in_flight;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	pthread_mutex_init(&side->lock, NULL);
	pthread_cond_init(&side->known, NULL);
	MUST(doca_comm_channel_ep_get_event_channel(side->endpoint, &side->send_channel, &side->recv_channel));
	pthread_create(&receiver, NULL, receive_all, side);
	pthread_create(&sender, NULL, send_all, side);
	pthread_join(sender, NULL);
	pthread_join(receiver, NULL);
	for (time_t since = time(NULL);; in_time(since)) {
		MUST(doca_comm_channel_peer_addr_update_info(side->peer));
		MUST(doca_comm_channel_peer_addr_get_send_in_flight_messages(side->peer, &in_flight));
		if (in_flight == 0)
			break;
		pause_us(100);
	}
	printf("%d sent, %d received, %d wrong\n", side->sent, side->received, side->wrong);
}

static inline struct doca_comm_channel_ep_t *new_endpoint(struct doca_dev *device)
{
	struct doca_comm_channel_ep_t *endpoint;
	uint16_t size;

	MUST(doca_comm_channel_ep_create(&endpoint));
	MUST(doca_comm_channel_ep_set_device(endpoint, device));
	MUST(doca_comm_channel_ep_set_max_msg_size(endpoint, SIZE));
	MUST(doca_comm_channel_ep_set_send_queue_size(endpoint, 10));
	MUST(doca_comm_channel_ep_set_recv_queue_size(endpoint, 10));
	MUST(doca_comm_channel_ep_get_send_queue_size(endpoint, &size));
	printf("send queue of %u\n", size);
	return endpoint;
}

#endif
