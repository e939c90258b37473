// SPDX-License-Identifier: Apache-2.0
/*
 * The cost of a computation through NNAPI over the same execution through the HAL: one ADD of a few
 * floats, so that the overhead dominates. All ways take turns in one run, so that other load
 * affects all of them; they share the prepared model. Prints a table, then one line of JSON.
 *
 *   bench_runtime [DEVICE [ELEMENTS]]      (the name of a device; default: nnapi-reference)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "plan/nnr_plan.h"
#include "registry/nnr_registry.h"

#define WARM_UP 300u
#define ROUNDS 3000u
#define PLACE(n) (((n) * sizeof(float) + 63) & ~(size_t)63)

#define CHECK(what)                 \
	do {                        \
		if (!(what))        \
			die(#what); \
	} while (0)
#define NN(call) CHECK((call) == ANEURALNETWORKS_NO_ERROR)

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_runtime: failed: %s\n", what);
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* ---- a model ---- */

static uint32_t elements = 4;

static void add_operand(ANeuralNetworksModel *model, int32_t type, uint32_t rank)
{
	const ANeuralNetworksOperandType t = {
		.type = type,
		.dimensionCount = rank,
		.dimensions = rank ? &elements : NULL,
	};

	NN(ANeuralNetworksModel_addOperand(model, &t));
}

static ANeuralNetworksDevice *find_device(const char *name)
{
	ANeuralNetworksDevice *device;
	const char *found;
	uint32_t num;

	NN(ANeuralNetworks_getDeviceCount(&num));
	for (uint32_t i = 0; i < num; i++) {
		NN(ANeuralNetworks_getDevice(i, &device));
		NN(ANeuralNetworksDevice_getName(device, &found));
		if (!strcmp(found, name))
			return device;
	}
	fprintf(stderr, "bench_runtime: the runtime has no device %s\n", name);
	exit(1);
}

static ANeuralNetworksModel *make_model(void)
{
	const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksModel *model;

	NN(ANeuralNetworksModel_create(&model));
	add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	add_operand(model, ANEURALNETWORKS_INT32, 0);
	add_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	NN(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
	NN(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	NN(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	NN(ANeuralNetworksModel_finish(model));
	return model;
}

/* ---- the ways ---- */

enum way {
	HAL_BURST,
	HAL_SYNC,
	COMPUTE,
	COMPUTE_MEMORY,
	START,
	FENCED,
	BURST_ONCE,
	BURST_REUSED,
	BURST_MEMORY,
	WAYS
};
static const char *const names[WAYS] = {
	"HAL, on a burst",
	"HAL, executeSynchronously",
	"compute",
	"compute, memory objects",
	"startCompute and wait",
	"fenced and wait",
	"burst, execution made anew",
	"burst, reusable",
	"burst, reusable, memory",
};
static const char *const keys[WAYS] = {
	"hal_burst", "hal_sync",   "compute", "compute_memory", "start",
	"fenced",    "burst_once", "burst",   "burst_memory",
};

struct bench {
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksBurst *burst;
	ANeuralNetworksExecution *pointers, *memory;
	ANeuralNetworksMemory *shared;
	float *map; /* a, b, out at PLACEs */
	float *a, *b, *out; /* of the application */
	struct nnhal_prepared_model *prepared;
	struct nnhal_burst *hal_burst;
	struct nnhal_request_argument inputs[2], outputs[1];
	struct nnhal_request_pool pool;
	struct nnhal_request request;
};

static ANeuralNetworksExecution *with_pointers(struct bench *b, bool reusable)
{
	ANeuralNetworksExecution *e;
	size_t bytes = elements * sizeof(float);

	NN(ANeuralNetworksExecution_create(b->compilation, &e));
	NN(ANeuralNetworksExecution_setReusable(e, reusable));
	NN(ANeuralNetworksExecution_setInput(e, 0, NULL, b->a, bytes));
	NN(ANeuralNetworksExecution_setInput(e, 1, NULL, b->b, bytes));
	NN(ANeuralNetworksExecution_setOutput(e, 0, NULL, b->out, bytes));
	return e;
}

static ANeuralNetworksExecution *with_memory(struct bench *b)
{
	ANeuralNetworksExecution *e;
	size_t bytes = elements * sizeof(float), place = PLACE(elements);

	NN(ANeuralNetworksExecution_create(b->compilation, &e));
	NN(ANeuralNetworksExecution_setReusable(e, true));
	NN(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, b->shared, 0, bytes));
	NN(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, b->shared, place, bytes));
	NN(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, b->shared, 2 * place, bytes));
	return e;
}

