// SPDX-License-Identifier: Apache-2.0
/* What devices say about themselves, and device memory. */
#include "messages/nnipc_messages.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROLE (4 + 4 + 4)
#define PERFORMANCE_SIZE (4 + 4)

/* ---- capabilities ---- */

static void put_performance(struct nnipc_writer *w, struct nnhal_performance p)
{
	nnipc_put_f32(w, p.exec_time);
	nnipc_put_f32(w, p.power_usage);
}

static struct nnhal_performance get_performance(struct nnipc_reader *r)
{
	struct nnhal_performance p;

	p.exec_time = nnipc_get_f32(r);
	p.power_usage = nnipc_get_f32(r);
	return p;
}

void nnipc_put_capabilities(struct nnipc_writer *w, const struct nnhal_capabilities *caps)
{
	put_performance(w, caps->relaxed_scalar);
	put_performance(w, caps->relaxed_tensor);
	put_performance(w, caps->if_performance);
	put_performance(w, caps->while_performance);
	nnipc_put_u32(w, NNMODEL_TYPE_COUNT);
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		put_performance(w, caps->operand[i]);
}

/* The number of types is fixed within an NNHAL_ABI_VERSION. */
void nnipc_get_capabilities(struct nnipc_reader *r, struct nnhal_capabilities *caps)
{
	*caps = (struct nnhal_capabilities){ .size = sizeof(*caps) };
	caps->relaxed_scalar = get_performance(r);
	caps->relaxed_tensor = get_performance(r);
	caps->if_performance = get_performance(r);
	caps->while_performance = get_performance(r);
	if (nnipc_get_count(r, PERFORMANCE_SIZE, NNMODEL_TYPE_COUNT) != NNMODEL_TYPE_COUNT)
		nnipc_reader_refuse(r);
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		caps->operand[i] = get_performance(r);
	if (r->error)
		*caps = (struct nnhal_capabilities){ .size = sizeof(*caps) };
}

/* ---- for tools ---- */

void nnipc_put_info(struct nnipc_writer *w, const struct nnhal_device_info *info)
{
	nnipc_put_chars(w, info->node, sizeof(info->node));
	nnipc_put_u32(w, info->contract_version);
	nnipc_put_u32(w, info->fw_version);
	nnipc_put_u32(w, info->opset_version);
	nnipc_put_u32(w, info->generation);
	nnipc_put_u32(w, (uint32_t)info->state);
	nnipc_put_u64(w, info->arena_size);
	nnipc_put_u64(w, info->program_quota);
	nnipc_put_u32(w, info->driver_major);
	nnipc_put_u32(w, info->driver_minor);
	nnipc_put_u32(w, (uint32_t)info->isolation);
	nnipc_put_u32(w, (uint32_t)info->worker_pid);
	nnipc_put_u32(w, info->worker_restarts);
	nnipc_put_chars(w, info->sandbox, sizeof(info->sandbox));
	nnipc_put_chars(w, info->sandbox_missing, sizeof(info->sandbox_missing));
	nnipc_put_chars(w, info->isa, sizeof(info->isa));
	nnipc_put_chars(w, info->isa_usable, sizeof(info->isa_usable));
	nnipc_put_chars(w, info->isa_missing, sizeof(info->isa_missing));
}

void nnipc_get_info(struct nnipc_reader *r, struct nnhal_device_info *info)
{
	*info = (struct nnhal_device_info){ .size = sizeof(*info) };
	nnipc_get_text_into(r, info->node, sizeof(info->node));
	info->contract_version = nnipc_get_u32(r);
	info->fw_version = nnipc_get_u32(r);
	info->opset_version = nnipc_get_u32(r);
	info->generation = nnipc_get_u32(r);
	info->state = (enum nnhal_device_state)nnipc_get_u32(r);
	info->arena_size = nnipc_get_u64(r);
	info->program_quota = nnipc_get_u64(r);
	info->driver_major = nnipc_get_u32(r);
	info->driver_minor = nnipc_get_u32(r);
	info->isolation = (enum nnhal_isolation)nnipc_get_u32(r);
	info->worker_pid = (int32_t)nnipc_get_u32(r);
	info->worker_restarts = nnipc_get_u32(r);
	nnipc_get_text_into(r, info->sandbox, sizeof(info->sandbox));
	nnipc_get_text_into(r, info->sandbox_missing, sizeof(info->sandbox_missing));
	nnipc_get_text_into(r, info->isa, sizeof(info->isa));
	nnipc_get_text_into(r, info->isa_usable, sizeof(info->isa_usable));
	nnipc_get_text_into(r, info->isa_missing, sizeof(info->isa_missing));
	if (r->error)
		*info = (struct nnhal_device_info){ .size = sizeof(*info) };
}

void nnipc_put_counters(struct nnipc_writer *w, const struct nnhal_counters *counters)
{
	nnipc_put_u64(w, counters->executions);
	nnipc_put_u64(w, counters->bytes_staged_in);
	nnipc_put_u64(w, counters->bytes_staged_out);
	nnipc_put_u64(w, counters->bytes_bounced);
	nnipc_put_u64(w, counters->bytes_in_place);
}

void nnipc_get_counters(struct nnipc_reader *r, struct nnhal_counters *counters)
{
	*counters = (struct nnhal_counters){ .size = sizeof(*counters) };
	counters->executions = nnipc_get_u64(r);
	counters->bytes_staged_in = nnipc_get_u64(r);
	counters->bytes_staged_out = nnipc_get_u64(r);
	counters->bytes_bounced = nnipc_get_u64(r);
	counters->bytes_in_place = nnipc_get_u64(r);
	if (r->error)
		*counters = (struct nnhal_counters){ .size = sizeof(*counters) };
}

/* ---- buffers ---- */

void nnipc_put_buffer_desc(struct nnipc_writer *w, const struct nnhal_buffer_desc *desc)
{
	nnipc_put_numbers(w, desc->dims, desc->rank);
}

void nnipc_get_buffer_desc(struct nnipc_reader *r, struct nnhal_buffer_desc *desc)
{
	*desc = (struct nnhal_buffer_desc){ .size = sizeof(*desc) };
	desc->dims = nnipc_get_numbers(r, &desc->rank);
}

void nnipc_put_roles(struct nnipc_writer *w, const struct nnhal_buffer_role *roles, uint32_t count)
{
	nnipc_put_list(w, roles, count);
	for (uint32_t i = 0; i < count && roles; i++) {
		nnipc_put_u32(w, roles[i].model_index);
		nnipc_put_u32(w, roles[i].io_index);
		nnipc_put_f32(w, roles[i].probability);
	}
}

struct nnhal_buffer_role *nnipc_get_roles(struct nnipc_reader *r, uint32_t *count)
{
	struct nnhal_buffer_role *roles;

	if (!nnipc_get_list(r, LEAST_ROLE, count))
		return NULL;
	roles = nnipc_list_alloc(r, count, sizeof(*roles));
	for (uint32_t i = 0; i < *count; i++) {
		roles[i].model_index = nnipc_get_u32(r);
		roles[i].io_index = nnipc_get_u32(r);
		roles[i].probability = nnipc_get_f32(r);
	}
	return roles;
}
