/* SPDX-License-Identifier: Apache-2.0 */
/* Proxies of nnhal.h in the client, and the connections and worker processes behind them. */
#ifndef NNIPC_HOST_H
#define NNIPC_HOST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch/nnipc_launch.h"
#include "messages/nnipc_messages.h"
#include "nnhal.h"
#include "nnutil_process.h"
#include "sandbox/sandbox.h"
#include "values/nnhal_values.h"
#include "wire/nnipc_wire.h"

/*
 * What a proxied device is a proxy of: a device of a vendor library in a worker process of this
 * client, or a device behind the service.
 *
 *	worker[=LIBRARY][:SPEC]		LIBRARY: path of a vendor library; default: libnnhal's
 *	service[=SOCKET][:SPEC]		SOCKET: path; default: that of nnaccel-hald
 *
 * SPEC is the vendor library's ("cpu", "accel0", "cpu:threads=2"); none: its default device.
 */

enum nnipc_how { NNIPC_WORKER, NNIPC_SERVICE };

struct nnipc_target {
	enum nnipc_how how;
	char *path; /* of library or socket; never NULL */
	char *spec; /* NULL: the vendor's default */
};
/** 0; -EINVAL, -ENOENT (no default library), -ENOMEM, with @message. */
int nnipc_target_parse(const char *text, struct nnipc_target *t, char *message, size_t size);
int nnipc_target_copy(struct nnipc_target *to, const struct nnipc_target *from);
void nnipc_target_free(struct nnipc_target *t);
bool nnipc_target_equal(const struct nnipc_target *a, const struct nnipc_target *b);

/**
 * Settings of the host's side, from the environment (not of privileged processes); constant.
 */
struct nnipc_settings {
	const char *worker; /* NNACCEL_WORKER: path of the program; else beside this library */
	const char *profiles; /* NNACCEL_WORKER_PROFILES: folder; else the installed one */
	enum nnipc_sandbox_mode sandbox; /* NNACCEL_WORKER_SANDBOX */
	int64_t call_ns; /* NNACCEL_WORKER_CALL_MS: limit of calls that wait for no work; 30 s */
	/* NNACCEL_WORKER_WORK_MS: limit of executions without a deadline; -1: none, the default */
	int64_t work_ns;
	unsigned int max_crashes; /* NNACCEL_WORKER_CRASHES: in 60 s; 3 */
};
const struct nnipc_settings *nnipc_settings(void);

/*
 * One worker and the sockets to it: a generation. A connection dies once and for all; objects of a
 * dead generation answer DEAD_OBJECT, and a device gets a new one from its supervisor.
 *
 * Death, in this order (isolation.rst has the table): the generation is marked dead; lanes hang up,
 * so that every waiting call returns; every callback that is registered is called with -EPIPE, on
 * the executor; rings are closed; the worker is reaped, and its end is logged with the calls that
 * were in flight.
 *
 * References: the device and each object of it hold one. The last one shuts the worker down and
 * waits for its end.
 *
 * fork(): a child closes the sockets and never touches the rest (nnutil_process.h).
 */

struct nnipc_connection;

/**
 * typedef nnipc_died - the generation ended before it was shut down
 * @cookie: of nnipc_connection_open()
 * @next: for the exit reason: when another one may start
 * @size: of @next
 *
 * Called once, before any call returns -EPIPE, in the thread that noticed and under the lock of the
 * connection: it takes a note, and calls nothing.
 */
typedef void (*nnipc_died)(void *cookie, char *next, size_t size);

/**
 * nnipc_connection_open() - start a worker or connect to the service, and open the device
 * @target: what
 * @died: NULL: no call. After open has succeeded only
 * @cookie: for @died; lives as long as the process
 * @connection: set to the connection, with one reference
 * @message: on an error, what is wrong and what to do
 * @size: of @message
 *
 * Return: 0, or -errno: of the vendor library's open(); -ENOENT, -EACCES: no program or socket;
 * -EPROTO: it does not speak this protocol; -ETIME: it did not answer in 5 s; -EPIPE: it ended;
 * -ECONNREFUSED: the service, or the worker, refuses, or the service has made no worker.
 */