static void bench_init(struct bench *b, const char *name, ANeuralNetworksModel *model)
{
	ANeuralNetworksDevice *device = find_device(name);
	const ANeuralNetworksDevice *const list[] = { device };
	size_t bytes = elements * sizeof(float), place = PLACE(elements), size = 3 * place;
	int fd;

	NN(ANeuralNetworksCompilation_createForDevices(model, list, 1, &b->compilation));
	NN(ANeuralNetworksCompilation_finish(b->compilation));
	NN(ANeuralNetworksBurst_create(b->compilation, &b->burst));
	CHECK(b->compilation->plan->simple);
	b->prepared = b->compilation->plan->graphs[0].nodes[0].step->prepared;
	CHECK(!nnhal_memory_create(device->hal, size, &fd));
	b->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(b->map != MAP_FAILED);
	NN(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0, &b->shared));
	b->a = malloc(bytes);
	b->b = malloc(bytes);
	b->out = malloc(bytes);
	CHECK(b->a && b->b && b->out);
	for (uint32_t i = 0; i < elements; i++) {
		b->map[i] = b->a[i] = (float)i;
		b->map[place / sizeof(float) + i] = b->b[i] = 10;
	}
	b->pointers = with_pointers(b, true);
	b->memory = with_memory(b);
	CHECK(b->prepared->ops->configure_burst(b->prepared, &b->hal_burst) == NNHAL_NONE);
	b->pool.memory =
		(struct nnhal_memory){ .fd = fd, .prot = PROT_READ | PROT_WRITE, .size = size };
	b->inputs[0] = (struct nnhal_request_argument){ .length = bytes };
	b->inputs[1] = (struct nnhal_request_argument){ .offset = place, .length = bytes };
	b->outputs[0] = (struct nnhal_request_argument){ .offset = 2 * place, .length = bytes };
	b->request = (struct nnhal_request){ .size = sizeof(struct nnhal_request),
					     .inputs = b->inputs,
					     .outputs = b->outputs,
					     .num_inputs = 2,
					     .num_outputs = 1,
					     .pools = &b->pool,
					     .num_pools = 1 };
}

static void bench_fini(struct bench *b)
{
	b->hal_burst->ops->destroy(b->hal_burst);
	ANeuralNetworksExecution_free(b->pointers);
	ANeuralNetworksExecution_free(b->memory);
	ANeuralNetworksBurst_free(b->burst);
	ANeuralNetworksMemory_free(b->shared);
	ANeuralNetworksCompilation_free(b->compilation);
	munmap(b->map, 3 * PLACE(elements));
	close(b->pool.memory.fd);
	free(b->a);
	free(b->b);
	free(b->out);
}

static void wait_and_free(ANeuralNetworksEvent *event)
{
	NN(ANeuralNetworksEvent_wait(event));
	ANeuralNetworksEvent_free(event);
}

static void run_hal(struct bench *b, bool on_burst)
{
	static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	static const int64_t token = 1;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	if (on_burst)
		CHECK(b->hal_burst->ops->execute_synchronously(b->hal_burst, &b->request, &token, 1,
							       &config, NNHAL_NO_TIME,
							       &result) == NNHAL_NONE);
	else
		CHECK(b->prepared->ops->execute_synchronously(b->prepared, &b->request, &config,
							      NNHAL_NO_TIME,
							      &result) == NNHAL_NONE);
	nnhal_execution_result_clear(&result);
}

