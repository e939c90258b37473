// SPDX-License-Identifier: Apache-2.0
/*
 * The cost of a job without work: from SUBMIT until the waiting thread runs again, and jobs per
 * second, pipelined and one at a time, of one client and of several at once. For comparison the
 * lower bound on this machine: doorbell, interrupt and wake-up of one thread, measured by the
 * driver (debugfs, ping). Jobs and pings take turns, and the ratio is the median of those of the
 * rounds: other load comes and goes. Prints a table, then one line of JSON.
 *
 *   bench_submit [DEVICE NODE]      (default: the driver's first node)
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include <drm/nnaccel_accel.h>
#include <nnaccel/nnaccel_status.h>

#define ROUNDS 15u
#define LATENCY_JOBS 200u
#define PAUSED_ROUNDS 3u
#define WARM_UP_JOBS 200u
#define SERIAL_JOBS 2000u
#define PIPELINED_JOBS 10000u
#define BATCH 32u
#define PAUSED_JOBS 100u
#define MAX_CLIENTS 8u
#define CLIENT_JOBS 128u
#define CLIENTS_NS INT64_C(1000000000)
#define PAUSE_NS 3000000l
#define WAIT_NS (20 * INT64_C(1000000000))

struct bench {
	int fd;
	uint32_t queue;
	uint32_t syncobj, timeline;
	struct drm_nnaccel_limits limits;
	const volatile struct drm_nnaccel_status_entry *status;
	uint64_t last_seqno;
};

struct times {
	uint64_t median, p95, p99;
};

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "bench_submit: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static int open_node(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	drmVersionPtr version;
	bool ours;

	if (fd < 0)
		return -1;
	version = drmGetVersion(fd);
	ours = version && strcmp(version->name, "nnaccel") == 0;
	drmFreeVersion(version);
	if (ours)
		return fd;
	close(fd);
	return -1;
}

static int open_first(void)
{
	char path[64];

	for (int i = 0; i < 128; i++) {
		int fd;

		snprintf(path, sizeof(path), i < 64 ? "/dev/accel/accel%d" : "/dev/dri/renderD%d",
			 i < 64 ? i : i + 64);
		fd = open_node(path);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Points of a timeline only grow: every run has its own timeline. */
static void new_timeline(struct bench *b)
{
	if (b->timeline)
		drmSyncobjDestroy(b->fd, b->timeline);
	if (drmSyncobjCreate(b->fd, 0, &b->timeline))
		die("syncobj: %s", strerror(errno));
}

static void setup(struct bench *b, const char *node)
{
	struct drm_nnaccel_dev_query query = {
		.type = DRM_NNACCEL_QUERY_LIMITS,
		.size = sizeof(b->limits),
		.pointer = (uintptr_t)&b->limits,
	};
	struct drm_nnaccel_queue_create create = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };
	void *status;

	b->fd = node ? open_node(node) : open_first();
	if (b->fd < 0)
		die("no device of the nnaccel driver%s%s", node ? " at " : "", node ? node : "");
	if (drmIoctl(b->fd, DRM_IOCTL_NNACCEL_DEV_QUERY, &query))
		die("DEV_QUERY: %s", strerror(errno));
	if (drmIoctl(b->fd, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &create))
		die("QUEUE_CREATE: %s", strerror(errno));
	b->queue = create.queue_id;
	status = mmap(NULL, create.status_size, PROT_READ, MAP_SHARED, b->fd,
		      (off_t)create.status_offset);
	if (status == MAP_FAILED)
		die("status page: %s", strerror(errno));
	b->status = status;
	if (drmSyncobjCreate(b->fd, 0, &b->syncobj))
		die("syncobj: %s", strerror(errno));
}

/*
 * Submit @count NULL jobs in one SUBMIT. With @signal, the last one signals @point of the timeline,
 * or the binary syncobj with @point 0.
 */
