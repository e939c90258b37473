/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork(). A child has none of its parent's threads, and its locks are as they were at the fork. The
 * parent's jobs and memory on a device stay the parent's. So every object records the process that
 * made it; in another process its methods touch nothing of it, not even its lock
 * (Documentation/manners.rst). Each library has its own copy of this, with its own objects.
 */
#ifndef NNUTIL_PROCESS_H
#define NNUTIL_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Number of this process in a line of forks. It changes in a child before it has other threads. */
extern atomic_uint nnutil_process;
static inline unsigned int nnutil_process_number(void)
{
	return atomic_load_explicit(&nnutil_process, memory_order_relaxed);
}

/** An object that @process made belongs to the parent of this process, or to its parent. */
static inline bool nnutil_process_inherited(unsigned int process)
{
	return process != nnutil_process_number();
}

/** The fork handlers of a file. */
struct nnutil_fork_handler {
	void (*before)(void); /* in the forking thread, takes locks; NULL: nothing */
	void (*after)(bool child); /* in parent and child, releases them */
	struct nnutil_fork_handler *next;
	atomic_bool known;
};
/**
 * Notice forks from now on, and call @handler (static; NULL: none). To be called before the first
 * object or thread is made, and not under a lock that before() takes. Cheap when called again.
 */
void nnutil_process_watch(struct nnutil_fork_handler *handler);

/** Have a child close @fd, so that the parent can free what is behind it. Returns @fd. */
int nnutil_fd_keep(int fd);
/** Close a descriptor that is kept. Both ignore a negative @fd. */
void nnutil_fd_close(int fd);
/**
 * mmap() of memory that is kept from children: their mapping would keep file and memory alive.
 */
void *nnutil_map_kept(size_t size, int prot, int flags, int fd, off_t offset);

#endif