static void run(struct bench *b, enum way way)
{
	ANeuralNetworksExecution *e;
	ANeuralNetworksEvent *event;

	switch (way) {
	case HAL_BURST:
	case HAL_SYNC:
		run_hal(b, way == HAL_BURST);
		break;
	case COMPUTE:
		NN(ANeuralNetworksExecution_compute(b->pointers));
		break;
	case COMPUTE_MEMORY:
		NN(ANeuralNetworksExecution_compute(b->memory));
		break;
	case START:
		NN(ANeuralNetworksExecution_startCompute(b->pointers, &event));
		wait_and_free(event);
		break;
	case FENCED:
		NN(ANeuralNetworksExecution_startComputeWithDependencies(b->memory, NULL, 0, 0,
									 &event));
		wait_and_free(event);
		break;
	case BURST_ONCE:
		e = with_pointers(b, false);
		NN(ANeuralNetworksExecution_burstCompute(e, b->burst));
		ANeuralNetworksExecution_free(e);
		break;
	case BURST_REUSED:
		NN(ANeuralNetworksExecution_burstCompute(b->pointers, b->burst));
		break;
	default:
		NN(ANeuralNetworksExecution_burstCompute(b->memory, b->burst));
		break;
	}
}

/* Failures are fast: check the result. */
static void check_output(struct bench *b, enum way way)
{
	bool shared = way == HAL_BURST || way == HAL_SYNC || way == COMPUTE_MEMORY ||
		      way == FENCED || way == BURST_MEMORY;
	float *out = shared ? b->map + 2 * PLACE(elements) / sizeof(float) : b->out;

	for (uint32_t i = 0; i < elements; i++)
		CHECK(out[i] == (float)i + 10);
	memset(out, 0, elements * sizeof(float));
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	const char *device = argc > 1 ? argv[1] : "nnapi-reference";
	static int64_t ns[WAYS][ROUNDS];
	ANeuralNetworksModel *model;
	struct bench b = { .compilation = NULL };

	if (argc > 2)
		elements = (uint32_t)strtoul(argv[2], NULL, 0);
	CHECK(elements > 0 && elements < 1u << 28);
	model = make_model();
	bench_init(&b, device, model);
	for (uint32_t i = 0; i < WARM_UP + ROUNDS; i++)
		for (uint32_t k = 0; k < WAYS; k++) {
			/* every order of the ways occurs equally often */
			enum way w = (i / 2 + (i % 2 ? WAYS - k : k)) % WAYS;
			int64_t start = now_ns();

			run(&b, w);
			if (i >= WARM_UP)
				ns[w][i - WARM_UP] = now_ns() - start;
			check_output(&b, w);
		}

	for (enum way w = 0; w < WAYS; w++)
		qsort(ns[w], ROUNDS, sizeof(ns[w][0]), compare);
	printf("%-28s %9s %9s %9s  us, %u elements\n", device, "median", "p95", "over HAL",
	       elements);
	for (enum way w = 0; w < WAYS; w++)
		printf("%-28s %9.2f %9.2f %9.2f\n", names[w], (double)ns[w][ROUNDS / 2] / 1e3,
		       (double)ns[w][ROUNDS / 100 * 95] / 1e3,
		       (double)(ns[w][ROUNDS / 2] - ns[HAL_BURST][ROUNDS / 2]) / 1e3);
	printf("{\"bench\":\"runtime\",\"device\":\"%s\",\"elements\":%u", device, elements);
	for (enum way w = 0; w < WAYS; w++)
		printf(",\"%s_ns\":%" PRId64, keys[w], ns[w][ROUNDS / 2]);
	printf(",\"compute_over_hal_ns\":%" PRId64 "}\n",
	       ns[COMPUTE][ROUNDS / 2] - ns[HAL_BURST][ROUNDS / 2]);
	bench_fini(&b);
	ANeuralNetworksModel_free(model);
	return 0;
}