static void submit(struct bench *b, uint32_t count, bool signal, uint64_t point)
{
	struct drm_nnaccel_sync sync = {
		.flags = DRM_NNACCEL_SYNC_SIGNAL |
			 (point ? DRM_NNACCEL_SYNC_TIMELINE : DRM_NNACCEL_SYNC_SYNCOBJ),
		.handle = point ? b->timeline : b->syncobj,
		.point = point,
	};
	struct drm_nnaccel_job jobs[BATCH] = { 0 };
	struct drm_nnaccel_submit args = {
		.queue_id = b->queue,
		.jobs = { .stride = sizeof(jobs[0]), .count = count, .array = (uintptr_t)jobs },
	};

	for (uint32_t i = 0; i < count; i++)
		jobs[i].flags = DRM_NNACCEL_JOB_NULL;
	if (signal)
		jobs[count - 1].syncs = (struct drm_nnaccel_array){
			.stride = sizeof(sync),
			.count = 1,
			.array = (uintptr_t)&sync,
		};
	if (drmIoctl(b->fd, DRM_IOCTL_NNACCEL_SUBMIT, &args))
		die("SUBMIT: %s", strerror(errno));
	b->last_seqno = jobs[count - 1].seqno;
}

static void wait_done(struct bench *b, uint64_t point)
{
	int64_t until = now() + WAIT_NS;
	int ret;

	if (point)
		ret = drmSyncobjTimelineWait(b->fd, &b->timeline, &point, 1, until, 0, NULL);
	else
		ret = drmSyncobjWait(b->fd, &b->syncobj, 1, until, 0, NULL);
	if (ret)
		die("wait: %s", strerror(-ret));
}

/* Every job must have succeeded: failures are fast. */
static void check_last(const struct bench *b, uint32_t count)
{
	for (uint64_t s = b->last_seqno - count + 1; s <= b->last_seqno; s++) {
		const volatile struct drm_nnaccel_status_entry *e =
			&b->status[s % b->limits.status_entries];

		if (e->seqno != s || e->status != NNACCEL_STATUS_OK)
			die("job %" PRIu64 " ended with status %u", s, e->status);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static struct times summarize(uint64_t *ns, uint32_t count)
{
	qsort(ns, count, sizeof(*ns), compare);
	return (struct times){ ns[count / 2], ns[count / 100 * 95], ns[count / 100 * 99] };
}

/*
 * Submit, sleep, run again. @pause_ns is a pause before each job, as of a client that runs rarely.
 */
static void latency(struct bench *b, uint64_t *ns, uint32_t count, long pause_ns)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct timespec pause = { .tv_nsec = pause_ns };
		int64_t start;

		if (pause_ns)
			nanosleep(&pause, NULL);
		start = now();
		submit(b, 1, true, 0);
		wait_done(b, 0);
		ns[i] = (uint64_t)(now() - start);
		check_last(b, 1);
	}
}

static double serial(struct bench *b)
{
	int64_t start = now();

	for (uint32_t i = 0; i < SERIAL_JOBS; i++) {
		submit(b, 1, true, 0);
		wait_done(b, 0);
	}
	return SERIAL_JOBS * 1e9 / (double)(now() - start);
}

/*
 * Keep the queue full with SUBMITs of @batch jobs. Segments of half a queue end with a timeline
 * point each; a segment begins when the one before the last has ended.
 */
static double pipelined(struct bench *b, uint32_t batch)
{
	uint32_t size = b->limits.max_queued_jobs / 2 / batch * batch;
	uint64_t segment = 0;
	int64_t start;

	new_timeline(b);
	start = now();
	for (uint32_t i = 0; i < PIPELINED_JOBS;) {
		uint32_t left = PIPELINED_JOBS - i < size ? PIPELINED_JOBS - i : size;

		if (segment >= 2)
			wait_done(b, segment - 1);
		for (segment++; left;) {
			uint32_t count = left < batch ? left : batch;

			left -= count;
			i += count;
			submit(b, count, left == 0, segment);
		}
	}
	wait_done(b, segment);
	check_last(b, size);
	return PIPELINED_JOBS * 1e9 / (double)(now() - start);
}

/* The folder in debugfs has the name of the device in sysfs. */
static FILE *open_ping(int fd, const char *name)
{
	char link[64], target[256], path[320];
	struct stat st;
	ssize_t len;

	if (fstat(fd, &st))
		return NULL;
	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	len = readlink(link, target, sizeof(target) - 1);
	if (len < 0)
		return NULL;
	target[len] = '\0';
	snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/%s", basename(target), name);
	return fopen(path, "re");
}

