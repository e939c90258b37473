/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork(). A child has none of the threads that work for its parent, and locks as they were at that
 * moment; what the parent has on a device stays the parent's. So every object knows the process
 * that it was made in; in another one its methods touch nothing of it, no lock either
 * (Documentation/manners.rst). Private to libnnhal.
 */
#ifndef NNHAL_PROCESS_H
#define NNHAL_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * Number of this process, in a line of forks. It only changes in a child that has no second thread
 * yet.
 */
extern atomic_uint nnhal_process;
static inline unsigned int nnhal_process_number(void)
{
	return atomic_load_explicit(&nnhal_process, memory_order_relaxed);
}

/** Before the first object or thread is made: notice forks from now on. Cheap when called again. */
void nnhal_process_watch(void);

/**
 * Keep a descriptor: a child closes it, so that what the parent frees is freed. @fd (which may be
 * negative: nothing happens) is given back. nnhal_fd_close(): close one that is kept; nothing if it
 * is negative.
 */
int nnhal_fd_keep(int fd);
void nnhal_fd_close(int fd);
/** A whole mapping that children shall not have: it would keep file and memory alive. */
void nnhal_map_keep(void *map, size_t size);

/* For the handlers: calibration.c, threads.c, plugin.c. */
void nnhal_calibration_forked(void);
void nnhal_threads_forked(void);
void nnhal_plugin_hold(void);
void nnhal_plugin_release(bool child);

#endif
