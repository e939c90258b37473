/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A platform for the firmware's core in tests: addresses are pointers, each context can access the
 * ranges that it was given, completions are recorded, and hooks are called.
 */
#ifndef FAKE_PLATFORM_H
#define FAKE_PLATFORM_H

#include <pthread.h>
#include <stdatomic.h>

#include "nnfw_core.h"

#define FAKE_RANGES 32
#define FAKE_CONTEXTS 8
#define FAKE_QUEUES 32

struct fake_range {
	uint64_t addr, len;
	bool write;
};

struct fake {
	struct nnfw_platform platform;
	struct nnfw *fw;
	pthread_mutex_t lock;
	pthread_cond_t done;
	struct fake_range ranges[FAKE_CONTEXTS][FAKE_RANGES];
	uint32_t num_ranges[FAKE_CONTEXTS];

	/* by queue: completions in order; the last seqno that ended */
	struct nnaccel_completion *completions;
	size_t num_completions, max_completions;
	uint64_t seqno[FAKE_QUEUES];
	uint64_t disorder; /* completions out of the order of their queue */

	bool bounce; /* every map is a private copy */
	bool constant; /* nothing writes what the core may not write */
	uint64_t clock_step; /* ns that a look at the clock takes; 0: the real clock */
	_Atomic uint64_t clock;
	_Atomic int64_t maps; /* held now */
	_Atomic uint64_t maps_made;

	/* called without the lock; may be NULL */
	void (*on_map)(struct fake *fake, uint32_t context, uint64_t addr, uint64_t len,
		       bool write);
	void (*on_unmap)(struct fake *fake, uint32_t context, uint64_t addr, uint64_t len);
	void (*on_progress)(struct fake *fake, uint32_t queue, uint64_t progress, uint64_t seqno);
	void (*on_turn)(struct fake *fake, uint32_t queue, uint64_t seqno, bool on);
	/* the platform has no such function without it */
	void (*on_discard)(struct fake *fake, const struct nnfw_map *map, void *from, size_t size);
	void *hook;
};

/** @config may be NULL. Asserts. */
void fake_start(struct fake *fake, const struct nnfw_config *config);
/** Stops the core; asserts that no map is left and that queues kept their order. */
void fake_stop(struct fake *fake);

/** Let a context reach [p, p + len). */
void fake_allow(struct fake *fake, uint32_t context, const void *p, uint64_t len, bool write);

/** Wait until @queue has completed @seqno; the completion. */
struct nnaccel_completion fake_wait(struct fake *fake, uint32_t queue, uint64_t seqno);

#endif