int nnipc_connection_open(const struct nnipc_target *target, nnipc_died died, void *cookie,
			  struct nnipc_connection **connection, char *message, size_t size);
/** The specifications that the vendor library enumerates. A connection of its own. */
int nnipc_connection_enumerate(const struct nnipc_target *target,
			       int (*found)(void *cookie, const char *spec), void *cookie,
			       char *message, size_t size);

void nnipc_connection_get(struct nnipc_connection *c);
void nnipc_connection_put(struct nnipc_connection *c);

bool nnipc_connection_is_dead(const struct nnipc_connection *c);
/** The connection belongs to the parent of this process. Nothing else may be done with it. */
bool nnipc_connection_inherited(const struct nnipc_connection *c);
/**
 * Why the worker ended, for messages; "" while it runs. "worker 1234 of cpu: signal 9 (Killed)
 * during IPreparedModel::execute x2; restart: the next call". Waits a moment for the reaper.
 */
void nnipc_connection_exit_reason(struct nnipc_connection *c, char *text, size_t size);
const struct nnipc_description *nnipc_connection_description(const struct nnipc_connection *c);

struct nnipc_worker_facts {
	enum nnipc_how how;
	int32_t pid; /* in our pid namespace; 0: not known */
	struct nnipc_layers layers;
};
void nnipc_connection_facts(const struct nnipc_connection *c, struct nnipc_worker_facts *facts);

/* ---- calls ---- */

/**
 * nnipc_connection_lane() - a lane of one's own, until it is given back
 * @c: connection
 * @deadline_ns: of the call (CLOCK_BOOTTIME); negative: none
 * @error: set to why there is none
 *
 * Where all lanes are in use this waits for one: until the deadline, and without one as long as a
 * call that waits for no work may take. The call that would end the others may be the one that
 * waits.
 *
 * Return: the lane, its @out empty. NULL: -EPIPE: the generation is dead; -ETIME: the deadline has
 * passed; -EBUSY: the time is over; -EMFILE, -ENOMEM.
 */
struct nnipc_lane *nnipc_connection_lane(struct nnipc_connection *c, int64_t deadline_ns,
					 int *error);

/** How long a call may take: enum nnipc_limit of nnipc_call(). */
enum nnipc_limit {
	NNIPC_LIMIT_CALL, /* settings' call_ns: waits for no work */
	NNIPC_LIMIT_WORK /* settings' work_ns, or what the deadline leaves, and some more */
};
/** From now on; negative: no limit. @deadline_ns as for nnipc_call(). */
int64_t nnipc_limit_ns(enum nnipc_limit limit, int64_t deadline_ns);

/**
 * nnipc_call() - nnipc_lane_call() with the connection's rules
 * @deadline_ns: CLOCK_BOOTTIME; NNHAL_NO_TIME: none. With NNIPC_LIMIT_WORK only
 *
 * A worker that exceeds the limit, or answers with something else, is killed: the generation dies.
 *
 * Return: as nnipc_lane_call(); -EPIPE when the generation died, for any reason.
 */
int nnipc_call(struct nnipc_connection *c, struct nnipc_lane *lane, uint32_t method, uint64_t oid,
	       enum nnipc_limit limit, int64_t deadline_ns);
/** Give a lane back; resets @out and the reply. Also after errors. */
void nnipc_connection_give(struct nnipc_connection *c, struct nnipc_lane *lane);
/** The worker broke the protocol: log @what, kill it. Returns -EPIPE. */
int nnipc_connection_protocol_error(struct nnipc_connection *c, const char *what);

/** One-way: the reference to an object goes back. Never blocks on the vendor library. */
void nnipc_connection_release(struct nnipc_connection *c, uint64_t oid);

/* ---- callbacks ---- */

/**
 * typedef nnipc_notified - a callback's message, on the executor, exactly once
 * @cookie: of nnipc_callback_add()
 * @error: 0; -EPIPE: the generation died, and @in is NULL
 * @method: the notification's
 * @in: its payload; read it to its end
 *
 * Return: 0, or an error: the payload is malformed: a protocol error of the worker.
 */
