/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a trace and their processes. */
#ifndef NNTP_THREAD_TABLE_H
#define NNTP_THREAD_TABLE_H

#include "track.h"

struct threads {
	struct thread **buckets; /* a power of two of them */
	size_t num_buckets, count;
	int32_t *drivers; /* ids of driver processes, a hash table; -1: free */
	size_t num_driver_places, num_drivers;
};

/** The thread @tid, created at its first use. NULL: no memory. */
struct thread *threads_get(struct threads *t, int32_t tid);
/** 0 or -ENOMEM. */
int threads_add_driver(struct threads *t, int32_t tgid);
bool threads_is_driver(const struct threads *t, int32_t tgid);
/** Call before the second reading of the trace. */
void threads_forget_tgids(struct threads *t);
void threads_free(struct threads *t);

/**
 * The process of a mark: from the TGID column, from the mark, or from the last line of the thread.
 * -1: unknown.
 */
int32_t thread_tgid(struct thread *thread, const struct line *line);

#endif
