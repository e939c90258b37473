// SPDX-License-Identifier: Apache-2.0
/* Rings: packets of every size, both directions, a peer that lies, and every way to be woken. */
#include "wire_test.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "child.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "task_state.h"
#include "wire/nnipc_wire.h"

#define CAPACITY 4096u
#define HEADER 4096u
/* Where the words of a ring are. */
#define CAPACITY_AT 1
#define TAIL_AT 16
#define HEAD_AT 32
#define SLEEPS_AT 48
#define EVENT_AT 49
#define CLOSED_AT 50

struct pair {
	int fd;
	struct nnipc_ring *writer, *reader;
	_Atomic uint32_t *words; /* as a hostile peer has them */
};

static void make(struct pair *p, uint32_t capacity)
{
	assert_int_equal(nnipc_ring_create(capacity, &p->fd, &p->writer), 0);
	assert_int_equal(nnipc_ring_attach(p->fd, &p->reader), 0);
	p->words = mmap(NULL, HEADER + capacity, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	assert_true((void *)p->words != MAP_FAILED);
}

static void drop(struct pair *p, uint32_t capacity)
{
	nnipc_ring_free(p->writer);
	nnipc_ring_free(p->reader);
	munmap((void *)p->words, HEADER + capacity);
	close(p->fd);
}

/* A page that cannot be had is no SIGBUS later on: there are no holes. */
TEST(test_no_holes)
{
	struct stat facts;
	struct pair p;

	make(&p, CAPACITY);
	assert_int_equal(fstat(p.fd, &facts), 0);
	assert_int_equal(facts.st_size, HEADER + CAPACITY);
	assert_true(facts.st_blocks * 512 >= facts.st_size);
	drop(&p, CAPACITY);
}

static void fill(uint8_t *bytes, uint32_t size, uint32_t seed)
{
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(seed * 31 + i * 7);
}

static void expect_packet(struct nnipc_ring *ring, uint32_t size, uint32_t seed)
{
	uint8_t bytes[CAPACITY];
	const uint8_t *packet;
	uint32_t got;

	assert_int_equal(nnipc_ring_get(ring, &packet, &got, -1), 0);
	assert_int_equal(got, size);
	fill(bytes, size, seed);
	if (size)
		assert_memory_equal(packet, bytes, size);
}

static int get(struct nnipc_ring *ring, int64_t timeout_ns)
{
	const uint8_t *packet;
	uint32_t size;

	return nnipc_ring_get(ring, &packet, &size, timeout_ns);
}

TEST(test_packets)
{
	uint8_t bytes[CAPACITY];
	struct pair p;

	make(&p, CAPACITY);
	/* every size at many places, so that length and bytes wrap everywhere */
	for (uint32_t size = 0; size <= CAPACITY - 4; size += size < 40 ? 1 : 61) {
		fill(bytes, size, size);
		assert_int_equal(nnipc_ring_put(p.writer, bytes, size), 0);
		expect_packet(p.reader, size, size);
	}
	fill(bytes, CAPACITY - 4, 1);
	assert_int_equal(nnipc_ring_put(p.writer, bytes, CAPACITY - 4), 0);
	expect_packet(p.reader, CAPACITY - 4, 1);
	assert_int_equal(nnipc_ring_put(p.writer, bytes, CAPACITY - 3), -E2BIG);
	assert_int_equal(nnipc_ring_put(p.writer, bytes, UINT32_MAX), -E2BIG);
	assert_int_equal(get(p.reader, 0), -ETIME);
	drop(&p, CAPACITY);
}

TEST(test_full)
{
	uint8_t bytes[100];
	uint32_t count = 0;
	struct pair p;

	make(&p, CAPACITY);
	for (int round = 0; round < 10; round++) {
		for (count = 0;; count++) {
			fill(bytes, sizeof(bytes), count);
			if (nnipc_ring_put(p.writer, bytes, sizeof(bytes)))
				break;
		}
		assert_int_equal(count, CAPACITY / 104);
		assert_int_equal(nnipc_ring_put(p.writer, bytes, sizeof(bytes)), -ENOSPC);
		for (uint32_t i = 0; i < count; i++)
			expect_packet(p.reader, sizeof(bytes), i);
		assert_int_equal(get(p.reader, 0), -ETIME);
	}
	drop(&p, CAPACITY);
}

/* ---- two that work at a time ---- */

#define PACKETS 20000u

static int stream(struct nnipc_ring *ring)
{
	uint8_t bytes[300];
	int ret;

	for (uint32_t i = 0; i < PACKETS; i++) {
		fill(bytes, i % sizeof(bytes), i);
		while ((ret = nnipc_ring_put(ring, bytes, i % sizeof(bytes))) == -ENOSPC)
			sched_yield();
		if (ret)
			return ret;
	}
	nnipc_ring_close(ring);
	return 0;
}

/* 0: every packet came, in order. */
static int drain(struct nnipc_ring *ring)
{
	uint8_t bytes[300];
	const uint8_t *packet;
	uint32_t size;
	int ret;

	for (uint32_t i = 0; i < PACKETS; i++) {
		ret = nnipc_ring_get(ring, &packet, &size, -1);
		fill(bytes, i % sizeof(bytes), i);
		if (ret || size != i % sizeof(bytes) || memcmp(packet, bytes, size))
			return ret ? ret : -EBADMSG;
	}
	return get(ring, -1) == -EPIPE ? 0 : -EBUSY;
}

static void *stream_thread(void *ring)
{
	return (void *)(intptr_t)stream(ring);
}

static void *drain_thread(void *ring)
{
	return (void *)(intptr_t)drain(ring);
}

TEST(test_threads)
{
	pthread_t threads[4];
	struct pair p[2];
	void *ret;

	for (int i = 0; i < 2; i++) {
		make(&p[i], CAPACITY);
		assert_int_equal(pthread_create(&threads[2 * i], NULL, stream_thread, p[i].writer),
				 0);
		assert_int_equal(
			pthread_create(&threads[2 * i + 1], NULL, drain_thread, p[i].reader), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &ret);
		assert_int_equal((intptr_t)ret, 0);
	}
	for (int i = 0; i < 2; i++)
		drop(&p[i], CAPACITY);
}

/* The peer: answers each packet with the same bytes. */
static int answer(int request_fd, int result_fd)
{
	struct nnipc_ring *requests, *results;
	const uint8_t *packet;
	uint32_t size;
	int ret;

	if (nnipc_ring_attach(request_fd, &requests) || nnipc_ring_attach(result_fd, &results))
		return 1;
	while (!(ret = nnipc_ring_get(requests, &packet, &size, -1)))
		if (nnipc_ring_put(results, packet, size))
			return 2;
	return ret == -EPIPE ? 0 : 3;
}

TEST(test_processes)
{
	struct nnipc_ring *requests, *results;
	int request_fd, result_fd;
	uint8_t bytes[300];
	pid_t pid;

	assert_int_equal(nnipc_ring_create(65536, &request_fd, &requests), 0);
	assert_int_equal(nnipc_ring_create(65536, &result_fd, &results), 0);
	pid = fork();
	if (!pid)
		_exit(answer(request_fd, result_fd));
	for (uint32_t i = 0; i < PACKETS; i++) {
		fill(bytes, i % sizeof(bytes), i);
		assert_int_equal(nnipc_ring_put(requests, bytes, i % sizeof(bytes)), 0);
		expect_packet(results, i % sizeof(bytes), i);
	}
	/* the peer sleeps, or will */
	nnipc_ring_close(requests);
	assert_int_equal(child_wait(pid), 0);
	nnipc_ring_free(requests);
	nnipc_ring_free(results);
	close(request_fd);
	close(result_fd);
}

/* ---- making ---- */

TEST(test_attach)
{
	static const uint32_t capacities[] = { 0, 1, 2048, 4095, 4097, 12288, NNIPC_RING_MAX * 2 };
	const int seals = F_SEAL_SHRINK | F_SEAL_SEAL;
	uint32_t before = descriptors_open();
	struct nnipc_ring *ring;
	int fds[7], fd;
	struct pair p;

	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++) {
		assert_int_equal(nnipc_ring_create(capacities[i], &fd, &ring), -EINVAL);
		assert_null(ring);
		assert_int_equal(fd, -1);
	}
	fds[0] = memfd_new(HEADER + CAPACITY);
	fds[1] = memfd_sealed(HEADER + CAPACITY, F_SEAL_SHRINK);
	fds[2] = memfd_sealed(HEADER, seals);
	fds[3] = memfd_sealed(HEADER + CAPACITY + 1, seals);
	fds[4] = memfd_sealed(HEADER + 2 * (uint64_t)NNIPC_RING_MAX, seals);
	fds[5] = memfd_sealed(HEADER + CAPACITY, seals); /* no magic */
	fds[6] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		assert_int_equal(nnipc_ring_attach(fds[i], &ring), -EINVAL);
		assert_null(ring);
		close(fds[i]);
	}
	assert_int_equal(nnipc_ring_attach(-1, &ring), -EINVAL);
	make(&p, CAPACITY);
	/* the peer cannot cut it */
	assert_int_equal(ftruncate(p.fd, HEADER), -1);
	atomic_store(&p.words[CAPACITY_AT], 2 * CAPACITY);
	assert_int_equal(nnipc_ring_attach(p.fd, &ring), -EINVAL);
	drop(&p, CAPACITY);
	assert_int_equal(nnipc_ring_create(NNIPC_RING_MAX, &fd, &ring), 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	nnipc_ring_free(ring);
	nnipc_ring_free(NULL);
	close(fd);
	assert_int_equal(descriptors_open(), before);
}

