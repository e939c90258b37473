/* SPDX-License-Identifier: Apache-2.0 */
/* The memories that a burst's client numbered. Private to libnnhal. */
#ifndef NNHAL_BURST_MEMORIES_H
#define NNHAL_BURST_MEMORIES_H

#include <pthread.h>

#include "memory/import_cache.h"

#define NNHAL_MEMORY_BUCKETS 64u

struct nnhal_memories {
	struct nnhal_imports *imports;
	pthread_mutex_t lock; /* protects the members below; imports.lock is taken under it */
	struct nnhal_known_memory *buckets[NNHAL_MEMORY_BUCKETS];
	uint32_t count;
};

/** @imports outlives it. */
void nnhal_memories_init(struct nnhal_memories *memories, struct nnhal_imports *imports);
void nnhal_memories_fini(struct nnhal_memories *memories);
/**
 * Memory that @token means already and that cannot shrink: its identity without a system call.
 * *@contradiction: the token means another memory.
 */
bool nnhal_memories_known(struct nnhal_memories *memories, int64_t token,
			  const struct nnhal_memory *memory, struct nnhal_identity *id,
			  bool *contradiction);
/** nnhal_import_get(), remembered under @token; -1: not remembered. */
int nnhal_memories_get(struct nnhal_memories *memories, int64_t token,
		       const struct nnhal_memory *memory, const struct nnhal_identity *id,
		       bool write, struct nnhal_import **import);
void nnhal_memories_forget(struct nnhal_memories *memories, int64_t token);

#endif
