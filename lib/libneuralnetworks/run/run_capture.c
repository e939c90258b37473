// SPDX-License-Identifier: Apache-2.0
/* Executions as files, for nnctl replay. */
#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nncapture.h"
#include "nnr_config.h"
#include "nnutil_clock.h"
#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "memory/nnr_memory.h"
#include "model/nnr_model.h"
#include "run/nnr_run.h"

/* A program that goes on after failures does not fill the disk. */
#define MAX_FAILURES 16u

struct nnr_run_capture {
	struct nncapture_value *values; /* of main's inputs, then outputs; no data: omitted */
	uint32_t num_inputs, num_outputs;
	struct nncapture_limits limits;
	bool first; /* it is captured if it succeeds, too */
};

static atomic_uint begun, failures, written;

bool nnr_run_capture_on(void)
{
	const struct nnr_settings *s = nnr_settings();

	return s->capture[0] &&
	       (atomic_load_explicit(&failures, memory_order_relaxed) < MAX_FAILURES ||
		atomic_load_explicit(&begun, memory_order_relaxed) < s->capture_first);
}

/* ---- values ---- */

/* Copy @size bytes that the host sees. Result code. */
static int value_copy(struct nncapture_value *value, const struct nnr_argument *arg, uint64_t size)
{
	const bool memory = arg->kind == NNR_ARG_MEMORY;
	void *copy;
	uint8_t *data;
	int result;

	if (memory && (arg->offset > arg->memory->shared.size ||
		       size > arg->memory->shared.size - arg->offset))
		return ANEURALNETWORKS_BAD_DATA;
	result = nnr_argument_data(arg, &data);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	copy = malloc((size_t)size + 1);
	if (!copy)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	if (memory)
		nnr_memory_cpu_access(arg->memory, false, true);
	memcpy(copy, data, (size_t)size);
	if (memory)
		nnr_memory_cpu_access(arg->memory, false, false);
	value->data = copy;
	value->size = (size_t)size;
	return ANEURALNETWORKS_NO_ERROR;
}

static int buffer_copy(struct nncapture_value *value, ANeuralNetworksMemory *buffer, uint64_t size)
{
	struct nnr_argument host = { .kind = NNR_ARG_MEMORY };
	int result = nnr_memory_create_host(size, &host.memory);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	result = nnr_memory_read_buffer(buffer, &host.memory->shared);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = value_copy(value, &host, size);
	nnr_memory_put(host.memory);
	return result;
}

/* The value of an argument with this shape. Result code. */
static int value_read(struct nncapture_value *value, const struct nnr_argument *arg, uint32_t type,
		      uint32_t known_rank, const uint32_t *known_dims)
{
	uint32_t dims[NNR_MAX_RANK], rank = known_rank;
	uint64_t size;

	if (arg->kind == NNR_ARG_NO_VALUE)
		return ANEURALNETWORKS_NO_ERROR;
	if (rank)
		memcpy(dims, known_dims, rank * sizeof(*dims));
	if (arg->kind == NNR_ARG_MEMORY && arg->memory->from_desc &&
	    !nnr_dims_merge(&rank, dims, arg->memory->initial_rank, arg->memory->initial_dims))
		return ANEURALNETWORKS_BAD_DATA;
	size = nnr_type_bytes(type, dims, rank);
	if (!size || size == UINT64_MAX)
		return ANEURALNETWORKS_BAD_DATA;
	return arg->kind == NNR_ARG_MEMORY && arg->memory->buffer
		       ? buffer_copy(value, arg->memory, size)
		       : value_copy(value, arg, size);
}

/* ---- begin ---- */

static void capture_free(struct nnr_run_capture *c)
{
	for (uint32_t i = 0; c->values && i < c->num_inputs + c->num_outputs; i++)
		free((void *)c->values[i].data);
	free(c->values);
	free(c);
}

static struct nncapture_limits limits_of(const struct nnr_run *run)
{
	struct nncapture_limits limits = { .loop_timeout_ns = run->loop_timeout_ns };
	int64_t now;

	if (run->deadline_ns != NNHAL_NO_TIME) {
		now = nnutil_boottime_ns();
		/* 0 would be none */
		limits.timeout_ns = run->deadline_ns > now ? (uint64_t)(run->deadline_ns - now) : 1;
	}
	return limits;
}

