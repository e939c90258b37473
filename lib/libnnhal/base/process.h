/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork(). A child has none of its parent's threads, and its locks are as they were at the fork. The
 * parent's jobs and memory on a device stay the parent's. So every object records the process that
 * made it; in another process its methods touch nothing of it, not even its lock
 * (Documentation/manners.rst). Private to libnnhal.
 */
#ifndef NNHAL_PROCESS_H
#define NNHAL_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/** Number of this process in a line of forks. It changes in a child before it has other threads. */
extern atomic_uint nnhal_process;
static inline unsigned int nnhal_process_number(void)
{
	return atomic_load_explicit(&nnhal_process, memory_order_relaxed);
}

/** An object that @process made belongs to the parent of this process, or to its parent. */
static inline bool nnhal_process_inherited(unsigned int process)
{
	return process != nnhal_process_number();
}

/** The fork handlers of a file. */
struct nnhal_fork_handler {
	void (*before)(void); /* in the forking thread, takes locks; NULL: nothing */
	void (*after)(bool child); /* in parent and child, releases them */
	struct nnhal_fork_handler *next;
	atomic_bool known;
};
/**
 * Notice forks from now on, and call @handler (static; NULL: none). To be called before the first
 * object or thread is made, and not under a lock that before() takes. Cheap when called again.
 */
void nnhal_process_watch(struct nnhal_fork_handler *handler);

/** Have a child close @fd, so that the parent can free what is behind it. Returns @fd. */
int nnhal_fd_keep(int fd);
/** Close a descriptor that is kept. Both ignore a negative @fd. */
void nnhal_fd_close(int fd);
/** Keep a whole mapping from children: theirs would keep file and memory alive. */
void nnhal_map_keep(void *map, size_t size);

#endif
