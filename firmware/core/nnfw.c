// SPDX-License-Identifier: Apache-2.0
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_desc.h"
#include "nnprog_opcode.h"
#include "core_program.h"
#include "core.h"
#include "isa/isa.h"
#include "nnfw_build.h"
#include "nnfw_ops.h"

#define VERSION_MAJOR 0u
#define VERSION_MINOR 1u
#define VERSION_PATCH 0u

#define DEFAULT_QUOTA ((uint64_t)512 << 20)
#define DEFAULT_ARENA ((uint64_t)1 << 30)
#define DEFAULT_QUANTUM 2000000ull
/** Half of the time after which the host takes a card with an idle job for stuck. */
#define ROOM_WAIT_NS 5000000000ull
/** Limit of engines. */
#define MAX_THREADS 1024u

int nnfw_create(const struct nnfw_platform *platform, const struct nnfw_config *config,
		struct nnfw **out)
{
	uint32_t threads = config->threads ? config->threads : 1;
	pthread_condattr_t attr;
	struct nnfw *fw;
	int ret;

	*out = NULL;
	if (config->abi_version != NNFW_ABI_VERSION || config->flags & ~NNFW_CONFIG_FLAGS ||
	    threads > MAX_THREADS || !platform->dma_map || !platform->dma_unmap ||
	    !platform->clock_ns || !platform->complete)
		return -EINVAL;
	ret = nnfw_isa_check();
	if (ret)
		return ret;
	fw = calloc(1, sizeof(*fw));
	if (!fw)
		return -ENOMEM;
	fw->platform = *platform;
	fw->config = *config;
	fw->config.threads = threads;
	if (!fw->config.program_quota)
		fw->config.program_quota = DEFAULT_QUOTA;
	if (!fw->config.arena_limit)
		fw->config.arena_limit = DEFAULT_ARENA;
	if (!fw->config.quantum_ns)
		fw->config.quantum_ns = DEFAULT_QUANTUM;
	TAILQ_INIT(&fw->realtime);
	TAILQ_INIT(&fw->contexts_ready);
	TAILQ_INIT(&fw->programs);
	TAILQ_INIT(&fw->garbage);
	TAILQ_INIT(&fw->room_queue);
	fw->room_wait_ns = ROOM_WAIT_NS;
	fw->timeout_ns = UINT64_MAX;
	fw->timeout = nnfw_room_expire;
	TAILQ_INIT(&fw->background);
	TAILQ_INIT(&fw->ending);
	TAILQ_INIT(&fw->crews);
	fw->crew_threads = nnfw_crew_threads(config->job_threads, threads);
	STAILQ_INIT(&fw->workers);
	pthread_mutex_init(&fw->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&fw->work, &attr);
	pthread_condattr_destroy(&attr);
	pthread_cond_init(&fw->idle, NULL);
	ret = nnfw_engine_start(fw);
	if (ret) {
		nnfw_destroy(fw);
		return ret;
	}
	*out = fw;
	return 0;
}

void nnfw_destroy(struct nnfw *fw)
{
	struct arena *arena;

	if (!fw)
		return;
	/* running jobs end at their next tick */
	pthread_mutex_lock(&fw->lock);
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		if (fw->queues[i])
			nnfw_queue_stop(fw, fw->queues[i]);
	for (uint32_t i = 0; i < NNACCEL_MAX_CONTEXTS; i++)
		if (fw->contexts[i])
			nnfw_context_stop(fw, fw->contexts[i]);
	pthread_mutex_unlock(&fw->lock);
	nnfw_engine_stop(fw);
	pthread_mutex_lock(&fw->lock);
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		if (fw->queues[i])
			nnfw_queue_finish(fw, fw->queues[i]);
	pthread_mutex_unlock(&fw->lock);
	for (uint32_t i = 0; i < NNACCEL_MAX_CONTEXTS; i++)
		nnfw_context_close(fw, i);
	while ((arena = fw->arenas)) {
		fw->arenas = arena->next;
		nnfw_arena_destroy(arena);
	}
	pthread_cond_destroy(&fw->idle);
	pthread_cond_destroy(&fw->work);
	pthread_mutex_destroy(&fw->lock);
	free(fw);
}

