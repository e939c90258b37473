// SPDX-License-Identifier: Apache-2.0
/*
 * What happens around fork(). Before: whoever loads the firmware or notes a descriptor finishes,
 * which takes no longer than that. In the child: the descriptors are closed, threads are forgotten,
 * and all objects are inherited ones.
 */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/process.h"

atomic_uint nnhal_process = 1;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Descriptors of objects of this process: one bit each. */
static struct {
	pthread_mutex_t lock; /* taken last, and before fork() */
	uint64_t *bits;
	size_t words;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- descriptors and mappings ---- */

/* Under the lock. */
static bool room_for(size_t word)
{
	size_t words = kept.words ? kept.words : 4;
	uint64_t *bits;

	while (words <= word)
		words *= 2;
	if (words == kept.words)
		return true;
	bits = realloc(kept.bits, words * sizeof(*bits));
	if (!bits)
		return false;
	memset(bits + kept.words, 0, (words - kept.words) * sizeof(*bits));
	kept.bits = bits;
	kept.words = words;
	return true;
}

int nnhal_fd_keep(int fd)
{
	if (fd < 0)
		return fd;
	pthread_mutex_lock(&kept.lock);
	/* without memory a child has it until it ends: no reason to fail here */
	if (room_for((size_t)fd / 64))
		kept.bits[fd / 64] |= UINT64_C(1) << fd % 64;
	pthread_mutex_unlock(&kept.lock);
	return fd;
}

void nnhal_fd_close(int fd)
{
	if (fd < 0)
		return;
	pthread_mutex_lock(&kept.lock);
	if ((size_t)fd / 64 < kept.words)
		kept.bits[fd / 64] &= ~(UINT64_C(1) << fd % 64);
	/*
	 * under the lock: a number that is free may be somebody else's at once, and a child would
	 * close his
	 */
	close(fd);
	pthread_mutex_unlock(&kept.lock);
}

static void close_kept(void)
{
	for (size_t word = 0; word < kept.words; word++) {
		while (kept.bits[word]) {
			close((int)(word * 64) + __builtin_ctzll(kept.bits[word]));
			kept.bits[word] &= kept.bits[word] - 1;
		}
	}
}

void nnhal_map_keep(void *map, size_t size)
{
	/* if it cannot be, a child has it until it ends */
	if (madvise(map, size, MADV_DONTFORK))
		return;
}

/* ---- fork ---- */

static void before(void)
{
	nnhal_plugin_hold();
	pthread_mutex_lock(&kept.lock);
}

static void after_in_parent(void)
{
	pthread_mutex_unlock(&kept.lock);
	nnhal_plugin_release(false);
}

static void after_in_child(void)
{
	atomic_fetch_add_explicit(&nnhal_process, 1, memory_order_relaxed);
	close_kept();
	pthread_mutex_unlock(&kept.lock);
	nnhal_threads_forked();
	nnhal_calibration_forked();
	nnhal_plugin_release(true);
}

static void watch(void)
{
	pthread_atfork(before, after_in_parent, after_in_child);
}

void nnhal_process_watch(void)
{
	pthread_once(&once, watch);
}