struct nnr_run_capture *nnr_run_capture_begin(const struct nnr_run *run)
{
	const struct nnmodel_subgraph *main = &run->plan->data->model->main;
	struct nnr_run_capture *c;
	int result = ANEURALNETWORKS_NO_ERROR;

	if (!nnr_run_capture_on())
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->num_inputs = main->num_inputs;
	c->num_outputs = main->num_outputs;
	c->limits = limits_of(run);
	c->first = atomic_fetch_add_explicit(&begun, 1, memory_order_relaxed) <
		   nnr_settings()->capture_first;
	c->values = calloc((size_t)c->num_inputs + c->num_outputs + 1, sizeof(*c->values));
	if (!c->values)
		result = ANEURALNETWORKS_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < c->num_inputs && result == ANEURALNETWORKS_NO_ERROR; i++) {
		const struct nnr_argument *arg = &run->inputs[i];

		result = value_read(&c->values[i], arg, main->operands[main->inputs[i]].type,
				    arg->rank, arg->dims);
		if (result != ANEURALNETWORKS_NO_ERROR)
			nnutil_log(NNUTIL_LOG_WARNING,
				   "the execution is not captured: input %u cannot be read (%s)", i,
				   nnutil_result_name(result));
	}
	if (result == ANEURALNETWORKS_NO_ERROR)
		return c;
	capture_free(c);
	return NULL;
}

/* ---- the file ---- */

/* The part of a capture that has a value: omitted operands are none of the file's arguments. */
struct arguments {
	struct nnmodel *model; /* a copy, with the shapes of the run */
	struct nncapture_value *values; /* inputs, then outputs; the data are the capture's */
};

static int inputs_keep(struct arguments *a, const struct nnr_run_capture *c,
		       const struct nnr_run *run)
{
	struct nnmodel_subgraph *main = &a->model->main;
	int ret = 0;

	main->num_inputs = 0;
	for (uint32_t i = 0; i < c->num_inputs && !ret; i++) {
		const struct nnr_argument *arg = &run->inputs[i];
		const uint32_t operand = main->inputs[i];

		if (!c->values[i].data) {
			main->operands[operand].lifetime = NNMODEL_NO_VALUE;
			continue;
		}
		if (arg->rank)
			ret = nnr_operand_set_dims(&main->operands[operand], arg->rank, arg->dims);
		a->values[main->num_inputs] = c->values[i];
		main->inputs[main->num_inputs++] = operand;
	}
	return ret;
}

static int outputs_keep(struct arguments *a, const struct nnr_run_capture *c,
			const struct nnr_run *run)
{
	struct nnmodel_subgraph *main = &a->model->main;
	int ret = 0;

	main->num_outputs = 0;
	for (uint32_t i = 0; i < c->num_outputs && !ret; i++) {
		const struct nnhal_output_shape *shape = &run->shapes[i];
		const uint32_t operand = main->outputs[i];

		if (run->outputs[i].kind == NNR_ARG_NO_VALUE) {
			main->operands[operand].lifetime = NNMODEL_TEMPORARY_VARIABLE;
			continue;
		}
		if (shape->rank)
			ret = nnr_operand_set_dims(&main->operands[operand], shape->rank,
						   shape->dims);
		a->values[main->num_inputs + main->num_outputs] = c->values[c->num_inputs + i];
		main->outputs[main->num_outputs++] = operand;
	}
	return ret;
}

/* The devices of all steps, and which one failed. */
static void origin_print(char *text, size_t size, const struct nnr_run *run, int result)
{
	FILE *f = fmemopen(text, size, "w");
	const char *before = NULL;

	text[0] = '\0';
	if (!f)
		return;
	fputs("libneuralnetworks " NNR_PROJECT_VERSION, f);
	for (uint32_t g = 0; g < run->plan->num_graphs; g++)
		for (uint32_t n = 0; n < run->plan->graphs[g].num_nodes; n++) {
			const struct nnr_step *step = run->plan->graphs[g].nodes[n].step;

			if (!step || step->device->name == before)
				continue;
			before = step->device->name;
			fprintf(f, ", %s (%s)", before, step->device->version);
		}
	if (run->failed_device)
		fprintf(f, "; %s: %s", run->failed_device->name,
			nnutil_result_name(run->failed_result));
	if (result == ANEURALNETWORKS_NO_ERROR && run->failed_device)
		fputs(", the outputs are nnapi-reference's", f);
	else if (result != ANEURALNETWORKS_NO_ERROR)
		fprintf(f, "; result %s", nnutil_result_name(result));
	fclose(f);
	text[size - 1] = '\0';
}

