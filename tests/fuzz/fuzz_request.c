// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile requests and configurations against prepared models of the in-process device. An input is
 * a struct input: nothing in it is checked here but what keeps the numbers of arrays small.
 * Afterwards, only the bytes of outputs have changed, and none when the request was refused.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "hal_test.h"

#define ARGUMENTS 3u /* of inputs, and of outputs */
#define POOLS 3u
#define RANK 5u
#define POOL_BYTES 4096u
#define PATTERN 0xa5

enum pool_kind {
	POOL_MEMFD,
	POOL_READ_ONLY, /* opened so */
	POOL_DEVICE, /* nnhal_memory_create()'s */
	POOL_NO_FD, /* a number that no file has */
	POOL_DIRECTORY, /* a file that cannot be mapped */
	POOL_BUFFER, /* a token: of a buffer, or any number */
	POOL_KINDS
};

struct argument {
	uint64_t offset, length, padding;
	uint32_t has_no_value, pool, rank, dims[RANK];
};

struct pool {
	uint64_t offset, size;
	uint32_t kind, prot, token, reserved;
};

/* Little-endian, as the machine is; what is missing at the end is zero. */
struct input {
	uint32_t model, how, num_inputs, num_outputs, num_pools, measure;
	int64_t loop_timeout_ns, deadline_ns;
	uint32_t num_hints, hint_size;
	struct argument arguments[2 * ARGUMENTS]; /* inputs, outputs */
	struct pool pools[POOLS];
};

static struct nnmodel *(*const models[])(void) = {
	hal_model_add,
	hal_model_add_dynamic,
	hal_model_two_outputs,
	hal_model_conv_int8,
};
#define MODELS (sizeof(models) / sizeof(models[0]))

static struct nnhal_device *dev;
static struct nnhal_prepared_model *prepared[MODELS];
static struct nnhal_buffer *buffer;
static uint32_t buffer_token;
static uint64_t inputs, statuses[16], done;

static struct {
	int fd;
	uint8_t *map;
} memories[3]; /* POOL_MEMFD, POOL_READ_ONLY, POOL_DEVICE */
static int directory;

static void set_up(void)
{
	struct nnhal_buffer_role role = { .model_index = 0, .io_index = 0, .probability = 1 };
	struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	char message[256], path[64];

	if (nnhal_open("cpu", &dev, message, sizeof(message))) {
		fprintf(stderr, "fuzz_request: %s\n", message);
		exit(1);
	}
	for (size_t i = 0; i < MODELS; i++)
		prepared[i] = hal_prepare(dev, models[i]());
	if (dev->ops->allocate(dev, &desc, &prepared[0], 1, &role, 1, NULL, 0, &buffer,
			       &buffer_token))
		abort();
	for (int i = 0; i < 3; i++) {
		memories[i].fd = memfd_create("pool", MFD_CLOEXEC);
		if (memories[i].fd < 0 || ftruncate(memories[i].fd, POOL_BYTES))
			abort();
	}
	close(memories[POOL_DEVICE].fd);
	if (nnhal_memory_create(dev, POOL_BYTES, &memories[POOL_DEVICE].fd))
		abort();
	for (int i = 0; i < 3; i++) {
		memories[i].map = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
				       memories[i].fd, 0);
		if (memories[i].map == MAP_FAILED)
			abort();
	}
	/* the mapping above stays writable */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memories[POOL_READ_ONLY].fd);
	memories[POOL_READ_ONLY].fd = open(path, O_RDONLY | O_CLOEXEC);
	directory = open("/", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	if (memories[POOL_READ_ONLY].fd < 0 || directory < 0)
		abort();
}

static struct nnhal_request_pool make_pool(const struct pool *p)
{
	struct nnhal_request_pool pool = {
		.memory = { .prot = (int)p->prot, .offset = p->offset, .size = p->size },
	};

