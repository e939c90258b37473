/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to libnnhal: its objects and what its files offer each other.
 *
 * Lifetimes: a device lives until its user and every prepared model, task and fenced job on it let
 * go of it; a prepared model until its user and every execution on it do. So destroy() never waits
 * for work.
 *
 * fork() leaves a child only what it makes itself: process.h. Every entry of an operations table
 * that touches more than constants looks whether its object is inherited, before any lock.
 *
 * Locks, none ever held in a callback. Taken before others: nnhal_burst.lock, nnhal_fenced.lock.
 * The last one taken: known_lock of calibration.c, queues.lock, imports.lock, reaper.lock,
 * buffers.lock (device), slots_lock (prepared model), nnhal_buf.lock; below all others that of the
 * descriptors that are kept (process.c).
 */
#ifndef NNHAL_HAL_H
#define NNHAL_HAL_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "nnhal_lower.h"
#include "nnhal.h"
#include "nnprog_shape.h"
#include "structs.h"
#include "process.h"
#include "transport.h"

#define NNHAL_EXPORT __attribute__((visibility("default")))
#define NNHAL_PRINTF(f, a) __attribute__((format(printf, f, a)))

#define NNHAL_FEATURE_LEVEL 8u
#define NNHAL_MESSAGE 256u

/* ---- timing.c ---- */

int64_t nnhal_boottime_ns(void);
int64_t nnhal_monotonic_ns(void);
/** NNHAL_NO_TIME or >= 0. */
bool nnhal_time_valid(int64_t ns);
bool nnhal_deadline_passed(int64_t deadline_ns);
/** Absolute CLOCK_MONOTONIC for the transport; 0: none. */
uint64_t nnhal_deadline_monotonic(int64_t deadline_ns);
/**
 * NONE while it has not passed. PERSISTENT when it had passed already at the call (@call_ns,
 * CLOCK_MONOTONIC): the same call would fail again. TRANSIENT when it passed while we were at it.
 */
enum nnhal_status nnhal_deadline_missed(int64_t deadline_ns, int64_t call_ns);
/** The earlier of a deadline and now + duration. */
int64_t nnhal_deadline_with_duration(int64_t deadline_ns, int64_t duration_ns);

/* ---- status.c ---- */

/** For nnhal_status_of() when there was no job. */
#define NNHAL_NO_JOB UINT32_MAX

/**
 * The one mapping to an ErrorStatus (Documentation/status-codes.rst): of the status of a job with
 * the errno of its fence, or of an errno alone (@status NNHAL_NO_JOB).
 */
enum nnhal_status nnhal_status_of(uint32_t status, int error);
/** Whether the job was lost through no fault of its own, so that it may be run once more. */
bool nnhal_status_innocent(uint32_t status);
/** "BAD_PROGRAM" */
const char *nnhal_job_status_name(uint32_t status);

/* ---- threads.c ---- */

/** Run @work(@cookie) on a worker thread. 0 or -errno (then it does not run). */
int nnhal_run_async(void (*work)(void *cookie), void *cookie);

/* ---- queues.c ---- */

/** A queue of the device's small pool; shared by whatever executions need one of its priority. */
struct nnhal_queue {
	struct nnhal_queue *next;
	struct nnhal_tqueue *tq;
	uint32_t priority;
	uint32_t inflight;
	bool banned; /* no further job; goes when inflight is 0 */
};

struct nnhal_queues {
	pthread_mutex_t lock; /* of all fields and of the queues' */
	struct nnhal_queue *list;
	uint32_t count;
};

struct nnhal_dev;
/** A queue with room for a job, counted as in flight on it. 0; -EAGAIN: all are full; -errno. */
int nnhal_queue_get(struct nnhal_dev *dev, uint32_t priority, struct nnhal_queue **queue);
struct nnhal_tsubmit;
struct nnhal_tjob;
/**
 * Submit a job to such a queue; those that take none, banned or refused, are dropped on the way. 0
 * or -errno.
 */
int nnhal_queue_submit(struct nnhal_dev *dev, uint32_t priority, const struct nnhal_tsubmit *submit,
		       struct nnhal_queue **queue, struct nnhal_tjob **job);
