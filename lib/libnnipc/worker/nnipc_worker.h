/* SPDX-License-Identifier: Apache-2.0 */
/* nnaccel-worker: objects of a vendor library behind messages. */
#ifndef NNIPC_WORKER_H
#define NNIPC_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "messages/nnipc_messages.h"
#include "nnhal.h"
#include "sandbox/sandbox.h"
#include "wire/nnipc_wire.h"

/*
 * The worker: serves one connection on an inherited socket with a device of a vendor library.
 *
 *	nnaccel-worker --library PATH --sandbox MODE [--profile FILE]
 *
 * The socket is descriptor 3. Threads: the main one reads the control socket; each lane and each
 * burst has one; releases run on a pool, because a vendor's destroy() may block. No lock is held
 * across a call of the vendor library.
 */

/** Everything; returns the exit status. */
int nnipc_worker_main(int argc, char **argv);

/**
 * Named steps of the protocol at which a test makes the worker fail: "before-hello",
 * "before-open-reply", "after-launch-reply"... (worker/nnipc_worker.h). The shipped worker has an
 * empty function here.
 */
void nnipc_fault_point(const char *step);

/*
 * object_table.c: the vendor library's objects that the host knows by number. A number is given out
 * once. The table holds a reference to each object, a call that uses one holds another: a release
 * during a call is safe. Objects are destroyed on a pool of threads, because a vendor's destroy()
 * may block.
 */

/** Most objects of a worker. */
#define NNIPC_MAX_OBJECTS 65536u

/** Kinds of objects: the high byte of their methods (libnnhal/hal.idl). */
enum nnipc_object_kind {
	NNIPC_KIND_DEVICE = 1, /* has no number */
	NNIPC_KIND_PREPARED_MODEL = 2,
	NNIPC_KIND_FENCED_CALLBACK = 3,
	NNIPC_KIND_BURST = 4,
	NNIPC_KIND_EXECUTION = 5,
	NNIPC_KIND_BUFFER = 6
};

/** An object of the table. */
struct nnipc_object {
	void *object; /* the servant's; constant */
	/* private */
	enum nnipc_object_kind kind;
	uint64_t oid;
	uint32_t refs;
	void (*destroy)(void *object);
	struct nnipc_object *next;
};

/** Add @object. Its number; 0: the table is full, or no memory, and @object stays the caller's. */
uint64_t nnipc_object_add(enum nnipc_object_kind kind, void *object, void (*destroy)(void *object));
/** A reference to the object, for nnipc_object_put(); NULL: no such object of this kind. */
struct nnipc_object *nnipc_object_get(enum nnipc_object_kind kind, uint64_t oid);
void nnipc_object_put(struct nnipc_object *object);
/** The host gives its reference back. 0; -ESTALE: no such object. Never blocks on the vendor. */
int nnipc_object_release(uint64_t oid);
/** Destroy all objects in this thread and wait for those that are being destroyed. The end. */
void nnipc_objects_clear(void);

/*
 * Servants: what receives the calls of one interface and makes them on the vendor's
 * object. A call reads all of its arguments before it does anything.
 */

/**
 * typedef nnipc_servant_call - one method
 * @object: the servant's object; it stays during the call
 * @in: arguments
 * @out: results
 *
 * Return: as nnipc_handler().
 */
typedef int (*nnipc_servant_call)(void *object, struct nnipc_reader *in, struct nnipc_writer *out);

/** The methods of an interface, in the order of their numbers, from 1. */
struct nnipc_servant {
	const nnipc_servant_call *calls;
	uint32_t num_calls;
};

extern const struct nnipc_servant nnipc_device_servant, nnipc_prepared_model_servant,
	nnipc_fenced_callback_servant, nnipc_burst_servant, nnipc_execution_servant,
	nnipc_buffer_servant;

/**
 * The end of the arguments. -EBADMSG: malformed. 0: *@status is NONE, or why the vendor cannot be
 * called: there was no memory for the arguments.
 */
int nnipc_arguments_end(const struct nnipc_reader *in, enum nnhal_status *status);
/** Whether the table @ops of type struct @type reaches to @op, and has it. */
#define NNIPC_HAS(type, ops, op) \
	((ops)->size >= offsetof(struct type, op) + sizeof(((struct type *)0)->op) && (ops)->op)

/** Destroy an object whose table may be incomplete. */
#define NNIPC_DESTROY(type, object)                                                       \
	do {                                                                              \
		if ((object) && (object)->ops && NNIPC_HAS(type, (object)->ops, destroy)) \
			(object)->ops->destroy(object);                                   \
	} while (0)

/*
 * callback_table.c: callbacks that the vendor library owes. Each is notified exactly once, whatever
 * the library does: its cookie is a number of this table, which the first notification takes out.
 */

/** Most callbacks that wait. */
#define NNIPC_MAX_CALLBACKS 65536u

