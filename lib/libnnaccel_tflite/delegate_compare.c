// SPDX-License-Identifier: Apache-2.0
/* Executions, and their comparison with those of another device. */
#include "delegate_common.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

/* The operand of argument @i, and its bytes. */
static const struct nnmodel_operand *delegate_argument(const struct nnmodel *model, uint32_t i)
{
	const struct nnmodel_subgraph *g = &model->main;

	return &g->operands[i < g->num_inputs ? g->inputs[i] : g->outputs[i - g->num_inputs]];
}

static size_t delegate_argument_size(const struct nnmodel *model, uint32_t i)
{
	const struct nnmodel_operand *o = delegate_argument(model, i);
	size_t size = nnmodel_type_size(o->type);

	for (uint32_t k = 0; k < o->rank; k++)
		size *= o->dims[k];
	return size;
}

static int set_arguments(ANeuralNetworksExecution *execution, const struct nnmodel *model,
			 void *const *data)
{
	const uint32_t inputs = model->main.num_inputs;
	int result = ANEURALNETWORKS_NO_ERROR;

	for (uint32_t i = 0; i < delegate_num_arguments(model) && !result; i++) {
		size_t size = delegate_argument_size(model, i);

		result = i < inputs ? ANeuralNetworksExecution_setInput(execution, (int32_t)i, NULL,
									data[i], size)
				    : ANeuralNetworksExecution_setOutput(execution,
									 (int32_t)(i - inputs),
									 NULL, data[i], size);
	}
	return result;
}

int delegate_run(ANeuralNetworksCompilation *compilation, const struct nnmodel *model,
		 void *const *data, struct delegate_reason *reason)
{
	ANeuralNetworksExecution *execution;
	int result = ANeuralNetworksExecution_create(compilation, &execution);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return DELEGATE_REFUSE(reason, -EIO, "the runtime has no execution: %s",
				       nnutil_result_name(result));
	result = set_arguments(execution, model, data);
	if (result != ANEURALNETWORKS_NO_ERROR) {
		ANeuralNetworksExecution_free(execution);
		return DELEGATE_REFUSE(reason, -EINVAL, "the runtime refuses an argument: %s",
				       nnutil_result_name(result));
	}
	result = ANeuralNetworksExecution_compute(execution);
	ANeuralNetworksExecution_free(execution);
	return result == ANEURALNETWORKS_NO_ERROR
		       ? 0
		       : DELEGATE_REFUSE(reason, -EIO,
					 "the execution failed: %s (NNAPI_LOG=info has the reason)",
					 nnutil_result_name(result));
}

/* Sums in another order, of float32 and of float16: a share of the greatest element. */
#define FLOAT32_BOUND 1e-3
#define FLOAT16_BOUND 1e-2

struct delegate_compare {
	struct nnmodel *model;
	struct delegate_settings settings; /* of the other device; its texts are the caller's */
	struct runtime_model runtime;
	ANeuralNetworksCompilation *compilation;
	char where[64];
	pthread_mutex_t lock; /* of all below */
	void **data; /* of each argument; the inputs are the caller's */
	double *widest; /* of each output */
	uint64_t invocations, compared, beyond;
	bool failed; /* the other device does not compute */
};

/* ---- one output ---- */

struct difference {
	size_t elements, beyond, at; /* @at: the element that differs most */
	double widest, bound;
};

static double delegate_compare_element(const struct nnmodel_operand *o, const void *data, size_t i)
{
	switch (o->type) {
	case NNMODEL_TENSOR_FLOAT32:
		return (double)((const float *)data)[i];
	case NNMODEL_TENSOR_FLOAT16:
		return (double)((const _Float16 *)data)[i];
	case NNMODEL_TENSOR_INT32:
		return ((const int32_t *)data)[i];
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
		return ((const int8_t *)data)[i];
	default:
		return ((const uint8_t *)data)[i];
	}
}

/* Of integers, more than a step. */
static double output_bound(const struct nnmodel_operand *o, const void *expected, size_t elements)
{
	bool half = o->type == NNMODEL_TENSOR_FLOAT16;
	double greatest = 0;

	if (o->type != NNMODEL_TENSOR_FLOAT32 && !half)
		return 1;
	for (size_t i = 0; i < elements; i++)
		if (isfinite(delegate_compare_element(o, expected, i)))
			greatest = fmax(greatest, fabs(delegate_compare_element(o, expected, i)));
	return greatest * (half ? FLOAT16_BOUND : FLOAT32_BOUND);
}

static struct difference output_compare(const struct nnmodel_operand *o, const void *got,
					const void *expected, size_t size)
{
	struct difference d = { .elements = size / nnmodel_type_size(o->type) };

	d.bound = output_bound(o, expected, d.elements);
	for (size_t i = 0; i < d.elements; i++) {
		double a = delegate_compare_element(o, got, i),
		       b = delegate_compare_element(o, expected, i), wide;

		if (a == b || (isnan(a) && isnan(b)))
			continue;
		wide = isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
		d.beyond += wide > d.bound;
		if (wide > d.widest) {
			d.widest = wide;
			d.at = i;
		}
	}
	return d;
}