/** The job ended, or was not submitted. @ban: never use this queue again. */
void nnhal_queue_put(struct nnhal_dev *dev, struct nnhal_queue *queue, bool ban);
void nnhal_queues_fini(struct nnhal_dev *dev);

/* ---- memory.c ---- */

/** What a descriptor stands for, however often it was dup'ed. */
struct nnhal_identity {
	dev_t dev;
	ino_t ino;
};

/** Request memory made usable: in the device's address space, or mapped for staging, or both. */
struct nnhal_import {
	struct nnhal_import *prev, *next; /* of the cache, most recently used first */
	struct nnhal_identity id;
	uint64_t offset, size;
	bool write;
	uint32_t refs; /* under imports.lock, as the next two */
	bool dropped; /* its memory is gone, the client says: not kept when nobody uses it */
	int64_t idle_ns; /* CLOCK_MONOTONIC since when nobody does */
	struct nnhal_tmem *mem; /* NULL: must be staged */
	/* CPU view for staging; made on first need, under imports.lock, then constant */
	void *map;
	size_t map_size;
	uint8_t *cpu;
	int dmabuf; /* own descriptor for CPU access brackets; -1: not a dma-buf */
};

struct nnhal_imports {
	pthread_mutex_t lock;
	pthread_cond_t closing_soon;
	struct nnhal_import *head, *tail;
	uint32_t count;
	uint64_t idle_bytes;
	/* a task frees what is idle for too long; the device's user let go of it */
	bool sweeping, closing;
};

/** Size in file, identity. 0, -EBADF, -EINVAL (too small for what @memory says). */
int nnhal_memory_identify(const struct nnhal_memory *memory, struct nnhal_identity *id);
/** 0 or -errno: -EINVAL, -EACCES: the memory is not what it says. */
int nnhal_import_get(struct nnhal_dev *dev, const struct nnhal_memory *memory,
		     const struct nnhal_identity *id, bool write, struct nnhal_import **import);
/** One more reference to one that is held. */
struct nnhal_import *nnhal_import_ref(struct nnhal_dev *dev, struct nnhal_import *import);
void nnhal_import_put(struct nnhal_dev *dev, struct nnhal_import *import);
/** The same, of memory that the client will not pass again. */
void nnhal_import_drop(struct nnhal_dev *dev, struct nnhal_import *import);
/**
 * 0; before all else of the cache. nnhal_imports_close(): free what is idle, and keep nothing from
 * now on.
 */
void nnhal_imports_init(struct nnhal_imports *imports);
void nnhal_imports_close(struct nnhal_dev *dev);
/** Whether the file can never become smaller: sealed, or a dma-buf. */
bool nnhal_memory_fixed(const struct nnhal_memory *memory);
/** Make import->cpu available. 0 or -errno. */
int nnhal_import_map(struct nnhal_dev *dev, struct nnhal_import *import,
		     const struct nnhal_memory *memory);
/** Bracket CPU access to a dma-buf; nothing for other memory. */
void nnhal_import_cpu_begin(struct nnhal_import *import, bool write);
void nnhal_import_cpu_end(struct nnhal_import *import, bool write);
void nnhal_imports_fini(struct nnhal_dev *dev);

/* ---- device.c ---- */

struct nnhal_fenced;

/** Fenced jobs that nobody may be waiting for: a task lets go of what they hold when they end. */
struct nnhal_reaper {
	pthread_mutex_t lock;
	struct nnhal_fenced *head, *tail;
	bool running;
	int news; /* eventfd: the list has grown */
};
void nnhal_reaper_init(struct nnhal_reaper *reaper);
void nnhal_reaper_fini(struct nnhal_reaper *reaper);

struct nnhal_buf;

/** Device buffers by token. */
struct nnhal_buffers {
	pthread_mutex_t lock;
	struct nnhal_buf **list; /* NULL: a free place */
	uint32_t max, sequence;
};

