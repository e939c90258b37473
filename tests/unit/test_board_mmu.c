// SPDX-License-Identifier: Apache-2.0
/*
 * The MMU by itself: RAM split, walks, the cache of ranges, windows under pressure, many threads.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "card/card.h"
#include "board.h"
#include "descriptors.h"
#include "test_case.h"

#define PAGE NNACCEL_PAGE_SIZE
#define WRITE NNACCEL_PTE_WRITE
#define GIB (1ull << 30)
#define ROOT PAGE
#define VA 0x40000000ull

/* RAM with a context 0 whose tables are made from page 2 on. */
struct fixture {
	struct host_memory ram;
	struct mmu mmu;
	uint64_t next_table;
	uint32_t done[16], num_done;
};

static void done(void *priv, uint32_t id)
{
	struct fixture *f = priv;

	f->done[f->num_done++] = id;
}

static struct fixture *set_up(uint64_t size, uint64_t low, uint32_t pieces)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd = memfd_new(size);

	assert_non_null(f);
	assert_int_equal(host_memory_map_ram(&f->ram, fd, size, 0, low), 0);
	mmu_init(&f->mmu, &f->ram, pieces, done, f);
	f->next_table = 2 * PAGE;
	assert_int_equal(mmu_open(&f->mmu, 0, ROOT), 0);
	return f;
}

static void tear_down(struct fixture *f)
{
	mmu_destroy(&f->mmu);
	assert_int_equal(f->mmu.pieces, 0);
	host_memory_unmap(&f->ram);
	close(f->ram.fd);
	free(f);
}

static void set_pte(struct fixture *f, uint64_t va, uint64_t pte)
{
	uint64_t table = ROOT;

	for (unsigned int level = 2; level; level--) {
		__le64 *entry = (__le64 *)(f->ram.base + table) + NNACCEL_PT_INDEX(va, level);

		if (!reg_get64(entry)) {
			reg_set64(entry, f->next_table | NNACCEL_PTE_VALID);
			f->next_table += PAGE;
		}
		table = reg_get64(entry) & NNACCEL_PTE_ADDR;
	}
	reg_set64((__le64 *)(f->ram.base + table) + NNACCEL_PT_INDEX(va, 0), pte);
}

/* Pages at @bus, every second one, so that each is a run of its own. */
static void scatter(struct fixture *f, uint64_t va, uint64_t bus, uint32_t pages)
{
	for (uint32_t i = 0; i < pages; i++)
		set_pte(f, va + i * PAGE, (bus + 2 * i * PAGE) | WRITE | NNACCEL_PTE_VALID);
}

static struct nnfw_map map(struct fixture *f, uint64_t va, uint64_t len, bool write)
{
	struct nnfw_map m;
	uint64_t fault;

	assert_int_equal(mmu_map(&f->mmu, 0, va, len, write, &m, &fault), 0);
	assert_int_equal(m.addr, va);
	assert_int_equal(m.len, len);
	return m;
}

/* As the machine virt of arm64 has it. */
TEST(test_ram_base)
{
	const uint64_t start = GIB;
	struct host_memory ram;
	uint64_t offset;
	int fd = memfd_new(6 * GIB);

	assert_int_equal(host_memory_map_ram(&ram, fd, 6 * GIB, start + 1, 0), -EINVAL);
	assert_int_equal(host_memory_map_ram(&ram, fd, 6 * GIB, UINT64_MAX - PAGE + 1, 0), -EINVAL);
	assert_int_equal(host_memory_map_ram(&ram, fd, 6 * GIB, start, 0), 0);
	assert_int_equal(host_memory_ram_offset(&ram, start, 6 * GIB, &offset), 0);
	assert_int_equal(offset, 0);
	assert_int_equal(host_memory_ram_offset(&ram, 5 * GIB, 8, &offset), 0);
	assert_int_equal(offset, 4 * GIB);
	assert_int_equal(host_memory_ram_offset(&ram, start - 1, 1, &offset), -EFAULT);
	assert_int_equal(host_memory_ram_offset(&ram, 0, 1, &offset), -EFAULT);
	assert_int_equal(host_memory_ram_offset(&ram, 7 * GIB - 8, 9, &offset), -EFAULT);
	assert_int_equal(host_memory_ram_offset(&ram, UINT64_MAX, 1, &offset), -EFAULT);
	assert_ptr_equal(host_memory_ram_ptr(&ram, start + PAGE, PAGE), ram.base + PAGE);
	host_memory_unmap(&ram);
	close(fd);
}

