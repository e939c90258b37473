// SPDX-License-Identifier: Apache-2.0
/*
 * A device behind an older interface. A feature that a version lacks is INVALID_ARGUMENT in an
 * argument, and GENERAL_FAILURE for a method. Timings stay in ns: a transport for HIDL converts
 * them to microseconds.
 */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "values/nnhal_values.h"
#include "view/view.h"

struct view {
	struct nnhal_device base;
	struct nnhal_device *dev;
	enum nnhal_version version;
};

static struct view *view_of(struct nnhal_device *base)
{
	return (struct view *)base;
}

static uint32_t level_of(enum nnhal_version version)
{
	return version < NNHAL_NATIVE ? (uint32_t)version + 1 : NNHAL_FEATURE_LEVEL;
}

/* ---- models ---- */

static bool known(const struct nnmodel_operand *o)
{
	if (nnmodel_type_is_scalar(o->type) || o->lifetime == NNMODEL_NO_VALUE)
		return true;
	for (uint32_t i = 0; i < o->rank; i++)
		if (!o->dims[i])
			return false;
	return o->rank > 0;
}

static bool all_known(const struct nnmodel_subgraph *g, const uint32_t *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!known(&g->operands[list[i]]))
			return false;
	return true;
}

/* Of a valid model: whether all inputs and outputs of control flow have known sizes. */
static bool control_flow_known(const struct nnmodel *model, const struct nnmodel_subgraph *g)
{
	for (uint32_t i = 0; i < g->num_operations; i++) {
		const struct nnmodel_operation *op = &g->operations[i];

		if (!nnmodel_names_subgraphs(op->type))
			continue;
		if (!all_known(g, op->inputs, op->num_inputs) ||
		    !all_known(g, op->outputs, op->num_outputs))
			return false;
		for (uint32_t k = 0; k < op->num_inputs; k++) {
			const struct nnmodel_operand *o = &g->operands[op->inputs[k]];
			const struct nnmodel_subgraph *sub;

			if (o->type != NNMODEL_SUBGRAPH)
				continue;
			sub = &model->referenced[o->location.offset];
			if (!all_known(sub, sub->inputs, sub->num_inputs) ||
			    !all_known(sub, sub->outputs, sub->num_outputs))
				return false;
		}
	}
	return true;
}

/* Features of models that the version lacks. */
static bool model_fits(enum nnhal_version version, const struct nnmodel *model,
		       struct nnmodel_error *err)
{
	const char *why = NULL;
	struct nnmodel older;
	uint32_t level = 0;
	bool control;

	if (!model || nnmodel_validate(model, &level, err))
		return false;
	model = nnmodel_sized_get(&nnhal_sized_model, model, &older);
	if (version == NNHAL_NATIVE)
		return true;
	control = control_flow_known(model, &model->main);
	for (uint32_t i = 0; i < model->num_referenced && control; i++)
		control = control_flow_known(model, &model->referenced[i]);
	if (level > level_of(version))
		why = "operations or types of a later feature level";
	else if (model->relaxed && version < NNHAL_HIDL_1_1)
		why = "relaxed arithmetic, which this HAL version lacks";
	else if (model->num_extensions && version < NNHAL_HIDL_1_2)
		why = "extensions, which this HAL version lacks";
	else if (model->num_referenced && version < NNHAL_HIDL_1_3)
		why = "subgraphs, which this HAL version lacks";
	else if (!control)
		why = "operands of unknown size in control flow";
	if (why && err) {
		struct nnmodel_error own = { .operation = UINT32_MAX, .operand = UINT32_MAX };

		snprintf(own.text, sizeof(own.text), "the model has %s", why);
		nnmodel_sized_put(&nnhal_sized_error, err, &own);
	}
	return !why;
}

bool *nnhal_view_outputs(const struct nnmodel *model)
{
	bool *outputs = calloc((size_t)model->main.num_outputs + 1, sizeof(*outputs));

	for (uint32_t i = 0; outputs && i < model->main.num_outputs; i++)
		outputs[i] = known(&model->main.operands[model->main.outputs[i]]);
	return outputs;
}

/* ---- IDevice ---- */

static void view_destroy(struct nnhal_device *base)
{
	free(base);
}

static const char *view_name(struct nnhal_device *base)
{
	return view_of(base)->dev->ops->name(view_of(base)->dev);
}

static const char *view_version(struct nnhal_device *base)
{
	return view_of(base)->dev->ops->version(view_of(base)->dev);
}

static enum nnhal_device_type view_type(struct nnhal_device *base)
{
	return view_of(base)->dev->ops->type(view_of(base)->dev);
}

static uint32_t view_level(struct nnhal_device *base)
{
	return level_of(view_of(base)->version);
}

