// SPDX-License-Identifier: Apache-2.0
/*
 * What happens around fork(). Before: the handlers of other files take their locks, then the lock
 * of the kept descriptors is taken; all are held for a short time only. In the child: the kept
 * descriptors are closed, and all objects count as inherited.
 */
#include "nnutil_process.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

atomic_uint nnutil_process = 1;

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

int nnutil_fd_keep(int fd)
{
	if (fd < 0)
		return fd;
	pthread_mutex_lock(&kept.lock);
	/* out of memory: a child keeps it open until it ends, which is no reason to fail here */
	if (room_for((size_t)fd / 64))
		kept.bits[fd / 64] |= UINT64_C(1) << fd % 64;
	pthread_mutex_unlock(&kept.lock);
	return fd;
}

void nnutil_fd_close(int fd)
{
	if (fd < 0)
		return;
	pthread_mutex_lock(&kept.lock);
	if ((size_t)fd / 64 < kept.words)
		kept.bits[fd / 64] &= ~(UINT64_C(1) << fd % 64);
	/* under the lock: another thread may reuse the number at once, and a child would close it
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

void *nnutil_map_kept(size_t size, int prot, int flags, int fd, off_t offset)
{
	void *map;
	int error;

	/* no fork between the two calls */
	pthread_mutex_lock(&kept.lock);
	map = mmap(NULL, size, prot, flags, fd, offset);
	error = errno;
	/* on failure a child has the mapping until it ends */
	if (map != MAP_FAILED)
		(void)madvise(map, size, MADV_DONTFORK);
	pthread_mutex_unlock(&kept.lock);
	errno = error;
	return map;
}

/* ---- fork ---- */

/* A list that only grows. */
static _Atomic(struct nnutil_fork_handler *) handlers;
/* The list as process_before() saw it; under kept.lock, which process_before() holds until after().
 */
static struct nnutil_fork_handler *forking;

static void process_before(void)
{
	struct nnutil_fork_handler *first = atomic_load(&handlers);

	for (struct nnutil_fork_handler *h = first; h; h = h->next)
		if (h->before)
			h->before();
	pthread_mutex_lock(&kept.lock);
	forking = first;
}

static void after(bool child)
{
	/* in the child also those that came since: their locks may have been taken */
	struct nnutil_fork_handler *first = child ? atomic_load(&handlers) : forking;

	pthread_mutex_unlock(&kept.lock);
	for (struct nnutil_fork_handler *h = first; h; h = h->next)
		h->after(child);
}

static void after_in_parent(void)
{
	after(false);
}

static void after_in_child(void)
{
	atomic_fetch_add_explicit(&nnutil_process, 1, memory_order_relaxed);
	close_kept();
	after(true);
}

static void process_watch(void)
{
	pthread_atfork(process_before, after_in_parent, after_in_child);
}

void nnutil_process_watch(struct nnutil_fork_handler *handler)
{
	pthread_once(&once, process_watch);
	if (!handler || atomic_exchange(&handler->known, true))
		return;
	handler->next = atomic_load(&handlers);
	while (!atomic_compare_exchange_weak(&handlers, &handler->next, handler))
		;
}
