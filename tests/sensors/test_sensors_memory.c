// SPDX-License-Identifier: Apache-2.0
/*
 * The memory of direct channels: which descriptors are taken, which refused, and what a client can
 * do to a memory that the service writes to.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sensord_core.h"
#include "descriptors.h"
#include "nnsensors_records.h"
#include "skip.h"
#include "temp.h"
#include "test_case.h"

#define RECORD sizeof(struct nnsensors_record)
#define SIZE (300 * RECORD)

static int memfd(uint64_t size, unsigned int flags, int seals)
{
	int fd = memfd_create("channel", MFD_CLOEXEC | flags);

	assert_true(fd >= 0);
	assert_int_equal(fallocate(fd, 0, 0, (off_t)size), 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static int sealable(uint64_t size)
{
	return memfd(size, MFD_ALLOW_SEALING, 0);
}

static void expect_refused(enum channel_memory kind, int fd, uint64_t size, int error)
{
	struct channel_sink *channel = (struct channel_sink *)1;

	assert_int_equal(channel_sink_create(kind, fd, size, &channel), error);
	assert_null(channel);
}

static struct channel_sink *make(enum channel_memory kind, int fd, uint64_t size)
{
	struct channel_sink *channel;

	assert_int_equal(channel_sink_create(kind, fd, size, &channel), 0);
	assert_non_null(channel);
	return channel;
}

static struct sensor accelerometer = { .info = { .handle = 3, .type = 1 } };

static void put(struct channel_sink *channel, int32_t token, int64_t timestamp)
{
	const struct subscription s = { .sensor = &accelerometer,
					.sink = channel_sink(channel),
					.token = token };
	const struct nnsensors_record r = { .size = 1,
					    .token = 99,
					    .type = 1,
					    .counter = 99,
					    .timestamp = timestamp,
					    .u.data = { 1, 2, 3 },
					    .reserved = { 1, 2, 3, 4 } };

	s.sink->put(s.sink, &s, &r);
}

/* ---- what is taken ---- */

TEST(test_memfd)
{
	/* the size of the test of the interface, one record, and one that ends in the middle of one
	 */
	static const uint64_t sizes[] = { 1024, SIZE, 104, 105, 4096 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint64_t size = sizes[i], records = size / RECORD;
		struct nnsensors_reader reader;
		struct channel_sink *channel;
		struct nnsensors_record r;
		uint64_t lost;
		uint8_t *map;
		int fd = sealable(size + 100);

		map = mmap(NULL, size + 100, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		assert_true(map != MAP_FAILED);
		memset(map, 0xcc, size + 100);
		channel = make(CHANNEL_ASHMEM, fd, size);
		/* zeroed, as far as the channel goes */
		for (uint64_t at = 0; at < size + 100; at++)
			assert_int_equal(map[at], at < size ? 0 : 0xcc);
		assert_int_equal(fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK, F_SEAL_SHRINK);
		assert_int_equal(fcntl(fd, F_GET_SEALS) & F_SEAL_WRITE, 0);
		nnsensors_reader_init(&reader, map, size);
		for (uint64_t n = 0; n < 2 * records + 1; n++) {
			put(channel, 7, (int64_t)n);
			assert_int_equal(nnsensors_reader_take(&reader, &r, &lost), 1);
			assert_int_equal(lost, 0);
			assert_int_equal(r.size, 104);
			assert_int_equal(r.token, 7);
			assert_int_equal(r.counter, n + 1);
			assert_int_equal(r.timestamp, n);
			for (unsigned int k = 0; k < 4; k++)
				assert_int_equal(r.reserved[k], 0);
		}
		assert_int_equal(channel_sink_delivered(channel), 2 * records + 1);
		/* the tail, and what is behind the channel */
		for (uint64_t at = records * RECORD; at < size + 100; at++)
			assert_int_equal(map[at], at < size ? 0 : 0xcc);
		assert_null(channel_sink(channel)->wake_at);
		channel_sink_destroy(channel);
		munmap(map, size + 100);
		close(fd);
	}
}

TEST(test_seals)
{
	static const struct {
		int seals, error;
	} cases[] = {
		{ 0, 0 },
		{ F_SEAL_SHRINK, 0 },
		{ F_SEAL_SHRINK | F_SEAL_GROW, 0 },
		{ F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, 0 },
		{ F_SEAL_GROW, 0 },
		{ F_SEAL_SEAL, -EINVAL },
		{ F_SEAL_GROW | F_SEAL_SEAL, -EINVAL },
		{ F_SEAL_WRITE, -EINVAL },
		{ F_SEAL_SHRINK | F_SEAL_WRITE, -EINVAL },
		{ F_SEAL_FUTURE_WRITE, -EINVAL },
		{ F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE, -EINVAL },
	};
	int fd;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct channel_sink *channel;

		fd = memfd(SIZE, MFD_ALLOW_SEALING, cases[i].seals);
		assert_int_equal(channel_sink_create(CHANNEL_ASHMEM, fd, SIZE, &channel),
				 cases[i].error);
		if (channel)
			channel_sink_destroy(channel);
		close(fd);
	}
	/* not made to be sealed */
	fd = memfd(SIZE, 0, 0);
	expect_refused(CHANNEL_ASHMEM, fd, SIZE, -EINVAL);
	close(fd);
}

