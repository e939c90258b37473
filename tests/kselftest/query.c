// SPDX-License-Identifier: Apache-2.0
/* DEV_QUERY: size negotiation and contents of every type. */
#include <errno.h>
#include <glob.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <nnaccel/nnaccel_opset.h>
#include <xf86drm.h>

#include "nnaccel_load.h"
#include "nnaccel_power.h"

#define FILL	0xa5

FIXTURE(query) {
	int fd;
};

FIXTURE_VARIANT(query) {
	uint32_t type;
	uint32_t size;		/* of the struct; 0: at least an opset's header */
};

FIXTURE_VARIANT_ADD(query, device) {
	.type = DRM_NNACCEL_QUERY_DEVICE,
	.size = sizeof(struct drm_nnaccel_device_info),
};

FIXTURE_VARIANT_ADD(query, limits) {
	.type = DRM_NNACCEL_QUERY_LIMITS,
	.size = sizeof(struct drm_nnaccel_limits),
};

FIXTURE_VARIANT_ADD(query, priorities) {
	.type = DRM_NNACCEL_QUERY_PRIORITIES,
	.size = sizeof(struct drm_nnaccel_priorities),
};

FIXTURE_VARIANT_ADD(query, opset) {
	.type = DRM_NNACCEL_QUERY_OPSET,
};

FIXTURE_VARIANT_ADD(query, counters) {
	.type = DRM_NNACCEL_QUERY_COUNTERS,
	.size = sizeof(struct drm_nnaccel_counters),
};

FIXTURE_VARIANT_ADD(query, clock) {
	.type = DRM_NNACCEL_QUERY_CLOCK,
	.size = sizeof(struct drm_nnaccel_clock),
};

FIXTURE_SETUP(query)
{
	self->fd = nn_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, nn_card_heal(self->fd));
}

FIXTURE_TEARDOWN(query)
{
	close(self->fd);
}

static int dev_query(int fd, uint32_t type, uint64_t pointer, uint32_t *size)
{
	struct drm_nnaccel_dev_query args = { .type = type, .size = *size, .pointer = pointer };
	int ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_DEV_QUERY, &args);

	*size = args.size;
	return ret;
}

static bool filled(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != FILL)
			return false;
	return true;
}

TEST_F(query, null_pointer_returns_size)
{
	uint32_t size = 0, again = 12345;

	ASSERT_EQ(0, dev_query(self->fd, variant->type, 0, &size));
	ASSERT_EQ(0, dev_query(self->fd, variant->type, 0, &again));
	EXPECT_EQ(size, again);
	if (variant->size) {
		EXPECT_EQ(variant->size, size);
	} else {
		EXPECT_LE(sizeof(struct nnaccel_opset_header), size);
	}
}

TEST_F(query, short_buffer)
{
	uint8_t buffer[64];
	uint32_t size = 4;

	memset(buffer, FILL, sizeof(buffer));
	ASSERT_EQ(0, dev_query(self->fd, variant->type, (uintptr_t)buffer, &size));
	EXPECT_EQ(4, size);
	EXPECT_TRUE(filled(buffer + 4, sizeof(buffer) - 4));
	/* No struct begins with these four bytes. */
	EXPECT_FALSE(filled(buffer, 4));
}

TEST_F(query, large_buffer)
{
	uint32_t size = 0, full, half;
	uint8_t *a, *b;

	ASSERT_EQ(0, dev_query(self->fd, variant->type, 0, &size));
	full = size;
	a = malloc(full + 256);
	b = malloc(full);
	ASSERT_NE(NULL, a);
	ASSERT_NE(NULL, b);

	memset(a, FILL, full + 256);
	size = full + 256;
	ASSERT_EQ(0, dev_query(self->fd, variant->type, (uintptr_t)a, &size));
	EXPECT_EQ(full, size);
	EXPECT_TRUE(filled(a + full, 256));

	/* A shorter buffer gets the first bytes; counters and clocks change meanwhile. */
	half = full / 2;
	memset(b, FILL, full);
	size = half;
	ASSERT_EQ(0, dev_query(self->fd, variant->type, (uintptr_t)b, &size));
	EXPECT_EQ(half, size);
	EXPECT_TRUE(filled(b + half, full - half));
	if (variant->type != DRM_NNACCEL_QUERY_COUNTERS && variant->type != DRM_NNACCEL_QUERY_CLOCK) {
		EXPECT_EQ(0, memcmp(a, b, half));
	}
	free(a);
	free(b);
}

