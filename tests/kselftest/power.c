// SPDX-License-Identifier: Apache-2.0
/*
 * Power: the card sleeps while it has no jobs, the system is suspended and the bus fails with jobs in flight. See
 * the table in Documentation/failure-and-recovery.rst. System suspend and bus errors need the VM's helper module
 * (tests/vm/module).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"
#include "nnaccel_power.h"

FIXTURE(power) {
	struct nn_rig rig;
	char address[64];
};

static int slow_job(int fd, unsigned int job, unsigned int ms)
{
	char spec[64];

	snprintf(spec, sizeof(spec), "slow-job=%u,%u", job, ms);
	return nn_card_fault(fd, spec);
}

FIXTURE_SETUP(power)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_dev_address(self->rig.fd, self->address, sizeof(self->address)));
}

FIXTURE_TEARDOWN(power)
{
	nn_bind(self->address);
	EXPECT_EQ(0, nn_power_on(self->address));
	nn_write_file("/sys/power/pm_test", "none");
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->rig);
	/* Every count that was taken was given back: what is left is that of "on". */
	EXPECT_EQ(0, nn_power_wait_usage(self->address, "1"));
}

/* Idle: the card sleeps, seen in sysfs. The next job wakes it and is right. No reset is counted. */
TEST_F_TIMEOUT(power, sleeps_when_idle, NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct drm_nnaccel_device_info info;
	struct nn_rig *rig = &self->rig;
	uint32_t generation = 0;
	int64_t start;

	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
		ASSERT_EQ(0, nn_device_info(rig->fd, &info));
		/* For clients it is there. */
		EXPECT_EQ(DRM_NNACCEL_DEVICE_ONLINE, info.state);
		start = nn_now();
		ASSERT_EQ(0, nn_rig_run(rig));
		TH_LOG("from sleep to the end of a job: %lld us", (long long)(nn_now() - start) / 1000);
		EXPECT_TRUE(nn_rig_right(rig));
		memset(rig->out.map, 0, NN_BYTES);
		ASSERT_EQ(0, nn_device_info(rig->fd, &info));
		EXPECT_LT(generation, info.generation);
		generation = info.generation;
	}
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before.resets, after.resets);
	EXPECT_EQ(before.links_lost, after.links_lost);
	EXPECT_EQ(before.jobs_failed, after.jobs_failed);
}

/* A job that runs, and one that waits for a fence of user space, keep it awake; nothing does afterwards. */
TEST_F_TIMEOUT(power, jobs_keep_it_awake, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_counters before;
	struct nn_queue second;
	uint32_t gate = nn_syncobj(rig->fd), after = nn_syncobj(rig->fd);
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &second));
	ASSERT_EQ(0, slow_job(rig->fd, 1, 700 * nn_slow()));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	nn_rig_job(rig, &job);
	job.num_syncs = 0;
	nn_job_signal(&job, gate, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	nn_job_null(&job);
	nn_job_wait_for(&job, gate, 0);
	nn_job_signal(&job, after, 0);
	ASSERT_EQ(0, nn_submit(&second, &job));
	ASSERT_EQ(0, nn_wait_begun(&rig->queue, &before));
	ASSERT_EQ(0, nn_power_auto(self->address, 0));
	/* Until the first job has ended the second waits, and none of them may find the card asleep. */
	while (nn_fence_status(rig->fd, gate, 0) == 0) {
		ASSERT_EQ(1, nn_power_is(self->address, "active") | (nn_fence_status(rig->fd, after, 0) != 0));
		nn_sleep_ms(5);
	}
	EXPECT_EQ(0, nn_fence_end(rig->fd, gate, 0));
	EXPECT_EQ(0, nn_fence_end(rig->fd, after, 0));
	EXPECT_EQ(NNACCEL_STATUS_OK, nn_status(&rig->queue, 1));
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));
	nn_queue_free(&second);
}

