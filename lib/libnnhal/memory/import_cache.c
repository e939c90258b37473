// SPDX-License-Identifier: Apache-2.0
/*
 * Request memory made usable. A pool of a request is offered to the transport, which may reach it
 * in place; otherwise it is mapped here and staged.
 *
 * Imports are cached for a moment, keyed by the file behind the descriptor, so that a client that
 * passes the same memory again pays one fstat(). Idle imports are freed after a moment, and at once
 * if the client of a burst released the memory: an import keeps the memory alive, and on a card its
 * pages pinned. An import holds its file, so the inode number is not reused. Memory is mapped
 * writable for outputs only. The size of the file is checked each time, because access beyond the
 * end is SIGBUS; a client that shrinks the file during an execution harms only its own process.
 */
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/nnhal_memory.h"
#include "nnutil_process.h"
#include "base/nnhal_base.h"
#include "nnutil_clock.h"

#define MAX_IMPORTS 64u
#define MAX_IDLE_BYTES (32ull << 20)
#define MAX_IDLE_NS NNUTIL_NS_PER_S

int nnhal_memory_identify(const struct nnhal_memory *memory, struct nnhal_identity *id)
{
	struct stat st;
	uint64_t end;

	if (memory->size == 0 || memory->prot & ~(PROT_READ | PROT_WRITE) ||
	    __builtin_add_overflow(memory->offset, memory->size, &end) || end > INT64_MAX)
		return -EINVAL;
	if (fstat(memory->fd, &st))
		return -EBADF;
	if (st.st_size < 0 || end > (uint64_t)st.st_size)
		return -EINVAL;
	id->dev = st.st_dev;
	id->ino = st.st_ino;
	return 0;
}

bool nnhal_memory_fixed(const struct nnhal_memory *memory)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ };
	int seals = fcntl(memory->fd, F_GET_SEALS);

	if (seals >= 0)
		return seals & F_SEAL_SHRINK;
	if (ioctl(memory->fd, DMA_BUF_IOCTL_SYNC, &sync))
		return false;
	sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ;
	ioctl(memory->fd, DMA_BUF_IOCTL_SYNC, &sync);
	return true;
}

static void import_free(struct nnhal_imports *cache, struct nnhal_import *import)
{
	if (import->mem)
		cache->t->ops->mem_free(cache->t, import->mem);
	if (import->map)
		munmap(import->map, import->map_size);
	nnutil_fd_close(import->dmabuf);
	free(import);
}

/* The list functions are called under imports.lock. */
static void unlink_import(struct nnhal_imports *cache, struct nnhal_import *import)
{
	*(import->prev ? &import->prev->next : &cache->head) = import->next;
	*(import->next ? &import->next->prev : &cache->tail) = import->prev;
	import->prev = import->next = NULL;
	cache->count--;
}

static void link_first(struct nnhal_imports *cache, struct nnhal_import *import)
{
	import->prev = NULL;
	import->next = cache->head;
	*(cache->head ? &cache->head->prev : &cache->tail) = import;
	cache->head = import;
	cache->count++;
}

static struct nnhal_import *find_import(struct nnhal_imports *cache,
					const struct nnhal_memory *memory,
					const struct nnhal_identity *id, bool write)
{
	struct nnhal_import *i;

	for (i = cache->head; i; i = i->next)
		if (nnhal_identity_equal(&i->id, id) && i->offset == memory->offset &&
		    i->size == memory->size && i->write == write)
			return i;
	return NULL;
}

/* Under the lock: move an idle import from the cache to the chain @out (by next). */
static void import_cache_take(struct nnhal_imports *cache, struct nnhal_import *import,
			      struct nnhal_import **out)
{
	unlink_import(cache, import);
	cache->idle_bytes -= import->size;
	import->next = *out;
	*out = import;
}

/* Take idle imports beyond the bounds out of the cache; returns them chained by next. */
static struct nnhal_import *import_cache_trim(struct nnhal_imports *cache, uint32_t max_count,
					      uint64_t max_bytes)
{
	struct nnhal_import *i, *prev, *out = NULL;

	for (i = cache->tail; i && (cache->count > max_count || cache->idle_bytes > max_bytes);
	     i = prev) {
		prev = i->prev;
		if (!i->refs)
			import_cache_take(cache, i, &out);
	}
	return out;
}

static void free_chain(struct nnhal_imports *cache, struct nnhal_import *chain)
{
	struct nnhal_import *next;

	for (; chain; chain = next) {
		next = chain->next;
		import_free(cache, chain);
	}
}