struct nnhal_dev {
	struct nnhal_device base;
	unsigned int process; /* that it was made in */
	atomic_uint refs;
	struct nnhal_transport *t;
	struct nnhal_opset opset;
	char version[64];
	struct nnhal_queues queues;
	struct nnhal_imports imports;
	struct nnhal_reaper reaper;
	struct nnhal_buffers buffers;
	atomic_ullong program_generation;
	struct {
		atomic_ullong executions, staged_in, staged_out, bounced, in_place;
	} counters;
};

/**
 * Another process made it: all that is on it answers DEAD_OBJECT, and is left as it is when it is
 * destroyed.
 */
static inline bool nnhal_inherited(const struct nnhal_dev *dev)
{
	return dev->process != nnhal_process_number();
}
/** Says so in @message (may be NULL): DEAD_OBJECT. */
enum nnhal_status nnhal_dead(char *message);
int nnhal_dev_create(struct nnhal_transport *t, struct nnhal_dev **dev, char *message, size_t size);
struct nnhal_dev *nnhal_dev_get(struct nnhal_dev *dev);
void nnhal_dev_put(struct nnhal_dev *dev);

/* ---- info.c ---- */

/** Operations of our own devices. */
int nnhal_dev_create_memory(struct nnhal_device *base, uint64_t size, int *fd);
int nnhal_dev_get_info(struct nnhal_device *base, struct nnhal_device_info *info);
int nnhal_dev_get_counters(struct nnhal_device *base, struct nnhal_counters *counters);

/* ---- capabilities.c, prepare.c ---- */

void nnhal_capabilities(struct nnhal_dev *dev, struct nnhal_capabilities *caps);
enum nnhal_status nnhal_prepare(struct nnhal_dev *dev, const struct nnmodel *model,
				const struct nnhal_prepare_config *config,
				nnhal_prepared_cb callback, void *cookie);

/* ---- limits.c ---- */

/**
 * Whether a program can ever run on this device: NONE, or RESOURCE_EXHAUSTED_PERSISTENT with what
 * is too large in @message; DEVICE_UNAVAILABLE. @program: written by us or verified.
 */
enum nnhal_status nnhal_program_fits(struct nnhal_dev *dev, const void *program, size_t size,
				     uint32_t num_args, char *message);

/* ---- prepared_model.c ---- */

/** An input or output of main. */
struct nnhal_io {
	uint32_t type;
	bool scalar;
	bool complete; /* rank and dims are known; scalars always */
	uint32_t rank; /* tensors: 0 is unknown */
	uint32_t dims[NNPROG_MAX_RANK];
	uint32_t element; /* bytes */
	float scale;
	int32_t zero_point;
	uint64_t channel_quant; /* digest of the scales of channels; 0: none */
};

/** Bytes of file that constants live in. */
struct nnhal_extent {
	struct nnhal_identity id;
	uint64_t begin, end;
};

/** Device memory of one execution at a time: its result, then its staged arguments. */
struct nnhal_slot {
	struct nnhal_slot *next;
	struct nnhal_tmem *mem;
};

struct nnhal_pm {
	struct nnhal_prepared_model base;
	atomic_uint refs;
	struct nnhal_dev *dev;
	struct nnhal_tmem *program;
	uint64_t program_size, generation;
	uint32_t priority;
	uint32_t num_inputs, num_outputs;
	struct nnhal_io *inputs, *outputs;
	struct nnhal_extent *constants;
	uint32_t num_constants;
	pthread_mutex_t slots_lock; /* of the next */
	struct nnhal_slot *slots; /* idle ones, last used first */
};

/** Load @size bytes of program, made of @model. */
int nnhal_pm_create(struct nnhal_dev *dev, const struct nnmodel *model, const void *program,
		    size_t size, uint32_t priority, struct nnhal_pm **pm);
struct nnhal_pm *nnhal_pm_get(struct nnhal_pm *pm);
void nnhal_pm_put(struct nnhal_pm *pm);
/** An idle slot of at least @size bytes. */
int nnhal_slot_get(struct nnhal_pm *pm, uint64_t size, struct nnhal_slot **slot);
void nnhal_slot_put(struct nnhal_pm *pm, struct nnhal_slot *slot);

/* ---- config.c ---- */

