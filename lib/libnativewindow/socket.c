// SPDX-License-Identifier: Apache-2.0
/*
 * Buffers over a socket: one message of fixed size with one descriptor. The peer may be hostile: a
 * description is only used as far as the descriptor itself confirms it.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "nativewindow.h"

#define MAGIC "nnahwb1"
/* Room for other control messages that a socket may deliver (credentials, a security label). */
#define CONTROL_BYTES 1024u

struct message {
	char magic[8];
	uint32_t width, height, layers, format;
	uint64_t usage;
};
_Static_assert(sizeof(struct message) == 32, "the same for all programs of a machine");

int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	AHardwareBuffer *found = nw_buffer_get(buffer);
	struct message message = { .magic = MAGIC };
	struct iovec part = { .iov_base = &message, .iov_len = sizeof(message) };
	struct msghdr header = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t sent;
	int ret = 0;

	if (!found)
		return nw_refuse(EINVAL, "%p is not a buffer", (const void *)buffer);
	message.width = found->desc.width;
	message.height = found->desc.height;
	message.layers = found->desc.layers;
	message.format = found->desc.format;
	message.usage = found->desc.usage;
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &found->fd, sizeof(int));
	do
		sent = sendmsg(socketFd, &header, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent != (ssize_t)sizeof(message))
		ret = sent < 0 ? errno : EIO;
	nw_buffer_put(found);
	return ret ? nw_refuse(ret, "socket %d: %s", socketFd, strerror(ret)) : 0;
}

/* The descriptor of a message, when it has exactly one; all others are closed. Else -1. */
static int take_descriptor(struct msghdr *header)
{
	int fd = -1, count = 0, one;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0);
		     at += sizeof(int)) {
			memcpy(&one, CMSG_DATA(c) + at, sizeof(int));
			if (count++)
				close(one);
			else
				fd = one;
		}
	}
	if (count > 1 || (fd >= 0 && header->msg_flags & MSG_CTRUNC)) {
		close(fd);
		return -1;
	}
	return fd;
}

static const char *understand(const struct message *message, int fd, AHardwareBuffer_Desc *desc,
			      uint64_t *size, bool *dmabuf, bool *writable)
{
	const char *why;

	if (memcmp(message->magic, MAGIC, sizeof(message->magic)))
		return "it is not of this library";
	if (fd < 0)
		return "it does not have exactly one descriptor";
	*desc = (AHardwareBuffer_Desc){
		.width = message->width,
		.height = message->height,
		.layers = message->layers,
		.format = message->format,
		.usage = message->usage,
	};
	if (nw_desc_check(desc, size, &why))
		nw_backing_check(fd, *size, dmabuf, writable, &why);
	return why;
}

int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer)
{
	union {
		struct cmsghdr header;
		char bytes[CONTROL_BYTES];
	} control;
	struct message message;
	struct iovec part = { .iov_base = &message, .iov_len = sizeof(message) };
	struct msghdr header = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	AHardwareBuffer_Desc desc;
	bool dmabuf, writable;
	const char *why;
	uint64_t size;
	int fd, error;
	ssize_t got;

	if (!outBuffer)
		return nw_refuse(EINVAL, "outBuffer is NULL");
	*outBuffer = NULL;
	/*
	 * a message is sent in one piece: a part of one is an error, and its rest is not waited for
	 */
	do
		got = recvmsg(socketFd, &header, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		error = errno;
		return nw_refuse(error, "socket %d: %s", socketFd, strerror(error));
	}
	fd = take_descriptor(&header);
	if (!got && fd < 0)
		return nw_refuse(EPIPE, "socket %d: the peer has closed it", socketFd);
	why = got != (ssize_t)sizeof(message) || header.msg_flags & MSG_TRUNC
		      ? "wrong size"
		      : understand(&message, fd, &desc, &size, &dmabuf, &writable);
	if (!why) {
		*outBuffer = nw_buffer_new(&desc, size, fd, dmabuf, writable);
		if (*outBuffer)
			return 0;
	}
	if (fd >= 0)
		close(fd);
	return why ? nw_refuse(EBADMSG, "socket %d: invalid message: %s", socketFd, why)
		   : nw_refuse(ENOMEM, "out of memory");
}