	switch (p->kind % POOL_KINDS) {
	case POOL_NO_FD:
		pool.memory.fd = p->token % 2 ? -1 : 1 << 20;
		break;
	case POOL_DIRECTORY:
		pool.memory.fd = directory;
		break;
	case POOL_BUFFER:
		pool = (struct nnhal_request_pool){ .is_token = true,
						    .token = p->token % 4 ? buffer_token
									  : p->token / 4 };
		break;
	default:
		pool.memory.fd = memories[p->kind % POOL_KINDS].fd;
	}
	return pool;
}

/* Whether byte @at of the memory behind @pool belongs to an output. */
static bool is_output(const struct input *in, const struct nnhal_request *r, uint32_t kind,
		      uint64_t at)
{
	for (uint32_t i = 0; i < r->num_outputs; i++) {
		const struct nnhal_request_argument *a = &r->outputs[i];
		uint64_t begin;

		if (a->has_no_value || a->pool >= r->num_pools ||
		    in->pools[a->pool].kind % POOL_KINDS != kind)
			continue;
		begin = in->pools[a->pool].offset + a->offset;
		if (at >= begin && at - begin < a->length)
			return true;
	}
	return false;
}

static void check_memories(const struct input *in, const struct nnhal_request *r, bool executed)
{
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t at = 0; at < POOL_BYTES; at++)
			if (memories[k].map[at] != PATTERN &&
			    (!executed || !is_output(in, r, k, at))) {
				fprintf(stderr, "fuzz_request: byte %u of memory %u has changed\n",
					at, k);
				abort();
			}
}

static void make_argument(const struct argument *from, struct nnhal_request_argument *to)
{
	*to = (struct nnhal_request_argument){
		.has_no_value = from->has_no_value & 1,
		.pool = from->pool,
		.offset = from->offset,
		.length = from->length,
		.padding = from->padding,
		.rank = from->rank % (RANK + 1),
		.dims = from->rank % (RANK + 1) ? from->dims : NULL,
	};
}