/**
 * Hints and extension names of a configuration: NONE or INVALID_ARGUMENT. Unknown hints are
 * nothing.
 */
enum nnhal_status nnhal_hints_check(const struct nnhal_token_value *hints, uint32_t num_hints,
				    const struct nnmodel_extension *extensions,
				    uint32_t num_extensions, char *message);
/** *@config becomes @older when the client's is of an older size. */
enum nnhal_status nnhal_execution_config_check(const struct nnhal_execution_config **config,
					       struct nnhal_execution_config *older,
					       int64_t deadline_ns, char *message);

/* ---- request.c ---- */

/** A pool of a request, as validation and binding see it. */
struct nnhal_pool {
	bool read, write; /* used by inputs, by outputs */
	struct nnhal_identity id; /* of memory */
	struct nnhal_buf *buffer; /* held; NULL: memory */
	struct nnhal_import *import; /* held; NULL: not used, or a buffer */
};

struct nnhal_memories;

/** A request on its way into a binding. */
struct nnhal_asked {
	const struct nnhal_pm *pm;
	const struct nnhal_request *request;
	struct nnhal_pool *pools; /* request->num_pools of them */
	struct nnhal_memories *memories; /* of a burst; NULL: none */
	const int64_t *tokens; /* with them: one per pool */
	bool complete; /* out: every output's shape is known */
};

/**
 * Check the request against the model and fill asked->pools. NONE; INVALID_ARGUMENT with @message
 * (NNHAL_MESSAGE bytes). Buffers that were found are held in asked->pools, on failure as well.
 */
enum nnhal_status nnhal_request_check(struct nnhal_asked *asked, char *message);
/**
 * The shape that model, request and buffer (NULL: memory) know together. Returns if it is complete.
 */
bool nnhal_io_shape(const struct nnhal_io *io, const struct nnhal_request_argument *arg,
		    const struct nnhal_buf *buffer, uint32_t *rank, uint32_t dims[NNPROG_MAX_RANK]);
/** Bytes of a complete shape; -EOVERFLOW. */
int nnhal_shape_bytes(uint32_t element, uint32_t rank, const uint32_t *dims, uint64_t *bytes);

/* ---- allocate.c, buffer.c ---- */

/** Use of a buffer that allocate() was told of. */
struct nnhal_role {
	uint64_t generation; /* of the prepared model */
	uint32_t index;
	bool output;
};

/** IBuffer. Its shape is complete, so it never changes. */
struct nnhal_buf {
	struct nnhal_buffer base;
	atomic_uint refs; /* user, bindings */
	struct nnhal_dev *dev;
	uint32_t token;
	struct nnhal_io io; /* complete */
	uint64_t bytes;
	struct nnhal_tmem *mem;
	struct nnhal_role *roles;
	uint32_t num_roles;
	pthread_mutex_t lock; /* of what follows */
	uint64_t writes; /* begun so far: the last one decides */
	bool initialised;
	/* held: launched, and what it writes is promised by its fence */
	struct nnhal_fenced *writer;
};

enum nnhal_status nnhal_allocate(struct nnhal_dev *dev, const struct nnhal_buffer_desc *desc,
				 struct nnhal_prepared_model *const *models, uint32_t num_models,
				 const struct nnhal_buffer_role *inputs, uint32_t num_inputs,
				 const struct nnhal_buffer_role *outputs, uint32_t num_outputs,
				 struct nnhal_buffer **buffer, uint32_t *token);
/** A buffer of shape @io that takes @roles over on success. */
int nnhal_buf_create(struct nnhal_dev *dev, const struct nnhal_io *io, uint64_t bytes,
		     struct nnhal_role *roles, uint32_t num_roles, struct nnhal_buf **buf);
/** Held; NULL: none has this token. */
struct nnhal_buf *nnhal_buf_find(struct nnhal_dev *dev, uint32_t token);
void nnhal_buf_put(struct nnhal_buf *buf);
bool nnhal_buf_has_role(const struct nnhal_buf *buf, const struct nnhal_pm *pm, bool output,
			uint32_t index);
