// SPDX-License-Identifier: Apache-2.0
/* The device, its buffers, queues, jobs and fences. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "nnaccel_util.h"

#define MAX_NODES	64
#define FIRST_RENDER	128
#define MAX_FENCES	64

int nn_slow(void)
{
	const char *text = getenv("NN_SLOW");
	int slow = text ? atoi(text) : 1;

	return slow < 1 ? 1 : slow;
}

unsigned int nn_page(void)
{
	return sysconf(_SC_PAGESIZE);
}

int64_t nn_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NN_NS_PER_S + ts.tv_nsec;
}

void nn_sleep_ms(unsigned int ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NN_NS_PER_MS };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

void nn_sort_ns(int64_t *ns, size_t n)
{
	qsort(ns, n, sizeof(*ns), compare_ns);
}

int nn_ioctl(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

static bool is_ours(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool ours = version && strcmp(version->name, "nnaccel") == 0;

	drmFreeVersion(version);
	return ours;
}

/* Node number @i of those that may be ours: accel nodes, then render nodes, which a kernel without accel nodes has. */
static int open_node(int i, char *address, size_t size)
{
	char path[64];
	int fd;

	if (i < MAX_NODES)
		snprintf(path, sizeof(path), "/dev/accel/accel%d", i);
	else
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", FIRST_RENDER + i - MAX_NODES);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && is_ours(fd) && !nn_dev_address(fd, address, size))
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENODEV;
}

/* Our node with the lowest PCI address above @after. */
static int open_above(const char *after)
{
	char address[64], first[64];
	int fd, best = -ENODEV;

	for (int i = 0; i < 2 * MAX_NODES; i++) {
		fd = open_node(i, address, sizeof(address));
		if (fd < 0)
			continue;
		if (strcmp(address, after) > 0 && (best < 0 || strcmp(address, first) < 0)) {
			strcpy(first, address);
			if (best >= 0)
				close(best);
			best = fd;
		} else {
			close(fd);
		}
	}
	return best;
}

/* The node of the device that sysfs calls @name. */
static int open_named(const char *name)
{
	char address[64];

	for (int i = 0; i < 2 * MAX_NODES; i++) {
		int fd = open_node(i, address, sizeof(address));

		if (fd >= 0 && !strcmp(address, name))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -ENODEV;
}

/*
 * The control port belongs to the card in the first slot. Its node may have any number: a card that is bound
 * while a client holds its old node gets another one.
 */
int nn_open(void)
{
	const char *named = getenv("NNACCEL_DEVICE");
	int fd;

	if (!named)
		return open_above("");
	if (named[0] != '/')
		return open_named(named);
	fd = open(named, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int nn_open_next(const char *address)
{
	return open_above(address);
}

int nn_dev_address(int fd, char *address, size_t size)
{
	char path[64], target[256];
	const char *name;
	struct stat st;
	ssize_t len;

	if (fstat(fd, &st))
		return -errno;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(st.st_rdev), minor(st.st_rdev));
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return -errno;
	target[len] = '\0';
	name = strrchr(target, '/');
	if (!name || strlen(name + 1) >= size)
		return -EINVAL;
	strcpy(address, name + 1);
	return 0;
}

bool nn_is_emulated(const char *address)
{
	return strncmp(address, "nnaccel_emu.", strlen("nnaccel_emu.")) == 0;
}

bool nn_is_pci(const char *address)
{
	return strchr(address, ':');
}

bool nn_is_board(const char *address)
{
	return !nn_is_pci(address) && !nn_is_emulated(address);
}

int nn_drop_cap(unsigned int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[CAP_TO_INDEX(cap)].effective &= ~CAP_TO_MASK(cap);
	data[CAP_TO_INDEX(cap)].permitted &= ~CAP_TO_MASK(cap);
	data[CAP_TO_INDEX(cap)].inheritable &= ~CAP_TO_MASK(cap);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

static int query(int fd, uint32_t type, void *data, uint32_t size)
{
	struct drm_nnaccel_dev_query args = {
		.type = type,
		.size = size,
		.pointer = (uintptr_t)data,
	};
	int ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_DEV_QUERY, &args);

	return ret ? ret : args.size == size ? 0 : -EMSGSIZE;
}

int nn_device_info(int fd, struct drm_nnaccel_device_info *info)
{
	return query(fd, DRM_NNACCEL_QUERY_DEVICE, info, sizeof(*info));
}

int nn_limits(int fd, struct drm_nnaccel_limits *limits)
{
	return query(fd, DRM_NNACCEL_QUERY_LIMITS, limits, sizeof(*limits));
}

int nn_counters(int fd, struct drm_nnaccel_counters *counters)
{
	return query(fd, DRM_NNACCEL_QUERY_COUNTERS, counters, sizeof(*counters));
}

int nn_clock(int fd, struct drm_nnaccel_clock *clock)
{
	return query(fd, DRM_NNACCEL_QUERY_CLOCK, clock, sizeof(*clock));
}

int nn_wait_state(int fd, uint32_t state, uint32_t generation)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct drm_nnaccel_device_info info;

	for (;;) {
		int ret = nn_device_info(fd, &info);

		if (ret)
			return ret;
		if (info.state == state && info.generation >= generation)
			return 0;
		if (nn_now() > end)
			return -ETIMEDOUT;
		nn_sleep_ms(5);
	}
}

int nn_bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return nn_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

int nn_bo_mmap(int fd, uint32_t handle, uint64_t size, int prot, int flags, void **map)
{
	struct drm_nnaccel_bo_mmap_offset args = { .handle = handle };
	int ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, &args);

	if (ret)
		return ret;
	*map = mmap(NULL, size, prot, flags, fd, args.offset);
	return *map == MAP_FAILED ? -errno : 0;
}