/* ---- a hostile peer ---- */

static const uint32_t lies[] = {
	1, 4, 7, CAPACITY + 8, 2 * CAPACITY, 1u << 31, UINT32_MAX, 0u - 2 * CAPACITY - 8, 0x80000001
};

TEST(test_hostile_indices)
{
	struct pair p;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		for (uint32_t before = 0; before < 2; before++) {
			make(&p, CAPACITY);
			/* with nothing and with something in the ring */
			if (before)
				assert_int_equal(nnipc_ring_put(p.writer, "abcd", 4), 0);
			atomic_store(&p.words[TAIL_AT], lies[i]);
			assert_int_equal(get(p.reader, -1), -EPROTO);
			/* from then on, whatever the peer says now */
			atomic_store(&p.words[TAIL_AT], 0);
			assert_int_equal(get(p.reader, -1), -EPROTO);
			assert_int_equal(nnipc_ring_put(p.reader, "x", 1), -EPROTO);
			atomic_store(&p.words[HEAD_AT], lies[i]);
			assert_int_equal(nnipc_ring_put(p.writer, "x", 1), -EPROTO);
			atomic_store(&p.words[HEAD_AT], 0);
			assert_int_equal(nnipc_ring_put(p.writer, "x", 1), -EPROTO);
			drop(&p, CAPACITY);
		}
	}
}

