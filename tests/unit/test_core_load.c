// SPDX-License-Identifier: Apache-2.0
/*
 * A program that takes long to load: it ticks, can be preempted and aborted, and its memory is
 * charged before it is allocated. What operations pack beyond the quota is left out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core_programs.h"
#include "fake_platform.h"
#include "soon.h"
#include "test_case.h"

#ifdef __SANITIZE_THREAD__
#define STEPS 20000u
#else
#define STEPS 150000u
#endif

struct bench {
	struct fake fake;
	struct core_program big, small;
	float in[64], out[3][64];
	uint64_t seqno[3];
	/*
	 * between two signs of progress of queue 1, in time of its thread: the machine has other
	 * things to do
	 */
	uint64_t last_ns, longest_ns;
	_Atomic uint64_t ticks;
	uint64_t quota;
	_Atomic bool over;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void on_progress(struct fake *fake, uint32_t queue, uint64_t progress, uint64_t seqno)
{
	struct bench *b = fake->hook;
	struct nnfw_stats stats;
	uint64_t now = thread_ns();

	(void)progress;
	(void)seqno;
	if (queue != 1)
		return;
	if (b->last_ns && now - b->last_ns > b->longest_ns)
		b->longest_ns = now - b->last_ns;
	nnfw_stats(fake->fw, &stats);
	if (b->quota && stats.program_bytes > b->quota)
		atomic_store(&b->over, true);
	atomic_fetch_add(&b->ticks, 1);
	b->last_ns = thread_ns();
}

static struct core_program big;

static struct bench *bench(uint64_t quota)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION, .program_quota = quota };
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->quota = quota;
	b->fake.hook = b;
	b->fake.on_progress = on_progress;
	b->big = big;
	b->small = program_adds(64, 2);
	fake_start(&b->fake, &config);
	for (uint32_t c = 1; c <= 2; c++) {
		assert_int_equal(nnfw_context_open(b->fake.fw, c), 0);
		fake_allow(&b->fake, c, b->in, sizeof(b->in), false);
		fake_allow(&b->fake, c, b->out, sizeof(b->out), true);
		fake_allow(&b->fake, c, b->big.bytes, b->big.size, false);
		fake_allow(&b->fake, c, b->small.bytes, b->small.size, false);
		assert_int_equal(nnfw_queue_create(b->fake.fw, c, c, 1), 0);
	}
	return b;
}

static void finish(struct bench *b)
{
	fake_stop(&b->fake);
	free(b->small.bytes);
	free(b);
}

static uint64_t submit(struct bench *b, uint32_t q, struct core_program p)
{
	struct nnaccel_arg args[2] = {
		{ .addr = (uintptr_t)b->in, .size = sizeof(b->in), .rank = 1, .dims = { 64 } },
		{ .addr = (uintptr_t)b->out[q], .size = sizeof(b->in) }
	};
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = 2,
				   .seqno = ++b->seqno[q],
				   .program_addr = (uintptr_t)p.bytes,
				   .program_size = p.size };

	assert_int_equal(nnfw_submit(b->fake.fw, q, &job, args), 0);
	return job.seqno;
}

static uint64_t charged(struct bench *b)
{
	struct nnfw_stats stats;

	nnfw_stats(b->fake.fw, &stats);
	return stats.program_bytes;
}

TEST(test_ticks)
{
	struct bench *b = bench(0);
	uint64_t at = now_ns();

	submit(b, 1, b->big);
	assert_int_equal(fake_wait(&b->fake, 1, 1).status, NNACCEL_STATUS_OK);
	printf("%zu MiB loaded and run in %.0f ms, %llu ticks, %.2f ms between two at most\n",
	       b->big.size >> 20, (double)(now_ns() - at) / 1e6,
	       (unsigned long long)atomic_load(&b->ticks), (double)b->longest_ns / 1e6);
	assert_true(b->longest_ns < soon_ns());
	finish(b);
}