/* The driver's measurement; median 0: debugfs cannot be used. */
static struct times read_ping(int fd, const char *name)
{
	FILE *f = open_ping(fd, name);
	struct times t = { 0 };
	char line[128];
	int found = 0;

	if (!f)
		return t;
	while (fgets(line, sizeof(line), f)) {
		found += sscanf(line, "median_ns: %" SCNu64, &t.median) == 1;
		found += sscanf(line, "p95_ns: %" SCNu64, &t.p95) == 1;
		found += sscanf(line, "p99_ns: %" SCNu64, &t.p99) == 1;
	}
	fclose(f);
	return found == 3 ? t : (struct times){ 0 };
}

/* Jobs in comparison to the pings of the same rounds. */
struct comparison {
	struct times job, ping;
	double ratio;
};

static struct times middle(struct times *rounds, uint32_t count)
{
	uint64_t ns[ROUNDS];
	struct times t;

	for (uint32_t i = 0; i < count; i++)
		ns[i] = rounds[i].median;
	qsort(ns, count, sizeof(*ns), compare);
	t.median = ns[count / 2];
	for (uint32_t i = 0; i < count; i++)
		ns[i] = rounds[i].p95;
	qsort(ns, count, sizeof(*ns), compare);
	t.p95 = ns[count / 2];
	for (uint32_t i = 0; i < count; i++)
		ns[i] = rounds[i].p99;
	qsort(ns, count, sizeof(*ns), compare);
	t.p99 = ns[count / 2];
	return t;
}

static struct comparison measure(struct bench *b, uint32_t rounds, uint32_t count, long pause_ns)
{
	const char *file = pause_ns ? "ping_paused" : "ping";
	struct times job[ROUNDS], ping[ROUNDS];
	uint64_t ns[LATENCY_JOBS], ratio[ROUNDS];
	struct comparison c;

	for (uint32_t i = 0; i < rounds; i++) {
		latency(b, ns, count, pause_ns);
		job[i] = summarize(ns, count);
		ping[i] = read_ping(b->fd, file);
		ratio[i] = ping[i].median ? job[i].median * 1000 / ping[i].median : 0;
	}
	qsort(ratio, rounds, sizeof(*ratio), compare);
	c.ratio = (double)ratio[rounds / 2] / 1000;
	c.job = middle(job, rounds);
	c.ping = middle(ping, rounds);
	return c;
}

/* What a client writes when it is done: its jobs. */
static void client(const char *node, int go, int result)
{
	struct bench b = { 0 };
	uint32_t depth;
	uint64_t jobs = 0, point = 0;
	int64_t end;
	char byte;

	setup(&b, node);
	new_timeline(&b);
	depth = CLIENT_JOBS / BATCH;
	if (read(go, &byte, 1) < 0)
		die("pipe: %s", strerror(errno));
	for (end = now() + CLIENTS_NS; now() < end; jobs += BATCH) {
		if (point >= depth)
			wait_done(&b, point - depth + 1);
		submit(&b, BATCH, true, ++point);
	}
	wait_done(&b, point);
	if (write(result, &jobs, sizeof(jobs)) != sizeof(jobs))
		die("pipe: %s", strerror(errno));
	_exit(0);
}

struct fairness {
	double jobs_per_s, least; /* the client with the fewest jobs: share of the mean */
};

/* Clients that keep their queues full for a second. */
static struct fairness compete(const char *node, uint32_t clients)
{
	uint64_t jobs, sum = 0, least = UINT64_MAX;
	int go[2], result[2];

