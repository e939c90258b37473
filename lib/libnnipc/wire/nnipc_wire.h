/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages, calls and rings between processes; descriptors; the socket of a service and its door.
 */
#ifndef NNIPC_WIRE_H
#define NNIPC_WIRE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "nnutil_log.h"

/*
 * spin.c: adaptive spinning: spin before sleeping; back off after a failed spin. Waking a processor
 * that sleeps takes tens of microseconds, more than most calls take: a thread that waits for a
 * packet that is due at once spins, if there is another processor for the peer.
 * Documentation/isolation.rst has the policy.
 */

/** Of one place where one thread at a time waits. Zeros: no wait is known yet. */
struct nnipc_spin {
	int64_t began_ns, until_ns; /* this wait; until_ns is 0 without a spin */
	bool quick; /* the last wait was short */
	bool single_cpu; /* this thread may use one processor only */
	uint8_t failed_spins; /* since the last spin that found a packet, up to a limit */
	uint8_t skip; /* waits to come without a spin */
};

/** A wait begins at @now_ns. @deadline_ns: its end; negative: none. Times are CLOCK_MONOTONIC's. */
void nnipc_spin_begin(struct nnipc_spin *spin, int64_t now_ns, int64_t deadline_ns);
/** Spend a moment of the spin. True: check for the packet, and call again; false: sleep. */
bool nnipc_spin_again(const struct nnipc_spin *spin);
/** The wait is over. @seen: without sleeping. */
void nnipc_spin_end(struct nnipc_spin *spin, int64_t now_ns, bool seen);

/*
 * Values as bytes: little-endian, fixed width, without padding. Arrays, byte strings and texts
 * begin with their length (u32; bytes u64). Descriptors travel beside the bytes; in the bytes a
 * descriptor is a u8: 1 if it is there, 0 if not. Knows no device.
 *
 * Neither side checks after each value: the first failure is kept, everything after it does
 * nothing, and the end of the message is the place to look. A reader that failed gives zeros.
 */

/* ---- writing ---- */

struct nnipc_writer {
	uint8_t *data;
	size_t size, room;
	int *fds;
	bool *owned; /* of @fds: to be closed by nnipc_writer_reset() */
	uint32_t num_fds, fd_room;
	int error; /* 0; -ENOMEM; -E2BIG: over NNIPC_PAYLOAD_MAX or NNIPC_FDS_MAX */
};

/** Zeros are an empty writer. Empty it for the next message; the memory stays. */
void nnipc_writer_reset(struct nnipc_writer *w);
/** Free the memory; closes descriptors that the writer owns. */
void nnipc_writer_fini(struct nnipc_writer *w);

void nnipc_put_u8(struct nnipc_writer *w, uint8_t value);
void nnipc_put_u32(struct nnipc_writer *w, uint32_t value);
void nnipc_put_u64(struct nnipc_writer *w, uint64_t value);
void nnipc_put_f32(struct nnipc_writer *w, float value);
static inline void nnipc_put_i64(struct nnipc_writer *w, int64_t value)
{
	nnipc_put_u64(w, (uint64_t)value);
}
static inline void nnipc_put_bool(struct nnipc_writer *w, bool value)
{
	nnipc_put_u8(w, value);
}
/** Bytes without a length. Its type is that of a callback of serializers: always 0. */
int nnipc_put_raw(void *writer, const void *data, size_t size);
/** Room for @size bytes, zeroed, whose place is returned; SIZE_MAX: the writer failed. */
size_t nnipc_put_reserve(struct nnipc_writer *w, size_t size);
/** Overwrite a u64 that nnipc_put_reserve() made room for. */
void nnipc_put_u64_at(struct nnipc_writer *w, size_t place, uint64_t value);
void nnipc_put_bytes(struct nnipc_writer *w, const void *data, size_t size); /* with length */
/** NULL and "" differ: u8 present, then u32 length and bytes. */
void nnipc_put_text(struct nnipc_writer *w, const char *text);
/** The text in an array of @size bytes; without a 0 there, all but the last byte. */
void nnipc_put_chars(struct nnipc_writer *w, const char *text, size_t size);
/**
 * A descriptor; negative: none. It stays the caller's and must be open until the message is sent.
 * A descriptor that is not open is sent as none: the receiver judges it, as it would in one
 * process.
 */
