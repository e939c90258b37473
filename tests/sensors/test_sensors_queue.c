// SPDX-License-Identifier: Apache-2.0
/*
 * The memory of event queues: which ring an event goes to, its number, and when the reader is
 * woken: at once, after a batch's latency, when a ring fills up, and never when it does not sleep.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sensord_core.h"
#include "messages/sensor_messages.h"
#include "nnsensors_records.h"
#include "nnutil_clock.h"
#include "skip.h"
#include "test_case.h"

static struct sensor continuous = { .info = { .handle = 3, .type = 1 } };
static struct sensor on_change = { .info = { .handle = 4, .type = 5, .flags = 2 } };
static struct sensor one_shot = { .info = { .handle = 5, .type = 17, .flags = 4 | 1 } };
static struct sensor special = { .info = { .handle = 6, .type = 18, .flags = 6 } };

struct client {
	struct queue_sink *queue;
	struct sensor_queue_memory *memory;
	struct nnsensors_reader readers[2]; /* continuous, kept */
	int memory_fd, event_fd;
};

static const size_t memory_size = 104 * (1 + (size_t)SENSOR_QUEUE_CONTINUOUS + SENSOR_QUEUE_KEPT);

static void make_with(struct client *c, struct waker *waker)
{
	const struct nnsensors_record *records;

	assert_int_equal(queue_sink_create(&c->queue, waker, &c->memory_fd, &c->event_fd), 0);
	assert_int_equal(sensor_queue_memory_size(SENSOR_QUEUE_CONTINUOUS, SENSOR_QUEUE_KEPT),
			 memory_size);
	c->memory = mmap(NULL, memory_size, PROT_READ | PROT_WRITE, MAP_SHARED, c->memory_fd, 0);
	assert_true((void *)c->memory != MAP_FAILED);
	records = c->memory->records;
	nnsensors_reader_init(&c->readers[0], records, SENSOR_QUEUE_CONTINUOUS * sizeof(*records));
	nnsensors_reader_init(&c->readers[1], records + SENSOR_QUEUE_CONTINUOUS,
			      SENSOR_QUEUE_KEPT * sizeof(*records));
}

static void make(struct client *c)
{
	make_with(c, NULL);
}

static void drop(struct client *c)
{
	munmap(c->memory, memory_size);
	queue_sink_destroy(c->queue);
}

static void put_at(struct client *c, struct sensor *sensor, int64_t timestamp, int64_t latency_ns)
{
	const struct subscription s = { .sensor = sensor,
					.sink = queue_sink(c->queue),
					.token = sensor->info.handle,
					.latency_ns = latency_ns };
	const struct nnsensors_record r = { .type = sensor->info.type,
					    .token = 99,
					    .timestamp = timestamp,
					    .u.data = { 1, 2, 3 },
					    .reserved = { 1, 2, 8, 0 } };

	s.sink->put(s.sink, &s, &r);
}

static void put(struct client *c, struct sensor *sensor)
{
	put_at(c, sensor, 1000, 0);
}

static uint64_t number_of(const struct nnsensors_record *r)
{
	return (uint32_t)r->reserved[0] | (uint64_t)(uint32_t)r->reserved[1] << 32;
}

static void expect(struct client *c, int ring, const struct sensor *sensor, uint64_t number)
{
	struct nnsensors_record r;
	uint64_t lost;

	assert_int_equal(nnsensors_reader_take(&c->readers[ring], &r, &lost), 1);
	assert_int_equal(lost, 0);
	assert_int_equal(r.token, sensor->info.handle);
	assert_int_equal(r.type, sensor->info.type);
	assert_int_equal(number_of(&r), number);
	assert_int_equal(r.reserved[2], 8);
	assert_int_equal(r.reserved[3], 0);
}

static void expect_none(struct client *c)
{
	struct nnsensors_record r;
	uint64_t lost;

	for (int i = 0; i < 2; i++)
		assert_int_equal(nnsensors_reader_take(&c->readers[i], &r, &lost), 0);
}

/* As a client before it sleeps. */
static void sleeps(struct client *c)
{
	atomic_exchange(&c->memory->asleep, 1);
}

/* Wake-ups that came since the last time; reads them as from an eventfd. */
static unsigned int woken(struct client *c)
{
	unsigned int n = 0;
	eventfd_t value;

	while (!eventfd_read(c->event_fd, &value)) {
		assert_int_equal(value, 1);
		n++;
	}
	assert_int_equal(errno, EAGAIN);
	return n;
}

/* ---- the memory ---- */

