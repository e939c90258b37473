// SPDX-License-Identifier: Apache-2.0
/*
 * Power and link of the card are one machine ("States" in Documentation/kernel.rst): sleep that is given up, a card that
 * comes back while no client uses it, a bus in error, interrupts while the card sleeps.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"
#include "nnaccel_power.h"

FIXTURE(link) {
	struct nn_rig rig;
	char address[64];
};

FIXTURE_SETUP(link)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_dev_address(self->rig.fd, self->address, sizeof(self->address)));
}

FIXTURE_TEARDOWN(link)
{
	if (access(NN_VMTEST, F_OK) == 0)
		nn_bus_error(self->address, "recover");
	if (nn_is_pci(self->address))
		nn_pci_decode(self->address, true);
	nn_bind(self->address);
	EXPECT_EQ(0, nn_power_on(self->address));
	nn_card_heal(self->rig.fd);
	nn_rig_close(&self->rig);
	/* Every count that was taken was given back: what is left is that of "on". */
	EXPECT_EQ(0, nn_power_wait_usage(self->address, "1"));
}

/* A number that the slot reports of the card, or a negative errno. */
static int slot_number(const char *key)
{
	char answer[256];
	const char *at;
	int ret = nn_control(answer, sizeof(answer), "status");

	if (ret)
		return ret;
	at = strstr(answer, key);
	return at ? (int)strtol(at + strlen(key), NULL, 10) : -EPROTO;
}

/* Whether the driver keeps memory because the card may write it: 1, 0 or a negative errno. */
static int memory_kept(int fd)
{
	char text[2048];
	int ret = nn_debugfs_read(fd, "state", text, sizeof(text));

	if (ret < 0)
		return ret;
	return strstr(text, "memory kept from the card: yes") ? 1 : strstr(text, "memory kept from the card: no") ? 0 : -EPROTO;
}

static int slot_wait_generation(int generation)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	int now;

	while ((now = slot_number(" generation=")) < generation || slot_number(" fw_state=") < NNACCEL_FW_READY) {
		if (now < 0 || nn_now() > end)
			return now < 0 ? now : -ETIMEDOUT;
		nn_sleep_ms(10);
	}
	return 0;
}

/*
 * The reset line is silent when the card should sleep, the card restarts meanwhile, and the line comes back just after
 * the sleep was given up. The card is awake then: it is not reset again, its jobs have all their time, and the next
 * sleep does stop it.
 */
TEST_F_TIMEOUT(link, sleep_given_up, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char answer[256];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("reset_ms", 1000));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "reset-line off"));
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspending"));
	nn_sleep_ms(100);
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault none"));
	nn_sleep_ms(1500);
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "reset-line on"));

	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	/* Asleep is not RUNNING: no card that sleeps uses memory. */
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
		EXPECT_NE(NNACCEL_FW_RUNNING, slot_number(" fw_state="));
		EXPECT_EQ(0, nn_rig_run(rig));
	}
	/* An awake card is not away: a job may take longer than link_ms. */
	ASSERT_EQ(0, nn_power_on(self->address));
	ASSERT_EQ(0, nn_card_fault(rig->fd, "slow-job=1,1000"));
	ASSERT_EQ(0, nn_param_set("link_ms", 200));
	EXPECT_EQ(0, nn_rig_run(rig));
}