void nnipc_put_fd(struct nnipc_writer *w, int fd);
/** The same, and the writer closes it, also when it has failed. */
void nnipc_put_fd_owned(struct nnipc_writer *w, int fd);

/**
 * The head of a client's list: its length, and whether elements follow. A list may be NULL although
 * its length is not 0. That is the vendor library's to refuse, so both travel.
 */
void nnipc_put_list(struct nnipc_writer *w, const void *list, uint32_t count);

/* ---- reading: hostile bytes ---- */

struct nnipc_reader {
	const uint8_t *at, *end;
	int *fds; /* of the frame; those taken become -1 */
	uint32_t num_fds, next_fd;
	int error; /* 0; -EBADMSG: malformed; -ENOMEM */
};

void nnipc_reader_init(struct nnipc_reader *r, const void *data, size_t size, int *fds,
		       uint32_t num_fds);
uint8_t nnipc_get_u8(struct nnipc_reader *r);
/** Travels as u32; a larger number is malformed. */
uint16_t nnipc_get_u16(struct nnipc_reader *r);
uint32_t nnipc_get_u32(struct nnipc_reader *r);
uint64_t nnipc_get_u64(struct nnipc_reader *r);
float nnipc_get_f32(struct nnipc_reader *r);
static inline int64_t nnipc_get_i64(struct nnipc_reader *r)
{
	return (int64_t)nnipc_get_u64(r);
}
/** 0 or 1; another value is malformed. */
bool nnipc_get_bool(struct nnipc_reader *r);
/** @size bytes in the message; NULL: malformed. */
const void *nnipc_get_raw(struct nnipc_reader *r, size_t size);
/** Bytes with a length, in the message; NULL: malformed, and *@size is 0. */
const void *nnipc_get_bytes(struct nnipc_reader *r, size_t *size);
/**
 * A length of an array whose elements take at least @least bytes in the message (> 0), and at most
 * @max of them. Compared with the remaining bytes before anything is allocated.
 */
uint32_t nnipc_get_count(struct nnipc_reader *r, size_t least, uint32_t max);
/**
 * malloc'ed with a 0 at the end; NULL: absent, malformed (a 0 inside, or over @max bytes). Texts of
 * the other process are names and messages for people: made printable (nnutil_text.h).
 */
char *nnipc_get_text(struct nnipc_reader *r, size_t max);
/** The same into @text of @size bytes, cut; absent or malformed: "". */
void nnipc_get_text_into(struct nnipc_reader *r, char *text, size_t size);
/**
 * The caller's; -1: none. A frame with fewer descriptors than its bytes announce is malformed.
 */
int nnipc_get_fd(struct nnipc_reader *r);
/**
 * malloc'ed copy of the next @size bytes, aligned for any type; NULL: malformed, or no memory. The
 * message need not live as long.
 */
void *nnipc_get_copy(struct nnipc_reader *r, size_t size);
/** Bytes with a length that may be absent: as nnipc_get_copy(). *@size is 0 if malformed. */
void *nnipc_get_blob(struct nnipc_reader *r, size_t *size);
/**
 * The head of a list, of nnipc_put_list(). True: elements follow, *@count of them, which take at
 * least @least bytes each. False: none; *@count is any number, 0 if malformed.
 */
