// SPDX-License-Identifier: Apache-2.0
/* Callbacks that the vendor library owes, and the notifications of the host. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "messages/nnipc_messages.h"
#include "wire/nnipc_wire.h"

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

/* ---- notifications ---- */

static int control = -1; /* constant after nnipc_notifier_init() */
/* One message at a time on the control socket; the last lock that is taken. */
static pthread_mutex_t send_lock = PTHREAD_MUTEX_INITIALIZER;

void nnipc_notifier_init(int sock)
{
	control = sock;
}

void nnipc_notify(uint32_t method, uint64_t callback, struct nnipc_writer *out)
{
	const struct nnipc_header header = { .kind = NNIPC_ONEWAY,
					     .method = method,
					     .oid = callback };
	int ret;

	nnipc_fault_point("before-notify");
	pthread_mutex_lock(&send_lock);
	ret = nnipc_frame_send(control, &header, out);
	pthread_mutex_unlock(&send_lock);
	nnipc_writer_fini(out);
	/* -EPIPE: the worker is about to end, and the host waits for no message */
	if (ret && ret != -EPIPE)
		nnipc_worker_die("%s cannot be sent: %s", nnipc_method_name(method),
				 strerror(-ret));
	nnipc_fault_point("after-notify");
}
