// SPDX-License-Identifier: Apache-2.0
/*
 * Memory is short: a memory cgroup at its limit, and the machine, with swap on zram and without. Contents that are not
 * needed are swapped out, and come back; or they are dropped, also from swap. See "Contents that are not needed" in
 * Documentation/uapi.rst.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"
#include "nnaccel_power.h"

#define CGROUP		"/run/nnaccel-cgroup"
#define GROUP		CGROUP "/short"
#define OTHER_GROUP	CGROUP "/other"
#define MIB		(1ll << 20)

/* Buffers of a client in the group: small ones, and one that may have huge pages. */
#define SMALL_BOS	28u
#define BOS		(SMALL_BOS + 1)
#define SMALL_SIZE	MIB
#define LARGE_SIZE	(4 * MIB)
#define BOS_SIZE	(SMALL_BOS * SMALL_SIZE + LARGE_SIZE)
/* Memory of the client that it touches again and again. */
#define HOT_SIZE	(28 * MIB)
/* Of both together this does not fit into the group. */
#define EXCESS		(24 * MIB)
/* What the kernel allocates for a group that has room for half of it. */
#define CHARGE		(8 * MIB)

/* ---- swap and group ------------------------------------------------------------------------ */

static int shell(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

static void swap_off(void)
{
	shell("swapoff /dev/zram0 2>/dev/null; test ! -e /sys/block/zram0/reset || echo 1 >/sys/block/zram0/reset");
}

static int swap_on(void)
{
	swap_off();
	return shell("modprobe zram && echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && "
		     "swapon /dev/zram0");
}

/* A number of a file: the first, or the one behind @key at the beginning of a line. Negative errno. */
static long long number_of(const char *path, const char *key)
{
	static char text[1 << 16];
	int ret = nn_read_file(path, text, sizeof(text));
	size_t len = key ? strlen(key) : 0;

	if (ret < 0)
		return ret;
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!key || (strncmp(line, key, len) == 0 && line[len] == ' '))
			return strtoll(line + len, NULL, 10);
	return -ENOENT;
}

/* Bytes that were written to swap, and read from it, since swap_on(): the disk counts sectors. */
static int swapped(long long *out, long long *in)
{
	char text[256];
	int ret = nn_read_file("/sys/block/zram0/stat", text, sizeof(text));

	if (ret < 0)
		return ret;
	if (sscanf(text, "%*u %*u %lld %*u %*u %*u %lld", in, out) != 2)
		return -EPROTO;
	*in *= 512;
	*out *= 512;
	return 0;
}

static int group_set(const char *file, long long bytes)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), GROUP "/%s", file);
	snprintf(text, sizeof(text), "%lld", bytes);
	return nn_write_file(path, bytes < 0 ? "max" : text);
}

static void group_remove(void)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;

	/* Their last processes may still be leaving. */
	while (((rmdir(GROUP) && errno == EBUSY) || (rmdir(OTHER_GROUP) && errno == EBUSY)) && nn_now() < end)
		nn_sleep_ms(10);
	umount(CGROUP);
	rmdir(CGROUP);
}

static int group_create(void)
{
	int ret;

	group_remove();
	if (mkdir(CGROUP, 0755) || mount("none", CGROUP, "cgroup2", 0, NULL))
		return -errno;
	ret = nn_write_file(CGROUP "/cgroup.subtree_control", "+memory");
	if (ret)
		return ret;
	return mkdir(GROUP, 0755) || mkdir(OTHER_GROUP, 0755) ? -errno : 0;
}

/* ---- a client in the group ------------------------------------------------------------------ */

struct client {
	const char *group;
	const char *limit;	/* file of the group */
	struct nn_rig rig;
	struct nn_bo bos[BOS];
	volatile char *hot;
	int socket;
};

static uint32_t word_of(uint32_t bo, size_t i)
{
	return bo * 0x9e3779b1u + i * 7 + 1;
}

