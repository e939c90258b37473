// SPDX-License-Identifier: Apache-2.0
/*
 * Whole models as bytes: what was written is read as the same model, in both forms, and what is
 * read from other bytes is refused or written as these bytes again. tests/fuzz/fuzz_model.c has the
 * hostile ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "descriptors.h"
#include "model_control_spec.h"
#include "model_op_cases.h"
#include "test_case.h"

struct bytes {
	uint8_t *data;
	size_t size;
};

static int append(void *cookie, const void *data, size_t size)
{
	struct bytes *b = cookie;

	b->data = realloc(b->data, b->size + size);
	assert_non_null(b->data);
	memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

static struct bytes write_model(const struct nnmodel *m, bool places)
{
	struct bytes b = { NULL, 0 };

	assert_int_equal(places ? nnmodel_serialize_places(m, append, &b)
				: nnmodel_serialize(m, append, &b),
			 0);
	return b;
}

/* ---- equality ---- */

static void same_list(const uint32_t *a, uint32_t num_a, const uint32_t *b, uint32_t num_b)
{
	assert_int_equal(num_a, num_b);
	if (num_a)
		assert_memory_equal(a, b, num_a * sizeof(*a));
}

static void same_operand(const struct nnmodel_operand *a, const struct nnmodel_operand *b,
			 bool places)
{
	assert_int_equal(a->type, b->type);
	same_list(a->dims, a->rank, b->dims, b->rank);
	assert_memory_equal(&a->scale, &b->scale, sizeof(a->scale));
	assert_int_equal(a->zero_point, b->zero_point);
	assert_int_equal(a->channel_dim, b->channel_dim);
	same_list((const uint32_t *)a->scales, a->num_scales, (const uint32_t *)b->scales,
		  b->num_scales);
	assert_int_equal(a->extension_size, b->extension_size);
	if (a->extension_size)
		assert_memory_equal(a->extension_data, b->extension_data, a->extension_size);
	if (!places && a->lifetime == NNMODEL_CONSTANT_REFERENCE) {
		assert_int_equal(b->lifetime, NNMODEL_CONSTANT_COPY);
		assert_int_equal(a->location.length, b->location.length);
		return;
	}
	assert_int_equal(a->lifetime, b->lifetime);
	assert_int_equal(a->location.length, b->location.length);
	if (places) {
		assert_int_equal(a->location.pool, b->location.pool);
		assert_int_equal(a->location.offset, b->location.offset);
	}
}

static void same_subgraph(const struct nnmodel_subgraph *a, const struct nnmodel_subgraph *b,
			  bool places)
{
	assert_int_equal(a->num_operands, b->num_operands);
	for (uint32_t i = 0; i < a->num_operands; i++)
		same_operand(&a->operands[i], &b->operands[i], places);
	assert_int_equal(a->num_operations, b->num_operations);
	for (uint32_t i = 0; i < a->num_operations; i++) {
		const struct nnmodel_operation *x = &a->operations[i], *y = &b->operations[i];

		assert_int_equal(x->type, y->type);
		same_list(x->inputs, x->num_inputs, y->inputs, y->num_inputs);
		same_list(x->outputs, x->num_outputs, y->outputs, y->num_outputs);
	}
	same_list(a->inputs, a->num_inputs, b->inputs, b->num_inputs);
	same_list(a->outputs, a->num_outputs, b->outputs, b->num_outputs);
}

static void same_model(const struct nnmodel *a, const struct nnmodel *b, bool places)
{
	assert_int_equal(a->relaxed, b->relaxed);
	assert_int_equal(a->num_extensions, b->num_extensions);
	for (uint32_t i = 0; i < a->num_extensions; i++) {
		assert_int_equal(a->extensions[i].prefix, b->extensions[i].prefix);
		assert_string_equal(a->extensions[i].name, b->extensions[i].name);
	}
	same_subgraph(&a->main, &b->main, places);
	assert_int_equal(a->num_referenced, b->num_referenced);
	for (uint32_t i = 0; i < a->num_referenced; i++)
		same_subgraph(&a->referenced[i], &b->referenced[i], places);
	if (!places) {
		assert_int_equal(b->num_pools, 0);
		return;
	}
	assert_int_equal(a->values_size, b->values_size);
	if (a->values_size)
		assert_memory_equal(a->values, b->values, a->values_size);
	assert_int_equal(a->num_pools, b->num_pools);
	for (uint32_t i = 0; i < a->num_pools; i++) {
		assert_int_equal(a->pools[i].prot, b->pools[i].prot);
		assert_int_equal(a->pools[i].offset, b->pools[i].offset);
		assert_int_equal(a->pools[i].size, b->pools[i].size);
	}
}