TEST(test_ram_split)
{
	/* Sparse: 3 GiB of file, 2 of them low. */
	struct fixture *f = set_up(3 * GIB, 0, 100);
	uint64_t offset;

	assert_int_equal(f->ram.low, 2 * GIB);
	assert_int_equal(host_memory_ram_low(GIB), GIB);
	assert_int_equal(host_memory_ram_low(0xb0000000ull - PAGE), 0xb0000000ull - PAGE);
	assert_int_equal(host_memory_ram_offset(&f->ram, 2 * GIB - 8, 8, &offset), 0);
	assert_int_equal(offset, 2 * GIB - 8);
	assert_int_equal(host_memory_ram_offset(&f->ram, 2 * GIB - 8, 9, &offset), -EFAULT);
	assert_int_equal(host_memory_ram_offset(&f->ram, 2 * GIB, 1, &offset), -EFAULT);
	assert_int_equal(host_memory_ram_offset(&f->ram, 4 * GIB - 1, 1, &offset), -EFAULT);
	assert_int_equal(host_memory_ram_offset(&f->ram, 4 * GIB, GIB, &offset), 0);
	assert_int_equal(offset, 2 * GIB);
	assert_int_equal(host_memory_ram_offset(&f->ram, 4 * GIB + 1, GIB, &offset), -EFAULT);
	assert_int_equal(host_memory_ram_offset(&f->ram, 5 * GIB, 1, &offset), -EFAULT);
	assert_int_equal(host_memory_ram_offset(&f->ram, UINT64_MAX, 1, &offset), -EFAULT);
	assert_int_equal(host_memory_ram_offset(&f->ram, 8, UINT64_MAX, &offset), -EFAULT);
	/*
	 * A range across the split: adjacent in the file, not on the bus; used in place.
	 */
	set_pte(f, VA, (2 * GIB - PAGE) | NNACCEL_PTE_VALID);
	set_pte(f, VA + PAGE, 4 * GIB | NNACCEL_PTE_VALID);
	struct nnfw_map m = map(f, VA, 2 * PAGE, false);

	assert_ptr_equal(m.ptr, f->ram.base + 2 * GIB - PAGE);
	mmu_unmap(&f->mmu, 0, &m, true);
	tear_down(f);
}

TEST(test_bad_roots)
{
	struct fixture *f = set_up(64 * PAGE, 0, 100);

	assert_int_equal(mmu_open(&f->mmu, 0, ROOT), -EEXIST);
	assert_int_equal(mmu_open(&f->mmu, 1, 0), -EINVAL);
	assert_int_equal(mmu_open(&f->mmu, 1, ROOT + 8), -EINVAL);
	assert_int_equal(mmu_open(&f->mmu, 1, 64 * PAGE), -EINVAL);
	assert_int_equal(mmu_open(&f->mmu, NNACCEL_MAX_CONTEXTS, ROOT), -EINVAL);
	assert_int_equal(mmu_close(&f->mmu, 1), -ENOENT);
	assert_int_equal(mmu_close(&f->mmu, NNACCEL_MAX_CONTEXTS), -ENOENT);
	tear_down(f);
}

TEST(test_cache)
{
	struct fixture *f = set_up(4096 * PAGE, 0, 1000);
	struct nnfw_map a, b, c;

	scatter(f, VA, 64 * PAGE, 16);
	a = map(f, VA, 16 * PAGE, true);
	b = map(f, VA + 8, 16 * PAGE - 8, false);
	/* The same window: a write to one map is seen in the other and in RAM. */
	assert_ptr_equal((uint8_t *)a.ptr + 8, b.ptr);
	assert_false(a.bounced);
	memset(a.ptr, 0x5a, 16 * PAGE);
	for (uint32_t i = 0; i < 16; i++) {
		assert_int_equal(f->ram.base[(64 + 2 * i) * PAGE + 77], 0x5a);
		assert_int_equal(f->ram.base[(65 + 2 * i) * PAGE + 77], 0);
	}
	/*
	 * Invalidated while in use: new maps do not use it, the last user unmaps it, then the
	 * invalidation is complete.
	 */
	assert_int_equal(mmu_invalidate(&f->mmu, 0, VA + 4 * PAGE, PAGE, 7), 1);
	assert_int_equal(mmu_invalidate(&f->mmu, 0, VA + 20 * PAGE, PAGE, 8), 0);
	scatter(f, VA, 512 * PAGE, 16);
	c = map(f, VA, 16 * PAGE, true);
	assert_ptr_not_equal(a.ptr, c.ptr);
	assert_int_equal(mmu_invalidate(&f->mmu, 0, 0, NNACCEL_VA_END, 9), 1);
	mmu_unmap(&f->mmu, 0, &a, true);
	assert_int_equal(f->num_done, 0);
	mmu_unmap(&f->mmu, 0, &b, true);
	assert_int_equal(f->num_done, 1);
	assert_int_equal(f->done[0], 7);
	mmu_unmap(&f->mmu, 0, &c, true);
	assert_int_equal(f->num_done, 2);
	assert_int_equal(f->done[1], 9);
	assert_int_equal(f->mmu.pieces, 0);
	tear_down(f);
}

/*
 * More windows than pieces: unused ones are evicted, used ones stay, other ranges are copied.
 */
