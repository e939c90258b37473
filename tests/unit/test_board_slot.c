// SPDX-License-Identifier: Apache-2.0
/* The slot: protocol, generations, reset line, control commands, early deaths. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "board_host.h"
#include "board.h"
#include "descriptors.h"
#include "test_case.h"

static void run_nulls(struct host *h, uint32_t count)
{
	host_handshake(h, 64);
	host_ctx_open(h, 0);
	host_queue_create(h, 0, 0, 64);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t seqno = host_submit_null(h, 0);

		assert_int_equal(host_wait_job(h, 0, seqno).status, NNACCEL_STATUS_OK);
	}
}

static long status_number(struct host *h, const char *name)
{
	const char *at = strstr(host_control(h, "status"), name);

	assert_non_null(at);
	return strtol(at + strlen(name), NULL, 10);
}

TEST(test_handshake)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);

	host_wait_ready(h, 0);
	assert_int_equal(h->generation, 1);
	assert_int_equal(reg_get32(&h->regs->contract_version), NNACCEL_CONTRACT_VERSION);
	assert_int_equal(reg_get32(&h->regs->max_args), NNACCEL_MAX_ARGS);
	assert_true(strlen((char *)h->regs->name) > 0);
	run_nulls(h, 20);
	uint64_t beat = reg_get64(&h->regs->heartbeat), clock = reg_get64(&h->regs->clock_ns);

	host_wait_more(&h->regs->heartbeat, beat);
	host_wait_more(&h->regs->clock_ns, clock);
	assert_int_equal(reg_get64(&h->regs->jobs_done), 20);
	host_stop(h);
}

TEST(test_version_refused)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);

	host_wait_ready(h, 0);
	reg_set32(&h->regs->host_version, (NNACCEL_CONTRACT_MAJOR + 1) << 16);
	reg_set32(&h->regs->host_generation, h->generation);
	reg_set32(&h->regs->host_state, NNACCEL_HOST_RINGS);
	host_ring(h, NNACCEL_DOORBELL_ADMIN);
	host_wait_state(h, NNACCEL_FW_FAILED);
	assert_int_equal(reg_get32(&h->regs->fw_error), NNACCEL_FW_ERROR_VERSION);
	/* Only the reset line helps. */
	host_reset(h);
	host_wait_ready(h, 1);
	assert_int_equal(reg_get32(&h->regs->fw_error), NNACCEL_FW_ERROR_NONE);
	run_nulls(h, 2);
	host_stop(h);
}

TEST(test_old_rings_ignored)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);

	host_wait_ready(h, 0);
	run_nulls(h, 3);
	/* host_state is still RINGS, for the old generation, and the rings have work. */
	memset(h->log, 0, sizeof(h->log));
	assert_non_null(strstr(host_control(h, "hold"), "ok"));
	host_submit_null(h, 0);
	host_control(h, "start");
	host_wait_ready(h, 1);
	host_ring(h, NNACCEL_DOORBELL_ADMIN);
	host_ring(h, NNACCEL_DOORBELL_SUBMIT);
	/* Time in which a card would take the old rings. */
	usleep(100000);
	assert_int_equal(reg_get32(&h->regs->fw_state), NNACCEL_FW_READY);
	assert_int_equal(host_drain(h, 0), 0);
	run_nulls(h, 3);
	host_stop(h);
}

TEST(test_reset_line)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);

	host_wait_ready(h, 0);
	for (uint32_t i = 1; i <= 5; i++) {
		uint32_t before = h->generation;
		pid_t pid = (pid_t)status_number(h, "pid=");

		run_nulls(h, 5);
		if (i == 3) /* a stopped card too */
			assert_int_equal(kill(pid, SIGSTOP), 0);
		host_reset(h);
		/* Acknowledged: the process is dead and reaped. */
		assert_int_equal(kill(pid, 0), -1);
		host_wait_ready(h, before);
		assert_true(h->generation > before);
		assert_int_equal(status_number(h, "resets="), i);
	}
	/* The same request again is ignored, given time for a reset. */
	host_ring(h, NNACCEL_DOORBELL_RESET);
	usleep(50000);
	assert_int_equal(status_number(h, "resets="), 5);
	run_nulls(h, 5);
	host_stop(h);
}

