/* Messages both ways over one endpoint of generation 1: a sending and a receiving thread, a lock, two epoll sets.
 *
 * Each thread waits for its event channel, or for the signal that ends it. The service learns its peer from the first
 * message, and wakes its sender. At the end the peer is disconnected and the endpoint destroyed, whatever is left. */
#include "common.h"

#include <doca_comm_channel.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SERVICE_NAME "secure_channel"
#define MAX_MSG_SIZE 4080
#define QUEUE_SIZE 16
#define NUM_MESSAGES 200

struct channel {
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *peer;
	pthread_mutex_t lock;
	pthread_t sender, receiver;
	doca_event_channel_t send_event, recv_event;
	int is_service, sent, received;
	doca_error_t send_result, recv_result;
};

static int wait_set(int event)
{
	struct epoll_event interest = {.events = EPOLLIN};
	sigset_t signals;
	int set = epoll_create1(0), ends;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR2);
	ends = signalfd(-1, &signals, SFD_NONBLOCK);
	interest.data.fd = event;
	if (set < 0 || ends < 0 || epoll_ctl(set, EPOLL_CTL_ADD, event, &interest) < 0)
		return -1;
	interest.data.fd = ends;
	return epoll_ctl(set, EPOLL_CTL_ADD, ends, &interest) < 0 ? -1 : set;
}

static doca_error_t send_one(struct channel *channel, int set, const char *text, size_t length)
{
	struct epoll_event event;
	doca_error_t result;

	for (;;) {
		pthread_mutex_lock(&channel->lock);
		result = doca_comm_channel_ep_sendto(channel->ep, text, length, DOCA_CC_MSG_FLAG_NONE, channel->peer);
		if (result == DOCA_ERROR_AGAIN)
			(void)doca_comm_channel_ep_event_handle_arm_send(channel->ep);
		pthread_mutex_unlock(&channel->lock);
		if (result != DOCA_ERROR_AGAIN)
			return result;
		if (epoll_wait(set, &event, 1, 10) < 0)
			return DOCA_ERROR_OPERATING_SYSTEM;
	}
}

static void *send_all(void *argument)
{
	struct channel *channel = argument;
	char text[MAX_MSG_SIZE];
	sigset_t signals;
	int set = wait_set(channel->send_event), got;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	if (channel->is_service)
		sigwait(&signals, &got); /* until the receiver knows the peer */
	channel->send_result = set < 0 ? DOCA_ERROR_OPERATING_SYSTEM : DOCA_SUCCESS;
	while (channel->send_result == DOCA_SUCCESS && channel->sent < NUM_MESSAGES) {
		const int length = snprintf(text, sizeof(text), "message %d", channel->sent);

		channel->send_result = send_one(channel, set, text, length);
		if (channel->send_result == DOCA_SUCCESS)
			channel->sent++;
	}
	return NULL;
}

static void *receive_all(void *argument)
{
	struct channel *channel = argument;
	struct epoll_event event;
	char text[MAX_MSG_SIZE];
	int set = wait_set(channel->recv_event);

	channel->recv_result = set < 0 ? DOCA_ERROR_OPERATING_SYSTEM : DOCA_SUCCESS;
	while (channel->recv_result == DOCA_SUCCESS && channel->received < NUM_MESSAGES) {
		struct doca_comm_channel_addr_t *peer;
		size_t length = sizeof(text);
		doca_error_t result;

		pthread_mutex_lock(&channel->lock);
		result = doca_comm_channel_ep_recvfrom(channel->ep, text, &length, DOCA_CC_MSG_FLAG_NONE, &peer);
		if (result == DOCA_ERROR_AGAIN)
			(void)doca_comm_channel_ep_event_handle_arm_recv(channel->ep);
		pthread_mutex_unlock(&channel->lock);
		if (result == DOCA_ERROR_AGAIN) {
			if (epoll_wait(set, &event, 1, -1) < 0)
				channel->recv_result = DOCA_ERROR_OPERATING_SYSTEM;
		} else if (result != DOCA_SUCCESS) {
			channel->recv_result = result;
		} else {
			char expected[32];

			if (!channel->peer) {
				channel->peer = peer;
				pthread_kill(channel->sender, SIGUSR1);
			}
			if ((size_t)snprintf(expected, sizeof(expected), "message %d", channel->received) != length ||
			    memcmp(expected, text, length) != 0)
				channel->recv_result = DOCA_ERROR_UNEXPECTED;
			channel->received++;
		}
	}
	return NULL;
}