bool nnipc_get_list(struct nnipc_reader *r, size_t least, uint32_t *count);
/** *@count zeroed elements; NULL: none, or no memory: the reader failed and *@count is 0. */
void *nnipc_list_alloc(struct nnipc_reader *r, uint32_t *count, size_t size);
/** Close a descriptor of a message; a negative one is none. */
static inline void nnipc_fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}
/** Note that the message is malformed: a value that its type does not have. */
void nnipc_reader_refuse(struct nnipc_reader *r);
/** The same with -ENOMEM, for a getter that allocates. */
void nnipc_reader_no_memory(struct nnipc_reader *r);
/** The end: 0; -EBADMSG if bytes or descriptors are left, or the first failure. */
int nnipc_reader_end(const struct nnipc_reader *r);

/*
 * Messages on a SOCK_SEQPACKET socket: a header, a payload, descriptors. Knows no device.
 *
 * A payload of at most NNIPC_INLINE_MAX bytes is in the packet. A larger one is in a sealed memfd,
 * the first descriptor. More descriptors than one packet takes travel in packets of kind NNIPC_FDS
 * with the same serial, directly before the message.
 *
 * A socket has one reader and one writer at a time; users that share a socket lock it (see there).
 */

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

/*
 * service_listen.c: the sockets of a service: the one that it listens on, and the peer of a
 * connected one.
 */

/** struct nnipc_peer - a process that has connected */
struct nnipc_peer {
	int sock;
	uid_t user;
	uid_t payer; /* whose budget it uses: the owner of a subordinate user */
	gid_t group;
	pid_t pid;
};

/** The peer of @sock, as the kernel reports it. 0 or -errno. */
int nnipc_peer_identify(struct nnipc_peer *peer, int sock);

/**
 * nnipc_listen() - a SOCK_SEQPACKET socket that listens on a path
 * @path: of the socket; one that a killed service left over is replaced
 * @mode: of the socket
 * @group: of the socket; (gid_t)-1: as it is
 *
 * One thread: the file mode mask of the process is another one meanwhile.
 *
 * Return: the socket, non-blocking and close-on-exec; -EADDRINUSE: another service listens there;
 * -ENOTSOCK: another kind of file is there; another errno.
 */
int nnipc_listen(const char *path, mode_t mode, gid_t group);

/** Mode and group of a socket, from a command line. 0; -EINVAL: no such. */
int nnipc_listen_mode(const char *text, mode_t *mode);
int nnipc_listen_group(const char *text, gid_t *group);

/**
 * The one socket that systemd has passed to this process (LISTEN_FDS), as nnipc_listen() makes one.
 * -ENOENT: none, or not for this process; -ENOTSOCK: not a SOCK_SEQPACKET socket that listens;
 * another errno.
 */
int nnipc_listen_passed(void);

/*
 * lane.c: calls. A lane is a socket that carries one call at a time: the caller sends, and waits on
 * the same socket for the reply. So a call wakes one thread of the peer, and its reply wakes the
 * caller: two hand-offs, no reader thread between, and a peer that dies ends the wait by hanging
 * up. As many calls run at a time as there are lanes. Knows no device.
 *
 * A hostile peer can keep its end from hanging up after its death, by passing it to another process
 * or to us. Therefore the thread that watches its process calls shutdown(sock, SHUT_RDWR), which
 * any thread may do: a call that waits then returns -EPIPE.
 */

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

/* hello.c: HELLO, the first message in both directions. The protocol defines its contents. */

/** Send @w as HELLO, and reset it for good. As nnipc_frame_send(). */
int nnipc_hello_send(int sock, struct nnipc_writer *w);
/**
 * Receive the HELLO of a client into @f. As nnipc_frame_receive(); also -EPROTO: it is another
 * message.
 */
int nnipc_hello_receive(int sock, struct nnipc_frame *f, int64_t timeout_ns);
/**
 * The client's side: send @w, and receive into @f what the peer answers first, whatever that is. As
 * nnipc_hello_send() and nnipc_frame_receive().
 */
int nnipc_hello_exchange(int sock, struct nnipc_writer *w, struct nnipc_frame *f,
			 int64_t timeout_ns);