TEST(test_kill)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);

	host_wait_ready(h, 0);
	for (int i = 0; i < 20; i++) {
		uint32_t before = h->generation;
		pid_t pid = (pid_t)status_number(h, "pid=");

		run_nulls(h, 3);
		if (i & 1)
			assert_int_equal(kill(pid, SIGKILL), 0);
		else
			assert_non_null(strstr(host_control(h, "kill"), "ok"));
		assert_true(host_wait_irq(h, NNACCEL_IRQ_EVENT, HOST_TIMEOUT_MS));
		host_wait_ready(h, before);
		assert_int_equal(h->generation, before + 1);
		h->ram_used = 1 << 20;
	}
	assert_int_equal(status_number(h, "restarts="), 20);
	host_stop(h);
}

TEST(test_hold_and_start)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);

	host_wait_ready(h, 0);
	run_nulls(h, 3);
	assert_non_null(strstr(host_control(h, "hold"), "ok generation=1"));
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_ABSENT);
	assert_int_equal(reg_get32(&h->regs->fw_state), NNACCEL_FW_BOOT);
	/* Time in which a card would start. */
	usleep(150000);
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_ABSENT);
	/* The slot answers the reset line without a card, and starts none. */
	host_reset(h);
	usleep(50000);
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_ABSENT);
	assert_non_null(strstr(host_control(h, "kill"), "error no card"));
	assert_non_null(strstr(host_control(h, "stop"), "error no card"));
	assert_non_null(strstr(host_control(h, "hold-next"), "error no card"));
	assert_non_null(strstr(host_control(h, "start"), "ok generation=2"));
	host_wait_ready(h, 1);
	run_nulls(h, 3);
	/* This one serves until it is reset. */
	assert_non_null(strstr(host_control(h, "hold-next"), "ok generation=2"));
	assert_non_null(strstr(host_control(h, "status"), "held=0"));
	host_reset(h);
	assert_non_null(strstr(host_control(h, "status"), "held=1"));
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_ABSENT);
	assert_non_null(strstr(host_control(h, "start"), "ok generation=3"));
	host_wait_ready(h, 2);
	run_nulls(h, 3);
	host_stop(h);
}

TEST(test_stop_and_cont)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);
	struct nnaccel_completion c;

	host_wait_ready(h, 0);
	run_nulls(h, 3);
	assert_non_null(strstr(host_control(h, "stop"), "ok"));
	uint64_t seqno = host_submit_null(h, 0);

	assert_false(host_next(h, &c, 300));
	assert_int_equal(status_number(h, "stopped="), 1);
	assert_non_null(strstr(host_control(h, "cont"), "ok"));
	assert_int_equal(host_wait_job(h, 0, seqno).status, NNACCEL_STATUS_OK);
	host_stop(h);
}

TEST(test_control_errors)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);
	char longer[400];

	host_wait_ready(h, 0);
	assert_string_equal(host_control(h, "frobnicate"), "error unknown command \"frobnicate\"");
	assert_string_equal(host_control(h, "fault"), "error \"fault\" takes an argument");
	assert_string_equal(host_control(h, "kill now"), "error \"kill\" takes no argument");
	assert_string_equal(host_control(h, "fault melt-down=3"),
			    "error bad fault \"melt-down=3\"");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_string_equal(host_control(h, longer), "error bad line");
	assert_int_equal(status_number(h, "generation="), 1);
	host_stop(h);
}

