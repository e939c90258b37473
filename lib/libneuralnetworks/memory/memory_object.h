/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects, and arguments that refer to them. */
#ifndef NNR_MEMORY_OBJECT_H
#define NNR_MEMORY_OBJECT_H

#include <pthread.h>
#include <stdatomic.h>

#include "nnhal.h"
#include "nnmodel.h"

#include "base/ndk.h"

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
	struct nnr_role *roles; /* plan/memory_roles.h */
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
/** Call @forget when a memory object is freed. One function, set before it has anything to forget.
 */
void nnr_memory_on_free(void (*forget)(int64_t id));
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
/** The address of an argument's bytes. Result code: NO_ERROR, UNMAPPABLE (device buffers as well).
 */
int nnr_argument_data(const struct nnr_argument *arg, uint8_t **data);

#endif
