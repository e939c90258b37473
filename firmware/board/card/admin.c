// SPDX-License-Identifier: Apache-2.0
/*
 * Admin commands, served in order by the main thread. Acknowledgments come in order too, except
 * that of a TLB_INVALIDATE whose range is in use: it comes with the release of the last old map,
 * because the ABORT of the job that uses it may be behind it in the ring.
 */
#include <errno.h>
#include <string.h>

#include "card/card.h"
#include "board.h"
#include "nnutil_clock.h"

static uint32_t status_of(int err)
{
	switch (err) {
	case 0:
		return NNACCEL_STATUS_OK;
	case -ENOMEM:
	case -EAGAIN:
		return NNACCEL_STATUS_NO_MEMORY;
	case -EINVAL:
	case -EEXIST:
	case -ENOENT:
	case -EFAULT:
		return NNACCEL_STATUS_BAD_ARGUMENT;
	default:
		return NNACCEL_STATUS_INTERNAL;
	}
}

static int get_opset(struct card *card, const struct nnaccel_admin_cmd *cmd, uint64_t *value)
{
	size_t n = cmd->size < card->opset_size ? cmd->size : card->opset_size;

	if (n) {
		void *to = host_memory_get(&card->memory, cmd->addr, cmd->size);

		if (!to)
			return -EINVAL;
		memcpy(to, card->opset, n);
		host_memory_put(&card->memory, to, cmd->addr, cmd->size);
	}
	*value = card->opset_size;
	return 0;
}

static int ctx_open(struct card *card, uint32_t context)
{
	int err;

	err = mmu_open(&card->mmu, context, reg_get64(&card->regs->ctx[context].pt_root));
	if (err)
		return err;
	err = nnfw_context_open(card->fw, context);
	if (err)
		mmu_close(&card->mmu, context);
	return err;
}

static int ctx_close(struct card *card, uint32_t context)
{
	int err;

	queues_destroy_context(card, context);
	err = nnfw_context_close(card->fw, context);
	return err ? err : mmu_close(&card->mmu, context);
}

/* 0 or an error to acknowledge; -EINPROGRESS: acknowledged later by the MMU. */
static int serve(struct card *card, const struct nnaccel_admin_cmd *cmd, uint64_t *value)
{
	int err;

	if (cmd->reserved[0] || cmd->reserved[1] || cmd->reserved[2] ||
	    cmd->context >= NNACCEL_MAX_CONTEXTS || cmd->queue >= NNACCEL_MAX_QUEUES)
		return -EINVAL;
	switch (cmd->op) {
	case NNACCEL_ADMIN_PING:
		*value = (uint64_t)nnutil_monotonic_ns();
		return 0;
	case NNACCEL_ADMIN_GET_OPSET:
		return get_opset(card, cmd, value);
	case NNACCEL_ADMIN_CTX_OPEN:
		return ctx_open(card, cmd->context);
	case NNACCEL_ADMIN_CTX_CLOSE:
		return ctx_close(card, cmd->context);
	case NNACCEL_ADMIN_QUEUE_CREATE:
		return queues_create(card, cmd->queue, cmd->context, cmd->addr, cmd->size,
				     cmd->value);
	case NNACCEL_ADMIN_QUEUE_DESTROY:
		return queues_destroy(card, cmd->queue);
	case NNACCEL_ADMIN_ABORT:
		return queues_abort(card, cmd->queue, cmd->value);
	case NNACCEL_ADMIN_TLB_INVALIDATE:
		err = mmu_invalidate(&card->mmu, cmd->context, cmd->addr, cmd->size, cmd->id);
		return err > 0 ? -EINPROGRESS : err;
	case NNACCEL_ADMIN_PROGRAM_LOAD:
		return nnfw_program_load(card->fw, cmd->context, cmd->addr, cmd->size, cmd->value);
	case NNACCEL_ADMIN_PROGRAM_UNLOAD:
		return nnfw_program_unload(card->fw, cmd->context, cmd->addr);
	default:
		return -EINVAL;
	}
}

static void cmd_to_host(struct nnaccel_admin_cmd *cmd)
{
	cmd->op = le32toh(cmd->op);
	cmd->id = le32toh(cmd->id);
	cmd->context = le32toh(cmd->context);
	cmd->queue = le32toh(cmd->queue);
	cmd->addr = le64toh(cmd->addr);
	cmd->size = le64toh(cmd->size);
	cmd->value = le64toh(cmd->value);
}

void admin_serve(struct card *card)
{
	struct nnaccel_admin_cmd cmd;
	uint32_t filled;

	while (atomic_load(&card->serving)) {
		uint64_t value = 0;
		int err;

		if (ring_filled(&card->admin, &filled)) {
			card_fail(card, NNACCEL_FW_ERROR_RING);
			return;
		}
		if (!filled)
			return;
		ring_peek(&card->admin, 0, &cmd);
		ring_consume(&card->admin, 1);
		cmd_to_host(&cmd);
		err = serve(card, &cmd, &value);
		if (err == -EINPROGRESS)
			continue;
		card_update_stats(card);
		cq_post_admin(card, cmd.id, status_of(err), err ? 0 : value);
	}
}
