// SPDX-License-Identifier: Apache-2.0
#include "host/nnipc_host.h"

#include <errno.h>
#include <stdlib.h>

#include "messages/nnipc_messages.h"

enum state { FREE, KNOWN, NEW, ONCE };

struct nnipc_slot_entry {
	enum state state;
	uint32_t next; /* of the same bucket (KNOWN, NEW), or free one */
	int64_t token;
	int prot;
	uint64_t offset, size;
};

void nnipc_slot_map_init(struct nnipc_slot_map *s)
{
	*s = (struct nnipc_slot_map){ .free = NNIPC_NO_SLOT };
	for (size_t i = 0; i < sizeof(s->buckets) / sizeof(s->buckets[0]); i++)
		s->buckets[i] = NNIPC_NO_SLOT;
}

void nnipc_slot_map_fini(struct nnipc_slot_map *s)
{
	free(s->list);
	free(s->numbers);
	free(s->fresh);
}

/* The place that has the slot of @token, or where its bucket ends. */
static uint32_t *slot_map_find(struct nnipc_slot_map *s, int64_t token)
{
	uint32_t *pos = &s->buckets[(uint64_t)token % (sizeof(s->buckets) / sizeof(s->buckets[0]))];

	while (*pos != NNIPC_NO_SLOT && s->list[*pos].token != token)
		pos = &s->list[*pos].next;
	return pos;
}

static uint32_t slot_map_take(struct nnipc_slot_map *s)
{
	uint32_t n = s->free;

	if (n != NNIPC_NO_SLOT) {
		s->free = s->list[n].next;
		return n;
	}
	return s->used < NNIPC_BURST_SLOTS ? s->used++ : NNIPC_NO_SLOT;
}

static void slot_map_give(struct nnipc_slot_map *s, uint32_t n)
{
	s->list[n].state = FREE;
	s->list[n].next = s->free;
	s->free = n;
}

static bool same(const struct nnipc_slot_entry *slot, const struct nnhal_memory *memory)
{
	return slot->prot == memory->prot && slot->offset == memory->offset &&
	       slot->size == memory->size;
}

static int assign_pool(struct nnipc_slot_map *s, const struct nnhal_memory *memory, int64_t token,
		       uint32_t pool)
{
	uint32_t *pos = token >= 0 ? slot_map_find(s, token) : NULL, n;

	if (pos && *pos != NNIPC_NO_SLOT && same(&s->list[*pos], memory)) {
		s->numbers[pool] = *pos;
		return 0;
	}
	n = slot_map_take(s);
	if (n == NNIPC_NO_SLOT)
		return -ENOSPC;
	s->list[n] = (struct nnipc_slot_entry){
		.state = ONCE,
		.next = NNIPC_NO_SLOT,
		.token = token,
		.prot = memory->prot,
		.offset = memory->offset,
		.size = memory->size,
	};
	if (pos && *pos == NNIPC_NO_SLOT) {
		s->list[n].state = NEW;
		*pos = n;
	}
	s->numbers[pool] = n;
	s->fresh[pool] = true;
	return 1;
}

/* Arrays only grow: a burst in its steady state allocates nothing. */
static int slot_map_reserve(struct nnipc_slot_map *s, uint32_t num_pools)
{
	uint32_t *numbers;
	bool *fresh;

	if (!s->list) {
		s->list = malloc(NNIPC_BURST_SLOTS * sizeof(*s->list));
		if (!s->list)
			return -ENOMEM;
	}
	if (num_pools <= s->room)
		return 0;
	numbers = realloc(s->numbers, num_pools * sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	s->numbers = numbers;
	fresh = realloc(s->fresh, num_pools * sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	s->fresh = fresh;
	s->room = num_pools;
	return 0;
}

int nnipc_slot_map_assign(struct nnipc_slot_map *s, const struct nnhal_request *request,
			  const int64_t *tokens, uint32_t *num_fresh)
{
	int ret = slot_map_reserve(s, request->num_pools);

	*num_fresh = 0;
	s->num_pools = 0;
	if (ret)
		return ret;
	for (uint32_t i = 0; i < request->num_pools; i++) {
		s->numbers[i] = NNIPC_NO_SLOT;
		s->fresh[i] = false;
		s->num_pools++;
		if (request->pools[i].is_token)
			continue;
		ret = assign_pool(s, &request->pools[i].memory, tokens[i], i);
		if (ret < 0) {
			nnipc_slot_map_settle(s, false);
			return ret;
		}
		*num_fresh += (uint32_t)ret;
	}
	return 0;
}

void nnipc_slot_map_settle(struct nnipc_slot_map *s, bool good)
{
	for (uint32_t i = 0; i < s->num_pools; i++) {
		uint32_t n = s->numbers[i];

		if (!s->fresh[i])
			continue;
		if (s->list[n].state == NEW && good) {
			s->list[n].state = KNOWN;
			continue;
		}
		if (s->list[n].state == NEW)
			*slot_map_find(s, s->list[n].token) = s->list[n].next;
		slot_map_give(s, n);
	}
	s->num_pools = 0;
}

uint32_t nnipc_slot_map_release(struct nnipc_slot_map *s, int64_t token)
{
	uint32_t *pos, n;

	if (!s->list)
		return NNIPC_NO_SLOT;
	pos = slot_map_find(s, token);
	n = *pos;
	if (n == NNIPC_NO_SLOT)
		return n;
	*pos = s->list[n].next;
	slot_map_give(s, n);
	return n;
}