/* Other jobs run while it loads, and it can be aborted. */
TEST(test_beside)
{
	struct bench *b = bench(0);
	uint64_t longest = 0, at, n = 0;

	submit(b, 2, b->small);
	fake_wait(&b->fake, 2, 1);
	submit(b, 1, b->big);
	for (; n < 5 || atomic_load(&b->ticks) < 200; n++) {
		at = now_ns();
		fake_wait(&b->fake, 2, submit(b, 2, b->small));
		at = now_ns() - at;
		longest = at > longest ? at : longest;
	}
	assert_int_equal(b->fake.seqno[1], 0);
	at = now_ns();
	assert_int_equal(nnfw_abort(b->fake.fw, 1, 1), 0);
	assert_int_equal(fake_wait(&b->fake, 1, 1).status, NNACCEL_STATUS_ABORTED);
	at = now_ns() - at;
	printf("%llu small jobs beside it, %.2f ms at most; its abort took %.2f ms\n",
	       (unsigned long long)n, (double)longest / 1e6, (double)at / 1e6);
	assert_true(longest < soon_ns() && at < soon_ns());
	finish(b);
}

/* Loading ahead is preempted by jobs; a job that needs the program waits for it. */
TEST(test_ahead)
{
	struct bench *b = bench(0);
	uint64_t longest = 0, at, maps;

	submit(b, 2, b->small);
	fake_wait(&b->fake, 2, 1);
	assert_int_equal(nnfw_program_load(b->fake.fw, 1, (uintptr_t)b->big.bytes, b->big.size, 0),
			 0);
	for (int i = 0; i < 20; i++) {
		at = now_ns();
		fake_wait(&b->fake, 2, submit(b, 2, b->small));
		at = now_ns() - at;
		longest = at > longest ? at : longest;
	}
	printf("small jobs beside load-ahead: %.2f ms at most\n", (double)longest / 1e6);
	assert_true(longest < soon_ns());
	submit(b, 1, b->big);
	assert_int_equal(fake_wait(&b->fake, 1, 1).status, NNACCEL_STATUS_OK);
	/* once more, and close the context meanwhile */
	assert_int_equal(nnfw_program_unload(b->fake.fw, 1, (uintptr_t)b->big.bytes), 0);
	maps = atomic_load(&b->fake.maps_made);
	assert_int_equal(nnfw_program_load(b->fake.fw, 1, (uintptr_t)b->big.bytes, b->big.size, 0),
			 0);
	while (atomic_load(&b->fake.maps_made) == maps)
		usleep(100);
	at = now_ns();
	assert_int_equal(nnfw_context_close(b->fake.fw, 1), 0);
	assert_true(now_ns() - at < soon_ns());
	finish(b);
}

/* A program in constant memory is used there, and its map is held until it is dropped. */
TEST(test_in_place)
{
	struct bench *b = bench(0);
	struct core_program moved = b->big;
	uint8_t *misplaced = NULL;

	b->fake.constant = true;
	submit(b, 1, b->small);
	assert_int_equal(fake_wait(&b->fake, 1, 1).status, NNACCEL_STATUS_OK);
	while (atomic_load(&b->fake.maps) != 1)
		usleep(100);
	assert_int_equal(nnfw_program_unload(b->fake.fw, 1, (uintptr_t)b->small.bytes), 0);
	while (atomic_load(&b->fake.maps))
		usleep(100);
	/* by the context's end, too; and one that is not valid is not held */
	submit(b, 1, b->small);
	assert_int_equal(fake_wait(&b->fake, 1, 2).status, NNACCEL_STATUS_OK);
	moved.bytes = (uint8_t *)b->small.bytes + 64;
	moved.size = b->small.size - 64;
	submit(b, 1, moved);
	assert_int_equal(fake_wait(&b->fake, 1, 3).status, NNACCEL_STATUS_BAD_PROGRAM);
	while (atomic_load(&b->fake.maps) != 1)
		usleep(100);
	assert_int_equal(nnfw_context_close(b->fake.fw, 1), 0);
	assert_int_equal(atomic_load(&b->fake.maps), 0);
	/* where it cannot be verified it is copied */
	assert_int_equal(posix_memalign((void **)&misplaced, 64, b->small.size + 8), 0);
	memcpy(misplaced + 8, b->small.bytes, b->small.size);
	fake_allow(&b->fake, 2, misplaced + 8, b->small.size, false);
	moved.bytes = misplaced + 8;
	moved.size = b->small.size;
	submit(b, 2, moved);
	assert_int_equal(fake_wait(&b->fake, 2, 1).status, NNACCEL_STATUS_OK);
	while (atomic_load(&b->fake.maps))
		usleep(100);
	finish(b);
	free(misplaced);
}

