// SPDX-License-Identifier: Apache-2.0
/*
 * run_file MODEL INPUT... > OUTPUTS: a .tflite file on the devices that the runtime chooses. Each
 * INPUT is a file with the raw bytes of one input; the outputs are written one after the other.
 *
 * cc run_file.c $(pkg-config --cflags --libs nnaccel_model)
 *
 * Models that keep values (LSTM) begin with those of their first execution.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <android/NeuralNetworks.h>
#include <nnaccel_model.h>

#define MAX_ARGUMENTS 64

static void *memories[2 * MAX_ARGUMENTS];
static int num_memories;

static void *memory_new(uint64_t size)
{
	void *memory = num_memories < 2 * MAX_ARGUMENTS ? calloc(1, (size_t)size) : NULL;

	if (memory)
		memories[num_memories++] = memory;
	return memory;
}

static int inputs_set(const struct nnaccel_model *model, ANeuralNetworksExecution *execution,
		      char **paths)
{
	struct nnaccel_model_tensor t;
	struct nnaccel_model_state s;

	for (uint32_t i = 0; i < nnaccel_model_input_count(model); i++) {
		FILE *file = fopen(paths[i], "rb");
		void *memory = NULL;
		size_t got = 0;

		nnaccel_model_input(model, i, &t, sizeof(t));
		if (t.type != t.operand_type)
			fprintf(stderr, "input %s is INT64: %s has its numbers as INT32\n", t.name,
				paths[i]);
		memory = memory_new(t.operand_size);
		if (file && memory)
			got = fread(memory, 1, (size_t)t.operand_size, file);
		if (file)
			fclose(file);
		if (got != t.operand_size) {
			fprintf(stderr, "%s: input %s needs %llu bytes\n", paths[i], t.name,
				(unsigned long long)t.operand_size);
			return -1;
		}
		if (ANeuralNetworksExecution_setInput(execution, (int32_t)i, NULL, memory,
						      (size_t)t.operand_size))
			return -1;
	}
	for (uint32_t i = 0; i < nnaccel_model_state_count(model); i++) {
		void *memory;

		nnaccel_model_state(model, i, &s, sizeof(s));
		memory = memory_new(s.size);
		if (!memory)
			return -1;
		memset(memory, (int)s.fill, (size_t)s.size);
		if (ANeuralNetworksExecution_setInput(execution, (int32_t)s.input, NULL, memory,
						      (size_t)s.size))
			return -1;
	}
	return 0;
}

/* Memory of each output of the file, in @memory; those of states are not looked at. */
static int outputs_set(const struct nnaccel_model *model, ANeuralNetworksExecution *execution,
		       void **memory)
{
	struct nnaccel_model_tensor t;
	struct nnaccel_model_state s;

	for (uint32_t i = 0; i < nnaccel_model_output_count(model) && i < MAX_ARGUMENTS; i++) {
		nnaccel_model_output(model, i, &t, sizeof(t));
		memory[i] = memory_new(t.operand_size);
		if (!memory[i] ||
		    ANeuralNetworksExecution_setOutput(execution, (int32_t)i, NULL, memory[i],
						       (size_t)t.operand_size))
			return -1;
	}
	for (uint32_t i = 0; i < nnaccel_model_state_count(model); i++) {
		void *after;

		nnaccel_model_state(model, i, &s, sizeof(s));
		if (s.output == NNACCEL_MODEL_NO_OUTPUT)
			continue;
		after = memory_new(s.size);
		if (!after || ANeuralNetworksExecution_setOutput(execution, (int32_t)s.output, NULL,
								 after, (size_t)s.size))
			return -1;
	}
	return 0;
}

static int model_run(const struct nnaccel_model *model, char **paths)
{
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksExecution *execution = NULL;
	void *memory[MAX_ARGUMENTS] = { NULL };
	struct nnaccel_model_tensor t;
	int ret = -1;

	if (ANeuralNetworksCompilation_create(nnaccel_model_nnapi(model), &compilation) ||
	    ANeuralNetworksCompilation_finish(compilation)) {
		fprintf(stderr, "the model cannot be compiled: set NNAPI_LOG=info\n");
	} else if (ANeuralNetworksExecution_create(compilation, &execution) ||
		   inputs_set(model, execution, paths) || outputs_set(model, execution, memory) ||
		   ANeuralNetworksExecution_compute(execution)) {
		fprintf(stderr, "the execution failed\n");
	} else {
		ret = 0;
		for (uint32_t i = 0; i < nnaccel_model_output_count(model); i++) {
			nnaccel_model_output(model, i, &t, sizeof(t));
			if (fwrite(memory[i], 1, (size_t)t.operand_size, stdout) != t.operand_size)
				ret = -1;
		}
	}
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	return ret;
}

int main(int argc, char **argv)
{
	struct nnaccel_model *model;
	char message[256];
	int ret = 1;

	if (argc < 2) {
		fprintf(stderr, "usage: run_file MODEL INPUT... > OUTPUTS\n");
		return 2;
	}
	if (nnaccel_model_open(argv[1], 0, &model, message, sizeof(message))) {
		fprintf(stderr, "%s: %s\n", argv[1], message);
		return 1;
	}
	if (nnaccel_model_input_count(model) != (uint32_t)argc - 2 || argc > MAX_ARGUMENTS ||
	    nnaccel_model_output_count(model) > MAX_ARGUMENTS)
		fprintf(stderr, "%s: it has %u inputs, and %u outputs\n", argv[1],
			nnaccel_model_input_count(model), nnaccel_model_output_count(model));
	else
		ret = model_run(model, argv + 2) ? 1 : 0;
	while (num_memories)
		free(memories[--num_memories]);
	nnaccel_model_free(model);
	return ret;
}
