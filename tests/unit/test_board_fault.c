// SPDX-License-Identifier: Apache-2.0
/*
 * Every fault mode, seen from the host, and that the card is healthy after the restart it causes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board_host.h"
#include "board.h"
#include "test_case.h"

#define CMD(...) ((struct nnaccel_admin_cmd){ __VA_ARGS__ })
#define VICTIM 3u

/* Start a slot whose first card has the fault, bring it up, and run the jobs before the victim. */
static struct host *start(const char *fault)
{
	const char *const extra[] = { "--fault", fault, "--restart-delay", "5", NULL };
	struct host *h = host_start(NNACCEL_TEST_CARD, extra);

	host_wait_ready(h, 0);
	host_bring_up(h);
	for (uint32_t i = 1; i < VICTIM; i++)
		assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status,
				 NNACCEL_STATUS_OK);
	assert_non_null(strstr(host_control(h, "status"), fault));
	return h;
}

/* The card after the fault: the next generation, without the fault. */
static void healthy(struct host *h)
{
	host_wait_ready(h, 1);
	assert_int_equal(h->generation, 2);
	assert_non_null(strstr(host_control(h, "status"), "fault=none"));
	host_bring_up(h);
	for (uint32_t i = 1; i < 2 * VICTIM; i++)
		assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status,
				 NNACCEL_STATUS_OK);
	host_stop(h);
}

TEST(test_die)
{
	struct host *h = start("die-at-job=3");
	struct nnaccel_completion c;

	host_submit_null(h, 0);
	assert_false(host_next(h, &c, 200));
	healthy(h);
}

TEST(test_die_always)
{
	struct host *h = start("die-at-job=3,always");

	for (uint32_t generation = 1; generation <= 3; generation++) {
		host_submit_null(h, 0);
		host_wait_ready(h, generation);
		assert_int_equal(h->generation, generation + 1);
		host_bring_up(h);
		for (uint32_t i = 1; i < VICTIM; i++)
			assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, 0);
	}
	/* Until the fault is removed. */
	assert_non_null(strstr(host_control(h, "fault none"), "ok generation=5"));
	host_wait_ready(h, 4);
	host_bring_up(h);
	for (uint32_t i = 1; i < 2 * VICTIM; i++)
		assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, 0);
	host_stop(h);
}

TEST(test_hang)
{
	struct host *h = start("hang-at-job=3");
	uint64_t seqno = host_submit_null(h, 0), beat, progress;
	struct nnaccel_completion c;

	assert_false(host_next(h, &c, 200));
	host_wait_begun(h, 0, seqno);
	beat = reg_get64(&h->regs->heartbeat);
	progress = reg_get64(&h->regs->queue[0].progress);
	/* The abort is acknowledged, and has no effect. */
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = seqno)), 0);
	assert_false(host_next(h, &c, 400));
	assert_int_equal(reg_get64(&h->regs->queue[0].progress), progress);
	host_wait_more(&h->regs->heartbeat, beat);
	host_reset(h);
	healthy(h);
}

TEST(test_hang_abortable)
{
	struct host *h = start("hang-abortable=3");
	uint64_t seqno = host_submit_null(h, 0);
	struct nnaccel_completion c;

	assert_false(host_next(h, &c, 300));
	assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_ABORT, .value = seqno)), 0);
	assert_int_equal(host_wait_job(h, 0, seqno).status, NNACCEL_STATUS_ABORTED);
	/* The queue still works. */
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	host_control(h, "kill");
	healthy(h);
}

TEST(test_stop_heartbeat)
{
	struct host *h = start("stop-heartbeat=3");
	uint64_t beat;

	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	/* One beat may still be under way. Then there is none: four periods pass without one. */
	beat = reg_get64(&h->regs->heartbeat);
	usleep(400000);
	assert_in_range(reg_get64(&h->regs->heartbeat), beat, beat + 1);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	host_reset(h);
	host_wait_ready(h, 1);
	beat = reg_get64(&h->regs->heartbeat);
	host_wait_more(&h->regs->heartbeat, beat);
	healthy(h);
}