/* malloc'ed. The time tells processes apart that had the same number. */
static char *path_make(uint32_t number)
{
	char program[64], when[32], *path;
	const time_t now = time(NULL);
	struct tm utc;

	snprintf(program, sizeof(program), "%s", program_invocation_short_name);
	for (char *c = program; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	gmtime_r(&now, &utc);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
	if (asprintf(&path, "%s/%s-%s-%d-%u.nnt", nnr_settings()->capture, program, when,
		     (int)getpid(), number) < 0)
		return NULL;
	return path;
}

static void file_write(const struct arguments *a, const struct nncapture_limits *limits,
		       const struct nnr_run *run, int result)
{
	char origin[256], *path = path_make(atomic_fetch_add(&written, 1));
	const bool success = result == ANEURALNETWORKS_NO_ERROR;
	struct nncapture_error error;

	if (!path)
		return;
	origin_print(origin, sizeof(origin), run, result);
	if (nncapture_write(
		    &(struct nncapture){
			    .name = program_invocation_short_name,
			    .origin = origin,
			    .model = a->model,
			    .inputs = a->values,
			    .outputs = success ? a->values + a->model->main.num_inputs : NULL,
			    .limits = *limits,
		    },
		    path, &error))
		nnutil_log(NNUTIL_LOG_ERROR, "the execution is not captured: %s", error.text);
	else
		nnutil_log(NNUTIL_LOG_WARNING, "captured the execution: %s (nnctl replay runs it)",
			   path);
	free(path);
}

static void capture_write(const struct nnr_run_capture *c, const struct nnr_run *run, int result)
{
	struct arguments a = { .model = nnmodel_clone(run->plan->data->model) };

	a.values = calloc((size_t)c->num_inputs + c->num_outputs + 1, sizeof(*a.values));
	if (a.model && a.values && !inputs_keep(&a, c, run) && !outputs_keep(&a, c, run))
		file_write(&a, &c->limits, run, result);
	else
		nnutil_log(NNUTIL_LOG_ERROR, "the execution is not captured: out of memory");
	free(a.values);
	nnmodel_free(a.model);
}

/* ---- end ---- */

/* Another result says nothing of the device: time, memory, arguments, too small outputs. */
static bool device_failed(const struct nnr_run *run, int result)
{
	return run->failed_device || result == ANEURALNETWORKS_OP_FAILED ||
	       result == ANEURALNETWORKS_DEAD_OBJECT;
}

static bool failure_is_wanted(void)
{
	const uint32_t before = atomic_fetch_add(&failures, 1);

	if (before == MAX_FAILURES - 1)
		nnutil_log(
			NNUTIL_LOG_WARNING,
			"%u failures of this process are captured, which is the limit: later ones are not",
			MAX_FAILURES);
	return before < MAX_FAILURES;
}

static int outputs_read(struct nnr_run_capture *c, const struct nnr_run *run)
{
	const struct nnmodel_subgraph *main = &run->plan->data->model->main;
	int result = ANEURALNETWORKS_NO_ERROR;

	for (uint32_t i = 0; i < c->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = value_read(&c->values[c->num_inputs + i], &run->outputs[i],
				    main->operands[main->outputs[i]].type, run->shapes[i].rank,
				    run->shapes[i].dims);
	return result;
}

static bool is_wanted(struct nnr_run_capture *c, const struct nnr_run *run, int result)
{
	int read = ANEURALNETWORKS_NO_ERROR;

	if (device_failed(run, result) ? !failure_is_wanted() && !c->first
				       : result != ANEURALNETWORKS_NO_ERROR || !c->first)
		return false;
	if (result == ANEURALNETWORKS_NO_ERROR)
		read = outputs_read(c, run);
	if (read != ANEURALNETWORKS_NO_ERROR)
		nnutil_log(NNUTIL_LOG_WARNING,
			   "the execution is not captured: an output cannot be read (%s)",
			   nnutil_result_name(read));
	return read == ANEURALNETWORKS_NO_ERROR;
}

void nnr_run_capture_end(struct nnr_run_capture *c, const struct nnr_run *run, int result)
{
	if (!c)
		return;
	if (is_wanted(c, run, result))
		capture_write(c, run, result);
	capture_free(c);
}
