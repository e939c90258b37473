/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects, copies between memories, workspaces of executions. */
#ifndef NNR_MEMORY_H
#define NNR_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/nnr_base.h"
#include "nnhal.h"
#include "nnmodel.h"
#include "registry/nnr_registry.h"

/* memory_object.c: memory objects, and arguments that refer to them. */

/**
 * Shared memory (a file, as in libnnhal) or a device's buffer. Reference counted: executions in
 * flight hold it.
 */
struct ANeuralNetworksMemory {
	atomic_uint refs;
	int64_t id; /* unique in the process, >= 1: the memory token of bursts */
	struct nnhal_memory shared; /* fd -1: a device buffer */
	struct nnhal_buffer *buffer; /* or NULL */
	uint32_t token; /* of the buffer */
	ANeuralNetworksDevice *device; /* of the buffer */
	bool from_desc;
	bool image; /* an AHardwareBuffer that is not BLOB: no operand can be in it */
	/* of memory from a descriptor: */
	struct nnr_role *roles; /* plan/memory_roles.c */
	uint32_t num_roles;
	void (*free_roles)(struct nnr_role *roles, uint32_t num_roles);
	const struct nnmodel_operand *operand; /* of the first role, whose plan is held */
	uint32_t initial_rank, *initial_dims; /* merged of roles and descriptor */
	atomic_uint process; /* that @lock belongs to */
	pthread_mutex_t lock; /* protects the members below; nnr_memory_lock() */
	bool initialized;
	uint32_t rank, *dims; /* current shape; room for NNR_MAX_RANK */
	void *mapping; /* of @shared, on demand: nnr_memory_map() */
	bool dmabuf; /* valid once mapped */
};
/** New, one reference, without a file. NULL: out of memory. */
ANeuralNetworksMemory *nnr_memory_alloc(void);
/** Take a reference. */
struct ANeuralNetworksMemory *nnr_memory_get(ANeuralNetworksMemory *memory);
/** Drop one. @memory may be NULL. */
void nnr_memory_put(ANeuralNetworksMemory *memory);
/** Take the lock, also of a memory that was made before a fork. */
void nnr_memory_lock(ANeuralNetworksMemory *memory);

/** Shared memory from a duplicate of @fd. Result code (logged). */
int nnr_memory_create_from_fd(size_t size, int prot, int fd, size_t offset,
			      ANeuralNetworksMemory **memory);
/** Shared memory of the host (a memfd that cannot shrink), zeroed. Result code (logged). */
int nnr_memory_create_host(uint64_t size, ANeuralNetworksMemory **memory);

/**
 * Map shared memory, readable and writable as its prot allows. It stays mapped. Result code:
 * NO_ERROR, UNMAPPABLE.
 */
int nnr_memory_map(ANeuralNetworksMemory *memory, void **data);
/** Around accesses of the CPU to mapped memory: makes a dma-buf coherent. */
void nnr_memory_cpu_access(const ANeuralNetworksMemory *memory, bool write, bool begin);

/** Whether operands can be at that place. Result code (logged). */
int nnr_memory_validate_range(const ANeuralNetworksMemory *memory, size_t offset, size_t length);
/** The same of a constant. */
int nnr_memory_validate_constant(const ANeuralNetworksMemory *memory, size_t offset, size_t length);
/**
 * Before a run: an input from a descriptor must be initialized and of this shape. Result code:
 * NO_ERROR, OP_FAILED (logged).
 */
int nnr_memory_check_input(ANeuralNetworksMemory *memory, uint32_t rank, const uint32_t *dims);
/**
 * After a run with the memory as an output, or a copy into it: state and shape of memory from a
 * descriptor.
 */
void nnr_memory_written(ANeuralNetworksMemory *memory, bool success, uint32_t rank,
			const uint32_t *dims);

/* ---- arguments ---- */

enum nnr_argument_kind { NNR_ARG_UNSET, NNR_ARG_POINTER, NNR_ARG_MEMORY, NNR_ARG_NO_VALUE };

/** One input or output of an execution, as the application set it. */
struct nnr_argument {
	enum nnr_argument_kind kind;
	void *buffer; /* POINTER; of inputs only read */
	ANeuralNetworksMemory *memory; /* MEMORY; a reference */
	size_t offset, length, padding; /* @length without padding */
	uint32_t rank, *dims; /* merged of model and setter; 0 is unknown */
};
/**
 * The address of an argument's bytes. Result code: NO_ERROR, UNMAPPABLE (device buffers as well).
 */
int nnr_argument_data(const struct nnr_argument *arg, uint8_t **data);