TEST_F(query, size_zero)
{
	uint8_t buffer[8];
	uint32_t size = 0;

	memset(buffer, FILL, sizeof(buffer));
	EXPECT_EQ(-EINVAL, dev_query(self->fd, variant->type, (uintptr_t)buffer, &size));
	EXPECT_TRUE(filled(buffer, sizeof(buffer)));
}

TEST_F(query, bad_pointer)
{
	uint32_t size = 8;

	EXPECT_EQ(-EFAULT, dev_query(self->fd, variant->type, 8, &size));
	size = 8;
	EXPECT_EQ(-EFAULT, dev_query(self->fd, variant->type, UINT64_MAX - 7, &size));
}

FIXTURE(answers) {
	int fd;
};

FIXTURE_SETUP(answers)
{
	self->fd = nn_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, nn_card_heal(self->fd));
}

FIXTURE_TEARDOWN(answers)
{
	close(self->fd);
}

TEST_F(answers, bad_type)
{
	static const uint32_t types[] = { DRM_NNACCEL_QUERY_USAGE + 1, 0x80000000u, UINT32_MAX };
	uint8_t buffer[64];
	uint32_t size;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size = 0;
		EXPECT_EQ(-EINVAL, dev_query(self->fd, types[i], 0, &size));
		size = sizeof(buffer);
		EXPECT_EQ(-EINVAL, dev_query(self->fd, types[i], (uintptr_t)buffer, &size));
	}
}

TEST_F(answers, driver_version)
{
	drmVersionPtr version = drmGetVersion(self->fd);

	ASSERT_NE(NULL, version);
	EXPECT_STREQ("nnaccel", version->name);
	EXPECT_LE(1, version->version_major);
	drmFreeVersion(version);
}

/* Userspace asks the minor for what the driver can do, and DRM for dma-bufs and timelines. */
TEST_F(answers, version_and_capabilities)
{
	struct drm_nnaccel_bo_madvise advice = { 0 };
	struct drm_nnaccel_bo_userptr userptr = { .size = 1ull << 62 };
	struct drm_nnaccel_bo_label label = { 0 };
	drmVersionPtr version = drmGetVersion(self->fd);
	uint64_t prime = 0, timeline = 0;

	ASSERT_NE(NULL, version);
	EXPECT_LE(3, version->version_minor);
	drmFreeVersion(version);
	/* An ioctl that is there refuses these arguments; DRM refuses one that is not by -EINVAL. */
	EXPECT_EQ(-ENOENT, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_MADVISE, &advice));
	EXPECT_EQ(-ENOENT, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_LABEL, &label));
	EXPECT_EQ(-EFBIG, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_USERPTR, &userptr));
	ASSERT_EQ(0, drmGetCap(self->fd, DRM_CAP_PRIME, &prime));
	EXPECT_EQ(DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT, prime);
	ASSERT_EQ(0, drmGetCap(self->fd, DRM_CAP_SYNCOBJ_TIMELINE, &timeline));
	EXPECT_EQ(1, timeline);
}

TEST_F(answers, device)
{
	struct drm_nnaccel_device_info info;

	ASSERT_EQ(0, nn_device_info(self->fd, &info));
	EXPECT_EQ(NNACCEL_CONTRACT_VERSION, info.driver_contract_version);
	EXPECT_EQ(NNACCEL_CONTRACT_MAJOR, info.contract_version >> 16);
	EXPECT_LT(0, info.fw_version);
	EXPECT_LT(0, info.opset_version);
	EXPECT_LT(0, info.generation);
	EXPECT_EQ(DRM_NNACCEL_DEVICE_ONLINE, info.state);
	EXPECT_EQ(0, info.pad);
	EXPECT_LT(0, info.arena_size);
	EXPECT_LT(0, info.program_quota);
	EXPECT_NE(0, info.name[0]);
	EXPECT_NE(NULL, memchr(info.name, 0, sizeof(info.name)));
}