/* ---- round trips ---- */

/* Own descriptors for the pools, for a model that takes them over. */
static uint32_t dup_pools(const struct nnmodel *m, int *fds)
{
	for (uint32_t i = 0; i < m->num_pools; i++) {
		fds[i] = fcntl(m->pools[i].fd, F_DUPFD_CLOEXEC, 0);
		assert_true(fds[i] >= 0);
	}
	return m->num_pools;
}

/* Frees @m. */
static void round_trip(struct nnmodel *m)
{
	for (int places = 0; places < 2; places++) {
		struct bytes first = write_model(m, places), second;
		struct nnmodel *read;
		int fds[4];
		uint32_t num_fds = places ? dup_pools(m, fds) : 0;

		assert_int_equal(nnmodel_parse(first.data, first.size, fds, num_fds, &read), 0);
		same_model(m, read, places);
		assert_int_equal(nnmodel_validate(read, NULL, NULL), 0);
		second = write_model(read, places);
		assert_int_equal(second.size, first.size);
		assert_memory_equal(second.data, first.data, first.size);
		free(second.data);
		/* whichever way it came, its canonical bytes are the same */
		second = write_model(read, false);
		free(first.data);
		first = write_model(m, false);
		assert_int_equal(second.size, first.size);
		assert_memory_equal(second.data, first.data, first.size);
		free(second.data);
		free(first.data);
		nnmodel_free(read);
	}
	nnmodel_free(m);
}

TEST(test_every_operation)
{
	for (size_t i = 0; i < op_cases.num; i++)
		round_trip(spec_model(op_cases.cases[i].opcode, op_cases.cases[i].in,
				      op_cases.cases[i].out));
}

TEST(test_referenced)
{
	struct nnmodel *m;

	round_trip(spec_if());
	round_trip(spec_while());
	/* constants of main and of a subgraph */
	m = spec_if();
	m->relaxed = true;
	spec_operand(m, "I:2=3,4");
	spec_add_graph(m, NNMODEL_ADD, "F32:2=1,2 F32:2 i=0", "F32:2");
	assert_int_equal(m->referenced[2].operands[0].location.offset, 64);
	round_trip(m);
}

/*
 * Two constants in a pool, one in values; names of extensions, an operand and an operation of
 * theirs.
 */
static struct nnmodel *make_all(void)
{
	const uint32_t dims[] = { 4 };
	const float numbers[] = { 1, 2, 3, 4 };
	struct nnmodel *m = spec_model(NNMODEL_ADD, "F32:4 F32:4 i=0", "F32:4");
	int fd = memfd_new(0), ret;

	assert_int_equal(pwrite(fd, numbers, sizeof(numbers), 100), sizeof(numbers));
	assert_int_equal(nnmodel_add_pool(m, fd, PROT_READ, 4, 112), 0);
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	assert_int_equal(nnmodel_add_pool(m, fd, PROT_READ | PROT_WRITE, 0, 116), 1);
	assert_int_equal(nnmodel_set_value_from_pool(m, 1, 0, 96, 16), 0);
	spec_set_io(m);

	m->extensions = calloc(2, sizeof(*m->extensions));
	m->num_extensions = 2;
	m->extensions[0] = (struct nnmodel_extension){ strdup("com.example.first"), 7 };
	m->extensions[1] = (struct nnmodel_extension){ strdup("com.example.second"), 0x7fff };
	ret = nnmodel_add_operand(m, 7u << 16 | 3, NNMODEL_CONSTANT_REFERENCE, dims, 1, 0, 0);
	assert_true(ret > 0);
	m->main.operands[ret].location =
		(struct nnmodel_location){ .pool = 1, .offset = 100, .length = 5 };
	m->main.operands[ret].extension_data = strdup("opaque");
	m->main.operands[ret].extension_size = 6;
	fd = nnmodel_add_operand(m, 7u << 16 | 3, NNMODEL_SUBGRAPH_OUTPUT, dims, 1, 0, 0);
	assert_int_equal(nnmodel_add_operation(m, 0x7fffu << 16 | 9, (uint32_t[]){ (uint32_t)ret },
					       1, (uint32_t[]){ (uint32_t)fd }, 1),
			 1);
	spec_set_io(m);
	return m;
}

