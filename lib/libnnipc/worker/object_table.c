// SPDX-License-Identifier: Apache-2.0
/* What servants share: the objects that the host knows by number, and the end of arguments. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "nnutil_thread_pool.h"

#define BUCKETS 4096u
#define DESTROYERS 16u
#define IDLE_SECONDS 5

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t destroyed = PTHREAD_COND_INITIALIZER;
/* Under lock; so are the references of objects. */
static struct nnipc_object *buckets[BUCKETS];
static uint64_t last_oid;
/* those in the table, and those that have left it and are not destroyed yet */
static uint32_t num_objects, num_leaving;

static NNUTIL_POOL(destroyers, DESTROYERS, IDLE_SECONDS);

uint64_t nnipc_object_add(enum nnipc_object_kind kind, void *object,
			  void (*object_table_destroy)(void *object))
{
	struct nnipc_object *entry = malloc(sizeof(*entry));
	uint64_t oid = 0;

	if (!entry)
		return 0;
	*entry = (struct nnipc_object){
		.object = object, .kind = kind, .refs = 1, .destroy = object_table_destroy
	};
	pthread_mutex_lock(&lock);
	if (num_objects + num_leaving < NNIPC_MAX_OBJECTS) {
		num_objects++;
		oid = entry->oid = ++last_oid;
		entry->next = buckets[oid % BUCKETS];
		buckets[oid % BUCKETS] = entry;
	}
	pthread_mutex_unlock(&lock);
	if (!oid)
		free(entry);
	return oid;
}

/* Under lock. */
static struct nnipc_object **object_table_find(uint64_t oid)
{
	struct nnipc_object **pos = &buckets[oid % BUCKETS];

	while (*pos && (*pos)->oid != oid)
		pos = &(*pos)->next;
	return pos;
}

struct nnipc_object *nnipc_object_get(enum nnipc_object_kind kind, uint64_t oid)
{
	struct nnipc_object *entry;

	pthread_mutex_lock(&lock);
	entry = *object_table_find(oid);
	if (entry && entry->kind == kind)
		entry->refs++;
	else
		entry = NULL;
	pthread_mutex_unlock(&lock);
	return entry;
}

static void object_table_destroy(void *cookie)
{
	struct nnipc_object *entry = cookie;

	entry->destroy(entry->object);
	free(entry);
	pthread_mutex_lock(&lock);
	num_leaving--;
	pthread_cond_broadcast(&destroyed);
	pthread_mutex_unlock(&lock);
}

/* Under lock: true if the reference was the last one. */
static int object_table_drop(struct nnipc_object *entry)
{
	if (--entry->refs)
		return 0;
	num_leaving++;
	return 1;
}

void nnipc_object_put(struct nnipc_object *object)
{
	int last;

	pthread_mutex_lock(&lock);
	last = object_table_drop(object);
	pthread_mutex_unlock(&lock);
	/* without a thread for it, this one blocks: the host waits longer, and nothing is lost */
	if (last && nnutil_pool_run(&destroyers, object_table_destroy, object))
		object_table_destroy(object);
}

/* Takes any object, or the one at @pos, out of the table; its reference is the caller's. */
static struct nnipc_object *unlink_at(struct nnipc_object **pos)
{
	struct nnipc_object *entry = *pos;

	if (entry) {
		*pos = entry->next;
		num_objects--;
	}
	return entry;
}

int nnipc_object_release(uint64_t oid)
{
	struct nnipc_object *entry;

	pthread_mutex_lock(&lock);
	entry = unlink_at(object_table_find(oid));
	pthread_mutex_unlock(&lock);
	if (!entry)
		return -ESTALE;
	nnipc_object_put(entry);
	return 0;
}

void nnipc_objects_clear(void)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < BUCKETS; i++) {
		while (buckets[i]) {
			struct nnipc_object *entry = unlink_at(&buckets[i]);

			if (!object_table_drop(entry))
				continue;
			pthread_mutex_unlock(&lock);
			object_table_destroy(entry);
			pthread_mutex_lock(&lock);
		}
	}
	while (num_leaving)
		pthread_cond_wait(&destroyed, &lock);
	pthread_mutex_unlock(&lock);
}

int nnipc_arguments_end(const struct nnipc_reader *in, enum nnhal_status *status)
{
	int ret = nnipc_reader_end(in);

	*status = ret == -ENOMEM ? NNHAL_RESOURCE_EXHAUSTED_TRANSIENT : NNHAL_NONE;
	return ret == -ENOMEM ? 0 : ret;
}
