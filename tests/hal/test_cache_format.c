// SPDX-License-Identifier: Apache-2.0
/*
 * Cache entries with a right digest and wrong contents: of other versions, or made by a hostile
 * writer. No device is needed.
 */
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "hal_test.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "values/nnhal_values.h"
#include "cache/nnhal_cache.h"
#include "driver/nnhal_driver.h"
#include "fake_transport.h"

static struct fake *fake;
static struct nnhal_dev *dev;
static struct nnhal_cache_key key;
static struct nnhal_lowered program;
static struct nnmodel *model;
static uint8_t *bytes;
static size_t size;
static char message[NNHAL_MESSAGE];

FIXTURE(setup)
{
	static const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 7 };
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	fake = fake_create();
	assert_int_equal(nnhal_dev_create(&fake->base, &dev, message, sizeof(message)), 0);
	assert_int_equal(nnhal_cache_key_init(&key, dev, token), 0);
	model = hal_model_conv_int8();
	assert_int_equal(nnhal_lower_model(model, &dev->opset, &program, &err), 0);
	return 0;
}

FIXTURE(teardown)
{
	free(program.bytes);
	nnmodel_free(model);
	dev->base.ops->destroy(&dev->base);
	free(fake);
	return 0;
}

/* The entry of a model becomes the one that is tested. */
static void encode(const struct nnmodel *m, const struct nnhal_lowered *p, uint32_t priority)
{
	struct nnhal_cache_bytes file;

	assert_int_equal(nnhal_cache_encode(&key, m, p->bytes, p->size, priority, &file), 0);
	assert_ptr_equal(file.program, p->bytes);
	free(bytes);
	size = file.head_size + file.program_size;
	bytes = aligned_alloc(64, (size + 63) / 64 * 64);
	memcpy(bytes, file.head, file.head_size);
	memcpy(bytes + file.head_size, file.program, file.program_size);
	free(file.head);
}

/* A good entry, for the test to spoil. */
FIXTURE(fresh)
{
	encode(model, &program, NNHAL_PRIORITY_HIGH);
	return 0;
}

FIXTURE(done)
{
	free(bytes);
	bytes = NULL;
	return 0;
}

static struct nnhal_cache_header *header(void)
{
	return (struct nnhal_cache_header *)bytes;
}

static int decode(const struct nnhal_cache_key *with)
{
	struct nnhal_cache_entry entry;
	int ret;

	nnhal_cache_digest(bytes, size, header()->digest);
	message[0] = '\0';
	ret = nnhal_cache_decode(with, bytes, size, header()->digest, &entry, message);
	assert_int_equal(ret == 0, entry.model != NULL);
	assert_int_equal(ret == 0, message[0] == '\0');
	nnmodel_free(entry.model);
	return ret;
}

TEST(test_good)
{
	uint8_t digest[NNHAL_CACHE_DIGEST];
	struct nnhal_cache_entry entry;
	const struct nnmodel_operand *o;

	nnhal_cache_digest(bytes, size, digest);
	assert_int_equal(nnhal_cache_decode(&key, bytes, size, digest, &entry, message), 0);
	assert_int_equal(entry.priority, NNHAL_PRIORITY_HIGH);
	assert_int_equal(entry.program_size, program.size);
	assert_memory_equal(entry.program, program.bytes, program.size);
	assert_int_equal(entry.model->main.num_inputs, 1);
	assert_int_equal(entry.model->main.num_outputs, 1);
	o = &entry.model->main.operands[entry.model->main.inputs[0]];
	assert_int_equal(o->type, NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED);
	assert_int_equal(o->lifetime, NNMODEL_SUBGRAPH_INPUT);
	assert_int_equal(o->rank, 4);
	assert_memory_equal(o->dims, HAL_DIMS(1, 2, 2, 1), 16);
	assert_true(o->scale == 0.5f && o->zero_point == 1);
	nnmodel_free(entry.model);
}