/* While it sleeps objects can be made and destroyed, and the clock can be read, which wakes it. */
TEST_F_TIMEOUT(power, objects_while_asleep, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, second;
	struct drm_nnaccel_clock clock;
	struct nn_queue queue;
	struct nn_bo bo;

	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_bo_new(rig->fd, 4 * NN_PAGE, 0, &bo));
	memset(bo.map, 1, 4 * NN_PAGE);
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_HIGH, &queue));
	EXPECT_EQ(0, nn_queue_free(&queue));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_HIGH, &queue));
	nn_bo_free(&bo);
	EXPECT_EQ(1, nn_power_is(self->address, "suspended"));
	/* The queue that was made meanwhile is one as any other. */
	EXPECT_EQ(0, nn_run_null(&queue));
	EXPECT_EQ(0, nn_queue_free(&queue));

	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	EXPECT_EQ(0, nn_clock(rig->fd, &clock));
	/* A whole client that comes and goes. */
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_rig_setup_as_is(&second, nn_open()));
	EXPECT_EQ(0, nn_rig_run(&second));
	EXPECT_TRUE(nn_rig_right(&second));
	nn_rig_close(&second);
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));
	EXPECT_EQ(0, nn_rig_run(rig));
}

/* Refused jobs leave it asleep, and leave no count behind. */
TEST_F_TIMEOUT(power, refused_jobs_do_not_wake, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	for (int i = 0; i < 50; i++) {
		nn_rig_job(rig, &job);
		job.job.flags = ~0u;
		EXPECT_EQ(-EINVAL, nn_submit(&rig->queue, &job));
	}
	EXPECT_EQ(1, nn_power_is(self->address, "suspended"));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));

	/* Those of a queue that is banned as well. */
	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("no_progress_ms", 300 * nn_slow()));
	ASSERT_EQ(0, nn_power_on(self->address));
	ASSERT_EQ(0, nn_param_set("abort_ms", 100 * nn_slow()));
	ASSERT_EQ(0, nn_card_fault(rig->fd, "hang-at-job=1"));
	EXPECT_NE(0, nn_rig_run(rig));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_TIMEOUT, nn_health(&rig->queue));
	nn_params_restore();
	ASSERT_EQ(0, nn_card_fault(rig->fd, "none"));
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_power_auto(self->address, 60000));
	for (int i = 0; i < 50; i++) {
		nn_rig_job(rig, &job);
		EXPECT_EQ(-ECANCELED, nn_submit(&rig->queue, &job));
	}
	EXPECT_EQ(1, nn_power_is(self->address, "suspended"));
}

/* It does not wake: jobs wait for link_ms as for any absent card, or until there is one. */
TEST_F_TIMEOUT(power, does_not_wake, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char answer[256];
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "hold"));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_LINK_LOST, 0));
	EXPECT_EQ(0, nn_fence_status(rig->fd, rig->done, 0));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "start"));
	EXPECT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_TRUE(nn_rig_right(rig));

	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "hold"));
	ASSERT_EQ(0, nn_param_set("link_ms", 200));
	EXPECT_EQ(-EIO, nn_rig_run(rig));
	EXPECT_EQ(NNACCEL_STATUS_LINK_LOST, nn_status(&rig->queue, 2));
	nn_params_restore();
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "start"));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));
}

static void caught(int sig)
{
	(void)sig;
}

/* Whether the process sleeps in an ioctl. */
static bool in_ioctl(pid_t pid)
{
	char path[64];
	int number = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	f = fopen(path, "r");
	/* of one that does not sleep: "running" */
	if (f && fscanf(f, "%d", &number) != 1)
		number = -1;
	if (f)
		fclose(f);
	return number == SYS_ioctl;
}

