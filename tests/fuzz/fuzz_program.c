// SPDX-License-Identifier: Apache-2.0
/*
 * Programs from a hostile client: what verifies is run by the firmware's core with arguments that
 * fit exactly, so that the sanitizer sees every byte too far. For libFuzzer and AFL:
 * LLVMFuzzerTestOneInput(); elsewhere fuzz_driver.c mutates the seeds itself.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "fuzz_program.h"
#include "nnfw_core.h"
#include "nnprog.h"

/**
 * Most bytes of an argument, most arguments, most looks at the progress: what takes longer is
 * aborted.
 */
#define MAX_ARG 65536u
#define MAX_ARGS 64u
#define MAX_TICKS 20000u
/** Many loops do not end. */
#define LOOP_NS 200000u

struct fuzz_counts fuzz_counts;

static struct nnfw *fw;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static uint64_t last_seqno, ticks;
static uint32_t last_status;

/* Addresses are pointers; only what this run gave away is reached. */
static struct {
	uint8_t *ptr;
	uint64_t len;
} given[MAX_ARGS + 2];
static uint32_t num_given;

static int map(void *priv, uint32_t context, uint64_t addr, uint64_t len, bool write,
	       struct nnfw_map *m, uint64_t *fault)
{
	(void)priv;
	(void)context;
	for (uint32_t i = 0; i < num_given; i++)
		if (addr >= (uintptr_t)given[i].ptr &&
		    addr - (uintptr_t)given[i].ptr <= given[i].len &&
		    len <= given[i].len - (addr - (uintptr_t)given[i].ptr)) {
			*m = (struct nnfw_map){ .ptr = (void *)(uintptr_t)addr,
						.addr = addr,
						.len = len,
						.write = write };
			return 0;
		}
	*fault = addr;
	return -14; /* -EFAULT */
}

static void unmap(void *priv, uint32_t context, struct nnfw_map *m, bool commit)
{
	(void)priv;
	(void)context;
	(void)m;
	(void)commit;
}

static uint64_t clock_ns(void *priv)
{
	struct timespec ts;

	(void)priv;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void complete(void *priv, const struct nnaccel_completion *c)
{
	(void)priv;
	pthread_mutex_lock(&lock);
	last_seqno = c->seqno;
	last_status = c->status;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
}

static void progress(void *priv, uint32_t queue, uint64_t count, uint64_t seqno)
{
	(void)priv;
	(void)count;
	if (++ticks > MAX_TICKS)
		nnfw_abort(fw, queue, seqno);
}

static void start(void)
{
	static const struct nnfw_platform platform = { NULL,	 map,	   unmap, clock_ns,
						       complete, progress, NULL };
	const struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
					    .arena_limit = 16 << 20,
					    .program_quota = 16 << 20 };

	if (nnfw_create(&platform, &config, &fw) || nnfw_context_open(fw, 0) ||
	    nnfw_queue_create(fw, 0, 0, 0))
		abort();
}

void fuzz_stop(void)
{
	nnfw_destroy(fw);
	fw = NULL;
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33);
}

/** Memory of exactly @len bytes that the job may reach. */
static uint8_t *give(uint64_t len)
{
	uint8_t *p = malloc(len ? len : 1);

	if (!p)
		abort();
	given[num_given].ptr = p;
	given[num_given++].len = len;
	return p;
}

static void fill(uint8_t *p, uint64_t len, uint32_t dtype, uint64_t *seed)
{
	for (uint64_t i = 0; i < len; i++)
		p[i] = (uint8_t)next_random(seed);
	/* most integers that operations read are small counts and axes */
	if (dtype == NNPROG_INT32 && next_random(seed) % 4)
		for (uint64_t i = 0; i + 4 <= len; i += 4) {
			int32_t n = (int32_t)(next_random(seed) % 8) - 2;

			memcpy(p + i, &n, sizeof(n));
		}
}

