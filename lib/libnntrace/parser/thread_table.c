// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "nntp.h"

static size_t hash(int32_t id)
{
	return (size_t)((uint32_t)id * 2654435761u);
}

static int thread_table_rehash(struct threads *t)
{
	size_t want = t->num_buckets ? t->num_buckets * 2 : 256;
	struct thread **buckets = calloc(want, sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	for (size_t i = 0; i < t->num_buckets; i++) {
		struct thread *next;

		for (struct thread *e = t->buckets[i]; e; e = next) {
			size_t b = hash(e->tid) & (want - 1);

			next = e->next;
			e->next = buckets[b];
			buckets[b] = e;
		}
	}
	free(t->buckets);
	t->buckets = buckets;
	t->num_buckets = want;
	return 0;
}

struct thread *threads_get(struct threads *t, int32_t tid)
{
	struct thread *e = NULL;

	if (t->num_buckets)
		e = t->buckets[hash(tid) & (t->num_buckets - 1)];
	for (; e; e = e->next)
		if (e->tid == tid)
			return e;
	if (t->count == t->num_buckets && thread_table_rehash(t))
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->tid = tid;
	e->seen_tgid = -1;
	e->next = t->buckets[hash(tid) & (t->num_buckets - 1)];
	t->buckets[hash(tid) & (t->num_buckets - 1)] = e;
	t->count++;
	return e;
}

static size_t driver_place(const int32_t *places, size_t count, int32_t tgid)
{
	size_t at = hash(tgid) & (count - 1);

	while (places[at] != -1 && places[at] != tgid)
		at = (at + 1) & (count - 1);
	return at;
}

int threads_add_driver(struct threads *t, int32_t tgid)
{
	size_t want = t->num_driver_places ? t->num_driver_places * 2 : 16;
	int32_t *places;

	if (threads_is_driver(t, tgid))
		return 0;
	if (2 * t->num_drivers >= t->num_driver_places) {
		places = malloc(want * sizeof(*places));
		if (!places)
			return -ENOMEM;
		for (size_t i = 0; i < want; i++)
			places[i] = -1;
		for (size_t i = 0; i < t->num_driver_places; i++)
			if (t->drivers[i] != -1)
				places[driver_place(places, want, t->drivers[i])] = t->drivers[i];
		free(t->drivers);
		t->drivers = places;
		t->num_driver_places = want;
	}
	t->drivers[driver_place(t->drivers, t->num_driver_places, tgid)] = tgid;
	t->num_drivers++;
	return 0;
}

bool threads_is_driver(const struct threads *t, int32_t tgid)
{
	return t->num_driver_places && tgid != -1 &&
	       t->drivers[driver_place(t->drivers, t->num_driver_places, tgid)] == tgid;
}

void threads_forget_tgids(struct threads *t)
{
	for (size_t i = 0; i < t->num_buckets; i++)
		for (struct thread *e = t->buckets[i]; e; e = e->next)
			e->seen_tgid = -1;
}

void threads_free(struct threads *t)
{
	for (size_t i = 0; i < t->num_buckets; i++) {
		struct thread *next;

		for (struct thread *e = t->buckets[i]; e; e = next) {
			next = e->next;
			tracker_free(e->tracker);
			free(e);
		}
	}
	free(t->buckets);
	free(t->drivers);
	*t = (struct threads){ 0 };
}

int32_t thread_tgid(struct thread *thread, const struct line *line)
{
	int32_t tgid = line->tgid;

	if (tgid < 0)
		tgid = line_mark_pid(line->body);
	/* a bare end, in a trace without the column */
	if (tgid < 0 && line->tgid == TGID_NONE)
		tgid = thread->seen_tgid;
	if (tgid >= 0)
		thread->seen_tgid = tgid;
	return tgid;
}