/* Whatever the length says: a packet inside of what is there, or an error. */
TEST(test_hostile_lengths)
{
	static const uint32_t lengths[] = {
		0,	   4, 5, 12, 13, CAPACITY - 4, UINT32_MAX, UINT32_MAX - 3, UINT32_MAX - 7,
		0x80000000
	};
	const uint8_t *packet;
	uint32_t size;
	struct pair p;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		make(&p, CAPACITY);
		assert_int_equal(nnipc_ring_put(p.writer, "0123456789", 10), 0);
		atomic_store(&p.words[HEADER / 4], lengths[i]);
		if (lengths[i] <= 12) {
			assert_int_equal(nnipc_ring_get(p.reader, &packet, &size, -1), 0);
			assert_int_equal(size, lengths[i]);
		} else {
			assert_int_equal(get(p.reader, -1), -EPROTO);
		}
		drop(&p, CAPACITY);
	}
}

/* ---- waiting ---- */

struct waiter {
	struct nnipc_ring *ring;
	atomic_int tid;
	int ret;
};

static void *wait_thread(void *cookie)
{
	struct waiter *w = cookie;

	atomic_store(&w->tid, (int)syscall(SYS_gettid));
	w->ret = get(w->ring, -1);
	return NULL;
}

static void start_waiting(struct waiter *w, pthread_t *thread)
{
	assert_int_equal(pthread_create(thread, NULL, wait_thread, w), 0);
	assert_true(EVENTUALLY(atomic_load(&w->tid) && thread_asleep(atomic_load(&w->tid))));
}

TEST(test_wake)
{
	/* a packet; a close of this side; a close of the other */
	static const int rets[] = { 0, -EPIPE, -EPIPE };
	pthread_t thread;
	struct pair p;

	for (int how = 0; how < 3; how++) {
		struct waiter w = { 0 };

		make(&p, CAPACITY);
		w.ring = p.reader;
		start_waiting(&w, &thread);
		assert_int_equal(atomic_load(&p.words[SLEEPS_AT]), 1);
		if (!how)
			assert_int_equal(nnipc_ring_put(p.writer, "x", 1), 0);
		else
			nnipc_ring_close(how == 1 ? p.reader : p.writer);
		pthread_join(thread, NULL);
		assert_int_equal(w.ret, rets[how]);
		drop(&p, CAPACITY);
	}
}

