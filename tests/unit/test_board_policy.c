// SPDX-License-Identifier: Apache-2.0
/*
 * The features that the driver's policy uses: engine time per queue, registers that outlive the
 * firmware; and cards without them: no preemption, early acknowledgments, few queues, a dead reset
 * line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board_host.h"
#include "eventually.h"
#include "board.h"
#include "test_case.h"

#define CMD(...) ((struct nnaccel_admin_cmd){ __VA_ARGS__ })

static struct host *start(const char *fault)
{
	const char *const extra[] = { "--fault", fault, "--restart-delay", "5", "--threads",
				      "3",	 NULL };
	struct host *h = host_start(NNACCEL_TEST_CARD, extra);

	host_wait_ready(h, 0);
	host_bring_up(h);
	return h;
}

TEST(test_time)
{
	struct host *h = start("slow-job=2,300");
	struct nnaccel_queue_time *time = &h->regs->queue_time[0];
	uint64_t at = host_now_ms(), ran = 0, now;
	struct nnaccel_completion c;

	assert_int_equal(reg_get32(&h->regs->engines), 3);
	assert_true(reg_get32(&h->regs->caps) & NNACCEL_CAP_QUEUE_TIME);
	assert_int_equal(reg_get32(&h->regs->contract_version), NNACCEL_CONTRACT_VERSION);
	assert_int_equal(reg_get64(&time->run_ns), 0);
	assert_int_equal(reg_get32(&time->on_engine), 0);
	c = host_wait_job(h, 0, host_submit_null(h, 0));
	/* no more than has passed here */
	assert_true(c.value <= (host_now_ms() - at + 1) * 1000000);
	at = host_now_ms();
	host_wait_begun(h, 0, host_submit_null(h, 0));
	while (!host_next(h, &c, 10)) {
		now = reg_get64(&time->run_ns);
		assert_true(now >= ran);
		ran = now;
	}
	assert_true(c.value >= 290000000 && c.value <= (host_now_ms() - at + 1) * 1000000);
	assert_int_equal(reg_get32(&time->on_engine), 0);
	assert_true(reg_get64(&time->run_ns) >= c.value);
	host_stop(h);
}

/* After the card's death the registers tell which job had begun, until QUEUE_CREATE. */
TEST(test_outlives)
{
	struct host *h = start("hang-at-job=2");
	struct nnaccel_queue_time *time = &h->regs->queue_time[0];
	uint64_t seqno;

	host_wait_job(h, 0, host_submit_null(h, 0));
	seqno = host_submit_null(h, 0);
	host_submit_null(h, 0);
	host_wait_begun(h, 0, seqno);
	while (!reg_get32(&time->on_engine))
		usleep(1000);
	host_reset(h);
	host_wait_ready(h, 1);
	assert_int_equal(reg_get64(&h->regs->queue[0].seqno), seqno);
	assert_int_equal(reg_get32(&time->on_engine), 1);
	host_handshake(h, 64);
	host_ctx_open(h, 0);
	assert_int_equal(reg_get64(&h->regs->queue[0].seqno), seqno);
	host_queue_create(h, 0, 0, 64);
	assert_int_equal(reg_get64(&h->regs->queue[0].seqno), 0);
	assert_int_equal(reg_get64(&time->run_ns), 0);
	assert_int_equal(reg_get32(&time->on_engine), 0);
	host_stop(h);
}

TEST(test_no_preempt)
{
	struct host *h = start("no-preempt,always");
	struct nnaccel_completion c;

	assert_false(reg_get32(&h->regs->caps) & (NNACCEL_CAP_QUEUE_TIME | NNACCEL_CAP_PREEMPT));
	for (int i = 0; i < 5; i++) {
		c = host_wait_job(h, 0, host_submit_null(h, 0));
		assert_int_equal(c.status, NNACCEL_STATUS_OK);
		assert_int_equal(c.value, 0);
	}
	assert_int_equal(reg_get64(&h->regs->queue_time[0].run_ns), 0);
	assert_int_equal(reg_get64(&h->regs->queue[0].seqno), 5);
	host_control(h, "fault none");
	host_wait_ready(h, 1);
	assert_true(reg_get32(&h->regs->caps) & NNACCEL_CAP_QUEUE_TIME);
	host_stop(h);
}

TEST(test_ack_early)
{
	struct host *h = start("ack-early=3");
	uint64_t at, seqno, last;
	uint32_t head;

	/* before job 3 it behaves normally */
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = 1)),
			 NNACCEL_STATUS_OK);
	for (int i = 0; i < 3; i++)
		host_wait_job(h, 0, host_submit_null(h, 0));
	at = host_now_ms();
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = 4)),
			 NNACCEL_STATUS_OK);
	head = reg_get32(&h->queues[0].ctl->head);
	seqno = host_submit_null(h, 0);
	last = host_submit_null(h, 0);
	host_queue_create(h, 1, 0, 64);
	/* other queues are not affected */
	assert_int_equal(host_wait_job(h, 1, host_submit_null(h, 1)).status, NNACCEL_STATUS_OK);
	/* this one takes no job for three seconds */
	assert_true(EVENTUALLY(reg_get32(&h->queues[0].ctl->head) != head));
	assert_true(host_now_ms() - at >= 2900);
	assert_int_equal(host_wait_job(h, 0, seqno).status, NNACCEL_STATUS_ABORTED);
	assert_int_equal(host_wait_job(h, 0, last).status, NNACCEL_STATUS_OK);
	host_stop(h);
}

TEST(test_refuse_queues)
{
	struct host *h = start("refuse-queues");
	uint64_t ring = host_alloc(h, 8192);

	host_ctx_open(h, 1);
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_QUEUE_CREATE, .queue = 1,
					   .context = 0, .addr = ring, .size = 64)),
			 NNACCEL_STATUS_NO_MEMORY);
	host_queue_create(h, 2, 1, 64);
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_QUEUE_CREATE, .queue = 3,
					   .context = 1, .addr = ring, .size = 64)),
			 NNACCEL_STATUS_NO_MEMORY);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	assert_int_equal(host_wait_job(h, 2, host_submit_null(h, 2)).status, NNACCEL_STATUS_OK);
	host_stop(h);
}

TEST(test_reset_line)
{
	struct host *h = start("none");
	uint32_t req = reg_get32(&h->regs->reset_ack) + 1;

	assert_non_null(strstr(host_control(h, "reset-line maybe"), "error"));
	assert_non_null(strstr(host_control(h, "reset-line off"), "ok"));
	assert_non_null(strstr(host_control(h, "status"), "reset_line=off"));
	reg_set32(&h->regs->reset_req, req);
	host_ring(h, NNACCEL_DOORBELL_RESET);
	/* Time in which a reset would be answered. */
	usleep(300000);
	assert_int_equal(reg_get32(&h->regs->reset_ack), req - 1);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	assert_non_null(strstr(host_control(h, "reset-line on"), "ok resets=1"));
	assert_int_equal(reg_get32(&h->regs->reset_ack), req);
	host_wait_ready(h, 1);
	host_reset(h);
	host_stop(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),	      cmocka_unit_test(test_outlives),
		cmocka_unit_test(test_no_preempt),    cmocka_unit_test(test_ack_early),
		cmocka_unit_test(test_refuse_queues), cmocka_unit_test(test_reset_line),
	};

	return cmocka_run_group_tests_name("board_policy", tests, NULL, NULL);
}