static doca_error_t join_peer(struct channel *channel)
{
	doca_error_t result;

	if (channel->is_service) {
		result = doca_comm_channel_ep_listen(channel->ep, SERVICE_NAME);
		if (result == DOCA_SUCCESS)
			printf("listening on %s\n", SERVICE_NAME);
		fflush(stdout);
	} else {
		result = doca_comm_channel_ep_connect(channel->ep, SERVICE_NAME, &channel->peer);
		if (result == DOCA_SUCCESS)
			while ((result = doca_comm_channel_peer_addr_update_info(channel->peer)) ==
			       DOCA_ERROR_CONNECTION_INPROGRESS)
				nap();
	}
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_get_event_channel(channel->ep, &channel->send_event, &channel->recv_event);
	return result;
}

static doca_error_t run(struct channel *channel)
{
	uint64_t in_flight = 1;
	doca_error_t result = join_peer(channel);

	if (result != DOCA_SUCCESS)
		return result;
	if (pthread_create(&channel->sender, NULL, send_all, channel) ||
	    pthread_create(&channel->receiver, NULL, receive_all, channel))
		return DOCA_ERROR_OPERATING_SYSTEM;
	pthread_join(channel->receiver, NULL);
	pthread_join(channel->sender, NULL);
	while (in_flight && doca_comm_channel_peer_addr_update_info(channel->peer) == DOCA_SUCCESS)
		(void)doca_comm_channel_peer_addr_get_send_in_flight_messages(channel->peer, &in_flight);
	printf("sent %d, received %d\n", channel->sent, channel->received);
	return channel->send_result != DOCA_SUCCESS ? channel->send_result : channel->recv_result;
}

static doca_error_t open_channel(struct channel *channel, struct doca_dev *dev, struct doca_dev_rep *rep)
{
	doca_error_t result = doca_comm_channel_ep_create(&channel->ep);

	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comm_channel_ep_set_device(channel->ep, dev);
	if (result == DOCA_SUCCESS && rep)
		result = doca_comm_channel_ep_set_device_rep(channel->ep, rep);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_max_msg_size(channel->ep, MAX_MSG_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_send_queue_size(channel->ep, QUEUE_SIZE);
	if (result == DOCA_SUCCESS)
		result = doca_comm_channel_ep_set_recv_queue_size(channel->ep, QUEUE_SIZE);
	if (result == DOCA_SUCCESS)
		result = run(channel);
	if (channel->peer)
		(void)doca_comm_channel_ep_disconnect(channel->ep, channel->peer);
	(void)doca_comm_channel_ep_destroy(channel->ep);
	return result;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.pci_addr = "b1:00.0", .rep_pci = "b1:00.0"};
	struct channel channel = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct doca_dev_rep *rep = NULL;
	struct doca_dev *dev;
	sigset_t signals;
	uint8_t lists = 0;
	doca_error_t result = parse("secure_channel", argc, argv, &arguments);

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &signals, NULL); /* the threads take them by sigwait and signalfd */
	if (result == DOCA_SUCCESS)
		result = open_device(arguments.pci_addr, NULL, &dev);
	if (result != DOCA_SUCCESS)
		return ended(result);
	channel.is_service = doca_devinfo_rep_cap_is_filter_net_supported(doca_dev_as_devinfo(dev), &lists) ==
			     DOCA_SUCCESS && lists;
	if (channel.is_service)
		result = open_representor(dev, arguments.rep_pci, &rep);
	if (result == DOCA_SUCCESS)
		result = open_channel(&channel, dev, rep);
	if (rep)
		(void)doca_dev_rep_close(rep);
	(void)doca_dev_close(dev);
	return ended(result);
}
