// SPDX-License-Identifier: Apache-2.0
/*
 * Loops on the whole card: the loop limit, an abort, and a firmware that does not keep the limit.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board_host.h"
#include "control_programs.h"
#include "board.h"
#include "test_case.h"

#define CMD(...) ((struct nnaccel_admin_cmd){ __VA_ARGS__ })
#define PAGE NNACCEL_PAGE_SIZE
#define PROGRAM_VA 0x1000000ull
#define RESULT_VA 0x2000000ull
#define X_VA 0x3000000ull
#define OUT_VA 0x4000000ull

struct card {
	struct host *h;
	size_t size;
	float *x, *out;
	struct nnaccel_result *result;
};

static void set_up(struct card *card)
{
	struct core_program p = program_endless();
	struct host *h = card->h;

	host_handshake(h, 64);
	host_ctx_open(h, 0);
	host_queue_create(h, 0, 0, 64);
	host_queue_create(h, 1, 0, 64);
	host_ctx_open(h, 1);
	host_queue_create(h, 2, 1, 64);
	memcpy(host_map_new(h, PROGRAM_VA, p.size, 0), p.bytes, p.size);
	card->size = p.size;
	free(p.bytes);
	card->x = host_map_new(h, X_VA, PAGE, 0);
	card->out = host_map_new(h, OUT_VA, PAGE, NNACCEL_PTE_WRITE);
	card->result = host_map_new(h, RESULT_VA, PAGE, NNACCEL_PTE_WRITE);
}

/** Endless unless @x is 0. */
static uint64_t submit(struct card *card, float x, uint64_t loop_ns)
{
	struct nnaccel_arg args[2] = { { .addr = X_VA, .size = 4 }, { .addr = OUT_VA, .size = 4 } };
	struct nnaccel_job job = {
		.op = NNACCEL_JOB_RUN,
		.num_args = 2,
		.program_addr = PROGRAM_VA,
		.program_size = card->size,
		.program_generation = 1,
		.loop_ns = loop_ns,
		.result_addr = RESULT_VA,
		.result_size = PAGE,
	};

	*card->x = x;
	return host_submit(card->h, 0, job, args, true);
}

static void check_lives(struct card *card)
{
	assert_int_equal(host_wait_job(card->h, 0, submit(card, 0, 1000000)).status,
			 NNACCEL_STATUS_OK);
	assert_true(*card->out == 0);
}

TEST(test_limit)
{
	struct card card = { .h = host_start(NNACCEL_CARD, NULL) };

	host_wait_ready(card.h, 0);
	assert_true(reg_get32(&card.h->regs->caps) & NNACCEL_CAP_CONTROL_FLOW);
	set_up(&card);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(host_wait_job(card.h, 0, submit(&card, 1, 2000000)).status,
				 NNACCEL_STATUS_LOOP_TIMEOUT);
		assert_int_equal(card.result->status, NNACCEL_STATUS_LOOP_TIMEOUT);
		check_lives(&card);
	}
	host_stop(card.h);
}

/*
 * The limit has no effect: the job makes progress until it is aborted, and a job of another client
 * ends beside it.
 */
TEST(test_limit_ignored)
{
	struct card card = { .h = host_start(NNACCEL_CARD, NULL) };
	struct nnaccel_completion c;
	uint64_t progress, seqno;

	host_wait_ready(card.h, 0);
	host_control(card.h, "fault ignore-loop-limit");
	host_wait_ready(card.h, 1);
	card.h->ram_used = 1 << 20;
	set_up(&card);
	seqno = submit(&card, 1, 2000000);
	assert_false(host_next(card.h, &c, 200));
	host_wait_more(&card.h->regs->queue[0].progress, 0);
	progress = reg_get64(&card.h->regs->queue[0].progress);
	host_wait_more(&card.h->regs->queue[0].progress, progress);
	assert_false(host_next(card.h, &c, 0));
	assert_int_equal(host_wait_job(card.h, 2, host_submit_null(card.h, 2)).status,
			 NNACCEL_STATUS_OK);
	assert_int_equal(host_admin(card.h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = seqno)), 0);
	assert_int_equal(host_wait_job(card.h, 0, seqno).status, NNACCEL_STATUS_ABORTED);
	check_lives(&card);
	host_stop(card.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_limit_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