/* Fill the buffers and unmap them: what is mapped cannot be given up. */
static int client_fill(struct client *c)
{
	for (uint32_t b = 0; b < BOS; b++) {
		struct nn_bo *bo = &c->bos[b];
		int ret = nn_bo_new(c->rig.fd, b < SMALL_BOS ? SMALL_SIZE : LARGE_SIZE, 0, bo);

		if (ret)
			return ret;
		for (size_t i = 0; i < bo->size / sizeof(uint32_t); i++)
			((uint32_t *)bo->map)[i] = word_of(b, i);
		munmap(bo->map, bo->size);
		bo->map = NULL;
	}
	return 0;
}

/* Whether a buffer has what client_fill() wrote. */
static int client_check(struct client *c, uint32_t b)
{
	struct nn_bo *bo = &c->bos[b];
	int wrong = 0, ret;
	uint32_t *map;

	ret = nn_bo_mmap(bo->fd, bo->handle, bo->size, PROT_READ, MAP_SHARED, (void **)&map);
	if (ret)
		return ret;
	for (size_t i = 0; i < bo->size / sizeof(uint32_t); i++)
		wrong += map[i] != word_of(b, i);
	munmap(map, bo->size);
	return wrong ? -EBADMSG : 0;
}

/* The buffers are needed again. Those that were not dropped are right. The bytes of the others, or a negative errno. */
static long long client_need(struct client *c)
{
	long long dropped = 0;

	for (uint32_t b = 0; b < BOS; b++) {
		int ret = nn_bo_advise(&c->bos[b], DRM_NNACCEL_MADV_WILLNEED);

		if (!ret)
			dropped += c->bos[b].size;
		else if (ret == 1)
			ret = client_check(c, b);
		if (ret < 0)
			return ret;
	}
	return dropped;
}

/* All of them, which must all be @retained afterwards, or not. */
static int client_advise(struct client *c, uint32_t advice, int retained)
{
	for (uint32_t b = 0; b < BOS; b++) {
		int ret = nn_bo_advise(&c->bos[b], advice);

		if (ret != retained)
			return ret < 0 ? ret : -ENODATA;
	}
	return 0;
}

/* In the group before it allocates anything for the device. */
static int client_open(struct client *c)
{
	char path[96];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/cgroup.procs", c->group);
	ret = nn_write_file(path, "0");
	if (ret)
		return ret;
	fd = nn_open();
	ret = fd < 0 ? fd : nn_rig_setup_as_is(&c->rig, fd);
	return ret ? ret : client_fill(c);
}

/*
 * Touch the hot memory until half of the buffers are not in memory: shmem of the group is nothing else. All of it does
 * not fit, so something is swapped out at once.
 */
static int client_press(struct client *c)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	long long left;

	c->hot = mmap(NULL, HOT_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->hot == MAP_FAILED)
		return -errno;
	do {
		for (size_t i = 0; i < HOT_SIZE; i += NN_PAGE)
			c->hot[i] += 1 + i / NN_PAGE;
		left = number_of(GROUP "/memory.stat", "shmem");
	} while (left > BOS_SIZE / 2 && nn_now() < end);
	munmap((void *)c->hot, HOT_SIZE);
	return left < 0 ? (int)left : left > BOS_SIZE / 2 ? -ETIMEDOUT : 0;
}

#define CLIENT_TRY(call) do { \
		int ret_ = (call); \
		if (ret_) { \
			fprintf(stderr, "# line %d: %s: %d\n", __LINE__, #call, ret_); \
			return 1; \
		} \
	} while (0)

/* Give up contents of a group that is then too small for them and the hot memory. */
static int client_give_up(struct client *c)
{
	long long bytes;

	CLIENT_TRY(client_open(c));
	bytes = number_of(GROUP "/memory.current", NULL);
	CLIENT_TRY(bytes < BOS_SIZE);
	CLIENT_TRY(group_set(c->limit, bytes + HOT_SIZE - EXCESS));
	CLIENT_TRY(client_advise(c, DRM_NNACCEL_MADV_DONTNEED, 1));
	CLIENT_TRY(client_press(c));
	return 0;
}

static int client_short(void *arg)
{
	struct client *c = arg;
	long long dropped;

	CLIENT_TRY(client_give_up(c));
	dropped = client_need(c);
	fprintf(stderr, "# dropped: %lld MiB of %lld\n", dropped / MIB, BOS_SIZE / MIB);
	CLIENT_TRY(dropped < 0);
	CLIENT_TRY(nn_rig_run(&c->rig));
	CLIENT_TRY(!nn_rig_right(&c->rig));
	return 0;
}

