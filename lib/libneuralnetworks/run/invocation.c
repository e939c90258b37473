// SPDX-License-Identifier: Apache-2.0
/*
 * Invocations: memory for values between steps. A value that crosses steps is in memory of a device
 * that writes or reads it, if that device shares any; values of one device share one memory.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_align.h"
#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "run/nnr_run.h"

#define MAX_INVOCATIONS 4u
#define TEMP_ALIGN 64u
#define LEAST_DYNAMIC 64u /* bytes of a value whose size is not known at first */

/* Of every plan's list of free invocations. */
static pthread_mutex_t invocations_lock = PTHREAD_MUTEX_INITIALIZER;

static void after_fork(void)
{
	pthread_mutex_init(&invocations_lock, NULL);
}

NNR_FORK_HANDLERS(.child = after_fork);

/* ---- temporaries ---- */

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

/* Memory for those that have @bytes and no memory yet; those of one home share it. Result code. */
static int pack_temporaries(struct nnr_temporary *temps, const uint64_t *bytes, uint32_t num)
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
				total += nnutil_align_up(bytes[j], TEMP_ALIGN);
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
			total += nnutil_align_up(bytes[j], TEMP_ALIGN);
		}
		nnr_memory_put(memory);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- loops ---- */

static void while_fini(struct nnr_while *loop)
{
	uint32_t i, k;

	for (k = 0; k < 2; k++) {
		for (i = 0; loop->buffers[k] && i < loop->num_state; i++)
			nnr_memory_put(loop->buffers[k][i].memory);
		free(loop->buffers[k]);
	}
	free(loop->vars);
}

/* Make room for the values of a loop. @home allocates it. Result code. */
static int while_init(struct nnr_while *loop, const struct nnr_plan *plan,
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
			/* the planner does not produce such loops */
			result = ANEURALNETWORKS_OP_FAILED;
			goto out;
		}
	}
	result = pack_temporaries(loop->buffers[0], bytes, loop->num_state);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = pack_temporaries(loop->buffers[1], bytes, loop->num_state);
out:
	free(bytes);
	return result;
}

/* ---- scopes ---- */

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

struct scope_builder {
	struct nnr_invocation *invocation;
	struct nnr_scope *scope;
	bool *written; /* by a node */
	uint64_t *bytes;
	bool no_memory;
};

static void touch(struct scope_builder *b, uint32_t operand)
{
	if (!b->scope->dims[operand])
		b->scope->dims[operand] = calloc(NNR_MAX_RANK, sizeof(uint32_t));
	if (!b->scope->dims[operand])
		b->no_memory = true;
}

/* nnapi-reference reads any memory equally well: another device decides. */
static void offer_home(struct nnr_temporary *temp, const struct nnr_node *node)
{
	if (node->kind == NNR_NODE_STEP && (!temp->home || temp->home->is_reference))
		temp->home = node->step->device;
}

static void found_written(void *cookie, const struct nnr_node *node, uint32_t operand)
{
	struct scope_builder *b = cookie;

	touch(b, operand);
	b->written[operand] = true;
	offer_home(&b->scope->temps[operand], node);
}

static void found_read(void *cookie, const struct nnr_node *node, uint32_t operand)
{
	struct scope_builder *b = cookie;

	touch(b, operand);
	b->scope->read[operand] = true;
	offer_home(&b->scope->temps[operand], node);
}