/*
 * budget.c: what the users of a service have of it: places, bytes, events per second. Each kind is
 * counted in units of its own, and is charged before the service gives it, so that what is refused
 * has cost nothing.
 *
 * Two limits hold for each kind. A user has at most @user units. And a user takes a unit only if as
 * many as it has then are left for others, one less for its first: with @user an eighth of @all,
 * seven users have all of theirs, and each user after them has half of what is left. No user, and
 * no small number of users, takes what the next one needs.
 *
 * Users are those that pay (struct nnipc_peer's payer). Any thread. Knows no device.
 */

#define NNIPC_BUDGET_KINDS 4

/** struct nnipc_budget_limit - of a kind: units in all, and of a user */
struct nnipc_budget_limit {
	uint64_t all, user;
};

struct nnipc_budget_user;

/** A budget. nnipc_budget_init(). */
struct nnipc_budget {
	struct nnipc_budget_limit limits[NNIPC_BUDGET_KINDS];
	pthread_mutex_t lock; /* protects what follows */
	struct nnipc_budget_user *users; /* those that have something */
	uint64_t taken[NNIPC_BUDGET_KINDS];
};

/** @limits: of kinds 0 to @kinds - 1; there is nothing of others. */
void nnipc_budget_init(struct nnipc_budget *budget, const struct nnipc_budget_limit *limits,
		       unsigned int kinds);
/** All has been given back. */
void nnipc_budget_fini(struct nnipc_budget *budget);

/**
 * nnipc_budget_take() - charge a user; nothing is always there
 *
 * Return: 0; -EDQUOT: the user would have more than its limit; -EUSERS: so little is left that it
 * is for others; -ENOMEM. Nothing has changed on errors.
 */
int nnipc_budget_take(struct nnipc_budget *budget, uid_t user, unsigned int kind, uint64_t units);
/** Give back what was taken. */
void nnipc_budget_give(struct nnipc_budget *budget, uid_t user, unsigned int kind, uint64_t units);
/** What the user has. */
uint64_t nnipc_budget_of(struct nnipc_budget *budget, uid_t user, unsigned int kind);

/*
 * user_log.c: the log of a service, shared between its users: lines that one of them causes are
 * limited in number, so that they do not hide what the others do. (The system's log has one limit
 * for the whole service.)
 */

/** Lines of one user that may come at once, and per second later on. */
#define NNIPC_USER_LOG_AT_ONCE 200u
#define NNIPC_USER_LOG_PER_SECOND 40u
/** Users with a budget of their own: of more, the one whose last line is oldest is forgotten. */
#define NNIPC_USER_LOG_USERS 64u

/** struct nnipc_user_log - NNIPC_USER_LOG_INIT, and nothing to free */
struct nnipc_user_log {
	void (*write)(const char *line); /* of any thread */
	/* private */
	pthread_mutex_t lock;
	struct {
		uid_t user;
		int64_t last_ns; /* 0: a free place */
		struct nnutil_log_rate rate;
	} users[NNIPC_USER_LOG_USERS];
};
#define NNIPC_USER_LOG_INIT(writer)                                   \
	{                                                             \
		.write = (writer), .lock = PTHREAD_MUTEX_INITIALIZER, \
	}

/**
 * nnipc_user_log() - a line that a user has caused
 * @log: of the service. Any thread
 * @user: who pays (struct nnipc_peer)
 * @format: as printf(); a line is cut at 1 KiB
 *
 * Writes it, and before it how many lines of the user are left out; or leaves it out.
 */
