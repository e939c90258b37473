// SPDX-License-Identifier: Apache-2.0
/*
 * Operations that pass over an input more than once, while a client changes it between two passes.
 * The moment is always the same: a tick, or the input's second page comes late, and its first
 * access is when the client writes to the first page. op_torn.c does this to every operation, at
 * any moment.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "test_case.h"

/* Two pages, before and behind them what nothing may touch. */
static struct late {
	uint8_t *map, *data;
	size_t page;
	/* what the client writes to the first page: @count bytes from @at on */
	size_t at, count;
	uint8_t value;
	struct sigaction before;
} late;

static void on_access(int number, siginfo_t *info, void *unused)
{
	const uint8_t *at = info->si_addr;

	(void)unused;
	if (at >= late.data + late.page && at < late.data + 2 * late.page) {
		memset(late.data + late.at, late.value, late.count);
		mprotect(late.data + late.page, late.page, PROT_READ | PROT_WRITE);
	}
	/* another fault is one */
	sigaction(number, &late.before, NULL);
}

static void late_open(uint8_t value)
{
	late.page = (size_t)sysconf(_SC_PAGESIZE);
	late.map = mmap(NULL, 4 * late.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(late.map != MAP_FAILED);
	late.data = late.map + late.page;
	assert_int_equal(mprotect(late.data, 2 * late.page, PROT_READ | PROT_WRITE), 0);
	memset(late.data, value, 2 * late.page);
}

/* From now on the second page comes late. */
static void late_arm(size_t at, size_t count, uint8_t value)
{
	struct sigaction action = { .sa_sigaction = on_access, .sa_flags = SA_SIGINFO };

	late.at = at;
	late.count = count;
	late.value = value;
	assert_int_equal(mprotect(late.data + late.page, late.page, PROT_NONE), 0);
	assert_int_equal(sigaction(SIGSEGV, &action, &late.before), 0);
}

static void late_close(void)
{
	sigaction(SIGSEGV, &late.before, NULL);
	munmap(late.map, 4 * late.page);
}

static struct nnfw_tensor tensor(uint32_t dtype, uint32_t rows, uint32_t columns, void *data)
{
	const size_t elements = (size_t)rows * columns;

	return (struct nnfw_tensor){
		.dtype = dtype,
		.rank = 2,
		.dims = { rows, columns },
		.elements = elements,
		.size = elements * nnprog_dtype_size(dtype),
		.scale = nnprog_dtype_size(dtype) == 1 ? 1.0f / 256 : 0,
		.data = data,
	};
}

static int run(uint32_t opcode, const void *attrs, const struct nnfw_tensor *in,
	       struct nnfw_tensor *out, void *scratch, struct nnfw_progress *progress)
{
	struct nnfw_op_ctx ctx = {
		.desc = nnprog_op_find(opcode),
		.attrs = attrs,
		.in = in,
		.num_in = 1,
		.out = out,
		.num_out = 1,
		.scratch = scratch,
		.progress = progress,
	};

	return nnfw_op_table[opcode]->run(&ctx);
}

/* The extreme is gone when it is looked for: the result is an index all the same. */
TEST(test_arg_extreme_disappears)
{
	for (uint32_t k = 0; k < 4; k++) {
		const struct nnprog_attr_arg_minmax attr = { .axis = -1, .is_min = k & 1 };
		uint32_t n;

		late_open(100);
		n = (uint32_t)(2 * late.page);
		for (int32_t wrong = 0; wrong < 2; wrong++) {
			struct nnfw_tensor in =
				tensor(k & 2 ? NNPROG_INT8 : NNPROG_UINT8, 1, n, late.data);
			int32_t index = -1;
			struct nnfw_tensor out = tensor(NNPROG_INT32, 1, 1, &index);

			late.data[77] = attr.is_min ? 3 : 120;
			late_arm(77, 1, wrong ? 100 : late.data[77]);
			assert_int_equal(run(NNPROG_OP_ARG_MINMAX, &attr, &in, &out, NULL, NULL),
					 0);
			assert_true(wrong ? index >= 0 && (uint32_t)index < n : index == 77);
		}
		late_close();
	}
}

/* The client's turn between two ticks: it writes @value to the output. */
struct turn {
	struct nnfw_progress base;
	int32_t *out, value;
	uint32_t ticks;
};

static int turn_tick(struct nnfw_progress *base)
{
	struct turn *t = (struct turn *)base;

	*t->out = t->value;
	t->ticks++;
	return 0;
}

/* A long line in parts: the index so far is not where the client can write. */
TEST(test_arg_output_changes)
{
	static const uint32_t types[] = { NNPROG_UINT8, NNPROG_INT32, NNPROG_FLOAT32 };
	const uint32_t n = 1000000;
	uint8_t *data = calloc(n, sizeof(float));

	assert_non_null(data);
	for (uint32_t k = 0; k < 6; k++) {
		const struct nnprog_attr_arg_minmax attr = { .axis = -1, .is_min = k & 1 };
		struct nnfw_tensor in = tensor(types[k / 2], 1, n, data);
		int32_t index = -1;
		struct nnfw_tensor out = tensor(NNPROG_INT32, 1, 1, &index);
		struct turn turn = { { turn_tick }, &index, INT32_MAX, 0 };

		assert_int_equal(run(NNPROG_OP_ARG_MINMAX, &attr, &in, &out, NULL, &turn.base), 0);
		assert_true(turn.ticks > 1);
		assert_int_equal(index, 0);
	}
	free(data);
}

/* Codes above what was the greatest: the table of exponentials begins at a page. */
TEST(test_softmax_grows)
{
	static uint8_t results[2 * 65536];

	for (uint32_t k = 0; k < 6; k++) {
		const struct nnprog_attr_softmax attr = { .beta = 1, .axis = k % 3 ? 0 : 1 };
		uint32_t n, columns;
		struct nnfw_tensor in, out;
		uint8_t *scratch;

		late_open(10);
		n = (uint32_t)(2 * late.page);
		assert_true(n <= sizeof(results));
		/* a long row, a column, columns beside each other */
		columns = k % 3 == 0 ? n : k % 3;
		scratch = mmap(NULL, 2 * late.page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(scratch != MAP_FAILED);
		assert_int_equal(mprotect(scratch, late.page, PROT_NONE), 0);
		in = tensor(k < 3 ? NNPROG_UINT8 : NNPROG_INT8, n / columns, columns, late.data);
		out = tensor(in.dtype, n / columns, columns, results);
		late_arm(0, late.page, k < 3 ? 255 : 127);
		assert_int_equal(
			run(NNPROG_OP_SOFTMAX, &attr, &in, &out, scratch + late.page, NULL), 0);
		munmap(scratch, 2 * late.page);
		late_close();
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arg_extreme_disappears),
		cmocka_unit_test(test_arg_output_changes),
		cmocka_unit_test(test_softmax_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