typedef int (*nnipc_notified)(void *cookie, int error, uint32_t method, struct nnipc_reader *in);

/**
 * nnipc_callback_add() - register before the call is sent
 * @c: connection
 * @method: the notification that is expected
 * @fn: called exactly once, unless nnipc_callback_remove() returns true
 * @cookie: for @fn
 *
 * The callback holds a reference to the connection until it has been called.
 *
 * Return: the number; 0: the generation is dead, or no memory. @fn is not called then.
 */
uint64_t nnipc_callback_add(struct nnipc_connection *c, uint32_t method, nnipc_notified fn,
			    void *cookie);
/** Forget it. False: @fn has been called, or will be. */
bool nnipc_callback_remove(struct nnipc_connection *c, uint64_t callback);

/* ---- rings ---- */

/** Have rings closed when the generation dies. @node is the caller's until it is removed. */
struct nnipc_watched_rings {
	struct nnipc_ring *rings[2];
	struct nnipc_watched_rings *prev, *next;
};
/** -EPIPE: dead already. */
int nnipc_connection_watch(struct nnipc_connection *c, struct nnipc_watched_rings *node);
void nnipc_connection_unwatch(struct nnipc_connection *c, struct nnipc_watched_rings *node);

/*
 * proxy.c: what the proxies share. A proxy implements one interface of nnhal.h where the caller is,
 * belongs to one generation, and owns one reference to an object of the worker.
 */

/**
 * What every proxy but the device's has behind its operations. A call holds a reference while it
 * runs, so that the release reaches the worker after the call, also if the client destroys the
 * proxy meanwhile.
 */
struct nnipc_proxy {
	struct nnipc_connection *c; /* a reference */
	uint64_t oid;
	atomic_uint refs; /* the client's, one per call in progress */
};
/** Takes a reference to @c. The proxy has one reference. */
void nnipc_proxy_init(struct nnipc_proxy *p, struct nnipc_connection *c, uint64_t oid);
void nnipc_proxy_get(struct nnipc_proxy *p);
/** Drop a reference. True: it was the last, nnipc_proxy_fini() has run, and the caller frees. */
bool nnipc_proxy_put(struct nnipc_proxy *p);
/** Sends the release, drops the reference to the connection. Not of inherited proxies. */
void nnipc_proxy_fini(struct nnipc_proxy *p);
/** nnipc_proxy_put() for those with something to do before nnipc_proxy_fini(), which is theirs. */
bool nnipc_proxy_last(struct nnipc_proxy *p);
static inline bool nnipc_proxy_inherited(const struct nnipc_proxy *p)
{
	return nnipc_connection_inherited(p->c);
}

/**
 * The status of a call that did not get through. @error: of nnipc_call(), nnipc_connection_lane()
 * or nnipc_reader_end(); @message may be NULL, else NNHAL_MESSAGE bytes.
 *
 *	-EPIPE, dead or inherited			DEAD_OBJECT
 *	-ENOMEM, -EMFILE, -ENFILE, -ETOOMANYREFS	RESOURCE_EXHAUSTED_TRANSIENT
 *	-E2BIG						RESOURCE_EXHAUSTED_PERSISTENT
 *	all others					GENERAL_FAILURE
 */
enum nnhal_status nnipc_proxy_failed(struct nnipc_connection *c, int error, char *message);

/**
 * The end of a reply from the worker. A reply that is malformed, or not @plausible, is a protocol
 * error. @message as above.
 */
enum nnhal_status nnipc_proxy_reply_end(struct nnipc_connection *c, const struct nnipc_reader *in,
					bool plausible, uint32_t method, char *message);
/** The whole reply is a status. @message as above; it is written if the call failed. */
enum nnhal_status nnipc_proxy_reply_status(struct nnipc_connection *c, struct nnipc_reader *in,
					   uint32_t method, char *message);
/**
 * The whole rest is a status and the result of an execution with @num_outputs outputs. @result:
 * initialised, of this library's size; on a failure it has a message and nothing else.
 */