static int map_or_close(struct nn_bo *bo)
{
	int ret = nn_bo_mmap(bo->fd, bo->handle, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, &bo->map);

	if (ret) {
		nn_bo_close(bo->fd, bo->handle);
		memset(bo, 0, sizeof(*bo));
	}
	return ret;
}

int nn_bo_new(int fd, uint64_t size, uint32_t flags, struct nn_bo *bo)
{
	struct drm_nnaccel_bo_create args = { .size = size, .flags = flags };
	int ret;

	memset(bo, 0, sizeof(*bo));
	ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_BO_CREATE, &args);
	if (ret)
		return ret;
	*bo = (struct nn_bo){ .fd = fd, .handle = args.handle, .size = args.size, .addr = args.device_addr };
	return map_or_close(bo);
}

int nn_bo_import(int fd, int dmabuf, struct nn_bo *bo)
{
	struct drm_nnaccel_bo_info info = { 0 };
	int ret;

	memset(bo, 0, sizeof(*bo));
	if (drmPrimeFDToHandle(fd, dmabuf, &info.handle))
		return -errno;
	ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_BO_INFO, &info);
	if (ret) {
		nn_bo_close(fd, info.handle);
		return ret;
	}
	*bo = (struct nn_bo){ .fd = fd, .handle = info.handle, .size = info.size, .addr = info.device_addr };
	return map_or_close(bo);
}

void nn_bo_free(struct nn_bo *bo)
{
	if (bo->map)
		munmap(bo->map, bo->size);
	if (bo->handle)
		nn_bo_close(bo->fd, bo->handle);
	memset(bo, 0, sizeof(*bo));
}

int nn_bo_wait(const struct nn_bo *bo, uint32_t flags, int64_t timeout_ns)
{
	struct drm_nnaccel_bo_wait args = {
		.handle = bo->handle,
		.flags = flags,
		.timeout_ns = timeout_ns ? nn_now() + timeout_ns : 0,
	};

	return nn_ioctl(bo->fd, DRM_IOCTL_NNACCEL_BO_WAIT, &args);
}

int nn_bo_advise(const struct nn_bo *bo, uint32_t advice)
{
	struct drm_nnaccel_bo_madvise args = { .handle = bo->handle, .advice = advice, .retained = 7 };
	int ret = nn_ioctl(bo->fd, DRM_IOCTL_NNACCEL_BO_MADVISE, &args);

	return ret ? ret : (int)args.retained;
}

int nn_queue_new(int fd, uint32_t priority, struct nn_queue *queue)
{
	struct drm_nnaccel_queue_create args = { .priority = priority };
	struct drm_nnaccel_queue_destroy destroy = { 0 };
	struct drm_nnaccel_limits limits;
	void *status;
	int ret;

	memset(queue, 0, sizeof(*queue));
	ret = nn_limits(fd, &limits);
	if (!ret)
		ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args);
	if (ret)
		return ret;
	status = mmap(NULL, args.status_size, PROT_READ, MAP_SHARED, fd, args.status_offset);
	if (status == MAP_FAILED) {
		ret = -errno;
		destroy.queue_id = args.queue_id;
		nn_ioctl(fd, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &destroy);
		return ret;
	}
	*queue = (struct nn_queue){
		.fd = fd,
		.id = args.queue_id,
		.entries = limits.status_entries,
		.status_size = args.status_size,
		.status = status,
	};
	return 0;
}

