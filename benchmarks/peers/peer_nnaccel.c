// SPDX-License-Identifier: Apache-2.0
/*
 * The device in process as a peer (serve.h), on the calling thread: through the NNAPI runtime with
 * an execution that is used again and again, or through libnnhal alone. Inputs and outputs are in
 * shared memory, which the device uses in place, as the other peers use theirs.
 *
 *   peer_nnaccel nnapi|nnhal MODEL.tflite
 *   peer_nnaccel cached FOLDER MODEL.tflite: as nnapi, with the compilation in the cache in FOLDER
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "android/NeuralNetworks.h"
#include "nnhal.h"
#include "nnmodel.h"
#include "runtime/nnctl_runtime.h"
#include "nnclient.h"
#include "peers/serve.h"
#include "session/nnctl_session.h"
#include "nnimport.h"

#define DEVICE "nnaccel-cpu"

struct runtime {
	ANeuralNetworksExecution *execution;
};

struct hal {
	struct nnhal_prepared_model *prepared;
	struct nnhal_request request;
};

/* Inputs, then outputs, one after the other in one memory. */
struct arguments {
	char *memory;
	uint32_t num;
	struct nnhal_request_argument *at;
	size_t size;
};

static char message[512];

static struct nnmodel *import(const char *path)
{
	struct nnimport result;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes;

	snprintf(message, sizeof(message), "the file cannot be read");
	if (fd < 0 || fstat(fd, &st))
		return NULL;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return NULL;
	if (nnimport_read(bytes, (size_t)st.st_size, &result))
		snprintf(message, sizeof(message), "%s", result.message);
	munmap(bytes, (size_t)st.st_size);
	return result.model;
}

static const struct nnmodel_operand *argument(const struct nnmodel_subgraph *g, uint32_t i)
{
	return &g->operands[i < g->num_inputs ? g->inputs[i] : g->outputs[i - g->num_inputs]];
}

/* 0, or -1 when a shape is not known. */
static int place(const struct nnmodel_subgraph *g, struct arguments *a)
{
	a->num = g->num_inputs + g->num_outputs;
	a->at = calloc(a->num + 1, sizeof(*a->at));
	for (uint32_t i = 0; a->at && i < a->num; i++) {
		uint64_t bytes;

		if (nnmodel_operand_bytes(argument(g, i), &bytes))
			return -1;
		a->at[i].offset = a->size;
		a->at[i].length = bytes;
		a->size += (bytes + 63) & ~(uint64_t)63;
	}
	return a->at ? 0 : -1;
}

static void fill(const char *path, const struct nnmodel_subgraph *g, const struct arguments *a)
{
	for (uint32_t i = 0; i < g->num_inputs; i++)
		peer_fill(path, (int)i,
			  argument(g, i)->type == NNMODEL_TENSOR_FLOAT32 ? PEER_FLOATS : PEER_BYTES,
			  a->memory + a->at[i].offset, a->at[i].length);
}

static int run_runtime(void *cookie)
{
	return ANeuralNetworksExecution_compute(((struct runtime *)cookie)->execution);
}

