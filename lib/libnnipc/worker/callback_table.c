// SPDX-License-Identifier: Apache-2.0
/* Callbacks that the vendor library owes. */
#include "worker/nnipc_worker.h"

#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 1024u

struct callback {
	uintptr_t number;
	uint64_t callback; /* the host's number */
	struct callback *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under lock. */
static struct callback *buckets[BUCKETS];
static uintptr_t last_number;
static uint32_t num_callbacks;

void *nnipc_callback_expect(uint64_t callback)
{
	struct callback *entry = malloc(sizeof(*entry));
	uintptr_t number = 0;

	if (!entry)
		return NULL;
	pthread_mutex_lock(&lock);
	if (num_callbacks < NNIPC_MAX_CALLBACKS) {
		number = ++last_number;
		num_callbacks++;
		*entry = (struct callback){ .number = number,
					    .callback = callback,
					    .next = buckets[number % BUCKETS] };
		buckets[number % BUCKETS] = entry;
	}
	pthread_mutex_unlock(&lock);
	if (!number)
		free(entry);
	/* a number that the library gives back, never a place */
	return (void *)number; /* NOLINT(performance-no-int-to-ptr) */
}

uint64_t nnipc_callback_take(void *cookie)
{
	uintptr_t number = (uintptr_t)cookie;
	struct callback **pos, *entry;
	uint64_t callback = 0;

	pthread_mutex_lock(&lock);
	for (pos = &buckets[number % BUCKETS]; (entry = *pos); pos = &entry->next)
		if (entry->number == number)
			break;
	if (entry) {
		*pos = entry->next;
		num_callbacks--;
		callback = entry->callback;
	}
	pthread_mutex_unlock(&lock);
	free(entry);
	return callback;
}

bool nnipc_callbacks_wait(void)
{
	bool wait;

	pthread_mutex_lock(&lock);
	wait = num_callbacks;
	pthread_mutex_unlock(&lock);
	return wait;
}