TEST(test_slow)
{
	struct host *h = start("slow-job=3,400");
	uint64_t begin = host_now_ms(), progress = reg_get64(&h->regs->queue[0].progress);
	uint64_t seqno = host_submit_null(h, 0);

	host_wait_begun(h, 0, seqno);
	host_wait_more(&h->regs->queue[0].progress, progress);
	assert_int_equal(host_wait_job(h, 0, seqno).status, NNACCEL_STATUS_OK);
	assert_true(host_now_ms() - begin >= 400);
	/* The next job is not slow, and progress does not decrease. */
	progress = reg_get64(&h->regs->queue[0].progress);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	assert_true(reg_get64(&h->regs->queue[0].progress) >= progress);
	host_control(h, "kill");
	healthy(h);
}

/* A queue is closed while its victim runs: the victim is CANCELED, never OK, and no other job. */
TEST(test_close_over_victim)
{
	static const char *const faults[] = { "slow-job=3,60000", "hang-abortable=3" };

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct host *h = start(faults[i]);
		struct nnaccel_completion c;
		uint64_t seqno;

		/* Closed before the victim was submitted: no effect on it. */
		assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_QUEUE_DESTROY, .queue = 0)),
				 0);
		host_queue_create(h, 0, 0, 64);
		seqno = host_submit_null(h, 0);
		host_submit_null(h, 0);
		assert_false(host_next(h, &c, 200));
		assert_int_equal(host_admin(h, CMD(.op = NNACCEL_ADMIN_QUEUE_DESTROY, .queue = 0)),
				 0);
		assert_int_equal(host_wait_job(h, 0, seqno).status, NNACCEL_STATUS_CANCELED);
		/* The next job may have run before the queue was closed. */
		c = host_wait_job(h, 0, seqno + 1);
		assert_true(c.status == NNACCEL_STATUS_CANCELED || c.status == NNACCEL_STATUS_OK);
		host_queue_create(h, 0, 0, 64);
		assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status,
				 NNACCEL_STATUS_OK);
		host_control(h, "kill");
		healthy(h);
	}
}

/* ---- invalid completions ---- */

enum verdict {
	FINE,
	BAD_TAIL,
	BAD_KIND,
	BAD_GENERATION,
	BAD_QUEUE,
	BAD_STATUS,
	BAD_TIME,
	BAD_SEQNO
};

/* The checks of a host before it accepts a completion; @seqno is the only job on the card. */
static enum verdict judge(struct host *h, uint64_t *seqno, int ms)
{
	struct nnaccel_completion c;
	uint64_t until = host_now_ms() + (uint64_t)ms;

	for (;;) {
		if (reg_get32(&h->cq.ctl->tail) - h->cq.index > h->cq.slots)
			return BAD_TAIL;
		if (host_drain(h, 0))
			break;
		if (host_now_ms() > until)
			return FINE;
		usleep(1000);
	}
	assert_true(host_next(h, &c, 0));
	if (c.kind != NNACCEL_COMPLETION_JOB && c.kind != NNACCEL_COMPLETION_ADMIN)
		return BAD_KIND;
	if (c.generation != h->generation)
		return BAD_GENERATION;
	if (c.queue != 0)
		return BAD_QUEUE;
	if (c.status >= NNACCEL_STATUS_FIRMWARE_COUNT)
		return BAD_STATUS;
	if (c.end_ns < c.start_ns)
		return BAD_TIME;
	if (c.seqno != *seqno)
		return BAD_SEQNO;
	*seqno = 0;
	return FINE;
}

TEST(test_invalid_completions)
{
	static const struct {
		const char *fault;
		enum verdict verdict;
	} cases[] = {
		{ "nonsense=bad-queue@3", BAD_QUEUE },
		{ "nonsense=bad-seqno@3", BAD_SEQNO },
		{ "nonsense=bad-status@3", BAD_STATUS },
		{ "nonsense=bad-kind@3", BAD_KIND },
		{ "nonsense=duplicate@3", BAD_SEQNO }, /* the duplicate: the job has ended */
		{ "nonsense=bad-tail@3", BAD_TAIL },
		{ "nonsense=bad-generation@3", BAD_GENERATION },
		{ "nonsense=time-backwards@3", BAD_TIME },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct host *h = start(cases[i].fault);
		uint64_t seqno = host_submit_null(h, 0);
		enum verdict verdict = judge(h, &seqno, HOST_TIMEOUT_MS);

		if (verdict == FINE)
			verdict = judge(h, &seqno, 2000);
		if (verdict != cases[i].verdict)
			fail_msg("%s: verdict %d", cases[i].fault, verdict);
		host_reset(h);
		healthy(h);
	}
}

