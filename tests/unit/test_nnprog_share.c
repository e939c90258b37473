// SPDX-License-Identifier: Apache-2.0
/* Constants whose contents come from elsewhere: their places, and the gaps before them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "test_case.h"

#define PAGE 4096u
#define LARGE ((uint32_t)NNPROG_SHARED_MIN)

struct shared {
	uint8_t *last; /* where the constant before began */
	unsigned int calls;
	int ret;
	void *memory;
	size_t size, bytes; /* of the program, and of them shared */
};

static void *memory(void *cookie, size_t size, size_t shared)
{
	struct shared *s = cookie;
	void *bytes = aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE);

	s->memory = bytes;
	s->size = size;
	s->bytes = shared;
	return bytes ? memset(bytes, 0, size) : NULL;
}

static int share(void *cookie, void *to, const void *from, size_t size)
{
	struct shared *s = cookie;

	assert_int_equal((uintptr_t)to % PAGE, (uintptr_t)from % PAGE);
	assert_true((uint8_t *)to > s->last);
	s->last = to;
	s->calls++;
	memcpy(to, from, size);
	return s->ret;
}

/* Of the source: one at each place, and a small one between them. */
static const size_t places[] = { 0, 64, PAGE - 64, 2112 };
#define CONSTANTS (sizeof(places) / sizeof(places[0]))

static struct nnprog_builder *build(const uint8_t *source, size_t skew, uint32_t size)
{
	const struct nnprog_operand large = { .dtype = NNPROG_INT8,
					      .shape = { 1, { size } },
					      .scale = 1 };
	const struct nnprog_operand small = { .dtype = NNPROG_INT8,
					      .shape = { 1, { 3 } },
					      .scale = 1 };
	const struct nnprog_operand x = { .dtype = NNPROG_FLOAT32, .shape = { 1, { 4 } } };
	const struct nnprog_attr_binary attr = { .kind = NNPROG_BINARY_ADD };
	struct nnprog_builder *b = nnprog_builder_create();
	uint32_t in[2], out;
	struct nnprog_error err;

	assert_int_equal(nnprog_builder_subgraph(b, "main"), 0);
	in[0] = (uint32_t)nnprog_builder_tensor(b, &x, NNPROG_INPUT, NULL, 0);
	in[1] = (uint32_t)nnprog_builder_tensor(b, &x, NNPROG_CONST, source, 16);
	for (size_t i = 0; i < CONSTANTS; i++) {
		assert_true(nnprog_builder_constant(b, &large, source + places[i] + skew, size) >
			    0);
		assert_true(nnprog_builder_tensor(b, &small, NNPROG_CONST, "abc", 3) > 0);
	}
	out = (uint32_t)nnprog_builder_tensor(b, &x, NNPROG_OUTPUT, NULL, 0);
	assert_int_equal(nnprog_builder_operation(b, NNPROG_OP_BINARY, &attr, sizeof(attr), in, 2,
						  &out, 1, NULL, &err),
			 0);
	assert_int_equal(nnprog_builder_io(b, in, 1, &out, 1), 0);
	return b;
}

static uint8_t *source(void)
{
	uint8_t *bytes = aligned_alloc(PAGE, 64 * PAGE);

	assert_non_null(bytes);
	for (size_t i = 0; i < 64 * PAGE; i++)
		bytes[i] = (uint8_t)(i * 31 + i / 251);
	return bytes;
}

static int finish(struct nnprog_builder *b, struct shared *s, void **bytes)
{
	struct nnprog_error err = { .text = "" };
	size_t size;
	int ret;

	nnprog_builder_memory(b, memory, s);
	nnprog_builder_share(b, share, s, PAGE);
	ret = nnprog_builder_finish(b, bytes, &size, &err);
	if (ret)
		assert_non_null(strstr(err.text, "tensor 2"));
	nnprog_builder_destroy(b);
	return ret;
}