/* The errno of QUERY_CLOCK in a process that gets a signal while the ioctl sleeps, or 0. */
static int clock_interrupted(int fd)
{
	struct drm_nnaccel_clock clock;
	struct drm_nnaccel_dev_query args = {
		.type = DRM_NNACCEL_QUERY_CLOCK,
		.size = sizeof(clock),
		.pointer = (uintptr_t)&clock,
	};
	const struct sigaction action = { .sa_handler = caught };
	pid_t child = fork();
	int status;

	if (child == 0) {
		sigaction(SIGUSR1, &action, NULL);
		_exit(ioctl(fd, DRM_IOCTL_NNACCEL_DEV_QUERY, &args) ? errno : 0);
	}
	while (!in_ioctl(child) && waitpid(child, &status, WNOHANG) == 0)
		nn_sleep_ms(1);
	if (kill(child, SIGUSR1) == 0)
		waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A signal ends the wait of QUERY_CLOCK for a card that wakes, and takes longer than boot_ms. */
TEST_F_TIMEOUT(power, signal_ends_wait, NN_LONG_TEST_S)
{
	char answer[256];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault slow-start=60000"));
	EXPECT_EQ(EINTR, clock_interrupted(self->rig.fd));
	ASSERT_EQ(0, nn_card_fault(self->rig.fd, "none"));
	EXPECT_EQ(0, nn_rig_run(&self->rig));
}

/* The reset line does not answer: the card is not put to sleep, and is used again when it can be. */
TEST_F_TIMEOUT(power, does_not_stop, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char answer[256];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("reset_ms", 100));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "reset-line off"));
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_FAILED, 0));
	EXPECT_EQ(1, nn_power_is(self->address, "active"));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "reset-line on"));
	nn_params_restore();
	ASSERT_EQ(0, nn_power_on(self->address));
	ASSERT_EQ(0, nn_card_fault(rig->fd, "none"));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* Counts are balanced after the death of the card, of a client, and of the device: it sleeps again. */
TEST_F_TIMEOUT(power, counts_after_death, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, second;
	struct drm_nnaccel_counters before;
	struct nn_job job;
	int file;

	NEED_CONTROL();
	/* The card dies with jobs in all states. */
	ASSERT_EQ(0, nn_card_fault(rig->fd, "die-at-job=2"));
	for (int i = 1; i <= 20; i++) {
		nn_rig_job(rig, &job);
		job.num_syncs = 0;
		nn_job_signal(&job, rig->done, i);
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	}
	for (int i = 1; i <= 20; i++)
		EXPECT_NE(-EBUSY, nn_fence_end(rig->fd, rig->done, i));
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));

	/* A client goes with jobs on the card. */
	ASSERT_EQ(0, nn_power_on(self->address));
	EXPECT_EQ(0, nn_rig_run(rig));
	ASSERT_EQ(0, slow_job(rig->fd, 1, 60000));
	ASSERT_EQ(0, nn_rig_setup_as_is(&second, nn_open()));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	nn_rig_job(&second, &job);
	ASSERT_EQ(0, nn_submit(&second.queue, &job));
	ASSERT_EQ(0, nn_wait_begun(&second.queue, &before));
	nn_rig_close(&second);
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));

	/* The device goes with jobs on the card, and while it sleeps. */
	ASSERT_EQ(0, nn_power_on(self->address));
	EXPECT_EQ(0, nn_rig_run(rig));
	ASSERT_EQ(0, slow_job(rig->fd, 1, 60000));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, nn_wait_begun(&rig->queue, &before));
	ASSERT_EQ(0, nn_export_sync_file(rig->fd, rig->done, &file));
	ASSERT_EQ(0, nn_unbind(self->address));
	EXPECT_EQ(-ENODEV, nn_sync_file_end(file));
	close(file);
	nn_rig_close(rig);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, nn_bind(self->address));
		ASSERT_EQ(0, nn_works_again());
		ASSERT_EQ(0, nn_power_auto(self->address, 20));
		ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
		ASSERT_EQ(0, nn_unbind(self->address));
	}
}

#define FLIGHT	40

/* @n jobs of which the first is slow, on the card and behind it. */
static int fly(struct nn_rig *rig, unsigned int ms)
{
	struct drm_nnaccel_counters before;
	struct nn_job job;
	int ret = slow_job(rig->fd, 1, ms);

	if (!ret)
		ret = nn_counters(rig->fd, &before);
	for (int i = 1; !ret && i <= FLIGHT; i++) {
		nn_rig_job(rig, &job);
		job.num_syncs = 0;
		/* Every fourth waits in drm_sched. */
		if (i % 4 == 0)
			nn_job_wait_for(&job, rig->done, i - 1);
		nn_job_signal(&job, rig->done, i);
		ret = nn_submit(&rig->queue, &job);
	}
	return ret ? ret : nn_wait_begun(&rig->queue, &before);
}

