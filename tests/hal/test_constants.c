// SPDX-License-Identifier: Apache-2.0
/*
 * Large constants in a client's memory. In process, the pages of a file that nothing can change any
 * more are the program's; of every other file it has a copy, which a client's writes do not reach.
 */
#include "descriptors.h"
#include "hal_test.h"
#include "lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH 1024u
#define UNITS 96u
#define WEIGHTS (DEPTH * UNITS)
#define BYTES ((size_t)WEIGHTS * sizeof(float))
/* Two matrices, wherever the first begins. */
#define ROOM (4 * BYTES)

enum seal { OPEN, SHRINK, SEALED };

struct constants {
	struct nnmodel *model;
	uint8_t *map; /* of the client; NULL once it is sealed */
	int fd; /* the model's */
	ino_t inode;
};

static float weight(uint32_t which, uint32_t i)
{
	return (float)((i * (7 + which) + i / DEPTH) % 13) - 6;
}

/* The matrices at @offset of the file, @gap bytes apart, each for an output of its own. */
static struct constants constants(enum seal seal, size_t offset, size_t gap)
{
	static const int seals[] = { 0, F_SEAL_SHRINK, F_SEAL_SHRINK | F_SEAL_WRITE };
	struct constants c = { .model = nnmodel_new(), .fd = memfd_sealed(ROOM, 0) };
	const uint32_t in = hal_tensor(c.model, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT,
				       HAL_DIMS(1, DEPTH), 2, 0, 0);
	uint32_t out[2];
	struct stat st;

	assert_int_equal(fstat(c.fd, &st), 0);
	c.inode = st.st_ino;
	c.map = memfd_map(c.fd, ROOM);
	assert_int_equal(nnmodel_add_pool(c.model, c.fd, PROT_READ, 0, ROOM), 0);
	for (uint32_t which = 0; which < 2; which++) {
		const size_t at = offset + which * (BYTES + gap);
		const float bias[UNITS] = { 0 };
		const uint32_t none = 0;
		uint32_t op[4] = { in };

		for (uint32_t i = 0; i < WEIGHTS; i++) {
			const float w = weight(which, i);

			memcpy(c.map + at + i * sizeof(w), &w, sizeof(w));
		}
		op[1] = hal_tensor(c.model, NNMODEL_TENSOR_FLOAT32, NNMODEL_CONSTANT_REFERENCE,
				   HAL_DIMS(UNITS, DEPTH), 2, 0, 0);
		op[2] = hal_tensor(c.model, NNMODEL_TENSOR_FLOAT32, NNMODEL_CONSTANT_COPY,
				   HAL_DIMS(UNITS), 1, 0, 0);
		op[3] = hal_tensor(c.model, NNMODEL_INT32, NNMODEL_CONSTANT_COPY, NULL, 0, 0, 0);
		out[which] = hal_tensor(c.model, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT,
					HAL_DIMS(1, UNITS), 2, 0, 0);
		assert_int_equal(nnmodel_set_value_from_pool(c.model, op[1], 0, at, BYTES), 0);
		assert_int_equal(nnmodel_set_value(c.model, op[2], bias, sizeof(bias)), 0);
		assert_int_equal(nnmodel_set_value(c.model, op[3], &none, sizeof(none)), 0);
		assert_true(nnmodel_add_operation(c.model, NNMODEL_FULLY_CONNECTED, op, 4,
						  &out[which], 1) >= 0);
	}
	assert_int_equal(nnmodel_set_io(c.model, &in, 1, out, 2), 0);
	if (seal == SEALED) {
		munmap(c.map, ROOM);
		c.map = NULL;
	}
	assert_int_equal(fcntl(c.fd, F_ADD_SEALS, seals[seal]), 0);
	return c;
}

/* Mappings of the file in this process. */
static unsigned int mappings(ino_t inode)
{
	char number[32];

	snprintf(number, sizeof(number), " %lu ", (unsigned long)inode);
	return lines_count("/proc/self/maps", number);
}

static void check_run(struct nnhal_prepared_model *pm)
{
	const uint32_t in = DEPTH * sizeof(float), out = UNITS * sizeof(float);
	struct nnhal_execution_config config = hal_config(false);
	struct hal_call call;

	hal_call_init(&call, false, &in, 1, (const uint32_t[]){ out, out }, 2);
	for (uint32_t i = 0; i < DEPTH; i++)
		((float *)hal_in(&call, 0))[i] = (float)(i % 5) - 2;
	assert_int_equal(hal_status(pm, HAL_SYNC, &call.request, &config, NNHAL_NO_TIME),
			 NNHAL_NONE);
	for (uint32_t which = 0; which < 2; which++) {
		for (uint32_t unit = 0; unit < UNITS; unit++) {
			float sum = 0;

			for (uint32_t i = 0; i < DEPTH; i++)
				sum += weight(which, unit * DEPTH + i) * ((float)(i % 5) - 2);
			assert_float_equal(((const float *)hal_out(&call, which))[unit], sum, 0);
		}
	}
	hal_call_fini(&call);
}

/*
 * Runs before and after the firmware has given packed weights back, and after the client has
 * written to its file, if it can.
 */
static void check(enum seal seal, size_t offset, size_t gap, bool shared)
{
	struct constants c = constants(seal, offset, gap);
	const unsigned int before = mappings(c.inode);
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, c.model);

	if (c.map)
		memset(c.map, 0x7f, ROOM);
	assert_int_equal(mappings(c.inode) > before, shared && !hal_spec_is_card());
	check_run(pm);
	check_run(pm);
	pm->ops->destroy(pm);
	assert_int_equal(mappings(c.inode), before);
	if (c.map)
		munmap(c.map, ROOM);
}

TEST(test_sealed)
{
	check(SEALED, 0, 0, true);
	check(SEALED, 64, 0, true);
	check(SEALED, 4096, 4096, true);
	check(SEALED, 4096 + 64, 1024, true);
	check(SEALED, 8192 - 64, 192, true);
}

/* Constants of a program begin at a multiple of 64. */
TEST(test_off_a_line)
{
	check(SEALED, 4, 0, false);
	check(SEALED, 4096, 8, true);
	check(SEALED, 32, 32, true);
}

/* What a client can still write is copied, also if it cannot shrink. */
TEST(test_writable)
{
	check(SHRINK, 0, 0, false);
	check(OPEN, 4096, 64, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sealed),
		cmocka_unit_test(test_off_a_line),
		cmocka_unit_test(test_writable),
	};

	return cmocka_run_group_tests(tests, hal_setup, hal_teardown);
}