/* Readings grow on both clocks, lie between our own readings, and are of the running firmware. */
TEST_F(answers, clock)
{
	struct drm_nnaccel_device_info info;
	struct drm_nnaccel_clock c, last = { 0 };
	uint32_t size;

	ASSERT_EQ(0, nn_device_info(self->fd, &info));
	for (int i = 0; i < 20; i++) {
		uint64_t before = nn_now();

		memset(&c, FILL, sizeof(c));
		size = sizeof(c);
		ASSERT_EQ(0, dev_query(self->fd, DRM_NNACCEL_QUERY_CLOCK, (uintptr_t)&c, &size));
		EXPECT_LE(before, c.before_ns);
		EXPECT_LT(c.before_ns, c.after_ns);
		EXPECT_LE(c.after_ns, nn_now());
		EXPECT_LT(last.device_ns, c.device_ns);
		EXPECT_EQ(info.generation, c.generation);
		EXPECT_EQ(0, c.pad);
		if (i) {
			/* the same time passes on device and host, within the error of two readings */
			EXPECT_LE(c.device_ns - last.device_ns, c.after_ns - last.before_ns);
			EXPECT_LE(c.before_ns - last.after_ns, c.device_ns - last.device_ns);
		}
		last = c;
	}
}

static void *read_clocks(void *arg)
{
	int fd = nn_open();
	struct drm_nnaccel_clock c;
	intptr_t bad = fd < 0;

	(void)arg;
	for (int i = 0; i < 50 && !bad; i++)
		bad = nn_clock(fd, &c) || c.after_ns <= c.before_ns;
	if (fd >= 0)
		close(fd);
	return (void *)bad;
}

/* Readers of the clock are serialised, and leave room for the commands of closing files. */
TEST_F(answers, clock_for_many)
{
	pthread_t threads[8];
	void *bad;

	for (size_t i = 0; i < 8; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, read_clocks, NULL));
	for (size_t i = 0; i < 8; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &bad));
		EXPECT_EQ(NULL, bad);
	}
}

static int clock_child(void *arg)
{
	struct drm_nnaccel_clock c;

	return nn_clock(*(int *)arg, &c);
}

/* Wait for the child for NN_WAIT_S at most. Return: its status, or -1. */
static int child_status(pid_t pid)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	int status = -1;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (nn_now() > end)
			return -1;
		nn_sleep_ms(1);
	}
	return status;
}

/* SIGKILL ends the wait for a card that does not answer. */
TEST_F_TIMEOUT(answers, clock_killed, NN_LONG_TEST_S)
{
	struct nn_queue queue = { .fd = self->fd };
	struct drm_nnaccel_counters before;
	struct drm_nnaccel_clock c;
	pid_t child;
	int status;

	NEED_CONTROL();
	/* The card answers when it goes on. */
	ASSERT_EQ(0, nn_param_set("admin_ms", 5000 * NN_WAIT_S));
	ASSERT_EQ(0, nn_param_set("heartbeat_ms", 5000 * NN_WAIT_S));
	ASSERT_EQ(0, nn_counters(self->fd, &before));
	ASSERT_EQ(0, nn_card_do("stop"));
	child = nn_child(clock_child, &self->fd);
	ASSERT_LT(0, child);
	/* The command was sent. */
	ASSERT_EQ(0, nn_wait_begun(&queue, &before));
	ASSERT_EQ(0, kill(child, SIGKILL));
	status = child_status(child);
	EXPECT_TRUE(status != -1 && WIFSIGNALED(status));
	ASSERT_EQ(0, nn_card_do("cont"));
	EXPECT_EQ(0, nn_clock(self->fd, &c));
	EXPECT_EQ(0, nn_card_heal(self->fd));
}