/* The memory of all arguments. NULL: there is none. */
static ANeuralNetworksMemory *share(struct arguments *a)
{
	ANeuralNetworksMemory *memory = NULL;
	const int fd = memfd_create("arguments", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	/* of a file that cannot shrink the size is looked at once */
	if (fd < 0 || ftruncate(fd, (off_t)a->size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return NULL;
	a->memory = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (a->memory == MAP_FAILED ||
	    ANeuralNetworksMemory_createFromFd(a->size, PROT_READ | PROT_WRITE, fd, 0, &memory))
		return NULL;
	close(fd);
	return memory;
}

/* A token for the model at @path. */
static int set_cache(ANeuralNetworksCompilation *compilation, const char *folder, const char *path)
{
	uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { 0 };

	for (size_t i = 0; path[i]; i++)
		token[i % sizeof(token)] = (uint8_t)(token[i % sizeof(token)] * 31 + path[i]);
	return ANeuralNetworksCompilation_setCaching(compilation, folder, token);
}

/* @folder: of the cache, for the model at @path; NULL: none. */
static int open_runtime(struct runtime *r, const struct nnmodel *model, struct arguments *a,
			const char *folder, const char *path)
{
	ANeuralNetworksMemory *memory = share(a);
	ANeuralNetworksCompilation *compilation;
	struct runtime_model built;

	if (!memory || runtime_model_create(model, &built, message, sizeof(message)) ||
	    runtime_compilation_create(built.model, DEVICE, &compilation, message, sizeof(message)))
		return -1;
	snprintf(message, sizeof(message), "the runtime cannot compile the model");
	if ((folder && set_cache(compilation, folder, path)) ||
	    ANeuralNetworksCompilation_finish(compilation) ||
	    ANeuralNetworksExecution_create(compilation, &r->execution) ||
	    ANeuralNetworksExecution_setReusable(r->execution, true))
		return -1;
	for (uint32_t i = 0; i < a->num; i++) {
		const bool in = i < model->main.num_inputs;
		const int32_t n = (int32_t)(in ? i : i - model->main.num_inputs);
		const size_t offset = a->at[i].offset, length = a->at[i].length;

		if (in ? ANeuralNetworksExecution_setInputFromMemory(r->execution, n, NULL, memory,
								     offset, length)
		       : ANeuralNetworksExecution_setOutputFromMemory(r->execution, n, NULL, memory,
								      offset, length))
			return -1;
	}
	return 0;
}

static int run_hal(void *cookie)
{
	static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal *h = cookie;
	enum nnhal_status status = h->prepared->ops->execute_synchronously(
		h->prepared, &h->request, &config, NNHAL_NO_TIME, &result);

	nnhal_execution_result_clear(&result);
	return status != NNHAL_NONE;
}

static int open_hal(struct hal *h, const struct nnmodel *model, struct arguments *a)
{
	static struct nnhal_request_pool pool;
	struct nnhal_device *device;
	int fd;

	if (nnhal_open("cpu", &device, message, sizeof(message)) ||
	    prepare_and_wait(device, model, false, &h->prepared, message, sizeof(message)) !=
		    NNHAL_NONE ||
	    nnhal_memory_create(device, a->size, &fd))
		return -1;
	a->memory = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (a->memory == MAP_FAILED)
		return -1;
	pool.memory.fd = fd;
	pool.memory.prot = PROT_READ | PROT_WRITE;
	pool.memory.size = a->size;
	h->request = (struct nnhal_request){
		.size = sizeof(h->request),
		.inputs = a->at,
		.outputs = a->at + model->main.num_inputs,
		.num_inputs = model->main.num_inputs,
		.num_outputs = model->main.num_outputs,
		.pools = &pool,
		.num_pools = 1,
	};
	return 0;
}

static void count_kinds(const struct nnmodel_subgraph *g, struct peer *peer)
{
	for (uint32_t i = 0; i < g->num_operations; i++) {
		const struct nnmodel_operation *op = &g->operations[i];
		const enum nnmodel_type type = g->operands[op->outputs[0]].type;

		peer->float32s += type == NNMODEL_TENSOR_FLOAT32;
		peer->int8s += type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED;
		peer->uint8s += type == NNMODEL_TENSOR_QUANT8_ASYMM;
	}
}

int main(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	struct runtime runtime;
	struct hal hal = { 0 };
	struct peer peer = { 0 };
	const char *how = argc > 1 ? argv[1] : "", *path = argv[argc - 1], *folder = NULL;
	struct nnmodel *model;
	bool through_hal;
	int64_t start;

	if (argc == 4 && !strcmp(how, "cached"))
		folder = argv[2];
	else if (argc != 3 || (strcmp(how, "nnapi") && strcmp(how, "nnhal")))
		return peer_refuse("usage: peer_nnaccel nnapi|nnhal|cached FOLDER MODEL.tflite");
	through_hal = !strcmp(how, "nnhal");
	model = import(path);
	if (!model)
		return peer_refuse(message);
	snprintf(message, sizeof(message), "the shape of an input or output is unknown");
	if (place(&model->main, &arguments))
		return peer_refuse(message);
	start = peer_now_ns();
	if (through_hal ? open_hal(&hal, model, &arguments)
			: open_runtime(&runtime, model, &arguments, folder, path))
		return peer_refuse(message);
	peer.prepare_ns = peer_now_ns() - start;
	peer.nodes = peer.taken = (int)model->main.num_operations;
	count_kinds(&model->main, &peer);
	peer.run = through_hal ? run_hal : run_runtime;
	peer.cookie = through_hal ? (void *)&hal : (void *)&runtime;
	fill(path, &model->main, &arguments);
	if (peer.run(peer.cookie))
		return peer_refuse("the execution failed");
	return peer_serve(&peer);
}