/** Whether it has content, or will have once one of @waited_for has ended. */
bool nnhal_buf_readable(struct nnhal_buf *buf, struct nnhal_fenced *const *waited_for,
			uint32_t num_waited_for);
/** Whom its content is promised by; held. NULL: nobody. */
struct nnhal_fenced *nnhal_buf_writer(struct nnhal_buf *buf);
/**
 * A write begins: its number. @writer: a fenced job that was launched, and promises it; NULL:
 * nobody promises.
 */
uint64_t nnhal_buf_begin(struct nnhal_buf *buf, struct nnhal_fenced *writer);
/** That write ended. */
void nnhal_buf_end(struct nnhal_buf *buf, uint64_t write, struct nnhal_fenced *writer, bool ok);
void nnhal_buffers_fini(struct nnhal_dev *dev);

/* ---- binding.c ---- */

/** An argument that goes through the slot. */
struct nnhal_staged {
	struct nnhal_import *import; /* NULL: an output that nobody wants */
	uint64_t offset; /* in the import */
	uint64_t slot_offset, length;
	uint32_t arg;
	bool output;
};

/** A checked request, its memory held: independent of what the caller passed. */
struct nnhal_binding {
	atomic_uint refs; /* its owner, an execution in flight */
	atomic_bool busy; /* an execution in flight; of reusable ones */
	struct nnhal_pm *pm;
	uint32_t num_args;
	struct nnaccel_arg *args; /* outputs: with all that is known of their shapes */
	struct nnhal_buf **buffers; /* by argument; NULL: memory. Held by pools */
	uint64_t *writes; /* by argument: the number of the write to its buffer that is going on */
	struct nnhal_tref *mems;
	uint32_t num_mems;
	struct nnhal_pool *pools;
	uint32_t num_pools, max_pools;
	struct nnhal_staged *staged;
	uint32_t num_staged;
	bool staged_in, staged_out;
	bool complete; /* the shape of every output is known */
	bool lean; /* of a burst: no shapes in results when @complete, start_ns not set */
	struct nnhal_slot *slot;
	uint64_t result_size;
	void *scratch; /* for reading the result */
	uint64_t in_place; /* bytes */
	bool measure;
	uint64_t loop_ns;
	int64_t start_ns; /* CLOCK_MONOTONIC of the call */
};

enum nnhal_status nnhal_bind(struct nnhal_pm *pm, const struct nnhal_request *request,
			     const struct nnhal_execution_config *config,
			     struct nnhal_binding **binding, char *message);
/** An empty binding, for nnhal_bind_fill(). */
struct nnhal_binding *nnhal_binding_new(struct nnhal_pm *pm);
/** On error the binding is empty again. @memories, @tokens: of a burst, or NULL. */
enum nnhal_status nnhal_bind_fill(struct nnhal_binding *binding,
				  const struct nnhal_request *request,
				  const struct nnhal_execution_config *config,
				  struct nnhal_memories *memories, const int64_t *tokens,
				  char *message);
/** Let go of what it holds. */
void nnhal_binding_empty(struct nnhal_binding *binding);
struct nnhal_binding *nnhal_binding_get(struct nnhal_binding *binding);
/** Drop a reference. */
void nnhal_unbind(struct nnhal_binding *binding);
/**
 * Whether the buffers that are read have content, or get it by @waited_for. NONE or GENERAL_FAILURE
 * with @message.
 */
enum nnhal_status nnhal_binding_ready(struct nnhal_binding *binding,
				      struct nnhal_fenced *const *waited_for,
				      uint32_t num_waited_for, char *message);
/**
 * The execution begins, and ended: what that means for buffers that it writes. @writer: as for
 * nnhal_buf_begin().
 */
void nnhal_binding_begin(struct nnhal_binding *binding, struct nnhal_fenced *writer);
void nnhal_binding_done(struct nnhal_binding *binding, struct nnhal_fenced *writer,
			enum nnhal_status status);
/** Copy staged inputs to the device and clear the result. */
void nnhal_binding_stage_in(struct nnhal_binding *binding);
/** Copy back what the run wrote: output i has @sizes[i] bytes. */
void nnhal_binding_stage_out(struct nnhal_binding *binding, const uint64_t *sizes);
/** Submit structure of the binding, without fences. */
void nnhal_binding_submit(const struct nnhal_binding *binding, uint64_t deadline_ns,
			  struct nnhal_tsubmit *submit);

