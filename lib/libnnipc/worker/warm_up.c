// SPDX-License-Identifier: Apache-2.0
/*
 * What libc and the vendor library open at their first use. The system call filter ends a process
 * that opens a file, so a use that may come later comes here first.
 */
#include "worker/warm_up.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "worker/vendor_ops.h"

#define BLOCKS 64u
#define BLOCK_SIZE 65536u

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

void nnipc_warm_up(struct nnhal_device *dev)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	pthread_t thread;
	char byte;

	tzset();
	sysconf(_SC_NPROCESSORS_CONF);
	sysconf(_SC_NPROCESSORS_ONLN);
	sysconf(_SC_PHYS_PAGES);
	if (getrandom(&byte, 1, 0) < 0)
		return;
	if (!pthread_create(&thread, NULL, shrink_heap, NULL))
		pthread_join(thread, NULL);
	dev->ops->get_status(dev);
	if (NNIPC_HAS(nnhal_device_ops, dev->ops, get_info))
		dev->ops->get_info(dev, &info);
}