/* All jobs end, once and in order. Returns how many were lost, or a negative errno. */
static int land(struct nn_rig *rig)
{
	struct drm_nnaccel_status_entry e;
	uint64_t last = 0;
	int lost = 0, ret;

	for (int i = 1; i <= FLIGHT; i++) {
		if (nn_fence_end(rig->fd, rig->done, i) == -EBUSY)
			return -EBUSY;
		ret = nn_queue_status(&rig->queue, i, &e);
		if (ret)
			return ret;
		if (e.status == NNACCEL_STATUS_INNOCENT)
			lost++;
		else if (e.status == NNACCEL_STATUS_INPUT_FAILED && lost)
			lost++;
		else if (e.status != NNACCEL_STATUS_OK)
			return -EPROTO;
		if (e.done_ns < last)
			return -EILSEQ;
		last = e.done_ns;
	}
	return lost;
}

static int suspend_system(const char *state)
{
	int ret = nn_write_file("/sys/module/suspend/parameters/pm_test_delay", "0");

	if (!ret)
		ret = nn_write_file("/sys/power/pm_test", "devices");
	return ret ? ret : nn_write_file("/sys/power/state", state);
}

static void check_suspend(struct __test_metadata *_metadata, struct nn_rig *rig, const char *state)
{
	struct drm_nnaccel_device_info before, info;
	int64_t start;

	ASSERT_EQ(0, nn_device_info(rig->fd, &before));
	/* What runs ends before the system sleeps. */
	ASSERT_EQ(0, nn_param_set("suspend_ms", 2000 * nn_slow()));
	ASSERT_EQ(0, fly(rig, 300));
	ASSERT_EQ(0, suspend_system(state));
	start = nn_now();
	EXPECT_EQ(0, land(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	memset(rig->out.map, 0, NN_BYTES);
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	TH_LOG("%s: from resume to the end of the next job: %lld us", state, (long long)(nn_now() - start) / 1000);
	ASSERT_EQ(0, nn_device_info(rig->fd, &info));
	EXPECT_LT(before.generation, info.generation);
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&rig->queue));
}

TEST_F_TIMEOUT(power, suspend_to_idle, NN_LONG_TEST_S)
{
	NEED_CONTROL();
	NEED_VMTEST();
	check_suspend(_metadata, &self->rig, "freeze");
}

/* Hibernation: the callbacks for freezing and thawing. */
TEST_F_TIMEOUT(power, hibernate, NN_LONG_TEST_S)
{
	NEED_CONTROL();
	NEED_VMTEST();
	check_suspend(_metadata, &self->rig, "disk");
}

/* A job that does not end in suspend_ms is lost, alone. */
TEST_F_TIMEOUT(power, suspend_with_long_job, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;

	NEED_CONTROL();
	NEED_VMTEST();
	ASSERT_EQ(0, nn_param_set("suspend_ms", 100));
	ASSERT_EQ(0, fly(rig, 60000));
	ASSERT_EQ(0, suspend_system("freeze"));
	EXPECT_EQ(1, land(rig));
	EXPECT_EQ(NNACCEL_STATUS_INNOCENT, nn_status(&rig->queue, 1));
	EXPECT_TRUE(nn_rig_right(rig));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&rig->queue));
}

/* A card that sleeps stays asleep over a suspend, and can be woken after it. */
TEST_F_TIMEOUT(power, suspend_while_asleep, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char answer[256], after[256];

	NEED_CONTROL();
	NEED_VMTEST();
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "status"));
	ASSERT_EQ(0, suspend_system("freeze"));
	ASSERT_EQ(0, nn_control(after, sizeof(after), "status"));
	/* Its firmware may still have been booting. */
	if (strstr(answer, " fw_state="))
		*strstr(answer, " fw_state=") = '\0';
	EXPECT_EQ(0, strncmp(answer, after, strlen(answer))) {
		TH_LOG("'%s' became '%s'", answer, after);
	}
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));
}