TEST(test_early_death)
{
	static const char *const extra[] = { "--fault", "early-death=3", "--restart-delay", "0",
					     NULL };
	struct host *h = host_start(NNACCEL_TEST_CARD, extra);

	host_wait_ready(h, 0);
	assert_int_equal(h->generation, 4);
	run_nulls(h, 3);
	assert_non_null(strstr(host_control(h, "status"), "restarts=3"));
	assert_non_null(strstr(host_control(h, "status"), "fault=none"));
	host_stop(h);
}

static int connect_again(struct host *h)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s/ivshmem.sock", h->dir);
	fd = unix_dial(path, SOCK_STREAM);
	assert_true(fd >= 0);
	return fd;
}

TEST(test_machine_leaves)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, NULL);
	int64_t word = -1;
	char byte;
	int second;

	host_wait_ready(h, 0);
	run_nulls(h, 2);
	/* No message after the setup: QEMU 7.2 does not accept one. */
	assert_int_equal(recv(h->sock, &byte, 1, MSG_DONTWAIT), -1);
	/* One machine at a time. */
	second = connect_again(h);
	assert_int_equal(recv(second, &byte, 1, 0), 0);
	close(second);
	assert_int_equal(host_wait_job(h, 0, host_submit_null(h, 0)).status, NNACCEL_STATUS_OK);
	shutdown(h->sock, SHUT_RDWR);
	/* When the machine disconnects the card is stopped. */
	for (int i = 0; i < 500 && reg_get32(&h->regs->link) != NNACCEL_LINK_ABSENT; i++)
		usleep(10000);
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_ABSENT);
	assert_int_equal(status_number(h, "guest="), 0);
	/* Time in which a card would start. */
	usleep(100000);
	assert_int_equal(status_number(h, "pid="), 0);
	/* The next machine gets a new card. */
	second = connect_again(h);
	assert_int_equal(recv(second, &word, sizeof(word), MSG_WAITALL), sizeof(word));
	assert_int_equal(word, 0);
	host_wait_ready(h, 1);
	assert_int_equal(h->generation, 2);
	close(second);
	host_stop(h);
}

TEST(test_fault_text)
{
	static const char *const good[] = {
		"none",
		"die-at-job=1",
		"hang-at-job=77,always",
		"hang-abortable=3",
		"stop-heartbeat=9",
		"nonsense=bad-queue@1",
		"nonsense=time-backwards@12,always",
		"slow-job=3,250",
		"slow-job=3,250,always",
		"ignore-loop-limit",
		"early-death=4",
		"slow-start=20,always",
		"other-contract",
		"no-preempt",
		"no-preempt,always",
		"ack-early=7",
		"refuse-queues,always",
	};
	static const char *const bad[] = {
		"",
		"die",
		"die-at-job",
		"die-at-job=",
		"die-at-job=0",
		"die-at-job=-1",
		"die-at-job=1x",
		"die-at-job=1,",
		"die-at-job=1,never",
		"nonsense=bad-queue",
		"nonsense=worse@1",
		"none=1",
		"slow-job=3",
		"slow-job=3,0",
		"other-contract=2",
		"no-preempt=1",
		"ack-early",
		"refuse-queues=2",
		"early-death=1001",
		"slow-start",
		"slow-start=0",
		"die-at-job=99999999999999999999",
	};
	struct fault_spec spec;
	char text[FAULT_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(fault_parse(good[i], &spec), 0);
		fault_format(&spec, text, sizeof(text));
		assert_string_equal(text, good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_not_equal(fault_parse(bad[i], &spec), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fault_text),	cmocka_unit_test(test_handshake),
		cmocka_unit_test(test_version_refused), cmocka_unit_test(test_old_rings_ignored),
		cmocka_unit_test(test_reset_line),	cmocka_unit_test(test_kill),
		cmocka_unit_test(test_hold_and_start),	cmocka_unit_test(test_stop_and_cont),
		cmocka_unit_test(test_control_errors),	cmocka_unit_test(test_early_death),
		cmocka_unit_test(test_machine_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