static int import_create(struct nnhal_imports *cache, const struct nnhal_memory *memory,
			 const struct nnhal_identity *id, bool write, struct nnhal_import **out)
{
	struct nnhal_import *import = calloc(1, sizeof(*import));
	int ret;

	if (!import)
		return -ENOMEM;
	import->id = *id;
	import->offset = memory->offset;
	import->size = memory->size;
	import->write = write;
	import->dmabuf = -1;
	ret = cache->t->ops->mem_import(cache->t, memory, write, &import->mem);
	if (ret && ret != -EOPNOTSUPP) {
		free(import);
		return ret;
	}
	*out = import;
	return 0;
}

/* ---- freeing idle imports ---- */

/*
 * Under the lock: take out the imports that are due, chained by next. *@due_ns: when the next one
 * is due; 0: none is idle.
 */
static struct nnhal_import *take_due(struct nnhal_imports *cache, int64_t now_ns, int64_t *due_ns)
{
	struct nnhal_import *i, *prev, *out = NULL;

	*due_ns = 0;
	for (i = cache->tail; i; i = prev) {
		prev = i->prev;
		if (i->refs)
			continue;
		if (now_ns - i->idle_ns < MAX_IDLE_NS && !cache->closing) {
			if (!*due_ns || i->idle_ns + MAX_IDLE_NS < *due_ns)
				*due_ns = i->idle_ns + MAX_IDLE_NS;
			continue;
		}
		import_cache_take(cache, i, &out);
	}
	return out;
}

/* The task: runs until nothing is idle. */
static void import_cache_sweep(void *cookie)
{
	struct nnhal_imports *cache = cookie;
	struct nnhal_import *due;
	struct timespec until;
	int64_t due_ns;
	bool last;

	pthread_mutex_lock(&cache->lock);
	cache->sweep_runs = true;
	/* who closes the cache waits for a sweep that began before */
	last = cache->closing;
	for (;;) {
		due = take_due(cache, nnutil_monotonic_ns(), &due_ns);
		if (due) {
			pthread_mutex_unlock(&cache->lock);
			free_chain(cache, due);
			pthread_mutex_lock(&cache->lock);
		} else if (due_ns) {
			until = nnutil_timespec(due_ns);
			pthread_cond_timedwait(&cache->changed, &cache->lock, &until);
		} else {
			break;
		}
	}
	cache->sweeping = cache->sweep_runs = false;
	if (!last) {
		/* under the lock: the client has a reference until it has closed the cache */
		nnhal_ref_put(cache->owner);
		pthread_cond_broadcast(&cache->changed);
	}
	pthread_mutex_unlock(&cache->lock);
	if (last)
		nnhal_ref_put(cache->owner);
}

/*
 * Under the lock: have a task free what is idle. Without a thread all of it goes now: chained by
 * next.
 */
static struct nnhal_import *sweep_later(struct nnhal_imports *cache)
{
	struct nnhal_import *excess =
		import_cache_trim(cache, MAX_IMPORTS, cache->closing ? 0 : MAX_IDLE_BYTES);

	if (excess || cache->sweeping || !cache->idle_bytes)
		return excess;
	nnhal_ref_get(cache->owner);
	cache->sweeping = !nnhal_run_async(import_cache_sweep, cache);
	if (cache->sweeping)
		return NULL;
	nnhal_ref_put(cache->owner); /* never the last */
	return import_cache_trim(cache, 0, 0);
}

void nnhal_imports_init(struct nnhal_imports *cache, struct nnhal_transport *t,
			struct nnhal_ref *owner)
{
	pthread_condattr_t attr;

	*cache = (struct nnhal_imports){ .t = t, .owner = owner };
	pthread_mutex_init(&cache->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&cache->changed, &attr);
	pthread_condattr_destroy(&attr);
}

void nnhal_imports_close(struct nnhal_imports *cache)
{
	struct nnhal_import *idle;

	pthread_mutex_lock(&cache->lock);
	cache->closing = true;
	idle = import_cache_trim(cache, 0, 0);
	pthread_cond_broadcast(&cache->changed);
	/*
	 * So that the last reference is not the sweep's, and the device's threads do not outlive
	 * the client's destroy(): the process may be about to exit. A sweep without a thread is not
	 * waited for: threads may wait for jobs.
	 */
	while (cache->sweep_runs)
		pthread_cond_wait(&cache->changed, &cache->lock);
	pthread_mutex_unlock(&cache->lock);
	free_chain(cache, idle);
}

