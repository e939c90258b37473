// SPDX-License-Identifier: Apache-2.0
/*
 * What the process boundary costs: the same calls on a device in process and on the same device in
 * a sandboxed worker, in turns in one run, so that other load affects both. Executions one at a
 * time: on a burst of one ADD of one element, where the boundary is all there is; with 16 pools;
 * and of a model file. Then what has no other side: the round trip of a getter, the start of a
 * worker, its memory, and how long a client is without a device when a worker is killed. Prints a
 * table, then one line of JSON.
 *
 *   bench_ipc [--device SPEC] [MODEL.tflite]      (SPEC: cpu, accel0; default cpu)
 */
#include <inttypes.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench_model.h"
#include "nnhal.h"

#define MAX_ROUNDS 2000u

#define CHECK(what)                 \
	do {                        \
		if (!(what))        \
			die(#what); \
	} while (0)

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_ipc: failed: %s\n", what);
	exit(1);
}

static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;

/* ---- devices ---- */

static struct nnhal_device *open_device(const char *prefix, const char *spec)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s", prefix, spec);
	return bench_open_device(text);
}

static struct nnhal_device_info info_of(struct nnhal_device *dev)
{
	struct nnhal_device_info info = { .size = sizeof(info) };

	CHECK(!nnhal_device_get_info(dev, &info));
	return info;
}

struct answer {
	sem_t done;
	int64_t at;
	enum nnhal_status status;
	struct nnhal_prepared_model *model;
};

static void executed(void *cookie, enum nnhal_status status,
		     const struct nnhal_execution_result *result)
{
	struct answer *a = cookie;

	(void)result;
	a->status = status;
	a->at = bench_now_ns();
	sem_post(&a->done);
}

static void wait_for(struct answer *a)
{
	while (sem_wait(&a->done))
		;
	sem_destroy(&a->done);
}

/* ---- models and requests ---- */

static uint32_t tensor(struct nnmodel *m, uint32_t elements)
{
	return (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT,
					     &elements, 1, 0, 0);
}

static struct nnmodel *add_model(void)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t in[3], out;

	CHECK(m);
	in[0] = tensor(m, 1);
	in[1] = tensor(m, 1);
	in[2] = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	out = tensor(m, 1);
	CHECK(nnmodel_add_operation(m, NNMODEL_ADD, in, 3, &out, 1) >= 0);
	CHECK(!nnmodel_set_io(m, in, 2, &out, 1));
	return m;
}

/* 15 inputs, one after the other in the output: 16 pools. */
static struct nnmodel *concat_model(void)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t in[BENCH_MAX_POOLS], out;

	CHECK(m);
	for (int i = 0; i < BENCH_MAX_POOLS - 1; i++)
		in[i] = tensor(m, 64);
	in[BENCH_MAX_POOLS - 1] = (uint32_t)nnmodel_add_int32(m, 0);
	out = tensor(m, 64 * (BENCH_MAX_POOLS - 1));
	CHECK(nnmodel_add_operation(m, NNMODEL_CONCATENATION, in, BENCH_MAX_POOLS, &out, 1) >= 0);
	CHECK(!nnmodel_set_io(m, in, BENCH_MAX_POOLS - 1, &out, 1));
	return m;
}

static struct nnmodel *long_model(void)
{
	const uint32_t elements = 1u << 20;
	struct nnmodel *m = nnmodel_new();
	uint32_t first, prev, next;

	CHECK(m);
	first = prev = tensor(m, elements);
	for (int i = 0; i < 100; i++) {
		next = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32,
						     i < 99 ? NNMODEL_TEMPORARY_VARIABLE
							    : NNMODEL_SUBGRAPH_OUTPUT,
						     &elements, 1, 0, 0);
		CHECK(nnmodel_add_operation(m, NNMODEL_TANH, &prev, 1, &next, 1) >= 0);
		prev = next;
	}
	CHECK(!nnmodel_set_io(m, &first, 1, &prev, 1));
	return m;
}