TEST_F(answers, limits)
{
	struct drm_nnaccel_limits l;

	ASSERT_EQ(0, nn_limits(self->fd, &l));
	EXPECT_LT(l.va_start, l.va_end);
	/* Small addresses are not mapped. */
	EXPECT_LE(0x200000, l.va_start);
	EXPECT_LE(l.va_end, 1ull << 39);
	EXPECT_LT(0, l.max_bo_size);
	EXPECT_LT(0, l.max_bytes);
	EXPECT_LT(0, l.max_bos);
	EXPECT_LT(0, l.max_queues);
	EXPECT_LT(0, l.max_jobs);
	EXPECT_LT(0, l.max_args);
	EXPECT_LE(l.max_args, NNACCEL_MAX_ARGS);
	EXPECT_LT(0, l.max_job_bos);
	EXPECT_LT(0, l.max_syncs);
	/* The status entry of a job must be valid when its fence has signalled. */
	EXPECT_LE(l.max_queued_jobs, l.status_entries);
	EXPECT_LE(l.max_jobs, l.max_queued_jobs);
	EXPECT_LT(0, l.no_progress_ns);
	EXPECT_LT(0, l.abort_ns);
	EXPECT_EQ(NNACCEL_LOOP_NS_MAX, l.max_loop_ns);
	EXPECT_LT(0, l.resv_ns);
}

TEST_F(answers, priorities)
{
	struct drm_nnaccel_priorities p;
	uint32_t size = sizeof(p);

	ASSERT_EQ(0, dev_query(self->fd, DRM_NNACCEL_QUERY_PRIORITIES, (uintptr_t)&p, &size));
	EXPECT_EQ(0xf, p.allowed_mask);
	EXPECT_EQ(0, p.pad);
	ASSERT_EQ(0, nn_drop_cap(CAP_SYS_NICE));
	ASSERT_EQ(0, dev_query(self->fd, DRM_NNACCEL_QUERY_PRIORITIES, (uintptr_t)&p, &size));
	EXPECT_EQ(0xf & ~(1u << DRM_NNACCEL_PRIORITY_REALTIME), p.allowed_mask);
}

/* The device's counters show the work of others; a client has its own in fdinfo. */
TEST_F(answers, counters_need_perfmon)
{
	struct drm_nnaccel_counters counters;
	struct drm_nnaccel_usage usage;

	ASSERT_EQ(0, nn_counters(self->fd, &counters));
	ASSERT_EQ(0, nn_drop_cap(CAP_SYS_ADMIN));
	EXPECT_EQ(0, nn_counters(self->fd, &counters));
	ASSERT_EQ(0, nn_drop_cap(CAP_PERFMON));
	EXPECT_EQ(-EACCES, nn_counters(self->fd, &counters));
	EXPECT_EQ(0, nn_usage(self->fd, &usage));
}

TEST_F(answers, opset)
{
	const struct nnaccel_opset_header *header;
	uint32_t size = 0, last = 0;
	uint8_t *data;

	ASSERT_EQ(0, dev_query(self->fd, DRM_NNACCEL_QUERY_OPSET, 0, &size));
	ASSERT_LE(size, NNACCEL_OPSET_MAX_SIZE);
	data = malloc(size);
	ASSERT_NE(NULL, data);
	ASSERT_EQ(0, dev_query(self->fd, DRM_NNACCEL_QUERY_OPSET, (uintptr_t)data, &size));
	header = (const void *)data;
	ASSERT_EQ(NNACCEL_OPSET_MAGIC, header->magic);
	ASSERT_LE(sizeof(struct nnaccel_opset_entry), header->stride);
	ASSERT_LT(0, header->count);
	ASSERT_EQ(sizeof(*header) + (uint64_t)header->count * header->stride, size);
	for (uint32_t i = 0; i < header->count; i++) {
		const struct nnaccel_opset_entry *e = (const void *)(data + sizeof(*header) + (size_t)i * header->stride);

		EXPECT_LT(last, e->opcode);
		last = e->opcode;
		EXPECT_NE(0, e->name[0]);
		EXPECT_NE(NULL, memchr(e->name, 0, sizeof(e->name)));
		EXPECT_NE(0, e->types);
		EXPECT_EQ(0, e->flags);
	}
	free(data);
}

TEST_F(answers, counters)
{
	struct drm_nnaccel_counters before, after;
	struct nn_queue queue;

	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue));
	ASSERT_EQ(0, nn_counters(self->fd, &before));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, nn_run_null(&queue));
	ASSERT_EQ(0, nn_counters(self->fd, &after));
	EXPECT_EQ(before.jobs_submitted + 3, after.jobs_submitted);
	EXPECT_EQ(before.jobs_completed + 3, after.jobs_completed);
	EXPECT_EQ(before.jobs_failed, after.jobs_failed);
	EXPECT_LE(before.doorbells + 3, after.doorbells);
	EXPECT_LE(before.interrupts, after.interrupts);
	EXPECT_EQ(before.resets, after.resets);
	EXPECT_EQ(0, nn_queue_free(&queue));
}