/* Everything that an entry is bound to. */
TEST(test_other_versions)
{
	struct nnhal_cache_key other;

	other = key;
	other.fw_version++;
	assert_int_equal(decode(&other), -ESTALE);
	assert_non_null(strstr(message, "firmware"));
	other = key;
	other.contract_version++;
	assert_int_equal(decode(&other), -ESTALE);
	other = key;
	other.opset_version++;
	assert_int_equal(decode(&other), -ESTALE);
	other = key;
	other.build ^= 1;
	assert_int_equal(decode(&other), -ESTALE);
	assert_non_null(strstr(message, "another build of this library"));
	other = key;
	other.opset[31] ^= 1;
	assert_int_equal(decode(&other), -ESTALE);
	other = key;
	other.token[0] ^= 1;
	assert_int_equal(decode(&other), -ESTALE);
	assert_int_equal(decode(&key), 0);
	header()->format_version = htole32(NNHAL_CACHE_VERSION + 1);
	assert_int_equal(decode(&key), -ESTALE);
	header()->format_version = htole32(NNHAL_CACHE_VERSION);
	header()->program_version = htole32(NNPROG_VERSION + 1);
	assert_int_equal(decode(&key), -ESTALE);
}

/* An operation that the device has no longer is another device. */
TEST(test_key_of_the_operations)
{
	struct nnhal_cache_key other;
	bool present = dev->opset.ops[NNPROG_OP_BINARY].present;

	dev->opset.ops[NNPROG_OP_BINARY].present = !present;
	assert_int_equal(nnhal_cache_key_init(&other, dev, key.token), 0);
	dev->opset.ops[NNPROG_OP_BINARY].present = present;
	assert_memory_not_equal(other.opset, key.opset, sizeof(key.opset));
	assert_int_equal(decode(&other), -ESTALE);
}

/* Nor is an operation that the firmware runs with other code the one that an entry was made for. */
TEST(test_key_of_the_builds)
{
	struct nnhal_cache_key other;

	assert_true(key.build);
	dev->opset.ops[NNPROG_OP_BINARY].build ^= 1;
	assert_int_equal(nnhal_cache_key_init(&other, dev, key.token), 0);
	dev->opset.ops[NNPROG_OP_BINARY].build ^= 1;
	assert_int_equal(decode(&other), -ESTALE);
	assert_non_null(strstr(message, "another build of the firmware"));
	assert_int_equal(nnhal_cache_key_init(&other, dev, key.token), 0);
	assert_int_equal(decode(&other), 0);
}

TEST(test_hostile_header)
{
	struct nnhal_cache_header good = *header();
	const uint64_t lies[] = { 0,   1,	   63,	      64,	  65,
				  256, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 255 };

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		uint64_t lie = htole64(lies[i]);

		*header() = good;
		header()->signature_size = lie;
		assert_true(decode(&key) < 0);
		*header() = good;
		header()->program_size = lie;
		assert_true(decode(&key) < 0);
		*header() = good;
		header()->file_size = lie;
		assert_true(decode(&key) < 0);
		if (lie == good.program_offset)
			continue;
		*header() = good;
		header()->program_offset = lie;
		assert_true(decode(&key) < 0);
	}
	*header() = good;
	header()->priority = htole32(NNHAL_PRIORITY_HIGH + 1);
	assert_int_equal(decode(&key), -EINVAL);
	*header() = good;
	header()->reserved[55] = 1;
	assert_int_equal(decode(&key), -EINVAL);
}