/* The contents are those of a program without shares. */
static void check_constants(const void *bytes, size_t size, const uint8_t *from, size_t skew,
			    uint32_t large)
{
	struct nnprog_error err = { .text = "" };
	struct nnprog prog;
	size_t found = 0;

	if (nnprog_verify(bytes, size, &prog, &err))
		fail_msg("%s", err.text);
	for (uint32_t i = 2; i < prog.subgraphs[0].num_tensors; i++) {
		const struct nnprog_tensor *t = &prog.tensors[i];

		if (t->kind != NNPROG_CONST)
			continue;
		if (t->size == 3)
			assert_memory_equal(prog.data + t->offset, "abc", 3);
		else
			assert_memory_equal(prog.data + t->offset, from + places[found++] + skew,
					    large);
	}
	assert_int_equal(found, CONSTANTS);
}

TEST(test_places)
{
	uint8_t *from = source();
	struct shared s = { 0 };
	void *bytes;

	assert_int_equal(finish(build(from, 0, LARGE), &s, &bytes), 0);
	assert_int_equal(s.calls, CONSTANTS);
	assert_int_equal(s.bytes, CONSTANTS * LARGE);
	assert_int_equal(((const struct nnprog_header *)bytes)->version, NNPROG_VERSION);
	check_constants(bytes, s.size, from, 0, LARGE);
	free(bytes);
	free(from);
}

/* Small ones, and those whose place is none for a constant, are copied: as ever without gaps. */
TEST(test_copied)
{
	static const struct {
		size_t skew;
		uint32_t size;
	} cases[] = { { 0, LARGE - 1 }, { 4, LARGE }, { 63, LARGE } };
	uint8_t *from = source();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shared s = { 0 };
		void *bytes;

		assert_int_equal(finish(build(from, cases[i].skew, cases[i].size), &s, &bytes), 0);
		assert_int_equal(s.calls, 0);
		assert_int_equal(s.bytes, 0);
		assert_int_equal(((const struct nnprog_header *)bytes)->version,
				 NNPROG_VERSION_DENSE);
		check_constants(bytes, s.size, from, cases[i].skew, cases[i].size);
		free(bytes);
	}
	free(from);
}

TEST(test_share_fails)
{
	uint8_t *from = source();
	struct shared s = { .ret = -ENOMEM };
	void *bytes;

	assert_int_equal(finish(build(from, 0, LARGE), &s, &bytes), -ENOMEM);
	assert_null(bytes);
	assert_int_equal(s.calls, 1);
	free(s.memory);
	free(from);
}

static void repair(void *bytes)
{
	struct nnprog_header *h = bytes;

	h->crc32 = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (uint8_t *)bytes + sizeof(*h),
				     h->total_size - sizeof(*h));
}

static void check_refused(uint8_t *bytes, size_t size, const char *why)
{
	struct nnprog_error err = { .text = "" };
	struct nnprog prog;

	repair(bytes);
	assert_int_equal(nnprog_verify(bytes, size, &prog, &err), -EINVAL);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
}

/* Gaps: none in a dense program, of zeros, not before the end of the constant before, not too
 * large. */
TEST(test_gaps)
{
	static const char order[] = "constant is not in the order of the tensors";
	uint8_t *from = source();
	struct shared s = { 0 };
	struct nnprog_header *h;
	struct nnprog_tensor *t;
	uint8_t *data;
	void *bytes;

	assert_int_equal(finish(build(from, 0, LARGE), &s, &bytes), 0);
	h = bytes;
	t = (struct nnprog_tensor *)((uint8_t *)bytes + h->sections[NNPROG_TENSORS].offset);
	data = (uint8_t *)bytes + h->sections[NNPROG_DATA].offset;
	h->version = NNPROG_VERSION_DENSE;
	check_refused(bytes, s.size, order);
	h->version = NNPROG_VERSION + 1;
	check_refused(bytes, s.size, "version");
	h->version = NNPROG_VERSION;
	data[t[2].offset - 1] = 1;
	check_refused(bytes, s.size, "gap before the constant is not 0");
	data[t[2].offset - 1] = 0;
	t[2].offset += 32;
	check_refused(bytes, s.size, order);
	t[2].offset -= 32 + PAGE;
	check_refused(bytes, s.size, order);
	t[2].offset += PAGE + NNPROG_MAX_GAP;
	check_refused(bytes, s.size, order);
	t[2].offset = UINT64_MAX - 63;
	check_refused(bytes, s.size, order);
	free(bytes);
	free(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_copied),
		cmocka_unit_test(test_share_fails),
		cmocka_unit_test(test_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