	if (pipe(go) || pipe(result))
		die("pipe: %s", strerror(errno));
	fflush(stdout);
	for (uint32_t i = 0; i < clients; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork: %s", strerror(errno));
		if (!pid) {
			close(go[1]);
			client(node, go[0], result[1]);
		}
	}
	/* The end of the pipe starts all of them. */
	close(go[0]);
	usleep(300000);
	close(go[1]);
	close(result[1]);
	for (uint32_t i = 0; i < clients; i++) {
		if (read(result[0], &jobs, sizeof(jobs)) != sizeof(jobs))
			die("a client failed");
		sum += jobs;
		if (jobs < least)
			least = jobs;
	}
	close(result[0]);
	while (wait(NULL) > 0)
		;
	return (struct fairness){ (double)sum * 1e9 / (double)CLIENTS_NS,
				  (double)least * clients / (double)sum };
}

static void print_times(const char *what, const struct times *t)
{
	printf("%-44s %9.1f %9.1f %9.1f us\n", what, (double)t->median / 1e3, (double)t->p95 / 1e3,
	       (double)t->p99 / 1e3);
}

int main(int argc, char **argv)
{
	const char *node = argc > 1 ? argv[1] : NULL;
	const uint32_t clients[] = { 1, 2, MAX_CLIENTS };
	uint64_t warm_up[WARM_UP_JOBS];
	struct comparison job, paused;
	struct fairness fair[3];
	double one, many, batched;
	struct bench b = { 0 };

	setup(&b, node);
	latency(&b, warm_up, WARM_UP_JOBS, 0);
	job = measure(&b, ROUNDS, LATENCY_JOBS, 0);
	paused = measure(&b, PAUSED_ROUNDS, PAUSED_JOBS, PAUSE_NS);
	one = serial(&b);
	many = pipelined(&b, 1);
	batched = pipelined(&b, BATCH);
	for (int i = 0; i < 3; i++)
		fair[i] = compete(node, clients[i]);

	printf("%-44s %9s %9s %9s\n", "", "median", "p95", "p99");
	if (job.ping.median)
		print_times("doorbell -> interrupt -> sleeper runs", &job.ping);
	print_times("NULL job: submit -> waiter runs", &job.job);
	if (paused.ping.median)
		print_times("after a pause of 3 ms: doorbell", &paused.ping);
	print_times("after a pause of 3 ms: NULL job", &paused.job);
	if (job.ping.median)
		printf("%-44s %9.2f, after a pause %.2f\n", "job per doorbell, median of rounds",
		       job.ratio, paused.ratio);
	printf("%-44s %9.0f jobs/s\n", "one at a time", one);
	printf("%-44s %9.0f jobs/s, %.1f us a job\n", "pipelined", many, 1e6 / many);
	printf("%-44s %9.0f jobs/s, %.1f us a job\n", "pipelined, 32 a SUBMIT", batched,
	       1e6 / batched);
	for (int i = 0; i < 3; i++)
		printf("%u %-42s %9.0f jobs/s, the least has %.0f %% of the mean\n", clients[i],
		       i ? "clients" : "client", fair[i].jobs_per_s, 100 * fair[i].least);
	printf("{\"bench\":\"submit\",\"null_job_ns\":{\"median\":%" PRIu64 ",\"p95\":%" PRIu64
	       ",\"p99\":%" PRIu64 "},\"paused_ns\":{\"median\":%" PRIu64 ",\"p99\":%" PRIu64 "}",
	       job.job.median, job.job.p95, job.job.p99, paused.job.median, paused.job.p99);
	if (job.ping.median)
		printf(",\"ping_ns\":{\"median\":%" PRIu64 ",\"p95\":%" PRIu64 ",\"p99\":%" PRIu64
		       "},\"null_job_per_ping\":%.2f,\"paused_ping_ns\":%" PRIu64
		       ",\"paused_per_ping\":%.2f",
		       job.ping.median, job.ping.p95, job.ping.p99, job.ratio, paused.ping.median,
		       paused.ratio);
	printf(",\"serial_jobs_per_s\":%.0f,\"pipelined_jobs_per_s\":%.0f,\"batched_jobs_per_s\":%.0f,"
	       "\"pipelined_per_serial\":%.2f,\"batched_per_serial\":%.2f,\"least_of_2\":%.2f,"
	       "\"least_of_8\":%.2f}\n",
	       one, many, batched, many / one, batched / one, fair[1].least, fair[2].least);
	close(b.fd);
	return 0;
}