TEST(test_sizes)
{
	int fd = sealable(SIZE);

	expect_refused(CHANNEL_ASHMEM, fd, 0, -EINVAL);
	expect_refused(CHANNEL_ASHMEM, fd, 16, -EINVAL);
	expect_refused(CHANNEL_ASHMEM, fd, 103, -EINVAL);
	expect_refused(CHANNEL_ASHMEM, fd, SIZE + 1, -ENOMEM);
	expect_refused(CHANNEL_ASHMEM, fd, UINT64_MAX, -ENOMEM);
	expect_refused(CHANNEL_ASHMEM, fd, 1ull << 63, -ENOMEM);
	channel_sink_destroy(make(CHANNEL_ASHMEM, fd, SIZE));
	close(fd);
	/* a hole as large as one likes is not filled by the service */
	fd = sealable(CHANNEL_SIZE_MAX + 4096);
	expect_refused(CHANNEL_ASHMEM, fd, CHANNEL_SIZE_MAX + 1, -ENOMEM);
	channel_sink_destroy(make(CHANNEL_ASHMEM, fd, CHANNEL_SIZE_MAX));
	close(fd);
}

/* ---- what is no such memory ---- */

TEST(test_read_only)
{
	static const int seals[] = { 0, F_SEAL_SHRINK };
	static const int flags[] = { O_RDONLY, O_WRONLY, O_PATH };

	for (size_t i = 0; i < 2; i++) {
		int fd = memfd(SIZE, MFD_ALLOW_SEALING, seals[i]);

		for (size_t k = 0; k < 3; k++) {
			int other = descriptors_reopen(fd, flags[k]);

			expect_refused(CHANNEL_ASHMEM, other, SIZE, -EINVAL);
			expect_refused(CHANNEL_GRALLOC, other, SIZE, -EINVAL);
			close(other);
		}
		channel_sink_destroy(make(CHANNEL_ASHMEM, fd, SIZE));
		close(fd);
	}
}

/* Neither kind takes these; each is of SIZE bytes if it has a size. */
TEST(test_other_files)
{
	char shm[] = "/dev/shm/sensors-memory-XXXXXX";
	int fds[12], num = 0, pair[2], file;

	fds[num++] = temp_file(SIZE);
	file = mkstemp(shm);
	if (file >= 0) {
		assert_int_equal(ftruncate(file, SIZE), 0);
		fds[num++] = file;
		unlink(shm);
	}
	fds[num++] = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fds[num++] = open("/dev/zero", O_RDWR | O_CLOEXEC);
	fds[num++] = open("/dev/null", O_RDWR | O_CLOEXEC);
	fds[num++] = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	fds[num++] = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	fds[num++] = pair[0];
	fds[num++] = pair[1];
	assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
	fds[num++] = pair[0];
	fds[num++] = pair[1];
	for (int i = 0; i < num; i++) {
		assert_true(fds[i] >= 0);
		expect_refused(CHANNEL_ASHMEM, fds[i], SIZE, -EINVAL);
		expect_refused(CHANNEL_GRALLOC, fds[i], SIZE, -EINVAL);
		close(fds[i]);
	}
	expect_refused(CHANNEL_ASHMEM, -1, SIZE, -EINVAL);
	expect_refused(CHANNEL_GRALLOC, -1, SIZE, -EINVAL);
	expect_refused(CHANNEL_ASHMEM, fds[0], SIZE, -EINVAL); /* closed */
	/* a memfd is no dma-buf */
	file = sealable(SIZE);
	expect_refused(CHANNEL_GRALLOC, file, SIZE, -EINVAL);
	close(file);
}