/** An argument for a tensor: dims that are unknown are chosen. False: too large to run. */
static bool make_arg(const struct nnprog_tensor *t, struct nnaccel_arg *arg, uint64_t *seed)
{
	struct nnprog_shape shape = { .rank = t->rank };
	bool input = t->kind == NNPROG_INPUT;
	uint64_t size;

	memcpy(shape.dims, t->dims, sizeof(shape.dims));
	memset(arg, 0, sizeof(*arg));
	if (input && next_random(seed) % 16 == 0) {
		arg->flags = NNACCEL_ARG_OMITTED;
		return true;
	}
	if (!nnprog_shape_complete(&shape)) {
		if (shape.rank == NNPROG_RANK_UNKNOWN) {
			shape.rank = 1 + next_random(seed) % 4;
			for (uint32_t i = 0; i < shape.rank; i++)
				shape.dims[i] = NNPROG_DIM_UNKNOWN;
		}
		for (uint32_t i = 0; i < shape.rank; i++)
			if (shape.dims[i] == NNPROG_DIM_UNKNOWN)
				shape.dims[i] = 1 + next_random(seed) % 6;
		if (input) {
			arg->rank = shape.rank;
			memcpy(arg->dims, shape.dims, shape.rank * sizeof(shape.dims[0]));
		}
	}
	if (nnprog_shape_bytes(&shape, t->dtype, &size) || size > MAX_ARG)
		return false;
	if (!input && !t->size)
		size = next_random(seed) % 4 ? 4096 : size;
	arg->size = size;
	arg->addr = (uintptr_t)give(size);
	if (input)
		fill(given[num_given - 1].ptr, size, t->dtype, seed);
	return true;
}

static void run(const struct nnprog *prog, void *bytes, size_t size, uint64_t *seed)
{
	static uint64_t seqno, generation;
	const struct nnprog_subgraph *sg = &prog->subgraphs[0];
	const struct nnprog_tensor *t = prog->tensors + sg->first_tensor;
	uint32_t count = sg->num_inputs + sg->num_outputs;
	struct nnaccel_arg args[MAX_ARGS];
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN, .num_args = count, .loop_ns = LOOP_NS };
	bool fits = count <= MAX_ARGS;

	num_given = 0;
	for (uint32_t i = 0; i < count && fits; i++)
		fits = make_arg(
			&t[prog->index[i < sg->num_inputs ? sg->inputs + i
							  : sg->outputs + i - sg->num_inputs]],
			&args[i], seed);
	if (fits) {
		job.result_size = (uint32_t)(sizeof(struct nnaccel_result) +
					     sg->num_outputs * sizeof(struct nnaccel_output_shape));
		job.result_addr = (uintptr_t)give(job.result_size);
		job.program_addr = (uintptr_t)bytes;
		job.program_size = size;
		job.program_generation = ++generation;
		given[num_given].ptr = bytes;
		given[num_given++].len = size;
		ticks = 0;
		job.seqno = ++seqno;
		if (nnfw_submit(fw, 0, &job, args))
			abort();
		pthread_mutex_lock(&lock);
		while (last_seqno != seqno)
			pthread_cond_wait(&done, &lock);
		fuzz_counts.statuses[last_status]++;
		pthread_mutex_unlock(&lock);
		/* what verified here verifies there */
		if (last_status == NNACCEL_STATUS_INTERNAL)
			abort();
		nnfw_program_unload(fw, 0, job.program_addr);
		num_given--;
	}
	for (uint32_t i = 0; i < num_given; i++)
		free(given[i].ptr);
	num_given = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nnprog_error err = { .text = "" };
	uint64_t seed = size * 2654435761u;
	struct nnprog prog;
	void *bytes = NULL;
	char *text;

	if (!fw)
		start();
	if (posix_memalign(&bytes, NNPROG_ALIGN, size ? size : 1))
		return 0;
	memcpy(bytes, data, size);
	if (size >= sizeof(struct nnprog_header)) {
		struct nnprog_header *h = bytes;

		/* nobody guesses a checksum */
		h->crc32 = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (uint8_t *)bytes + sizeof(*h),
					     size - sizeof(*h));
		seed ^= (uint64_t)h->crc32 << 7;
	}
	fuzz_counts.inputs++;
	if (!nnprog_verify(bytes, size, &prog, &err)) {
		fuzz_counts.verified++;
		if (!nnprog_dump(&prog, &text))
			free(text);
		for (int i = 0; i < 3; i++)
			run(&prog, bytes, size, &seed);
	} else if (!err.text[0] || (err.offset > size && size)) {
		abort(); /* refused without a reason, or for one outside of the program */
	}
	free(bytes);
	return 0;
}
