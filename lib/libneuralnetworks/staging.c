// SPDX-License-Identifier: Apache-2.0
/*
 * Slots: what an execution of a prepared model needs, kept from one to the next. A slot has a burst
 * of its own, so that its device remembers memories, and shared memory into which an application's
 * pointers are copied. Concurrent executions take different slots.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"
#include "run.h"

#define MAX_FREE 4u
#define ARENA_STEP 4096u

struct nnr_slots {
	struct nnhal_prepared_model *prepared;
	ANeuralNetworksDevice *device;
	pthread_mutex_t lock; /* of what follows */
	struct nnr_slot *free;
	uint32_t num_free;
};

/*
 * Slots that a burst keeps: one per prepared model that it came by. Used by one thread at a time.
 */
struct nnr_run_cache {
	struct nnr_slot **slots;
	uint32_t num_slots;
};

/*
 * Every slot with a burst: memory that is freed is released in it. Held while bursts release
 * memory.
 */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct nnr_slot *all_slots;

void nnr_staging_forked(void)
{
	/* the slots are the parent's */
	pthread_mutex_init(&all_lock, NULL);
	all_slots = NULL;
}

/* ---- memory ---- */

static int shared_of_device(ANeuralNetworksDevice *device, uint64_t size,
			    ANeuralNetworksMemory **memory)
{
	struct nnhal_device *hal = device->hal;
	ANeuralNetworksMemory *made;
	int fd;

	*memory = NULL;
	if (nnhal_memory_create(hal, size, &fd))
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

int nnr_slot_reserve(struct nnr_slot *slot, uint64_t size)
{
	ANeuralNetworksMemory *arena;
	void *data;
	int result;

	if (size <= slot->arena_size)
		return ANEURALNETWORKS_NO_ERROR;
	size = (size + ARENA_STEP - 1) & ~(uint64_t)(ARENA_STEP - 1);
	result = nnr_shared_create(slot->slots->device, size, &arena, &data);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	nnr_memory_put(slot->arena);
	slot->arena = arena;
	slot->arena_data = data;
	slot->arena_size = size;
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- one slot ---- */

static void list_slot(struct nnr_slot *slot)
{
	pthread_mutex_lock(&all_lock);
	slot->all_next = all_slots;
	slot->all_pos = &all_slots;
	if (all_slots)
		all_slots->all_pos = &slot->all_next;
	all_slots = slot;
	pthread_mutex_unlock(&all_lock);
}

static void unlist_slot(struct nnr_slot *slot)
{
	pthread_mutex_lock(&all_lock);
	if (slot->all_pos) {
		*slot->all_pos = slot->all_next;
		if (slot->all_next)
			slot->all_next->all_pos = slot->all_pos;
	}
	pthread_mutex_unlock(&all_lock);
}

static void slot_free(struct nnr_slot *slot)
{
	uint32_t i;

	if (!slot)
		return;
	unlist_slot(slot);
	if (slot->burst)
		slot->burst->ops->destroy(slot->burst);
	nnr_memory_put(slot->arena);
	for (i = 0; slot->shapes && i < slot->model->main.num_outputs; i++)
		free(slot->shapes[i].dims);
	free(slot->shapes);
	free(slot->inputs);
	free(slot->outputs);
	free(slot->request_args);
	free(slot->pools);
	free(slot->pool_memories);
	free(slot->tokens);
	free(slot->hints);
	free(slot->extensions);
	free(slot);
}

/* Bursts came with level 3. A device that gives none is asked without. */
static void configure_burst(struct nnr_slot *slot)
{
	struct nnhal_prepared_model *prepared = slot->slots->prepared;
	enum nnhal_status status;

	if (slot->slots->device->feature_level < 3 || !prepared->ops->configure_burst)
		return;
	status = prepared->ops->configure_burst(prepared, &slot->burst);
	if (status == NNHAL_NONE && slot->burst)
		return;
	slot->burst = NULL;
	nnr_log(NNR_LOG_INFO, "%s: no burst: %s", slot->slots->device->name,
		nnhal_status_name(status));
}

static bool slot_alloc(struct nnr_slot *slot)
{
	uint32_t num_in = slot->model->main.num_inputs, num_out = slot->model->main.num_outputs, i;
	size_t num = (size_t)num_in + num_out + 1;

	slot->inputs = calloc((size_t)num_in + 1, sizeof(struct nnr_argument *));
	slot->outputs = calloc((size_t)num_out + 1, sizeof(struct nnr_argument *));
	slot->shapes = calloc((size_t)num_out + 1, sizeof(*slot->shapes));
	slot->request_args = calloc(num, sizeof(*slot->request_args));
	slot->pools = calloc(num, sizeof(*slot->pools));
	slot->pool_memories = calloc(num, sizeof(ANeuralNetworksMemory *));
	slot->tokens = calloc(num, sizeof(*slot->tokens));
	if (!slot->inputs || !slot->outputs || !slot->shapes || !slot->request_args ||
	    !slot->pools || !slot->pool_memories || !slot->tokens)
		return false;
	for (i = 0; i < num_out; i++) {
		slot->shapes[i].dims = calloc(NNR_MAX_RANK, sizeof(uint32_t));
		if (!slot->shapes[i].dims)
			return false;
	}
	slot->request = (struct nnhal_request){
		.size = sizeof(slot->request),
		.inputs = slot->request_args,
		.num_inputs = num_in,
		.outputs = slot->request_args + num_in,
		.num_outputs = num_out,
		.pools = slot->pools,
	};
	return true;
}

static struct nnr_slot *slot_new(struct nnr_slots *slots, const struct nnmodel *model)
{
	struct nnr_slot *slot = calloc(1, sizeof(*slot));

	if (!slot)
		return NULL;
	slot->slots = slots;
	slot->model = model;
	if (!slot_alloc(slot)) {
		slot_free(slot);
		return NULL;
	}
	configure_burst(slot);
	if (slot->burst)
		list_slot(slot);
	return slot;
}

/* ---- slots of a prepared model ---- */

struct nnr_slots *nnr_slots_new(struct nnhal_prepared_model *prepared,
				ANeuralNetworksDevice *device)
{
	struct nnr_slots *slots = calloc(1, sizeof(*slots));

	if (!slots)
		return NULL;
	slots->prepared = prepared;
	slots->device = device;
	pthread_mutex_init(&slots->lock, NULL);
	return slots;
}

void nnr_slots_free(struct nnr_slots *slots)
{
	struct nnr_slot *slot;

	if (!slots)
		return;
	while ((slot = slots->free)) {
		slots->free = slot->next;
		slot_free(slot);
	}
	pthread_mutex_destroy(&slots->lock);
	free(slots);
}

ANeuralNetworksDevice *nnr_slots_device(const struct nnr_slots *slots)
{
	return slots->device;
}

struct nnhal_prepared_model *nnr_slots_prepared(const struct nnr_slots *slots)
{
	return slots->prepared;
}

static struct nnr_slot *take_free(struct nnr_slots *slots)
{
	struct nnr_slot *slot;

	pthread_mutex_lock(&slots->lock);
	slot = slots->free;
	if (slot) {
		slots->free = slot->next;
		slots->num_free--;
	}
	pthread_mutex_unlock(&slots->lock);
	return slot;
}

static void give_free(struct nnr_slot *slot)
{
	struct nnr_slots *slots = slot->slots;
	bool kept;

	pthread_mutex_lock(&slots->lock);
	kept = slots->num_free < MAX_FREE;
	if (kept) {
		slot->next = slots->free;
		slots->free = slot;
		slots->num_free++;
	}
	pthread_mutex_unlock(&slots->lock);
	if (!kept)
		slot_free(slot);
}

static struct nnr_slot *find_cached(const struct nnr_run_cache *cache,
				    const struct nnr_slots *slots)
{
	uint32_t i;

	for (i = 0; cache && i < cache->num_slots; i++)
		if (cache->slots[i]->slots == slots)
			return cache->slots[i];
	return NULL;
}

/* A cache that cannot grow does without. */
static void add_cached(struct nnr_run_cache *cache, struct nnr_slot *slot)
{
	struct nnr_slot **grown =
		realloc(cache->slots, ((size_t)cache->num_slots + 1) * sizeof(*grown));

	if (!grown)
		return;
	cache->slots = grown;
	grown[cache->num_slots++] = slot;
	slot->cache = cache;
}

int nnr_slot_take(struct nnr_slots *slots, struct nnr_run_cache *cache, const struct nnmodel *model,
		  struct nnr_slot **out)
{
	struct nnr_slot *slot = find_cached(cache, slots);

	*out = slot;
	if (slot)
		return ANEURALNETWORKS_NO_ERROR;
	slot = take_free(slots);
	if (!slot)
		slot = slot_new(slots, model);
	if (!slot)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	if (cache)
		add_cached(cache, slot);
	*out = slot;
	return ANEURALNETWORKS_NO_ERROR;
}

void nnr_slot_give(struct nnr_slot *slot)
{
	if (slot && !slot->cache)
		give_free(slot);
}

struct nnr_run_cache *nnr_run_cache_new(struct nnr_plan *plan)
{
	(void)plan; /* slots come when they are first needed: a branch may never be */
	return calloc(1, sizeof(struct nnr_run_cache));
}

void nnr_run_cache_free(struct nnr_run_cache *cache)
{
	uint32_t i;

	if (!cache)
		return;
	for (i = 0; i < cache->num_slots; i++) {
		cache->slots[i]->cache = NULL;
		give_free(cache->slots[i]);
	}
	free(cache->slots);
	free(cache);
}

void nnr_slots_forget(int64_t id)
{
	const uint64_t bit = UINT64_C(1) << (id % 64);
	struct nnr_slot *slot;

	pthread_mutex_lock(&all_lock);
	for (slot = all_slots; slot; slot = slot->all_next)
		if (atomic_load_explicit(&slot->used, memory_order_acquire) & bit)
			slot->burst->ops->release_memory_resource(slot->burst, id);
	pthread_mutex_unlock(&all_lock);
}