enum nnhal_status nnipc_proxy_reply_result(struct nnipc_connection *c, struct nnipc_reader *in,
					   uint32_t method, uint32_t num_outputs,
					   struct nnhal_execution_result *result);
/** No time is negative but NNHAL_NO_TIME. */
bool nnipc_proxy_plausible_timing(const struct nnhal_timing *t);

/**
 * A call: nnipc_proxy_begin(), arguments, and one of the ends, which send them, wait, read the
 * whole reply and give the lane back. Where none of them fits: nnipc_proxy_send(), and
 * nnipc_proxy_end() whatever came of it.
 */
struct nnipc_proxy_call {
	struct nnipc_connection *c;
	struct nnipc_lane *lane; /* the arguments go into @out; the reply comes into @in */
	uint32_t method;
	uint64_t oid;
	char *message; /* as above */
};
/**
 * NONE; else there is no lane, and nothing to end. @oid 0: the device. @deadline_ns: of
 * nnipc_connection_lane().
 */
enum nnhal_status nnipc_proxy_begin(struct nnipc_proxy_call *call, struct nnipc_connection *c,
				    uint32_t method, uint64_t oid, int64_t deadline_ns,
				    char *message);
/** NONE: the reply is there. The limit: of nnipc_call(). */
enum nnhal_status nnipc_proxy_send(struct nnipc_proxy_call *call, enum nnipc_limit limit,
				   int64_t deadline_ns);
void nnipc_proxy_end(struct nnipc_proxy_call *call);

/** Of all that make an object, without work: status, and its oid if and only if that is NONE. */
enum nnhal_status nnipc_proxy_end_object(struct nnipc_proxy_call *call, uint64_t *oid);
/** Of all executeSynchronously: as nnipc_proxy_reply_result(). The call's message is @result's. */
enum nnhal_status nnipc_proxy_end_result(struct nnipc_proxy_call *call, int64_t deadline_ns,
					 uint32_t num_outputs,
					 struct nnhal_execution_result *result);
/**
 * Of all executeFenced: status, fence and oid. A fence is checked: it is a sync_file or a fence of
 * nnutil_fence.h, else it is a protocol error.
 */
enum nnhal_status nnipc_proxy_end_fenced(struct nnipc_proxy_call *call, int64_t deadline_ns,
					 int *sync_fence, struct nnhal_fenced_callback **callback);

/* Each makes a proxy of the object @oid; NULL: no memory, and the object is released. */
struct nnhal_prepared_model *nnipc_prepared_model_proxy(struct nnipc_connection *c, uint64_t oid);
/** @fence stays the caller's; -1: the execution has ended. */
struct nnhal_fenced_callback *nnipc_fenced_callback_proxy(struct nnipc_connection *c, uint64_t oid,
							  int fence);
/** @num_outputs: of its request. */
struct nnhal_execution *nnipc_execution_proxy(struct nnipc_connection *c, uint64_t oid,
					      uint32_t num_outputs);
struct nnhal_buffer *nnipc_buffer_proxy(struct nnipc_connection *c, uint64_t oid);
/** Configures the burst itself: it makes the rings. */
enum nnhal_status nnipc_burst_proxy(struct nnipc_connection *c, uint64_t prepared_oid,
				    struct nnhal_burst **burst);

/** The number of a prepared model of the generation @c; 0: foreign, NULL, or of another one. */
uint64_t nnipc_prepared_model_oid(const struct nnhal_prepared_model *model,
				  const struct nnipc_connection *c);

/*
 * supervisor.c: starting workers again. Shared by all devices of this process with the same target:
 * opening the device anew does not evade the crash limit. isolation.rst has the policy as a table.
 */

struct nnipc_supervisor;

/**
 * That of @target, made if there is none. It lives as long as the process: its crashes count for
 * later users. NULL: no memory.
 */
struct nnipc_supervisor *nnipc_supervisor_get(const struct nnipc_target *target);

/**
 * nnipc_supervisor_start() - a new generation, if the policy allows one now
 * @s: supervisor
 * @expected: what the device was before; NULL: the first generation of a device
 * @c: set to the connection, with one reference
 * @message: on an error, why
 * @size: of @message
 *
 * Return: 0; -EAGAIN: too soon after a crash; -EPERM: too many crashes; -ESTALE: it is another
 * device than @expected, which is out of service; or the error of nnipc_connection_open().
 */
