// SPDX-License-Identifier: GPL-2.0-only
/* Rings: what a device may write into them, and what the driver makes of it. */

#include <nnaccel/nnaccel_status.h>

#include "../nnaccel_ring.h"
#include "nnaccel_kunit.h"

#define NNACCEL_TEST_SLOTS	16u

/* A ring of a device that is not probed: nothing else uses it. */
static int nnaccel_ring_init(struct kunit *test)
{
	struct nnaccel_mock *mock = nnaccel_mock_create(test, &nnaccel_mock_ops);
	struct nnaccel_ring *ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ring);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_ring_alloc(mock->ndev, ring, NNACCEL_TEST_SLOTS));
	test->priv = ring;
	return 0;
}

static void nnaccel_ring_set(struct nnaccel_ring *ring, u32 head, u32 tail)
{
	ring->ctl->head = cpu_to_le32(head);
	ring->ctl->tail = cpu_to_le32(tail);
}

static void a_producer_has_room_for_all_slots(struct kunit *test)
{
	struct nnaccel_ring *ring = test->priv;

	KUNIT_EXPECT_EQ(test, NNACCEL_TEST_SLOTS, nnaccel_ring_room(ring));
	nnaccel_ring_publish(ring, NNACCEL_TEST_SLOTS);
	KUNIT_EXPECT_EQ(test, 0, nnaccel_ring_room(ring));
	KUNIT_EXPECT_EQ(test, NNACCEL_TEST_SLOTS, le32_to_cpu(ring->ctl->tail));
	nnaccel_ring_set(ring, 5, NNACCEL_TEST_SLOTS);
	KUNIT_EXPECT_EQ(test, 5, nnaccel_ring_room(ring));
}

static void a_head_beyond_the_tail_is_invalid(struct kunit *test)
{
	struct nnaccel_ring *ring = test->priv;

	nnaccel_ring_publish(ring, 4);
	nnaccel_ring_set(ring, 5, 4);
	KUNIT_EXPECT_EQ(test, -EPROTO, nnaccel_ring_room(ring));
	nnaccel_ring_set(ring, U32_MAX, 4);
	KUNIT_EXPECT_EQ(test, -EPROTO, nnaccel_ring_room(ring));
}

static void a_head_that_moves_back_is_invalid(struct kunit *test)
{
	struct nnaccel_ring *ring = test->priv;

	nnaccel_ring_publish(ring, 4);
	nnaccel_ring_set(ring, 3, 4);
	KUNIT_EXPECT_EQ(test, NNACCEL_TEST_SLOTS - 1, nnaccel_ring_room(ring));
	nnaccel_ring_set(ring, 2, 4);
	KUNIT_EXPECT_EQ(test, -EPROTO, nnaccel_ring_room(ring));
}

static void a_tail_that_moves_back_or_too_far_is_invalid(struct kunit *test)
{
	struct nnaccel_ring *ring = test->priv;

	nnaccel_ring_set(ring, 0, NNACCEL_TEST_SLOTS);
	KUNIT_EXPECT_EQ(test, NNACCEL_TEST_SLOTS, nnaccel_ring_filled(ring));
	nnaccel_ring_set(ring, 0, NNACCEL_TEST_SLOTS + 1);
	KUNIT_EXPECT_EQ(test, -EPROTO, nnaccel_ring_filled(ring));
	nnaccel_ring_set(ring, 0, NNACCEL_TEST_SLOTS - 1);
	KUNIT_EXPECT_EQ(test, -EPROTO, nnaccel_ring_filled(ring));
}

static void indices_wrap(struct kunit *test)
{
	struct nnaccel_ring *ring = test->priv;

	ring->head = U32_MAX - 1;
	ring->tail = U32_MAX - 1;
	nnaccel_ring_set(ring, U32_MAX - 1, U32_MAX - 1);
	KUNIT_EXPECT_PTR_EQ(test, (void *)(ring->slots + (NNACCEL_TEST_SLOTS - 2) *
					   NNACCEL_SLOT_SIZE), nnaccel_ring_slot(ring, 0));
	KUNIT_EXPECT_PTR_EQ(test, (void *)ring->slots, nnaccel_ring_slot(ring, 2));
	nnaccel_ring_publish(ring, 4);
	KUNIT_EXPECT_EQ(test, 2, ring->tail);
	KUNIT_EXPECT_EQ(test, NNACCEL_TEST_SLOTS - 4, nnaccel_ring_room(ring));
}

