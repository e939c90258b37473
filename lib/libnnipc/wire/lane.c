// SPDX-License-Identifier: Apache-2.0
/* Calls: one packet there, one back. */
#include "wire/nnipc_wire.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nnutil_clock.h"

/* How a handler's refusal travels. */
static const struct {
	uint8_t flag;
	int error;
} refusals[] = {
	{ NNIPC_FLAG_UNSUPPORTED, -EOPNOTSUPP },
	{ NNIPC_FLAG_MALFORMED, -EBADMSG },
	{ NNIPC_FLAG_NO_OBJECT, -ESTALE },
	{ NNIPC_FLAG_NO_ROOM, -EMFILE },
};

static int refusal_error(uint8_t flags)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (flags & refusals[i].flag)
			return refusals[i].error;
	return 0;
}

static uint8_t refusal_flag(int error)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (error == refusals[i].error)
			return refusals[i].flag;
	return 0;
}

static bool is_reply(const struct nnipc_header *reply, const struct nnipc_header *call)
{
	return reply->kind == NNIPC_REPLY && reply->serial == call->serial &&
	       reply->method == call->method;
}

/* As nnipc_frame_receive(), which sleeps; the next packet of a lane is often due at once. */
static int lane_receive(int sock, struct nnipc_frame *in, int64_t timeout_ns)
{
	const int64_t deadline_ns = nnutil_deadline(timeout_ns);
	struct pollfd fd = { .fd = sock, .events = POLLIN };
	bool seen = false;
	int ret;

	nnipc_spin_begin(&in->spin, nnutil_monotonic_ns(), deadline_ns);
	while (!seen && nnipc_spin_again(&in->spin))
		seen = poll(&fd, 1, 0) > 0;
	ret = nnipc_frame_receive_until(sock, in, deadline_ns);
	nnipc_spin_end(&in->spin, nnutil_monotonic_ns(), seen);
	return ret;
}

int nnipc_lane_call(struct nnipc_lane *lane, uint32_t method, uint64_t oid, int64_t timeout_ns)
{
	const struct nnipc_header call = {
		.kind = NNIPC_CALL,
		.method = method,
		.oid = oid,
		.serial = ++lane->serial,
	};
	int ret = nnipc_frame_send(lane->sock, &call, &lane->out);

	nnipc_writer_reset(&lane->out);
	if (ret)
		return ret;
	lane->in.no_calls = true;
	ret = lane_receive(lane->sock, &lane->in, timeout_ns);
	if (ret == -ENOMEM)
		ret = -EMFILE;
	/* without room for the descriptors the header is there */
	if ((!ret || ret == -EMFILE) && !is_reply(&lane->in.header, &call))
		ret = -EPROTO;
	if (!ret)
		ret = refusal_error(lane->in.header.flags);
	if (ret)
		nnipc_frame_clear(&lane->in);
	return ret;
}

void nnipc_lane_fini(struct nnipc_lane *lane)
{
	if (lane->sock >= 0)
		close(lane->sock);
	lane->sock = -1;
	nnipc_writer_fini(&lane->out);
	nnipc_frame_fini(&lane->in);
}

/* Something that this process, or its user, has too little of at the moment. */
static bool is_shortage(int error)
{
	return error == -ETOOMANYREFS || error == -ENOMEM || error == -EMFILE || error == -ENFILE ||
	       error == -ENOBUFS;
}

/*
 * The kernel counts descriptors that were sent and not received for the sender's user, over all of
 * its processes; with too many, no process of that user sends any. A caller that reads its replies
 * has at most one on its lane; one that does not gets none. (SIOCOUTQ returns the same, but a
 * worker makes no ioctls of sockets.)
 */
static bool is_too_much(int sock, const struct nnipc_writer *reply)
{
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	socklen_t size = sizeof(memory);

	return (reply->num_fds || reply->size > NNIPC_INLINE_MAX) &&
	       !getsockopt(sock, SOL_SOCKET, SO_MEMINFO, memory, &size) &&
	       memory[SK_MEMINFO_WMEM_ALLOC];
}

/* Run the call in @in, unless its descriptors are @lost, and answer it. */
static int lane_answer(int sock, nnipc_handler handler, void *cookie, struct nnipc_frame *in,
		       int lost, struct nnipc_writer *out)
{
	struct nnipc_header reply = in->header;
	int ret = lost ? lost : handler(cookie, &in->header, &in->reader, out);

	reply.kind = NNIPC_REPLY;
	reply.flags = refusal_flag(ret);
	if (ret && !reply.flags)
		return ret;
	/* before the reply: a peer that has it may count what this process has open */
	nnipc_frame_clear(in);
	if (!ret && is_too_much(sock, out))
		ret = -ETOOMANYREFS;
	else
		ret = nnipc_frame_send(sock, &reply, ret ? NULL : out);
	if (!is_shortage(ret))
		return ret;
	/* of one call; the lane is as good as before */
	reply.flags = NNIPC_FLAG_NO_ROOM;
	return nnipc_frame_send(sock, &reply, NULL);
}

int nnipc_lane_answer(int sock, nnipc_handler handler, void *cookie, struct nnipc_frame *in,
		      struct nnipc_writer *out)
{
	int ret = lane_receive(sock, in, -1);

	if (ret == -ENOMEM)
		ret = -EMFILE;
	if (ret && ret != -EMFILE)
		return ret;
	if (in->header.kind != NNIPC_CALL)
		return -EPROTO;
	ret = lane_answer(sock, handler, cookie, in, ret, out);
	nnipc_writer_reset(out);
	return ret;
}

int nnipc_lane_serve(int sock, nnipc_handler handler, void *cookie)
{
	struct nnipc_frame in = { 0 };
	struct nnipc_writer out = { 0 };
	int ret;

	do
		ret = nnipc_lane_answer(sock, handler, cookie, &in, &out);
	while (!ret);
	nnipc_frame_fini(&in);
	nnipc_writer_fini(&out);
	return ret == -EPIPE ? 0 : ret;
}
