// SPDX-License-Identifier: Apache-2.0
/*
 * The card restarts during the handshake, at each access of the driver to a register: the next card comes up, nothing
 * is reset for it, and jobs that waited run. The module nnaccel_vmrestart stops the driver there, so that no chance is
 * involved. NN_RESTARTS: restarts of all accesses together, at least one at each.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <nnaccel/nnaccel_regs.h>

#include "nnaccel_load.h"

#define MODULE	"/sys/module/nnaccel_vmrestart"
#define AT	MODULE "/parameters/at"

/* A restart that the card makes last: the registers are clear for that long. */
#define SLOW_START	"slow-start=5,always"

struct access {
	const char *name;
	size_t offset, size;
	unsigned int state;	/* of the firmware when it happens */
	unsigned int hit;	/* at the n-th access since the card before died */
	bool begun;		/* the queue may be there, and its job may have begun */
};

#define REG(reg, state, hit) \
	{ #reg " " #state " " #hit, offsetof(struct nnaccel_regs, reg), sizeof(((struct nnaccel_regs *)0)->reg) == 4 ? 4 : 8, \
	  NNACCEL_FW_##state, hit, false }
#define QUEUE_REG(reg, state, hit) \
	{ #reg " " #state " " #hit, offsetof(struct nnaccel_regs, reg), sizeof(((struct nnaccel_regs *)0)->reg) == 4 ? 4 : 8, \
	  NNACCEL_FW_##state, hit, true }

/* In the order of a handshake. The event interrupt reads link and generation too. */
static const struct access accesses[] = {
	REG(link, READY, 1), REG(link, READY, 2), REG(generation, READY, 1), REG(generation, READY, 2), REG(fw_state, READY, 1),
	REG(contract_version, READY, 1), REG(fw_version, READY, 1), REG(opset_version, READY, 1), REG(max_args, READY, 1),
	REG(caps, READY, 1), REG(engines, READY, 1), REG(program_quota, READY, 1), REG(arena_size, READY, 1), REG(name, READY, 1),
	REG(host_version, READY, 1), REG(admin_ring, READY, 1), REG(cq_ring, READY, 1), REG(admin_slots, READY, 1),
	REG(cq_slots, READY, 1), REG(host_generation, READY, 1), REG(host_state, READY, 1), REG(fw_state, READY, 2),
	REG(fw_state, READY, 3), REG(fw_state, RUNNING, 1), REG(fw_state, RUNNING, 2), REG(generation, RUNNING, 1),
	REG(generation, RUNNING, 2),
	/* Answers of GET_OPSET, CTX_OPEN, QUEUE_CREATE. */
	QUEUE_REG(cq_stalled, RUNNING, 1), QUEUE_REG(cq_stalled, RUNNING, 2), QUEUE_REG(cq_stalled, RUNNING, 3),
	QUEUE_REG(heartbeat, RUNNING, 1),
};

static const char *const untils[] = { "dead", "cleared", "ready" };

#define CASES	(NN_COUNT(accesses) * NN_COUNT(untils))

FIXTURE(handshake) {
	struct nn_rig rig;
	char address[64];
};

FIXTURE_SETUP(handshake)
{
#ifndef __x86_64__
	SKIP(return, "not on this device: no module nnaccel_vmrestart for its processor (tests/vm/module/Kbuild)");
#endif
	if (access(MODULE, F_OK) && system("modprobe -q nnaccel_vmrestart"))
		SKIP(return, "no module nnaccel_vmrestart: tests of the VM only");
	NEED_CONTROL();
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_dev_address(self->rig.fd, self->address, sizeof(self->address)));
}

FIXTURE_TEARDOWN(handshake)
{
	nn_write_file(AT, "off");
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->rig);
}

static int at_read(int *left, int *restarts, int *late)
{
	char text[64] = "";
	int fd = open(AT, O_RDONLY | O_CLOEXEC), ret = -EIO;

	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text) - 1) > 0 && sscanf(text, "left=%d restarts=%d late=%d", left, restarts, late) == 3)
		ret = 0;
	close(fd);
	return ret;
}

static int at_write(const char *address, const struct access *a, const char *until, unsigned int count)
{
	char text[160];

	snprintf(text, sizeof(text), "%s %zu %zu %u %u %s %u", address, a->offset, a->size, a->state, a->hit, until, count);
	return nn_write_file(AT, text);
}

