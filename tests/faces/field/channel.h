/* Generation 1 as programs use it: an endpoint with its event channels in epoll, armed when a call says AGAIN. */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <sys/epoll.h>

#include <doca_comm_channel.h>

#include "field.h"

#define CHANNEL_SERVICE "field channel"
#define CHANNEL_MSG_SIZE 4080
#define CHANNEL_QUEUE 10
#define CHANNEL_WAIT_MS 10

struct channel {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *peer;
	doca_event_channel_t send_event, recv_event;
	int send_set, recv_set;
};

static inline int channel_set(doca_event_channel_t event)
{
	struct epoll_event interest;
	int set = epoll_create1(EPOLL_CLOEXEC);

	memset(&interest, 0, sizeof(interest));
	interest.events = EPOLLIN;
	interest.data.fd = event;
	if (set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, event, &interest) == 0)
		return set;
	return -1;
}

static inline doca_error_t channel_open(struct channel *channel)
{
	doca_error_t result;

	result = doca_comm_channel_ep_create(&channel->ep);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comm_channel_ep_set_max_msg_size(channel->ep, CHANNEL_MSG_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_send_queue_size(channel->ep, CHANNEL_QUEUE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_recv_queue_size(channel->ep, CHANNEL_QUEUE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_device(channel->ep, channel->dev);
	if (result == DOCA_SUCCESS && channel->rep != NULL)
		result = doca_comm_channel_ep_set_device_rep(channel->ep, channel->rep);
	return result;
}

/* Once the endpoint listens or has connected. */
static inline doca_error_t channel_watch(struct channel *channel)
{
	doca_error_t result;

	result = doca_comm_channel_ep_get_event_channel(channel->ep, &channel->send_event, &channel->recv_event);
	if (result != DOCA_SUCCESS)
		return result;
	channel->send_set = channel_set(channel->send_event);
	channel->recv_set = channel_set(channel->recv_event);
	return channel->send_set < 0 || channel->recv_set < 0 ? DOCA_ERROR_OPERATING_SYSTEM : DOCA_SUCCESS;
}

static inline doca_error_t channel_send(struct channel *channel, const void *message, size_t length)
{
	struct epoll_event event;
	doca_error_t result;
	int turn;

	for (turn = 0; turn < FIELD_MOST_TURNS; turn++) {
		result = doca_comm_channel_ep_sendto(channel->ep, message, length, DOCA_CC_MSG_FLAG_NONE,
						     channel->peer);
		if (result != DOCA_ERROR_AGAIN)
			return result;
		result = doca_comm_channel_ep_event_handle_arm_send(channel->ep);
		if (result != DOCA_SUCCESS)
			return result;
		if (epoll_wait(channel->send_set, &event, 1, CHANNEL_WAIT_MS) < 0)
			return DOCA_ERROR_IO_FAILED;
	}
	return DOCA_ERROR_TIME_OUT;
}

static inline doca_error_t channel_receive(struct channel *channel, void *message, size_t *length)
{
	struct epoll_event event;
	doca_error_t result;
	int turn;

	for (turn = 0; turn < FIELD_MOST_TURNS; turn++) {
		*length = CHANNEL_MSG_SIZE;
		result = doca_comm_channel_ep_recvfrom(channel->ep, message, length, DOCA_CC_MSG_FLAG_NONE,
						       &channel->peer);
		if (result != DOCA_ERROR_AGAIN)
			return result;
		result = doca_comm_channel_ep_event_handle_arm_recv(channel->ep);
		if (result != DOCA_SUCCESS)
			return result;
		if (epoll_wait(channel->recv_set, &event, 1, CHANNEL_WAIT_MS) < 0)
			return DOCA_ERROR_IO_FAILED;
	}
	return DOCA_ERROR_TIME_OUT;
}

static inline doca_error_t channel_close(struct channel *channel)
{
	doca_error_t result = DOCA_SUCCESS;

	if (channel->peer != NULL)
		field_keep(&result, doca_comm_channel_ep_disconnect(channel->ep, channel->peer));
	field_keep(&result, doca_comm_channel_ep_destroy(channel->ep));
	close(channel->send_set);
	close(channel->recv_set);
	if (channel->rep != NULL)
		field_keep(&result, doca_dev_rep_close(channel->rep));
	field_keep(&result, doca_dev_close(channel->dev));
	return result;
}

#endif
