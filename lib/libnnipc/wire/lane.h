/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls. A lane is a socket that carries one call at a time: the caller sends, and waits on the
 * same socket for the reply. So a call wakes one thread of the peer, and its reply wakes the
 * caller: two hand-offs, no reader thread between, and a peer that dies ends the wait by hanging
 * up. As many calls run at a time as there are lanes. Knows no device.
 *
 * A hostile peer can keep its end from hanging up after its death, by passing it to another process
 * or to us. Therefore the thread that watches its process calls shutdown(sock, SHUT_RDWR), which
 * any thread may do: a call that waits then returns -EPIPE.
 */
#ifndef NNIPC_LANE_H
#define NNIPC_LANE_H

#include "wire/frame.h"

/** The caller's end. Zeros and a socket make one. One thread at a time. */
struct nnipc_lane {
	int sock; /* the lane's; -1: none */
	uint64_t serial; /* of the last call */
	struct nnipc_writer out; /* arguments of the next call */
	struct nnipc_frame in; /* the last reply */
	struct nnipc_lane *next; /* the users' */
};

/**
 * nnipc_lane_call() - call a method
 * @lane: has the arguments in @out, which is reset
 * @method: number
 * @oid: object; 0: none
 * @timeout_ns: most time to wait for the reply; negative: no limit
 *
 * Return: 0: the results are in @lane->in.reader; -EOPNOTSUPP, -EBADMSG, -ESTALE: the peer says
 * that it knows no such method, cannot read the arguments, has no such object; -EMFILE: one side
 * has no room for descriptors: of the call, which did not run, or of the reply; -EPIPE: the peer is
 * gone; -ETIME; -EPROTO: invalid reply to this call; @out's error or another errno: nothing
 * was sent. After -ETIME and -EPROTO the lane cannot be used again.
 */
int nnipc_lane_call(struct nnipc_lane *lane, uint32_t method, uint64_t oid, int64_t timeout_ns);

/** Close the socket, free the memory. */
void nnipc_lane_fini(struct nnipc_lane *lane);

/**
 * typedef nnipc_handler - runs a call on the peer's side
 * @cookie: of nnipc_lane_serve()
 * @header: of the call
 * @in: arguments; the handler must read all of them and check nnipc_reader_end()
 * @out: for the results; ignored unless the handler returns 0
 *
 * Arguments are valid during the call; descriptors that the handler did not take are closed after
 * it.
 *
 * Return: 0; -EOPNOTSUPP, -EBADMSG, -ESTALE, -EMFILE (see nnipc_lane_call()); another error ends
 * the lane.
 */
typedef int (*nnipc_handler)(void *cookie, const struct nnipc_header *header,
			     struct nnipc_reader *in, struct nnipc_writer *out);

/**
 * nnipc_lane_answer() - receive one call and answer it
 * @sock: the socket; stays the caller's
 * @handler: runs the call
 * @cookie: for @handler
 * @in: reused for the next call; its header is that of the call
 * @out: empty; reused for the next call
 *
 * Return: 0: the call was answered; -EPIPE: the peer hung up; -EPROTO: the message is malformed or
 * no call; @handler's error; or another errno.
 */
int nnipc_lane_answer(int sock, nnipc_handler handler, void *cookie, struct nnipc_frame *in,
		      struct nnipc_writer *out);

/**
 * nnipc_lane_serve() - answer calls until the peer hangs up
 * @sock: the socket; stays the caller's
 * @handler: runs each call, in this thread
 * @cookie: for @handler
 *
 * Return: 0: the peer hung up; -EPROTO: a message is malformed or no call; @handler's error; or
 * another errno.
 */
int nnipc_lane_serve(int sock, nnipc_handler handler, void *cookie);

#endif