/** A cookie for the vendor library; NULL: too many wait, or no memory. @callback: the host's. */
void *nnipc_callback_expect(uint64_t callback);
/** The host's number, once; 0: it has been taken. */
uint64_t nnipc_callback_take(void *cookie);
/** Whether any waits. */
bool nnipc_callbacks_wait(void);

/* Notifications to the host, on the control socket. Any thread. */

/** Once, before the first notification: @sock is the control socket, for good. */
void nnipc_notifier_init(int sock);
/**
 * Send @out to the host's callback @callback as @method, and free it. Blocks while the host does
 * not read. A notification that cannot be sent ends the worker: the host would wait for ever.
 */
void nnipc_notify(uint32_t method, uint64_t callback, struct nnipc_writer *out);

/* worker_end.c: the end of a worker that cannot go on. */

/**
 * Log the reason and end the process with exit status 1, at once: no destructor of the vendor
 * library runs. For clients that break the protocol, and for what the client would wait for in
 * vain.
 */
_Noreturn void nnipc_worker_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Files that become shorter than their mappings. */

/**
 * From now on, an access behind the end of a mapped file ends the worker with a line that says so.
 */
void nnipc_bus_error_watch(void);

/* The end of the host, seen whatever the other threads do. */

/**
 * From now on, a hang-up of @sock ends the process in half a second, with exit status 0, unless it
 * has ended by itself. 0 or -errno.
 */
int nnipc_hang_up_watch(int sock);

/* buffer_servant.c: IBuffer. */

/** Give a buffer of the vendor's a number. On an error it is destroyed, and *@oid is 0. */
enum nnhal_status nnipc_buffer_add(struct nnhal_buffer *buffer, uint64_t *oid);

/* burst_servant.c: IBurst: a thread that takes requests out of a ring. */

/** Most bursts at a time, each with its thread. */
#define NNIPC_MAX_BURSTS 256u

/* lanes.c: the threads that serve lanes, one each. */

/** Serve the lane @sock, which this takes over. Too many, or no socket, ends the worker. */
void nnipc_lane_start(int sock, struct nnhal_device *device);
/** Hang up all lanes and wait until their threads have left. */
void nnipc_lanes_end(void);

/* Descriptors that a client calls sockets. */

/** A Unix socket of kind SOCK_SEQPACKET: its peer's end is seen. Any descriptor. */
bool nnipc_is_packet_socket(int fd);

/*
 * opening.c: from HELLO to the reply to OPEN: enumerating, opening the device, closing the sandbox.
 */

/**
 * nnipc_opening() - serve the control socket until the device is open
 * @sock: the control socket
 * @driver: the vendor's
 * @sandbox: of nnipc_sandbox_enter(); is closed when the device is open
 * @device: set to the device; NULL: none was opened
 *
 * Return: 0: the reply to OPEN has been sent; -EPIPE: the host has hung up; another error: it broke
 * the protocol.
 */
int nnipc_opening(int sock, const struct nnhal_driver *driver, struct nnipc_sandbox *sandbox,
		  struct nnhal_device **device);

/*
 * Steps of the protocol at which nnipc_fault_point() is called, each with what the host has seen by
 * then. A test program that links the worker with an nnipc_fault_point() of its own fails there.
 */

/* clang-format off */
#define NNIPC_FAULT_POINTS(X)                                                                  \
	X("before-hello")            /* nothing */                                             \
	X("after-hello")             /* the worker's HELLO */                                  \
	X("before-enumerate-reply")  /* HELLO; ENUMERATE waits */                              \
	X("before-open")             /* HELLO; OPEN waits, the vendor has not been called */   \
	X("before-open-reply")       /* HELLO; OPEN waits, the device is open */               \
	X("after-open-reply")        /* the reply to OPEN */                                   \
	X("before-launch")           /* prepare or execute waits, the vendor was not called */ \
	X("after-vendor-launch")     /* prepare or execute waits, the vendor has returned */   \
	X("after-launch-reply")      /* the reply to prepare or execute */                     \
	X("before-notify")           /* perhaps the reply; the callback waits */               \
	X("after-notify")            /* the notification, perhaps before the reply */          \
	X("during-execution")        /* a synchronous, fenced or burst execution waits */      \
	X("before-sync-reply")       /* the same; the vendor has returned */                   \
	X("burst-before-reply")      /* an execution in a ring waits; the vendor has returned */ \
	X("after-fenced-reply")      /* the fence of a fenced execution */                     \
	X("release")                 /* the host has given an object back */
/* clang-format on */

#include "worker/servants_idl.h"

/* HELLO. */

/**
 * nnipc_handshake() - receive the host's HELLO and answer
 * @sock: the control socket
 * @driver: name of the vendor's driver
 * @refusal: why the worker cannot serve; NULL: it can
 *
 * Return: 0; -EPIPE: the host is gone; -EPROTO: the host speaks something else, or @refusal was
 * sent; -ETIME: it says nothing; another errno.
 */
int nnipc_handshake(int sock, const char *driver, const char *refusal);

#endif