/* /proc/PID/fdinfo/FD, which tools like nvtop read. */
TEST_F(answers, fdinfo)
{
	char path[64], line[256];
	unsigned long long bytes = 0, busy = 0, before = 0;
	bool driver = false, has_busy = false;
	struct nn_rig rig;
	FILE *f;

	ASSERT_EQ(0, nn_rig_open(&rig));
	for (int round = 0; round < 2; round++) {
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", rig.fd);
		f = fopen(path, "re");
		ASSERT_NE(NULL, f);
		while (fgets(line, sizeof(line), f)) {
			driver |= strcmp(line, "drm-driver:\tnnaccel\n") == 0;
			/* A device with several engines has drm-engine-capacity- too. */
			if (strncmp(line, "drm-engine-nn:", 14) == 0)
				has_busy |= sscanf(strchr(line, ':') + 1, "%llu ns", &busy) == 1;
			if (strncmp(line, "drm-total-", 10) == 0 && strchr(line, ':'))
				sscanf(strchr(line, ':') + 1, "%llu", &bytes);
		}
		fclose(f);
		EXPECT_TRUE(driver);
		EXPECT_TRUE(has_busy);
		EXPECT_LT(0, bytes);
		if (!round) {
			before = busy;
			for (int i = 0; i < 50; i++)
				ASSERT_EQ(0, nn_rig_run(&rig));
		}
	}
	EXPECT_LT(before, busy);
	nn_rig_close(&rig);
}

FIXTURE(sysfs) {
	struct nn_rig rig;
	char address[64];
};

FIXTURE_SETUP(sysfs)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_dev_address(self->rig.fd, self->address, sizeof(self->address)));
}

FIXTURE_TEARDOWN(sysfs)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->rig);
}

static long long sysfs_number(const char *address, const char *file)
{
	char value[64];
	int ret = nn_dev_get(address, file, value, sizeof(value));

	return ret ? ret : strtoll(value, NULL, 10);
}

/* Documentation/ABI/testing/sysfs-driver-nnaccel: the only client's time and memory are the device's. */
TEST_F_TIMEOUT(sysfs, busy_and_memory, NN_TEST_S)
{
	long long busy, memory, more;
	int64_t engine, later;
	const char *address = self->address;
	struct nn_rig *rig = &self->rig;
	char state[32];
	struct nn_bo bo;

	ASSERT_EQ(0, nn_dev_get(address, "nnaccel/state", state, sizeof(state)));
	EXPECT_STREQ("online", state);
	EXPECT_LE(1, sysfs_number(address, "nnaccel/engines"));

	busy = sysfs_number(address, "nnaccel/busy_time_us");
	ASSERT_LE(0, busy);
	ASSERT_EQ(0, nn_engine_ns(rig->fd, &engine));
	if (nn_has_control())
		ASSERT_EQ(0, nn_card_fault(rig->fd, "slow-job=1,200"));
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(0, nn_rig_run(rig));
	ASSERT_EQ(0, nn_engine_ns(rig->fd, &later));
	more = sysfs_number(address, "nnaccel/busy_time_us") - busy;
	EXPECT_LT(0, more);
	/* Rounding of two readings. */
	EXPECT_GE(1, llabs(more - (later - engine) / 1000));

	memory = sysfs_number(address, "nnaccel/memory_bytes");
	ASSERT_EQ(0, nn_bo_new(rig->fd, 64 * NN_PAGE, 0, &bo));
	more = sysfs_number(address, "nnaccel/memory_bytes") - memory;
	EXPECT_LE(64 * NN_PAGE, more);
	/* And a few page tables. */
	EXPECT_GE(80 * NN_PAGE, more);
	nn_bo_free(&bo);
	nn_rig_close(rig);
	/* What was closed leaves in the background. */
	for (int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end; nn_sleep_ms(10))
		if (sysfs_number(address, "nnaccel/memory_bytes") < memory)
			break;
	EXPECT_GT(memory, sysfs_number(address, "nnaccel/memory_bytes"));
}