int nnipc_supervisor_start(struct nnipc_supervisor *s, const struct nnipc_description *expected,
			   struct nnipc_connection **c, char *message, size_t size);
/** Generations after the first ones of their devices, in this process. */
uint32_t nnipc_supervisor_restarts(struct nnipc_supervisor *s);

/* device_generation.c: a proxied device: what stays while its workers come and go. */

struct nnipc_device {
	struct nnhal_device base;
	/* constant */
	unsigned int process; /* that made it */
	struct nnipc_supervisor *supervisor;
	struct nnipc_description description; /* of the first worker; the others have the same */

	pthread_mutex_t lock; /* protects what follows; no other lock is taken under it */
	pthread_cond_t started; /* @starting is over */
	struct nnipc_connection *c; /* the last generation, a reference; dead or not */
	bool starting; /* a thread starts another one, without the lock */
	bool out_of_service; /* for good */
	struct nnhal_device_info info; /* the vendor's last; size 0: none yet */
};

static inline bool nnipc_device_inherited(const struct nnipc_device *dev)
{
	return nnutil_process_inherited(dev->process);
}

/** A device of the first generation @c, whose reference it takes with 0. 0 or -ENOMEM. */
int nnipc_device_new(const struct nnhal_device_ops *ops, struct nnipc_supervisor *supervisor,
		     struct nnipc_connection *c, struct nnipc_device **dev);
void nnipc_device_free(struct nnipc_device *dev);

/** The last generation, with a reference. Not of inherited devices. */
struct nnipc_connection *nnipc_device_last(struct nnipc_device *dev);

/**
 * nnipc_device_generation() - a generation that lives, if need be a new one
 * @dev: not an inherited one
 * @c: set to it, with a reference
 * @message: on an error, why; NNHAL_MESSAGE bytes
 *
 * Return: 0; an error of nnipc_supervisor_start(): there is none now.
 */
int nnipc_device_generation(struct nnipc_device *dev, struct nnipc_connection **c, char *message);

/*
 * argument_check.c: checks of arguments that only the client's side can make: sizes of structs, and
 * lengths of lists that are to be read. The vendor library makes all other checks. The statuses are
 * those of libnnhal: a proxy behaves as a device in process. Every error is INVALID_ARGUMENT, with
 * a message of NNHAL_MESSAGE bytes.
 */

/** Most dimensions of an argument: more than any device has, and few enough to be read. */
#define NNIPC_MAX_RANK 64u

/** *@request becomes @older if the client's struct is older, hence smaller. */
enum nnhal_status nnipc_check_request(const struct nnhal_request **request,
				      struct nnhal_request *older, char *message);
enum nnhal_status nnipc_check_execution_config(const struct nnhal_execution_config **config,
					       struct nnhal_execution_config *older, char *message);
/** Lists of hints, and the names of their extensions, of any configuration. */
enum nnhal_status nnipc_check_hints(const struct nnhal_token_value *hints, uint32_t num_hints,
				    const struct nnmodel_extension *extensions,
				    uint32_t num_extensions, char *message);
/** One number per pool of @request, each -1 or more; and the pools are there. */
enum nnhal_status nnipc_check_tokens(const struct nnhal_request *request, const int64_t *tokens,
				     uint32_t num_tokens, char *message);

/*
 * places.c: where the files of a worker are: beside this library, as installed or as in the build
 * tree.
 */

/** A file that this library needs. Each writes an absolute path; false: it is in none of them. */
bool nnipc_place_of_worker(char *path, size_t size);
bool nnipc_place_of_vendor(char *path, size_t size);
bool nnipc_place_of_profiles(char *path, size_t size);

/* device_queries.c: the calls of a proxied device that answer at once. */

/** Operations of struct nnhal_device_ops. */
enum nnhal_status nnipc_device_supported(struct nnhal_device *dev, const struct nnmodel *model,
					 bool *supported, char **reasons,
					 struct nnmodel_error *err);
