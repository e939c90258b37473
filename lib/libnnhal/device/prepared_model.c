// SPDX-License-Identifier: Apache-2.0
/*
 * Prepared models: a program in device memory, what requests are checked against, and staging
 * areas.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nnhal_base.h"
#include "device/nnhal_device.h"
#include "nnprog_format.h"
#include "nnprog_shape.h"

#define MAX_IDLE_STAGING 16u
#define MAX_IDLE_BYTES (4ull << 20) /* of all areas but the last used */

/* FNV-1a digest of the quantization of channels. */
static uint64_t channel_digest(const struct nnmodel_operand *operand)
{
	const uint8_t *bytes = (const uint8_t *)operand->scales;
	uint64_t digest = 0xcbf29ce484222325ull ^ operand->channel_dim;

	if (!operand->num_scales)
		return 0;
	for (size_t i = 0; i < operand->num_scales * sizeof(*operand->scales); i++)
		digest = (digest ^ bytes[i]) * 0x100000001b3ull;
	return digest ? digest : 1;
}

static int io_init(struct nnhal_io *io, const struct nnmodel *model,
		   const struct nnmodel_operand *operand)
{
	const struct nnhal_lower_type *ext = nnhal_lower_type(model, operand->type);

	io->type = operand->type;
	io->scalar = ext ? !ext->is_tensor : nnmodel_type_is_scalar(operand->type);
	io->element = ext ? ext->byte_size : (uint32_t)nnmodel_type_size(operand->type);
	if (io->element == 0 || operand->rank > NNPROG_MAX_RANK)
		return -EOPNOTSUPP;
	io->rank = operand->rank;
	io->scale = operand->scale;
	io->zero_point = operand->zero_point;
	io->channel_quant = channel_digest(operand);
	for (uint32_t i = 0; i < io->rank; i++)
		io->dims[i] = operand->dims[i];
	nnhal_io_complete(io);
	return 0;
}

static int io_list(const struct nnmodel *model, const uint32_t *list, uint32_t count,
		   struct nnhal_io **out)
{
	int ret = 0;

	*out = calloc(count ? count : 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = io_init(&(*out)[i], model, &model->main.operands[list[i]]);
	return ret;
}

static int graph_extents(struct nnhal_pm *pm, const struct nnmodel *model,
			 const struct nnmodel_subgraph *graph)
{
	for (uint32_t i = 0; i < graph->num_operands; i++) {
		const struct nnmodel_location *l = &graph->operands[i].location;
		struct nnhal_extent *e = &pm->constants[pm->num_constants];
		const struct nnmodel_pool *pool;
		struct stat st;

		if (graph->operands[i].lifetime != NNMODEL_CONSTANT_REFERENCE)
			continue;
		pool = &model->pools[l->pool];
		if (fstat(pool->fd, &st))
			return -errno;
		e->id = (struct nnhal_identity){ st.st_dev, st.st_ino };
		e->begin = pool->offset + l->offset;
		e->end = e->begin + l->length;
		pm->num_constants++;
	}
	return 0;
}

/* Record where constants live, so that no output is written there. The program has its own copy. */
static int constant_extents(struct nnhal_pm *pm, const struct nnmodel *model)
{
	size_t operands = model->main.num_operands;
	int ret;

	for (uint32_t i = 0; i < model->num_referenced; i++)
		operands += model->referenced[i].num_operands;
	pm->constants = calloc(operands ? operands : 1, sizeof(*pm->constants));
	if (!pm->constants)
		return -ENOMEM;
	ret = graph_extents(pm, model, &model->main);
	for (uint32_t i = 0; i < model->num_referenced && !ret; i++)
		ret = graph_extents(pm, model, &model->referenced[i]);
	return ret;
}

static void pm_free(struct nnhal_pm *pm)
{
	const struct nnhal_transport_ops *ops = pm->dev->t->ops;
	struct nnhal_staging *staging;

	while ((staging = pm->staging)) {
		pm->staging = staging->next;
		ops->mem_free(pm->dev->t, staging->mem);
		free(staging);
	}
	if (pm->program) {
		ops->program_hint(pm->dev->t, pm->program, pm->program_offset, pm->program_size,
				  pm->generation, false);
		ops->mem_free(pm->dev->t, pm->program);
	}
	free(pm->inputs);
	free(pm->outputs);
	free(pm->constants);
	pthread_mutex_destroy(&pm->staging_lock);
	nnhal_dev_put(pm->dev);
	free(pm);
}

struct nnhal_pm *nnhal_pm_get(struct nnhal_pm *pm)
{
	atomic_fetch_add_explicit(&pm->refs, 1, memory_order_relaxed);
	return pm;
}

void nnhal_pm_put(struct nnhal_pm *pm)
{
	if (atomic_fetch_sub_explicit(&pm->refs, 1, memory_order_acq_rel) == 1)
		pm_free(pm);
}

static uint32_t operations_count(const struct nnhal_program *program)
{
	const struct nnprog_header *header = nnhal_program_bytes(program);

	return program->size < sizeof(*header) ? 0 : header->sections[NNPROG_OPERATIONS].count;
}

int nnhal_pm_create(struct nnhal_dev *dev, const struct nnmodel *model,
		    struct nnhal_program *program, uint32_t priority, struct nnhal_pm **out)
{
	NNHAL_TRACE_PC("load program");
	const struct nnmodel_subgraph *graph = &model->main;
	struct nnhal_pm *pm;
	int ret;