/* The registers of a card that starts slowly are clear until it is READY. */
TEST(test_slow_start)
{
	struct host *h = start("slow-start=1,always");
	uint64_t begun = host_now_ms();

	assert_non_null(strstr(host_control(h, "fault slow-start=3600000"), "ok generation=2"));
	while (reg_get32(&h->regs->generation)) {
		if (host_now_ms() - begun > HOST_TIMEOUT_MS)
			fail_msg("the registers were not cleared");
		usleep(1000);
	}
	/* Time in which another card would be READY. */
	usleep(100000);
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_PRESENT);
	assert_int_equal(reg_get32(&h->regs->fw_state), NNACCEL_FW_BOOT);
	assert_int_equal(reg_get32(&h->regs->generation), 0);
	assert_int_equal(reg_get32(&h->regs->contract_version), 0);
	/* It has fired: the next card is healthy. */
	host_reset(h);
	host_wait_ready(h, 2);
	assert_int_equal(h->generation, 3);
	assert_non_null(strstr(host_control(h, "status"), "fault=none"));
	host_bring_up(h);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	host_stop(h);
}

/* The card announces the next major version of the contract, and the one after it this one. */
TEST(test_other_contract)
{
	struct host *h = start("other-contract,always");

	assert_int_equal(reg_get32(&h->regs->contract_version), (NNACCEL_CONTRACT_MAJOR + 1) << 16);
	assert_non_null(strstr(host_control(h, "fault none"), "ok generation=2"));
	host_wait_ready(h, 1);
	assert_int_equal(reg_get32(&h->regs->contract_version), NNACCEL_CONTRACT_VERSION);
	host_stop(h);
}

/* A fault that has not fired survives a restart that it did not cause. */
TEST(test_armed)
{
	struct host *h = start("die-at-job=3");
	struct nnaccel_completion c;

	host_reset(h);
	host_wait_ready(h, 1);
	host_bring_up(h);
	for (uint32_t i = 1; i < VICTIM; i++)
		assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, 0);
	host_submit_null(h, 0);
	assert_false(host_next(h, &c, 200));
	host_wait_ready(h, 2);
	assert_int_equal(h->generation, 3);
	assert_non_null(strstr(host_control(h, "status"), "fault=none"));
	host_stop(h);
}

/* Set by control command while a card runs, with jobs that use memory when it dies. */
TEST(test_fault_command)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);
	uint64_t bus;

	host_wait_ready(h, 0);
	host_bring_up(h);
	assert_non_null(strstr(host_control(h, "fault die-at-job=50"), "ok generation=2"));
	host_wait_ready(h, 1);
	host_bring_up(h);
	bus = host_alloc(h, NNACCEL_PAGE_SIZE);
	host_map(h, 0, 0x10000000, bus, NNACCEL_PAGE_SIZE, NNACCEL_PTE_WRITE);
	for (int i = 0; i < 16; i++)
		host_submit_copy(h, 0, 0x10000000, 0x10000000, 64, 0);
	for (uint64_t seqno = 1; seqno < 50; seqno++) {
		if (seqno + 16 <= 50)
			host_submit_copy(h, 0, 0x10000000, 0x10000000, 64, 0);
		assert_int_equal(host_wait_job(h, 0, seqno).status, NNACCEL_STATUS_OK);
	}
	host_wait_ready(h, 2);
	assert_int_equal(h->generation, 3);
	host_bring_up(h);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	host_stop(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_die),
		cmocka_unit_test(test_die_always),
		cmocka_unit_test(test_hang),
		cmocka_unit_test(test_hang_abortable),
		cmocka_unit_test(test_stop_heartbeat),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_close_over_victim),
		cmocka_unit_test(test_invalid_completions),
		cmocka_unit_test(test_slow_start),
		cmocka_unit_test(test_other_contract),
		cmocka_unit_test(test_armed),
		cmocka_unit_test(test_fault_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