/* Run a job: 0 if it ran, or if it had begun on a card that died since, which costs the job and not the device. */
static int run_job(struct nn_rig *rig, bool begun)
{
	struct drm_nnaccel_device_info info;
	int ret = nn_rig_run(rig);

	if (ret != -EIO || !begun)
		return ret;
	ret = nn_device_info(rig->fd, &info);
	return ret ? ret : info.state == DRM_NNACCEL_DEVICE_FAILED ? -EIO : 0;
}

/*
 * Let the card restart @count times at an access. A job that is submitted meanwhile has to run: it has not begun, so it waits
 * for a card. Not every handshake comes to a second access: then another one begins. Returns 0, or what went wrong: -ESTALE: the
 * access did not come, -EAGAIN: the card was too slow for the module.
 */
static int strike(struct nn_rig *rig, const char *address, const struct access *a, const char *until, unsigned int count)
{
	int64_t end = nn_now() + (NN_WAIT_S + (int)count) * NN_NS_PER_S;
	int left = count, restarts = 0, late = 0, ret = 0;

	while (!ret && left) {
		ret = at_write(address, a, until, left);
		if (!ret)
			ret = run_job(rig, a->begun);
		if (!ret)
			ret = at_read(&left, &restarts, &late);
		if (!ret && late)
			ret = -EAGAIN;
		if (!ret && nn_now() > end)
			ret = -ESTALE;
	}
	/* It may have run before the last restart. */
	if (!ret)
		ret = nn_rig_run(rig);
	return ret ? ret : nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0);
}

static unsigned int per_case(void)
{
	const char *text = getenv("NN_RESTARTS");
	unsigned long restarts = text ? strtoul(text, NULL, 10) : 0;

	return restarts > CASES ? (restarts + CASES - 1) / CASES : 1;
}

/* The driver reads a card that is no more: nothing of it may be taken for the next one's. */
TEST_F_TIMEOUT(handshake, restarts_at_each_access, 5 * NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	unsigned int count = per_case(), done = 0;

	ASSERT_EQ(0, nn_card_fault(self->rig.fd, SLOW_START));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	for (size_t i = 0; i < NN_COUNT(accesses); i++) {
		for (size_t j = 0; j < NN_COUNT(untils); j++) {
			ASSERT_EQ(0, strike(&self->rig, self->address, &accesses[i], untils[j], count))
				TH_LOG("restart at %s, until the card was %s, %u times; %u restarts were survived",
				       accesses[i].name, untils[j], count, done);
			done += count;
		}
	}
	ASSERT_EQ(0, nn_write_file(AT, "off"));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	/* A fresh card is used as it is. */
	EXPECT_EQ(before.resets, after.resets);
	TH_LOG("%u restarts", done);
}

/* More often in a row than a firmware that does not work is tried. */
TEST_F_TIMEOUT(handshake, restarts_many_times, NN_LONG_TEST_S)
{
	static const struct access rings = REG(host_state, READY, 1);
	struct drm_nnaccel_counters before, after;

	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	ASSERT_EQ(0, strike(&self->rig, self->address, &rings, "ready", 20));
	ASSERT_EQ(0, nn_write_file(AT, "off"));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	EXPECT_EQ(before.resets, after.resets);
	EXPECT_LE(before.links_lost + 20, after.links_lost);
}

/* An event interrupt of the last card is late: it must not end the commands to this one. */
TEST_F_TIMEOUT(handshake, late_interrupt, NN_LONG_TEST_S)
{
	/* The handler has compared it with that of the card: the second access. */
	static const struct access event = {
		"the driver's generation", NNACCEL_REGS_SIZE, 4, NNACCEL_FW_READY, 2, false
	};
	int left = 0, restarts = 0, late = 0, hits = 0;
	struct drm_nnaccel_counters before, after;

	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	/*
	 * The interrupt may come while the recovery worker is at work, and is not kept then. "late" does not matter: a driver
	 * that keeps its recovery worker from going on meanwhile is right.
	 */
	for (int i = 0; i < 100 && hits < 3; i++) {
		ASSERT_EQ(0, at_write(self->address, &event, "late", 1));
		ASSERT_EQ(0, nn_rig_run(&self->rig));
		ASSERT_EQ(0, nn_wait_state(self->rig.fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
		ASSERT_EQ(0, at_read(&left, &restarts, &late));
		hits += !left;
	}
	EXPECT_LT(0, hits);
	ASSERT_EQ(0, nn_write_file(AT, "off"));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	EXPECT_EQ(before.resets, after.resets);
}

TEST_HARNESS_MAIN
