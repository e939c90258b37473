// SPDX-License-Identifier: Apache-2.0
/* Core dumps and uevents when the card hangs or dies (uapi/nnaccel/nnaccel_coredump.h). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <nnaccel/nnaccel_coredump.h>

#include "nnaccel_load.h"

#define FOLDER	"/sys/class/devcoredump"
#define COPY	"/run/nnaccel-coredump"

FIXTURE(coredump) {
	struct nn_rig rig;
	uint8_t *data;
	size_t size;
};

/* The dump of our device, or none: the path of its data. */
static int find(char *path, size_t size)
{
	char link[160], target[256];
	struct dirent *entry;
	DIR *dir = opendir(FOLDER);
	ssize_t len;
	int ret = -ENOENT;

	if (!dir)
		return -ENOENT;
	while (ret && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "devcd", 5))
			continue;
		snprintf(link, sizeof(link), FOLDER "/%.64s/failing_device/driver", entry->d_name);
		len = readlink(link, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		if (strcmp(strrchr(target, '/') + 1, "nnaccel"))
			continue;
		snprintf(path, size, FOLDER "/%.64s/data", entry->d_name);
		ret = 0;
	}
	closedir(dir);
	return ret;
}

static int wait_dump(char *path, size_t size)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	int ret;

	while ((ret = find(path, size)) && nn_now() < end)
		nn_sleep_ms(20);
	return ret;
}

/* Writing to it removes a dump. */
static void drop(void)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	char path[160];

	while (!find(path, sizeof(path)) && nn_now() < end) {
		nn_write_file(path, "1");
		nn_sleep_ms(10);
	}
}

static int read_dump(const char *path, uint8_t **data, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = -EIO;
	ssize_t len;

	if (fd < 0)
		return -errno;
	*size = 0;
	*data = malloc(2 * NNACCEL_DUMP_MAX_SIZE);
	while (*data && (len = read(fd, *data + *size, 2 * NNACCEL_DUMP_MAX_SIZE - *size)) >= 0) {
		*size += len;
		if (len)
			continue;
		ret = 0;
		break;
	}
	close(fd);
	return ret;
}

FIXTURE_SETUP(coredump)
{
	self->data = NULL;
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	drop();
}

FIXTURE_TEARDOWN(coredump)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->rig);
	free(self->data);
	drop();
	unlink(COPY);
}

static const struct nnaccel_dump_section *section(const uint8_t *data, uint32_t type)
{
	const struct nnaccel_dump_header *h = (const void *)data;
	const struct nnaccel_dump_section *s = (const void *)(data + h->header_size);

	for (uint32_t i = 0; i < h->sections; i++)
		if (s[i].type == type)
			return &s[i];
	return NULL;
}

static bool has(const uint8_t *data, size_t size, const void *what, size_t len)
{
	return memmem(data, size, what, len) != NULL;
}

static int hang(struct nn_rig *rig, const char *spec)
{
	struct nn_job job;
	int ret = nn_param_set("abort_ms", 300 * nn_slow());
	char path[160];

	if (!ret)
		ret = nn_card_fault(rig->fd, spec);
	/* The card was restarted for that, which is a death as well. */
	if (!ret)
		ret = wait_dump(path, sizeof(path));
	drop();
	if (ret)
		return ret;
	nn_rig_job(rig, &job);
	job.job.max_ns = 200 * NN_NS_PER_MS;
	return nn_submit(&rig->queue, &job);
}

static int listen_uevents(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	struct timeval limit = { .tv_sec = NN_WAIT_S };
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	if (s < 0)
		return -errno;
	if (setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    bind(s, (struct sockaddr *)&addr, sizeof(addr))) {
		close(s);
		return -errno;
	}
	return s;
}

