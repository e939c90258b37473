// SPDX-License-Identifier: Apache-2.0
/*
 * The cost of trace points: of a scope (begin and end) with tracing off, to /dev/null, to a file
 * and to ftrace if it can be used; then of a synchronous execution with tracing off and on, in
 * turns. Prints one line of JSON each.
 *
 *   bench_trace [DEVICE]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nnhal.h"
#include "nntrace.h"

#define OFF_SCOPES 100000000u
#define ON_SCOPES 200000u
#define ROUNDS 5
#define ELEMENTS 256u
#define BYTES (ELEMENTS * sizeof(float))
#define EXECUTIONS 2000
#define INSTANCE "/sys/kernel/tracing/instances/bench_trace"

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* ---- a scope ---- */

/* Keeps the compiler from optimizing the loop away. */
static void __attribute__((noinline)) empty_loop(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		__asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) scope_loop(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "bench_trace");

		__asm__ volatile("" ::: "memory");
	}
}

/* The least ns of a turn in @rounds. */
static double turn(void (*loop)(uint32_t), uint32_t count)
{
	double best = 0;

	for (int i = 0; i < ROUNDS; i++) {
		int64_t start = now();
		double ns;

		loop(count);
		ns = (double)(now() - start) / count;
		if (!i || ns < best)
			best = ns;
	}
	return best;
}

static void bench_scope(const char *name, const char *target)
{
	uint32_t count = target ? ON_SCOPES : OFF_SCOPES;
	uint64_t dropped = nntrace_dropped();
	double with, without;
	int ret = nntrace_start(target);

	if (ret) {
		printf("{\"bench\": \"trace_scope\", \"target\": \"%s\", \"skipped\": \"%s\"}\n",
		       name, strerror(-ret));
		return;
	}
	without = turn(empty_loop, count);
	with = turn(scope_loop, count);
	nntrace_stop();
	/* with tracing off, the alignment of the two loops can be the larger difference */
	printf("{\"bench\": \"trace_scope\", \"target\": \"%s\", \"ns\": %.2f, \"dropped\": %llu}\n",
	       name, with > without ? with - without : 0,
	       (unsigned long long)(nntrace_dropped() - dropped));
}

/* ---- an execution ---- */

/* z = x + x */
static struct nnmodel *make_model(void)
{
	const uint32_t dims[] = { ELEMENTS };
	struct nnmodel *m = nnmodel_new();
	uint32_t x, act, z;

	if (!m)
		return NULL;
	x = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, dims, 1, 0, 0);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	z = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, dims, 1, 0, 0);
	if (nnmodel_add_operation(m, NNMODEL_ADD, (uint32_t[]){ x, x, act }, 3, &z, 1) < 0 ||
	    nnmodel_set_io(m, &x, 1, &z, 1) < 0) {
		nnmodel_free(m);
		return NULL;
	}
	return m;
}

static struct nnhal_prepared_model *prepare(struct nnhal_device *dev)
{
	struct nnhal_prepared_model *prepared;
	struct nnmodel *model = make_model();

	if (!model)
		return NULL;
	nnhal_prepare_model(dev, model, NULL, &prepared, NULL, 0);
	nnmodel_free(model);
	return prepared;
}

static int64_t execute(struct nnhal_prepared_model *model, int fd)
{
	struct nnhal_request_argument in = { .length = BYTES },
				      out = { .offset = BYTES, .length = BYTES };
	struct nnhal_request_pool pool = {
		.memory = { .fd = fd, .prot = PROT_READ | PROT_WRITE, .size = 2 * BYTES },
	};
	struct nnhal_request request = { .size = sizeof(request),
					 .inputs = &in,
					 .outputs = &out,
					 .num_inputs = 1,
					 .num_outputs = 1,
					 .pools = &pool,
					 .num_pools = 1 };
	struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	int64_t start = now();
	enum nnhal_status status;

	status =
		model->ops->execute_synchronously(model, &request, &config, NNHAL_NO_TIME, &result);
	start = now() - start;
	nnhal_execution_result_clear(&result);
	if (status == NNHAL_NONE)
		return start;
	fprintf(stderr, "execute: %s\n", nnhal_status_name(status));
	return -1;
}

static int compare(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

/* Off and on take turns, so that other load affects both. */
static int bench_execution(struct nnhal_prepared_model *model, int fd, const char *name,
			   const char *target)
{
	static int64_t off[EXECUTIONS], on[EXECUTIONS];

	for (int i = 0; i < EXECUTIONS; i++) {
		off[i] = execute(model, fd);
		if (nntrace_start(target))
			return 0; /* bench_scope() has printed the reason */
		on[i] = execute(model, fd);
		nntrace_stop();
		if (off[i] < 0 || on[i] < 0)
			return -1;
	}
	qsort(off, EXECUTIONS, sizeof(off[0]), compare);
	qsort(on, EXECUTIONS, sizeof(on[0]), compare);
	printf("{\"bench\": \"trace_execution\", \"target\": \"%s\", \"off_us\": %.2f, \"on_us\": %.2f, \"ratio\": %.3f}\n",
	       name, (double)off[EXECUTIONS / 2] / 1e3, (double)on[EXECUTIONS / 2] / 1e3,
	       (double)on[EXECUTIONS / 2] / (double)off[EXECUTIONS / 2]);
	return 0;
}

static int bench_executions(const char *spec, const char *file, const char *marker)
{
	struct nnhal_prepared_model *model;
	struct nnhal_device *dev;
	char message[256] = "";
	int fd = -1, ret = -1;

	if (nnhal_open(spec, &dev, message, sizeof(message))) {
		fprintf(stderr, "%s: %s\n", spec, message);
		return -1;
	}
	model = prepare(dev);
	if (model && !nnhal_memory_create(dev, 2 * BYTES, &fd)) {
		for (int i = 0; i < 100; i++)
			execute(model, fd);
		ret = bench_execution(model, fd, "null", "marker:/dev/null");
		if (!ret)
			ret = bench_execution(model, fd, "file", file);
		if (!ret && marker)
			ret = bench_execution(model, fd, "ftrace", marker);
		close(fd);
	}
	if (model)
		model->ops->destroy(model);
	dev->ops->destroy(dev);
	return ret;
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/bench_trace.XXXXXX", file[64];
	const char *marker = NULL;
	int fd, ret;

	fd = mkstemp(path);
	if (fd < 0) {
		perror(path);
		return 1;
	}
	close(fd);
	snprintf(file, sizeof(file), "file:%s", path);
	/* a separate ftrace instance: the trace of the machine is not changed */
	if (!mkdir(INSTANCE, 0700) || errno == EEXIST)
		marker = "marker:" INSTANCE "/trace_marker";
	bench_scope("off", NULL);
	bench_scope("null", "marker:/dev/null");
	bench_scope("file", file);
	if (marker)
		bench_scope("ftrace", marker);
	ret = bench_executions(argc > 1 ? argv[1] : "cpu", file, marker);
	/* an instance cannot be removed while the descriptor of its marker is open */
	if (marker && !nntrace_start("marker:/dev/null")) {
		nntrace_stop();
		rmdir(INSTANCE);
	}
	unlink(path);
	return ret ? 1 : 0;
}