/* Give contents up, and need all of them again when a byte comes. */
static int client_other(void *arg)
{
	struct client *c = arg;
	char byte;

	CLIENT_TRY(client_open(c));
	CLIENT_TRY(client_advise(c, DRM_NNACCEL_MADV_DONTNEED, 1));
	CLIENT_TRY(write(c->socket, "", 1) != 1);
	CLIENT_TRY(read(c->socket, &byte, 1) != 1);
	CLIENT_TRY(client_need(c));
	return 0;
}

/* All that may be reclaimed on this machine is. */
static int reclaim_all(void)
{
	int ret = nn_write_file(CGROUP "/memory.reclaim", "8G");

	return ret == -EAGAIN ? 0 : ret;
}

/* Swapped out by the limit of the group, then dropped because the machine is short. */
static int client_dropped(void *arg)
{
	struct client *c = arg;
	long long now;

	CLIENT_TRY(client_give_up(c));
	now = number_of(GROUP "/memory.swap.current", NULL);
	fprintf(stderr, "# swapped out: %lld KiB of %lld\n", now >> 10, BOS_SIZE >> 10);
	CLIENT_TRY(now < EXCESS / 2);
	CLIENT_TRY(group_set(c->limit, -1));
	CLIENT_TRY(reclaim_all());
	CLIENT_TRY(client_advise(c, DRM_NNACCEL_MADV_DONTNEED, 0));
	/* Nothing of them is in memory, or in swap; of this process itself something is. */
	CLIENT_TRY(number_of(GROUP "/memory.stat", "shmem") > BOS_SIZE / 16);
	CLIENT_TRY(number_of(GROUP "/memory.swap.current", NULL) > EXCESS / 4);
	CLIENT_TRY(client_advise(c, DRM_NNACCEL_MADV_WILLNEED, 0));
	CLIENT_TRY(nn_rig_run(&c->rig));
	CLIENT_TRY(!nn_rig_right(&c->rig));
	return 0;
}

/* Pages that the kernel allocates for this group, in the context that is named (tests/vm/module). */
static int charge(const char *context, long long bytes)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %lld", context, bytes / NN_PAGE);
	return nn_write_file(NN_VMTEST "/parameters/charge", text);
}

/* Of a full group, code below a file system or a disk gets no memory by dropping contents; other code does. */
static int client_full(void *arg)
{
	struct client *c = arg;
	long long bytes;

	CLIENT_TRY(client_open(c));
	bytes = number_of(GROUP "/memory.current", NULL);
	CLIENT_TRY(bytes < BOS_SIZE);
	CLIENT_TRY(group_set(c->limit, bytes + CHARGE / 2));
	CLIENT_TRY(client_advise(c, DRM_NNACCEL_MADV_DONTNEED, 1));
	CLIENT_TRY(charge("noio", CHARGE) != -ENOMEM);
	CLIENT_TRY(charge("nofs", CHARGE) != -ENOMEM);
	CLIENT_TRY(client_advise(c, DRM_NNACCEL_MADV_DONTNEED, 1));
	CLIENT_TRY(charge("kernel", CHARGE));
	bytes = client_need(c);
	fprintf(stderr, "# dropped: %lld MiB of %lld\n", bytes / MIB, BOS_SIZE / MIB);
	CLIENT_TRY(bytes < CHARGE / 2);
	return 0;
}

/* ---- tests ------------------------------------------------------------------------------------ */

FIXTURE(reclaim) {
	struct nn_rig rig;	/* outside of the group */
	struct client client;
};

FIXTURE_VARIANT(reclaim) {
	const char *limit;
};

FIXTURE_VARIANT_ADD(reclaim, max) {
	.limit = "memory.max",
};

FIXTURE_VARIANT_ADD(reclaim, high) {
	.limit = "memory.high",
};

FIXTURE_SETUP(reclaim)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, swap_on());
	ASSERT_EQ(0, group_create());
	self->client.group = GROUP;
	self->client.limit = variant->limit;
}

FIXTURE_TEARDOWN(reclaim)
{
	nn_rig_close(&self->rig);
	group_remove();
	swap_off();
}