/* Wait for the next WEDGED= of a node of ours. */
static int wait_wedged(int s, char *method, size_t size)
{
	char text[8192];
	ssize_t len;

	while ((len = recv(s, text, sizeof(text) - 1, 0)) > 0) {
		const char *wedged = NULL;
		bool ours = false;

		text[len] = '\0';
		for (char *line = text; line < text + len; line += strlen(line) + 1) {
			ours |= !strcmp(line, "SUBSYSTEM=accel") || !strcmp(line, "SUBSYSTEM=drm");
			if (!strncmp(line, "WEDGED=", 7))
				wedged = line + 7;
		}
		if (!ours || !wedged)
			continue;
		snprintf(method, size, "%s", wedged);
		return 0;
	}
	return -errno;
}

/* A uevent reports a reset after which the card works, and a card that needs help. */
TEST_F_TIMEOUT(coredump, uevents, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char method[64], answer[256], address[64];
	int s = listen_uevents();
	bool emulated;

	NEED_CONTROL();
	ASSERT_LE(0, s);
	ASSERT_EQ(0, nn_dev_address(rig->fd, address, sizeof(address)));
	emulated = nn_is_emulated(address);
	ASSERT_EQ(0, nn_card_do("kill"));
	ASSERT_EQ(0, wait_wedged(s, method, sizeof(method)));
	EXPECT_STREQ("none", method);
	EXPECT_EQ(0, nn_rig_run(rig));

	ASSERT_EQ(0, nn_param_set("reset_ms", 100));
	ASSERT_EQ(0, nn_param_set("admin_ms", 300 * nn_slow()));
	ASSERT_EQ(0, nn_param_set("heartbeat_ms", 300 * nn_slow()));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "reset-line off"));
	ASSERT_EQ(0, nn_card_do("stop"));
	/* The kernel itself takes memory from the emulated device, which is just away then. */
	ASSERT_EQ(0, nn_wait_state(rig->fd, emulated ? DRM_NNACCEL_DEVICE_LINK_LOST : DRM_NNACCEL_DEVICE_FAILED, 0));
	if (!emulated) {
		ASSERT_EQ(0, wait_wedged(s, method, sizeof(method)));
		EXPECT_STREQ(nn_is_pci(address) ? "rebind,bus-reset" : "rebind", method);
	}
	nn_params_restore();
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "reset-line on"));
	ASSERT_EQ(0, nn_card_fault(rig->fd, "none"));
	ASSERT_EQ(0, wait_wedged(s, method, sizeof(method)));
	EXPECT_STREQ("none", method);
	EXPECT_EQ(0, nn_rig_run(rig));
	close(s);
}