/* ---- in process and in a worker, in turns ---- */

struct pair {
	int64_t direct, proxied;
};

static struct pair compare_model(struct nnhal_device *const dev[2], struct nnmodel *m,
				 bool on_burst, uint32_t rounds)
{
	static int64_t ns[2][MAX_ROUNDS];
	struct nnhal_prepared_model *pm[2];
	struct nnhal_burst *burst[2] = { NULL, NULL };
	struct bench_call c[2];
	const uint32_t warm_up = rounds / 10 + 1;

	for (int w = 0; w < 2; w++) {
		pm[w] = bench_prepare(dev[w], m, NULL);
		CHECK(pm[w]);
		bench_call_init(&c[w], m);
		if (on_burst)
			CHECK(!pm[w]->ops->configure_burst(pm[w], &burst[w]));
	}
	for (uint32_t i = 0; i < warm_up + rounds; i++)
		for (uint32_t k = 0; k < 2; k++) {
			uint32_t w = (i + k) % 2;
			int64_t start = bench_now_ns();

			bench_run(pm[w], burst[w], &c[w]);
			if (i >= warm_up)
				ns[w][i - warm_up] = bench_now_ns() - start;
		}
	bench_compare(&c[0], &c[1]);
	for (int w = 0; w < 2; w++) {
		if (burst[w])
			burst[w]->ops->destroy(burst[w]);
		pm[w]->ops->destroy(pm[w]);
		bench_call_fini(&c[w]);
	}
	nnmodel_free(m);
	return (struct pair){ bench_median(ns[0], rounds), bench_median(ns[1], rounds) };
}

/* A call that the worker answers without work. */
static struct pair compare_getter(struct nnhal_device *const dev[2], uint32_t rounds)
{
	static int64_t ns[2][MAX_ROUNDS];
	struct nnhal_counters counters = { .size = sizeof(counters) };

	for (uint32_t i = 0; i < rounds; i++)
		for (uint32_t k = 0; k < 2; k++) {
			uint32_t w = (i + k) % 2;
			int64_t start = bench_now_ns();

			CHECK(!nnhal_device_get_counters(dev[w], &counters));
			ns[w][i] = bench_now_ns() - start;
		}
	return (struct pair){ bench_median(ns[0], rounds), bench_median(ns[1], rounds) };
}

/* ---- the worker ---- */

static int64_t measure_start(const char *spec)
{
	int64_t ns[15];

	for (int i = 0; i < 15; i++) {
		struct nnhal_capabilities caps = { .size = sizeof(caps) };
		int64_t start = bench_now_ns();
		struct nnhal_device *dev = open_device("worker:", spec);

		CHECK(!dev->ops->get_capabilities(dev, &caps));
		ns[i] = bench_now_ns() - start;
		dev->ops->destroy(dev);
	}
	return bench_median(ns, 15);
}