/*
 * memory_copy.c: copies between memory objects of hosts and devices. Result codes; failures are
 * logged.
 */

/** All of @src to @dst, of which size, type and shape fit. */
int nnr_memory_copy(ANeuralNetworksMemory *src, ANeuralNetworksMemory *dst);
/** All of a device buffer to or from shared memory of the same size. */
int nnr_memory_read_buffer(ANeuralNetworksMemory *memory, const struct nnhal_memory *dst);
int nnr_memory_write_buffer(ANeuralNetworksMemory *memory, const struct nnhal_memory *src);
/** Whether type, scale, zero point and parameters of both are equal. */
bool nnr_memory_same_operand(const struct nnmodel_operand *a, const struct nnmodel_operand *b);

/* hardware_buffer.c: memory objects over AHardwareBuffers of nnaccel's libnativewindow.so. */

/** Result code (logged). */
int nnr_memory_create_from_hardware_buffer(const AHardwareBuffer *buffer,
					   ANeuralNetworksMemory **memory);

/*
 * workspace.c: workspaces: what an execution of a prepared model needs, kept for the next
 * execution. A workspace has a burst object, so that its device remembers memories, and shared
 * memory into which data at an application's pointers is copied (staged). Concurrent executions
 * have different workspaces.
 */

/** The workspaces of a prepared model. */
struct nnr_workspaces;
/** The workspaces that one burst of the application keeps. Used by one thread at a time. */
struct nnr_workspace_set;

/**
 * A workspace has one owner at a time, but for the memories that its burst remembers: these are
 * released when the memory object is freed, at any time.
 */
struct nnr_workspace {
	struct nnr_workspace *next; /* in the list of free ones */
	struct nnr_workspace *all_next, **all_pos; /* of all workspaces of the process */
	struct nnr_workspaces *workspaces;
	struct nnr_workspace_set *set; /* that keeps it; NULL: none */
	const struct nnmodel *model; /* the step's */
	struct nnhal_burst *burst; /* NULL: the device has none */
	_Atomic uint64_t used; /* memories that the burst may know: bit (id % 64) */

	/* shared memory for staged data; NULL: not needed yet */
	ANeuralNetworksMemory *arena;
	uint8_t *arena_data;
	uint64_t arena_size;
	bool staged; /* the request refers to the arena */

	/* one per input or output of the model; set by the owner */
	const struct nnr_argument **inputs, **outputs;
	/* results of nnr_workspace_execute(); dims have room for NNR_MAX_RANK */
	struct nnhal_output_shape *shapes;
	struct nnhal_timing timing;

	/* the request that is made of the arguments */
	struct nnhal_request request;
	struct nnhal_request_argument *request_args; /* inputs, then outputs */
	struct nnhal_request_pool *pools;
	const ANeuralNetworksMemory **pool_memories; /* per pool, to find it again */
	int64_t *tokens;
	/* extension attributes of the run, for the device */
	struct nnr_hints hints;
};

/** For a prepared model, which outlives them. NULL: out of memory. */
struct nnr_workspaces *nnr_workspaces_new(struct nnhal_prepared_model *prepared,
					  ANeuralNetworksDevice *device);
void nnr_workspaces_free(struct nnr_workspaces *workspaces);
/** A memory object is freed: bursts that remember its number release it. */
void nnr_workspaces_forget(int64_t id);
ANeuralNetworksDevice *nnr_workspaces_device(const struct nnr_workspaces *workspaces);
struct nnhal_prepared_model *nnr_workspaces_prepared(const struct nnr_workspaces *workspaces);

/** Become the owner of a workspace. @set may be NULL. Result code; *@workspace with NO_ERROR. */
int nnr_workspace_take(struct nnr_workspaces *workspaces, struct nnr_workspace_set *set,
		       const struct nnmodel *model, struct nnr_workspace **workspace);
void nnr_workspace_give(struct nnr_workspace *workspace);
/** At least @size bytes in the arena, whose contents are lost. Result code. */
int nnr_workspace_reserve(struct nnr_workspace *workspace, uint64_t size);

/** Empty; workspaces are added as they are needed. NULL: out of memory. */
struct nnr_workspace_set *nnr_workspace_set_new(void);
/** Before the plan is freed. */
void nnr_workspace_set_free(struct nnr_workspace_set *set);

/**
 * Shared memory that @device accesses without copying, or host memory if it has none. Mapped at
 * *@data. Result code.
 */
int nnr_shared_create(ANeuralNetworksDevice *device, uint64_t size, ANeuralNetworksMemory **memory,
		      void **data);

#endif
