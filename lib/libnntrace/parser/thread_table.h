/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a trace and what their processes are. */
#ifndef NNTP_THREAD_TABLE_H
#define NNTP_THREAD_TABLE_H

#include "track.h"

struct threads {
	struct thread **buckets; /* a power of two of them */
	size_t num_buckets, count;
	int32_t *drivers; /* ids of driver processes, a table of its own; -1: a free place */
	size_t num_driver_places, num_drivers;
};

/** NULL: no memory. Made when it is new. */
struct thread *threads_get(struct threads *t, int32_t tid);
/** 0 or -ENOMEM. */
int threads_add_driver(struct threads *t, int32_t tgid);
bool threads_is_driver(const struct threads *t, int32_t tgid);
/** Before the second reading. */
void threads_forget_tgids(struct threads *t);
void threads_free(struct threads *t);

/**
 * Which process a mark is of: the column, the mark's own number, or that of the thread's line
 * before. -1: unknown.
 */
int32_t thread_tgid(struct thread *thread, const struct line *line);

#endif
