// SPDX-License-Identifier: Apache-2.0
/* Workspaces: what an execution of a prepared model needs, kept for the next execution. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnutil_align.h"
#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "memory/nnr_memory.h"
#include "registry/nnr_registry.h"

#define MAX_FREE 4u
#define ARENA_STEP 4096u

struct nnr_workspaces {
	struct nnhal_prepared_model *prepared;
	ANeuralNetworksDevice *device;
	pthread_mutex_t lock; /* protects the members below */
	struct nnr_workspace *free;
	uint32_t num_free;
};

/*
 * Slots that a burst keeps: one per prepared model that it came by. Used by one thread at a time.
 */
struct nnr_workspace_set {
	struct nnr_workspace **workspaces;
	uint32_t num_workspaces;
};

/*
 * Every ws with a burst: memory that is freed is released in it. Held while bursts release
 * memory.
 */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct nnr_workspace *all_workspaces;

static void after_fork(void)
{
	/* the workspaces are the parent's */
	pthread_mutex_init(&all_lock, NULL);
	all_workspaces = NULL;
}

NNR_FORK_HANDLERS(.child = after_fork);

/* ---- memory ---- */

static int shared_of_device(ANeuralNetworksDevice *device, uint64_t size,
			    ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemory *made;
	int fd, ret;

	*memory = NULL;
	ret = nnhal_memory_create(nnr_device_enter(device), size, &fd);
	nnr_device_leave(device);
	if (ret)
		return ANEURALNETWORKS_OP_FAILED;
	made = nnr_memory_alloc();
	if (!made) {
		close(fd);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	made->shared =
		(struct nnhal_memory){ .fd = fd, .prot = PROT_READ | PROT_WRITE, .size = size };
	*memory = made;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_shared_create(ANeuralNetworksDevice *device, uint64_t size, ANeuralNetworksMemory **memory,
		      void **data)
{
	int result = shared_of_device(device, size, memory);

	if (result == ANEURALNETWORKS_NO_ERROR) {
		result = nnr_memory_map(*memory, data);
		if (result == ANEURALNETWORKS_NO_ERROR)
			return result;
		nnr_memory_put(*memory);
	}
	result = nnr_memory_create_host(size, memory);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	result = nnr_memory_map(*memory, data);
	if (result != ANEURALNETWORKS_NO_ERROR) {
		nnr_memory_put(*memory);
		*memory = NULL;
	}
	return result;
}

int nnr_workspace_reserve(struct nnr_workspace *ws, uint64_t size)
{
	ANeuralNetworksMemory *arena;
	void *data;
	int result;

	if (size <= ws->arena_size)
		return ANEURALNETWORKS_NO_ERROR;
	size = nnutil_align_up(size, ARENA_STEP);
	result = nnr_shared_create(ws->workspaces->device, size, &arena, &data);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	nnr_memory_put(ws->arena);
	ws->arena = arena;
	ws->arena_data = data;
	ws->arena_size = size;
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- one ws ---- */

void nnr_workspaces_forget(int64_t id)
{
	const uint64_t bit = UINT64_C(1) << (id % 64);
	struct nnr_workspace *ws;

	pthread_mutex_lock(&all_lock);
	for (ws = all_workspaces; ws; ws = ws->all_next)
		if (atomic_load_explicit(&ws->used, memory_order_acquire) & bit)
			ws->burst->ops->release_memory_resource(ws->burst, id);
	pthread_mutex_unlock(&all_lock);
}

static void list_workspace(struct nnr_workspace *ws)
{
	pthread_mutex_lock(&all_lock);
	ws->all_next = all_workspaces;
	ws->all_pos = &all_workspaces;
	if (all_workspaces)
		all_workspaces->all_pos = &ws->all_next;
	all_workspaces = ws;
	pthread_mutex_unlock(&all_lock);
}

static void unlist_workspace(struct nnr_workspace *ws)
{
	pthread_mutex_lock(&all_lock);
	if (ws->all_pos) {
		*ws->all_pos = ws->all_next;
		if (ws->all_next)
			ws->all_next->all_pos = ws->all_pos;
	}
	pthread_mutex_unlock(&all_lock);
}

static void workspace_free(struct nnr_workspace *ws)
{
	uint32_t i;

	if (!ws)
		return;
	unlist_workspace(ws);
	if (ws->burst)
		ws->burst->ops->destroy(ws->burst);
	nnr_memory_put(ws->arena);
	for (i = 0; ws->shapes && i < ws->model->main.num_outputs; i++)
		free(ws->shapes[i].dims);
	free(ws->shapes);
	free(ws->inputs);
	free(ws->outputs);
	free(ws->request_args);
	free(ws->pools);
	free(ws->pool_memories);
	free(ws->tokens);
	nnr_hints_clear(&ws->hints);
	free(ws);
}

/* Bursts exist since level 3. Executions on a device without bursts are synchronous. */
static void configure_burst(struct nnr_workspace *ws)
{
	struct nnhal_prepared_model *prepared = ws->workspaces->prepared;
	enum nnhal_status status;

	if (ws->workspaces->device->feature_level < 3 || !prepared->ops->configure_burst)
		return;
	status = prepared->ops->configure_burst(prepared, &ws->burst);
	if (status == NNHAL_NONE && ws->burst)
		return;
	ws->burst = NULL;
	nnutil_log(NNUTIL_LOG_INFO, "%s: no burst object: %s", ws->workspaces->device->name,
		   nnhal_status_name(status));
}

static bool workspace_alloc(struct nnr_workspace *ws)
{
	uint32_t num_in = ws->model->main.num_inputs, num_out = ws->model->main.num_outputs, i;
	size_t num = (size_t)num_in + num_out + 1;

	ws->inputs = calloc((size_t)num_in + 1, sizeof(struct nnr_argument *));
	ws->outputs = calloc((size_t)num_out + 1, sizeof(struct nnr_argument *));
	ws->shapes = calloc((size_t)num_out + 1, sizeof(*ws->shapes));
	ws->request_args = calloc(num, sizeof(*ws->request_args));
	ws->pools = calloc(num, sizeof(*ws->pools));
	ws->pool_memories = calloc(num, sizeof(ANeuralNetworksMemory *));
	ws->tokens = calloc(num, sizeof(*ws->tokens));
	if (!ws->inputs || !ws->outputs || !ws->shapes || !ws->request_args || !ws->pools ||
	    !ws->pool_memories || !ws->tokens)
		return false;
	for (i = 0; i < num_out; i++) {
		ws->shapes[i].dims = calloc(NNR_MAX_RANK, sizeof(uint32_t));
		if (!ws->shapes[i].dims)
			return false;
	}
	ws->request = (struct nnhal_request){
		.size = sizeof(ws->request),
		.inputs = ws->request_args,
		.num_inputs = num_in,
		.outputs = ws->request_args + num_in,
		.num_outputs = num_out,
		.pools = ws->pools,
	};
	return true;
}

static struct nnr_workspace *workspace_new(struct nnr_workspaces *workspaces,
					   const struct nnmodel *model)
{
	struct nnr_workspace *ws = calloc(1, sizeof(*ws));

	if (!ws)
		return NULL;
	ws->workspaces = workspaces;
	ws->model = model;
	if (!workspace_alloc(ws)) {
		workspace_free(ws);
		return NULL;
	}
	configure_burst(ws);
	if (ws->burst)
		list_workspace(ws);
	return ws;
}

/* ---- workspaces of a prepared model ---- */

struct nnr_workspaces *nnr_workspaces_new(struct nnhal_prepared_model *prepared,
					  ANeuralNetworksDevice *device)
{
	struct nnr_workspaces *workspaces = calloc(1, sizeof(*workspaces));

	if (!workspaces)
		return NULL;
	workspaces->prepared = prepared;
	workspaces->device = device;
	pthread_mutex_init(&workspaces->lock, NULL);
	return workspaces;
}

void nnr_workspaces_free(struct nnr_workspaces *workspaces)
{
	struct nnr_workspace *ws;

	if (!workspaces)
		return;
	while ((ws = workspaces->free)) {
		workspaces->free = ws->next;
		workspace_free(ws);
	}
	pthread_mutex_destroy(&workspaces->lock);
	free(workspaces);
}

ANeuralNetworksDevice *nnr_workspaces_device(const struct nnr_workspaces *workspaces)
{
	return workspaces->device;
}

struct nnhal_prepared_model *nnr_workspaces_prepared(const struct nnr_workspaces *workspaces)
{
	return workspaces->prepared;
}

static struct nnr_workspace *take_free(struct nnr_workspaces *workspaces)
{
	struct nnr_workspace *ws;

	pthread_mutex_lock(&workspaces->lock);
	ws = workspaces->free;
	if (ws) {
		workspaces->free = ws->next;
		workspaces->num_free--;
	}
	pthread_mutex_unlock(&workspaces->lock);
	return ws;
}

static void give_free(struct nnr_workspace *ws)
{
	struct nnr_workspaces *workspaces = ws->workspaces;
	bool kept;

	pthread_mutex_lock(&workspaces->lock);
	kept = workspaces->num_free < MAX_FREE;
	if (kept) {
		ws->next = workspaces->free;
		workspaces->free = ws;
		workspaces->num_free++;
	}
	pthread_mutex_unlock(&workspaces->lock);
	if (!kept)
		workspace_free(ws);
}

static struct nnr_workspace *find_in_set(const struct nnr_workspace_set *set,
					 const struct nnr_workspaces *workspaces)
{
	uint32_t i;

	for (i = 0; set && i < set->num_workspaces; i++)
		if (set->workspaces[i]->workspaces == workspaces)
			return set->workspaces[i];
	return NULL;
}

/* A set that cannot grow does without. */
static void add_in_set(struct nnr_workspace_set *set, struct nnr_workspace *ws)
{
	struct nnr_workspace **grown =
		realloc(set->workspaces, ((size_t)set->num_workspaces + 1) * sizeof(*grown));

	if (!grown)
		return;
	set->workspaces = grown;
	grown[set->num_workspaces++] = ws;
	ws->set = set;
}

int nnr_workspace_take(struct nnr_workspaces *workspaces, struct nnr_workspace_set *set,
		       const struct nnmodel *model, struct nnr_workspace **out)
{
	struct nnr_workspace *ws = find_in_set(set, workspaces);

	*out = ws;
	if (ws)
		return ANEURALNETWORKS_NO_ERROR;
	ws = take_free(workspaces);
	if (!ws)
		ws = workspace_new(workspaces, model);
	if (!ws)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	if (set)
		add_in_set(set, ws);
	*out = ws;
	return ANEURALNETWORKS_NO_ERROR;
}

void nnr_workspace_give(struct nnr_workspace *ws)
{
	if (ws && !ws->set)
		give_free(ws);
}

struct nnr_workspace_set *nnr_workspace_set_new(void)
{
	return calloc(1, sizeof(struct nnr_workspace_set));
}

void nnr_workspace_set_free(struct nnr_workspace_set *set)
{
	uint32_t i;

	if (!set)
		return;
	for (i = 0; i < set->num_workspaces; i++) {
		set->workspaces[i]->set = NULL;
		give_free(set->workspaces[i]);
	}
	free(set->workspaces);
	free(set);
}