TEST(test_pools_and_extensions)
{
	struct nnmodel *m = make_all(), *read;
	struct bytes b = write_model(m, false);
	const float *numbers;

	/* what was in the pool came by value */
	assert_int_equal(nnmodel_parse(b.data, b.size, NULL, 0, &read), 0);
	numbers = (const float *)(read->values + read->main.operands[1].location.offset);
	assert_true(numbers[0] == 1 && numbers[3] == 4);
	nnmodel_free(read);
	free(b.data);
	round_trip(m);
}

/* ---- what is refused ---- */

TEST(test_descriptors)
{
	struct nnmodel *m = make_all(), *read = m;
	struct bytes b = write_model(m, true), value = write_model(m, false);
	int fds[3], bad[2];

	dup_pools(m, fds);
	fds[2] = bad[0] = fds[0];
	bad[1] = -1;
	assert_int_equal(nnmodel_parse(b.data, b.size, fds, 1, &read), -EINVAL);
	assert_null(read);
	assert_int_equal(nnmodel_parse(b.data, b.size, fds, 3, &read), -EINVAL);
	assert_int_equal(nnmodel_parse(b.data, b.size, NULL, 0, &read), -EINVAL);
	assert_int_equal(nnmodel_parse(b.data, b.size, NULL, 2, &read), -EINVAL);
	assert_int_equal(nnmodel_parse(b.data, b.size, bad, 2, &read), -EINVAL);
	assert_int_equal(nnmodel_parse(value.data, value.size, fds, 2, &read), -EINVAL);
	/* none of this took them */
	assert_true(fcntl(fds[0], F_GETFD) >= 0 && fcntl(fds[1], F_GETFD) >= 0);
	assert_int_equal(nnmodel_parse(b.data, b.size, fds, 2, &read), 0);
	assert_int_equal(read->pools[1].fd, fds[1]);
	nnmodel_free(read);
	assert_int_equal(fcntl(fds[0], F_GETFD), -1);
	free(b.data);
	free(value.data);
	nnmodel_free(m);
}

/* Cut anywhere, or one byte longer; exactly as long as it says, for the sanitizer. */
TEST(test_lengths)
{
	struct nnmodel *m = make_all(), *read;
	int fds[2];

	for (int places = 0; places < 2; places++) {
		struct bytes b = write_model(m, places);
		uint32_t num_fds = places ? dup_pools(m, fds) : 0;

		for (size_t size = 0; size <= b.size + 1; size++) {
			uint8_t *copy = malloc(size ? size : 1);

			if (size == b.size) {
				free(copy);
				continue;
			}
			memcpy(copy, b.data, size < b.size ? size : b.size);
			if (size > b.size)
				copy[b.size] = 0;
			assert_int_equal(nnmodel_parse(copy, size, fds, num_fds, &read), -EINVAL);
			assert_null(read);
			free(copy);
		}
		free(b.data);
		for (uint32_t i = 0; i < num_fds; i++)
			close(fds[i]);
	}
	nnmodel_free(m);
}

/* Each bit of it the other way round: refused, or another model with these very bytes. */
TEST(test_every_bit)
{
	struct nnmodel *m = make_all(), *read;
	int fds[2];

	for (int places = 0; places < 2; places++) {
		struct bytes b = write_model(m, places), again;
		size_t refused = 0, read_again = 0;

		for (size_t bit = 0; bit < b.size * 8; bit++) {
			uint32_t num_fds = places ? dup_pools(m, fds) : 0;
			int ret;

			b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			ret = nnmodel_parse(b.data, b.size, fds, num_fds, &read);
			if (!ret) {
				read_again++;
				again = write_model(read, places);
				assert_int_equal(again.size, b.size);
				assert_memory_equal(again.data, b.data, b.size);
				free(again.data);
				nnmodel_validate(read, NULL, NULL);
				nnmodel_free(read);
			} else {
				assert_int_equal(ret, -EINVAL);
				refused++;
				for (uint32_t i = 0; i < num_fds; i++)
					close(fds[i]);
			}
			b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		assert_true(refused > b.size && read_again > b.size);
		free(b.data);
	}
	nnmodel_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_operation),
		cmocka_unit_test(test_referenced),
		cmocka_unit_test(test_pools_and_extensions),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_every_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
