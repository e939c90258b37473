// SPDX-License-Identifier: Apache-2.0
/*
 * Thousands of random jobs of several clients on several workers: valid and invalid arguments,
 * aborts, hints, unloads, queues created and destroyed, a cache too small for all programs. Every
 * job is completed once and in order; outputs of jobs with status OK are right.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core_programs.h"
#include "fake_platform.h"
#include "test_case.h"

#define CLIENTS 3u
#define QUEUES 2u /* of a client */
#define SLOTS 4u /* jobs of a queue under way */
#define JOBS 700u /* of a queue */
#define ELEMENTS 240u

enum { ADDS, ADDS_LONG, DYNAMIC, RESHAPE, COMPUTED, BROKEN, NUM_PROGRAMS };

/** One job under way: its memory and what it should give. */
struct slot {
	float in[ELEMENTS + 1], out[ELEMENTS + 1], out2[ELEMENTS + 1];
	int32_t shape[2][2];
	struct nnaccel_result result;
	uint64_t seqno; /* 0: free */
	uint32_t n, program;
	bool fine, aborted, shifted;
	float factor;
};

struct client {
	struct fake *fake;
	uint32_t id;
	uint64_t seed;
	uint64_t seqno[QUEUES], statuses[NNACCEL_STATUS_FIRMWARE_COUNT], wrong;
	struct slot slots[QUEUES][SLOTS];
};

static struct core_program programs[NUM_PROGRAMS];

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33);
}

static float *shifted(struct slot *s, float *p)
{
	return s->shifted ? (float *)(void *)((char *)p + 2) : p;
}

static void put(float *at, uint32_t i, float x)
{
	memcpy((char *)at + 4 * i, &x, sizeof(x));
}

static float get(const float *at, uint32_t i)
{
	float x;

	memcpy(&x, (const char *)at + 4 * i, sizeof(x));
	return x;
}

/** Arguments of a job that would succeed. */
static uint32_t make_args(struct client *c, struct slot *s, struct nnaccel_arg *args)
{
	uint32_t n = ELEMENTS, count = 2;

	memset(args, 0, 5 * sizeof(*args));
	s->shifted = next_random(&c->seed) % 4 == 0;
	s->factor = 4;
	s->shape[0][0] = 0;
	if (s->program == ADDS_LONG)
		s->factor = 61;
	if (s->program == DYNAMIC) {
		n = 1 + next_random(&c->seed) % ELEMENTS;
		args[0].rank = 1;
		args[0].dims[0] = n;
	}
	s->n = n;
	for (uint32_t i = 0; i < n; i++) {
		put(shifted(s, s->in), i, (float)(i + s->seqno % 100));
		put(shifted(s, s->out), i, -1);
	}
	args[0].addr = (uintptr_t)shifted(s, s->in);
	args[0].size = 4 * n;
	if (s->program == RESHAPE || s->program == COMPUTED) {
		s->factor = s->program == RESHAPE ? 1 : 2;
		s->shape[0][0] = 10;
		s->shape[0][1] = s->program == RESHAPE ? -1 : 12;
		s->shape[1][0] = 2;
		s->shape[1][1] = 8;
		args[1].addr = (uintptr_t)s->shape[0];
		args[1].size = 8;
		count = 3;
	}
	if (s->program == COMPUTED) {
		args[2].addr = (uintptr_t)s->shape[1];
		args[2].size = 8;
		args[3].addr = (uintptr_t)s->out2;
		args[3].size = 4 * n;
		count = 5;
	}
	args[count - 1].addr = (uintptr_t)shifted(s, s->out);
	args[count - 1].size = 4 * n;
	return count;
}

/** Break one argument in some of the rounds. */
static void spoil(struct client *c, struct slot *s, struct nnaccel_job *job,
		  struct nnaccel_arg *args)
{
	struct nnaccel_arg *arg = &args[next_random(&c->seed) % job->num_args];

	s->fine = s->program != BROKEN;
	switch (next_random(&c->seed) % 24) {
	case 0:
		arg->addr = 0x1000;
		break;
	case 1:
		arg->size -= 1;
		break;
	case 2:
		arg->flags = NNACCEL_ARG_OMITTED;
		break;
	case 3:
		arg->rank = 7;
		break;
	case 4:
		job->num_args--;
		break;
	case 5:
		job->program_addr += 64;
		break;
	case 6:
		job->program_size -= 1;
		break;
	case 7:
		job->result_addr = 0x40;
		break;
	case 8:
		s->shape[0][0] = 1 << 30;
		break;
	default:
		return;
	}
	s->fine = false;
}