TEST(test_memory)
{
	struct client c;

	make(&c);
	assert_int_equal(c.memory->magic, SENSOR_QUEUE_MAGIC);
	assert_int_equal(c.memory->continuous, SENSOR_QUEUE_CONTINUOUS);
	assert_int_equal(c.memory->kept, SENSOR_QUEUE_KEPT);
	assert_int_equal(lseek(c.memory_fd, 0, SEEK_END), memory_size);
	assert_int_equal(fcntl(c.memory_fd, F_GET_SEALS),
			 F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	assert_int_equal(fcntl(c.memory_fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(c.event_fd, F_GETFD), FD_CLOEXEC);
	assert_true(fcntl(c.event_fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(ftruncate(c.memory_fd, 0), -1);
	expect_none(&c);
	assert_int_equal(woken(&c), 0);
	drop(&c);
}

TEST(test_rings)
{
	uint64_t delivered, lost;
	struct client c;

	make(&c);
	put(&c, &continuous);
	put(&c, &on_change);
	put(&c, &one_shot);
	put(&c, &continuous);
	put(&c, &special);
	expect(&c, 0, &continuous, 1);
	expect(&c, 0, &continuous, 4);
	expect(&c, 1, &on_change, 2);
	expect(&c, 1, &one_shot, 3);
	expect(&c, 1, &special, 5);
	expect_none(&c);
	queue_sink_count(c.queue, &delivered, &lost);
	assert_int_equal(delivered, 5);
	assert_int_equal(lost, 0);
	drop(&c);
}

/* A stream pushes out its own oldest events, and no other stream's. */
TEST(test_not_read)
{
	struct nnsensors_record r;
	uint64_t lost;
	struct client c;

	make(&c);
	put(&c, &on_change);
	for (uint64_t i = 0; i < 5000; i++)
		put(&c, &continuous);
	put(&c, &one_shot);
	expect(&c, 1, &on_change, 1);
	expect(&c, 1, &one_shot, 5002);
	assert_int_equal(nnsensors_reader_take(&c.readers[0], &r, &lost), 1);
	assert_int_equal(lost, 5000 - SENSOR_QUEUE_CONTINUOUS);
	assert_int_equal(number_of(&r), 5002 - SENSOR_QUEUE_CONTINUOUS);
	drop(&c);
}

TEST(test_gone)
{
	struct subscription s = { .sensor = &continuous, .token = 3, .latency_ns = 1000000000 };
	const int64_t before = nnutil_boottime_ns();
	struct nnsensors_record r;
	struct client c;
	uint64_t lost;

	make(&c);
	s.sink = queue_sink(c.queue);
	put(&c, &continuous);
	sleeps(&c);
	s.sink->gone(s.sink, &s);
	assert_int_equal(woken(&c), 1);
	expect(&c, 0, &continuous, 1);
	assert_int_equal(nnsensors_reader_take(&c.readers[1], &r, &lost), 1);
	assert_int_equal(r.type, NNSENSORS_TYPE_META_DATA);
	assert_int_equal(r.token, 0);
	assert_int_equal(r.u.meta.what, SENSOR_NOTICE_GONE);
	assert_int_equal(r.u.meta.sensor, 3);
	assert_int_equal(number_of(&r), 2);
	assert_in_range(r.timestamp, before, nnutil_boottime_ns());
	drop(&c);
}

/* ---- waking ---- */

TEST(test_awake)
{
	struct client c;

	make(&c);
	/* a reader that does not sleep costs no system call */
	put(&c, &continuous);
	put(&c, &on_change);
	assert_int_equal(woken(&c), 0);
	for (unsigned int i = 0; i < 3; i++) {
		sleeps(&c);
		put(&c, &continuous);
		assert_int_equal(c.memory->asleep, 0);
		put(&c, &on_change);
		assert_int_equal(woken(&c), 1);
	}
	drop(&c);
}

TEST(test_latency)
{
	struct client c;
	struct sink *sink;

	make(&c);
	sink = queue_sink(c.queue);
	assert_true(sink->wake_at(sink) == INT64_MAX);
	sleeps(&c);
	put_at(&c, &continuous, 1000, 500);
	assert_int_equal(sink->wake_at(sink), 1500);
	/* the earliest time holds */
	put_at(&c, &continuous, 1100, 500);
	put_at(&c, &on_change, 1150, 10000);
	assert_int_equal(sink->wake_at(sink), 1500);
	put_at(&c, &on_change, 1200, 100);
	assert_int_equal(sink->wake_at(sink), 1300);
	assert_int_equal(woken(&c), 0);
	/* readable already */
	expect(&c, 0, &continuous, 1);
	sink->wake(sink);
	assert_int_equal(woken(&c), 1);
	assert_true(sink->wake_at(sink) == INT64_MAX);
	/* an event that cannot wait takes those with it that can */
	sleeps(&c);
	put_at(&c, &continuous, 2000, 500);
	put_at(&c, &on_change, 2001, 0);
	assert_int_equal(woken(&c), 1);
	assert_true(sink->wake_at(sink) == INT64_MAX);
	/* a latency without an end */
	sleeps(&c);
	put_at(&c, &continuous, 3000, INT64_MAX);
	assert_true(sink->wake_at(sink) == INT64_MAX);
	assert_int_equal(woken(&c), 0);
	/* a reader that is awake is not woken for a batch either */
	c.memory->asleep = 0;
	put_at(&c, &continuous, 4000, 500);
	sink->wake(sink);
	assert_int_equal(woken(&c), 0);
	drop(&c);
}

/* The ring of @sensor with @records is filled with events that may wait: woken in time. */
static void expect_full(struct sensor *sensor, uint32_t records)
{
	struct client c;

	make(&c);
	for (unsigned int round = 0; round < 3; round++) {
		sleeps(&c);
		for (uint32_t i = 1; i < records / 4 * 3; i++)
			put_at(&c, sensor, 1000, 1000000000);
		assert_int_equal(woken(&c), 0);
		put_at(&c, sensor, 1000, 1000000000);
		assert_int_equal(woken(&c), 1);
	}
	drop(&c);
}

TEST(test_full)
{
	expect_full(&continuous, SENSOR_QUEUE_CONTINUOUS);
	expect_full(&on_change, SENSOR_QUEUE_KEPT);
}

/* ---- clients that do their worst ---- */

TEST(test_wake_ups_unread)
{
	struct client c;

	make(&c);
	/* both ends are the client's, but neither stops the service */
	assert_int_equal(fcntl(c.event_fd, F_SETFL, 0), 0);
	for (unsigned int i = 0; i < 100000; i++) {
		sleeps(&c);
		put(&c, &on_change);
	}
	assert_int_equal(fcntl(c.event_fd, F_SETFL, O_NONBLOCK), 0);
	assert_true(woken(&c) > 0);
	/* a write fails without SIGPIPE */
	assert_int_equal(send(c.event_fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(shutdown(c.event_fd, SHUT_RDWR), 0);
	sleeps(&c);
	put(&c, &on_change);
	drop(&c);
}

TEST(test_memory_overwritten)
{
	struct nnsensors_record r;
	uint64_t lost;
	struct client c;

	make(&c);
	memset(c.memory, 0xff, memory_size);
	for (unsigned int i = 0; i < 3; i++) {
		put(&c, &continuous);
		put(&c, &on_change);
	}
	assert_int_equal(woken(&c), 1);
	assert_int_equal(fallocate(c.memory_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
				   (off_t)memory_size),
			 0);
	for (unsigned int i = 0; i < SENSOR_QUEUE_CONTINUOUS; i++)
		put(&c, &continuous);
	assert_int_equal(nnsensors_reader_take(&c.readers[0], &r, &lost), 1);
	assert_int_equal(lost, 3);
	drop(&c);
}

/* A page that is not there: the client gets nothing any more, and the thread goes on. */
TEST(test_no_page)
{
	struct channel_pages pages = { .size = memory_size };
	struct stat facts;
	struct client c;

	/* here, for cmocka has taken SIGBUS before each case */
	channel_fault_prepare();
	make(&c);
	assert_int_equal(fstat(c.memory_fd, &facts), 0);
	assert_true((uint64_t)facts.st_blocks * 512 >= memory_size);
	/* as where the machine has no memory left */
	pages.data = queue_sink_memory(c.queue);
	if (!channel_fault_watch(&pages)) {
		drop(&c);
		skip_host("this machine has no userfaultfd");
	}
	assert_int_equal(fallocate(c.memory_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
				   (off_t)memory_size + sysconf(_SC_PAGESIZE)),
			 0);
	for (unsigned int i = 0; i < 3; i++) {
		put(&c, &continuous);
		put(&c, &on_change);
	}
	assert_int_equal(fstat(c.memory_fd, &facts), 0);
	assert_int_equal(facts.st_blocks, 0);
	drop(&c);
}

/* ---- the race of a reader that goes to sleep ---- */

#define EVENTS_EACH 20000
#define WRITERS 3

static void *write_events(void *cookie)
{
	static struct sensor *const sensors[] = { &continuous, &on_change };
	struct client *c = cookie;

	for (unsigned int i = 0; i < EVENTS_EACH; i++)
		put(c, sensors[i % 2]);
	return NULL;
}

static uint64_t take_all(struct client *c)
{
	struct nnsensors_record r;
	uint64_t n = 0, lost;

	for (int i = 0; i < 2; i++)
		while (nnsensors_reader_take(&c->readers[i], &r, &lost) == 1)
			n += 1 + lost;
	return n;
}

/* A reader that always sleeps when it finds nothing sees every event: no wake-up is missing. */
static void race(struct waker *waker)
{
	const uint64_t total = (uint64_t)WRITERS * EVENTS_EACH;
	pthread_t threads[WRITERS];
	struct pollfd pollfd;
	uint64_t seen = 0;
	struct client c;

	make_with(&c, waker);
	pollfd = (struct pollfd){ .fd = c.event_fd, .events = POLLIN };
	for (unsigned int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_events, &c), 0);
	while (seen < total) {
		uint64_t n = take_all(&c);

		if (!n) {
			sleeps(&c);
			n = take_all(&c);
			if (!n) {
				/* the limit of a test that is wrong */
				assert_int_equal(poll(&pollfd, 1, 120000), 1);
				woken(&c);
			}
			atomic_exchange(&c.memory->asleep, 0);
		}
		seen += n;
	}
	assert_int_equal(seen, total);
	for (unsigned int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	drop(&c);
}

TEST(test_sleep_race)
{
	race(NULL);
}

/* ---- what a client has to do with the sender ---- */

/* A filter of the client's would run in the sender, for as long as 4096 instructions take. */
TEST(test_no_filter)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	const struct sock_fprog program = { .len = 1, .filter = &all };
	const int off = 0;
	struct client c;

	make(&c);
	assert_int_equal(setsockopt(c.event_fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
				    sizeof(program)),
			 -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(setsockopt(c.event_fd, SOL_SOCKET, SO_LOCK_FILTER, &off, sizeof(off)), -1);
	assert_int_equal(errno, EPERM);
	drop(&c);
}

/* The thread that has sent a wake-up. */
static _Atomic pthread_t sender;
ssize_t __real_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags);

ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
	atomic_store(&sender, pthread_self());
	return __real_send(fd, bytes, size, flags);
}

/* What waits for the client's descriptor runs in the sender: that is no thread of a device. */
TEST(test_waker)
{
	struct waker *waker, *same, *other;
	struct pollfd pollfd;
	struct client c;

	assert_int_equal(waker_get(7, &waker), 0);
	assert_int_equal(waker_get(7, &same), 0);
	assert_int_equal(waker_get(8, &other), 0);
	assert_ptr_equal(waker, same);
	assert_ptr_not_equal(waker, other);
	waker_put(other);
	waker_put(same);
	make_with(&c, waker);
	pollfd = (struct pollfd){ .fd = c.event_fd, .events = POLLIN };
	for (int round = 0; round < 100; round++) {
		sleeps(&c);
		put(&c, &continuous);
		/* the limit of a test that is wrong */
		assert_int_equal(poll(&pollfd, 1, 120000), 1);
		assert_int_equal(woken(&c), 1);
		assert_false(pthread_equal(atomic_load(&sender), pthread_self()));
	}
	/* one that goes is woken for what it had, or the waker would have what is gone */
	for (int round = 0; round < 100; round++) {
		sleeps(&c);
		put(&c, &continuous);
		drop(&c);
		make_with(&c, waker);
	}
	drop(&c);
	waker_put(waker);
}

TEST(test_sleep_race_of_waker)
{
	struct waker *waker;

	assert_int_equal(waker_get(7, &waker), 0);
	race(waker);
	waker_put(waker);
}

/* Who keeps the descriptor of a queue that is gone keeps no page of it. */
TEST(test_destroyed_memory)
{
	struct stat before, after;
	struct client c;
	int fd;

	make(&c);
	fd = dup(c.memory_fd);
	assert_int_equal(fstat(fd, &before), 0);
	assert_true((uint64_t)before.st_blocks * 512 >= memory_size);
	munmap(c.memory, memory_size);
	queue_sink_destroy(c.queue);
	assert_int_equal(fstat(fd, &after), 0);
	assert_int_equal(after.st_blocks, 0);
	assert_int_equal(after.st_size, before.st_size);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_not_read),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_awake),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_wake_ups_unread),
		cmocka_unit_test(test_memory_overwritten),
		cmocka_unit_test(test_no_page),
		cmocka_unit_test(test_sleep_race),
		cmocka_unit_test(test_no_filter),
		cmocka_unit_test(test_waker),
		cmocka_unit_test(test_sleep_race_of_waker),
		cmocka_unit_test(test_destroyed_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
