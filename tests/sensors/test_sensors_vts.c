// SPDX-License-Identifier: Apache-2.0
/*
 * What the interface's own tests check (the contract's section 10), with libnnsensors, a real
 * service and sensors of a file. Each test has the name of the check.
 *
 * "service" is the suite of sensorservice@1.0, "hal" that of the sensor HAL.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eventually.h"
#include "nnsensors.h"
#include "nnutil_clock.h"
#include "sensord.h"
#include "service_sensors.h"
#include "test_case.h"
#include "values/nnsensors_values.h"

#define RECORD sizeof(struct nnsensors_record)
#define US_NS 1000ll

static struct sensord service;
static struct nnsensors_manager *manager;
static bool on_iio;

FIXTURE(begin)
{
	char message[256];

	/* the same checks on IIO devices of the kernel: tests/vm/guest.d/57-sensors.sh */
	on_iio = getenv("NNSENSORS_TEST_UHID");
	sensord_start(&service, NULL, on_iio ? NULL : SERVICE_SENSORS);
	if (nnsensors_manager_open(service.socket, &manager, message, sizeof(message)))
		fail_msg("%s", message);
	return 0;
}

FIXTURE(end)
{
	manager->ops->destroy(manager);
	sensord_stop(&service);
	return 0;
}

/* The time that a check's text says to wait: what is measured is a rate. */
static void pass_time(int64_t ns)
{
	const struct timespec until = nnutil_timespec(nnutil_monotonic_ns() + ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
}

static struct nnsensors_info sensor_of(int32_t type)
{
	struct nnsensors_info info = { .size = sizeof(info) };

	assert_int_equal(manager->ops->get_default_sensor(manager, type, &info), NNSENSORS_OK);
	return info;
}

static int64_t nominal_hz(uint32_t level)
{
	return NNUTIL_NS_PER_S / nnsensors_rate_period_ns((enum nnsensors_rate_level)level);
}

static uint32_t highest_level(const struct nnsensors_info *info)
{
	return (info->flags & NNSENSORS_FLAG_DIRECT_REPORT_MASK) >>
	       NNSENSORS_FLAG_DIRECT_REPORT_SHIFT;
}

/* What a device that lies still measures. */
static void check_still(int32_t type, const union nnsensors_payload *u)
{
	const double x = (double)u->vec3.x, y = (double)u->vec3.y, z = (double)u->vec3.z;
	const double norm = sqrt(x * x + y * y + z * z);

	if (type == NNSENSORS_TYPE_ACCELEROMETER)
		assert_true(fabs(norm - 9.80665) <= 1.0);
	if (type == NNSENSORS_TYPE_GYROSCOPE)
		assert_true(norm <= 0.1);
}

/* ---- queues ---- */

#define EVENTS_MAX 8192

struct collected {
	pthread_mutex_t lock;
	uint32_t count;
	uint64_t lost;
	struct nnsensors_event events[EVENTS_MAX];
};

static void on_event(void *cookie, const struct nnsensors_event *event)
{
	struct collected *c = cookie;

	pthread_mutex_lock(&c->lock);
	if (c->count < EVENTS_MAX)
		c->events[c->count++] = *event;
	pthread_mutex_unlock(&c->lock);
}

static void on_lost(void *cookie, uint64_t events)
{
	struct collected *c = cookie;

	pthread_mutex_lock(&c->lock);
	c->lost += events;
	pthread_mutex_unlock(&c->lock);
}

static const struct nnsensors_event_queue_callback callback = {
	.size = sizeof(callback),
	.on_event = on_event,
	.on_lost = on_lost,
};

static struct nnsensors_event_queue *create_queue(struct collected *c)
{
	struct nnsensors_event_queue *queue;

	pthread_mutex_init(&c->lock, NULL);
	c->count = 0;
	c->lost = 0;
	assert_int_equal(manager->ops->create_event_queue(manager, &callback, c, &queue),
			 NNSENSORS_OK);
	return queue;
}

static void forget_events(struct collected *c)
{
	pthread_mutex_lock(&c->lock);
	c->count = 0;
	pthread_mutex_unlock(&c->lock);
}

static uint32_t events_of(struct collected *c)
{
	uint32_t count;

	pthread_mutex_lock(&c->lock);
	count = c->count;
	pthread_mutex_unlock(&c->lock);
	return count;
}

static void await_events(struct collected *c, uint32_t count)
{
	assert_true(EVENTUALLY(events_of(c) >= count));
}

/* ---- sensorservice 1.0 ---- */

TEST(test_service_ping)
{
	struct nnsensors_manager *another;
	char message[256];

	assert_int_equal(nnsensors_manager_open(service.socket, &another, message, sizeof(message)),
			 0);
	another->ops->destroy(another);
}

TEST(test_service_list)
{
	struct nnsensors_info *infos;
	uint32_t count;

	assert_int_equal(manager->ops->get_sensor_list(manager, &infos, &count), NNSENSORS_OK);
	if (on_iio)
		assert_true(count > 0);
	else
		assert_int_equal(count, SERVICE_SENSORS_COUNT);
	free(infos);
}

TEST(test_service_ashmem)
{
	static const struct {
		uint64_t memory, size;
		enum nnsensors_result result;
	} cases[] = {
		{ 16, 16, NNSENSORS_BAD_VALUE },
		{ 1024, 1024, NNSENSORS_OK },
		{ 1024, 2048, NNSENSORS_BAD_VALUE },
		{ 1024, 16, NNSENSORS_BAD_VALUE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nnsensors_direct_channel *channel = NULL;
		int fd = test_memfd(cases[i].memory);

		assert_int_equal(manager->ops->create_ashmem_direct_channel(
					 manager, fd, cases[i].memory, cases[i].size, &channel),
				 cases[i].result);
		assert_int_equal(!channel, cases[i].result != NNSENSORS_OK);
		if (channel)
			channel->ops->destroy(channel);
		close(fd);
	}
}

/* Until there are @count records. */
static void await_record(const struct nnsensors_record *records, uint32_t count)
{
	assert_true(EVENTUALLY(__atomic_load_n(&records[count - 1].counter, __ATOMIC_ACQUIRE) >=
			       count));
}

/* The parser of the interface's test: it stops at the first counter that does not count up. */
static uint32_t parse(const struct nnsensors_record *records, uint32_t num,
		      struct nnsensors_record *found)
{
	uint32_t count = 0, last = 0;

	for (uint32_t i = 0; i < num; i++) {
		const uint32_t counter = __atomic_load_n(&records[i].counter, __ATOMIC_ACQUIRE);

		if (counter <= last)
			break;
		assert_int_equal(records[i].size, RECORD);
		last = counter;
		found[count++] = records[i];
	}
	return count;
}

TEST(test_service_accelerometer)
{
	const struct nnsensors_info info = sensor_of(NNSENSORS_TYPE_ACCELEROMETER);
	const size_t size = 300 * RECORD;
	struct nnsensors_direct_channel *channel;
	struct nnsensors_record found[300];
	int32_t token, stopped;
	uint32_t count;
	int fd = test_memfd(size);
	void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	assert_true(info.flags & NNSENSORS_FLAG_DIRECT_ASHMEM);
	assert_true(highest_level(&info) >= NNSENSORS_RATE_FAST);
	assert_int_equal(manager->ops->create_ashmem_direct_channel(manager, fd, size, size,
								    &channel),
			 NNSENSORS_OK);
	assert_int_equal(channel->ops->configure(channel, info.handle, NNSENSORS_RATE_FAST, &token),
			 NNSENSORS_OK);
	assert_true(token > 0);
	/* 110 to 440 Hz for half a second; the interface's test itself takes any number */
	pass_time(500 * NNUTIL_NS_PER_MS);
	await_record(memory, 55);
	assert_int_equal(channel->ops->configure(channel, info.handle, NNSENSORS_RATE_STOP,
						 &stopped),
			 NNSENSORS_OK);
	assert_int_equal(stopped, 0);
	count = parse(memory, 300, found);
	assert_true(count > 0);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(found[i].token, token);
		assert_true(!i || found[i].timestamp > found[i - 1].timestamp);
	}
	channel->ops->destroy(channel);
	munmap(memory, size);
	close(fd);
}

/* ---- the HAL: lists ---- */

static void check_delays(const struct nnsensors_info *info, uint32_t mode)
{
	switch (mode) {
	case NNSENSORS_FLAG_CONTINUOUS:
		assert_true(info->min_delay_us > 0);
		assert_true(info->min_delay_us <= info->max_delay_us);
		break;
	case NNSENSORS_FLAG_ON_CHANGE:
		assert_true(info->min_delay_us >= 0);
		assert_true(info->min_delay_us <= info->max_delay_us);
		break;
	case NNSENSORS_FLAG_ONE_SHOT:
		assert_int_equal(info->min_delay_us, -1);
		assert_int_equal(info->max_delay_us, 0);
		break;
	default:
		assert_int_equal(info->max_delay_us, 0);
	}
}

TEST(test_hal_list_valid)
{
	struct nnsensors_info *infos;
	uint32_t count;

	assert_int_equal(manager->ops->get_sensor_list(manager, &infos, &count), NNSENSORS_OK);
	for (uint32_t i = 0; i < count; i++) {
		const struct nnsensors_info *info = &infos[i];
		const struct sensor_type *row = nnsensors_type_row(info->type);

		assert_non_null(row);
		assert_true(row->listed);
		assert_string_equal(info->type_string, row->type_string);
		assert_true(info->name[0] && info->vendor[0]);
		assert_true(info->power_ma >= 0 && info->max_range > 0);
		assert_true(info->fifo_max >= info->fifo_reserved);
		assert_int_equal(info->flags & NNSENSORS_FLAG_MODE_MASK, row->mode);
		check_delays(info, row->mode);
		for (uint32_t j = 0; j < i; j++) {
			assert_int_not_equal(info->handle, infos[j].handle);
			assert_true(info->type != infos[j].type ||
				    strcmp(info->name, infos[j].name) != 0);
		}
	}
	free(infos);
}

/* ---- the HAL: queues ---- */

TEST(test_hal_streaming)
{
	static const int32_t types[] = { NNSENSORS_TYPE_ACCELEROMETER, NNSENSORS_TYPE_GYROSCOPE,
					 NNSENSORS_TYPE_MAGNETIC_FIELD };
	static const int32_t periods_us[] = { 200000, 20000, 5000 };
	static struct collected collected[3];
	struct nnsensors_event_queue *queues[3];

	for (size_t p = 0; p < 3; p++) {
		bool runs[3];

		/* all three at the same time: the five seconds of each are the same ones */
		for (size_t t = 0; t < 3; t++) {
			const struct nnsensors_info info = sensor_of(types[t]);

			runs[t] = info.min_delay_us <= periods_us[p];
			queues[t] = create_queue(&collected[t]);
			if (runs[t])
				assert_int_equal(queues[t]->ops->enable_sensor(
							 queues[t], info.handle, periods_us[p], 0),
						 NNSENSORS_OK);
		}
		pass_time(5 * NNUTIL_NS_PER_S);
		for (size_t t = 0; t < 3; t++) {
			const struct nnsensors_info info = sensor_of(types[t]);
			struct collected *c = &collected[t];

			/* half of them are enough, and a busy machine may take longer */
			if (runs[t])
				await_events(c, 5000000u / (uint32_t)periods_us[p] / 2);
			queues[t]->ops->destroy(queues[t]);
			if (!runs[t])
				continue;
			assert_int_equal(c->lost, 0);
			for (uint32_t i = 0; i < c->count; i++) {
				assert_int_equal(c->events[i].sensor, info.handle);
				assert_int_equal(c->events[i].type, types[t]);
				assert_true(!i ||
					    c->events[i].timestamp > c->events[i - 1].timestamp);
				check_still(types[t], &c->events[i].u);
			}
		}
	}
}

/* Mean time between the first and the last of @count events, in us. */
static double mean_interval(struct nnsensors_event_queue *queue, struct collected *c,
			    int32_t handle, int32_t period_us, uint32_t count)
{
	assert_int_equal(queue->ops->enable_sensor(queue, handle, period_us, 0), NNSENSORS_OK);
	pass_time(500 * NNUTIL_NS_PER_MS);
	forget_events(c);
	await_events(c, count);
	return (double)(c->events[count - 1].timestamp - c->events[0].timestamp) /
	       (double)((count - 1) * US_NS);
}

/*
 * mean_interval(), and once more while it is off by over a tenth: hardware that is a program
 * (SENSORS_MEASUREMENTS says how often) is late on a busy machine, for a second or two.
 */
static double settled_interval(struct nnsensors_event_queue *queue, struct collected *c,
			       int32_t handle, int32_t period_us, uint32_t count)
{
	const char *text = getenv("SENSORS_MEASUREMENTS");
	int left = text ? atoi(text) : 1;
	double mean;

	do
		mean = mean_interval(queue, c, handle, period_us, count);
	while (--left > 0 && fabs(mean - period_us) > 0.1 * period_us);
	return mean;
}

TEST(test_hal_rate_hot_switch)
{
	static struct collected collected;
	static const int32_t types[] = { NNSENSORS_TYPE_ACCELEROMETER, NNSENSORS_TYPE_GYROSCOPE,
					 NNSENSORS_TYPE_MAGNETIC_FIELD };

	for (size_t t = 0; t < 3; t++) {
		const struct nnsensors_info info = sensor_of(types[t]);
		struct nnsensors_event_queue *queue = create_queue(&collected);
		double fast, slow;

		fast = settled_interval(queue, &collected, info.handle, info.min_delay_us, 50);
		slow = settled_interval(queue, &collected, info.handle, info.max_delay_us, 50);
		assert_true(fabs(fast - info.min_delay_us) <= 0.1 * info.min_delay_us);
		assert_true(fabs(slow - info.max_delay_us) <= 0.1 * info.max_delay_us);
		assert_true(slow - fast > 0.1 * fast);
		/* and the reverse */
		fast = settled_interval(queue, &collected, info.handle, info.min_delay_us, 50);
		assert_true(fabs(fast - info.min_delay_us) <= 0.1 * info.min_delay_us);
		/* never backwards, over all of it */
		for (uint32_t i = 1; i < collected.count; i++)
			assert_true(collected.events[i].timestamp >
				    collected.events[i - 1].timestamp);
		queue->ops->destroy(queue);
	}
}

TEST(test_hal_no_stale_events)
{
	static struct collected collected;
	static const int32_t types[] = { NNSENSORS_TYPE_ACCELEROMETER, NNSENSORS_TYPE_GYROSCOPE,
					 NNSENSORS_TYPE_MAGNETIC_FIELD };
	int64_t enabled;

	for (size_t t = 0; t < 3; t++) {
		const struct nnsensors_info info = sensor_of(types[t]);
		struct nnsensors_event_queue *queue = create_queue(&collected);

		assert_int_equal(queue->ops->enable_sensor(queue, info.handle, info.min_delay_us,
							   0),
				 NNSENSORS_OK);
		await_events(&collected, 5);
		assert_int_equal(queue->ops->disable_sensor(queue, info.handle), NNSENSORS_OK);
		/* what is on its way to this queue may come at any time */
		queue->ops->destroy(queue);
		queue = create_queue(&collected);
		enabled = nnutil_boottime_ns();
		assert_int_equal(queue->ops->enable_sensor(queue, info.handle, info.min_delay_us,
							   0),
				 NNSENSORS_OK);
		await_events(&collected, 5);
		queue->ops->destroy(queue);
		for (uint32_t i = 0; i < collected.count; i++)
			assert_true(collected.events[i].timestamp > enabled);
	}
}

/* ---- the HAL: direct report ---- */

/* A dma-buf of @size bytes, a multiple of the page; -1: this machine has no /dev/udmabuf. */
static int make_dmabuf(size_t size, int *memfd)
{
	struct udmabuf_create create = { .size = size };
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int fd;

	*memfd = -1;
	if (device < 0)
		return -1;
	*memfd = test_memfd(size);
	assert_int_equal(fcntl(*memfd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	create.memfd = (uint32_t)*memfd;
	fd = ioctl(device, UDMABUF_CREATE, &create);
	close(device);
	assert_true(fd >= 0);
	return fd;
}

struct direct {
	struct nnsensors_info info;
	uint32_t num_records;
	struct nnsensors_direct_channel *channel;
	struct nnsensors_record *records;
	int fd, memfd;
	int32_t token;
	uint32_t count;
	int64_t last;
	double hz; /* by the time between most of the records */
};

#define DIRECT_RECORDS 4096u

static void open_direct(struct direct *d, int32_t type, bool gralloc, uint32_t num_records)
{
	const size_t size = num_records * RECORD;
	enum nnsensors_result result;

	*d = (struct direct){ .info = sensor_of(type), .num_records = num_records, .memfd = -1 };
	d->fd = gralloc ? make_dmabuf(size, &d->memfd) : test_memfd(size);
	d->records = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd, 0);
	assert_ptr_not_equal(d->records, MAP_FAILED);
	memset(d->records, 0xcc, size);
	result = gralloc ? manager->ops->create_gralloc_direct_channel(manager, d->fd, size,
								       &d->channel)
			 : manager->ops->create_ashmem_direct_channel(manager, d->fd, size, size,
								      &d->channel);
	assert_int_equal(result, NNSENSORS_OK);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(((const uint8_t *)d->records)[i], 0);
}

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Of @count records, by the median of what is between two stamps: however late the records come,
 * and if some are given up because the test looked too late.
 */
static double rate_of(const struct nnsensors_record *records, uint32_t count)
{
	int64_t *between = calloc(count, sizeof(*between));
	double hz;

	assert_non_null(between);
	assert_true(count > 1);
	for (uint32_t i = 1; i < count; i++)
		between[i - 1] = records[i].timestamp - records[i - 1].timestamp;
	qsort(between, count - 1, sizeof(*between), compare);
	hz = (double)NNUTIL_NS_PER_S / (double)between[(count - 1) / 2];
	free(between);
	return hz;
}

/*
 * Stop it: what is there is whole, in order, and the sensor's; how many there are, in d->count, and
 * how many in a second, in d->hz.
 */
static void end_report(struct direct *d)
{
	struct nnsensors_record *found = calloc(d->num_records, sizeof(*found));
	int32_t token;

	assert_non_null(found);
	assert_int_equal(d->channel->ops->configure(d->channel, d->info.handle, NNSENSORS_RATE_STOP,
						    &token),
			 NNSENSORS_OK);
	assert_int_equal(token, 0);
	d->count = parse(d->records, d->num_records, found);
	for (uint32_t i = 0; i < d->count; i++) {
		assert_int_equal(found[i].token, d->token);
		assert_int_equal(found[i].type, d->info.type);
		assert_true(!i || found[i].timestamp > found[i - 1].timestamp);
		check_still(found[i].type, &found[i].u);
	}
	d->hz = rate_of(found, d->count);
	free(found);
}

static void close_direct(struct direct *d)
{
	d->channel->ops->destroy(d->channel);
	munmap(d->records, d->num_records * RECORD);
	close(d->fd);
	if (d->memfd >= 0)
		close(d->memfd);
}

static void check_direct_report(uint32_t level, bool gralloc)
{
	static const int32_t types[] = { NNSENSORS_TYPE_ACCELEROMETER, NNSENSORS_TYPE_GYROSCOPE,
					 NNSENSORS_TYPE_MAGNETIC_FIELD };
	static struct direct direct[3];
	uint32_t num = 0;

	for (size_t t = 0; t < 3; t++) {
		const struct nnsensors_info info = sensor_of(types[t]);

		if (highest_level(&info) >= level)
			open_direct(&direct[num++], types[t], gralloc, DIRECT_RECORDS);
	}
	if (!num && on_iio) {
		print_message("no sensor of the hub has level %u\n", level);
		return;
	}
	assert_true(num > 0);
	for (uint32_t i = 0; i < num; i++) {
		struct direct *d = &direct[i];

		assert_int_equal(d->channel->ops->configure(d->channel, d->info.handle,
							    (enum nnsensors_rate_level)level,
							    &d->token),
				 NNSENSORS_OK);
		assert_true(d->token > 0);
	}
	pass_time(1500 * NNUTIL_NS_PER_MS);
	for (uint32_t i = 0; i < num; i++) {
		const double hz = (double)nominal_hz(level);

		await_record(direct[i].records, (uint32_t)hz / 2);
		end_report(&direct[i]);
		assert_true(direct[i].hz > 0.55 * hz && direct[i].hz < 2.2 * hz);
	}
	for (uint32_t i = 0; i < num; i++)
		close_direct(&direct[i]);
}

TEST(test_hal_direct_report_ashmem_normal)
{
	check_direct_report(NNSENSORS_RATE_NORMAL, false);
}

TEST(test_hal_direct_report_ashmem_fast)
{
	check_direct_report(NNSENSORS_RATE_FAST, false);
}

TEST(test_hal_direct_report_ashmem_very_fast)
{
	check_direct_report(NNSENSORS_RATE_VERY_FAST, false);
}

TEST(test_hal_direct_report_gralloc)
{
	for (uint32_t level = NNSENSORS_RATE_NORMAL; level <= NNSENSORS_RATE_VERY_FAST; level++)
		check_direct_report(level, true);
}

/* Not VTS's: the window of each level, all levels of a sensor at the same time. */
TEST(test_rate_windows)
{
	const int32_t type = NNSENSORS_TYPE_ACCELEROMETER;
	const struct nnsensors_info info = sensor_of(type);
	const uint32_t highest = highest_level(&info);
	struct direct direct[NNSENSORS_RATE_VERY_FAST + 1];

	assert_true(highest >= NNSENSORS_RATE_NORMAL && highest <= NNSENSORS_RATE_VERY_FAST);
	for (uint32_t level = NNSENSORS_RATE_NORMAL; level <= highest; level++) {
		struct direct *d = &direct[level];

		/* more than 220 % of ten seconds, on a machine that takes twice as long */
		open_direct(d, type, false, (uint32_t)nominal_hz(level) * 44);
		assert_int_equal(d->channel->ops->configure(d->channel, d->info.handle,
							    (enum nnsensors_rate_level)level,
							    &d->token),
				 NNSENSORS_OK);
	}
	pass_time(10 * NNUTIL_NS_PER_S);
	for (uint32_t level = NNSENSORS_RATE_NORMAL; level <= highest; level++) {
		struct direct *d = &direct[level];

		await_record(d->records, 100);
		end_report(d);
		print_message("level %u: %u events, %.1f Hz\n", level, d->count, d->hz);
		assert_true(d->hz > 0.55 * (double)nominal_hz(level) &&
			    d->hz <= 2.2 * (double)nominal_hz(level));
		close_direct(d);
	}
}

TEST(test_hal_direct_configure)
{
	const size_t size = 64 * RECORD;
	struct nnsensors_direct_channel *channel;
	struct nnsensors_info *infos;
	uint32_t count;
	int32_t token;
	int fd = test_memfd(size);

	assert_int_equal(manager->ops->create_ashmem_direct_channel(manager, fd, size, size,
								    &channel),
			 NNSENSORS_OK);
	assert_int_equal(manager->ops->get_sensor_list(manager, &infos, &count), NNSENSORS_OK);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t highest = highest_level(&infos[i]);

		for (uint32_t level = NNSENSORS_RATE_NORMAL; level <= NNSENSORS_RATE_VERY_FAST;
		     level++) {
			const enum nnsensors_result wanted = level <= highest ? NNSENSORS_OK
							     : highest
								     ? NNSENSORS_BAD_VALUE
								     : NNSENSORS_INVALID_OPERATION;

			assert_int_equal(channel->ops->configure(channel, infos[i].handle,
								 (enum nnsensors_rate_level)level,
								 &token),
					 wanted);
			assert_int_equal(token > 0, wanted == NNSENSORS_OK);
		}
	}
	assert_int_equal(channel->ops->configure(channel, -1, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(channel->ops->configure(channel, -1, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_OK);
	assert_int_equal(token, 0);
	free(infos);
	channel->ops->destroy(channel);
	close(fd);
}

int main(void)
{
	/* the last one is left out where there is no exporter */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_service_ping),
		cmocka_unit_test(test_service_list),
		cmocka_unit_test(test_service_ashmem),
		cmocka_unit_test(test_service_accelerometer),
		cmocka_unit_test(test_hal_list_valid),
		cmocka_unit_test(test_hal_streaming),
		cmocka_unit_test(test_hal_rate_hot_switch),
		cmocka_unit_test(test_hal_no_stale_events),
		cmocka_unit_test(test_hal_direct_report_ashmem_normal),
		cmocka_unit_test(test_hal_direct_report_ashmem_fast),
		cmocka_unit_test(test_hal_direct_report_ashmem_very_fast),
		cmocka_unit_test(test_rate_windows),
		cmocka_unit_test(test_hal_direct_configure),
		cmocka_unit_test(test_hal_direct_report_gralloc),
	};

	const bool exporter = !access("/dev/udmabuf", R_OK | W_OK);

	if (!exporter)
		print_message("this machine makes no dma-bufs: the VM's tests have them\n");
	return _cmocka_run_group_tests("sensors-vts", tests,
				       sizeof(tests) / sizeof(tests[0]) - !exporter, begin, end);
}
