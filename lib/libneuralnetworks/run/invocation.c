// SPDX-License-Identifier: Apache-2.0
/*
 * Where values between steps live: one frame per graph, kept with its memory for the plan's next
 * runs. A value that crosses steps is in memory of a device that writes or reads it where that
 * device shares any; values of one device are in one memory.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"
#include "run/run.h"

#define MAX_CONTEXTS 4u
#define TEMP_ALIGN 64u
#define LEAST_DYNAMIC 64u /* bytes of a value whose size is not known at first */

/* Of every plan's list of free contexts. */
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

void nnr_contexts_forked(void)
{
	pthread_mutex_init(&contexts_lock, NULL);
}

/* ---- values ---- */

int nnr_temporary_reserve(struct nnr_temporary *temp, uint64_t bytes)
{
	ANeuralNetworksMemory *memory;
	void *data;
	int result;

	if (temp->capacity && bytes <= temp->capacity)
		return ANEURALNETWORKS_NO_ERROR;
	if (bytes < LEAST_DYNAMIC)
		bytes = LEAST_DYNAMIC;
	result = nnr_shared_create(temp->home, bytes, &memory, &data);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	nnr_memory_put(temp->memory);
	temp->memory = memory;
	temp->offset = 0;
	temp->capacity = bytes;
	return result;
}

void nnr_frame_place(struct nnr_frame *frame, uint32_t operand, const struct nnr_argument *place)
{
	struct nnr_argument *arg = &frame->args[operand];

	*arg = *place;
	arg->dims = frame->dims[operand];
	if (arg->rank)
		memcpy(arg->dims, place->dims, arg->rank * sizeof(*arg->dims));
}

