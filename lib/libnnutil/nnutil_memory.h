/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: its pages, and what another process or thread can change at any time. */
#ifndef NNUTIL_MEMORY_H
#define NNUTIL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Read @x, a scalar in shared memory, exactly once: what is checked is what is used. The compiler
 * may read a plain variable a second time.
 */
#define NNUTIL_READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

/**
 * The seals of a memfd in tmpfs; -1: @fd is none. One of hugetlbfs is none either: there may be no
 * page when it is touched. Hostile descriptors: what is sealed against shrinking can be mapped.
 */
int nnutil_memfd_seals(int fd);
/**
 * Make the pages at @from, which is the start of one, at once: to fault them in one by one, as they
 * are written, takes longer than writing. false: they come when they are written.
 */
bool nnutil_make_pages(void *from, size_t size);
/** Whether @fd is a dma-buf, whose size is fixed. */
bool nnutil_is_dmabuf(int fd);

#endif