TEST(test_timeout)
{
	int64_t start = nnutil_monotonic_ns();
	struct pair p;

	make(&p, CAPACITY);
	assert_int_equal(get(p.reader, 20 * NNUTIL_NS_PER_MS), -ETIME);
	assert_true(nnutil_monotonic_ns() - start >= 20 * NNUTIL_NS_PER_MS);
	assert_int_equal(nnipc_ring_put(p.writer, "x", 1), 0);
	assert_int_equal(get(p.reader, INT64_MAX), 0);
	drop(&p, CAPACITY);
}

TEST(test_close)
{
	struct pair p;

	make(&p, CAPACITY);
	assert_int_equal(nnipc_ring_put(p.writer, "0123456789", 10), 0);
	assert_int_equal(nnipc_ring_put(p.writer, "x", 1), 0);
	nnipc_ring_close(p.reader);
	nnipc_ring_close(p.reader);
	assert_int_equal(nnipc_ring_put(p.writer, "x", 1), -EPIPE);
	assert_int_equal(nnipc_ring_put(p.reader, "x", 1), -EPIPE);
	/* what was there is read; what a hostile writer adds is not */
	assert_int_equal(get(p.reader, -1), 0);
	atomic_fetch_add(&p.words[TAIL_AT], 8);
	assert_int_equal(get(p.reader, -1), 0);
	assert_int_equal(get(p.reader, -1), -EPIPE);
	/* and it cannot open the ring again */
	atomic_store(&p.words[CLOSED_AT], 0);
	assert_int_equal(get(p.reader, -1), -EPIPE);
	assert_int_equal(get(p.reader, 0), -EPIPE);
	drop(&p, CAPACITY);
}

static atomic_bool scribbling;

/* A peer that undoes all that a close writes, as fast as it can. */
static void *scribble(void *cookie)
{
	_Atomic uint32_t *words = cookie;

	while (atomic_load(&scribbling)) {
		atomic_store(&words[EVENT_AT], 0);
		atomic_store(&words[CLOSED_AT], 0);
		atomic_store(&words[SLEEPS_AT], 0);
	}
	return NULL;
}

TEST(test_close_against_scribbler)
{
	pthread_t scribbler, thread;
	struct pair p;

	for (int round = 0; round < 50; round++) {
		struct waiter w = { 0 };

		make(&p, CAPACITY);
		w.ring = p.reader;
		atomic_store(&scribbling, true);
		assert_int_equal(pthread_create(&scribbler, NULL, scribble, (void *)p.words), 0);
		if (round % 2) {
			start_waiting(&w, &thread);
		} else {
			/* at any moment, also just before it sleeps */
			assert_int_equal(pthread_create(&thread, NULL, wait_thread, &w), 0);
		}
		nnipc_ring_close(p.reader);
		pthread_join(thread, NULL);
		assert_int_equal(w.ret, -EPIPE);
		atomic_store(&scribbling, false);
		pthread_join(scribbler, NULL);
		drop(&p, CAPACITY);
	}
}

/* The whole memory is noise, while both sides work: errors, but no wild access and no hang. */
static void *noise(void *cookie)
{
	_Atomic uint32_t *words = cookie;
	uint32_t random = 1;

	while (atomic_load(&scribbling)) {
		random = random * 1664525 + 1013904223;
		atomic_store(&words[TAIL_AT + (random >> 16) % (CLOSED_AT - TAIL_AT)],
			     random >> 20);
		atomic_store(&words[HEADER / 4 + (random >> 8) % (CAPACITY / 4)], random);
	}
	return NULL;
}

TEST(test_noise)
{
	pthread_t thread;
	struct pair p;
	int ret;

	for (int round = 0; round < 30; round++) {
		make(&p, CAPACITY);
		atomic_store(&scribbling, true);
		assert_int_equal(pthread_create(&thread, NULL, noise, (void *)p.words), 0);
		for (int i = 0; i < 200; i++) {
			ret = nnipc_ring_put(p.writer, "0123456789", 10);
			assert_true(!ret || ret == -ENOSPC || ret == -EPROTO);
			ret = get(p.reader, 1000);
			assert_true(!ret || ret == -ETIME || ret == -EPROTO);
		}
		atomic_store(&scribbling, false);
		pthread_join(thread, NULL);
		drop(&p, CAPACITY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_holes),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_hostile_indices),
		cmocka_unit_test(test_hostile_lengths),
		cmocka_unit_test(test_wake),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_close_against_scribbler),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
