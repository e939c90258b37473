// SPDX-License-Identifier: Apache-2.0
/* debugfs shows what the device and its queues are in, as the other interfaces report it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

#define JOBS	37

FIXTURE(debugfs) {
	struct nn_rig rig;
	char text[16384];
};

FIXTURE_SETUP(debugfs)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	if (nn_debugfs_read(self->rig.fd, "state", self->text, sizeof(self->text)) == -ENOENT)
		SKIP(return, "no debugfs");
}

FIXTURE_TEARDOWN(debugfs)
{
	nn_rig_close(&self->rig);
}

/* The rest of the line that begins with @name, without its newline; NULL: there is none. */
static char *value_of(char *text, const char *name)
{
	char *line = text;

	while (line && strncmp(line, name, strlen(name)) != 0) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return line + strlen(name);
}

TEST_F(debugfs, state)
{
	static const char *const names[] = { "state: ", "generation: ", "name: ", "firmware: ", "memory kept from the card: " };
	struct drm_nnaccel_device_info info;
	char expected[5][80];

	ASSERT_EQ(0, nn_device_info(self->rig.fd, &info));
	snprintf(expected[0], sizeof(expected[0]), "online");
	snprintf(expected[1], sizeof(expected[1]), "%u", info.generation);
	snprintf(expected[2], sizeof(expected[2]), "%.63s", (const char *)info.name);
	snprintf(expected[3], sizeof(expected[3]), "%u.%u.%u, contract %u.%u, opset %u", info.fw_version >> 16,
		 info.fw_version >> 8 & 0xff, info.fw_version & 0xff, info.contract_version >> 16,
		 info.contract_version & 0xffff, info.opset_version);
	snprintf(expected[4], sizeof(expected[4]), "no");
	for (size_t i = 0; i < NN_COUNT(names); i++) {
		const char *value;

		ASSERT_LT(0, nn_debugfs_read(self->rig.fd, "state", self->text, sizeof(self->text)));
		value = value_of(self->text, names[i]);
		ASSERT_NE(NULL, value) {
			TH_LOG("no line %s", names[i]);
		}
		EXPECT_STREQ(expected[i], value);
	}
}

/* The card is lost, and comes back as the next generation. */
TEST_F_TIMEOUT(debugfs, state_of_a_lost_card, NN_LONG_TEST_S)
{
	struct drm_nnaccel_device_info info;
	unsigned int generation;
	const char *value;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_device_info(self->rig.fd, &info));
	ASSERT_EQ(0, nn_card_hold(self->rig.fd));
	ASSERT_LT(0, nn_debugfs_read(self->rig.fd, "state", self->text, sizeof(self->text)));
	value = value_of(self->text, "state: ");
	ASSERT_NE(NULL, value);
	EXPECT_STRNE("online", value);
	ASSERT_EQ(0, nn_card_start(self->rig.fd));
	ASSERT_LT(0, nn_debugfs_read(self->rig.fd, "state", self->text, sizeof(self->text)));
	value = value_of(self->text, "generation: ");
	ASSERT_NE(NULL, value);
	generation = strtoul(value, NULL, 10);
	EXPECT_LT(info.generation, generation);
	ASSERT_LT(0, nn_debugfs_read(self->rig.fd, "state", self->text, sizeof(self->text)));
	EXPECT_STREQ("online", value_of(self->text, "state: "));
}

static bool has_queue(int fd, char *text, size_t size, const char *words)
{
	return nn_debugfs_read(fd, "queues", text, size) > 0 && strstr(text, words);
}

/* A queue of ended jobs, and one whose job is on the card. */
TEST_F_TIMEOUT(debugfs, queues, NN_TEST_S)
{
	struct nn_queue queue;
	struct nn_long work;
	struct nn_job job;
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;

	ASSERT_EQ(0, nn_queue_new(self->rig.fd, DRM_NNACCEL_PRIORITY_HIGH, &queue));
	for (int i = 0; i < JOBS; i++)
		ASSERT_EQ(0, nn_run_null(&queue));
	EXPECT_TRUE(has_queue(self->rig.fd, self->text, sizeof(self->text), "priority 2 attached jobs 0 last 37 health 0 innocent 0\n"));
	ASSERT_EQ(0, nn_long_open(self->rig.fd, 2000, 1, 0, &work));
	nn_long_job(&work, &job);
	ASSERT_EQ(0, nn_submit(&queue, &job));
	while (!has_queue(self->rig.fd, self->text, sizeof(self->text), " jobs 1 last 38 health 0 innocent 0 oldest 38 on-card") &&
	       nn_now() < end)
		nn_sleep_ms(1);
	EXPECT_NE(NULL, strstr(self->text, " oldest 38 on-card"));
	EXPECT_EQ(0, nn_queue_free(&queue));
	EXPECT_FALSE(has_queue(self->rig.fd, self->text, sizeof(self->text), " last 38 "));
	nn_long_close(&work);
}

TEST_F(debugfs, counters)
{
	struct drm_nnaccel_counters before, after;
	unsigned long long shown;
	const char *value;

	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	ASSERT_EQ(0, nn_rig_run(&self->rig));
	ASSERT_LT(0, nn_debugfs_read(self->rig.fd, "counters", self->text, sizeof(self->text)));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	value = value_of(self->text, "jobs_completed: ");
	ASSERT_NE(NULL, value);
	shown = strtoull(value, NULL, 10);
	EXPECT_LT(before.jobs_completed, shown);
	EXPECT_GE(after.jobs_completed, shown);
}

TEST_HARNESS_MAIN