/* ---- the sample ---- */

/* All outputs. A line for an output that is further away than before. */
static void compare_outputs(struct delegate_compare *c, void *const *got)
{
	const uint32_t inputs = c->model->main.num_inputs;
	bool beyond = false;

	for (uint32_t i = 0; i < c->model->main.num_outputs; i++) {
		const struct difference d = output_compare(
			delegate_argument(c->model, inputs + i), got[inputs + i],
			c->data[inputs + i], delegate_argument_size(c->model, inputs + i));

		beyond = beyond || d.beyond;
		if (d.widest <= c->widest[i])
			continue;
		c->widest[i] = d.widest;
		if (d.beyond && c->settings.log >= DELEGATE_LOG_SUMMARY)
			fprintf(stderr,
				"nnaccel: %s, computation %llu: output %u differs from that of %s in %zu of %zu elements, most by %.3g at element %zu\n",
				c->where, (unsigned long long)c->invocations, i,
				c->settings.devices, d.beyond, d.elements, d.widest, d.at);
	}
	c->beyond += beyond;
	c->compared++;
}

void delegate_compare_look(struct delegate_compare *c, void *const *data)
{
	struct delegate_reason reason;

	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	if (++c->invocations % c->settings.sample == 0 && !c->failed) {
		memcpy(c->data, data, c->model->main.num_inputs * sizeof(*data));
		c->failed = delegate_run(c->compilation, c->model, c->data, &reason);
		if (!c->failed)
			compare_outputs(c, data);
		else if (c->settings.log >= DELEGATE_LOG_SUMMARY)
			fprintf(stderr, "nnaccel: %s are not compared any more: %s: %s\n", c->where,
				c->settings.devices, reason.text);
	}
	pthread_mutex_unlock(&c->lock);
}

/* ---- opening, closing ---- */

static int compare_alloc(struct delegate_compare *c)
{
	const uint32_t inputs = c->model->main.num_inputs;

	c->data = calloc((size_t)delegate_num_arguments(c->model) + 1, sizeof(*c->data));
	c->widest = calloc((size_t)c->model->main.num_outputs + 1, sizeof(*c->widest));
	if (!c->data || !c->widest)
		return -ENOMEM;
	for (uint32_t i = inputs; i < delegate_num_arguments(c->model); i++) {
		c->data[i] = malloc(delegate_argument_size(c->model, i) + 1);
		if (!c->data[i])
			return -ENOMEM;
	}
	return 0;
}

static void compare_free(struct delegate_compare *c)
{
	ANeuralNetworksCompilation_free(c->compilation);
	runtime_model_free(&c->runtime);
	for (uint32_t i = c->model->main.num_inputs;
	     c->data && i < delegate_num_arguments(c->model); i++)
		free(c->data[i]);
	free(c->data);
	free(c->widest);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

int delegate_compare_open(struct nnmodel *model, const struct delegate_settings *settings,
			  const char *where, struct delegate_compare **compare,
			  struct delegate_reason *reason)
{
	struct delegate_compare *c;
	int ret;

	*compare = NULL;
	if (!settings->compare)
		return 0;
	c = calloc(1, sizeof(*c));
	if (!c)
		return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
	pthread_mutex_init(&c->lock, NULL);
	c->model = model;
	snprintf(c->where, sizeof(c->where), "%s", where);
	c->settings = *settings;
	c->settings.devices = settings->compare;
	c->settings.cache_dir = NULL;
	c->settings.fp16 = false;
	ret = compare_alloc(c) ? DELEGATE_REFUSE(reason, -ENOMEM, "out of memory") : 0;
	if (!ret)
		ret = delegate_compilation_create(model, &c->settings, &c->runtime, &c->compilation,
						  reason);
	if (!ret)
		ret = delegate_compilation_finish(c->compilation, &c->settings, reason);
	if (ret)
		compare_free(c);
	else
		*compare = c;
	return ret;
}

void delegate_compare_close(struct delegate_compare *c)
{
	cJSON *widest;

	if (!c)
		return;
	if (c->settings.log >= DELEGATE_LOG_SUMMARY)
		fprintf(stderr,
			"nnaccel: %s: %llu of %llu computations were compared to %s, %llu differ\n",
			c->where, (unsigned long long)c->compared,
			(unsigned long long)c->invocations, c->settings.devices,
			(unsigned long long)c->beyond);
	widest = cJSON_CreateArray();
	for (uint32_t i = 0; i < c->model->main.num_outputs; i++)
		cJSON_AddItemToArray(widest, isfinite(c->widest[i])
						     ? cJSON_CreateNumber(c->widest[i])
						     : cJSON_CreateString("infinite"));
	explain_comparison(&c->settings, c->where, c->invocations, c->compared, c->beyond, widest);
	compare_free(c);
}