/* A card that comes back is noticed though no job asks for it. */
TEST_F_TIMEOUT(link, comes_back_by_itself, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char answer[256];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "hold"));
	ASSERT_EQ(0, nn_param_set("link_ms", 200));
	EXPECT_EQ(-EIO, nn_rig_run(rig));
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_LINK_LOST, 0));
	/* Time for a suspend that should not come. */
	nn_sleep_ms(300);
	EXPECT_EQ(1, nn_power_is(self->address, "active"));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "start"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	nn_params_restore();
	/* And then it may sleep. */
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* The bus is in error, of a card that is @asleep or not: clients see it, and it has a limit. */
static void check_blocked(struct __test_metadata *_metadata, struct nn_rig *rig, const char *address, bool asleep)
{
	struct nn_job job;

	ASSERT_EQ(0, asleep ? nn_power_auto(address, 20) : nn_power_on(address));
	ASSERT_EQ(0, nn_power_wait(address, asleep ? "suspended" : "active"));
	ASSERT_EQ(0, nn_bus_error(address, "stuck"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_LINK_LOST, 0));
	nn_rig_job(rig, &job);
	job.num_syncs = 0;
	nn_job_signal(&job, rig->done, 1);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	/* After link_ms jobs wait for the bus no more. */
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_FAILED, 0));
	EXPECT_EQ(-EIO, nn_fence_end(rig->fd, rig->done, 1));
	EXPECT_EQ(-EIO, nn_run_null(&rig->queue));
	/* The reset of the bus repairs that too, without a job. */
	ASSERT_EQ(0, nn_bus_error(address, "recover"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	nn_rig_close(rig);
	ASSERT_EQ(0, nn_rig_open(rig));
}

TEST_F_TIMEOUT(link, blocked_bus_is_public, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;

	NEED_CONTROL();
	NEED_VMTEST();
	NEED_PCI(self->address);
	for (int asleep = 0; asleep <= 1; asleep++) {
		ASSERT_EQ(0, nn_param_set("link_ms", 500 * nn_slow()));
		check_blocked(_metadata, rig, self->address, asleep);
	}
	/* The bus recovers in time: jobs wait for it, and run. */
	nn_params_restore();
	ASSERT_EQ(0, nn_bus_error(self->address, "stuck"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_LINK_LOST, 0));
	ASSERT_EQ(0, nn_bus_error(self->address, "recover"));
	EXPECT_EQ(0, nn_rig_run(rig));
}

/* Interrupts of the device's vector @name since boot, or a negative errno. */
static long irqs(const char *name)
{
	FILE *f = fopen("/proc/interrupts", "re");
	char line[1024], *at, *end;
	long n = -ENOENT;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, name))
			continue;
		n = n < 0 ? 0 : n;
		at = strchr(line, ':') + 1;
		for (;;) {
			long count = strtol(at, &end, 10);

			if (end == at)
				break;
			n += count;
			at = end;
		}
	}
	fclose(f);
	return n;
}

/* The card restarts while it sleeps: the interrupt, whose handler reads registers, waits. */
TEST_F_TIMEOUT(link, quiet_while_asleep, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	int generation;
	char answer[256];
	long before;

	NEED_CONTROL();
	NEED_PCI(self->address);
	before = irqs("nnaccel-event");
	ASSERT_LE(0, before);
	ASSERT_EQ(0, nn_card_fault(rig->fd, "none"));
	EXPECT_LT(before, irqs("nnaccel-event"));

	ASSERT_EQ(0, nn_power_auto(self->address, 20));
	ASSERT_EQ(0, nn_power_wait(self->address, "suspended"));
	generation = slot_number(" generation=");
	ASSERT_LT(0, generation);
	ASSERT_EQ(0, slot_wait_generation(generation));
	before = irqs("nnaccel-event");
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault none"));
	ASSERT_EQ(0, slot_wait_generation(generation + 1));
	EXPECT_EQ(before, irqs("nnaccel-event"));
	EXPECT_EQ(1, nn_power_is(self->address, "suspended"));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	EXPECT_LT(before, irqs("nnaccel-event"));
}

/* How often a timer of @function is found that is due within a second, in some looks; a negative errno. */
static int timers(const char *function)
{
	int found = 0;
	char line[512], *in;

	for (int look = 0; look < 10; look++) {
		FILE *f = fopen("/proc/timer_list", "re");

		if (!f)
			return -errno;
		/* The line behind that of the timer has its time: "[in 1000 to 1000 nsecs]". */
		while (fgets(line, sizeof(line), f))
			if (strstr(line, function) && fgets(line, sizeof(line), f) && (in = strstr(line, "[in ")))
				found += strtoll(in + strlen("[in "), NULL, 10) < NN_NS_PER_S;
		fclose(f);
		nn_sleep_ms(3);
	}
	return found;
}

