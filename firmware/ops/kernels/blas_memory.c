// SPDX-License-Identifier: Apache-2.0
/*
 * What is in blas.o in the place of OpenBLAS's own memory.c. That of the serial library hands one
 * buffer to two threads that ask at once, keeps its lists behind a spin lock that a fork() can
 * leave locked, and knows no failure. Here each thread has a buffer of its own, which goes with it.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#include "blas_memory.h"

/*
 * BUFFER_SIZE of x86_64 and arm64: what the library cuts its blocks to. Only what products touch
 * becomes memory.
 */
#define BUFFER_SIZE ((size_t)32 << 22)
/* A library with larger blocks shall fault instead of writing elsewhere. */
#define GUARD_SIZE ((size_t)1 << 20)

struct buffer {
	void *memory;
	int used;
};

void *blas_memory_alloc(int position);
void blas_memory_free(void *memory);
void gotoblas_dynamic_init(void);

/* The table of the processor's kernels, which gotoblas_dynamic_init() chooses. */
void *gotoblas;

static _Thread_local struct buffer buffer;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit;
static int no_key;

static void unmap(void *memory)
{
	munmap(memory, BUFFER_SIZE + GUARD_SIZE);
}

static void init(void)
{
	no_key = pthread_key_create(&at_exit, unmap);
	gotoblas_dynamic_init();
}

/* Before products on this thread. 0 or -ENOMEM. */
int nnfw_blas_enter(void)
{
	void *memory;

	pthread_once(&once, init);
	if (buffer.memory)
		return 0;
	if (no_key)
		return -ENOMEM;
	memory = mmap(NULL, BUFFER_SIZE + GUARD_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	if (mprotect((char *)memory + BUFFER_SIZE, GUARD_SIZE, PROT_NONE) ||
	    pthread_setspecific(at_exit, memory)) {
		unmap(memory);
		return -ENOMEM;
	}
	buffer.memory = memory;
	return 0;
}

void *blas_memory_alloc(int position)
{
	(void)position;
	/* one product at a time on a thread, and none without nnfw_blas_enter() */
	if (!buffer.memory || buffer.used)
		__builtin_trap();
	buffer.used = 1;
	return buffer.memory;
}

void blas_memory_free(void *memory)
{
	(void)memory;
	buffer.used = 0;
}
