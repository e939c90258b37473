// SPDX-License-Identifier: Apache-2.0
/* What users have of a service: the limit of each, and what is left for others. */
#include <errno.h>
#include <pthread.h>

#include "test_case.h"
#include "wire/nnipc_wire.h"

enum { PLACES, BYTES, KINDS };

#define ALL 64u
#define USER 8u

static const struct nnipc_budget_limit limits[KINDS] = {
	[PLACES] = { ALL, USER },
	[BYTES] = { UINT64_MAX, UINT64_MAX },
};

/* Take one after another: how many there were, and why there is no more. */
static uint64_t take_all(struct nnipc_budget *budget, uid_t user, int *why)
{
	uint64_t taken = 0;

	while (!(*why = nnipc_budget_take(budget, user, PLACES, 1)))
		taken++;
	assert_int_equal(nnipc_budget_of(budget, user, PLACES), taken);
	return taken;
}

TEST(test_users)
{
	/* what the k-th hostile user finds when all before it have all that they can get */
	static const uint64_t wants[] = { 8, 8, 8, 8, 8, 8, 8, 4, 2, 1, 1, 0 };
	struct nnipc_budget budget;
	int why;

	nnipc_budget_init(&budget, limits, KINDS);
	for (uid_t user = 0; user < sizeof(wants) / sizeof(wants[0]); user++) {
		assert_int_equal(take_all(&budget, user, &why), wants[user]);
		assert_int_equal(why, user < 7 ? -EDQUOT : -EUSERS);
	}
	/* who gives back leaves room for who had too little */
	nnipc_budget_give(&budget, 0, PLACES, 8);
	assert_int_equal(take_all(&budget, 11, &why), 4);
	for (uid_t user = 1; user < 12; user++)
		nnipc_budget_give(&budget, user, PLACES, nnipc_budget_of(&budget, user, PLACES));
	assert_null(budget.users);
	assert_int_equal(budget.taken[PLACES], 0);
	nnipc_budget_fini(&budget);
}

/* The last place is a user's first. */
TEST(test_one_place)
{
	static const struct nnipc_budget_limit one = { 1, 8 }, none = { 0, 8 };
	struct nnipc_budget budget;
	int why;

	nnipc_budget_init(&budget, &one, 1);
	assert_int_equal(take_all(&budget, 7, &why), 1);
	assert_int_equal(take_all(&budget, 8, &why), 0);
	assert_int_equal(nnipc_budget_take(&budget, 8, BYTES, 1), -EDQUOT);
	nnipc_budget_give(&budget, 7, PLACES, 1);
	nnipc_budget_fini(&budget);
	nnipc_budget_init(&budget, &none, 1);
	assert_int_equal(take_all(&budget, 7, &why), 0);
	assert_null(budget.users);
	nnipc_budget_fini(&budget);
}

/* Sums that do not fit are refused and change nothing. */
TEST(test_large)
{
	struct nnipc_budget budget;

	nnipc_budget_init(&budget, limits, KINDS);
	assert_int_equal(nnipc_budget_take(&budget, 1, BYTES, UINT64_MAX), -EUSERS);
	assert_null(budget.users);
	assert_int_equal(nnipc_budget_take(&budget, 1, BYTES, UINT64_MAX / 2), 0);
	assert_int_equal(nnipc_budget_take(&budget, 1, BYTES, UINT64_MAX), -EDQUOT);
	assert_int_equal(nnipc_budget_take(&budget, 1, BYTES, UINT64_MAX / 2), -EUSERS);
	assert_int_equal(nnipc_budget_take(&budget, 1, BYTES, 0), 0);
	assert_int_equal(nnipc_budget_take(&budget, 2, BYTES, UINT64_MAX / 4), 0);
	assert_int_equal(nnipc_budget_take(&budget, 1, BYTES, 0), 0);
	assert_int_equal(nnipc_budget_of(&budget, 1, BYTES), UINT64_MAX / 2);
	assert_int_equal(nnipc_budget_of(&budget, 1, PLACES), 0);
	nnipc_budget_give(&budget, 1, BYTES, UINT64_MAX / 2);
	nnipc_budget_give(&budget, 2, BYTES, UINT64_MAX / 4);
	nnipc_budget_give(&budget, 2, BYTES, 0);
	assert_null(budget.users);
	nnipc_budget_fini(&budget);
}

static void *take_and_give(void *budget)
{
	for (uint32_t i = 0; i < 20000; i++) {
		const uid_t user = i % 3;

		if (!nnipc_budget_take(budget, user, PLACES, 3))
			nnipc_budget_give(budget, user, PLACES, 3);
	}
	return NULL;
}

TEST(test_threads)
{
	struct nnipc_budget budget;
	pthread_t threads[4];

	nnipc_budget_init(&budget, limits, KINDS);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &budget), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_null(budget.users);
	assert_int_equal(budget.taken[PLACES], 0);
	nnipc_budget_fini(&budget);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_one_place),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