/* An untouched page of hugetlbfs may be missing: SIGBUS. */
TEST(test_huge_pages)
{
	int fd = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);

	if (fd < 0)
		skip_host("no memfd of huge pages");
	if (ftruncate(fd, 16 << 20)) {
		close(fd);
		skip_host("no 16 MiB of huge pages");
	}
	expect_refused(CHANNEL_ASHMEM, fd, SIZE, -EINVAL);
	close(fd);
}

/* ---- twice ---- */

TEST(test_twice)
{
	int fd = sealable(SIZE), other = sealable(SIZE), copy = dup(fd),
	    again = descriptors_reopen(fd, O_RDWR);
	struct channel_sink *first = make(CHANNEL_ASHMEM, fd, SIZE), *second;

	expect_refused(CHANNEL_ASHMEM, fd, SIZE, -ENOMEM);
	expect_refused(CHANNEL_ASHMEM, fd, 104, -ENOMEM);
	expect_refused(CHANNEL_ASHMEM, copy, SIZE, -ENOMEM);
	expect_refused(CHANNEL_ASHMEM, again, SIZE, -ENOMEM);
	second = make(CHANNEL_ASHMEM, other, SIZE);
	/* the client's descriptors are gone, the channel is not */
	close(fd);
	expect_refused(CHANNEL_ASHMEM, again, SIZE, -ENOMEM);
	put(first, 1, 1);
	channel_sink_destroy(first);
	first = make(CHANNEL_ASHMEM, copy, SIZE);
	expect_refused(CHANNEL_ASHMEM, again, SIZE, -ENOMEM);
	expect_refused(CHANNEL_ASHMEM, other, SIZE, -ENOMEM);
	channel_sink_destroy(second);
	channel_sink_destroy(first);
	second = make(CHANNEL_ASHMEM, again, SIZE);
	channel_sink_destroy(second);
	close(other);
	close(copy);
	close(again);
}

/* A refused memory is not kept as another's. */
TEST(test_refused_is_free)
{
	int fd = sealable(SIZE);

	expect_refused(CHANNEL_ASHMEM, fd, SIZE + 1, -ENOMEM);
	expect_refused(CHANNEL_GRALLOC, fd, SIZE, -EINVAL);
	channel_sink_destroy(make(CHANNEL_ASHMEM, fd, SIZE));
	close(fd);
}

/* ---- a client that does its worst ---- */

static blkcnt_t pages_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_blocks;
}

/* Pages are the client's, from the first to the last: the service makes none. */
TEST(test_no_pages)
{
	int fd = memfd_sealed(SIZE, 0);

	expect_refused(CHANNEL_ASHMEM, fd, SIZE, -ENOMEM);
	assert_int_equal(pages_of(fd), 0);
	/* a hole in the middle is one of those */
	assert_int_equal(fallocate(fd, 0, 0, SIZE), 0);
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 4096), 0);
	expect_refused(CHANNEL_ASHMEM, fd, SIZE, -ENOMEM);
	assert_int_equal(fallocate(fd, 0, 0, SIZE), 0);
	channel_sink_destroy(make(CHANNEL_ASHMEM, fd, SIZE));
	close(fd);
}

static atomic_bool punching;

static void *punch(void *fd)
{
	while (atomic_load(&punching))
		fallocate(*(int *)fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, SIZE);
	return NULL;
}

/* Holes that are made while the service looks at the memory, and zeroes it: never a page of its. */
TEST(test_punched_in_creation)
{
	struct channel_sink *channel;
	int fd = sealable(SIZE), ret;
	pthread_t thread;

	/* here, for cmocka has taken SIGBUS before each case */
	channel_fault_prepare();
	atomic_store(&punching, true);
	assert_int_equal(pthread_create(&thread, NULL, punch, &fd), 0);
	for (int round = 0; round < 2000; round++) {
		fallocate(fd, 0, 0, SIZE);
		ret = channel_sink_create(CHANNEL_ASHMEM, fd, SIZE, &channel);
		assert_true(!ret || ret == -ENOMEM || ret == -EINVAL);
		if (!ret) {
			put(channel, 1, 1);
			channel_sink_destroy(channel);
		}
	}
	atomic_store(&punching, false);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(fd);
}