/* The memory of a program that is being loaded ahead can be had back at once. */
TEST(test_unload_while_loading)
{
	struct bench *b = bench(0);
	uint64_t at;

	b->fake.constant = true;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(nnfw_program_load(b->fake.fw, 1, (uintptr_t)b->big.bytes,
						   b->big.size, (uint64_t)i),
				 0);
		while (!atomic_load(&b->fake.maps))
			usleep(100);
		/* a job has the engine, and the loader its turn after that */
		if (i % 2)
			submit(b, 2, b->small);
		at = now_ns();
		assert_int_equal(nnfw_program_unload(b->fake.fw, 1, (uintptr_t)b->big.bytes), 0);
		if (i % 2)
			fake_wait(&b->fake, 2, b->seqno[2]);
		nnfw_program_unload(b->fake.fw, 2, (uintptr_t)b->small.bytes);
		while (atomic_load(&b->fake.maps))
			usleep(100);
		assert_true(now_ns() - at < soon_ns());
	}
	/* it is loaded again when it is needed */
	submit(b, 1, b->big);
	assert_int_equal(fake_wait(&b->fake, 1, 1).status, NNACCEL_STATUS_OK);
	finish(b);
}

static struct nnfw_need measure(const struct core_program *p, uint64_t quota)
{
	const struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
					    .program_quota = quota };
	struct fake fake = { 0 };
	struct nnfw_need need;

	fake_start(&fake, &config);
	assert_int_equal(nnfw_program_measure(fake.fw, p->bytes, p->size, &need), 0);
	fake_stop(&fake);
	return need;
}

/*
 * A job does not fail for want of room that a program has which is only loaded ahead, from the
 * beginning of that loading to its end, also if it is dropped meanwhile.
 */
TEST(test_room_of_ahead)
{
	const uint64_t needed = measure(&big, 0).loaded;
	struct bench *b;
	uint64_t maps;

	/* both of them, but for tables; and one of them with half of another one */
	for (int i = 0; i < 8; i++) {
		b = bench(i % 2 ? needed + needed / 2 : needed + big.size / 2);
		maps = atomic_load(&b->fake.maps_made);
		assert_int_equal(nnfw_program_load(b->fake.fw, 1, (uintptr_t)b->big.bytes,
						   b->big.size, 0),
				 0);
		while (atomic_load(&b->fake.maps_made) == maps)
			usleep(100);
		if (i & 2)
			usleep(1000);
		if (i & 4)
			assert_int_equal(
				nnfw_program_unload(b->fake.fw, 1, (uintptr_t)b->big.bytes), 0);
		submit(b, 2, b->big);
		assert_int_equal(fake_wait(&b->fake, 2, 1).status, NNACCEL_STATUS_OK);
		finish(b);
	}
}

TEST(test_quota)
{
	struct bench *b = bench(0);
	uint64_t needed, size = b->big.size;

	submit(b, 1, b->big);
	assert_int_equal(fake_wait(&b->fake, 1, 1).status, NNACCEL_STATUS_OK);
	needed = charged(b);
	assert_true(needed > 2 * size);
	assert_int_equal(nnfw_program_unload(b->fake.fw, 1, (uintptr_t)b->big.bytes), 0);
	assert_int_equal(charged(b), 0);
	finish(b);

	b = bench(size + size / 2);
	submit(b, 1, b->big);
	assert_int_equal(fake_wait(&b->fake, 1, 1).status, NNACCEL_STATUS_NO_MEMORY);
	assert_false(atomic_load(&b->over));
	assert_int_equal(charged(b), 0);
	finish(b);

	b = bench(needed);
	submit(b, 1, b->big);
	assert_int_equal(fake_wait(&b->fake, 1, 1).status, NNACCEL_STATUS_OK);
	assert_false(atomic_load(&b->over));
	finish(b);
}

/* ---- weights about as large as the quota ---- */

#define WIDE 128u
#define LAYERS 16u

