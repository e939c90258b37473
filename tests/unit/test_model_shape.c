// SPDX-License-Identifier: Apache-2.0
/* libnnmodel: shapes that are not known completely, and the reports that they accept. */
#include <errno.h>
#include <string.h>

#include "nnmodel_shape.h"
#include "test_case.h"

#define MAX_RANK 4u
#define FLOAT 4u
#define DIMS(...) ((const uint32_t[]){ __VA_ARGS__ })
#define NO_SIZE UINT64_MAX

TEST(complete_shapes)
{
	assert_false(nnmodel_shape_complete(0, NULL));
	assert_true(nnmodel_shape_complete(1, DIMS(1)));
	assert_true(nnmodel_shape_complete(3, DIMS(1, 2, 3)));
	assert_false(nnmodel_shape_complete(3, DIMS(0, 2, 3)));
	assert_false(nnmodel_shape_complete(3, DIMS(1, 0, 3)));
	assert_false(nnmodel_shape_complete(3, DIMS(1, 2, 0)));
	assert_true(nnmodel_shape_complete(2, DIMS(1, 2, 0)));
}

TEST(merged_shapes)
{
	static const struct {
		uint32_t rank, dims[3], other_rank, other[3];
		bool fits;
		uint32_t merged_rank, merged[3];
	} rows[] = {
		{ 0, { 0 }, 0, { 0 }, true, 0, { 0 } },
		{ 0, { 0 }, 2, { 5, 0 }, true, 2, { 5, 0 } },
		{ 2, { 5, 0 }, 0, { 0 }, true, 2, { 5, 0 } },
		{ 3, { 2, 0, 0 }, 3, { 0, 3, 0 }, true, 3, { 2, 3, 0 } },
		{ 3, { 2, 3, 4 }, 3, { 2, 3, 4 }, true, 3, { 2, 3, 4 } },
		{ 3, { 2, 3, 0 }, 2, { 2, 3 }, false, 3, { 2, 3, 0 } },
		{ 2, { 2, 3 }, 3, { 2, 3, 4 }, false, 2, { 2, 3 } },
		/* one extent fits, another does not: nothing changes */
		{ 3, { 0, 3, 0 }, 3, { 2, 4, 5 }, false, 3, { 0, 3, 0 } },
		{ 3, { 0, 0, 3 }, 3, { 2, 4, 5 }, false, 3, { 0, 0, 3 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t rank = rows[i].rank, dims[3];

		memcpy(dims, rows[i].dims, sizeof(dims));
		print_message("row %zu\n", i);
		assert_int_equal(nnmodel_shape_merge(&rank, dims, rows[i].other_rank,
						     rows[i].other_rank ? rows[i].other : NULL),
				 rows[i].fits);
		assert_int_equal(rank, rows[i].merged_rank);
		assert_memory_equal(dims, rows[i].merged, sizeof(dims));
	}
}

TEST(sizes)
{
	static const struct {
		uint64_t element;
		uint32_t rank, dims[4];
		int ret;
		uint64_t bytes;
	} rows[] = {
		{ FLOAT, 0, { 0 }, 0, 4 },
		{ FLOAT, 2, { 3, 5 }, 0, 60 },
		{ FLOAT, 3, { 3, 0, 5 }, 0, 60 }, /* of what is known */
		{ 0, 2, { 3, 5 }, 0, 0 },
		{ 1, 1, { UINT32_MAX }, 0, UINT32_MAX },
		{ 1, 2, { 65535, 65537 }, 0, UINT32_MAX },
		{ 1, 2, { 65536, 65536 }, -EOVERFLOW, 0 },
		{ FLOAT, 1, { 1u << 30 }, -EOVERFLOW, 0 },
		{ FLOAT, 1, { (1u << 30) - 1 }, 0, UINT32_MAX - 3 },
		/* products that are small again modulo 2^64 */
		{ FLOAT, 3, { 1u << 31, 1u << 31, 4 }, -EOVERFLOW, 0 },
		{ 1, 4, { 1u << 31, 1u << 31, 4, 3 }, -EOVERFLOW, 0 },
		{ UINT32_MAX, 0, { 0 }, 0, UINT32_MAX },
		{ UINT32_MAX + 1ull, 0, { 0 }, -EOVERFLOW, 0 },
		{ UINT64_MAX, 1, { UINT32_MAX }, -EOVERFLOW, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t bytes = 0;

		print_message("row %zu\n", i);
		assert_int_equal(nnmodel_shape_bytes(rows[i].element, rows[i].rank, rows[i].dims,
						     &bytes),
				 rows[i].ret);
		assert_int_equal(bytes, rows[i].bytes);
	}
}

TEST(accepted_reports)
{
	static const struct {
		const char *what;
		uint64_t element, room;
		uint32_t rank, dims[MAX_RANK];
		uint32_t reported_rank, reported[MAX_RANK + 1];
		bool sufficient;
		enum nnmodel_verdict verdict;
		uint64_t bytes;
	} rows[] = {
		{ "complete", FLOAT, 24, 2, { 2, 3 }, 2, { 2, 3 }, true, NNMODEL_ACCEPTED, 24 },
		{ "another first extent",
		  FLOAT,
		  99,
		  2,
		  { 2, 3 },
		  2,
		  { 1, 3 },
		  true,
		  NNMODEL_OTHER_SHAPE,
		  NO_SIZE },
		{ "another last extent",
		  FLOAT,
		  99,
		  2,
		  { 2, 3 },
		  2,
		  { 2, 4 },
		  true,
		  NNMODEL_OTHER_SHAPE,
		  NO_SIZE },
		{ "extent 0 for a known one",
		  FLOAT,
		  99,
		  2,
		  { 2, 3 },
		  2,
		  { 2, 0 },
		  true,
		  NNMODEL_OTHER_SHAPE,
		  NO_SIZE },
		{ "less rank", FLOAT, 99, 2, { 2, 3 }, 1, { 2 }, true, NNMODEL_OTHER_SHAPE, NO_SIZE },
		{ "more rank",
		  FLOAT,
		  99,
		  2,
		  { 2, 3 },
		  3,
		  { 2, 3, 1 },
		  true,
		  NNMODEL_OTHER_SHAPE,
		  NO_SIZE },
		{ "rank 0 for a known one",
		  FLOAT,
		  99,
		  2,
		  { 2, 3 },
		  0,
		  { 0 },
		  true,
		  NNMODEL_OTHER_SHAPE,
		  NO_SIZE },
		{ "unknown extent", FLOAT, 24, 2, { 0, 3 }, 2, { 2, 3 }, true, NNMODEL_ACCEPTED, 24 },
		{ "unknown extent, another known one",
		  FLOAT,
		  99,
		  2,
		  { 0, 3 },
		  2,
		  { 2, 4 },
		  true,
		  NNMODEL_OTHER_SHAPE,
		  NO_SIZE },
		{ "unknown extents, more rank",
		  FLOAT,
		  99,
		  2,
		  { 0, 0 },
		  3,
		  { 2, 3, 1 },
		  true,
		  NNMODEL_OTHER_SHAPE,
		  NO_SIZE },
		{ "no elements", FLOAT, 0, 2, { 0, 3 }, 2, { 0, 3 }, true, NNMODEL_ACCEPTED, 0 },
		{ "no elements, insufficient",
		  FLOAT,
		  0,
		  2,
		  { 0, 3 },
		  2,
		  { 0, 3 },
		  false,
		  NNMODEL_FALSE_SUFFICIENCY,
		  0 },
		{ "unknown rank", FLOAT, 24, 0, { 0 }, 2, { 2, 3 }, true, NNMODEL_ACCEPTED, 24 },
		{ "unknown rank, rank 0", FLOAT, 4, 0, { 0 }, 0, { 0 }, true, NNMODEL_ACCEPTED, 4 },
		/* the extents of an unknown rank are not read */
		{ "unknown rank, stale extents",
		  FLOAT,
		  24,
		  0,
		  { 7, 7 },
		  2,
		  { 2, 3 },
		  true,
		  NNMODEL_ACCEPTED,
		  24 },
		{ "unknown rank, the most rank",
		  FLOAT,
		  4,
		  0,
		  { 0 },
		  MAX_RANK,
		  { 1, 1, 1, 1 },
		  true,
		  NNMODEL_ACCEPTED,
		  4 },
		{ "unknown rank, rank beyond the most",
		  FLOAT,
		  99,
		  0,
		  { 0 },
		  MAX_RANK + 1,
		  { 1, 1, 1, 1, 1 },
		  true,
		  NNMODEL_OTHER_SHAPE,
		  NO_SIZE },
		{ "unknown rank, rank beyond all memory",
		  FLOAT,
		  99,
		  0,
		  { 0 },
		  UINT32_MAX,
		  { 1 },
		  true,
		  NNMODEL_OTHER_SHAPE,
		  NO_SIZE },
		{ "4 GiB",
		  FLOAT,
		  NO_SIZE,
		  0,
		  { 0 },
		  1,
		  { 1u << 30 },
		  true,
		  NNMODEL_TOO_LARGE,
		  NO_SIZE },
		{ "just below 4 GiB",
		  FLOAT,
		  NO_SIZE,
		  0,
		  { 0 },
		  1,
		  { (1u << 30) - 1 },
		  true,
		  NNMODEL_ACCEPTED,
		  UINT32_MAX - 3 },
		{ "0 modulo 2^64",
		  FLOAT,
		  NO_SIZE,
		  0,
		  { 0 },
		  3,
		  { 1u << 31, 1u << 31, 4 },
		  true,
		  NNMODEL_TOO_LARGE,
		  NO_SIZE },
		{ "no elements beside too many",
		  FLOAT,
		  0,
		  0,
		  { 0 },
		  4,
		  { 1u << 31, 1u << 31, 4, 0 },
		  true,
		  NNMODEL_ACCEPTED,
		  0 },
		{ "just fits", FLOAT, 24, 1, { 0 }, 1, { 6 }, true, NNMODEL_ACCEPTED, 24 },
		{ "just fits, insufficient",
		  FLOAT,
		  24,
		  1,
		  { 0 },
		  1,
		  { 6 },
		  false,
		  NNMODEL_FALSE_SUFFICIENCY,
		  24 },
		{ "too large by a byte", FLOAT, 23, 1, { 0 }, 1, { 6 }, false, NNMODEL_ACCEPTED, 24 },
		{ "too large by a byte, sufficient",
		  FLOAT,
		  23,
		  1,
		  { 0 },
		  1,
		  { 6 },
		  true,
		  NNMODEL_FALSE_SUFFICIENCY,
		  24 },
		{ "size that only the device knows",
		  0,
		  0,
		  2,
		  { 2, 3 },
		  2,
		  { 2, 3 },
		  true,
		  NNMODEL_ACCEPTED,
		  0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct nnmodel_declared declared = { rows[i].element, rows[i].room, MAX_RANK,
							   rows[i].rank, rows[i].dims };
		const struct nnmodel_reported reported = { rows[i].reported_rank, rows[i].reported,
							   rows[i].sufficient };
		uint64_t bytes = NO_SIZE;

		print_message("%s\n", rows[i].what);
		assert_int_equal(nnmodel_shape_accept(&declared, &reported, &bytes),
				 rows[i].verdict);
		if (rows[i].bytes != NO_SIZE)
			assert_int_equal(bytes, rows[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_shapes),
		cmocka_unit_test(merged_shapes),
		cmocka_unit_test(sizes),
		cmocka_unit_test(accepted_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