/* The two or three figures of the first versions, as the NNAPI runtime maps them. */
static void first_capabilities(enum nnhal_version version, struct nnhal_capabilities *caps)
{
	struct nnhal_performance f32 = caps->operand[NNMODEL_TENSOR_FLOAT32];
	struct nnhal_performance q8 = caps->operand[NNMODEL_TENSOR_QUANT8_ASYMM];

	caps->operand[NNMODEL_FLOAT32] = f32;
	caps->operand[NNMODEL_INT32] = caps->operand[NNMODEL_UINT32] = q8;
	caps->operand[NNMODEL_TENSOR_INT32] = q8;
	if (version < NNHAL_HIDL_1_1)
		caps->relaxed_tensor = f32;
	caps->relaxed_scalar = caps->relaxed_tensor;
}

static enum nnhal_status view_capabilities(struct nnhal_device *base,
					   struct nnhal_capabilities *client)
{
	const struct nnhal_performance never = { FLT_MAX, FLT_MAX };
	struct nnhal_capabilities own = { .size = sizeof(own) }, *caps = &own;
	struct view *v = view_of(base);
	enum nnhal_status status = v->dev->ops->get_capabilities(v->dev, caps);
	uint32_t last = v->version < NNHAL_HIDL_1_2   ? NNMODEL_TENSOR_QUANT8_ASYMM
			: v->version < NNHAL_HIDL_1_3 ? NNMODEL_TENSOR_QUANT8_SYMM
						      : NNMODEL_SUBGRAPH;

	if (status)
		return nnhal_view_status(v->version, status);
	for (uint32_t i = last + 1; i < NNMODEL_TYPE_COUNT; i++)
		caps->operand[i] = never;
	if (v->version < NNHAL_HIDL_1_2)
		first_capabilities(v->version, caps);
	if (v->version < NNHAL_HIDL_1_3)
		caps->if_performance = caps->while_performance = never;
	return nnmodel_sized_put(&nnhal_sized_capabilities, client, caps) ? NNHAL_NONE
									  : NNHAL_INVALID_ARGUMENT;
}

static enum nnhal_status view_cache_files(struct nnhal_device *base, uint32_t *num_model,
					  uint32_t *num_data)
{
	struct view *v = view_of(base);

	*num_model = *num_data = 0;
	if (v->version < NNHAL_HIDL_1_2)
		return NNHAL_GENERAL_FAILURE;
	return nnhal_view_status(
		v->version, v->dev->ops->get_number_of_cache_files(v->dev, num_model, num_data));
}

static enum nnhal_status view_supported(struct nnhal_device *base, const struct nnmodel *model,
					bool *supported, char **reasons, struct nnmodel_error *err)
{
	struct view *v = view_of(base);

	if (!supported || !model_fits(v->version, model, err))
		return NNHAL_INVALID_ARGUMENT;
	return nnhal_view_status(v->version, v->dev->ops->get_supported_operations(
						     v->dev, model, supported, reasons, err));
}

struct answer {
	enum nnhal_version version;
	bool *outputs;
	uint32_t num_outputs;
	nnhal_prepared_cb callback;
	void *cookie;
};

static void idevice_view_prepared(void *cookie, enum nnhal_status status,
				  struct nnhal_prepared_model *model, const char *message)
{
	struct answer a = *(struct answer *)cookie;

	free(cookie);
	if (model) {
		model = nnhal_view_model_new(a.version, a.outputs, a.num_outputs, model);
		if (!model) {
			status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
			message = "out of memory";
		}
	} else {
		free(a.outputs);
	}
	a.callback(a.cookie, nnhal_view_status(a.version, status), model, message);
}

static bool prepare_config_fits(enum nnhal_version version, const struct nnhal_prepare_config *c)
{
	if (version < NNHAL_HIDL_1_1 && c->preference != NNHAL_FAST_SINGLE_ANSWER)
		return false;
	if (version < NNHAL_HIDL_1_2 && (c->num_model_cache || c->num_data_cache))
		return false;
	if (version < NNHAL_HIDL_1_3 &&
	    (c->priority != NNHAL_PRIORITY_MEDIUM || c->deadline_ns != NNHAL_NO_TIME))
		return false;
	return version >= NNHAL_AIDL_V4 || (!c->num_hints && !c->num_extensions);
}

static enum nnhal_status view_prepare(struct nnhal_device *base, const struct nnmodel *model,
				      const struct nnhal_prepare_config *config,
				      nnhal_prepared_cb callback, void *cookie)
{
	struct view *v = view_of(base);
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	enum nnhal_status status = NNHAL_INVALID_ARGUMENT;
	char message[NNHAL_MESSAGE] = "the configuration has fields that this HAL version lacks";
	const struct nnhal_prepare_config *known;
	struct nnhal_prepare_config older;
	struct answer *a;

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	known = nnhal_prepare_config_upgrade(config, &older, message);
	if (!known || !prepare_config_fits(v->version, known) ||
	    !model_fits(v->version, model, &err)) {
		callback(cookie, status, NULL, err.text[0] ? err.text : message);
		return status;
	}
	a = calloc(1, sizeof(*a));
	if (a && v->version < NNHAL_HIDL_1_2) {
		a->outputs = nnhal_view_outputs(model);
		if (!a->outputs) {
			free(a);
			a = NULL;
		}
	}
	if (!a) {
		callback(cookie, NNHAL_GENERAL_FAILURE, NULL, "out of memory");
		return NNHAL_GENERAL_FAILURE;
	}
	a->version = v->version;
	a->num_outputs = model->main.num_outputs;
	a->callback = callback;
	a->cookie = cookie;
	return nnhal_view_status(v->version, v->dev->ops->prepare_model(v->dev, model, config,
									idevice_view_prepared, a));
}

