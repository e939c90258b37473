/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rooms of the runtime share. Each object's section says whose file it is.
 *
 * registry (device.c, registry.c, config.c, extensions.c, allowlist.c): devices and extensions of
 * the process. reference (reference*.c, specialize.c): what nnapi-reference is beyond a device of
 * the HAL. model (model*.c, operand.c, extract.c, slice.c, supported.c): models, and sub-models of
 * them. plan (compilation.c, partition*.c, cost.c, prepare.c, cache_token.c, explain.c): who runs
 * what. run (execution*.c, arguments.c, run*.c, control.c, staging.c): executions, and the executor
 * of plans. memory (memory*.c, event.c, burst.c, threads.c).
 *
 * Result codes (ANEURALNETWORKS_*) are what functions named after the API return, and here every
 * int of a function that says "result code"; others return 0 or -errno. A failed call logs why:
 * nnutil_log().
 *
 * Lock order: ANeuralNetworksExecution.lock, then ANeuralNetworksMemory.lock (two of them by
 * address), then the slots' lock, then the registry's. No lock is held while a device is called,
 * but for the burst objects of a slot, which belong to who took the slot.
 */
#ifndef NNR_RUNTIME_H
#define NNR_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnhal.h"
#include "nnmodel.h"
#include "nntrace.h"
#include "nnutil_log.h"

#pragma GCC visibility push(default)
#include "NeuralNetworksExtensions.h"
#include "NeuralNetworksOEM.h"
#include "nnaccel_runtime.h"
#pragma GCC visibility pop

