// SPDX-License-Identifier: Apache-2.0
/*
 * Float matrix products on several threads at once: each result equals that of a single thread, to
 * the bit.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/fgemm.h"

#define THREADS 4
#define ROUNDS 400
/* Sizes of several of the library's ways: tiny, a vector, blocks. */
static const struct size {
	size_t m, n, k;
} sizes[] = { { 1, 64, 48 }, { 3, 5, 7 }, { 17, 33, 65 }, { 64, 48, 300 } };

#define MAX_IN ((size_t)64 * 300)
#define MAX_OUT ((size_t)64 * 64)

struct worker {
	pthread_t thread;
	pthread_barrier_t *start;
	const float *x, *y, *wanted[sizeof(sizes) / sizeof(sizes[0])];
	unsigned int wrong;
};

static void product(const struct size *s, const float *x, const float *y, float *c)
{
	assert_int_equal(nnfw_fgemm(NULL, x, s->m, s->k, y, s->n, s->k, c, s->n), 0);
}

static void *work(void *arg)
{
	static _Thread_local float c[MAX_OUT];
	struct worker *w = arg;

	pthread_barrier_wait(w->start);
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			product(&sizes[i], w->x, w->y, c);
			w->wrong += memcmp(c, w->wanted[i], sizes[i].m * sizes[i].n * sizeof(*c)) !=
				    0;
		}
	return NULL;
}

static void threads(void **state)
{
	static float x[MAX_IN], y[MAX_IN], wanted[sizeof(sizes) / sizeof(sizes[0])][MAX_OUT];
	struct worker workers[THREADS] = { 0 };
	pthread_barrier_t start;

	(void)state;
	for (size_t i = 0; i < MAX_IN; i++) {
		x[i] = sinf((float)i);
		y[i] = cosf((float)i * 3);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		product(&sizes[i], x, y, wanted[i]);
	pthread_barrier_init(&start, NULL, THREADS);
	for (int t = 0; t < THREADS; t++) {
		workers[t].start = &start;
		workers[t].x = x;
		workers[t].y = y;
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			workers[t].wanted[i] = wanted[i];
		assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
	}
	for (int t = 0; t < THREADS; t++)
		pthread_join(workers[t].thread, NULL);
	pthread_barrier_destroy(&start);
	for (int t = 0; t < THREADS; t++)
		assert_int_equal(workers[t].wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
