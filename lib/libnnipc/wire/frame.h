/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages on a SOCK_SEQPACKET socket: a header, a payload, descriptors. Knows no device.
 *
 * A payload of at most NNIPC_INLINE_MAX bytes is in the packet. A larger one is in a sealed memfd,
 * the first descriptor. More descriptors than one packet takes travel in packets of kind
 * NNIPC_FDS with the same serial, directly before the message.
 *
 * A socket has one reader and one writer at a time; users that share a socket lock it (see there).
 */
#ifndef NNIPC_FRAME_H
#define NNIPC_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/spin.h"
#include "wire/marshal.h"

#define NNIPC_MAGIC 0x3043504eu /* "NPC0" */
/** Version of the protocol; HELLO says which ones a side speaks. */
#define NNIPC_VERSION 1u
#define NNIPC_INLINE_MAX 65536u
/** Largest payload in a memfd. */
#define NNIPC_PAYLOAD_MAX (2ull << 30)
/** SCM_MAX_FD of the kernel. */
#define NNIPC_FDS_PER_PACKET 253u
/** Most descriptors of a call. */
#define NNIPC_FDS_MAX 4096u
/**
 * Most descriptors of any other message: a side that is called must not fill the table of
 * descriptors of its caller.
 */
#define NNIPC_REPLY_FDS 8u

/**
 * enum nnipc_kind - kinds of messages
 * @NNIPC_HELLO: first in both directions
 * @NNIPC_CALL: wants a reply with the same serial
 * @NNIPC_REPLY: of a call; the method is the call's
 * @NNIPC_ONEWAY: wants none
 * @NNIPC_RELEASE: gives the reference to the object back; no payload
 * @NNIPC_FDS: carries descriptors of the next message, a call
 */
enum nnipc_kind {
	NNIPC_HELLO = 1,
	NNIPC_CALL = 2,
	NNIPC_REPLY = 3,
	NNIPC_ONEWAY = 4,
	NNIPC_RELEASE = 5,
	NNIPC_FDS = 6
};

/**
 * enum nnipc_flag - flags of a header
 * @NNIPC_FLAG_MEMFD: the payload is in the first descriptor
 * @NNIPC_FLAG_UNSUPPORTED: of a reply: no such method; no payload
 * @NNIPC_FLAG_MALFORMED: of a reply: the payload of the call is malformed; no payload
 * @NNIPC_FLAG_NO_OBJECT: of a reply: no such object of this kind; no payload
 * @NNIPC_FLAG_NO_ROOM: of a reply: no room for the descriptors of the call, or for the reply; no
 *	payload
 */
enum nnipc_flag {
	NNIPC_FLAG_MEMFD = 1,
	NNIPC_FLAG_UNSUPPORTED = 2,
	NNIPC_FLAG_MALFORMED = 4,
	NNIPC_FLAG_NO_OBJECT = 8,
	NNIPC_FLAG_NO_ROOM = 16
};

/** The 40 bytes at the begin of each packet, little-endian. */
struct nnipc_header {
	uint32_t magic; /* NNIPC_MAGIC */
	uint16_t version; /* NNIPC_VERSION */
	uint8_t kind; /* enum nnipc_kind */
	uint8_t flags; /* enum nnipc_flag */
	uint32_t method; /* number that both sides agree on; 0: none */
	/* of the whole message, that of the payload not counted; NNIPC_FDS packets have it too */
	uint32_t num_fds;
	uint64_t oid; /* object; 0: none */
	uint64_t serial; /* of a call and its reply, from 1; 0: none */
	uint64_t payload; /* bytes */
};
_Static_assert(sizeof(struct nnipc_header) == 40, "the header is 40 bytes");

/**
 * nnipc_frame_send() - send a message
 * @sock: the socket
 * @header: kind, flags, method, oid and serial; the rest is filled in
 * @w: payload and descriptors; NULL: none. Descriptors that the writer owns are closed when it is
 *	reset, not here
 *
 * Blocks while the socket is full; never raises SIGPIPE.
 *
 * Return: 0; -EPIPE: the peer is gone; @w's error; -E2BIG: too large, or too many descriptors;
 * -EFBIG: too large for this process's RLIMIT_FSIZE; -ETOOMANYREFS: this user has too many
 * descriptors on their way; another errno. Nothing was sent then, or the socket is shut down for
 * writing.
 */
int nnipc_frame_send(int sock, const struct nnipc_header *header, const struct nnipc_writer *w);

/** A received message, reused for the next one. Zeros are an empty frame. */
struct nnipc_frame {
	struct nnipc_header header;
	struct nnipc_reader reader; /* at the begin of the payload */
	int32_t pid; /* the sender's, in our pid namespace; 0 unless SO_PASSCRED is set */
	/*
	 * Set by a receiver that takes no calls: more than NNIPC_REPLY_FDS descriptors do not even
	 * come into this process
	 */
	bool no_calls;
	/* The same limit for a receiver that takes calls, none of which has many */
	bool few_fds;
	/* private */
	uint8_t *packet; /* header and inline payload */
	int *fds; /* all descriptors that are not taken yet */
	uint32_t num_fds, fd_room;
	void *map; /* payload in a memfd */
	size_t map_size;
	struct nnipc_spin spin; /* a lane's */
};

/**
 * nnipc_frame_receive() - receive the next message
 * @sock: the socket
 * @f: filled; what it had before is released
 * @timeout_ns: most time to wait; negative: no limit
 *
 * Everything about the frame is checked: sizes, kinds, flags, counts, seals of the memfd. The
 * payload is the method's matter.
 *
 * Return: 0; -EPIPE: the peer is gone; -EPROTO: malformed, the connection cannot go on; -ETIME;
 * -EMFILE: this process has no room for the descriptors (they are lost; header and serial are
 * valid; the next message can be received); -ENOMEM, the same. On errors no descriptor is left in
 * @f. A frame that is received with -EPROTO or -ETIME may be half read: the socket is of no use.
 */
int nnipc_frame_receive(int sock, struct nnipc_frame *f, int64_t timeout_ns);
/** The same, with the end of the wait in CLOCK_MONOTONIC's time; negative: no limit. */
int nnipc_frame_receive_until(int sock, struct nnipc_frame *f, int64_t deadline_ns);

/** Close descriptors that were not taken, unmap the payload. */
void nnipc_frame_clear(struct nnipc_frame *f);
/** The same, and free the memory. */
void nnipc_frame_fini(struct nnipc_frame *f);

/** A connected pair of sockets, close-on-exec. 0 or -errno. */
int nnipc_socket_pair(int sockets[2]);

#endif