/* A job hangs the card: the dump tells which, holds nothing of the client's data, and nnctl reads it. */
TEST_F_TIMEOUT(coredump, hang, NN_LONG_TEST_S)
{
	static const char secret[] = "the client's own secret, which stays with it";
	const struct nnaccel_dump_section *s;
	const struct nnaccel_dump_header *h;
	const struct nnaccel_dump_job *j;
	const struct nnaccel_dump_queue *q;
	struct nn_rig *rig = &self->rig;
	char path[160], line[512];
	struct stat st;
	bool blamed = false;
	FILE *f;

	NEED_CONTROL();
	memcpy(rig->a.map, secret, sizeof(secret));
	ASSERT_EQ(0, hang(rig, "hang-at-job=1"));
	EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
	ASSERT_EQ(0, wait_dump(path, sizeof(path)));
	ASSERT_EQ(0, stat(path, &st));
	EXPECT_EQ(0, st.st_mode & 077);
	ASSERT_EQ(0, read_dump(path, &self->data, &self->size));
	ASSERT_LE(sizeof(*h), self->size);
	ASSERT_GE(NNACCEL_DUMP_MAX_SIZE, self->size);
	h = (const void *)self->data;
	EXPECT_EQ(NNACCEL_DUMP_MAGIC, h->magic);
	EXPECT_EQ(NNACCEL_DUMP_VERSION, h->version);
	EXPECT_EQ(self->size, h->size);
	EXPECT_EQ(NNACCEL_DUMP_HUNG, h->reason);

	s = section(self->data, NNACCEL_DUMP_JOBS);
	ASSERT_NE(NULL, s);
	ASSERT_EQ(1, s->count);
	j = (const void *)(self->data + s->offset);
	EXPECT_EQ(1, j->seqno);
	EXPECT_EQ(2, j->state);
	EXPECT_EQ(NNACCEL_STATUS_MAX_TIME, j->verdict);
	EXPECT_EQ(NNACCEL_DUMP_JOB_BEGUN | NNACCEL_DUMP_JOB_ABORTED,
		  j->flags & (NNACCEL_DUMP_JOB_BEGUN | NNACCEL_DUMP_JOB_ABORTED));
	EXPECT_EQ(200 * NN_NS_PER_MS, (int64_t)j->max_ns);
	s = section(self->data, NNACCEL_DUMP_QUEUES);
	ASSERT_NE(NULL, s);
	for (uint32_t i = 0; i < s->count; i++) {
		q = (const void *)(self->data + s->offset + i * s->stride);
		blamed |= q->queue == j->queue && q->flags & NNACCEL_DUMP_QUEUE_HUNG;
	}
	EXPECT_TRUE(blamed);
	EXPECT_FALSE(has(self->data, self->size, secret, 8));

	/* As a user would. */
	if (system("command -v nnctl >/dev/null"))
		SKIP(return, "no nnctl");
	snprintf(line, sizeof(line), "cat %s >" COPY " && nnctl coredump " COPY " >" COPY ".txt", path);
	ASSERT_EQ(0, system(line));
	f = fopen(COPY ".txt", "r");
	ASSERT_NE(NULL, f);
	blamed = false;
	while (fgets(line, sizeof(line), f))
		blamed |= strstr(line, "a job did not answer its abort") != NULL;
	fclose(f);
	unlink(COPY ".txt");
	EXPECT_TRUE(blamed);
	/* A part of it is refused. */
	ASSERT_EQ(0, truncate(COPY, self->size - 8));
	EXPECT_NE(0, system("nnctl coredump " COPY " 2>/dev/null"));
}

/* The card dies, again and again: one dump, of the first time, until it was read. */
TEST_F_TIMEOUT(coredump, death_and_bound, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	const struct nnaccel_dump_header *h;
	struct drm_nnaccel_device_info info;
	uint32_t generation = 0;
	char path[160], later[160];
	uint64_t number = 0;

	NEED_CONTROL();
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, nn_device_info(rig->fd, &info));
		if (!i)
			generation = info.generation;
		ASSERT_EQ(0, nn_card_do("kill"));
		ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
	}
	ASSERT_EQ(0, wait_dump(path, sizeof(path)));
	ASSERT_EQ(0, read_dump(path, &self->data, &self->size));
	h = (const void *)self->data;
	EXPECT_EQ(NNACCEL_DUMP_LOST, h->reason & NNACCEL_DUMP_LOST);
	EXPECT_EQ(generation, h->generation);
	number = h->number;
	free(self->data);
	self->data = NULL;
	drop();

	ASSERT_EQ(0, nn_device_info(rig->fd, &info));
	ASSERT_EQ(0, nn_card_do("kill"));
	ASSERT_EQ(0, wait_dump(later, sizeof(later)));
	ASSERT_EQ(0, read_dump(later, &self->data, &self->size));
	h = (const void *)self->data;
	/* Those that were left out count. */
	EXPECT_EQ(number + 4, h->number);
	EXPECT_EQ(info.generation, h->generation);
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
}

/* None if the administrator does not want any, and none for sleep. */
TEST_F_TIMEOUT(coredump, none, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_device_info info;
	char path[160];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_write_file("/sys/module/nnaccel/parameters/coredump", "N"));
	ASSERT_EQ(0, nn_device_info(rig->fd, &info));
	EXPECT_EQ(0, nn_card_do("kill"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_EQ(-ENOENT, find(path, sizeof(path)));
	ASSERT_EQ(0, nn_write_file("/sys/module/nnaccel/parameters/coredump", "Y"));
}

TEST_HARNESS_MAIN