	if (graph->num_inputs + graph->num_outputs > dev->t->max_args)
		return -E2BIG;
	pm = calloc(1, sizeof(*pm));
	if (!pm)
		return -ENOMEM;
	pm->base.ops = dev->pm_ops;
	atomic_init(&pm->refs, 1);
	pthread_mutex_init(&pm->staging_lock, NULL);
	pm->dev = nnhal_dev_get(dev);
	pm->priority = priority;
	pm->num_inputs = graph->num_inputs;
	pm->num_outputs = graph->num_outputs;
	pm->program_size = program->size;
	pm->num_operations = operations_count(program);
	pm->generation = atomic_fetch_add(&dev->program_generation, 1) + 1;

	ret = io_list(model, graph->inputs, graph->num_inputs, &pm->inputs);
	if (!ret)
		ret = io_list(model, graph->outputs, graph->num_outputs, &pm->outputs);
	if (!ret)
		ret = constant_extents(pm, model);
	if (!ret)
		ret = nnhal_program_place(program, dev, &pm->program, &pm->program_offset);
	if (ret) {
		pm_free(pm);
		return ret;
	}
	*out = pm;
	return 0;
}

void nnhal_pm_load_ahead(struct nnhal_pm *pm)
{
	pm->dev->t->ops->program_hint(pm->dev->t, pm->program, pm->program_offset, pm->program_size,
				      pm->generation, true);
}

int nnhal_staging_get(struct nnhal_pm *pm, uint64_t size, struct nnhal_staging **out)
{
	const struct nnhal_transport_ops *ops = pm->dev->t->ops;
	struct nnhal_staging *staging, **pos;
	int ret;

	pthread_mutex_lock(&pm->staging_lock);
	for (pos = &pm->staging; *pos && (*pos)->mem->size < size; pos = &(*pos)->next)
		;
	staging = *pos;
	if (staging) {
		*pos = staging->next;
	}
	pthread_mutex_unlock(&pm->staging_lock);

	if (!staging) {
		staging = calloc(1, sizeof(*staging));
		if (!staging)
			return -ENOMEM;
		ret = ops->mem_alloc(pm->dev->t, size, false, &staging->mem);
		if (ret) {
			free(staging);
			return ret;
		}
	}
	staging->next = NULL;
	*out = staging;
	return 0;
}

/*
 * Under staging_lock: take out the idle areas beyond the bounds, the longest unused, chained by
 * next.
 */
static struct nnhal_staging *trim_staging(struct nnhal_pm *pm)
{
	struct nnhal_staging **pos = &pm->staging->next, *excess;
	uint64_t bytes = 0;
	uint32_t count = 1;

	while (*pos && count < MAX_IDLE_STAGING && bytes + (*pos)->mem->size <= MAX_IDLE_BYTES) {
		bytes += (*pos)->mem->size;
		count++;
		pos = &(*pos)->next;
	}
	excess = *pos;
	*pos = NULL;
	return excess;
}

void nnhal_staging_put(struct nnhal_pm *pm, struct nnhal_staging *staging)
{
	struct nnhal_staging *excess;

	/* the last used first: it is in the CPU caches, and large enough for recent requests */
	pthread_mutex_lock(&pm->staging_lock);
	staging->next = pm->staging;
	pm->staging = staging;
	staging = trim_staging(pm);
	pthread_mutex_unlock(&pm->staging_lock);

	while ((excess = staging)) {
		staging = excess->next;
		pm->dev->t->ops->mem_free(pm->dev->t, excess->mem);
		free(excess);
	}
}