/** Log why a call of the API, this function or @function, is refused; the result code. */
#define nnr_refuse(code, ...) nnr_refuse_as(__func__, code, __VA_ARGS__)
#define nnr_refuse_as(function, code, ...) \
	(nnutil_log_refusal(function, __VA_ARGS__), ANEURALNETWORKS_##code)

#define NNR_RUNTIME_LEVEL 8u /* feature levels 1 to 8, as nnmodel and nnhal count them */
#define NNR_NONE UINT32_MAX

/*
 * log.h: every function of the API that has a trace point is also a call that messages name
 * (device.c's have none, and name themselves).
 */
#undef NNTRACE_RT
#define NNTRACE_RT(phase, detail) \
	NNUTIL_CALL(detail);         \
	NNTRACE_FULL(NNTRACE_LAYER_RUNTIME, phase, detail)

/* ---- codes.c ---- */

/** FeatureLevelCode of a level 1 to 8, and back (rounded down; 0: below 1). */
int64_t nnr_level_to_code(uint32_t level);
uint32_t nnr_level_from_code(int64_t code);
/** client_api.md 1.2: what an asynchronous completion can say of @result (a result code). */
int nnr_event_code(int result);
/** Log what @device answered to @method; @reason: its own words, "" or NULL when it has none. */
void nnr_log_status(enum nnutil_log_level level, const ANeuralNetworksDevice *device,
		    const char *method, enum nnhal_status status, const char *reason);

/* ---- fork.c ---- */

/**
 * Number of this process, in a line of forks. It only changes in a child that has no second thread
 * yet.
 */
extern atomic_uint nnr_process;
static inline unsigned int nnr_process_number(void)
{
	return atomic_load_explicit(&nnr_process, memory_order_relaxed);
}
/** Before anything is made that a fork would harm; cheap when called again. */
void nnr_fork_watch(void);
/** The lock of a memory, which may be from before a fork. */
void nnr_memory_lock(ANeuralNetworksMemory *memory);
/**
 * Before a finished compilation's plan is used: one from before a fork is made anew. Result code.
 */
int nnr_compilation_renew(const ANeuralNetworksCompilation *compilation);
/* What each file does in a child, which has one thread. */
void nnr_extensions_fork(bool before);
bool nnr_discovery_forked(void); /* whether there are devices, which are lost to the child */
void nnr_hotplug_forked(bool any_lost);
void nnr_threads_forked(void);
void nnr_staging_forked(void);
void nnr_contexts_forked(void);
void nnr_diagnostics_forked(void);

/* ---- registry ---- */

/**
 * A device: all but @hal is fixed once it is in the list. @hal is replaced when a device that was
 * lost is back (hotplug.c); the old one stays valid, and answers DEVICE_UNAVAILABLE: who makes
 * several calls reads it once.
 */
struct ANeuralNetworksDevice {
	char *name, *version;
	int32_t type; /* DeviceTypeCode */
	uint32_t feature_level; /* 1 .. NNR_RUNTIME_LEVEL, clamped */
	bool is_reference; /* nnapi-reference */
	_Atomic(struct nnhal_device *) hal;
	struct nnhal_capabilities capabilities;
	uint32_t num_model_cache, num_data_cache;
	char **extensions; /* names it reports; of nnapi-reference none, whatever its @hal has */
	uint32_t num_extensions;
};

/** The devices, in order; nothing is ever removed. Discovers on the first call. Any thread. */
uint32_t nnr_num_devices(void);
ANeuralNetworksDevice *nnr_device(uint32_t index);
/** nnapi-reference; NULL only where the in-process device cannot be opened (logged). */
ANeuralNetworksDevice *nnr_reference_device(void);
/**
 * Notice devices that have come, and reopen lost ones that are back: cheap when nothing happened.
 * Called by nnr_num_devices(); compilations and queries for supported operations call it before
 * they ask devices.
 */
void nnr_devices_refresh(void);

/**
 * Extension operand types (extensions.md section 4). nnr_extension_prefix(): result code.
 * nnr_extension_name(): of an assigned prefix, else NULL (0, never assigned).
 * nnr_extension_registered(): a device reported that name (without a conflict).
 */
struct nnr_extension_type_info {
	bool is_tensor;
	uint32_t byte_size;
};
int nnr_extension_prefix(const char *name, uint16_t *prefix);
const char *nnr_extension_name(uint16_t prefix);
bool nnr_extension_registered(const char *name);
/** @type as an operand type (prefix << 16 | code); false: unknown. */
bool nnr_extension_type(uint32_t type, struct nnr_extension_type_info *info);
/**
 * The allowlist's answer for this process; what a denial means for a model: nnr_model_may_extend().
 */
bool nnr_extensions_allowed(void);

static inline bool nnr_is_extension(uint32_t type)
{
	return type > NNMODEL_TYPE_BASE_MAX;
}

/** Configuration: file, then environment; fixed at the first use. */
enum nnr_partitioning {
	NNR_PARTITION_NO = 0,
	NNR_PARTITION_WITH_FALLBACK = 1,
	NNR_PARTITION_WITHOUT_FALLBACK = 2
};
struct nnr_config {
	enum nnr_partitioning partitioning; /* NNAPI_PARTITION */
	bool cpu_only; /* NNAPI_CPU_ONLY */
	double transfer_ns_per_kib; /* cost of moving a tensor between devices */
	double step_ns; /* cost of launching a step */
};
const struct nnr_config *nnr_config(void);

/*
 * Diagnostics of the Support Library (support_library_diagnostics.c): the callbacks that an
 * application registered hear of every finish() and of every computation. Without callbacks nothing
 * is done: call these only if nnr_diagnostics_on().
 */
enum nnr_diagnostic_mode {
	NNR_DIAGNOSTIC_ASYNC = 1,
	NNR_DIAGNOSTIC_SYNC = 2,
	NNR_DIAGNOSTIC_BURST = 3,
	NNR_DIAGNOSTIC_ASYNC_WITH_DEPS = 4
};
extern atomic_bool nnr_diagnostics;
static inline bool nnr_diagnostics_on(void)
{
	return atomic_load_explicit(&nnr_diagnostics, memory_order_acquire);
}
/** At the end of finish(), whatever its @result; it took @duration_ns. */
void nnr_diagnostic_compilation(const ANeuralNetworksCompilation *compilation, int result,
				uint64_t duration_ns);
/**
 * At the end of a computation. @runtime_ns from the call to the end; @timing: no times unless
 * measured.
 */
void nnr_diagnostic_execution(const ANeuralNetworksExecution *execution,
			      enum nnr_diagnostic_mode mode, int result, uint64_t runtime_ns,
			      const struct nnhal_timing *timing);

/* ---- model ---- */

/**
 * A finished model: what devices are offered. Operations of main are in an order that can be
 * executed, trailing default inputs and dead operands gone; referenced models follow, deduplicated;
 * constants above 128 bytes are in pools (memfds or the application's memory), each byte once.
 * Immutable, counted.
 */
struct nnr_model_data {
	atomic_uint refs;
	struct nnmodel *model;
	uint32_t feature_level; /* least that has all of it */
	uint32_t num_added; /* operations as the application added them */
	/* per added operation its number in model->main; NNR_NONE: removed */
	uint32_t *added_to_run;
	bool has_extensions; /* operations of an extension, at any depth */
	bool has_oem; /* OEM_OPERATION, at any depth: no device has it */
	/*
	 * who main, each referenced model and each pool is, so that models that refer to this one
	 * have it once
	 */
	uint64_t id, *referenced_ids, *pool_ids;
	/* diagnostics', computed when first wanted: 0 initially, 1 when arch_hash is there */
	atomic_int arch_hash_known;
	uint8_t arch_hash[32];
};
struct nnr_model_data *nnr_model_data_get(struct nnr_model_data *data); /* + 1 */
void nnr_model_data_put(struct nnr_model_data *data);

struct ANeuralNetworksModel {
	bool finished, invalid; /* finish() was called; and failed */
	bool support_library; /* made through the Support Library's table */
	struct nnr_model_data *data; /* once finished and valid */
	struct nnr_model_builder *builder; /* private to model.c */
};
/**
 * Whether it may have extension types and operations; a Support Library is not subject to the
 * allowlist.
 */
static inline bool nnr_model_may_extend(const ANeuralNetworksModel *model)
{
	return model->support_library || nnr_extensions_allowed();
}

/**
 * Rules of client_api.md 2.1 for @type, result code. @partial: unknown rank and dims are allowed.
 * *@info as for nnr_extension_type(), of extension types (may be NULL).
 */
int nnr_operand_type_validate(const ANeuralNetworksOperandType *type, bool partial);
/** Bytes of a tensor or scalar of @type (standard, OEM or extension) with these dims; 0: a dim or
 * the rank of a tensor is unknown; UINT64_MAX: above 2^32 - 1. */
uint64_t nnr_type_bytes(uint32_t type, const uint32_t *dims, uint32_t rank);
bool nnr_type_is_tensor(uint32_t type);
bool nnr_dims_complete(uint32_t type, const uint32_t *dims, uint32_t rank);
/** Merge of two shapes (6: "compatibility of dimension vectors"): *@rank and @dims (room for
 * NNR_MAX_RANK) become the merged one; false: incompatible, nothing changed. */
#define NNR_MAX_RANK 64u
bool nnr_dims_merge(uint32_t *rank, uint32_t *dims, uint32_t other_rank,
		    const uint32_t *other_dims);

/** Subgraph 0 is main, 1 + i referenced[i]. */
static inline const struct nnmodel_subgraph *nnr_subgraph(const struct nnmodel *model,
							  uint32_t subgraph)
{
	return subgraph ? &model->referenced[subgraph - 1] : &model->main;
}

/** A tensor that is there, and not fully specified. */
bool nnr_operand_unknown(const struct nnmodel_operand *operand);
/**
 * Whether an IF or WHILE reads or writes, or has its models read or write, an operand of unknown
 * size.
 */
bool nnr_flow_unknown(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
		      const struct nnmodel_operation *op);

/**
 * A model of its own from part of @source: operations @ops (ascending numbers) of subgraph
 * @subgraph (0 main, 1 + i referenced[i]), whose inputs and outputs are the subgraph's operands
 * @inputs and @outputs in that order. Referenced models that these operations use, constants (pools
 * are dup'ed), extension data and exactly the extension names in use come along; unused operands do
 * not. An operand that is neither constant, nor in
 * @inputs, nor written by @ops must not be read: -EINVAL. 0; -ENOMEM, -EMFILE.
 */
int nnr_extract(const struct nnmodel *source, uint32_t subgraph, const uint32_t *ops,
		uint32_t num_ops, const uint32_t *inputs, uint32_t num_inputs,
		const uint32_t *outputs, uint32_t num_outputs, struct nnmodel **model);

/**
 * Which operations of a subgraph the device can run: the device is asked about the slice that its
 * feature level can express (client_api.md section 3). @supported: one per operation of the
 * subgraph, in its order; any error of the device gives all false. @reasons (may be NULL): per
 * operation a malloc'ed string or NULL: why not, or of nnapi-reference what it will find out at
 * execution. 0 or -ENOMEM.
 */
int nnr_supported_operations(const struct nnmodel *model, uint32_t subgraph,
			     ANeuralNetworksDevice *device, bool *supported, char **reasons);

/* ---- plan ---- */

/** An extension attribute of a compilation or execution. */
struct nnr_attribute {
	char *extension;
	uint16_t code;
	void *data;
	size_t size;
};

/** A sub-model on a device. Immutable once the plan is built, but for what has a lock. */
struct nnr_step {
	ANeuralNetworksDevice *device;
	struct nnmodel *model; /* what was prepared */
	bool owns_model; /* else it is the plan's whole model */
	struct nnhal_prepared_model *prepared;
	uint32_t subgraph, *operations; /* of that graph, ascending; none: the whole model */
	uint32_t num_operations;
	uint32_t num_inputs, num_outputs;
	uint32_t *inputs, *outputs; /* operand numbers in the graph's subgraph, as model's lists */
	/*
	 * the same on nnapi-reference, for a retry: prepared when first needed, under fallback_lock
	 */
	pthread_mutex_t fallback_lock;
	struct nnhal_prepared_model *fallback;
	/* staging.c: bursts and staging memory for reuse */
	struct nnr_slots *slots, *fallback_slots;
};

/** staging.c: the slots of a prepared model, which outlives them. NULL: out of memory. */
struct nnr_slots *nnr_slots_new(struct nnhal_prepared_model *prepared,
				ANeuralNetworksDevice *device);
void nnr_slots_free(struct nnr_slots *slots);

enum nnr_node_kind { NNR_NODE_STEP, NNR_NODE_IF, NNR_NODE_WHILE };

/** IF and WHILE here are run by the runtime itself; those that a device runs are inside a step. */
struct nnr_node {
	enum nnr_node_kind kind;
	struct nnr_step *step; /* STEP */
	uint32_t operation; /* IF, WHILE: its number in the graph's subgraph */
	uint32_t graphs[2]; /* IF: then, else; WHILE: condition, body: numbers in plan->graphs */
};

/** One subgraph, in an order that can be executed. Operands are the subgraph's own. */
struct nnr_graph {
	uint32_t subgraph; /* 0 main, 1 + i referenced[i] */
	struct nnr_node *nodes;
	uint32_t num_nodes;
};

/** Who runs what. Immutable, counted: a compilation, and each execution of it, holds one. */
struct nnr_plan {
	atomic_uint refs;
	unsigned int process; /* that it was made in */
	struct nnr_model_data *data;
	struct nnr_graph *graphs; /* [0] is main's; one per subgraph that is interpreted */
	uint32_t num_graphs;
	bool simple; /* main is one step: the whole model as it is */
	bool fallback; /* execution errors are retried on nnapi-reference */
	/* no fallback, but the client listed nnapi-reference, which has it all */
	bool reference_listed;
	bool has_dynamic_temporaries; /* an operand of unknown shape crosses steps */
	int32_t priority; /* PriorityCode */
	/*
	 * the whole model on nnapi-reference, for a retry: prepared when first needed, under
	 * full_lock
	 */
	pthread_mutex_t full_lock;
	struct nnr_step *full;
	/* run_context.c: values between steps with their memory, free for the next run; its lock */
	struct nnr_context *contexts;
	uint32_t num_contexts;
};
/** Another process made it: nothing of it can be used, nor is it freed. */
static inline bool nnr_inherited(const struct nnr_plan *plan)
{
	return plan->process != nnr_process_number();
}
/** When nobody runs the plan any more, before its steps go. */
void nnr_contexts_free(struct nnr_plan *plan);
struct nnr_plan *nnr_plan_get(struct nnr_plan *plan);
void nnr_plan_put(struct nnr_plan *plan);
/** The step's (plan's) twin on nnapi-reference, prepared on demand. Result code; OP_FAILED as well
 * for a step that is there already. What they give lives as long as the plan. */
int nnr_step_fallback(struct nnr_plan *plan, struct nnr_step *step,
		      struct nnhal_prepared_model **prepared, struct nnr_slots **slots);
int nnr_plan_full(struct nnr_plan *plan, struct nnr_step **step);

struct ANeuralNetworksCompilation {
	struct nnr_model_data *data;
	ANeuralNetworksDevice **devices;
	uint32_t num_devices;
	bool explicit_devices; /* createForDevices: no device but these, no fallback */
	int32_t preference, priority; /* PreferenceCode, PriorityCode */
	uint64_t timeout_ns; /* 0: none */
	bool caching;
	char *cache_dir; /* ends in '/', or is empty */
	uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
	int *cache_fds; /* SL's setCachingFromFds: model files then data files; or NULL */
	uint32_t num_model_cache_fds, num_data_cache_fds;
	struct nnr_attribute *attributes;
	uint32_t num_attributes;
	bool finished;
	struct nnr_plan *plan; /* finished and valid */
	struct nnr_report *report; /* explain.c: of finish(), whatever its result */
};
/** Created for exactly one device by name of it. */
static inline bool nnr_explicit_one(const ANeuralNetworksCompilation *c)
{
	return c->explicit_devices && c->num_devices == 1;
}
/** Copies @data; result codes BAD_DATA (same extension and code twice), OUT_OF_MEMORY, NO_ERROR. */
int nnr_attribute_add(struct nnr_attribute **list, uint32_t *num, const char *extension,
		      uint16_t code, const void *data, size_t size);
void nnr_attributes_free(struct nnr_attribute *list, uint32_t num);

/** Partition and prepare as the compilation says (client_api.md section 12, finish()'s result
 * mapping).
 * @deadline_ns: CLOCK_BOOTTIME or NNHAL_NO_TIME. Result code; *@plan on NO_ERROR. */
int nnr_plan_build(ANeuralNetworksCompilation *compilation, int64_t deadline_ns,
		   struct nnr_plan **plan);
/** Who takes or writes main's input (output) number @index: calls @found for each until it returns
 * nonzero. Outputs are also taken, by later steps. @step NULL: the runtime itself, in control flow
 * that it interprets. @step_input,
 * @step_index: the number in the step's list of inputs or of outputs. */
int nnr_plan_for_each_role(const struct nnr_plan *plan, bool input, uint32_t index,
			   int (*found)(void *cookie, struct nnr_step *step, bool step_input,
					uint32_t step_index),
			   void *cookie);

/** CLOCK_BOOTTIME, ns; and @duration_ns from now, saturating. 0 ns (none): NNHAL_NO_TIME. */
int64_t nnr_now(void);
int64_t nnr_deadline(uint64_t duration_ns);
/**
 * Result code of what a device answered. Deadlines are durations from an application's call on, so
 * none had passed when it began: a device that was reached too late says PERSISTENT, but another
 * attempt may be in time.
 */
int nnr_deadline_answer(int result, int64_t deadline_ns);

/* ---- memory ---- */

/** A role of a memory made from a descriptor. */
struct nnr_role {
	/* compared, and used while the descriptor lives */
	const ANeuralNetworksCompilation *compilation;
	struct nnr_plan *plan; /* held; compared by executions */
	bool input;
	uint32_t index;
	float frequency;
};

/**
 * Shared memory (a file, as nnhal has it), or a device's buffer; from a descriptor either. Counted:
 * executions in flight hold it.
 */
struct ANeuralNetworksMemory {
	atomic_uint refs;
	int64_t id; /* unique in the process, >= 1: the memory token of bursts */
	struct nnhal_memory shared; /* fd -1: a device buffer */
	struct nnhal_buffer *buffer; /* or NULL */
	uint32_t token; /* of the buffer */
	ANeuralNetworksDevice *device; /* of the buffer */
	bool from_desc;
	bool image; /* an AHardwareBuffer that is not BLOB: nothing can be in it */
	/* of memory from a descriptor: */
	struct nnr_role *roles;
	uint32_t num_roles;
	const struct nnmodel_operand *operand; /* of the first role, whose plan is held */
	uint32_t initial_rank, *initial_dims; /* merged of roles and descriptor */
	atomic_uint process; /* that @lock is of */
	pthread_mutex_t lock; /* of what follows; nnr_memory_lock() */
	bool initialized;
	uint32_t rank, *dims; /* current; room for NNR_MAX_RANK */
	void *mapping; /* of shared, on demand: nnr_memory_map() */
	bool dmabuf; /* known once it is mapped */
};
struct ANeuralNetworksMemory *nnr_memory_get(ANeuralNetworksMemory *memory);
void nnr_memory_put(ANeuralNetworksMemory *memory);
/** Readable and writable as its prot allows; stays mapped. Result code: NO_ERROR, UNMAPPABLE. */
int nnr_memory_map(ANeuralNetworksMemory *memory, void **data);
/** Around what the CPU does with mapped memory: a dma-buf is made coherent. */
void nnr_memory_cpu_access(const ANeuralNetworksMemory *memory, bool write, bool begin);
/** A constant's place: result code (client_api.md 4, setOperandValueFromMemory). */
int nnr_memory_validate_constant(const ANeuralNetworksMemory *memory, size_t offset, size_t length);
/**
 * An argument's: role, offset and length, shape (section 9). @dims as given with the argument.
 * Result code.
 */
int nnr_memory_validate_argument(const ANeuralNetworksMemory *memory, const struct nnr_plan *plan,
				 bool input, uint32_t index, const ANeuralNetworksOperandType *type,
				 size_t offset, size_t length);
/**
 * Before a run: an input from a descriptor must be initialised and of these dims. Result code
 * (OP_FAILED).
 */
int nnr_memory_check_input(ANeuralNetworksMemory *memory, uint32_t rank, const uint32_t *dims);
/**
 * After a run that had it as an output, or a copy into it. Nothing for memory that is not from a
 * descriptor.
 */
void nnr_memory_written(ANeuralNetworksMemory *memory, bool success, uint32_t rank,
			const uint32_t *dims);
/** Whole contents between a device buffer and shared memory of the same size. Result code. */
int nnr_memory_read_buffer(ANeuralNetworksMemory *memory, const struct nnhal_memory *dst);
int nnr_memory_write_buffer(ANeuralNetworksMemory *memory, const struct nnhal_memory *src);
/** Shared memory of the runtime's own (memfd, sealed against shrinking), zeroed. Result code. */
int nnr_memory_create_host(uint64_t size, ANeuralNetworksMemory **memory);

/** staging.c, called when memory @id is gone: bursts forget it. */
void nnr_slots_forget(int64_t id);
/** staging.c: slots that one burst keeps to itself; freed before the plan. NULL: out of memory. */
struct nnr_run_cache *nnr_run_cache_new(struct nnr_plan *plan);
void nnr_run_cache_free(struct nnr_run_cache *cache);

/* ---- threads.c, event.c ---- */

/**
 * Run @work on a thread of the pool; it never waits for another work to end. 0, -EAGAIN, -ENOMEM.
 */
int nnr_thread_run(void (*work)(void *cookie), void *cookie);

/**
 * Completion of an execution, or a fence from outside. Of three kinds:
 * - async: completed by nnr_event_complete() from a worker;
 * - fence: @fence_fd, perhaps with the callback of a device and what must be done at the end
 * (@finish);
 * - done: complete when made.
 */
struct ANeuralNetworksEvent {
	unsigned int process; /* that it was made in */
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool complete;
	int result; /* result code, of the complete */
	int fence_fd; /* -1: none */
	/* fence events: called once, without the lock, by the first wait or free: ends the
	 * execution; its argument is the fence's own result, its value the event's */
	int (*finish)(void *cookie, int result);
	void *cookie;
	bool finishing;
};
ANeuralNetworksEvent *nnr_event_new(void);
void nnr_event_complete(ANeuralNetworksEvent *event, int result);
/**
 * Wait for a fence: 0 signalled, -EIO it carries an error, -EINVAL not a fence, -ETIME after
 * @timeout_ms.
 */
int nnr_fence_wait(int fd, int timeout_ms);

/** Exclusive: one thread in burstCompute at a time, who finds @busy set gets BAD_STATE. */
struct ANeuralNetworksBurst {
	struct nnr_plan *plan;
	atomic_flag busy;
	struct nnr_run_cache *cache; /* staging.c: the slots that this burst keeps to itself */
};

/* ---- run ---- */

enum nnr_argument_kind { NNR_ARG_UNSET, NNR_ARG_POINTER, NNR_ARG_MEMORY, NNR_ARG_NO_VALUE };

/** What the application said of one input or output. */
struct nnr_argument {
	enum nnr_argument_kind kind;
	void *buffer; /* POINTER; of inputs only read */
	ANeuralNetworksMemory *memory; /* MEMORY, counted */
	size_t offset, length, padding; /* length without padding */
	uint32_t rank, *dims; /* merged of model and setter; 0 is unknown */
};

/** One run of a plan. Arguments are the caller's and do not change during it. */
struct nnr_run {
	struct nnr_plan *plan;
	const struct nnr_argument *inputs, *outputs; /* as main's lists */
	const struct nnr_attribute *attributes;
	uint32_t num_attributes;
	bool measure;
	uint64_t loop_timeout_ns;
	int64_t deadline_ns;
	struct nnr_run_cache *cache; /* of a burst; NULL: from the steps' slots */
	/*
	 * results; shapes are the caller's arrays, one per output, dims with room for NNR_MAX_RANK
	 */
	struct nnhal_output_shape *shapes;
	bool shapes_known; /* shapes were filled (NO_ERROR, OUTPUT_INSUFFICIENT_SIZE) */
	struct nnhal_timing timing;
	/*
	 * of a fenced run, until it ended: values between steps, staged inputs; nnr_run_release()
	 */
	struct nnr_context *held;
	struct nnr_slot *held_slots;
};
/** Synchronous. Result code. */
int nnr_run(struct nnr_run *run);
/**
 * Fenced; @wait_for stays the caller's. All outputs fully specified and in memory objects (else the
 * caller waits and uses nnr_run()); inputs by pointer make it wait for @wait_for. *@sync_fence -1:
 * finished already. *@callback (NULL: none) is the caller's. Result code.
 */
int nnr_run_fenced(struct nnr_run *run, const int *wait_for, uint32_t num_wait_for,
		   uint64_t duration_ns, int *sync_fence, struct nnhal_fenced_callback **callback);
/**
 * Whether nnr_run_fenced() can return before the run ended: no control flow, no dynamic
 * temporaries.
 */
bool nnr_run_can_be_fenced(const struct nnr_plan *plan);
/** When a fenced run ended. */
void nnr_run_release(struct nnr_run *run);

enum nnr_execution_state { NNR_PREPARATION, NNR_COMPUTATION, NNR_COMPLETED };
enum nnr_completion {
	NNR_COMPLETION_NONE,
	NNR_COMPLETION_NO_ERROR,
	NNR_COMPLETION_INSUFFICIENT,
	NNR_COMPLETION_OTHER
};

struct ANeuralNetworksExecution {
	atomic_uint refs; /* the application's, and that of a computation in flight */
	const ANeuralNetworksCompilation *compilation;
	struct nnr_plan *plan;
	bool explicit_one;
	pthread_mutex_t lock; /* of state and completion */
	enum nnr_execution_state state;
	enum nnr_completion completion;
	bool reusable, padding_enabled, measure, arguments_set;
	uint64_t timeout_ns, loop_timeout_ns;
	struct nnr_argument *inputs, *outputs;
	uint32_t num_inputs, num_outputs;
	uint32_t *dims; /* room for all dims of arguments and shapes */
	struct nnr_attribute *attributes;
	uint32_t num_attributes;
	struct nnhal_output_shape *shapes;
	bool shapes_known;
	struct nnhal_timing launched, fenced;
	/* of the computation in flight, whose one it is */
	struct nnr_run run;
	enum nnr_diagnostic_mode mode;
	int64_t start_ns; /* 0: nobody asks */
	ANeuralNetworksEvent *event; /* startCompute's */
	struct nnhal_fenced_callback *callback;
};

#endif