int nnr_temporaries_pack(struct nnr_temporary *temps, const uint64_t *bytes, uint32_t num)
{
	ANeuralNetworksMemory *memory;
	ANeuralNetworksDevice *home;
	uint64_t total;
	uint32_t i, j;
	void *data;
	int result;

	for (i = 0; i < num; i++) {
		if (!bytes[i] || temps[i].memory)
			continue;
		home = temps[i].home;
		total = 0;
		for (j = i; j < num; j++)
			if (bytes[j] && !temps[j].memory && temps[j].home == home)
				total += (bytes[j] + TEMP_ALIGN - 1) & ~(uint64_t)(TEMP_ALIGN - 1);
		result = nnr_shared_create(home, total, &memory, &data);
		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
		total = 0;
		for (j = i; j < num; j++) {
			if (!bytes[j] || temps[j].memory || temps[j].home != home)
				continue;
			temps[j].memory = nnr_memory_get(memory);
			temps[j].offset = total;
			temps[j].capacity = bytes[j];
			total += (bytes[j] + TEMP_ALIGN - 1) & ~(uint64_t)(TEMP_ALIGN - 1);
		}
		nnr_memory_put(memory);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- loops ---- */

void nnr_loop_fini(struct nnr_loop *loop)
{
	uint32_t i, k;

	for (k = 0; k < 2; k++) {
		for (i = 0; loop->buffers[k] && i < loop->num_state; i++)
			nnr_memory_put(loop->buffers[k][i].memory);
		free(loop->buffers[k]);
	}
	free(loop->vars);
}

int nnr_loop_init(struct nnr_loop *loop, const struct nnr_plan *plan,
		  const struct nnmodel_subgraph *graph, const struct nnr_node *node,
		  ANeuralNetworksDevice *home)
{
	const struct nnmodel_operation *op = &graph->operations[node->operation];
	const struct nnmodel_subgraph *body =
		nnr_subgraph(plan->data->model, plan->graphs[node->graphs[1]].subgraph);
	int result = ANEURALNETWORKS_OUT_OF_MEMORY;
	uint64_t *bytes;
	uint32_t i, k;

	loop->num_inputs = op->num_inputs - 2;
	loop->num_state = body->num_outputs;
	if (loop->num_state > loop->num_inputs || op->num_outputs > loop->num_state)
		return ANEURALNETWORKS_OP_FAILED;
	loop->vars = calloc((size_t)loop->num_inputs + 1, sizeof(*loop->vars));
	bytes = calloc((size_t)loop->num_state + 1, sizeof(*bytes));
	for (k = 0; k < 2; k++)
		loop->buffers[k] = calloc((size_t)loop->num_state + 1, sizeof(*loop->buffers[k]));
	if (!loop->vars || !bytes || !loop->buffers[0] || !loop->buffers[1])
		goto out;
	for (i = 0; i < loop->num_state; i++) {
		const struct nnmodel_operand *o = &body->operands[body->outputs[i]];

		bytes[i] = nnr_type_bytes(o->type, o->dims, o->rank);
		loop->buffers[0][i].home = loop->buffers[1][i].home = home;
		if (!bytes[i] || bytes[i] == UINT64_MAX) {
			/* the planner lets no such loop come here */
			result = ANEURALNETWORKS_OP_FAILED;
			goto out;
		}
	}
	result = nnr_temporaries_pack(loop->buffers[0], bytes, loop->num_state);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_temporaries_pack(loop->buffers[1], bytes, loop->num_state);
out:
	free(bytes);
	return result;
}

/* ---- frames ---- */

/*
 * Calls @found for each operand that a node reads or writes. Models that IF and WHILE name are
 * operands as well.
 */
static void
for_each_operand(const struct nnmodel_subgraph *graph, const struct nnr_node *node, bool outputs,
		 void (*found)(void *cookie, const struct nnr_node *node, uint32_t operand),
		 void *cookie)
{
	const struct nnmodel_operation *op =
		node->kind == NNR_NODE_STEP ? NULL : &graph->operations[node->operation];
	const uint32_t *list = op ? (outputs ? op->outputs : op->inputs)
				  : (outputs ? node->step->outputs : node->step->inputs);
	uint32_t num = op ? (outputs ? op->num_outputs : op->num_inputs)
			  : (outputs ? node->step->num_outputs : node->step->num_inputs);
	uint32_t i;

	for (i = 0; i < num; i++)
		found(cookie, node, list[i]);
}

struct frame_builder {
	struct nnr_context *context;
	struct nnr_frame *frame;
	bool *written; /* by a node */
	uint64_t *bytes;
	bool no_memory;
};

static void touch(struct frame_builder *b, uint32_t operand)
{
	if (!b->frame->dims[operand])
		b->frame->dims[operand] = calloc(NNR_MAX_RANK, sizeof(uint32_t));
	if (!b->frame->dims[operand])
		b->no_memory = true;
}

/* nnapi-reference reads any memory as well as any other: who is not that decides. */
static void offer_home(struct nnr_temporary *temp, const struct nnr_node *node)
{
	if (node->kind == NNR_NODE_STEP && (!temp->home || temp->home->is_reference))
		temp->home = node->step->device;
}

static void found_written(void *cookie, const struct nnr_node *node, uint32_t operand)
{
	struct frame_builder *b = cookie;

	touch(b, operand);
	b->written[operand] = true;
	offer_home(&b->frame->temps[operand], node);
}

static void found_read(void *cookie, const struct nnr_node *node, uint32_t operand)
{
	struct frame_builder *b = cookie;

	touch(b, operand);
	b->frame->read[operand] = true;
	offer_home(&b->frame->temps[operand], node);
}

/* What the model itself says of an operand that control flow passes on. */
static int place_constant(struct nnr_context *c, struct nnr_frame *frame, uint32_t operand)
{
	const struct nnmodel *model = c->plan->data->model;
	const struct nnmodel_operand *o = &frame->graph->operands[operand];
	struct nnr_argument place = { .rank = o->rank,
				      .dims = o->dims,
				      .length = o->location.length };
	const struct nnmodel_pool *pool;
	ANeuralNetworksMemory *memory;

	if (o->lifetime == NNMODEL_NO_VALUE) {
		frame->args[operand] = (struct nnr_argument){ .kind = NNR_ARG_NO_VALUE };
		return ANEURALNETWORKS_NO_ERROR;
	}
	if (o->lifetime == NNMODEL_CONSTANT_COPY) {
		place.kind = NNR_ARG_POINTER;
		place.buffer = model->values + o->location.offset;
	} else if (o->lifetime == NNMODEL_CONSTANT_REFERENCE) {
		pool = &model->pools[o->location.pool];
		memory = c->pools[o->location.pool];
		if (!memory) {
			memory = nnr_memory_alloc();
			if (!memory)
				return ANEURALNETWORKS_OUT_OF_MEMORY;
			c->pools[o->location.pool] = memory;
			memory->shared = (struct nnhal_memory){
				.fd = fcntl(pool->fd, F_DUPFD_CLOEXEC, 0),
				.prot = pool->prot,
				.offset = pool->offset,
				.size = pool->size,
			};
			if (memory->shared.fd < 0)
				return ANEURALNETWORKS_OP_FAILED;
		}
		place.kind = NNR_ARG_MEMORY;
		place.memory = memory;
		place.offset = o->location.offset;
	} else {
		return ANEURALNETWORKS_NO_ERROR;
	}
	nnr_frame_place(frame, operand, &place);
	return ANEURALNETWORKS_NO_ERROR;
}

static int place_constants(struct nnr_context *c, struct nnr_frame *frame,
			   const struct nnr_node *node)
{
	const struct nnmodel_operation *op;
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	if (node->kind == NNR_NODE_STEP)
		return result;
	op = &frame->graph->operations[node->operation];
	for (i = 0; i < op->num_inputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = place_constant(c, frame, op->inputs[i]);
	return result;
}

static bool frame_alloc(struct frame_builder *b, uint32_t num_nodes)
{
	struct nnr_frame *f = b->frame;
	size_t num = (size_t)f->graph->num_operands + 1;

	f->args = calloc(num, sizeof(*f->args));
	f->dims = calloc(num, sizeof(uint32_t *));
	f->temps = calloc(num, sizeof(*f->temps));
	f->read = calloc(num, sizeof(*f->read));
	f->output = calloc(num, sizeof(*f->output));
	f->loops = calloc((size_t)num_nodes + 1, sizeof(*f->loops));
	b->written = calloc(num, sizeof(*b->written));
	b->bytes = calloc(num, sizeof(*b->bytes));
	return f->args && f->dims && f->temps && f->read && f->output && f->loops && b->written &&
	       b->bytes;
}

/* A device for what only control flow touches: one that the graphs are run on. */
static ANeuralNetworksDevice *some_device(const struct nnr_plan *plan)
{
	struct nnr_temporary any = { .home = NULL };
	uint32_t g, n;

	for (g = 0; g < plan->num_graphs; g++)
		for (n = 0; n < plan->graphs[g].num_nodes; n++)
			offer_home(&any, &plan->graphs[g].nodes[n]);
	return any.home;
}

static int frame_values(struct frame_builder *b, const struct nnr_graph *graph)
{
	struct nnr_frame *f = b->frame;
	ANeuralNetworksDevice *any = some_device(b->context->plan);
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i, n;

	if (!any)
		return ANEURALNETWORKS_OP_FAILED;
	for (n = 0; n < graph->num_nodes; n++)
		for_each_operand(f->graph, &graph->nodes[n], true, found_written, b);
	for (n = 0; n < graph->num_nodes; n++)
		for_each_operand(f->graph, &graph->nodes[n], false, found_read, b);
	for (i = 0; i < f->graph->num_inputs; i++)
		touch(b, f->graph->inputs[i]);
	for (i = 0; i < f->graph->num_outputs; i++) {
		touch(b, f->graph->outputs[i]);
		f->output[f->graph->outputs[i]] = true;
	}
	if (b->no_memory)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (i = 0; i < f->graph->num_operands; i++) {
		const struct nnmodel_operand *o = &f->graph->operands[i];

		if (!f->temps[i].home)
			f->temps[i].home = any;
		if (!b->written[i] || f->output[i])
			continue;
		b->bytes[i] = nnr_type_bytes(o->type, o->dims, o->rank);
		if (b->bytes[i] == UINT64_MAX)
			return ANEURALNETWORKS_OP_FAILED;
	}
	result = nnr_temporaries_pack(f->temps, b->bytes, f->graph->num_operands);
	for (n = 0; n < graph->num_nodes && result == ANEURALNETWORKS_NO_ERROR; n++) {
		result = place_constants(b->context, f, &graph->nodes[n]);
		if (result == ANEURALNETWORKS_NO_ERROR && graph->nodes[n].kind == NNR_NODE_WHILE)
			result = nnr_loop_init(&f->loops[n], b->context->plan, f->graph,
					       &graph->nodes[n], any);
	}
	return result;
}

static int frame_init(struct nnr_context *c, uint32_t number)
{
	const struct nnr_graph *graph = &c->plan->graphs[number];
	struct frame_builder b = { .context = c, .frame = &c->frames[number] };
	int result = ANEURALNETWORKS_OUT_OF_MEMORY;

	b.frame->graph = nnr_subgraph(c->plan->data->model, graph->subgraph);
	if (frame_alloc(&b, graph->num_nodes))
		result = frame_values(&b, graph);
	free(b.written);
	free(b.bytes);
	return result;
}

static void frame_fini(struct nnr_frame *f, uint32_t num_nodes)
{
	uint32_t i;

	for (i = 0; f->graph && i < f->graph->num_operands; i++) {
		if (f->dims)
			free(f->dims[i]);
		if (f->temps)
			nnr_memory_put(f->temps[i].memory);
	}
	for (i = 0; f->loops && i < num_nodes; i++)
		nnr_loop_fini(&f->loops[i]);
	free(f->args);
	free(f->dims);
	free(f->temps);
	free(f->read);
	free(f->output);
	free(f->loops);
}

/* ---- contexts ---- */

static void context_free(struct nnr_context *c)
{
	uint32_t i;

	for (i = 0; c->frames && i < c->plan->num_graphs; i++)
		frame_fini(&c->frames[i], c->plan->graphs[i].num_nodes);
	for (i = 0; c->pools && i < c->plan->data->model->num_pools; i++)
		nnr_memory_put(c->pools[i]);
	free(c->pools);
	free(c->frames);
	free(c);
}

static int context_new(struct nnr_plan *plan, struct nnr_context **out)
{
	struct nnr_context *c = calloc(1, sizeof(*c));
	int result = ANEURALNETWORKS_OUT_OF_MEMORY;
	uint32_t i;

	*out = NULL;
	if (!c)
		return result;
	c->plan = plan;
	c->frames = calloc((size_t)plan->num_graphs + 1, sizeof(*c->frames));
	c->pools =
		calloc((size_t)plan->data->model->num_pools + 1, sizeof(ANeuralNetworksMemory *));
	if (c->frames && c->pools)
		result = ANEURALNETWORKS_NO_ERROR;
	for (i = 0; i < plan->num_graphs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = frame_init(c, i);
	if (result == ANEURALNETWORKS_NO_ERROR)
		*out = c;
	else
		context_free(c);
	return result;
}

int nnr_context_take(struct nnr_plan *plan, struct nnr_context **context)
{
	struct nnr_context *c;

	pthread_mutex_lock(&contexts_lock);
	c = plan->contexts;
	if (c) {
		plan->contexts = c->next;
		plan->num_contexts--;
	}
	pthread_mutex_unlock(&contexts_lock);
	*context = c;
	return c ? ANEURALNETWORKS_NO_ERROR : context_new(plan, context);
}

void nnr_context_give(struct nnr_context *c)
{
	struct nnr_plan *plan = c->plan;
	bool kept;

	c->run = NULL;
	pthread_mutex_lock(&contexts_lock);
	kept = plan->num_contexts < MAX_CONTEXTS;
	if (kept) {
		c->next = plan->contexts;
		plan->contexts = c;
		plan->num_contexts++;
	}
	pthread_mutex_unlock(&contexts_lock);
	if (!kept)
		context_free(c);
}

void nnr_contexts_free(struct nnr_plan *plan)
{
	struct nnr_context *c;

	while ((c = plan->contexts)) {
		plan->contexts = c->next;
		context_free(c);
	}
	plan->num_contexts = 0;
}