static enum nnhal_device_status view_get_status(struct nnhal_device *base)
{
	return view_of(base)->dev->ops->get_status(view_of(base)->dev);
}

static enum nnhal_status
view_extensions(struct nnhal_device *base,
		int (*found)(void *cookie, const struct nnhal_extension *ext), void *cookie)
{
	struct view *v = view_of(base);

	if (v->version < NNHAL_HIDL_1_2)
		return NNHAL_GENERAL_FAILURE;
	return nnhal_view_status(v->version,
				 v->dev->ops->get_supported_extensions(v->dev, found, cookie));
}

static enum nnhal_status view_from_cache(struct nnhal_device *base, int64_t deadline_ns,
					 const int *model_cache, uint32_t num_model_cache,
					 const int *data_cache, uint32_t num_data_cache,
					 const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
					 nnhal_prepared_cb callback, void *cookie)
{
	struct view *v = view_of(base);
	enum nnhal_status status = NNHAL_GENERAL_FAILURE;
	struct answer *a = NULL;

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	if (v->version == NNHAL_HIDL_1_2 && deadline_ns != NNHAL_NO_TIME)
		status = NNHAL_INVALID_ARGUMENT;
	else if (v->version >= NNHAL_HIDL_1_2)
		a = calloc(1, sizeof(*a));
	if (!a) {
		callback(cookie, status, NULL, "this HAL version lacks this method");
		return status;
	}
	*a = (struct answer){ .version = v->version, .callback = callback, .cookie = cookie };
	return nnhal_view_status(v->version, v->dev->ops->prepare_model_from_cache(
						     v->dev, deadline_ns, model_cache,
						     num_model_cache, data_cache, num_data_cache,
						     token, idevice_view_prepared, a));
}

static enum nnhal_status view_allocate(struct nnhal_device *base,
				       const struct nnhal_buffer_desc *desc,
				       struct nnhal_prepared_model *const *models,
				       uint32_t num_models, const struct nnhal_buffer_role *inputs,
				       uint32_t num_inputs, const struct nnhal_buffer_role *outputs,
				       uint32_t num_outputs, struct nnhal_buffer **buffer,
				       uint32_t *token)
{
	struct view *v = view_of(base);
	struct nnhal_prepared_model **inner;
	enum nnhal_status status;

	*buffer = NULL;
	*token = 0;
	if (v->version < NNHAL_HIDL_1_3)
		return NNHAL_GENERAL_FAILURE;
	if (!models || !num_models)
		return NNHAL_INVALID_ARGUMENT;
	inner = calloc(num_models, sizeof(struct nnhal_prepared_model *));
	if (!inner)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	for (uint32_t i = 0; i < num_models; i++)
		inner[i] = models[i] ? nnhal_view_inner(models[i]) : NULL;
	status = v->dev->ops->allocate(v->dev, desc, inner, num_models, inputs, num_inputs, outputs,
				       num_outputs, buffer, token);
	free(inner);
	return nnhal_view_status(v->version, status);
}

/* No interface has these methods: the device answers. */
static int view_create_memory(struct nnhal_device *base, uint64_t size, int *fd)
{
	return nnhal_memory_create(view_of(base)->dev, size, fd);
}

static int view_info(struct nnhal_device *base, struct nnhal_device_info *info)
{
	return nnhal_device_get_info(view_of(base)->dev, info);
}

static int view_counters(struct nnhal_device *base, struct nnhal_counters *counters)
{
	return nnhal_device_get_counters(view_of(base)->dev, counters);
}

static const struct nnhal_device_ops view_ops = {
	.size = sizeof(view_ops),
	.destroy = view_destroy,
	.name = view_name,
	.version = view_version,
	.type = view_type,
	.feature_level = view_level,
	.get_capabilities = view_capabilities,
	.get_number_of_cache_files = view_cache_files,
	.get_supported_operations = view_supported,
	.prepare_model = view_prepare,
	.get_status = view_get_status,
	.get_supported_extensions = view_extensions,
	.prepare_model_from_cache = view_from_cache,
	.allocate = view_allocate,
	.create_memory = view_create_memory,
	.get_info = view_info,
	.get_counters = view_counters,
};

NNHAL_EXPORT int nnhal_view_create(struct nnhal_device *dev, enum nnhal_version version,
				   struct nnhal_device **out)
{
	struct view *v;

	if (!out)
		return -EINVAL;
	*out = NULL;
	/* the methods of IDevice are required; those behind them are not */
	if (!dev || !dev->ops ||
	    dev->ops->size < offsetof(struct nnhal_device_ops, create_memory) ||
	    (unsigned int)version > NNHAL_NATIVE)
		return -EINVAL;
	v = calloc(1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	v->base.ops = &view_ops;
	v->dev = dev;
	v->version = version;
	*out = &v->base;
	return 0;
}