int nn_queue_free(struct nn_queue *queue)
{
	struct drm_nnaccel_queue_destroy args = { .queue_id = queue->id };
	int ret;

	if (!queue->status)
		return 0;
	ret = nn_ioctl(queue->fd, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &args);
	munmap((void *)(uintptr_t)queue->status, queue->status_size);
	memset(queue, 0, sizeof(*queue));
	return ret;
}

int nn_queue_state(const struct nn_queue *queue, struct drm_nnaccel_queue_state *state)
{
	memset(state, 0, sizeof(*state));
	state->queue_id = queue->id;
	return nn_ioctl(queue->fd, DRM_IOCTL_NNACCEL_QUEUE_STATE, state);
}

int nn_queue_status(const struct nn_queue *queue, uint64_t seqno, struct drm_nnaccel_status_entry *entry)
{
	const volatile struct drm_nnaccel_status_entry *from = &queue->status[seqno % queue->entries];

	for (int try = 0; try < 1000; try++) {
		uint64_t before = from->seqno;

		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		*entry = *from;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (before == from->seqno && before)
			return before == seqno ? 0 : -ENOENT;
	}
	return -ENOENT;
}

void nn_job_null(struct nn_job *job)
{
	memset(job, 0, sizeof(*job));
	job->job.flags = DRM_NNACCEL_JOB_NULL;
}

void nn_job_run(struct nn_job *job, const struct nn_bo *program, uint64_t size)
{
	memset(job, 0, sizeof(*job));
	job->job.program_addr = program->addr;
	job->job.program_size = size;
	job->job.program_generation = 1;
	nn_job_bo(job, program, DRM_NNACCEL_BO_REF_READ);
}

void nn_job_arg(struct nn_job *job, uint64_t addr, uint64_t size)
{
	job->args[job->num_args++] = (struct nnaccel_arg){ .addr = addr, .size = size };
}

/* A BO may be in the list only once: merge references to it. */
void nn_job_bo(struct nn_job *job, const struct nn_bo *bo, uint32_t flags)
{
	for (uint32_t i = 0; i < job->num_bos; i++) {
		if (job->bos[i].handle == bo->handle) {
			job->bos[i].flags |= flags;
			return;
		}
	}
	job->bos[job->num_bos++] = (struct drm_nnaccel_bo_ref){ .handle = bo->handle, .flags = flags };
}

void nn_job_in(struct nn_job *job, const struct nn_bo *bo, uint64_t size)
{
	nn_job_arg(job, bo->addr, size);
	nn_job_bo(job, bo, DRM_NNACCEL_BO_REF_READ);
}

void nn_job_out(struct nn_job *job, const struct nn_bo *bo, uint64_t size)
{
	nn_job_arg(job, bo->addr, size);
	nn_job_bo(job, bo, DRM_NNACCEL_BO_REF_WRITE);
}

void nn_job_result(struct nn_job *job, const struct nn_bo *bo)
{
	job->job.result_addr = bo->addr;
	job->job.result_size = bo->size;
	nn_job_bo(job, bo, DRM_NNACCEL_BO_REF_WRITE);
}

static void add_sync(struct nn_job *job, uint32_t flags, uint32_t syncobj, uint64_t point)
{
	job->syncs[job->num_syncs++] = (struct drm_nnaccel_sync){
		.flags = flags | (point ? DRM_NNACCEL_SYNC_TIMELINE : DRM_NNACCEL_SYNC_SYNCOBJ),
		.handle = syncobj,
		.point = point,
	};
}

void nn_job_wait_for(struct nn_job *job, uint32_t syncobj, uint64_t point)
{
	add_sync(job, 0, syncobj, point);
}

void nn_job_signal(struct nn_job *job, uint32_t syncobj, uint64_t point)
{
	add_sync(job, DRM_NNACCEL_SYNC_SIGNAL, syncobj, point);
}

static struct drm_nnaccel_array array_of(const void *first, uint32_t stride, uint32_t count)
{
	struct drm_nnaccel_array none = { 0 };