static const struct nnaccel_completion *run_layers(const struct core_program *p, uint64_t quota,
						   uint64_t arena, float *out, uint64_t *charge)
{
	const struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
					    .program_quota = quota,
					    .arena_limit = arena };
	static struct nnaccel_completion end;
	struct nnfw_stats stats;
	struct fake fake = { 0 };
	float in[WIDE];
	struct nnaccel_arg args[2] = {
		{ .addr = (uintptr_t)in, .size = sizeof(in), .rank = 2, .dims = { 1, WIDE } },
		{ .addr = (uintptr_t)out, .size = sizeof(in) },
	};
	const struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
					 .num_args = 2,
					 .seqno = 1,
					 .program_addr = (uintptr_t)p->bytes,
					 .program_size = p->size };

	for (uint32_t i = 0; i < WIDE; i++)
		in[i] = (float)(i % 7) - 3;
	memset(out, 0, sizeof(in));
	fake_start(&fake, &config);
	assert_int_equal(nnfw_context_open(fake.fw, 1), 0);
	fake_allow(&fake, 1, in, sizeof(in), false);
	fake_allow(&fake, 1, out, sizeof(in), true);
	fake_allow(&fake, 1, p->bytes, p->size, false);
	assert_int_equal(nnfw_queue_create(fake.fw, 1, 1, 1), 0);
	assert_int_equal(nnfw_submit(fake.fw, 1, &job, args), 0);
	end = fake_wait(&fake, 1, 1);
	nnfw_stats(fake.fw, &stats);
	*charge = stats.program_bytes;
	fake_stop(&fake);
	return &end;
}

/* From all packed to nothing packed: the same results, within the quota. Below that: refused. */
TEST(test_left_out)
{
	struct core_program p = program_layers(WIDE, LAYERS);
	const struct nnfw_need need = measure(&p, 0);
	float want[WIDE], out[WIDE];
	uint64_t charge;

	assert_true(need.loaded > p.size && need.loaded < p.size + p.size / 4);
	assert_true(need.packed > p.size / 2);
	assert_int_equal(run_layers(&p, 0, 0, want, &charge)->status, NNACCEL_STATUS_OK);
	/* the weights themselves were given back when they were packed */
	assert_true(charge < need.loaded + need.packed);
	assert_true(charge + p.size >= need.loaded + need.packed);
	for (uint32_t i = 0; i <= LAYERS; i++) {
		const uint64_t quota = need.loaded + need.packed * i / LAYERS;

		assert_int_equal(run_layers(&p, quota, 0, out, &charge)->status, NNACCEL_STATUS_OK);
		assert_memory_equal(out, want, sizeof(want));
		assert_true(charge <= quota && charge + p.size >= need.loaded);
	}
	assert_int_equal(run_layers(&p, need.loaded - 1, 0, out, &charge)->status,
			 NNACCEL_STATUS_NO_MEMORY);
	assert_int_equal(charge, 0);
	free(p.bytes);
}

/* What a run packs is in its temporaries, and is measured there. */
TEST(test_left_out_arena)
{
	struct core_program p = program_layers(WIDE, LAYERS);
	const struct nnfw_need packed = measure(&p, 0);
	const struct nnfw_need need = measure(&p, packed.loaded);
	float out[WIDE];
	uint64_t charge;

	assert_int_equal(need.loaded, packed.loaded);
	assert_int_equal(need.packed, packed.packed);
	assert_true(need.arena >= packed.arena + WIDE * WIDE * sizeof(float));
	assert_int_equal(run_layers(&p, need.loaded, need.arena, out, &charge)->status,
			 NNACCEL_STATUS_OK);
	assert_int_equal(run_layers(&p, need.loaded, need.arena - 1, out, &charge)->status,
			 NNACCEL_STATUS_NO_MEMORY);
	assert_int_equal(run_layers(&p, 0, packed.arena, out, &charge)->status, NNACCEL_STATUS_OK);
	free(p.bytes);
}

TEST(test_measure_refuses)
{
	struct core_program p = program_layers(WIDE, 1), unknown = program_extension();
	struct nnfw_need need;
	struct fake fake = { 0 };

	fake_start(&fake, NULL);
	assert_int_equal(nnfw_program_measure(fake.fw, unknown.bytes, unknown.size, &need),
			 -EINVAL);
	assert_int_equal(nnfw_program_measure(fake.fw, p.bytes, p.size - 64, &need), -EINVAL);
	assert_int_equal(nnfw_program_measure(fake.fw, p.bytes, p.size, &need), 0);
	fake_stop(&fake);
	free(p.bytes);
	free(unknown.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_in_place),
		cmocka_unit_test(test_unload_while_loading),
		cmocka_unit_test(test_room_of_ahead),
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_left_out_arena),
		cmocka_unit_test(test_measure_refuses),
	};
	int ret;

	big = program_adds(0, STEPS);
	ret = cmocka_run_group_tests_name("core_load", tests, NULL, NULL);
	free(big.bytes);
	return ret;
}