enum nnhal_device_status nnipc_device_get_status(struct nnhal_device *dev);
int nnipc_device_create_memory(struct nnhal_device *dev, uint64_t size, int *fd);
int nnipc_device_get_info(struct nnhal_device *dev, struct nnhal_device_info *info);
int nnipc_device_get_counters(struct nnhal_device *dev, struct nnhal_counters *counters);

/*
 * executor.c: the threads that call the client's callbacks. As many as there are callbacks at a
 * time: one that blocks, calls the driver or destroys its objects stops no other.
 */

/** Run @work(@cookie) on one of the threads. 0; -ENOMEM, -EAGAIN: not now, try again. */
int nnipc_executor_run(void (*work)(void *cookie), void *cookie);

/*
 * latch.c: a latch: something has happened, once. 0 is a closed latch. Any number of threads may
 * wait.
 */

void nnipc_latch_open(atomic_uint *latch);
/** False: it is still closed after @timeout_ns; negative: no limit. */
bool nnipc_latch_wait(atomic_uint *latch, int64_t timeout_ns);

/*
 * restart_policy.c: when a worker may start again: the table of isolation.rst. Times are the
 * caller's, CLOCK_BOOTTIME in ns. No lock.
 */

/** Largest value of NNACCEL_WORKER_CRASHES. */
#define NNIPC_MAX_CRASHES 1000u

struct nnipc_restart_policy {
	unsigned int max_crashes; /* in 60 s; one more, and the device is out of service */
	unsigned int crashes; /* length of @at_ns */
	int64_t at_ns[NNIPC_MAX_CRASHES + 1]; /* of the last 60 s before the last crash, in order */
	int64_t offline_until_ns; /* 0: in service */
};

/** A worker crashed. */
void nnipc_restart_crashed(struct nnipc_restart_policy *p, int64_t now_ns);

/**
 * nnipc_restart_wait() - when a worker may start
 * @p: policy
 * @now_ns: time
 * @wait_ns: set to the time until then; 0: now
 *
 * Return: 0; -EAGAIN: too soon after a crash; -EPERM: too many crashes.
 */
int nnipc_restart_wait(struct nnipc_restart_policy *p, int64_t now_ns, int64_t *wait_ns);

/** What nnipc_restart_wait() says, for people: "the next call", "a call in 100 ms or later". */
void nnipc_restart_text(struct nnipc_restart_policy *p, int64_t now_ns, char *text, size_t size);

/* device_prepare.c: prepareModel and prepareModelFromCache of a proxied device. */

/** Operations of struct nnhal_device_ops. */
enum nnhal_status nnipc_device_prepare(struct nnhal_device *dev, const struct nnmodel *model,
				       const struct nnhal_prepare_config *config,
				       nnhal_prepared_cb callback, void *cookie);
enum nnhal_status nnipc_device_prepare_from_cache(struct nnhal_device *dev, int64_t deadline_ns,
						  const int *model_cache, uint32_t num_model_cache,
						  const int *data_cache, uint32_t num_data_cache,
						  const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
						  nnhal_prepared_cb callback, void *cookie);

/* device_proxy.c: IDevice, in front of its worker. */

/** Start a worker and open its device. 0 or -errno with @message (@size bytes). */
int nnipc_device_proxy_open(const struct nnipc_target *target, struct nnhal_device **dev,
			    char *message, size_t size);

/*
 * connection_callbacks.c: the callbacks that a worker owes, by number. Numbers are never given
 * twice. No lock: the connection's protects a table.
 */

/** A callback; its memory is there before it is needed, so that it always comes. */
struct nnipc_pending {
	struct nnipc_pending *next; /* in a bucket, or a list of those to be called */
	struct nnipc_connection *c; /* a reference */
	uint64_t number;
	uint32_t method;
	nnipc_notified fn;
	void *cookie;
	int error; /* -EPIPE: the generation died, and there is no frame */
	struct nnipc_frame frame; /* the notification */
};

#define NNIPC_CALLBACK_BUCKETS 64u

