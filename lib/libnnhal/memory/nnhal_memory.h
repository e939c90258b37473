/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of requests, imported into a device; device buffers (IBuffer). */
#ifndef NNHAL_MEMORY_H
#define NNHAL_MEMORY_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/nnhal_base.h"
#include "nnmodel_shape.h"
#include "nnprog_shape.h"
#include "transport/transport.h"

/*
 * import_cache.c: request memory made usable for a device. imports.lock is taken last, but for the
 * lock of kept descriptors (nnutil_process.c).
 */

/** The file behind a descriptor: the same for all its duplicates. */
struct nnhal_identity {
	dev_t dev;
	ino_t ino;
};

/** A range of bytes of a file. */
struct nnhal_extent {
	struct nnhal_identity id;
	uint64_t begin, end;
};

static inline bool nnhal_identity_equal(const struct nnhal_identity *a,
					const struct nnhal_identity *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

/** Memory in the device's address space, or mapped for staging, or both. */
struct nnhal_import {
	struct nnhal_import *prev, *next; /* of the cache, most recently used first */
	struct nnhal_identity id;
	uint64_t offset, size;
	bool write;
	uint32_t refs; /* under imports.lock, as the next two */
	bool dropped; /* the client released the memory: freed at the last reference */
	int64_t idle_ns; /* CLOCK_MONOTONIC when the last reference was dropped */
	struct nnhal_tmem *mem; /* NULL: must be staged */
	/* CPU view for staging; made on first need, under imports.lock, then constant */
	void *map;
	size_t map_size;
	uint8_t *cpu;
	int dmabuf; /* own descriptor for CPU access brackets; -1: not a dma-buf */
};

/** The imports of a device: a cache. */
struct nnhal_imports {
	struct nnhal_transport *t;
	struct nnhal_ref *owner; /* held by the sweep */
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t changed; /* closing, sweep_runs */
	struct nnhal_import *head, *tail;
	uint32_t count;
	uint64_t idle_bytes;
	bool sweeping; /* a task that frees what is idle was given */
	bool sweep_runs; /* and has a thread */
	bool closing; /* the client destroyed the device */
};

/** Size in file, identity. 0, -EBADF, -EINVAL (smaller than @memory says). */
int nnhal_memory_identify(const struct nnhal_memory *memory, struct nnhal_identity *id);
/** Whether the file can never become smaller: sealed, or a dma-buf. */
bool nnhal_memory_fixed(const struct nnhal_memory *memory);

/** @t and @owner outlive the cache. */
void nnhal_imports_init(struct nnhal_imports *imports, struct nnhal_transport *t,
			struct nnhal_ref *owner);
/** Free what is idle, and cache nothing from now on. */
void nnhal_imports_close(struct nnhal_imports *imports);
void nnhal_imports_fini(struct nnhal_imports *imports);

/** 0 or -errno: -EINVAL, -EACCES: the memory does not allow it. */
int nnhal_import_get(struct nnhal_imports *imports, const struct nnhal_memory *memory,
		     const struct nnhal_identity *id, bool write, struct nnhal_import **import);
/** One more reference to an import that is held. */
struct nnhal_import *nnhal_import_ref(struct nnhal_imports *imports, struct nnhal_import *import);
void nnhal_import_put(struct nnhal_imports *imports, struct nnhal_import *import);
/** The same; the client released the memory, so the import is not kept in the cache. */
void nnhal_import_drop(struct nnhal_imports *imports, struct nnhal_import *import);

/** Make import->cpu available. 0 or -errno. */
int nnhal_import_map(struct nnhal_imports *imports, struct nnhal_import *import,
		     const struct nnhal_memory *memory);
/** Bracket CPU access to a dma-buf; nothing for other memory. */
void nnhal_import_cpu_begin(struct nnhal_import *import, bool write);
void nnhal_import_cpu_end(struct nnhal_import *import, bool write);

/* The known part of an input or output of main. */

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

/** Set io->complete from what is known of its shape. */
static inline bool nnhal_io_complete(struct nnhal_io *io)
{
	io->complete = io->scalar || nnmodel_shape_complete(io->rank, io->dims);
	return io->complete;
}

/*
 * A promise: a fenced execution was launched and will write device buffers when its fence signals.
 * Embedded in the execution's object, which execute/ifenced_callback.c implements.
 */

struct nnhal_promise;

struct nnhal_promise_ops {
	void (*get)(struct nnhal_promise *promise);
	void (*put)(struct nnhal_promise *promise);
	/** If the execution has ended: end its writes (nnhal_buf_end()), without waiting. */
	void (*settle)(struct nnhal_promise *promise);
};

struct nnhal_promise {
	const struct nnhal_promise_ops *ops;
};

/*
 * ibuffer.c: device buffers, and how executions use them. Both locks are taken last; no method of a
 * promise is called under them but get().
 */

/** A use of a buffer, given to allocate(). */
struct nnhal_role {
	uint64_t generation; /* of the prepared model */
	uint32_t index;
	bool output;
};

/** The device buffers of a device, by token. */
struct nnhal_buffers {
	struct nnhal_transport *t;
	struct nnhal_ref *owner; /* held by each buffer */
	unsigned int process; /* that made the device */
	pthread_mutex_t lock; /* protects the members below */
	struct nnhal_buf **list; /* NULL: a free place */
	uint32_t max, sequence;
};

/** IBuffer. Its shape is complete and never changes. */
struct nnhal_buf {
	struct nnhal_buffer base;
	atomic_uint refs; /* user, bindings */
	struct nnhal_buffers *buffers;
	uint32_t token;
	struct nnhal_io io; /* complete */
	uint64_t bytes;
	struct nnhal_tmem *mem;
	struct nnhal_role *roles;
	uint32_t num_roles;
	pthread_mutex_t lock; /* protects the members below */
	uint64_t writes; /* begun so far: the last one decides */
	bool initialised;
	struct nnhal_promise *writer; /* held; NULL: no launched execution will write it */
};

/** @t and @owner outlive the table. */
void nnhal_buffers_init(struct nnhal_buffers *buffers, struct nnhal_transport *t,
			struct nnhal_ref *owner, unsigned int process);
void nnhal_buffers_fini(struct nnhal_buffers *buffers);

/** A buffer of shape @io that takes @roles over on success. */
int nnhal_buf_create(struct nnhal_buffers *buffers, const struct nnhal_io *io, uint64_t bytes,
		     struct nnhal_role *roles, uint32_t num_roles, struct nnhal_buf **buf);
/** Held; NULL: no buffer has this token. */
struct nnhal_buf *nnhal_buf_find(struct nnhal_buffers *buffers, uint32_t token);
void nnhal_buf_put(struct nnhal_buf *buf);
/** @generation: of the prepared model. */
bool nnhal_buf_has_role(const struct nnhal_buf *buf, uint64_t generation, bool output,
			uint32_t index);
/** Whether it has content, or will have content once one of @waited_for has ended. */
bool nnhal_buf_readable(struct nnhal_buf *buf, struct nnhal_promise *const *waited_for,
			uint32_t num_waited_for);
/** The launched execution that will write it; held. NULL: none. */
struct nnhal_promise *nnhal_buf_writer(struct nnhal_buf *buf);
/** A write begins: its number. @writer: promises the content; NULL: no promise. */
uint64_t nnhal_buf_begin(struct nnhal_buf *buf, struct nnhal_promise *writer);
/** That write ended. */
void nnhal_buf_end(struct nnhal_buf *buf, uint64_t write, struct nnhal_promise *writer, bool ok);

#endif