/* A card that does not stop: the suspend fails, with the cause in the log, and everything goes on. */
TEST_F_TIMEOUT(power, suspend_refused, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char answer[256];

	NEED_CONTROL();
	NEED_VMTEST();
	ASSERT_EQ(0, nn_param_set("reset_ms", 100));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "reset-line off"));
	EXPECT_EQ(-EBUSY, suspend_system("freeze"));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "reset-line on"));
	ASSERT_EQ(0, nn_card_fault(rig->fd, "none"));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	EXPECT_EQ(0, suspend_system("freeze"));
	EXPECT_EQ(0, nn_rig_run(rig));
}

/* Bus errors with jobs in flight: only what had begun is lost. */
TEST_F_TIMEOUT(power, bus_errors, NN_LONG_TEST_S)
{
	static const char *const states[] = { "normal", "frozen" };
	struct nn_rig *rig = &self->rig;

	NEED_CONTROL();
	NEED_VMTEST();
	NEED_PCI(self->address);
	for (size_t i = 0; i < NN_COUNT(states); i++) {
		nn_rig_close(rig);
		ASSERT_EQ(0, nn_rig_open(rig));
		ASSERT_EQ(0, fly(rig, 60000));
		ASSERT_EQ(0, nn_bus_error(self->address, states[i]));
		EXPECT_EQ(1, land(rig)) {
			TH_LOG("%s", states[i]);
		}
		EXPECT_TRUE(nn_rig_right(rig));
		EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&rig->queue));
	}
	/* It still sleeps. */
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));
}

/* While the bus is in error jobs wait, nothing sleeps or wakes; and when it never recovers they end. */
TEST_F_TIMEOUT(power, bus_stuck_and_dead, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	NEED_CONTROL();
	NEED_VMTEST();
	NEED_PCI(self->address);
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_bus_error(self->address, "stuck"));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-ETIME, nn_syncobj_wait(rig->fd, rig->done, 0, 1));
	ASSERT_EQ(0, nn_bus_error(self->address, "recover"));
	EXPECT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_TRUE(nn_rig_right(rig));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));

	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_power_on(self->address));
	ASSERT_EQ(0, nn_bus_error(self->address, "dead"));
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-EIO, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(NNACCEL_STATUS_LINK_LOST, nn_status(&rig->queue, 2));
	/* Removal, which follows, works as ever. */
	nn_rig_close(rig);
	ASSERT_EQ(0, nn_unbind(self->address));
	ASSERT_EQ(0, nn_bind(self->address));
	EXPECT_EQ(0, nn_works_again());
}

/* The function is reset by sysfs with jobs in flight. */
TEST_F_TIMEOUT(power, function_reset, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;

	NEED_CONTROL();
	NEED_PCI(self->address);
	if (nn_dev_get(self->address, "reset_method", (char[64]){ 0 }, 64))
		SKIP(return, "the bus cannot reset this device");
	ASSERT_EQ(0, nn_param_set("suspend_ms", 2000 * nn_slow()));
	ASSERT_EQ(0, fly(rig, 300));
	ASSERT_EQ(0, nn_dev_set(self->address, "reset", "1"));
	EXPECT_EQ(0, land(rig));
	EXPECT_TRUE(nn_rig_right(rig));

	nn_rig_close(rig);
	ASSERT_EQ(0, nn_rig_open(rig));
	ASSERT_EQ(0, nn_param_set("suspend_ms", 50));
	ASSERT_EQ(0, fly(rig, 60000));
	ASSERT_EQ(0, nn_dev_set(self->address, "reset", "1"));
	EXPECT_EQ(1, land(rig));
	EXPECT_TRUE(nn_rig_right(rig));

	/* A sleeping device. */
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_dev_set(self->address, "reset", "1"));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	EXPECT_EQ(0, nn_rig_run(rig));
}

TEST_HARNESS_MAIN
