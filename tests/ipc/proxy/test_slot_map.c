// SPDX-License-Identifier: Apache-2.0
/* Which memories of a burst the worker has. */
#include "fake_connection.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"

#define MANY (NNIPC_BURST_SLOTS + 1)

static struct nnipc_slot_map map;
static struct nnhal_request_pool pools[MANY];
static int64_t tokens[MANY];

FIXTURE(fresh)
{
	nnipc_slot_map_init(&map);
	for (uint32_t i = 0; i < MANY; i++) {
		pools[i] = (struct nnhal_request_pool){
			.memory = { .fd = -1, .prot = PROT_READ, .size = 64 + i }
		};
		tokens[i] = i;
	}
	return 0;
}

FIXTURE(done)
{
	nnipc_slot_map_fini(&map);
	return 0;
}

/* Number of memories to be sent. */
static uint32_t assign(uint32_t first, uint32_t count)
{
	const struct nnhal_request request = { .size = sizeof(request),
					       .pools = pools + first,
					       .num_pools = count };
	uint32_t num_fresh, seen = 0;

	assert_int_equal(nnipc_slot_map_assign(&map, &request, tokens + first, &num_fresh), 0);
	for (uint32_t i = 0; i < count; i++)
		seen += map.fresh[i];
	assert_int_equal(seen, num_fresh);
	return num_fresh;
}

TEST(test_sent_once)
{
	uint32_t slots[3];

	assert_int_equal(assign(0, 3), 3);
	memcpy(slots, map.numbers, sizeof(slots));
	assert_true(slots[0] != slots[1] && slots[1] != slots[2] && slots[0] != slots[2]);
	nnipc_slot_map_settle(&map, true);
	assert_int_equal(assign(0, 3), 0);
	assert_memory_equal(map.numbers, slots, sizeof(slots));
	nnipc_slot_map_settle(&map, true);
	/* released: sent again */
	assert_int_equal(nnipc_slot_map_release(&map, 1), slots[1]);
	assert_int_equal(nnipc_slot_map_release(&map, 1), NNIPC_NO_SLOT);
	assert_int_equal(assign(0, 3), 1);
	assert_true(map.fresh[1]);
	nnipc_slot_map_settle(&map, true);
}

/* A request that failed taught the worker nothing that the vendor library keeps. */
TEST(test_failed)
{
	assert_int_equal(assign(0, 2), 2);
	nnipc_slot_map_settle(&map, false);
	assert_int_equal(assign(0, 2), 2);
	nnipc_slot_map_settle(&map, true);
	/* what it had before stays */
	assert_int_equal(assign(0, 4), 2);
	nnipc_slot_map_settle(&map, false);
	assert_int_equal(assign(0, 2), 0);
	nnipc_slot_map_settle(&map, true);
}

/* -1 is not kept, and neither is a second meaning of a number. */
TEST(test_for_once)
{
	uint32_t slot;

	tokens[0] = -1;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(assign(0, 1), 1);
		nnipc_slot_map_settle(&map, true);
	}
	assert_int_equal(map.used, 1);
	assert_int_equal(assign(1, 1), 1);
	slot = map.numbers[0];
	nnipc_slot_map_settle(&map, true);
	pools[1].memory.offset = 64;
	assert_int_equal(assign(1, 1), 1);
	assert_int_not_equal(map.numbers[0], slot);
	nnipc_slot_map_settle(&map, true);
	pools[1].memory.offset = 0;
	pools[1].memory.prot = PROT_READ | PROT_WRITE;
	assert_int_equal(assign(1, 1), 1);
	nnipc_slot_map_settle(&map, true);
	pools[1].memory.prot = PROT_READ;
	assert_int_equal(assign(1, 1), 0);
	assert_int_equal(map.numbers[0], slot);
	nnipc_slot_map_settle(&map, true);
}

/* The same number twice in a request, and a device buffer. */
TEST(test_in_one_request)
{
	pools[1] = pools[0];
	tokens[1] = tokens[0];
	pools[2].is_token = true;
	tokens[2] = -1;
	assert_int_equal(assign(0, 3), 1);
	assert_int_equal(map.numbers[0], map.numbers[1]);
	assert_int_equal(map.numbers[2], NNIPC_NO_SLOT);
	nnipc_slot_map_settle(&map, true);
}

TEST(test_full)
{
	const struct nnhal_request request = { .size = sizeof(request),
					       .pools = pools,
					       .num_pools = MANY };
	bool taken[NNIPC_BURST_SLOTS] = { false };
	uint32_t num_fresh;

	assert_int_equal(nnipc_slot_map_assign(&map, &request, tokens, &num_fresh), -ENOSPC);
	/* nothing is taken */
	assert_int_equal(assign(0, NNIPC_BURST_SLOTS), NNIPC_BURST_SLOTS);
	for (uint32_t i = 0; i < NNIPC_BURST_SLOTS; i++) {
		assert_true(map.numbers[i] < NNIPC_BURST_SLOTS && !taken[map.numbers[i]]);
		taken[map.numbers[i]] = true;
	}
	nnipc_slot_map_settle(&map, true);
	assert_int_equal(nnipc_slot_map_assign(&map, &request, tokens, &num_fresh), -ENOSPC);
	assert_int_equal(assign(0, NNIPC_BURST_SLOTS), 0);
	nnipc_slot_map_settle(&map, true);
	nnipc_slot_map_release(&map, 5);
	assert_int_equal(assign(NNIPC_BURST_SLOTS, 1), 1);
	nnipc_slot_map_settle(&map, true);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_sent_once),	   CASE(test_failed), CASE(test_for_once),
		CASE(test_in_one_request), CASE(test_full),
	};

	return cmocka_run_group_tests_name("ipc-proxy-slot-map", tests, NULL, NULL);
}