static void nnaccel_ring_exit(struct kunit *test)
{
	struct nnaccel_ring *ring = test->priv;

	kfree(ring->ctl);
}

static struct kunit_case nnaccel_ring_cases[] = {
	KUNIT_CASE(a_producer_has_room_for_all_slots),
	KUNIT_CASE(a_head_beyond_the_tail_is_invalid),
	KUNIT_CASE(a_head_that_moves_back_is_invalid),
	KUNIT_CASE(a_tail_that_moves_back_or_too_far_is_invalid),
	KUNIT_CASE(indices_wrap),
	{}
};

static struct kunit_suite nnaccel_ring_suite = {
	.name = "nnaccel_ring",
	.init = nnaccel_ring_init,
	.exit = nnaccel_ring_exit,
	.test_cases = nnaccel_ring_cases,
};

/* Completions that no job or command has: each costs a reset, and a client's job runs after it. */
struct nnaccel_hostile {
	const char *name;
	u32 kind, queue, status;
	u64 seqno;
};

static const struct nnaccel_hostile nnaccel_hostiles[] = {
	{ "an unknown kind", 3, 0, 0, 1 },
	{ "kind 0", 0, 0, 0, 1 },
	{ "a queue beyond the last", NNACCEL_COMPLETION_JOB, NNACCEL_MAX_QUEUES, 0, 1 },
	{ "the greatest queue", NNACCEL_COMPLETION_JOB, U32_MAX, 0, 1 },
	{ "a queue that does not exist", NNACCEL_COMPLETION_JOB, 9, 0, 1 },
	{ "a job that does not exist", NNACCEL_COMPLETION_JOB, 0, 0, 99 },
	{ "job 0", NNACCEL_COMPLETION_JOB, 0, 0, 0 },
	{ "a status of the host", NNACCEL_COMPLETION_JOB, 0, NNACCEL_STATUS_DEADLINE, 1 },
	{ "the first status that is none", NNACCEL_COMPLETION_JOB, 0,
	  NNACCEL_STATUS_FIRMWARE_COUNT, 1 },
	{ "a command that is not in flight", NNACCEL_COMPLETION_ADMIN, 0, 0, 5 },
	{ "a command beyond the table", NNACCEL_COMPLETION_ADMIN, 0, 0, U64_MAX },
};

static void nnaccel_hostile_name(const struct nnaccel_hostile *hostile, char *name)
{
	strscpy(name, hostile->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(nnaccel_hostile, nnaccel_hostiles, nnaccel_hostile_name);

static void a_hostile_completion_costs_a_reset(struct kunit *test)
{
	const struct nnaccel_hostile *hostile = test->param_value;
	struct nnaccel_mock *mock = nnaccel_mock_create(test, &nnaccel_mock_ops);
	const struct nnaccel_kunit_job job = {};
	struct nnaccel_kunit_client *client;
	struct nnaccel_kunit_queue queue;
	struct nnaccel_completion completion;
	u64 seqno;

	nnaccel_mock_boot(mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_mock_probe(mock));
	client = nnaccel_kunit_open(test, mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(client, &queue));
	/* Job 1 is on the card, so that its number is right where another field is wrong. */
	mock->hang = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(client, &queue, &job, &seqno));
	nnaccel_kunit_begun(client, &queue, seqno);
	completion = (struct nnaccel_completion) {
		.kind = cpu_to_le32(hostile->kind), .queue = cpu_to_le32(hostile->queue),
		.status = cpu_to_le32(hostile->status), .seqno = cpu_to_le64(hostile->seqno),
		.generation = mock->regs->generation,
	};
	nnaccel_mock_push(mock, &completion);
	nnaccel_mock_kick(mock);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INNOCENT, nnaccel_kunit_wait(client, &queue, seqno));
	mock->hang = 0;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_run(client, &queue, &job));
	KUNIT_EXPECT_EQ(test, 1, atomic64_read(&mock->ndev->counters.resets));
}

static struct kunit_case nnaccel_hostile_cases[] = {
	KUNIT_CASE_PARAM(a_hostile_completion_costs_a_reset, nnaccel_hostile_gen_params),
	{}
};

static struct kunit_suite nnaccel_hostile_suite = {
	.name = "nnaccel_hostile",
	.test_cases = nnaccel_hostile_cases,
};

kunit_test_suites(&nnaccel_ring_suite, &nnaccel_hostile_suite);
