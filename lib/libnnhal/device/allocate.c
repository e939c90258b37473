// SPDX-License-Identifier: Apache-2.0
/*
 * IDevice::allocate: merge what the roles and the description say about a buffer. A contradiction
 * is INVALID_ARGUMENT; a shape that stays unknown is GENERAL_FAILURE, as in the sample driver of
 * NNAPI.
 */
#include <stdlib.h>
#include <string.h>

#include "device/nnhal_device.h"
#include "values/nnhal_values.h"
#include "nnprog_shape.h"

#define MAX_ROLES 65536u

struct merged {
	struct nnhal_io io;
	bool begun;
	struct nnhal_role *roles;
	uint32_t num_roles;
};

static bool merge_dims(struct nnhal_io *io, uint32_t rank, const uint32_t *dims)
{
	return rank == 0 || (rank <= NNPROG_MAX_RANK && !io->scalar &&
			     nnmodel_shape_merge(&io->rank, io->dims, rank, dims));
}

static bool same_kind(const struct nnhal_io *a, const struct nnhal_io *b)
{
	return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point &&
	       a->channel_quant == b->channel_quant;
}

static bool add_role(struct merged *m, const struct nnhal_pm *pm,
		     const struct nnhal_buffer_role *role, bool output)
{
	const struct nnhal_io *io;

	if (role->io_index >= (output ? pm->num_outputs : pm->num_inputs))
		return false;
	if (!(role->probability > 0.0f && role->probability <= 1.0f))
		return false;
	for (uint32_t i = 0; i < m->num_roles; i++)
		if (m->roles[i].generation == pm->generation &&
		    m->roles[i].index == role->io_index && m->roles[i].output == output)
			return false;
	m->roles[m->num_roles++] = (struct nnhal_role){ pm->generation, role->io_index, output };

	io = output ? &pm->outputs[role->io_index] : &pm->inputs[role->io_index];
	if (!m->begun) {
		m->io = *io;
		m->begun = true;
		return true;
	}
	return same_kind(&m->io, io) && merge_dims(&m->io, io->rank, io->dims);
}

static bool add_roles(struct merged *m, struct nnhal_prepared_model *const *models,
		      uint32_t num_models, const struct nnhal_buffer_role *roles, uint32_t count,
		      bool output)
{
	for (uint32_t i = 0; i < count; i++)
		if (roles[i].model_index >= num_models ||
		    !add_role(m, (const struct nnhal_pm *)models[roles[i].model_index], &roles[i],
			      output))
			return false;
	return true;
}

static bool models_ours(const struct nnhal_dev *dev, struct nnhal_prepared_model *const *models,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!models[i] || models[i]->ops != dev->pm_ops ||
		    ((const struct nnhal_pm *)models[i])->dev != dev)
			return false;
	return true;
}

/* Bytes of the buffer; 0: its shape is unknown. */
static uint64_t complete_bytes(struct nnhal_io *io)
{
	uint64_t bytes;

	if (!nnhal_io_complete(io) || nnmodel_shape_bytes(io->element, io->rank, io->dims, &bytes))
		return 0;
	return bytes;
}

enum nnhal_status nnhal_allocate(struct nnhal_dev *dev, const struct nnhal_buffer_desc *desc,
				 struct nnhal_prepared_model *const *models, uint32_t num_models,
				 const struct nnhal_buffer_role *inputs, uint32_t num_inputs,
				 const struct nnhal_buffer_role *outputs, uint32_t num_outputs,
				 struct nnhal_buffer **buffer, uint32_t *token)
{
	struct nnhal_buffer_desc older;
	struct merged m = { 0 };
	struct nnhal_buf *buf;
	uint64_t bytes;
	int ret;

	*buffer = NULL;
	*token = 0;
	desc = desc ? nnmodel_sized_get(&nnhal_sized_buffer_desc, desc, &older) : NULL;
	if (!desc || (desc->rank && !desc->dims) || !num_models || !models ||
	    num_inputs > MAX_ROLES || num_outputs > MAX_ROLES || num_inputs + num_outputs == 0 ||
	    (num_inputs && !inputs) || (num_outputs && !outputs) ||
	    !models_ours(dev, models, num_models))
		return NNHAL_INVALID_ARGUMENT;
	m.roles = calloc(num_inputs + num_outputs, sizeof(*m.roles));
	if (!m.roles)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	if (!add_roles(&m, models, num_models, inputs, num_inputs, false) ||
	    !add_roles(&m, models, num_models, outputs, num_outputs, true) ||
	    !merge_dims(&m.io, desc->rank, desc->dims)) {
		free(m.roles);
		return NNHAL_INVALID_ARGUMENT;
	}
	bytes = complete_bytes(&m.io);
	/* a valid request that cannot be met is GENERAL_FAILURE */
	ret = bytes ? nnhal_buf_create(&dev->buffers, &m.io, bytes, m.roles, m.num_roles, &buf)
		    : -EOPNOTSUPP;
	if (ret) {
		free(m.roles);
		return ret == -ENODEV ? NNHAL_DEVICE_UNAVAILABLE : NNHAL_GENERAL_FAILURE;
	}
	*buffer = &buf->base;
	*token = buf->token;
	return NNHAL_NONE;
}
