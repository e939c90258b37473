// SPDX-License-Identifier: Apache-2.0
/*
 * The device of nnapi-reference: the in-process device, which also accepts models that can only be
 * checked with a request. The runtime is its only client: the model of prepare_model() is valid
 * until the callback.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

#include "reference/nnr_reference.h"

struct reference {
	struct nnhal_device base;
	struct nnhal_device *inner;
};

static struct nnhal_device *inner_of(struct nnhal_device *base)
{
	return ((struct reference *)base)->inner;
}

/* ---- supported operations ---- */

static bool has_parameter_input(const struct nnmodel_subgraph *main,
				const struct nnmodel_operation *op)
{
	uint32_t i;

	for (i = 0; i < op->num_inputs; i++) {
		const struct nnmodel_operand *o = &main->operands[op->inputs[i]];

		if (nnmodel_type_is_scalar(o->type) && o->lifetime == NNMODEL_SUBGRAPH_INPUT)
			return true;
	}
	return false;
}

/* An operation that the device refuses as it is: @reason becomes when it is decided. */
static void tell_when(char **reason, bool parameter)
{
	char *text;

	if (asprintf(&text, "%s%s%s",
		     parameter ? "specialized at execution" : "decided at execution",
		     *reason ? ": " : "", *reason ? *reason : "") < 0)
		return;
	free(*reason);
	*reason = text;
}

static enum nnhal_status get_supported_operations(struct nnhal_device *base,
						  const struct nnmodel *model, bool *supported,
						  char **reasons, struct nnmodel_error *err)
{
	struct nnhal_device *inner = inner_of(base);
	enum nnhal_status status =
		inner->ops->get_supported_operations(inner, model, supported, reasons, err);
	uint32_t i;

	for (i = 0; status == NNHAL_NONE && i < model->main.num_operations; i++) {
		const struct nnmodel_operation *op = &model->main.operations[i];

		if (supported[i] || !nnmodel_op_find(op->type))
			continue;
		supported[i] = true;
		if (reasons)
			tell_when(&reasons[i], has_parameter_input(&model->main, op));
	}
	return status;
}

/* ---- preparing ---- */

/* A preparation on the inner device. Each callback starts the next attempt. */
struct preparation {
	struct nnhal_device *inner;
	const struct nnmodel *model; /* the caller's until @callback */
	struct nnhal_prepare_config config; /* without members that are valid during the call only
					     */
	nnhal_prepared_cb callback;
	void *cookie;
	bool specialized; /* constants were passed on to IF and WHILE */
};

static void reference_device_answer(struct preparation *p, enum nnhal_status status,
				    struct nnhal_prepared_model *prepared, const char *message)
{
	p->callback(p->cookie, status, prepared, message);
	free(p);
}

static struct nnhal_prepared_model *keep(const struct preparation *p, const char *message)
{
	const uint32_t num = p->model->main.num_operations;
	bool *parameter = calloc((size_t)p->model->main.num_inputs + 1, sizeof(*parameter));
	bool *supported = calloc((size_t)num + 1, sizeof(*supported));
	struct nnhal_prepared_model *kept = NULL;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	/* if the device cannot answer, suspect all operations */
	if (parameter && supported &&
	    (p->inner->ops->get_supported_operations(p->inner, p->model, supported, NULL, &err) ==
		     NNHAL_NONE ||
	     memset(supported, 0, num)) &&
	    !nnr_mark_parameters(p->model, supported, parameter))
		kept = nnr_reference_model_new(p->inner, p->model, &p->config, parameter, message);
	free(parameter);
	free(supported);
	return kept;
}

static void prepared(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		     const char *message);

/* False: there is nothing to pass on, or no memory. */
static bool pass_constants_on(struct preparation *p)
{
	struct nnmodel *specialized;

	if (p->specialized || !nnr_has_constants(p->model) ||
	    nnr_specialize(p->model, NULL, &specialized))
		return false;
	p->specialized = true;
	p->inner->ops->prepare_model(p->inner, specialized, &p->config, prepared, p);
	nnmodel_free(specialized);
	return true;
}

/* The model is valid, but this device cannot make a program of it. */
static bool reference_device_refused(const struct preparation *p, enum nnhal_status status)
{
	return (status == NNHAL_GENERAL_FAILURE || status == NNHAL_INVALID_ARGUMENT) &&
	       !nnmodel_validate(p->model, NULL, NULL);
}

static void prepared(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		     const char *message)
{
	struct preparation *p = cookie;
	struct nnhal_prepared_model *kept;

	if (status == NNHAL_NONE || !reference_device_refused(p, status)) {
		reference_device_answer(p, status, model, message);
		return;
	}
	if (pass_constants_on(p))
		return;
	kept = keep(p, message ? message : "");
	if (!kept) {
		reference_device_answer(p, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT, NULL,
					"out of memory or descriptors");
		return;
	}
	nnutil_log(NNUTIL_LOG_WARNING, "nnapi-reference compiles this model at execution: %s",
		   message ? message : nnhal_status_name(status));
	reference_device_answer(p, NNHAL_NONE, kept, NULL);
}

static enum nnhal_status prepare_model(struct nnhal_device *base, const struct nnmodel *model,
				       const struct nnhal_prepare_config *config,
				       nnhal_prepared_cb callback, void *cookie)
{
	struct nnhal_device *inner = inner_of(base);
	struct preparation *p = malloc(sizeof(*p));

	if (!p) {
		callback(cookie, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT, NULL, "out of memory");
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	*p = (struct preparation){
		.inner = inner, .model = model, .callback = callback, .cookie = cookie,
		.config = {
			.size = sizeof(p->config),
			.preference = config->preference, .priority = config->priority,
			.deadline_ns = config->deadline_ns,
		},
	};
	/* nnapi-reference has no cache files and ignores hints. Refusals come by the callback */
	inner->ops->prepare_model(inner, model, config, prepared, p);
	return NNHAL_NONE;
}

/* ---- passed on to the inner device ---- */

static void reference_device_destroy(struct nnhal_device *base)
{
	struct nnhal_device *inner = inner_of(base);

	inner->ops->destroy(inner);
	free(base);
}

static enum nnhal_device_status get_status(struct nnhal_device *base)
{
	struct nnhal_device *inner = inner_of(base);

	return inner->ops->get_status(inner);
}

static enum nnhal_status get_capabilities(struct nnhal_device *base,
					  struct nnhal_capabilities *capabilities)
{
	struct nnhal_device *inner = inner_of(base);

	return inner->ops->get_capabilities(inner, capabilities);
}

static int create_memory(struct nnhal_device *base, uint64_t size, int *fd)
{
	return nnhal_memory_create(inner_of(base), size, fd);
}

/*
 * Without the properties that the runtime itself defines for nnapi-reference. Its memory is the
 * host's.
 */
static const struct nnhal_device_ops ops = {
	.size = sizeof(ops),
	.destroy = reference_device_destroy,
	.get_capabilities = get_capabilities,
	.get_supported_operations = get_supported_operations,
	.prepare_model = prepare_model,
	.get_status = get_status,
	.create_memory = create_memory,
};

struct nnhal_device *nnr_reference_new(struct nnhal_device *inner)
{
	struct reference *reference = calloc(1, sizeof(*reference));

	if (!reference)
		return NULL;
	reference->base.ops = &ops;
	reference->inner = inner;
	return &reference->base;
}
