/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the delegate of TensorFlow Lite and the execution provider of ONNX Runtime share: settings,
 * the runtime, executions, comparisons, explanations.
 */
#ifndef NNACCEL_DELEGATE_COMMON_H
#define NNACCEL_DELEGATE_COMMON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "android/NeuralNetworks.h"
#include "nnclient.h"
#include "nnmodel.h"
#include "nnutil_log.h"

/* delegate_settings.c: the options of the delegate: Documentation/tflite-delegate.rst. */

enum delegate_log {
	DELEGATE_LOG_OFF,
	DELEGATE_LOG_SUMMARY, /* a line per graph */
	DELEGATE_LOG_NODES, /* and one for each node that stays */
	DELEGATE_LOG_ALL, /* and one for each node that does not */
};

struct delegate_settings {
	char *devices; /* names with commas; NULL: all */
	char *cache_dir; /* NULL: none */
	char *isolation; /* of the process; NULL: the runtime's setting */
	int32_t preference; /* of the NDK; -1: its default */
	bool fp16;
	bool require_all;
	uint32_t min_nodes;
	char *compare; /* the device that computes a sample, too; NULL: none */
	uint32_t sample; /* computations for one of the sample */
	enum delegate_log log;
	FILE *explain; /* explain_lines.c; NULL: none */
};

/**
 * Read @count options. False: one is unknown, given twice, or has an invalid value; @message says
 * which. delegate_settings_clear() whatever the outcome.
 */
bool delegate_settings_read(struct delegate_settings *settings, const char *const *keys,
			    const char *const *values, size_t count, char *message, size_t size);
void delegate_settings_clear(struct delegate_settings *settings);

/* Why a node stays with TensorFlow Lite, or a call fails. */

/** A reason, in a sentence without a full stop. */
struct delegate_reason {
	char text[320];
};

/** Write a reason, with a format. The value is @error. */
#define DELEGATE_REFUSE(reason, error, ...) \
	nnutil_refuse((reason)->text, sizeof((reason)->text), error, __VA_ARGS__)

/*
 * delegate_runtime.c: models on the devices of the settings: whether these support them, and
 * compilations for them.
 */

/**
 * Set the isolation, and look the devices up: a wrong name fails before any model. False: @message
 * has the reason.
 */
bool delegate_settings_apply(const struct delegate_settings *settings, char *message, size_t size);

/**
 * Whether the devices support all operations: 0. Else the reason, and *@operation, the first one
 * that none supports; UINT32_MAX: none in particular.
 */
int delegate_ask_devices(const struct nnmodel *model, const struct delegate_settings *settings,
			 uint32_t *operation, struct delegate_reason *reason);

/**
 * Create a compilation of @model, which must outlive it, as the settings have it. 0, or -errno with
 * the reason; runtime_model_free() and ANeuralNetworksCompilation_free() whatever the outcome.
 */
int delegate_compilation_create(struct nnmodel *model, const struct delegate_settings *settings,
				struct runtime_model *runtime,
				ANeuralNetworksCompilation **compilation,
				struct delegate_reason *reason);
int delegate_compilation_finish(ANeuralNetworksCompilation *compilation,
				const struct delegate_settings *settings,
				struct delegate_reason *reason);

/** The log's line of a graph, if the settings want it. */
void delegate_log_graph(const struct delegate_settings *settings, uint32_t nodes,
			uint32_t delegated, int partitions);

/*
 * explain_lines.c: lines of the file of the option "explain", without the members that describe a
 * node of the host. Functions do nothing without the option, but release what they get.
 */

/**
 * A graph of @nodes nodes. @stay: an array of an object for each that is not delegated; released.
 */
void explain_graph(const struct delegate_settings *settings, uint32_t nodes, int partitions,
		   cJSON *stay);

/** A partition after its compilation, whatever the outcome. @nodes: an array; released. */
void explain_partition(const struct delegate_settings *settings, cJSON *nodes,
		       const ANeuralNetworksCompilation *compilation);

/** The comparisons of a partition (delegate_compare.c), @settings being those of the other device.
 * @widest: an array, of each output; released. */
void explain_comparison(const struct delegate_settings *settings, const char *where,
			uint64_t computations, uint64_t compared, uint64_t differ, cJSON *widest);

/*
 * delegate_compare.c: the options "compare" and "sample": a sample of the computations is done on
 * another device, too, and the outputs are compared.
 */

struct delegate_compare;

/**
 * Compile @model, which must outlive it, for the other device. @where: of messages, as "nodes 0 to
 * 7". *@compare is NULL without the option. 0, or -errno with the reason.
 */
int delegate_compare_open(struct nnmodel *model, const struct delegate_settings *settings,
			  const char *where, struct delegate_compare **compare,
			  struct delegate_reason *reason);
/** Report what was found to the log and the file of "explain"; NULL: nothing. */
void delegate_compare_close(struct delegate_compare *compare);

/**
 * After a computation with @data (delegate_run()): compute again if it is one of the sample. The
 * caller's result is what it was, whatever this finds. Any thread; NULL: nothing.
 */
void delegate_compare_look(struct delegate_compare *compare, void *const *data);

/*
 * Executions of a compiled model with memory for its arguments: its inputs, then
 * its outputs.
 */

/** Number of arguments. */
static inline uint32_t delegate_num_arguments(const struct nnmodel *model)
{
	return model->main.num_inputs + model->main.num_outputs;
}

/**
 * Compute once. @data: the memory of each argument, of its size. 0, or -errno with the reason.
 * Threads may compute with one compilation at a time, each with memory of its own.
 */
int delegate_run(ANeuralNetworksCompilation *compilation, const struct nnmodel *model,
		 void *const *data, struct delegate_reason *reason);

#endif