static void submit(struct client *c, uint32_t q)
{
	uint64_t seqno = ++c->seqno[q];
	struct slot *s = &c->slots[q][seqno % SLOTS];
	struct nnaccel_arg args[5];
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN, .seqno = seqno };

	s->seqno = seqno;
	s->aborted = false;
	s->program = next_random(&c->seed) % NUM_PROGRAMS;
	job.num_args = make_args(c, s, args);
	job.program_addr = (uintptr_t)programs[s->program].bytes;
	job.program_size = programs[s->program].size;
	job.program_generation = next_random(&c->seed) % 16 == 0;
	job.result_addr = (uintptr_t)&s->result;
	job.result_size = sizeof(s->result);
	spoil(c, s, &job, args);
	/* with shape[0][0] changed, only a program that reads it fails */
	if (s->shape[0][0] == 1 << 30 &&
	    (s->program == ADDS || s->program == ADDS_LONG || s->program == DYNAMIC))
		s->fine = true;
	if (nnfw_submit(c->fake->fw, c->id * QUEUES + q, &job, args))
		c->wrong++;
}

static void check(struct client *c, uint32_t q, uint64_t seqno)
{
	struct slot *s = &c->slots[q][seqno % SLOTS];
	struct nnaccel_completion done = fake_wait(c->fake, c->id * QUEUES + q, seqno);

	if (done.status >= NNACCEL_STATUS_FIRMWARE_COUNT) {
		c->wrong++;
		return;
	}
	c->statuses[done.status]++;
	if (s->fine && done.status != NNACCEL_STATUS_OK &&
	    !(s->aborted && done.status == NNACCEL_STATUS_ABORTED))
		c->wrong++;
	if (done.status != NNACCEL_STATUS_OK)
		return;
	if (s->result.seqno != seqno || s->result.status)
		c->wrong++;
	for (uint32_t i = 0; i < s->n; i++)
		if (get(shifted(s, s->out), i) != s->factor * (float)(i + seqno % 100)) {
			c->wrong++;
			break;
		}
}

static void *run_client(void *arg)
{
	struct client *c = arg;
	struct nnfw *fw = c->fake->fw;

	for (uint32_t n = 0; n < JOBS; n++) {
		for (uint32_t q = 0; q < QUEUES; q++) {
			uint32_t dice = next_random(&c->seed) % 32;

			if (c->seqno[q] >= SLOTS)
				check(c, q, c->seqno[q] + 1 - SLOTS);
			submit(c, q);
			if (dice < 4) {
				struct slot *s = &c->slots[q][c->seqno[q] % SLOTS];

				s->aborted = true;
				nnfw_abort(fw, c->id * QUEUES + q, c->seqno[q]);
			} else if (dice == 4) {
				nnfw_program_unload(fw, c->id, (uintptr_t)programs[ADDS].bytes);
			} else if (dice == 5) {
				nnfw_program_load(fw, c->id, (uintptr_t)programs[DYNAMIC].bytes,
						  programs[DYNAMIC].size, 0);
			}
		}
	}
	for (uint32_t q = 0; q < QUEUES; q++)
		for (uint32_t i = SLOTS - 1; i--;)
			check(c, q, c->seqno[q] - i);
	return NULL;
}

/* @room: for so many of 3 * 6 programs */
static void stress(bool bounce, uint32_t room)
{
	struct nnfw_config config = {
		.abi_version = NNFW_ABI_VERSION,
		.threads = 4,
		.program_quota = room * 72000,
		.quantum_ns = 1,
	};
	struct fake fake = { .bounce = bounce };
	struct client *clients = calloc(CLIENTS, sizeof(*clients));
	uint64_t statuses[NNACCEL_STATUS_FIRMWARE_COUNT] = { 0 };
	pthread_t threads[CLIENTS];

	assert_non_null(clients);
	fake_start(&fake, &config);
	for (uint32_t i = 0; i < CLIENTS; i++) {
		clients[i] = (struct client){ .fake = &fake, .id = i, .seed = i + 77 };
		assert_int_equal(nnfw_context_open(fake.fw, i), 0);
		for (uint32_t q = 0; q < QUEUES; q++)
			assert_int_equal(nnfw_queue_create(fake.fw, i * QUEUES + q, i, (i + q) % 4),
					 0);
		fake_allow(&fake, i, clients[i].slots, sizeof(clients[i].slots), true);
		for (uint32_t p = 0; p < NUM_PROGRAMS; p++)
			fake_allow(&fake, i, programs[p].bytes, programs[p].size, false);
	}
	for (uint32_t i = 0; i < CLIENTS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_client, &clients[i]), 0);
	for (uint32_t i = 0; i < CLIENTS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(clients[i].wrong, 0);
		for (uint32_t s = 0; s < NNACCEL_STATUS_FIRMWARE_COUNT; s++)
			statuses[s] += clients[i].statuses[s];
	}
	assert_int_equal(fake.num_completions, CLIENTS * QUEUES * JOBS);
	/* all kinds of ends were there */
	assert_true(statuses[NNACCEL_STATUS_OK] > CLIENTS * QUEUES * JOBS / 4);
	assert_true(statuses[NNACCEL_STATUS_ABORTED] > 0);
	assert_true(statuses[NNACCEL_STATUS_BAD_PROGRAM] > 0);
	assert_true(statuses[NNACCEL_STATUS_BAD_ARGUMENT] > 0);
	assert_true(statuses[NNACCEL_STATUS_OUTPUT_INSUFFICIENT] > 0);
	assert_true(statuses[NNACCEL_STATUS_FAULT] > 0);
	assert_true(statuses[NNACCEL_STATUS_EXEC_FAILED] > 0);
	fake_stop(&fake);
	free(clients);
}