/* ---- result.c ---- */

/**
 * Judge how a job ended: read and check its struct nnaccel_result, copy staged outputs back, fill
 * @result (empty before) but for timing.
 */
size_t nnhal_result_scratch(uint32_t num_outputs);
enum nnhal_status nnhal_result_read(struct nnhal_binding *binding, uint64_t seqno,
				    const struct nnhal_tend *end,
				    struct nnhal_execution_result *result);
void nnhal_result_init(struct nnhal_execution_result *result);
/** As nnhal_result_init(), but the size stays the client's. */
void nnhal_result_reset(struct nnhal_execution_result *result);
void nnhal_message(char *message, const char *format, ...) NNHAL_PRINTF(2, 3);
/** Timing of a successful, measured execution: on_device <= in_driver. */
struct nnhal_timing nnhal_timing_of(const struct nnhal_tend *end, int64_t in_driver_ns);
/** Whether the queue of the job is banned now. */
bool nnhal_end_bans(const struct nnhal_tend *end);

/* ---- execute.c, fenced.c ---- */

/** The whole of a synchronous execution of a binding, timing included. */
enum nnhal_status nnhal_execute_and_time(struct nnhal_binding *binding, int64_t deadline_ns,
					 struct nnhal_execution_result *result);
/** Submit and wait, once more when lost innocently. @deadline_ns: CLOCK_BOOTTIME. */
enum nnhal_status nnhal_execute_binding(struct nnhal_binding *binding, int64_t deadline_ns,
					struct nnhal_execution_result *result,
					struct nnhal_tend *end);
extern const struct nnhal_prepared_model_ops nnhal_pm_ops;
enum nnhal_status nnhal_execute_fenced(struct nnhal_prepared_model *model,
				       const struct nnhal_request *request, const int *wait_for,
				       uint32_t num_wait_for,
				       const struct nnhal_execution_config *config,
				       int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
				       struct nnhal_fenced_callback **callback);

/** What an execution waits for and until when. */
struct nnhal_fenced_launch {
	const int *wait_for;
	uint32_t num_wait_for;
	int64_t deadline_ns, duration_ns;
	int64_t call_ns; /* CLOCK_MONOTONIC */
	bool pending; /* out: some of them have not signalled */
};
/** NONE or INVALID_ARGUMENT. */
enum nnhal_status nnhal_fenced_check(struct nnhal_fenced_launch *launch);
/** Launch a checked execution of @binding, whose reference is taken over in any case. */
enum nnhal_status nnhal_fenced_run(struct nnhal_binding *binding,
				   struct nnhal_fenced_launch *launch, int *sync_fence,
				   struct nnhal_fenced **fenced,
				   struct nnhal_fenced_callback **callback);
struct nnhal_fenced *nnhal_fenced_get(struct nnhal_fenced *fenced);
void nnhal_fenced_put(struct nnhal_fenced *fenced);
/** Take note of its end, if it ended. */
void nnhal_fenced_settle(struct nnhal_fenced *fenced);

/* ---- burst.c, execution.c ---- */

enum nnhal_status nnhal_configure_burst(struct nnhal_prepared_model *model,
					struct nnhal_burst **burst);
/** Memory that @token means already and that cannot shrink: its identity without a system call. */
bool nnhal_memories_known(struct nnhal_memories *memories, int64_t token,
			  const struct nnhal_memory *memory, struct nnhal_identity *id,
			  bool *contradiction);
/** nnhal_import_get() that remembers. */
int nnhal_memories_get(struct nnhal_memories *memories, int64_t token,
		       const struct nnhal_memory *memory, const struct nnhal_identity *id,
		       bool write, struct nnhal_import **import);
enum nnhal_status nnhal_create_reusable_execution(struct nnhal_prepared_model *model,
						  const struct nnhal_request *request,
						  const struct nnhal_execution_config *config,
						  struct nnhal_execution **execution);

#endif