/* Change every word of the signature: an accepted entry must fit the program. */
TEST(test_hostile_signature)
{
	static const uint32_t values[] = { 0,	       1,	   2,	       3,	  4,
					   5,	       15,	   16,	       99,	  0x10001,
					   0x7fc00000, 0x7f800000, 0x80000000, UINT32_MAX };
	uint64_t words = le64toh(header()->signature_size) / 4;
	uint32_t *word = (uint32_t *)(header() + 1), old;
	unsigned int refused = 0;

	assert_true(words > 10);
	for (uint64_t i = 0; i < words; i++) {
		old = word[i];
		for (size_t n = 0; n < sizeof(values) / sizeof(values[0]); n++) {
			word[i] = htole32(values[n]);
			refused += decode(&key) != 0;
		}
		word[i] = old;
	}
	/* scales and zero points may be others, and 0 is an unknown dimension */
	assert_true(refused > words * 8);
	assert_int_equal(decode(&key), 0);
}

/* The signature of another model before this program. */
TEST(test_foreign_signature)
{
	struct nnmodel *other = hal_model_add();

	encode(other, &program, 0);
	nnmodel_free(other);
	assert_int_equal(decode(&key), -EINVAL);
	assert_non_null(strstr(message, "signature"));
}

/* com.example.fibonacci: n of its own scalar to [10] of its own tensor. */
static struct nnmodel *model_of_extension(void)
{
	static const struct {
		double scale;
		int64_t zero_point;
	} quant = { 0.5, 10 };
	struct nnmodel *m = nnmodel_new();
	uint32_t in, out;

	m->extensions = calloc(1, sizeof(*m->extensions));
	m->extensions[0] = (struct nnmodel_extension){ strdup("com.example.fibonacci"), 7 };
	m->num_extensions = 1;
	in = hal_tensor(m, 7u << 16, NNMODEL_SUBGRAPH_INPUT, NULL, 0, 0, 0);
	out = hal_tensor(m, 7u << 16 | 1, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(10), 1, 0, 0);
	m->main.operands[out].extension_data = malloc(sizeof(quant));
	memcpy(m->main.operands[out].extension_data, &quant, sizeof(quant));
	m->main.operands[out].extension_size = sizeof(quant);
	assert_int_equal(nnmodel_add_operation(m, 7u << 16, HAL_LIST(in), HAL_LIST(out)), 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(in), HAL_LIST(out)), 0);
	return m;
}

/* Types that only the table of names explains. */
TEST(test_extension_types)
{
	struct nnhal_opset opset = dev->opset;
	struct nnhal_cache_entry entry;
	struct nnmodel *m = model_of_extension();
	struct nnhal_lowered lowered;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	uint8_t *name, digest[NNHAL_CACHE_DIGEST];

	opset.extensions = UINT32_MAX;
	assert_int_equal(nnhal_lower_model(m, &opset, &lowered, &err), 0);
	encode(m, &lowered, 0);
	nnhal_cache_digest(bytes, size, digest);
	assert_int_equal(nnhal_cache_decode(&key, bytes, size, digest, &entry, message), 0);
	assert_int_equal(entry.model->num_extensions, 1);
	assert_int_equal(entry.model->main.operands[1].type, 7u << 16 | 1);
	assert_int_equal(entry.model->main.operands[1].extension_size, 16);
	assert_memory_equal(entry.model->main.operands[1].extension_data,
			    m->main.operands[1].extension_data, 16);
	nnmodel_free(entry.model);

	/*
	 * a name that the driver does not know, one that no extension can have, an undeclared
	 * prefix
	 */
	name = memmem(header() + 1, 64, "com.example", 11);
	assert_non_null(name);
	name[0]++;
	assert_int_equal(decode(&key), -EINVAL);
	assert_non_null(strstr(message, "signature"));
	name[0] = 'C';
	assert_int_equal(decode(&key), -EINVAL);
	name[0] = 'c';
	assert_int_equal(decode(&key), 0);
	name[-12] = 8; /* before the length: the prefix */
	assert_int_equal(decode(&key), -EINVAL);
	free(lowered.bytes);
	nnmodel_free(m);
}

