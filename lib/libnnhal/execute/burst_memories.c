// SPDX-License-Identifier: Apache-2.0
/*
 * The memories of a burst, by the client's number. Work that is not repeated for a known memory is
 * fstat() and the import. A file that can shrink gets its fstat() in each execution nevertheless:
 * memory of the device and sealed memfds are faster.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "execute/nnhal_execute.h"

#define MAX_KNOWN 4096u /* beyond, memory is imported for one execution only */

/* The memory of a number, until the client releases it. */
struct nnhal_known_memory {
	struct nnhal_known_memory *next;
	int64_t token;
	uint64_t offset, size;
	struct nnhal_identity id;
	bool fixed;
	struct nnhal_import *imports[2]; /* for reading, for writing; NULL: none yet */
};

static struct nnhal_known_memory **find_known(struct nnhal_memories *ms, int64_t token)
{
	struct nnhal_known_memory **pos = &ms->buckets[(uint64_t)token % NNHAL_MEMORY_BUCKETS];

	while (*pos && (*pos)->token != token)
		pos = &(*pos)->next;
	return pos;
}

static void known_free(struct nnhal_imports *imports, struct nnhal_known_memory *k)
{
	for (int i = 0; i < 2; i++)
		if (k->imports[i])
			nnhal_import_drop(imports, k->imports[i]);
	free(k);
}

bool nnhal_memories_known(struct nnhal_memories *ms, int64_t token,
			  const struct nnhal_memory *memory, struct nnhal_identity *id,
			  bool *contradiction)
{
	const struct nnhal_known_memory *k = NULL;
	bool known = false;

	*contradiction = false;
	if (token < 0)
		return false;
	pthread_mutex_lock(&ms->lock);
	k = *find_known(ms, token);
	if (k) {
		*contradiction = k->offset != memory->offset || k->size != memory->size;
		known = k->fixed && !*contradiction;
		*id = k->id;
	}
	pthread_mutex_unlock(&ms->lock);
	return known;
}

/* Under the lock: the entry of @token, new if needed; NULL: there is no room. */
static struct nnhal_known_memory *add_known(struct nnhal_memories *ms, int64_t token,
					    const struct nnhal_memory *memory,
					    const struct nnhal_identity *id)
{
	struct nnhal_known_memory **pos = find_known(ms, token), *k = *pos;

	if (k || ms->count >= MAX_KNOWN)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	*k = (struct nnhal_known_memory){
		.token = token,
		.offset = memory->offset,
		.size = memory->size,
		.id = *id,
		.fixed = nnhal_memory_fixed(memory),
	};
	*pos = k;
	ms->count++;
	return k;
}

int nnhal_memories_get(struct nnhal_memories *ms, int64_t token, const struct nnhal_memory *memory,
		       const struct nnhal_identity *id, bool write, struct nnhal_import **import)
{
	struct nnhal_known_memory *k;
	int ret = 0;

	if (token < 0)
		return nnhal_import_get(ms->imports, memory, id, write, import);
	if (!(memory->prot & PROT_READ))
		return -EACCES;
	pthread_mutex_lock(&ms->lock);
	k = add_known(ms, token, memory, id);
	if (k && k->imports[write]) {
		*import = nnhal_import_ref(ms->imports, k->imports[write]);
	} else {
		ret = nnhal_import_get(ms->imports, memory, id, write, import);
		if (!ret && k)
			k->imports[write] = nnhal_import_ref(ms->imports, *import);
	}
	pthread_mutex_unlock(&ms->lock);
	return ret;
}

void nnhal_memories_fini(struct nnhal_memories *ms)
{
	struct nnhal_known_memory *k;

	for (uint32_t i = 0; i < NNHAL_MEMORY_BUCKETS; i++)
		while ((k = ms->buckets[i])) {
			ms->buckets[i] = k->next;
			known_free(ms->imports, k);
		}
	pthread_mutex_destroy(&ms->lock);
}

void nnhal_memories_init(struct nnhal_memories *ms, struct nnhal_imports *imports)
{
	*ms = (struct nnhal_memories){ .imports = imports };
	pthread_mutex_init(&ms->lock, NULL);
}

void nnhal_memories_forget(struct nnhal_memories *ms, int64_t token)
{
	struct nnhal_known_memory **pos, *k;

	pthread_mutex_lock(&ms->lock);
	pos = find_known(ms, token);
	k = *pos;
	if (k) {
		*pos = k->next;
		ms->count--;
	}
	pthread_mutex_unlock(&ms->lock);
	if (k)
		known_free(ms->imports, k);
}
