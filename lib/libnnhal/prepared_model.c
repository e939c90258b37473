// SPDX-License-Identifier: Apache-2.0
/*
 * The prepared model: a program in device memory, what requests are checked against, and its slots.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nnprog_shape.h"
#include "hal.h"
#include "trace.h"

#define MAX_IDLE_SLOTS 16u
#define MAX_IDLE_BYTES (4ull << 20) /* of all but the one used last */

/* FNV-1a of how the channels are quantized. */
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
	io->complete = io->scalar || io->rank > 0;
	io->scale = operand->scale;
	io->zero_point = operand->zero_point;
	io->channel_quant = channel_digest(operand);
	for (uint32_t i = 0; i < io->rank; i++) {
		io->dims[i] = operand->dims[i];
		io->complete = io->complete && io->dims[i] > 0;
	}
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

/*
 * Where constants live, so that no output is written there. The program has its own copy of them.
 */
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
	struct nnhal_slot *slot;

	while ((slot = pm->slots)) {
		pm->slots = slot->next;
		ops->mem_free(pm->dev->t, slot->mem);
		free(slot);
	}
	if (pm->program) {
		ops->program_hint(pm->dev->t, pm->program, pm->program_size, pm->generation, false);
		ops->mem_free(pm->dev->t, pm->program);
	}
	free(pm->inputs);
	free(pm->outputs);
	free(pm->constants);
	pthread_mutex_destroy(&pm->slots_lock);
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

int nnhal_pm_create(struct nnhal_dev *dev, const struct nnmodel *model, const void *program,
		    size_t size, uint32_t priority, struct nnhal_pm **out)
{
	NNHAL_TRACE_PC("load program");
	const struct nnhal_transport_ops *ops = dev->t->ops;
	const struct nnmodel_subgraph *graph = &model->main;
	struct nnhal_pm *pm;
	int ret;

	if (graph->num_inputs + graph->num_outputs > dev->t->max_args)
		return -E2BIG;
	pm = calloc(1, sizeof(*pm));
	if (!pm)
		return -ENOMEM;
	pm->base.ops = &nnhal_pm_ops;
	atomic_init(&pm->refs, 1);
	pthread_mutex_init(&pm->slots_lock, NULL);
	pm->dev = nnhal_dev_get(dev);
	pm->priority = priority;
	pm->num_inputs = graph->num_inputs;
	pm->num_outputs = graph->num_outputs;
	pm->program_size = size;
	pm->generation = atomic_fetch_add(&dev->program_generation, 1) + 1;

	ret = io_list(model, graph->inputs, graph->num_inputs, &pm->inputs);
	if (!ret)
		ret = io_list(model, graph->outputs, graph->num_outputs, &pm->outputs);
	if (!ret)
		ret = constant_extents(pm, model);
	if (!ret)
		ret = ops->mem_alloc(dev->t, size, true, &pm->program);
	if (ret) {
		pm_free(pm);
		return ret;
	}
	memcpy(pm->program->cpu, program, size);
	ops->program_hint(dev->t, pm->program, size, pm->generation, true);
	*out = pm;
	return 0;
}

int nnhal_slot_get(struct nnhal_pm *pm, uint64_t size, struct nnhal_slot **out)
{
	const struct nnhal_transport_ops *ops = pm->dev->t->ops;
	struct nnhal_slot *slot, **pos;
	int ret;

	pthread_mutex_lock(&pm->slots_lock);
	for (pos = &pm->slots; *pos && (*pos)->mem->size < size; pos = &(*pos)->next)
		;
	slot = *pos;
	if (slot) {
		*pos = slot->next;
	}
	pthread_mutex_unlock(&pm->slots_lock);

	if (!slot) {
		slot = calloc(1, sizeof(*slot));
		if (!slot)
			return -ENOMEM;
		ret = ops->mem_alloc(pm->dev->t, size, false, &slot->mem);
		if (ret) {
			free(slot);
			return ret;
		}
	}
	slot->next = NULL;
	*out = slot;
	return 0;
}

/* Under slots_lock: the idle ones beyond the bounds, the longest unused, chained by next. */
static struct nnhal_slot *trim_slots(struct nnhal_pm *pm)
{
	struct nnhal_slot **pos = &pm->slots->next, *excess;
	uint64_t bytes = 0;
	uint32_t count = 1;

	while (*pos && count < MAX_IDLE_SLOTS && bytes + (*pos)->mem->size <= MAX_IDLE_BYTES) {
		bytes += (*pos)->mem->size;
		count++;
		pos = &(*pos)->next;
	}
	excess = *pos;
	*pos = NULL;
	return excess;
}

void nnhal_slot_put(struct nnhal_pm *pm, struct nnhal_slot *slot)
{
	struct nnhal_slot *excess;

	/*
	 * the newest first: it is the one in the caches, and large enough for the requests of late
	 */
	pthread_mutex_lock(&pm->slots_lock);
	slot->next = pm->slots;
	pm->slots = slot;
	slot = trim_slots(pm);
	pthread_mutex_unlock(&pm->slots_lock);

	while ((excess = slot)) {
		slot = excess->next;
		pm->dev->t->ops->mem_free(pm->dev->t, excess->mem);
		free(excess);
	}
}