/* An extension that the device has no longer is another device. */
TEST(test_key_of_the_extensions)
{
	struct nnhal_cache_key other;

	dev->opset.extensions ^= 1;
	assert_int_equal(nnhal_cache_key_init(&other, dev, key.token), 0);
	dev->opset.extensions ^= 1;
	assert_memory_not_equal(other.opset, key.opset, sizeof(key.opset));
	assert_int_equal(decode(&other), -ESTALE);
}

TEST(test_program_that_does_not_verify)
{
	uint64_t offset = le64toh(header()->program_offset);

	bytes[offset + 300] ^= 1;
	assert_int_equal(decode(&key), -EINVAL);
	assert_non_null(strstr(message, "program"));
}

/* The digest of a model depends on the values of constants, not on their place. */
TEST(test_model_digest)
{
	uint8_t digest[NNHAL_CACHE_DIGEST];

	memcpy(digest, header()->model, sizeof(digest));
	model->values[0] ^= 1;
	encode(model, &program, 0);
	model->values[0] ^= 1;
	assert_memory_not_equal(digest, header()->model, sizeof(digest));
}

TEST(test_too_short)
{
	struct nnhal_cache_entry entry;

	for (size_t n = 0; n < size; n += n < 256 ? 1 : 61) {
		void *copy = aligned_alloc(64, (n + 64) / 64 * 64);
		uint8_t digest[NNHAL_CACHE_DIGEST] = { 0 };

		memcpy(copy, bytes, n);
		if (n >= sizeof(struct nnhal_cache_header))
			nnhal_cache_digest(copy, n, digest);
		assert_true(nnhal_cache_decode(&key, copy, n, digest, &entry, message) < 0);
		free(copy);
	}
}

/* The digest of parts is that of the whole, for every rest. */
TEST(test_digest_in_parts)
{
	static uint8_t file[8192];
	uint8_t whole[NNHAL_CACHE_DIGEST], parts[NNHAL_CACHE_DIGEST];
	const size_t head = sizeof(struct nnhal_cache_header);

	for (size_t i = 0; i < sizeof(file); i++)
		file[i] = (uint8_t)(i * 2654435761u >> 13);
	for (size_t n = head; n < 1000; n++) {
		struct nnhal_cache_sum sum;

		nnhal_cache_digest(file, n, whole);
		nnhal_cache_sum_begin(&sum);
		for (size_t at = head; at < n; at += 192)
			nnhal_cache_sum_add(&sum, file + at, n - at < 192 ? n - at : 192);
		nnhal_cache_sum_end(&sum, (const void *)file, parts);
		assert_memory_equal(whole, parts, sizeof(whole));
		file[n - 1] ^= 1;
		nnhal_cache_digest(file, n, parts);
		file[n - 1] ^= 1;
		assert_memory_not_equal(whole, parts, sizeof(whole));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest_in_parts),
		cmocka_unit_test_setup_teardown(test_good, fresh, done),
		cmocka_unit_test_setup_teardown(test_other_versions, fresh, done),
		cmocka_unit_test_setup_teardown(test_key_of_the_operations, fresh, done),
		cmocka_unit_test_setup_teardown(test_key_of_the_builds, fresh, done),
		cmocka_unit_test_setup_teardown(test_hostile_header, fresh, done),
		cmocka_unit_test_setup_teardown(test_hostile_signature, fresh, done),
		cmocka_unit_test_setup_teardown(test_foreign_signature, fresh, done),
		cmocka_unit_test_setup_teardown(test_extension_types, fresh, done),
		cmocka_unit_test_setup_teardown(test_key_of_the_extensions, fresh, done),
		cmocka_unit_test_setup_teardown(test_program_that_does_not_verify, fresh, done),
		cmocka_unit_test_setup_teardown(test_model_digest, fresh, done),
		cmocka_unit_test_setup_teardown(test_too_short, fresh, done),
	};

	return cmocka_run_group_tests_name("hal-cache-format", tests, setup, teardown);
}