/* A job runs, and registers cannot be read any more. */
static void unreachable_begin(struct __test_metadata *_metadata, struct nn_rig *rig, const char *address)
{
	struct drm_nnaccel_counters before;
	struct nn_job job;

	ASSERT_EQ(0, nn_card_fault(rig->fd, "slow-job=1,60000"));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, nn_wait_begun(&rig->queue, &before));
	ASSERT_EQ(0, nn_pci_decode(address, false));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_LINK_LOST, 0));
}

/*
 * The card lives and writes memory, but its registers cannot be read. That is no proof of its death: what it can write is
 * kept until it was reset. When registers can be read again the card is reset, and used.
 */
TEST_F_TIMEOUT(link, unreachable_is_not_dead, NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct nn_rig *rig = &self->rig;

	NEED_CONTROL();
	NEED_PCI(self->address);
	unreachable_begin(_metadata, rig, self->address);
	/* The job's fence does not wait for the bus. */
	EXPECT_EQ(-ECANCELED, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(NNACCEL_STATUS_INNOCENT, nn_status(&rig->queue, 1));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	/* It runs its job still. */
	EXPECT_EQ(NNACCEL_FW_RUNNING, slot_number(" fw_state="));
	/* Its job has ended: after the check that was due already there is nothing to watch until the card was reset. */
	nn_sleep_ms(500);
	EXPECT_EQ(0, timers("nnaccel_watch_timer"));
	EXPECT_EQ(1, memory_kept(rig->fd));
	ASSERT_EQ(0, nn_control((char[256]){ 0 }, 256, "fault none"));
	ASSERT_EQ(0, nn_pci_decode(self->address, true));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	EXPECT_EQ(0, memory_kept(rig->fd));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));

	/* The same card answers again: it is reset before anything is released. */
	unreachable_begin(_metadata, rig, self->address);
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	ASSERT_EQ(0, nn_pci_decode(self->address, true));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before.resets + 1, after.resets);
	EXPECT_EQ(0, memory_kept(rig->fd));
	ASSERT_EQ(0, nn_control((char[256]){ 0 }, 256, "fault none"));
	EXPECT_EQ(0, nn_rig_run(rig));
}

struct breaker {
	const char *address;
	atomic_bool stop;
	int errors;
	int ret;
};

static void *break_bus(void *arg)
{
	struct breaker *b = arg;

	while (!atomic_load(&b->stop) && !b->ret) {
		b->ret = nn_bus_error(b->address, "stuck");
		if (!b->ret)
			b->ret = nn_bus_error(b->address, "recover");
		b->errors += !b->ret;
		nn_sleep_ms(7);
	}
	return NULL;
}

/* Bus errors beside jobs, sleep and wake-ups: each job ends, and the device is as before. */
TEST_F_TIMEOUT(link, bus_errors_beside_sleep, NN_LONG_TEST_S)
{
	struct breaker b = { .address = self->address };
	struct drm_nnaccel_device_info info;
	struct nn_rig *rig = &self->rig;
	int innocent = 0, right = 0;
	pthread_t thread;

	NEED_CONTROL();
	NEED_VMTEST();
	NEED_PCI(self->address);
	ASSERT_EQ(0, nn_power_auto(self->address, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, break_bus, &b));
	for (int i = 0; i < 200; i++) {
		int ret = nn_rig_run(rig);

		right += ret == 0;
		innocent += ret == -EAGAIN || ret == -EIO || ret == -ECANCELED;
		if (i % 4 == 0)
			nn_sleep_ms(2);
	}
	atomic_store(&b.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, b.ret);
	TH_LOG("%d bus errors; of 200 jobs %d right, %d lost", b.errors, right, innocent);
	EXPECT_EQ(200, right + innocent);
	EXPECT_LT(0, right);

	/* It sleeps, wakes, and a card that stands still is noticed. */
	EXPECT_EQ(0, nn_power_wait(self->address, "suspended"));
	ASSERT_EQ(0, nn_power_on(self->address));
	/* A card that is just being woken is ONLINE for clients: a job shows that it has woken. */
	EXPECT_EQ(0, nn_rig_run(rig));
	ASSERT_EQ(0, nn_device_info(rig->fd, &info));
	ASSERT_EQ(0, nn_param_set("heartbeat_ms", 500 * nn_slow()));
	ASSERT_EQ(0, nn_card_do("stop"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
}

TEST_HARNESS_MAIN