TEST(test_window_pressure)
{
	struct fixture *f = set_up(8192 * PAGE, 0, 100);
	struct nnfw_map held[3], m;

	for (uint32_t i = 0; i < 64; i++)
		scatter(f, VA + i * 32 * PAGE, (64 + i * 64) * PAGE, 32);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 64; i++) {
			m = map(f, VA + i * 32 * PAGE, 32 * PAGE, true);
			assert_false(m.bounced);
			mmu_unmap(&f->mmu, 0, &m, true);
			assert_true(f->mmu.pieces <= 100);
		}
	}
	for (uint32_t i = 0; i < 3; i++)
		held[i] = map(f, VA + i * 32 * PAGE, 32 * PAGE, true);
	m = map(f, VA + 3 * 32 * PAGE, 32 * PAGE, true);
	assert_true(m.bounced);
	memset(m.ptr, 9, 32 * PAGE);
	mmu_unmap(&f->mmu, 0, &m, true);
	assert_int_equal(f->ram.base[(64 + 3 * 64) * PAGE], 9);
	for (uint32_t i = 0; i < 3; i++)
		mmu_unmap(&f->mmu, 0, &held[i], true);
	tear_down(f);
}

TEST(test_many_ranges)
{
	struct fixture *f = set_up(8192 * PAGE, 0, MMU_PIECES_DEFAULT);

	for (uint32_t i = 0; i < 3000; i++)
		set_pte(f, VA + i * PAGE, (64 + i) * PAGE | NNACCEL_PTE_VALID);
	for (uint32_t i = 0; i < 2900; i++) {
		struct nnfw_map m = map(f, VA + i * PAGE, 1 + i % 9000, false);

		assert_ptr_equal(m.ptr, f->ram.base + (64 + i) * PAGE);
		mmu_unmap(&f->mmu, 0, &m, true);
		assert_true(f->mmu.ctx[0].cached <= MMU_CACHE_MAX);
	}
	assert_int_equal(mmu_close(&f->mmu, 0), 0);
	assert_int_equal(f->mmu.ctx[0].cached, 0);
	tear_down(f);
}

/* A bounce copy of a range that is invalidated is written back before the invalidation ends. */
TEST(test_bounce_and_invalidate)
{
	struct fixture *f = set_up(1024 * PAGE, 0, 0);
	struct nnfw_map m;

	scatter(f, VA, 64 * PAGE, 2);
	memset(f->ram.base + 64 * PAGE, 3, PAGE);
	m = map(f, VA + 100, PAGE, true);
	assert_true(m.bounced);
	assert_int_equal(*(uint8_t *)m.ptr, 3);
	assert_int_equal(mmu_invalidate(&f->mmu, 0, VA, PAGE, 5), 1);
	set_pte(f, VA, 0);
	memset(m.ptr, 4, PAGE);
	mmu_unmap(&f->mmu, 0, &m, true);
	assert_int_equal(f->num_done, 1);
	assert_int_equal(f->ram.base[64 * PAGE + 99], 3);
	assert_int_equal(f->ram.base[64 * PAGE + 100], 4);
	assert_int_equal(f->ram.base[66 * PAGE + 99], 4);
	assert_int_equal(f->ram.base[66 * PAGE + 100], 0);
	tear_down(f);
}

struct racer {
	struct fixture *f;
	unsigned int seed;
};

static void *race(void *arg)
{
	struct racer *r = arg;

	for (int i = 0; i < 3000; i++) {
		uint64_t at = VA + (uint64_t)(rand_r(&r->seed) % 8) * 8 * PAGE;
		struct nnfw_map m;
		uint64_t fault;

		if (rand_r(&r->seed) % 8 == 0) {
			mmu_invalidate(&r->f->mmu, 0, at, 8 * PAGE, 1);
			continue;
		}
		if (mmu_map(&r->f->mmu, 0, at, 8 * PAGE, false, &m, &fault))
			return (void *)1;
		if (((volatile uint8_t *)m.ptr)[PAGE * (unsigned int)(i % 8)] != 0xab)
			return (void *)1;
		mmu_unmap(&r->f->mmu, 0, &m, true);
	}
	return NULL;
}

static void no_done(void *priv, uint32_t id)
{
	(void)priv;
	(void)id;
}

TEST(test_threads)
{
	struct fixture *f = set_up(1024 * PAGE, 0, 60);
	struct racer racers[4];
	pthread_t threads[4];

	f->mmu.invalidated = no_done;
	memset(f->ram.base + 64 * PAGE, 0xab, 512 * PAGE);
	scatter(f, VA, 64 * PAGE, 64);
	for (unsigned int i = 0; i < 4; i++) {
		racers[i] = (struct racer){ f, i + 1 };
		assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
	}
	for (unsigned int i = 0; i < 4; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	tear_down(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ram_split),
		cmocka_unit_test(test_ram_base),
		cmocka_unit_test(test_bad_roots),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_window_pressure),
		cmocka_unit_test(test_many_ranges),
		cmocka_unit_test(test_bounce_and_invalidate),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
