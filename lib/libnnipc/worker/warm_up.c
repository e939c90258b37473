// SPDX-License-Identifier: Apache-2.0
/*
 * What libc and the vendor library open at their first use. The system call filter ends a process
 * that opens a file, so a use that may come later comes here first.
 */
#include "worker/nnipc_worker.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define BLOCKS 64u
#define BLOCK_SIZE 65536u
/* heaps of malloc for each processor; malloc's own number */
#define ARENAS_PER_CPU 8
#define SORTED 1024u

/*
 * A thread's heap that shrinks makes malloc read /proc/sys/vm/overcommit_memory, once in a process.
 * The main thread has no such heap.
 */
static void *shrink_heap(void *unused)
{
	void *volatile blocks[BLOCKS];

	for (uint32_t i = 0; i < BLOCKS; i++)
		blocks[i] = malloc(BLOCK_SIZE);
	for (uint32_t i = BLOCKS; i-- > 0;)
		free(blocks[i]);
	return unused;
}

/* With a limit of its own, malloc does not count processors when the ninth thread comes. */
static void limit_arenas(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	mallopt(M_ARENA_MAX, ARENAS_PER_CPU * (int)(processors > 0 ? processors : 1));
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The first larger one asks how much memory the machine has. */
static void sort(void)
{
	int numbers[SORTED];

	for (uint32_t i = 0; i < SORTED; i++)
		numbers[i] = (int)(i * 7919u % SORTED);
	qsort(numbers, SORTED, sizeof(numbers[0]), by_number);
}

void nnipc_warm_up(struct nnhal_device *dev)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	pthread_t thread;
	char byte;

	tzset();
	sysconf(_SC_NPROCESSORS_CONF);
	limit_arenas();
	sort();
	sysconf(_SC_PHYS_PAGES);
	if (getrandom(&byte, 1, 0) < 0)
		return;
	if (!pthread_create(&thread, NULL, shrink_heap, NULL))
		pthread_join(thread, NULL);
	dev->ops->get_status(dev);
	if (NNIPC_HAS(nnhal_device_ops, dev->ops, get_info))
		dev->ops->get_info(dev, &info);
}