struct nnipc_pending_callbacks {
	uint64_t last; /* number that was given */
	uint32_t prepared, executed; /* how many wait for each method */
	struct nnipc_pending *buckets[NNIPC_CALLBACK_BUCKETS];
};

/*
 * pending_fence.c: work that goes on after its last object was destroyed. The worker ends with the
 * last object, so an object whose fence has not signalled yet stays until it has, or until its
 * worker died. One thread of the executor watches all of them, as long as there are any.
 */

struct nnipc_pending_fence {
	struct nnipc_pending_fence *next;
	int fence; /* stays the owner's */
	void (*ended)(struct nnipc_pending_fence *p); /* the last that is done with it */
};

/** False: no thread or descriptor to watch it; @p->ended() is not called. */
bool nnipc_watch_fence(struct nnipc_pending_fence *p);

/*
 * slot_map.c: slots of a burst: the places where the worker keeps the memories that were sent to
 * it. A memory that the client numbered keeps its slot until the number is released; one without a
 * number has a slot for one execution. Knows no connection. Any thread, one at a time.
 */

#define NNIPC_NO_SLOT UINT32_MAX

struct nnipc_slot_entry;

struct nnipc_slot_map {
	struct nnipc_slot_entry *list; /* NNIPC_BURST_SLOTS once the first is taken */
	uint32_t used; /* places of @list that were taken once */
	uint32_t free; /* first free one of these */
	uint32_t buckets[64]; /* by number of the client */
	/* of the request in progress */
	uint32_t *numbers; /* by pool */
	bool *fresh; /* by pool: the worker does not have the memory yet */
	uint32_t num_pools, room;
};

void nnipc_slot_map_init(struct nnipc_slot_map *s);
void nnipc_slot_map_fini(struct nnipc_slot_map *s);

/**
 * nnipc_slot_map_assign() - slots for the pools of a request
 * @s: @numbers and @fresh are set; pools that are device buffers have NNIPC_NO_SLOT
 * @request: request
 * @tokens: the client's number of each pool, -1 or more
 * @num_fresh: set to the number of pools that are @fresh
 *
 * Memory whose number means another memory gets a slot of its own, for the vendor library to judge.
 *
 * Return: 0, to be followed by nnipc_slot_map_settle(); -ENOSPC: too few slots, -ENOMEM; nothing is
 * taken then.
 */
int nnipc_slot_map_assign(struct nnipc_slot_map *s, const struct nnhal_request *request,
			  const int64_t *tokens, uint32_t *num_fresh);
/** The request ended. Unless it was @good, the memories that it brought are forgotten. */
void nnipc_slot_map_settle(struct nnipc_slot_map *s, bool good);

/** The client released @token (0 or more). Returns the slot that is free now, or NNIPC_NO_SLOT. */
uint32_t nnipc_slot_map_release(struct nnipc_slot_map *s, int64_t token);

/*
 * worker_process.c: the process of a worker, with its socket and what it prints. One thread: it
 * must live as long as the process, which the kernel kills with the thread that made it.
 */

struct nnipc_worker_process {
	struct nnipc_child child; /* pid 0: none */
	struct nnipc_log_pipe log;
};

/**
 * nnipc_worker_process_start() - start nnaccel-worker
 * @w: set
 * @target: has the vendor library
 * @sock: set to this end of the worker's socket; the caller's
 * @message: on an error, what is wrong and what to do
 * @size: of @message
 *
 * Return: 0 or -errno.
 */
int nnipc_worker_process_start(struct nnipc_worker_process *w, const struct nnipc_target *target,
			       int *sock, char *message, size_t size);

/**
 * nnipc_worker_process_end() - wait for its end, and reap it
 * @w: of nnipc_worker_process_start()
 * @grace_ns: most time until it is killed
 * @late: set to whether it was
 * @how: set to text: "exit status 1", "signal 9 (Killed)"
 * @size: of @how
 *
 * Meanwhile its lines are read, so that it does not wait for us. Return: as nnipc_child_wait().
 */
int nnipc_worker_process_end(struct nnipc_worker_process *w, int64_t grace_ns, bool *late,
			     char *how, size_t size);

#endif
