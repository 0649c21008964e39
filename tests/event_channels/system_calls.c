/* Counts the system calls of a wake-up: to be loaded before libc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static unsigned int number;

unsigned int system_calls(void)
{
	return number;
}

#define COUNTED(result, name, parameters, arguments)                        \
	result name parameters                                              \
	{                                                                   \
		static result(*real) parameters;                            \
                                                                            \
		if (!real)                                                  \
			real = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
		number++;                                                   \
		return real arguments;                                      \
	}

COUNTED(int, epoll_wait, (int set, struct epoll_event *events, int most, int timeout), (set, events, most, timeout))
COUNTED(int, epoll_ctl, (int set, int operation, int fd, struct epoll_event *event), (set, operation, fd, event))
COUNTED(int, poll, (struct pollfd *fds, nfds_t count, int timeout), (fds, count, timeout))
COUNTED(ssize_t, send, (int fd, const void *data, size_t length, int flags), (fd, data, length, flags))
COUNTED(ssize_t, read, (int fd, void *data, size_t length), (fd, data, length))
COUNTED(ssize_t, write, (int fd, const void *data, size_t length), (fd, data, length))
COUNTED(int, recvmmsg, (int fd, struct mmsghdr *into, unsigned int count, int flags, struct timespec *timeout),
	(fd, into, count, flags, timeout))
