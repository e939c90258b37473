// SPDX-License-Identifier: Apache-2.0
/*
 * The cost of an iteration of WHILE on the device: condition and body have one operation each on
 * [1], so that the loop dominates. Prints ns per iteration. Argument: iterations (default 1000000).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nnfw_core.h"
#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static struct nnaccel_completion completion;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bench_control: %s\n", what);
	exit(1);
}

/* Addresses are pointers. */
static int map(void *priv, uint32_t context, uint64_t addr, uint64_t len, bool write,
	       struct nnfw_map *m, uint64_t *fault)
{
	(void)priv;
	(void)context;
	(void)fault;
	*m = (struct nnfw_map){
		.ptr = (void *)(uintptr_t)addr, .addr = addr, .len = len, .write = write
	};
	return 0;
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
	struct timespec t;

	(void)priv;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void complete(void *priv, const struct nnaccel_completion *c)
{
	(void)priv;
	pthread_mutex_lock(&lock);
	completion = *c;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
}

static uint32_t vector(struct nnprog_builder *b, uint32_t dtype, uint32_t kind, int32_t value)
{
	struct nnprog_operand op = { .dtype = dtype, .shape = { .rank = 1, .dims = { 1 } } };
	int n = nnprog_builder_tensor(b, &op, kind, kind == NNPROG_CONST ? &value : NULL,
				      kind == NNPROG_CONST ? sizeof(value) : 0);

	if (n < 0)
		die("tensor");
	return (uint32_t)n;
}

static void operation(struct nnprog_builder *b, uint32_t opcode, const void *attrs, size_t size,
		      uint32_t x, uint32_t y, uint32_t num_in, uint32_t out)
{
	struct nnprog_error err = { .text = "" };

	if (nnprog_builder_operation(b, opcode, attrs, size, (uint32_t[]){ x, y }, num_in, &out, 1,
				     NULL, &err))
		die(err.text);
}

/* k: while k != 0: k = k - 1 */
static void *loop_program(size_t *size)
{
	const struct nnprog_attr_while loop = { 1, 2 };
	const struct nnprog_attr_convert cast = { .kind = NNPROG_CONVERT_CAST };
	const struct nnprog_attr_binary add = { .kind = NNPROG_BINARY_ADD };
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_error err = { .text = "" };
	void *bytes = NULL;

	for (uint32_t g = 0; b && g < 3; g++) {
		uint32_t in, out;

		if (nnprog_builder_subgraph(b, NULL) < 0)
			die("subgraph");
		in = vector(b, NNPROG_INT32, NNPROG_INPUT, 0);
		out = vector(b, g == 1 ? NNPROG_BOOL8 : NNPROG_INT32, NNPROG_OUTPUT, 0);
		if (g == 0)
			operation(b, NNPROG_OP_WHILE, &loop, sizeof(loop), in, in, 1, out);
		else if (g == 1)
			operation(b, NNPROG_OP_CONVERT, &cast, sizeof(cast), in, in, 1, out);
		else
			operation(b, NNPROG_OP_BINARY, &add, sizeof(add), in,
				  vector(b, NNPROG_INT32, NNPROG_CONST, -1), 2, out);
		nnprog_builder_io(b, &in, 1, &out, 1);
	}
	if (!b || nnprog_builder_finish(b, &bytes, size, &err))
		die(err.text);
	nnprog_builder_destroy(b);
	return bytes;
}

static uint64_t run(struct nnfw *fw, uint64_t seqno, const void *program, size_t size, int32_t *in,
		    int32_t *out)
{
	struct nnaccel_arg args[2] = { { .addr = (uintptr_t)in, .size = 4 },
				       { .addr = (uintptr_t)out, .size = 4 } };
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = 2,
				   .seqno = seqno,
				   .program_addr = (uintptr_t)program,
				   .program_size = size,
				   .loop_ns = NNACCEL_LOOP_NS_MAX };
	uint64_t ns;

	if (nnfw_submit(fw, 1, &job, args))
		die("submit");
	pthread_mutex_lock(&lock);
	while (completion.seqno != seqno)
		pthread_cond_wait(&done, &lock);
	if (completion.status != NNACCEL_STATUS_OK || *out)
		die("the job failed");
	ns = completion.end_ns - completion.start_ns;
	pthread_mutex_unlock(&lock);
	return ns;
}

int main(int argc, char **argv)
{
	const struct nnfw_platform platform = {
		.dma_map = map,
		.dma_unmap = unmap,
		.clock_ns = clock_ns,
		.complete = complete,
	};
	const struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION };
	int32_t in = argc > 1 ? atoi(argv[1]) : 1000000, out = -1;
	uint64_t best = UINT64_MAX;
	struct nnfw *fw;
	void *program;
	size_t size;

	if (in <= 0 || nnfw_create(&platform, &config, &fw))
		die("nothing to run");
	program = loop_program(&size);
	if (nnfw_context_open(fw, 1) || nnfw_queue_create(fw, 1, 1, 1))
		die("queue");
	for (uint64_t seqno = 1; seqno <= 5; seqno++) {
		uint64_t ns = run(fw, seqno, program, size, &in, &out);

		best = ns < best ? ns : best;
	}
	printf("WHILE, one operation in condition and body: %.0f ns per iteration\n",
	       (double)best / in);
	nnfw_destroy(fw);
	free(program);
	return 0;
}