/* KiB of its own and its part of what it shares; -1: /proc does not say. */
static long memory_of(int32_t pid)
{
	char path[64], line[256];
	long kib = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "Pss: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

struct death {
	int64_t answered, working;
};

/* From kill -9 to the last of 16 callbacks, and to the next prepared model. */
static struct death measure_death(const char *spec)
{
	int64_t answered[7], working[7];
	struct nnmodel *work = long_model(), *next = add_model();

	for (int i = 0; i < 7; i++) {
		struct nnhal_device *dev = open_device("worker:", spec);
		struct nnhal_prepared_model *pm = bench_prepare(dev, work, NULL), *again = NULL;
		static struct answer a[16];
		struct bench_call c;
		int64_t start;

		CHECK(pm);
		bench_call_init(&c, work);
		for (int k = 0; k < 16; k++) {
			sem_init(&a[k].done, 0, 0);
			CHECK(!pm->ops->execute(pm, &c.request, &config, NNHAL_NO_TIME, executed,
						&a[k]));
		}
		start = bench_now_ns();
		CHECK(!kill(info_of(dev).worker_pid, SIGKILL));
		answered[i] = 0;
		for (int k = 0; k < 16; k++) {
			wait_for(&a[k]);
			CHECK(a[k].status == NNHAL_DEAD_OBJECT);
			if (a[k].at - start > answered[i])
				answered[i] = a[k].at - start;
		}
		/* the policy makes a client wait after the second death; that is not measured */
		start = bench_now_ns();
		while (!(again = bench_prepare(dev, next, NULL)))
			start = bench_now_ns();
		working[i] = bench_now_ns() - start + answered[i];
		again->ops->destroy(again);
		pm->ops->destroy(pm);
		dev->ops->destroy(dev);
		bench_call_fini(&c);
	}
	nnmodel_free(work);
	nnmodel_free(next);
	return (struct death){ bench_median(answered, 7), bench_median(working, 7) };
}

/* ---- */

static void print_pair(const char *name, struct pair p)
{
	printf("%-40s %12.2f %12.2f %8.3f %10.2f us\n", name, (double)p.direct / 1e3,
	       (double)p.proxied / 1e3, (double)p.proxied / (double)p.direct,
	       (double)(p.proxied - p.direct) / 1e3);
}

int main(int argc, char **argv)
{
	const char *spec = "cpu", *path = NULL;
	struct pair burst, pools, plain, file = { 1, 1 }, getter;
	struct nnhal_device *dev[2];
	struct death death;
	int64_t start;
	long pss;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--device") && i + 1 < argc)
			spec = argv[++i];
		else
			path = argv[i];
	setenv("NNACCEL_WORKER_CRASHES", "1000", 0);
	dev[0] = open_device("", spec);
	dev[1] = open_device("worker:", spec);
	burst = compare_model(dev, add_model(), true, 2000);
	plain = compare_model(dev, add_model(), false, 2000);
	pools = compare_model(dev, concat_model(), false, 2000);
	if (path)
		file = compare_model(dev, bench_file_model(path), false, 40);
	getter = compare_getter(dev, 2000);
	pss = memory_of(info_of(dev[1]).worker_pid);
	dev[0]->ops->destroy(dev[0]);
	dev[1]->ops->destroy(dev[1]);
	start = measure_start(spec);
	death = measure_death(spec);

	printf("%-40s %12s %12s %8s %10s\n", spec, "in process", "in a worker", "ratio",
	       "difference");
	print_pair("burst, one ADD of one element", burst);
	print_pair("executeSynchronously, the same", plain);
	print_pair("executeSynchronously, 16 pools", pools);
	if (path)
		print_pair("executeSynchronously, the model file", file);
	print_pair("getter", getter);
	printf("start of a worker, to capabilities      %12.2f ms\n", (double)start / 1e6);
	printf("memory of a worker (PSS)                %12.2f MiB\n", (double)pss / 1024);
	printf("kill -9 to the last of 16 callbacks     %12.2f ms\n", (double)death.answered / 1e6);
	printf("kill -9 to the next prepared model      %12.2f ms\n", (double)death.working / 1e6);
	printf("{\"bench\":\"ipc\",\"device\":\"%s\",\"burst_ratio\":%.3f,\"burst_ns\":%" PRId64
	       ",\"pools_overhead_ns\":%" PRId64 ",\"getter_ns\":%" PRId64
	       ",\"model_ratio\":%.4f,\"start_ns\":%" PRId64
	       ",\"pss_kib\":%ld,\"answered_ns\":%" PRId64 ",\"working_ns\":%" PRId64 "}\n",
	       spec, (double)burst.proxied / (double)burst.direct, burst.proxied,
	       pools.proxied - pools.direct, getter.proxied,
	       (double)file.proxied / (double)file.direct, start, pss, death.answered,
	       death.working);
	return 0;
}
