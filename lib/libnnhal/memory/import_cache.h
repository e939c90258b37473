/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request memory made usable for a device. imports.lock is taken last, but for the lock of kept
 * descriptors (nnutil_process.c). Private to libnnhal.
 */
#ifndef NNHAL_IMPORT_CACHE_H
#define NNHAL_IMPORT_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/ref.h"
#include "transport/transport.h"

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

#endif