static void run(const struct input *in)
{
	static const uint8_t hint[16];
	const enum hal_executor how = in->how % HAL_ALL_EXECUTORS;
	struct nnhal_request_argument arguments[2 * ARGUMENTS];
	struct nnhal_request_pool pools[POOLS];
	struct nnhal_token_value hints[2] = {
		{ .token = in->hint_size, .value = hint, .size = in->hint_size % sizeof(hint) },
		{ .token = 0 },
	};
	struct nnhal_execution_config config = {
		.size = sizeof(config),
		.measure_timing = in->measure & 1,
		.loop_timeout_ns = in->loop_timeout_ns,
		.hints = hints,
		.num_hints = in->num_hints % 3,
	};
	struct nnhal_request request = {
		.size = sizeof(request),
		.inputs = arguments,
		.outputs = arguments + ARGUMENTS,
		.num_inputs = in->num_inputs % (ARGUMENTS + 1),
		.num_outputs = in->num_outputs % (ARGUMENTS + 1),
		.pools = pools,
		.num_pools = in->num_pools % (POOLS + 1),
	};
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;

	for (uint32_t i = 0; i < 2 * ARGUMENTS; i++)
		make_argument(&in->arguments[i], &arguments[i]);
	for (uint32_t i = 0; i < POOLS; i++)
		pools[i] = make_pool(&in->pools[i]);
	for (int i = 0; i < 3; i++)
		memset(memories[i].map, PATTERN, POOL_BYTES);
	status = hal_run(prepared[in->model % MODELS], how, &request, &config, in->deadline_ns,
			 &result);
	statuses[status < 15 ? status : 15]++;
	/* what is fenced reports no message */
	if (status != NNHAL_NONE && !result.message[0] && (how == HAL_SYNC || how == HAL_ASYNC))
		abort();
	/* an execution that failed on its way may have written outputs */
	check_memories(in, &request, status != NNHAL_INVALID_ARGUMENT);
	done += status == NNHAL_NONE;
	nnhal_execution_result_clear(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { 0 };

	if (!dev)
		set_up();
	memcpy(&in, data, size < sizeof(in) ? size : sizeof(in));
	inputs++;
	run(&in);
	return 0;
}

/* ---- for the driver ---- */

/* The elements of inputs and outputs, in bytes, of a good request. */
static const struct {
	const char *name;
	uint32_t in[2], out[2];
	uint32_t rank[2], dims[2][2];
} good[MODELS] = {
	{ .name = "add", .in = { 16, 8 }, .out = { 16 } },
	{ .name = "dynamic",
	  .in = { 16, 8 },
	  .out = { 16 },
	  .rank = { 2, 1 },
	  .dims = { { 2, 2 }, { 2 } } },
	{ .name = "two-outputs", .in = { 16, 16 }, .out = { 16, 16 } },
	{ .name = "int8", .in = { 4 }, .out = { 8 } },
};

static size_t seeds(struct fuzz_seed **list)
{
	static const uint32_t kinds[][2] = { { POOL_READ_ONLY, POOL_MEMFD },
					     { POOL_DEVICE, POOL_DEVICE },
					     { POOL_MEMFD, POOL_DEVICE } };
	size_t count = 0;

	*list = NULL;
	for (uint32_t m = 0; m < MODELS; m++)
		for (uint32_t how = 0; how < HAL_ALL_EXECUTORS; how++) {
			const uint32_t *kind = kinds[how % 3];
			struct input in = { .model = m,
					    .how = how,
					    .num_pools = 2,
					    .loop_timeout_ns = NNHAL_NO_TIME,
					    .deadline_ns = NNHAL_NO_TIME };
			char name[48];

			in.pools[0] = (struct pool){ .kind = kind[0],
						     .prot = PROT_READ,
						     .size = POOL_BYTES };
			in.pools[1] = (struct pool){ .kind = kind[1],
						     .prot = PROT_READ | PROT_WRITE,
						     .size = POOL_BYTES };
			for (uint32_t i = 0; i < 2; i++) {
				struct argument *a = &in.arguments[i];

				in.num_inputs += good[m].in[i] != 0;
				in.num_outputs += good[m].out[i] != 0;
				*a = (struct argument){ .offset = 64 * i, .length = good[m].in[i] };
				a->rank = good[m].rank[i];
				memcpy(a->dims, good[m].dims[i], sizeof(good[m].dims[i]));
				in.arguments[ARGUMENTS + i] = (struct argument){
					.pool = 1, .offset = 256 + 64 * i, .length = good[m].out[i]
				};
			}
			/* what is fenced needs the shapes of its outputs */
			if (good[m].rank[0]) {
				in.arguments[ARGUMENTS].rank = good[m].rank[0];
				memcpy(in.arguments[ARGUMENTS].dims, good[m].dims[0],
				       sizeof(good[m].dims[0]));
			}
			snprintf(name, sizeof(name), "%s-%s", good[m].name, hal_executor_name(how));
			for (char *c = name; *c; c++)
				*c = *c == ',' || *c == ' ' ? '-' : *c;
			fuzz_add_seed(list, &count, name, &in, sizeof(in));
		}
	return count;
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	for (uint32_t i = 1 + fuzz_random(random) % 3; i--;)
		fuzz_mutate_word(data, size, random);
	return size;
}

static bool seeds_accepted(size_t count)
{
	return done == count;
}

static bool reached(uint64_t rounds)
{
	return done >= rounds / 20 && statuses[NNHAL_INVALID_ARGUMENT] >= rounds / 20;
}

static void report(void)
{
	printf("%llu inputs, by status:", (unsigned long long)inputs);
	for (uint32_t i = 0; i < 16; i++)
		printf(" %llu", (unsigned long long)statuses[i]);
	printf("\n");
}

static void stop(void)
{
	if (!dev)
		return;
	buffer->ops->destroy(buffer);
	for (size_t i = 0; i < MODELS; i++)
		prepared[i]->ops->destroy(prepared[i]);
	dev->ops->destroy(dev);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".request",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
	.stop = stop,
};