TEST(test_client_at_work)
{
	int fd = sealable(SIZE);
	struct channel_sink *channel;

	channel_fault_prepare();
	channel = make(CHANNEL_ASHMEM, fd, SIZE);
	put(channel, 1, 1);
	/* cannot shrink */
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, SIZE - 1), -1);
	/* cannot be closed against writing: the service has it mapped */
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_int_equal(errno, EBUSY);
	/* may be closed against further mappings, and grown, and punched: the service goes on, and
	 * makes no page for it */
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 2 * SIZE), 0);
	assert_int_equal(ftruncate(fd, 2 * SIZE), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL), 0);
	for (int64_t i = 2; i < 1000; i++)
		put(channel, 1, i);
	assert_int_equal(pages_of(fd), 0);
	assert_int_equal(channel_sink_delivered(channel), 999);
	channel_sink_destroy(channel);
	assert_int_equal(pages_of(fd), 0);
	/* a new channel could not write */
	expect_refused(CHANNEL_ASHMEM, fd, SIZE, -EINVAL);
	close(fd);
}

/* ---- dma-bufs, where the machine has an exporter ---- */

static int new_dma_buf(uint64_t size, int *memory)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = size };
	struct dma_heap_allocation_data data = { .len = size, .fd_flags = O_RDWR | O_CLOEXEC };
	int exporter = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), fd = -1;

	*memory = -1;
	if (exporter >= 0) {
		*memory = memfd(size, MFD_ALLOW_SEALING, F_SEAL_SHRINK);
		create.memfd = (uint32_t)*memory;
		fd = ioctl(exporter, UDMABUF_CREATE, &create);
		close(exporter);
	}
	if (fd < 0) {
		exporter = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
		if (exporter < 0)
			return -1;
		fd = ioctl(exporter, DMA_HEAP_IOCTL_ALLOC, &data) ? -1 : (int)data.fd;
		close(exporter);
	}
	return fd;
}

TEST(test_dma_buf)
{
	const uint64_t size = 65536;
	struct nnsensors_reader reader;
	struct channel_sink *channel;
	struct nnsensors_record r;
	uint64_t lost;
	uint8_t *map;
	int memory, fd = new_dma_buf(size, &memory);

	assert_true(fd >= 0);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	memset(map, 0xcc, size);
	expect_refused(CHANNEL_ASHMEM, fd, size, -EINVAL);
	expect_refused(CHANNEL_GRALLOC, fd, size + 1, -ENOMEM);
	expect_refused(CHANNEL_GRALLOC, fd, 103, -EINVAL);
	channel = make(CHANNEL_GRALLOC, fd, size);
	for (uint64_t i = 0; i < size; i++)
		assert_int_equal(map[i], 0);
	expect_refused(CHANNEL_GRALLOC, fd, size, -ENOMEM);
	nnsensors_reader_init(&reader, map, size);
	for (int64_t i = 0; i < 1000; i++) {
		put(channel, 5, i);
		assert_int_equal(nnsensors_reader_take(&reader, &r, &lost), 1);
		assert_int_equal(r.timestamp, i);
		assert_int_equal(r.token, 5);
	}
	/* the service's mapping is its own */
	munmap(map, size);
	close(fd);
	if (memory >= 0)
		close(memory);
	put(channel, 5, 1000);
	channel_sink_destroy(channel);
}

int main(void)
{
	/* the last one is left out where there is no exporter */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memfd),	       cmocka_unit_test(test_seals),
		cmocka_unit_test(test_sizes),	       cmocka_unit_test(test_read_only),
		cmocka_unit_test(test_other_files),    cmocka_unit_test(test_huge_pages),
		cmocka_unit_test(test_twice),	       cmocka_unit_test(test_refused_is_free),
		cmocka_unit_test(test_no_pages),       cmocka_unit_test(test_punched_in_creation),
		cmocka_unit_test(test_client_at_work), cmocka_unit_test(test_dma_buf),
	};

	const bool exporter = !access("/dev/udmabuf", R_OK | W_OK) ||
			      !access("/dev/dma_heap/system", R_OK | W_OK);

	if (!exporter)
		print_message("this machine makes no dma-bufs: the VM's tests have them\n");
	return _cmocka_run_group_tests("sensors-memory", tests,
				       sizeof(tests) / sizeof(tests[0]) - !exporter, NULL, NULL);
}