/* ---- use ---- */

int nnhal_import_get(struct nnhal_imports *cache, const struct nnhal_memory *memory,
		     const struct nnhal_identity *id, bool write, struct nnhal_import **out)
{
	struct nnhal_import *import;
	int ret = 0;

	*out = NULL;
	if (!(memory->prot & PROT_READ) || (write && !(memory->prot & PROT_WRITE)))
		return -EACCES;

	pthread_mutex_lock(&cache->lock);
	import = find_import(cache, memory, id, write);
	if (import) {
		unlink_import(cache, import);
		if (!import->refs)
			cache->idle_bytes -= import->size;
	} else {
		ret = import_create(cache, memory, id, write, &import);
	}
	if (!ret) {
		link_first(cache, import);
		import->refs++;
		import->dropped = false;
		*out = import;
	}
	pthread_mutex_unlock(&cache->lock);
	return ret;
}

struct nnhal_import *nnhal_import_ref(struct nnhal_imports *cache, struct nnhal_import *import)
{
	pthread_mutex_lock(&cache->lock);
	import->refs++;
	pthread_mutex_unlock(&cache->lock);
	return import;
}

static void import_cache_put(struct nnhal_imports *cache, struct nnhal_import *import, bool drop)
{
	struct nnhal_import *excess = NULL;

	pthread_mutex_lock(&cache->lock);
	import->dropped |= drop;
	if (--import->refs == 0 && import->dropped) {
		unlink_import(cache, import);
		excess = import;
	} else if (import->refs == 0) {
		cache->idle_bytes += import->size;
		import->idle_ns = nnutil_monotonic_ns();
		excess = sweep_later(cache);
	}
	pthread_mutex_unlock(&cache->lock);
	free_chain(cache, excess);
}

void nnhal_import_put(struct nnhal_imports *cache, struct nnhal_import *import)
{
	import_cache_put(cache, import, false);
}

void nnhal_import_drop(struct nnhal_imports *cache, struct nnhal_import *import)
{
	import_cache_put(cache, import, true);
}

static int map_for_cpu(struct nnhal_import *import, const struct nnhal_memory *memory)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), skip = import->offset & (page - 1);
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ };
	void *map;
	int fd = -1;

	map = nnutil_map_kept(import->size + skip, PROT_READ | (import->write ? PROT_WRITE : 0),
			      MAP_SHARED, memory->fd, (off_t)(import->offset - skip));
	if (map == MAP_FAILED)
		return -errno;
	if (!ioctl(memory->fd, DMA_BUF_IOCTL_SYNC, &sync)) {
		sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ;
		ioctl(memory->fd, DMA_BUF_IOCTL_SYNC, &sync);
		fd = nnutil_fd_keep(fcntl(memory->fd, F_DUPFD_CLOEXEC, 0));
		if (fd < 0) {
			munmap(map, import->size + skip);
			return -EMFILE;
		}
	}
	import->dmabuf = fd;
	import->map = map;
	import->map_size = import->size + skip;
	import->cpu = (uint8_t *)map + skip;
	return 0;
}

int nnhal_import_map(struct nnhal_imports *cache, struct nnhal_import *import,
		     const struct nnhal_memory *memory)
{
	int ret = 0;

	pthread_mutex_lock(&cache->lock);
	if (!import->map)
		ret = map_for_cpu(import, memory);
	pthread_mutex_unlock(&cache->lock);
	return ret;
}

static void cpu_access(struct nnhal_import *import, bool write, uint64_t edge)
{
	struct dma_buf_sync sync = {
		.flags = edge | DMA_BUF_SYNC_READ | (write ? DMA_BUF_SYNC_WRITE : 0),
	};

	if (import->dmabuf < 0)
		return;
	while (ioctl(import->dmabuf, DMA_BUF_IOCTL_SYNC, &sync) &&
	       (errno == EINTR || errno == EAGAIN))
		;
}

void nnhal_import_cpu_begin(struct nnhal_import *import, bool write)
{
	cpu_access(import, write, DMA_BUF_SYNC_START);
}

void nnhal_import_cpu_end(struct nnhal_import *import, bool write)
{
	cpu_access(import, write, DMA_BUF_SYNC_END);
}

void nnhal_imports_fini(struct nnhal_imports *cache)
{
	free_chain(cache, import_cache_trim(cache, 0, 0));
	pthread_cond_destroy(&cache->changed);
	pthread_mutex_destroy(&cache->lock);
}