/* The place of a constant that control flow passes on. */
static int place_constant(struct nnr_invocation *inv, struct nnr_scope *scope, uint32_t operand)
{
	const struct nnmodel *model = inv->plan->data->model;
	const struct nnmodel_operand *o = &scope->graph->operands[operand];
	struct nnr_argument place = { .rank = o->rank,
				      .dims = o->dims,
				      .length = o->location.length };
	const struct nnmodel_pool *pool;
	ANeuralNetworksMemory *memory;

	if (o->lifetime == NNMODEL_NO_VALUE) {
		scope->args[operand] = (struct nnr_argument){ .kind = NNR_ARG_NO_VALUE };
		return ANEURALNETWORKS_NO_ERROR;
	}
	if (o->lifetime == NNMODEL_CONSTANT_COPY) {
		place.kind = NNR_ARG_POINTER;
		place.buffer = model->values + o->location.offset;
	} else if (o->lifetime == NNMODEL_CONSTANT_REFERENCE) {
		pool = &model->pools[o->location.pool];
		memory = inv->pools[o->location.pool];
		if (!memory) {
			memory = nnr_memory_alloc();
			if (!memory)
				return ANEURALNETWORKS_OUT_OF_MEMORY;
			inv->pools[o->location.pool] = memory;
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
	nnr_scope_place(scope, operand, &place);
	return ANEURALNETWORKS_NO_ERROR;
}

static int place_constants(struct nnr_invocation *inv, struct nnr_scope *scope,
			   const struct nnr_node *node)
{
	const struct nnmodel_operation *op;
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	if (node->kind == NNR_NODE_STEP)
		return result;
	op = &scope->graph->operations[node->operation];
	for (i = 0; i < op->num_inputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = place_constant(inv, scope, op->inputs[i]);
	return result;
}

static bool scope_alloc(struct scope_builder *b, uint32_t num_nodes)
{
	struct nnr_scope *scope = b->scope;
	size_t num = (size_t)scope->graph->num_operands + 1;

	scope->args = calloc(num, sizeof(*scope->args));
	scope->dims = calloc(num, sizeof(uint32_t *));
	scope->temps = calloc(num, sizeof(*scope->temps));
	scope->read = calloc(num, sizeof(*scope->read));
	scope->output = calloc(num, sizeof(*scope->output));
	scope->whiles = calloc((size_t)num_nodes + 1, sizeof(*scope->whiles));
	b->written = calloc(num, sizeof(*b->written));
	b->bytes = calloc(num, sizeof(*b->bytes));
	return scope->args && scope->dims && scope->temps && scope->read && scope->output &&
	       scope->whiles && b->written && b->bytes;
}

/* A device for values that only control flow uses: one that runs a step of the graphs. */
static ANeuralNetworksDevice *some_device(const struct nnr_plan *plan)
{
	struct nnr_temporary any = { .home = NULL };
	uint32_t g, n;

	for (g = 0; g < plan->num_graphs; g++)
		for (n = 0; n < plan->graphs[g].num_nodes; n++)
			offer_home(&any, &plan->graphs[g].nodes[n]);
	return any.home;
}

static int scope_values(struct scope_builder *b, const struct nnr_graph *graph)
{
	struct nnr_scope *scope = b->scope;
	ANeuralNetworksDevice *any = some_device(b->invocation->plan);
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i, n;

	if (!any)
		return ANEURALNETWORKS_OP_FAILED;
	for (n = 0; n < graph->num_nodes; n++)
		for_each_operand(scope->graph, &graph->nodes[n], true, found_written, b);
	for (n = 0; n < graph->num_nodes; n++)
		for_each_operand(scope->graph, &graph->nodes[n], false, found_read, b);
	for (i = 0; i < scope->graph->num_inputs; i++)
		touch(b, scope->graph->inputs[i]);
	for (i = 0; i < scope->graph->num_outputs; i++) {
		touch(b, scope->graph->outputs[i]);
		scope->output[scope->graph->outputs[i]] = true;
	}
	if (b->no_memory)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (i = 0; i < scope->graph->num_operands; i++) {
		const struct nnmodel_operand *o = &scope->graph->operands[i];

		if (!scope->temps[i].home)
			scope->temps[i].home = any;
		if (!b->written[i] || scope->output[i])
			continue;
		b->bytes[i] = nnr_type_bytes(o->type, o->dims, o->rank);
		if (b->bytes[i] == UINT64_MAX)
			return ANEURALNETWORKS_OP_FAILED;
	}
	result = pack_temporaries(scope->temps, b->bytes, scope->graph->num_operands);
	for (n = 0; n < graph->num_nodes && result == ANEURALNETWORKS_NO_ERROR; n++) {
		result = place_constants(b->invocation, scope, &graph->nodes[n]);
		if (result == ANEURALNETWORKS_NO_ERROR && graph->nodes[n].kind == NNR_NODE_WHILE)
			result = while_init(&scope->whiles[n], b->invocation->plan, scope->graph,
					    &graph->nodes[n], any);
	}
	return result;
}

static int scope_init(struct nnr_invocation *inv, uint32_t number)
{
	const struct nnr_graph *graph = &inv->plan->graphs[number];
	struct scope_builder b = { .invocation = inv, .scope = &inv->scopes[number] };
	int result = ANEURALNETWORKS_OUT_OF_MEMORY;

	b.scope->graph = nnr_subgraph(inv->plan->data->model, graph->subgraph);
	if (scope_alloc(&b, graph->num_nodes))
		result = scope_values(&b, graph);
	free(b.written);
	free(b.bytes);
	return result;
}

static void scope_fini(struct nnr_scope *scope, uint32_t num_nodes)
{
	uint32_t i;

	for (i = 0; scope->graph && i < scope->graph->num_operands; i++) {
		if (scope->dims)
			free(scope->dims[i]);
		if (scope->temps)
			nnr_memory_put(scope->temps[i].memory);
	}
	for (i = 0; scope->whiles && i < num_nodes; i++)
		while_fini(&scope->whiles[i]);
	free(scope->args);
	free(scope->dims);
	free(scope->temps);
	free(scope->read);
	free(scope->output);
	free(scope->whiles);
}

/* ---- invocations ---- */

static void invocation_free(struct nnr_invocation *inv)
{
	uint32_t i;

	for (i = 0; inv->scopes && i < inv->plan->num_graphs; i++)
		scope_fini(&inv->scopes[i], inv->plan->graphs[i].num_nodes);
	for (i = 0; inv->pools && i < inv->plan->data->model->num_pools; i++)
		nnr_memory_put(inv->pools[i]);
	free(inv->pools);
	free(inv->scopes);
	free(inv);
}

static int invocation_new(struct nnr_plan *plan, struct nnr_invocation **out)
{
	struct nnr_invocation *inv = calloc(1, sizeof(*inv));
	int result = ANEURALNETWORKS_OUT_OF_MEMORY;
	uint32_t i;

	*out = NULL;
	if (!inv)
		return result;
	inv->plan = plan;
	inv->scopes = calloc((size_t)plan->num_graphs + 1, sizeof(*inv->scopes));
	inv->pools =
		calloc((size_t)plan->data->model->num_pools + 1, sizeof(ANeuralNetworksMemory *));
	if (inv->scopes && inv->pools)
		result = ANEURALNETWORKS_NO_ERROR;
	for (i = 0; i < plan->num_graphs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = scope_init(inv, i);
	if (result == ANEURALNETWORKS_NO_ERROR)
		*out = inv;
	else
		invocation_free(inv);
	return result;
}

static void free_invocations(struct nnr_plan *plan)
{
	struct nnr_invocation *inv;

	while ((inv = plan->invocations)) {
		plan->invocations = inv->next;
		invocation_free(inv);
	}
	plan->num_invocations = 0;
}

int nnr_invocation_take(struct nnr_plan *plan, struct nnr_invocation **invocation)
{
	struct nnr_invocation *inv;

	pthread_mutex_lock(&invocations_lock);
	inv = plan->invocations;
	if (inv) {
		plan->invocations = inv->next;
		plan->num_invocations--;
	}
	pthread_mutex_unlock(&invocations_lock);
	*invocation = inv;
	return inv ? ANEURALNETWORKS_NO_ERROR : invocation_new(plan, invocation);
}

void nnr_invocation_give(struct nnr_invocation *inv)
{
	struct nnr_plan *plan = inv->plan;
	bool kept;

	inv->run = NULL;
	pthread_mutex_lock(&invocations_lock);
	kept = plan->num_invocations < MAX_INVOCATIONS;
	if (kept) {
		inv->next = plan->invocations;
		plan->invocations = inv;
		plan->free_invocations = free_invocations;
		plan->num_invocations++;
	}
	pthread_mutex_unlock(&invocations_lock);
	if (!kept)
		invocation_free(inv);
}

void nnr_invocation_begin(struct nnr_invocation *inv, struct nnr_run *run)
{
	const struct nnmodel_subgraph *main = &inv->plan->data->model->main;
	uint32_t i;

	inv->run = run;
	inv->give_up = false;
	inv->final = false;
	inv->timed = run->measure;
	for (i = 0; i < main->num_inputs; i++) {
		struct nnr_argument place = run->inputs[i];

		/* a whole memory from a descriptor, where the host sees it */
		if (place.kind == NNR_ARG_MEMORY && !place.memory->buffer && !place.length)
			place.length = place.memory->shared.size;
		nnr_scope_place(inv->scopes, main->inputs[i], &place);
	}
	for (i = 0; i < main->num_outputs; i++)
		nnr_scope_place(inv->scopes, main->outputs[i], &run->outputs[i]);
}

/* ---- values ---- */

void nnr_scope_place(struct nnr_scope *scope, uint32_t operand, const struct nnr_argument *place)
{
	struct nnr_argument *arg = &scope->args[operand];

	*arg = *place;
	arg->dims = scope->dims[operand];
	if (arg->rank)
		memcpy(arg->dims, place->dims, arg->rank * sizeof(*arg->dims));
}

bool nnr_scope_is_temporary(const struct nnr_scope *scope, uint32_t operand)
{
	const struct nnr_argument *arg = &scope->args[operand];

	return !scope->output[operand] || (arg->kind == NNR_ARG_NO_VALUE && scope->read[operand]) ||
	       (arg->kind == NNR_ARG_MEMORY && arg->memory == scope->temps[operand].memory);
}

int nnr_scope_place_temporary(struct nnr_scope *scope, uint32_t operand)
{
	const struct nnmodel_operand *o = &scope->graph->operands[operand];
	struct nnr_temporary *temp = &scope->temps[operand];
	uint64_t bytes = nnr_type_bytes(o->type, o->dims, o->rank);
	int result = nnr_temporary_reserve(temp, bytes);
	const struct nnr_argument place = {
		.kind = NNR_ARG_MEMORY,
		.memory = temp->memory,
		.offset = temp->offset,
		.length = bytes ? bytes : temp->capacity,
		.rank = o->rank,
		.dims = o->dims,
	};

	if (result == ANEURALNETWORKS_NO_ERROR)
		nnr_scope_place(scope, operand, &place);
	return result;
}

void nnr_scope_tell_shape(struct nnr_invocation *inv, const struct nnr_scope *scope,
			  uint32_t operand, const struct nnhal_output_shape *shape)
{
	uint32_t i;

	if (scope != inv->scopes)
		return;
	for (i = 0; i < scope->graph->num_outputs; i++)
		if (scope->graph->outputs[i] == operand &&
		    inv->run->outputs[i].kind != NNR_ARG_NO_VALUE)
			nnr_run_shape(inv->run, i, shape);
}

int nnr_scope_produced(struct nnr_invocation *inv, struct nnr_scope *scope, uint32_t operand,
		       const struct nnhal_output_shape *shape)
{
	struct nnr_argument *arg = &scope->args[operand];
	uint32_t i;

	nnr_scope_tell_shape(inv, scope, operand, shape);
	if (arg->kind == NNR_ARG_NO_VALUE)
		return ANEURALNETWORKS_NO_ERROR;
	arg->rank = shape->rank;
	if (arg->rank && arg->dims != shape->dims)
		memcpy(arg->dims, shape->dims, arg->rank * sizeof(*arg->dims));
	for (i = 0; i < arg->rank; i++)
		if (!arg->dims[i] && scope->read[operand]) {
			nnutil_log(NNUTIL_LOG_INFO,
				   "operand %u has no elements, and another step reads it",
				   operand);
			inv->give_up = true;
			return ANEURALNETWORKS_OP_FAILED;
		}
	/* a device buffer has no length */
	if (arg->kind == NNR_ARG_POINTER || !arg->memory->buffer)
		arg->length =
			nnr_shape_bytes(scope->graph->operands[operand].type, arg->rank, arg->dims);
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_scope_bind(struct nnr_scope *scope, const struct nnr_step *step, struct nnr_workspace *ws)
{
	int result = ANEURALNETWORKS_NO_ERROR;
	uint32_t i;

	for (i = 0; i < step->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++) {
		if (nnr_scope_is_temporary(scope, step->outputs[i]))
			result = nnr_scope_place_temporary(scope, step->outputs[i]);
		ws->outputs[i] = &scope->args[step->outputs[i]];
	}
	for (i = 0; i < step->num_inputs; i++)
		ws->inputs[i] = &scope->args[step->inputs[i]];
	return result;
}