TEST(test_direct)
{
	stress(false, 10);
}

/* Jobs wait for the room of others. */
TEST(test_little_room)
{
	stress(false, 2);
}

TEST(test_bounce)
{
	stress(true, 10);
}

/*
 * Queues and contexts come and go under load; every submitted job is answered before they are gone.
 */
static void *churn(void *arg)
{
	struct client *c = arg;
	struct nnfw *fw = c->fake->fw;

	for (uint32_t n = 0; n < 60; n++) {
		uint64_t seqno[QUEUES] = { 0 };
		bool close = next_random(&c->seed) % 3 == 0;

		for (uint32_t q = 0; q < QUEUES; q++)
			if (nnfw_queue_create(fw, c->id * QUEUES + q, c->id,
					      next_random(&c->seed) % 4))
				c->wrong++;
		for (uint32_t i = next_random(&c->seed) % 8; i--;)
			for (uint32_t q = 0; q < QUEUES; q++) {
				struct slot *s = &c->slots[q][0];
				struct nnaccel_arg args[5];
				struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
							   .seqno = ++seqno[q] };

				s->program = next_random(&c->seed) % 2;
				s->seqno = 0;
				/* all use the same memory; its contents do not matter here */
				memset(args, 0, sizeof(args));
				args[0].addr = (uintptr_t)s->in;
				args[1].addr = (uintptr_t)s->out;
				args[0].size = args[1].size = 4 * ELEMENTS;
				job.num_args = 2;
				job.program_addr = (uintptr_t)programs[s->program].bytes;
				job.program_size = programs[s->program].size;
				c->wrong += nnfw_submit(fw, c->id * QUEUES + q, &job, args) != 0;
			}
		if (close) {
			c->wrong += nnfw_context_close(fw, c->id) != 0;
			c->wrong += nnfw_context_open(fw, c->id) != 0;
		} else {
			for (uint32_t q = 0; q < QUEUES; q++)
				c->wrong += nnfw_queue_destroy(fw, c->id * QUEUES + q) != 0;
		}
		pthread_mutex_lock(&c->fake->lock);
		for (uint32_t q = 0; q < QUEUES; q++) {
			c->wrong += c->fake->seqno[c->id * QUEUES + q] != seqno[q];
			c->fake->seqno[c->id * QUEUES + q] = 0;
		}
		pthread_mutex_unlock(&c->fake->lock);
	}
	return NULL;
}

TEST(test_churn)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
				      .threads = 3,
				      .quantum_ns = 1 };
	struct client *clients = calloc(CLIENTS, sizeof(*clients));
	struct fake fake = { .bounce = false };
	pthread_t threads[CLIENTS];

	assert_non_null(clients);
	fake_start(&fake, &config);
	for (uint32_t i = 0; i < CLIENTS; i++) {
		clients[i] = (struct client){ .fake = &fake, .id = i, .seed = i + 5 };
		assert_int_equal(nnfw_context_open(fake.fw, i), 0);
		fake_allow(&fake, i, clients[i].slots, sizeof(clients[i].slots), true);
		for (uint32_t p = 0; p < NUM_PROGRAMS; p++)
			fake_allow(&fake, i, programs[p].bytes, programs[p].size, false);
	}
	for (uint32_t i = 0; i < CLIENTS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, &clients[i]), 0);
	for (uint32_t i = 0; i < CLIENTS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(clients[i].wrong, 0);
	}
	fake_stop(&fake);
	free(clients);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_little_room),
		cmocka_unit_test(test_bounce),
		cmocka_unit_test(test_churn),
	};
	int ret;

	programs[ADDS] = program_adds(ELEMENTS, 3);
	programs[ADDS_LONG] = program_adds(ELEMENTS, 60);
	programs[DYNAMIC] = program_adds(0, 3);
	programs[RESHAPE] = program_reshape(ELEMENTS);
	programs[COMPUTED] = program_computed_shape(ELEMENTS);
	programs[BROKEN] = program_adds(ELEMENTS, 2);
	((uint8_t *)programs[BROKEN].bytes)[programs[BROKEN].size - 1] ^= 1;
	ret = cmocka_run_group_tests_name("core_stress", tests, NULL, NULL);
	for (uint32_t i = 0; i < NUM_PROGRAMS; i++)
		free(programs[i].bytes);
	return ret;
}