	if (!count)
		return none;
	return (struct drm_nnaccel_array){ .stride = stride, .count = count, .array = (uintptr_t)first };
}

void nn_job_finish(struct nn_job *job)
{
	job->job.args = array_of(job->args, sizeof(job->args[0]), job->num_args);
	job->job.bos = array_of(job->bos, sizeof(job->bos[0]), job->num_bos);
	job->job.syncs = array_of(job->syncs, sizeof(job->syncs[0]), job->num_syncs);
}

int nn_submit_raw(int fd, uint32_t queue_id, const void *jobs, uint32_t stride, uint32_t count)
{
	struct drm_nnaccel_submit args = {
		.queue_id = queue_id,
		.jobs = array_of(jobs, stride, count),
	};

	return nn_ioctl(fd, DRM_IOCTL_NNACCEL_SUBMIT, &args);
}

int nn_submit(const struct nn_queue *queue, struct nn_job *job)
{
	nn_job_finish(job);
	return nn_submit_raw(queue->fd, queue->id, &job->job, sizeof(job->job), 1);
}

int nn_run_null(const struct nn_queue *queue)
{
	uint32_t done = nn_syncobj(queue->fd);
	struct nn_job job;
	int ret;

	if (!done)
		return -ENOMEM;
	nn_job_null(&job);
	nn_job_signal(&job, done, 0);
	ret = nn_submit(queue, &job);
	if (!ret)
		ret = nn_fence_end(queue->fd, done, 0);
	nn_syncobj_free(queue->fd, done);
	return ret;
}

uint32_t nn_syncobj(int fd)
{
	uint32_t handle;

	return drmSyncobjCreate(fd, 0, &handle) ? 0 : handle;
}

void nn_syncobj_free(int fd, uint32_t syncobj)
{
	if (syncobj)
		drmSyncobjDestroy(fd, syncobj);
}

int nn_syncobj_wait(int fd, uint32_t syncobj, uint64_t point, int seconds)
{
	int64_t until = nn_now() + seconds * NN_NS_PER_S;
	int ret;

	if (point)
		ret = drmSyncobjTimelineWait(fd, &syncobj, &point, 1, until, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, NULL);
	else
		ret = drmSyncobjWait(fd, &syncobj, 1, until, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, NULL);
	return ret;
}

static int file_status(int file)
{
	struct sync_fence_info fences[MAX_FENCES] = { 0 };
	/* The list includes errors inside chains and arrays. */
	struct sync_file_info info = { .num_fences = MAX_FENCES, .sync_fence_info = (uintptr_t)fences };

	return ioctl(file, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
}

int nn_export_sync_file(int fd, uint32_t syncobj, int *file)
{
	return drmSyncobjExportSyncFile(fd, syncobj, file) ? -errno : 0;
}

int nn_sync_file_end(int file)
{
	struct pollfd p = { .fd = file, .events = POLLIN };
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	int ret;

	do {
		ret = poll(&p, 1, 1000);
	} while (ret <= 0 && nn_now() < end);
	ret = file_status(file);
	return ret == 1 ? 0 : ret ? ret : -EBUSY;
}

int nn_fence_status(int fd, uint32_t syncobj, uint64_t point)
{
	uint32_t binary = 0;
	int file, ret = 0;

	if (point) {
		/* Copy the fence of the point into a binary syncobj: only that can become a sync_file. */
		binary = nn_syncobj(fd);
		if (!binary || drmSyncobjTransfer(fd, binary, 0, syncobj, point, 0)) {
			ret = -errno;
			nn_syncobj_free(fd, binary);
			return ret;
		}
		syncobj = binary;
	}
	ret = nn_export_sync_file(fd, syncobj, &file);
	if (!ret) {
		ret = file_status(file);
		close(file);
	}
	nn_syncobj_free(fd, binary);
	return ret;
}

int nn_fence_end(int fd, uint32_t syncobj, uint64_t point)
{
	return nn_fence_end_in(fd, syncobj, point, NN_WAIT_S);
}

int nn_fence_end_in(int fd, uint32_t syncobj, uint64_t point, int seconds)
{
	int ret = nn_syncobj_wait(fd, syncobj, point, seconds);

	if (ret)
		return ret == -ETIME ? -EBUSY : ret;
	ret = nn_fence_status(fd, syncobj, point);
	return ret == 1 ? 0 : ret ? ret : -EBUSY;
}
