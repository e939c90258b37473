// SPDX-License-Identifier: Apache-2.0
/* Fences: those of user space, and the status of both kinds. */
#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_fence.h"
#include "nnutil_process.h"
#include "nnutil_file.h"

#define MAGIC 0x636e666eu /* "nfnc" */
#define MAX_ERRNO 4095
#define MAX_FENCES 64u /* of one sync_file whose times are read */

/* The message of a maker. A fence is of one machine: the byte order is its own. */
struct end {
	uint32_t magic;
	int32_t error; /* 0 or -errno */
	uint32_t zero[2];
	int64_t signalled_ns; /* CLOCK_MONOTONIC */
};

int nnutil_fence_create(int *fence, int *signal)
{
	int fds[2], ret;

	*fence = *signal = -1;
	nnutil_process_watch(NULL);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	/*
	 * The fence is for reading only. Otherwise any holder could write, and closing a socket
	 * with unread messages resets the other end: its readers would see no message.
	 */
	if (shutdown(fds[0], SHUT_WR)) {
		ret = -errno;
		close(fds[0]);
		close(fds[1]);
		return ret;
	}
	*fence = fds[0];
	/* a child that has the maker's end would keep the fence of a dead maker pending */
	*signal = nnutil_fd_keep(fds[1]);
	return 0;
}

void nnutil_fence_signal(int signal, int error)
{
	const struct end end = {
		.magic = MAGIC,
		.error = error,
		.signalled_ns = nnutil_monotonic_ns(),
	};

	/* if it fails, all fences are closed or memory is short: then the hang-up is the error */
	send(signal, &end, sizeof(end), MSG_NOSIGNAL | MSG_DONTWAIT);
	nnutil_fd_close(signal);
}

static int socket_status(int fd, int64_t *signalled_ns)
{
	struct end end;
	ssize_t size;

	/* a fence that has not signalled is any connected socket of this type */
	if (!nnutil_socket_is(fd, SO_DOMAIN, AF_UNIX) ||
	    !nnutil_socket_is(fd, SO_TYPE, SOCK_SEQPACKET))
		return -EINVAL;
	do {
		size = recv(fd, &end, sizeof(end), MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC);
	} while (size < 0 && errno == EINTR);
	if (size < 0 && errno == EAGAIN)
		return 0;
	if (size == 0 || (size < 0 && errno == ECONNRESET))
		return -EPIPE;
	if (size != sizeof(end) || end.magic != MAGIC || end.zero[0] || end.zero[1] ||
	    end.error > 0 || end.error < -MAX_ERRNO)
		return -EINVAL;
	if (end.error)
		return end.error == -EINVAL ? -EIO : end.error;
	/* the time of a fence with an impossible one stays unknown */
	if (signalled_ns && end.signalled_ns > 0 && end.signalled_ns <= nnutil_monotonic_ns())
		*signalled_ns = end.signalled_ns;
	return 1;
}

/* -ENOTTY: no sync_file. */
static int sync_file_status(int fd, int64_t *signalled_ns)
{
	struct sync_fence_info fences[MAX_FENCES];
	struct sync_file_info info = { 0 };
	int32_t status;

	if (ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return -ENOTTY;
	status = info.status;
	if (status < 0)
		return status == -EINVAL || status == -ENOTTY ? -EIO : status;
	if (status == 0 || !signalled_ns || info.num_fences > MAX_FENCES)
		return status != 0;

	memset(&info, 0, sizeof(info));
	memset(fences, 0, sizeof(fences));
	info.num_fences = MAX_FENCES;
	info.sync_fence_info = (uintptr_t)fences;
	if (ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return 1;
	for (uint32_t i = 0; i < info.num_fences && i < MAX_FENCES; i++)
		if (fences[i].timestamp_ns < INT64_MAX &&
		    (int64_t)fences[i].timestamp_ns > *signalled_ns)
			*signalled_ns = (int64_t)fences[i].timestamp_ns;
	return 1;
}

int nnutil_fence_status(int fd, int64_t *signalled_ns)
{
	int status;

	if (signalled_ns)
		*signalled_ns = 0;
	if (fd < 0)
		return -EINVAL;
	status = sync_file_status(fd, signalled_ns);
	return status == -ENOTTY ? socket_status(fd, signalled_ns) : status;
}

int nnutil_fence_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	/* poll() would wait for ever */
	if (fd < 0)
		return -EINVAL;
	do {
		n = poll(&p, 1, -1);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		return -errno;
	if (p.revents & POLLNVAL)
		return -EINVAL;
	if (p.revents & POLLERR || !(p.revents & POLLIN))
		return -EIO;
	n = nnutil_fence_status(fd, NULL);
	return n == 1 || n == -EINVAL ? 0 : -EIO;
}

bool nnutil_fence_is_sync_file(int fd)
{
	struct sync_file_info info = { 0 };

	return fd >= 0 && !ioctl(fd, SYNC_IOC_FILE_INFO, &info);
}
