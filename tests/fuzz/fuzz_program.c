// SPDX-License-Identifier: Apache-2.0
/*
 * Programs from a hostile client: what verifies is run by the firmware's core with arguments that
 * fit exactly, so that the sanitizer sees every byte too far.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "fuzz_target.h"
#include "nnfw_core.h"
#include "nnprog_verify.h"
#include "program_random.h"
#include "program_seeds.h"

/**
 * Limits: bytes of an argument, arguments, progress reports. A longer job is aborted.
 */
#define MAX_ARG 65536u
#define MAX_ARGS 64u
#define MAX_TICKS 20000u
/** The loop limit: many loops do not end. */
#define LOOP_NS 200000u

/* Results so far. */
static struct {
	uint64_t inputs, verified;
	uint64_t statuses[NNACCEL_STATUS_FIRMWARE_COUNT]; /* of runs */
} counts;

static struct nnfw *fw;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static uint64_t last_seqno, ticks;
static uint32_t last_status;

/* Addresses are pointers. A job may only reach the memory that give() made for it. */
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
	static const struct nnfw_platform platform = {
		.dma_map = map,
		.dma_unmap = unmap,
		.clock_ns = clock_ns,
		.complete = complete,
		.progress = progress,
	};
	const struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
					    .arena_limit = 16 << 20,
					    .program_quota = 16 << 20 };

	if (nnfw_create(&platform, &config, &fw) || nnfw_context_open(fw, 0) ||
	    nnfw_queue_create(fw, 0, 0, 0))
		abort();
}

static void stop(void)
{
	nnfw_destroy(fw);
	fw = NULL;
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
		p[i] = (uint8_t)fuzz_random(seed);
	/* most integers that operations read are small counts and axes */
	if (dtype == NNPROG_INT32 && fuzz_random(seed) % 4)
		for (uint64_t i = 0; i + 4 <= len; i += 4) {
			int32_t n = (int32_t)(fuzz_random(seed) % 8) - 2;

			memcpy(p + i, &n, sizeof(n));
		}
}

/** Make an argument for a tensor, with random extents for unknown ones. False: it is too large. */
static bool make_arg(const struct nnprog_tensor *t, struct nnaccel_arg *arg, uint64_t *seed)
{
	struct nnprog_shape shape = { .rank = t->rank };
	bool input = t->kind == NNPROG_INPUT;
	uint64_t size;

	memcpy(shape.dims, t->dims, sizeof(shape.dims));
	memset(arg, 0, sizeof(*arg));
	if (input && fuzz_random(seed) % 16 == 0) {
		arg->flags = NNACCEL_ARG_OMITTED;
		return true;
	}
	if (!nnprog_shape_complete(&shape)) {
		if (shape.rank == NNPROG_RANK_UNKNOWN) {
			shape.rank = 1 + fuzz_random(seed) % 4;
			for (uint32_t i = 0; i < shape.rank; i++)
				shape.dims[i] = NNPROG_DIM_UNKNOWN;
		}
		for (uint32_t i = 0; i < shape.rank; i++)
			if (shape.dims[i] == NNPROG_DIM_UNKNOWN)
				shape.dims[i] = 1 + fuzz_random(seed) % 6;
		if (input) {
			arg->rank = shape.rank;
			memcpy(arg->dims, shape.dims, shape.rank * sizeof(shape.dims[0]));
		}
	}
	if (nnprog_shape_bytes(&shape, t->dtype, &size) || size > MAX_ARG)
		return false;
	if (!input && !t->size)
		size = fuzz_random(seed) % 4 ? 4096 : size;
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
		counts.statuses[last_status]++;
		pthread_mutex_unlock(&lock);
		/* a program that verifies here verifies in the firmware */
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

		/* mutations do not find checksums */
		h->crc32 = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (uint8_t *)bytes + sizeof(*h),
					     size - sizeof(*h));
		seed ^= (uint64_t)h->crc32 << 7;
	}
	counts.inputs++;
	if (!nnprog_verify(bytes, size, &prog, &err)) {
		counts.verified++;
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

/* ---- for the driver ---- */

/** Change a word or a byte, mostly of structures, rarely of constants. */
static void mutate_once(uint8_t *data, size_t size, uint64_t *random)
{
	static const uint32_t values[] = { 0,	       1,	2,	    3,		4,
					   5,	       7,	8,	    16,		64,
					   255,	       256,	0x7fffffff, 0x80000000, 0xfffffffe,
					   0xffffffff, 0x10000, 0x3f800000, 0x7f800000 };
	const struct nnprog_header *h = (const void *)data;
	const struct nnprog_section *s = &h->sections[fuzz_random(random) % NNPROG_SECTION_COUNT];
	size_t from = s->offset, len = (size_t)s->count * s->stride, at;
	uint32_t word;

	/* the table of sections may be mutated, too */
	if (fuzz_random(random) % 16 == 0 || from >= size || !len || len > size - from)
		from = 0, len = size;
	at = from + fuzz_random(random) % len;
	if (size - (at & ~(size_t)3) < 4)
		return;
	memcpy(&word, data + (at & ~(size_t)3), 4);
	switch (fuzz_random(random) % 6) {
	case 0:
		data[at] ^= (uint8_t)(1u << fuzz_random(random) % 8);
		return;
	case 1:
		data[at] = (uint8_t)fuzz_random(random);
		return;
	case 2:
		word = values[fuzz_random(random) % (sizeof(values) / sizeof(values[0]))];
		break;
	case 3:
		word += fuzz_random(random) % 9 - 4;
		break;
	case 4:
		word = fuzz_random(random) % 16;
		break;
	default:
		memcpy(&word, data + (fuzz_random(random) % (size / 4)) * 4, 4);
		break;
	}
	memcpy(data + (at & ~(size_t)3), &word, 4);
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	for (uint32_t i = 1 + fuzz_random(random) % 3; i--;)
		mutate_once(data, size, random);
	return size;
}

static bool seeds_accepted(size_t count)
{
	return counts.verified == count;
}

static bool reached(uint64_t rounds)
{
	return counts.verified >= rounds / 50 && counts.verified <= rounds / 10 * 9 &&
	       counts.statuses[NNACCEL_STATUS_OK];
}

static int build_random(uint64_t rounds, uint64_t random)
{
	uint64_t built = 0;

	for (uint64_t n = 0; n < rounds; n++) {
		size_t size = 0;
		void *bytes = n % 3 ? program_random(&random, &size)
				    : program_random_control(&random, &size);

		if (!bytes)
			continue;
		built++;
		LLVMFuzzerTestOneInput(bytes, size);
		free(bytes);
	}
	if (counts.verified != built)
		return fprintf(stderr, "fuzz_program: a program of the builder does not verify\n"),
		       1;
	if (rounds >= 1000 && (built < rounds / 50 || !counts.statuses[NNACCEL_STATUS_OK] ||
			       !counts.statuses[NNACCEL_STATUS_LOOP_TIMEOUT]))
		return fprintf(stderr, "fuzz_program: too few programs could be built\n"), 1;
	return 0;
}

static void report(void)
{
	printf("%llu inputs, %llu verified; runs by status:", (unsigned long long)counts.inputs,
	       (unsigned long long)counts.verified);
	for (uint32_t i = 0; i < NNACCEL_STATUS_FIRMWARE_COUNT; i++)
		printf(" %llu", (unsigned long long)counts.statuses[i]);
	printf("\n");
}

const struct fuzz_target fuzz_target = {
	.suffix = ".nnprog",
	.seeds = program_seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
	.build = build_random,
	.stop = stop,
};
