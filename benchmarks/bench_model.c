// SPDX-License-Identifier: Apache-2.0
#include "bench_model.h"

#include <errno.h>
#include <error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nnimport.h"

struct nnmodel *bench_file_model(const char *path)
{
	struct nnimport import;
	struct nnmodel *model;
	struct stat st;
	FILE *f = fopen(path, "rb");
	void *bytes;

	if (!f || fstat(fileno(f), &st))
		error(1, errno, "%s", path);
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes || fread(bytes, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		error(1, errno, "%s cannot be read", path);
	fclose(f);
	if (nnimport_read(bytes, (size_t)st.st_size, &import))
		error(1, 0, "%s: %s", path, import.message);
	free(bytes);
	model = import.model;
	import.model = NULL;
	nnimport_free(&import);
	return model;
}

struct nnhal_device *bench_open_device(const char *spec)
{
	struct nnhal_device *dev;
	char message[512];

	if (nnhal_open(spec, &dev, message, sizeof(message)))
		error(1, 0, "device %s: %s", spec, message);
	return dev;
}

struct nnhal_prepared_model *bench_prepare(struct nnhal_device *dev, const struct nnmodel *model,
					   char *why)
{
	struct nnhal_prepared_model *prepared;

	nnhal_prepare_model(dev, model, NULL, &prepared, why, why ? 256 : 0);
	return prepared;
}

void bench_call_init(struct bench_call *c, const struct nnmodel *model)
{
	const struct nnmodel_subgraph *g = &model->main;
	const uint32_t count = g->num_inputs + g->num_outputs;

	memset(c, 0, sizeof(*c));
	if (count > BENCH_MAX_POOLS)
		error(1, 0, "the model has %u arguments, more than %d", count, BENCH_MAX_POOLS);
	for (uint32_t i = 0; i < count; i++) {
		bool out = i >= g->num_inputs;
		uint32_t n = out ? g->outputs[i - g->num_inputs] : g->inputs[i];
		struct nnhal_memory *memory = &c->pools[i].memory;
		uint64_t bytes;

		if (nnmodel_operand_bytes(&g->operands[n], &bytes))
			error(1, 0, "argument %u of the model has no size", i);
		memory->size = (bytes + 64 + 4095) / 4096 * 4096;
		memory->prot = PROT_READ | (out ? PROT_WRITE : 0);
		memory->fd = memfd_create("bench", MFD_CLOEXEC);
		if (memory->fd < 0 || ftruncate(memory->fd, (off_t)memory->size))
			error(1, errno, "memory of an argument");
		c->map[i] =
			mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
		if (c->map[i] == MAP_FAILED)
			error(1, errno, "memory of an argument");
		c->arguments[i] = (struct nnhal_request_argument){ .pool = i, .length = bytes };
		c->tokens[i] = i + 1;
	}
	c->request = (struct nnhal_request){ .size = sizeof(c->request),
					     .inputs = c->arguments,
					     .num_inputs = g->num_inputs,
					     .outputs = c->arguments + g->num_inputs,
					     .num_outputs = g->num_outputs,
					     .pools = c->pools,
					     .num_pools = count };
}

void bench_call_fini(struct bench_call *c)
{
	for (uint32_t i = 0; i < c->request.num_pools; i++) {
		munmap(c->map[i], c->pools[i].memory.size);
		close(c->pools[i].memory.fd);
	}
}

void bench_run(struct nnhal_prepared_model *model, struct nnhal_burst *burst, struct bench_call *c)
{
	static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;

	if (burst)
		status = burst->ops->execute_synchronously(burst, &c->request, c->tokens,
							   c->request.num_pools, &config,
							   NNHAL_NO_TIME, &result);
	else
		status = model->ops->execute_synchronously(model, &c->request, &config,
							   NNHAL_NO_TIME, &result);
	if (status)
		error(1, 0, "execution: %s", result.message);
	nnhal_execution_result_clear(&result);
}

void bench_compare(const struct bench_call *a, const struct bench_call *b)
{
	for (uint32_t i = a->request.num_inputs; i < a->request.num_pools; i++)
		if (memcmp(a->map[i], b->map[i], a->arguments[i].length))
			error(1, 0, "output %u differs", i - a->request.num_inputs);
}

int64_t bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t bench_median(int64_t *ns, uint32_t count)
{
	qsort(ns, count, sizeof(*ns), compare);
	return ns[count / 2];
}