void nnipc_user_log(struct nnipc_user_log *log, uid_t user, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** The same with a clock of the caller's (not 0): whether, and after how many that are left out. */
bool nnipc_user_log_take(struct nnipc_user_log *log, uid_t user, int64_t now_ns,
			 unsigned int *dropped);

/*
 * door.c: the door of a service: one thread accepts clients and waits for their HELLOs, so that a
 * silent client delays no other. Each client that is let in has a thread. Knows no device.
 */

/** How long a client may be silent before its HELLO. */
#define NNIPC_PATIENCE_NS 5000000000ll
/**
 * Most clients that have not sent HELLO: of all users, and of one. One more client of a user takes
 * the place of its oldest one; the first client of a user that of the oldest of the user with most.
 */
#define NNIPC_DOOR_SILENT 256u
#define NNIPC_DOOR_SILENT_USER (NNIPC_DOOR_SILENT / 8)

/** struct nnipc_door_guard - what the service says about its door */
struct nnipc_door_guard {
	uint32_t max, max_per_user; /* clients that are served at a time: limits of a budget */
	const char *things; /* what a user has reached its limit of: "open devices" */
	/**
	 * @serve: serve a client, in a thread of its own. Its HELLO can be received. The socket is
	 * closed by the door afterwards; unless this has closed it, set it to -1, and the service
	 * does not call nnipc_door_close()
	 */
	void (*serve)(void *cookie, struct nnipc_peer *peer);
	void *cookie;
	/** @log: for lines about clients */
	struct nnipc_user_log *log;
};

struct nnipc_door_guest;

/** A door. Zeros, nnipc_door_init(). */
struct nnipc_door {
	const struct nnipc_door_guard *guard;
	struct nnipc_budget budget; /* places of silent clients, and of those that are served */
	pthread_mutex_t lock; /* protects guests and count */
	pthread_cond_t left; /* a guest has left */
	struct nnipc_door_guest *guests;
	uint32_t count;
};

void nnipc_door_init(struct nnipc_door *door, const struct nnipc_door_guard *guard);
/** Let clients of @listener (non-blocking) in, until @end is readable. One thread. */
void nnipc_door_run(struct nnipc_door *door, int listener, int end);
/**
 * Shut the connections of all clients and wait until they have left, at most @timeout_ns. Whether
 * all have.
 */
bool nnipc_door_close(struct nnipc_door *door, int64_t timeout_ns);

/**
 * Refuse a client that has sent HELLO: answer version 0 and the reason. Never waits. The socket
 * is closed.
 */
void nnipc_peer_refuse(struct nnipc_peer *peer, const char *why);

/*
 * lent_fd.c: descriptors of a client's memory that go to the other side, which may be hostile: it
 * must not do more with them than the client's call says.
 */

/**
 * nnipc_put_lent_fd() - a descriptor of memory
 * @w: writer
 * @fd: memory, which stays the caller's; negative or not open: none
 * @write: the other side may write it
 *
 * A file that the peer must not write goes over opened anew for reading only, unless it is so
 * already. A memfd that may be written is sealed against shrinking, for good, if it takes seals: an
 * access of the client to its mapping raises no SIGBUS. A file goes over with an open file
 * description of its own: place, flags and locks of the client's stay the client's. A descriptor of
 * another kind (a dma-buf) goes over as it is.
 *
 * The writer's error: -EACCES for a writable descriptor of what is only to be read that cannot be
 * opened anew; -EMFILE, -ENFILE or -ENOMEM if there is no room for another descriptor.
 */
void nnipc_put_lent_fd(struct nnipc_writer *w, int fd, bool write);

/* memory_file.c: files in memory that cross to the peer. */

/**
 * An empty file in memory, close-on-exec, that can be sealed; the caller's. It may grow to @size:
 * beyond RLIMIT_FSIZE it would raise SIGXFSZ, which ends the client. -errno; -EFBIG: beyond it.
 */
int nnipc_memory_file(const char *name, uint64_t size);

/*
 * A ring of packets in shared memory, from one process to another, with futex wake-up. For what is
 * too quick for a socket. Knows no device.
 *
 * One side writes, the other reads. Both may do so from any thread, one at a time. Neither trusts
 * the other: indices are checked against the ring, a packet is copied out before anybody looks at
 * it, and the memory is sealed against shrinking before it is mapped. A side that sees indices that
 * cannot be gets -EPROTO from then on.
 *
 * A reader that sleeps says so in the ring, so that a writer without a sleeping reader makes no
 * system call. A peer that died wakes no reader: the thread that watches the peer calls
 * nnipc_ring_close(), which wakes both sides.
 */

struct nnipc_ring;

/** Largest capacity: 16 MiB. */
#define NNIPC_RING_MAX (16u << 20)

/**
 * nnipc_ring_create() - a new ring
 * @capacity: bytes for packets and their lengths; a power of two from 4096 to NNIPC_RING_MAX
 * @fd: set to its memory, for the peer; the caller's
 * @ring: set to the ring
 *
 * Return: 0; -EINVAL, -ENOMEM, -EMFILE; -EFBIG: beyond this process's RLIMIT_FSIZE.
 */
int nnipc_ring_create(uint32_t capacity, int *fd, struct nnipc_ring **ring);

/**
 * nnipc_ring_attach() - the peer's ring
 * @fd: its memory; stays the caller's
 * @ring: set to the ring
 *
 * Return: 0; -EINVAL: no ring, or it could shrink; -ENOMEM.
 */
int nnipc_ring_attach(int fd, struct nnipc_ring **ring);

/** Unmap; the caller's threads have left. NULL has no effect. */
void nnipc_ring_free(struct nnipc_ring *ring);

/** 0; -ENOSPC: the packet does not fit now; -E2BIG: never; -EPIPE: closed; -EPROTO. */
int nnipc_ring_put(struct nnipc_ring *ring, const void *packet, uint32_t size);

/**
 * nnipc_ring_get() - take the next packet
 * @packet: set to a copy of the packet, the ring's until the next call
 * @size: set to its bytes
 * @timeout_ns: most time to wait; negative: no limit
 *
 * Return: 0; -ETIME; -EPIPE: closed, and no packet is left that was there at the close; -EPROTO:
 * indices or lengths lie; -ENOMEM: the packet is still there.
 */
int nnipc_ring_get(struct nnipc_ring *ring, const uint8_t **packet, uint32_t *size,
		   int64_t timeout_ns);

/** Wake both sides; from now on they get -EPIPE. Any thread, also beside a reader and a writer. */
void nnipc_ring_close(struct nnipc_ring *ring);

/* service_connect.c: the way to a service: its socket. */

/**
 * struct nnipc_service - a kind of service, as its clients know it
 * @name: in messages: "the service"
 * @program: what offers it
 * @credentials: the socket passes them: the kernel says who says HELLO
 * @too_long: the error when a path is too long for a socket
 * @wrong_type: the error when the socket is of another type, or the file is none
 */
struct nnipc_service {
	const char *name, *program;
	bool credentials;
	int too_long, wrong_type;
};

/**
 * A connected socket, kept from children of fork(); the caller's. Or -errno with @message: -EPERM
 * if the listener is neither root nor this user nor that of NNACCEL_SERVICE_USER. Waits
 * for a service whose queue is full, and on sending later, for at most 5 s.
 */
int nnipc_service_connect(const struct nnipc_service *service, const char *path, char *message,
			  size_t size);

/*
 * subordinates.c: subordinate users. A user with a line in subuid(5) runs processes as any of some
 * 65536 users, which are the same person: limits per user count the owner of the range. Ranges that
 * are made elsewhere (systemd-nspawn, homed) are not known.
 */

struct nnipc_subordinate_range;

/** struct nnipc_subordinates - the ranges of a file; zeros and a path. One thread at a time */
struct nnipc_subordinates {
	const char *path;
	struct stat seen; /* the file that was read */
	struct nnipc_subordinate_range *ranges;
	size_t count;
};

/**
 * The owner of the range that @user is in; @user: it is in none, or the file cannot be read. The
 * file is read when it has changed. A line that is none, or whose owner does not exist, is passed
 * over.
 */
uid_t nnipc_subordinates_owner(struct nnipc_subordinates *s, uid_t user);
void nnipc_subordinates_fini(struct nnipc_subordinates *s);

#endif