/* The value of a file of the card's hwmon device: sensors(1) looks there. */
static long long hwmon_number(const char *address, const char *file)
{
	char pattern[160], path[64];
	long long value;
	glob_t found;

	snprintf(path, sizeof(path), "hwmon/hwmon*/%s", file);
	if (nn_dev_path(address, path, pattern, sizeof(pattern)) || glob(pattern, 0, NULL, &found))
		return -ENOENT;
	snprintf(path, sizeof(path), "hwmon/%s", strstr(found.gl_pathv[0], "hwmon/hwmon") + strlen("hwmon/"));
	value = sysfs_number(address, path);
	globfree(&found);
	return value;
}

/* Temperature and power rise with the load, and the clock. A card that sleeps has none. */
TEST_F_TIMEOUT(sysfs, telemetry, NN_TEST_S)
{
	long long idle, temperature, power = 0;
	const char *address = self->address;
	struct nn_rig *rig = &self->rig;
	struct nn_long work;
	struct nn_job job;
	int64_t end;

	if (hwmon_number(address, "temp1_input") == -ENOENT)
		SKIP(return, "no hwmon device: a card without telemetry, or a kernel without hwmon");
	idle = hwmon_number(address, "power1_input");
	temperature = hwmon_number(address, "temp1_input");
	EXPECT_LT(0, idle);
	EXPECT_LT(20000, temperature);
	EXPECT_GT(100000, temperature);
	EXPECT_LT(0, sysfs_number(address, "npu_current_frequency_mhz"));
	EXPECT_LE(sysfs_number(address, "npu_current_frequency_mhz"), sysfs_number(address, "npu_max_frequency_mhz"));

	ASSERT_EQ(0, nn_long_open(rig->fd, 100, 1, 0, &work));
	for (end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end && power <= idle + 100000;) {
		nn_long_job(&work, &job);
		nn_job_signal(&job, rig->done, 0);
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
		power = hwmon_number(address, "power1_input");
	}
	EXPECT_LT(idle + 100000, power);
	nn_long_close(&work);
	nn_rig_close(rig);

	ASSERT_EQ(0, nn_power_auto(address, 10));
	EXPECT_EQ(0, nn_power_wait(address, "suspended"));
	EXPECT_EQ(-ENODATA, hwmon_number(address, "temp1_input"));
	EXPECT_EQ(-ENODATA, sysfs_number(address, "npu_current_frequency_mhz"));
	EXPECT_EQ(1, nn_power_is(address, "suspended"));
	ASSERT_EQ(0, nn_power_on(address));
	for (end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end; nn_sleep_ms(10))
		if (hwmon_number(address, "temp1_input") > 0)
			break;
	EXPECT_LT(20000, hwmon_number(address, "temp1_input"));
}

/* The names that monitors read from the device behind /sys/class/accel/accelN. */
TEST_F_TIMEOUT(sysfs, monitors, NN_TEST_S)
{
	const char *address = self->address;
	struct nn_rig *rig = &self->rig;
	long long percent = 0;
	struct nn_long work;
	struct nn_job job;
	int64_t end;

	EXPECT_LT(0, sysfs_number(address, "npu_memory_utilization"));
	EXPECT_LT(sysfs_number(address, "npu_memory_utilization"), sysfs_number(address, "npu_memory_total"));
	EXPECT_EQ(sysfs_number(address, "nnaccel/memory_bytes"), sysfs_number(address, "npu_memory_utilization"));
	EXPECT_EQ(sysfs_number(address, "nnaccel/busy_time_us"), sysfs_number(address, "npu_busy_time_us"));

	ASSERT_EQ(0, nn_long_open(rig->fd, 100, 1, 0, &work));
	for (end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end && percent < 10;) {
		nn_long_job(&work, &job);
		nn_job_signal(&job, rig->done, 0);
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
		percent = sysfs_number(address, "npu_busy_percent");
		ASSERT_LE(0, percent);
		ASSERT_GE(100, percent);
	}
	EXPECT_LE(10, percent);
	/* A second reader gets the same, and not the time since the first one. */
	EXPECT_LT(0, sysfs_number(address, "npu_busy_percent"));
	nn_long_close(&work);
	for (end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end && percent; nn_sleep_ms(10))
		percent = sysfs_number(address, "npu_busy_percent");
	EXPECT_EQ(0, percent);
}

TEST_HARNESS_MAIN