/* Writes entries one after the other, truncated to the size of the buffer. */
struct opset_writer {
	uint8_t *buffer;
	size_t size, at;
	uint32_t count;
};

static void put_entry(struct opset_writer *w, uint32_t opcode, const char *name, uint32_t types)
{
	struct nnaccel_opset_entry entry = {
		.opcode = htole32(opcode),
		.version = htole32(1),
		.types = htole32(types),
		.max_rank = htole32(NNPROG_MAX_RANK),
		.build = htole64(NNFW_BUILD),
	};

	memcpy(entry.name, name, strnlen(name, sizeof(entry.name) - 1));
	if (w->at < w->size)
		memcpy(w->buffer + w->at, &entry,
		       w->size - w->at < sizeof(entry) ? w->size - w->at : sizeof(entry));
	w->at += sizeof(entry);
	w->count++;
}

size_t nnfw_opset(void *buffer, size_t size)
{
	struct nnaccel_opset_header header = {
		.magic = htole32(NNACCEL_OPSET_MAGIC),
		.version = htole32(NNPROG_OPSET_VERSION),
		.stride = htole32(sizeof(struct nnaccel_opset_entry)),
	};
	struct opset_writer w = { buffer, size, sizeof(header), 0 };

	for (uint32_t i = 0; i < NNPROG_OP_COUNT; i++) {
		const struct nnprog_op_desc *desc = nnprog_op_find(i);
		const struct nnfw_op *op = nnfw_op_table[i];

		if (op && desc)
			put_entry(&w, i, desc->name, op->types & desc->types);
	}
	/* one entry per extension, with the types of all its operations */
	for (uint32_t i = 0; nnfw_extensions[i]; i++) {
		const struct nnfw_extension *ext = nnfw_extensions[i];
		uint32_t types = 0;

		for (uint32_t k = 0; k < ext->num_ops; k++)
			types |= ext->ops[k].op.types & ext->ops[k].desc.types;
		put_entry(&w, NNPROG_OP_EXTENSION, ext->name, types);
	}
	header.count = htole32(w.count);
	if (size)
		memcpy(buffer, &header, size < sizeof(header) ? size : sizeof(header));
	return w.at;
}

uint32_t nnfw_version(void)
{
	return VERSION_MAJOR << 16 | VERSION_MINOR << 8 | VERSION_PATCH;
}

bool nnfw_instructions(size_t i, struct nnfw_instructions *set)
{
	const struct nnfw_isa *row = nnfw_isa_row(i);

	if (!row)
		return false;
	*set = (struct nnfw_instructions){
		.name = row->name,
		.usable = row->usable(),
		.used = row == nnfw_isa(),
	};
	return true;
}

uint32_t nnfw_caps(void)
{
	return NNACCEL_CAP_DYNAMIC_SHAPES | NNACCEL_CAP_CONTROL_FLOW | NNACCEL_CAP_PREEMPT;
}

void nnfw_stats(struct nnfw *fw, struct nnfw_stats *stats)
{
	stats->jobs_done = atomic_load_explicit(&fw->jobs_done, memory_order_relaxed);
	stats->bytes_direct = atomic_load_explicit(&fw->bytes_direct, memory_order_relaxed);
	stats->bytes_bounced = atomic_load_explicit(&fw->bytes_bounced, memory_order_relaxed);
	stats->bytes_loaded = atomic_load_explicit(&fw->bytes_loaded, memory_order_relaxed);
	pthread_mutex_lock(&fw->lock);
	stats->program_bytes = fw->program_bytes;
	stats->programs = fw->num_programs;
	pthread_mutex_unlock(&fw->lock);
}