/* Jobs of this process, right ones, until the child ends. Their number, or a negative errno. */
static int run_beside(struct nn_rig *rig, pid_t child)
{
	siginfo_t info = { 0 };
	int jobs = 0, ret;

	do {
		memset(rig->out.map, 0, NN_BYTES);
		ret = nn_rig_run(rig);
		if (ret || !nn_rig_right(rig))
			return ret ? ret : -EBADMSG;
		jobs++;
		if (waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT))
			return -errno;
	} while (!info.si_pid);
	return jobs;
}

/* A group at its limit: contents that are not needed are dropped, or swapped out and come back when they are. */
TEST_F_TIMEOUT(reclaim, swapped_out_and_back, NN_LONG_TEST_S)
{
	const char *event = strchr(variant->limit, '.') + 1;
	long long out, in, out_before, in_before;
	pid_t child;
	int jobs;

	ASSERT_EQ(0, swapped(&out_before, &in_before));
	child = nn_child(client_short, &self->client);
	jobs = run_beside(&self->rig, child);

	EXPECT_LT(0, jobs);
	EXPECT_EQ(0, nn_child_end(child));
	ASSERT_EQ(0, swapped(&out, &in));
	out -= out_before;
	in -= in_before;
	TH_LOG("%d jobs beside it; %lld MiB swapped out, %lld MiB in", jobs, out / MIB, in / MIB);
	EXPECT_LT(0, out);
	EXPECT_LT(0, in);
	EXPECT_LT(0, number_of(GROUP "/memory.events", event));
	EXPECT_EQ(0, number_of(GROUP "/memory.events", "oom_kill"));
}

/* The machine is short, too: what was swapped out is dropped. */
TEST_F_TIMEOUT(reclaim, dropped_from_swap, NN_LONG_TEST_S)
{
	pid_t child = nn_child(client_dropped, &self->client);
	int jobs = run_beside(&self->rig, child);

	TH_LOG("%d jobs beside it", jobs);
	EXPECT_LT(0, jobs);
	EXPECT_EQ(0, nn_child_end(child));
	EXPECT_EQ(0, number_of(GROUP "/memory.events", "oom_kill"));
}

FIXTURE(no_swap) {
	struct nn_rig rig;	/* outside of the groups */
	struct client client, other;
};

FIXTURE_SETUP(no_swap)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	swap_off();
	ASSERT_EQ(0, group_create());
	self->client.group = GROUP;
	self->client.limit = "memory.max";
	self->other.group = OTHER_GROUP;
}

FIXTURE_TEARDOWN(no_swap)
{
	nn_rig_close(&self->rig);
	group_remove();
}

/* A group at its limit, without swap: its contents are dropped, and not those of another group. */
TEST_F_TIMEOUT(no_swap, dropped_in_group, NN_LONG_TEST_S)
{
	int sockets[2], jobs;
	pid_t child, other;
	char byte;

	ASSERT_EQ(0, nn_socketpair(sockets));
	self->other.socket = sockets[1];
	other = nn_child(client_other, &self->other);
	ASSERT_EQ(1, read(sockets[0], &byte, 1));

	child = nn_child(client_short, &self->client);
	jobs = run_beside(&self->rig, child);
	TH_LOG("%d jobs beside it", jobs);
	EXPECT_LT(0, jobs);
	EXPECT_EQ(0, nn_child_end(child));
	EXPECT_LT(0, number_of(GROUP "/memory.events", "max"));
	EXPECT_EQ(0, number_of(GROUP "/memory.events", "oom_kill"));

	ASSERT_EQ(1, write(sockets[0], "", 1));
	EXPECT_EQ(0, nn_child_end(other));
	close(sockets[0]);
	close(sockets[1]);
}

/* Contents may have to be read from swap before they are dropped: not below the disk, or the file system, itself. */
TEST_F_TIMEOUT(no_swap, not_below_io, NN_LONG_TEST_S)
{
	NEED_VMTEST();
	EXPECT_EQ(0, nn_child_end(nn_child(client_full, &self->client)));
	EXPECT_EQ(0, number_of(GROUP "/memory.events", "oom_kill"));
}

TEST_HARNESS_MAIN
