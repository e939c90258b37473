// SPDX-License-Identifier: Apache-2.0
/*
 * The values of nnhal.h as bytes: every kind there and back, cut at every byte, with every bit
 * flipped, and no descriptor or memory left. NULL and what a careless client gives arrive as such.
 */
#include "samples.h"
#include "wire_test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "messages/nnipc_messages.h"
#include "values/nnhal_values.h"

TEST(test_round_trips)
{
	idl_check_round_trips(nnipc_sample_rows, nnipc_num_sample_rows);
}

TEST(test_cut)
{
	idl_check_cut(nnipc_sample_rows, nnipc_num_sample_rows);
}

TEST(test_flips)
{
	idl_check_flips(nnipc_sample_rows, nnipc_num_sample_rows);
}

TEST(test_failed_reader)
{
	idl_check_failed(nnipc_sample_rows, nnipc_num_sample_rows);
}

TEST(test_members)
{
	idl_check_members(nnipc_sample_rows, nnipc_num_sample_rows);
}

/* A writer's message, to be read; the descriptors are those of the samples. */
static struct nnipc_reader reader_of(struct nnipc_writer *w)
{
	struct nnipc_reader r;

	assert_int_equal(w->error, 0);
	nnipc_reader_init(&r, w->data, w->size, w->fds, w->num_fds);
	return r;
}

/* Lists that the client did not give keep their length; slots take the place of memory. */
TEST(test_request)
{
	const struct nnhal_request *got;
	struct nnipc_writer w = { 0 };
	struct nnipc_request own;
	struct nnipc_reader r;

	for (int with_slots = 0; with_slots < 2; with_slots++) {
		nnipc_put_request(&w, sample_request_of(0), with_slots ? sample_slots : NULL);
		assert_int_equal(w.num_fds, !with_slots);
		r = reader_of(&w);
		got = nnipc_get_request(&r, &own);
		assert_int_equal(nnipc_reader_end(&r), 0);
		assert_true(sample_same_request(got, sample_request_of(0)));
		assert_ptr_equal(got->pools, own.pools);
		assert_int_equal(own.slots[0], with_slots ? 17 : UINT32_MAX);
		if (!with_slots) {
			assert_true(same_file(own.pools[0].memory.fd, sample_fd()));
			assert_int_equal(own.pools[0].memory.prot, PROT_READ);
			assert_int_equal(own.pools[0].memory.offset, 4096);
			assert_true(own.pools[0].memory.size == 1ull << 33);
			own.pools[0].memory.fd = -1; /* the samples' */
		} else {
			assert_int_equal(own.pools[0].memory.fd, -1);
		}
		assert_int_equal(own.pools[2].memory.fd, -1);
		assert_int_equal(own.pools[2].memory.prot, -1);
		nnipc_request_free(&own);
		nnipc_writer_reset(&w);
	}
	nnipc_put_request(&w, sample_request_of(2), NULL);
	r = reader_of(&w);
	got = nnipc_get_request(&r, &own);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_true(got->num_inputs == 2 && !got->inputs);
	assert_true(got->num_outputs == 1 && got->outputs);
	assert_true(got->num_pools == UINT32_MAX && !got->pools);
	nnipc_request_free(&own);
	nnipc_writer_fini(&w);
}

/* A text without an end is cut. */
TEST(test_texts)
{
	struct nnhal_execution_result sent = NNHAL_EXECUTION_RESULT_INIT, got;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	memset(sent.message, 'm', sizeof(sent.message));
	nnipc_put_result(&w, &sent);
	r = reader_of(&w);
	nnipc_get_result(&r, &got);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_int_equal(strlen(got.message), sizeof(got.message) - 1);
	nnipc_writer_fini(&w);
}

/* A worker that wants its client to allocate, or to read what is not there. */
TEST(test_hostile_results)
{
	struct nnhal_execution_result got;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	for (int how = 0; how < 3; how++) {
		/* too many shapes; too high a rank; a rank without dimensions */
		uint32_t shapes = how ? 1 : 65537, rank = how == 1 ? 257 : how == 2 ? 4 : 0;

		nnipc_writer_reset(&w);
		nnipc_put_u32(&w, shapes);
		for (uint32_t i = 0; i < shapes; i++) {
			nnipc_put_u32(&w, rank);
			nnipc_put_bool(&w, how != 2);
			for (uint32_t k = 0; k < rank && how != 2; k++)
				nnipc_put_u32(&w, k);
			nnipc_put_bool(&w, true);
		}
		nnipc_put_timing(&w, &(struct nnhal_timing){ 1, 2 });
		nnipc_put_text(&w, "text");
		r = reader_of(&w);
		nnhal_result_init(&got);
		nnipc_get_result(&r, &got);
		assert_int_equal(nnipc_reader_end(&r), -EBADMSG);
		assert_true(!got.num_shapes && !got.shapes && !got.message[0]);
		assert_true(got.timing.in_driver_ns == NNHAL_NO_TIME);
	}
	nnipc_writer_fini(&w);
}

TEST(test_statuses)
{
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;
	uint32_t valid = 0;

	for (uint32_t value = 0; value < 20000; value++) {
		nnipc_writer_reset(&w);
		nnipc_put_u32(&w, value);
		r = reader_of(&w);
		if ((uint32_t)nnipc_get_status(&r) == value && !r.error)
			valid++;
		else
			assert_int_equal(r.error, -EBADMSG);
	}
	assert_int_equal(valid, 10);
	r = reader_of(&w);
	assert_int_equal(nnipc_get_status(&r), NNHAL_GENERAL_FAILURE);
	nnipc_writer_fini(&w);
}

TEST(test_errors)
{
	static const int64_t good[] = { 0, -1, -4095 };
	static const int64_t bad[] = { 1, -4096, INT64_MIN, INT64_MAX, -(1ll << 32) - 1 };
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		nnipc_writer_reset(&w);
		nnipc_put_i64(&w, good[i]);
		r = reader_of(&w);
		assert_int_equal(nnipc_get_errno(&r), (int)good[i]);
		assert_int_equal(nnipc_reader_end(&r), 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		nnipc_writer_reset(&w);
		nnipc_put_i64(&w, bad[i]);
		r = reader_of(&w);
		assert_int_equal(nnipc_get_errno(&r), 0);
		assert_int_equal(nnipc_reader_end(&r), -EBADMSG);
	}
	nnipc_writer_fini(&w);
}

TEST(test_models)
{
	struct nnmodel *sent = sample_model(0), *got;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;
	int *fds;

	nnipc_put_model(&w, sent);
	fds = idl_receive_fds(&w);
	nnipc_reader_init(&r, w.data, w.size, fds, w.num_fds);
	got = nnipc_get_model(&r);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_int_equal(got->num_pools, 3);
	assert_true(got->pools[2].offset == 8192 && got->pools[2].size == 66);
	assert_int_equal(got->main.num_operands, 5);
	assert_string_equal(got->extensions[0].name, "vendor.name");
	nnmodel_free(got);
	idl_drop_fds(fds, w.num_fds);
	nnipc_writer_reset(&w);
	/* no model is one of a size that cannot be */
	sent->size = 4;
	nnipc_put_u32(&w, 5);
	nnipc_put_model(&w, sent);
	assert_int_equal(w.num_fds, 0);
	r = reader_of(&w);
	assert_int_equal(nnipc_get_u32(&r), 5);
	assert_null(nnipc_get_model(&r));
	assert_int_equal(nnipc_reader_end(&r), 0);
	sent->size = sizeof(*sent);
	nnmodel_free(sent);
	nnipc_writer_reset(&w);
	/* a pool without a descriptor is the vendor library's to refuse */
	sent = sample_model(2);
	nnipc_put_model(&w, sent);
	r = reader_of(&w);
	got = nnipc_get_model(&r);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_int_equal(got->pools[0].fd, -1);
	assert_int_equal(nnmodel_validate(got, NULL, NULL), -EINVAL);
	nnmodel_free(got);
	nnmodel_free(sent);
	nnipc_writer_fini(&w);
}

/* A device with something everywhere. */
static struct nnhal_capabilities some_capabilities(void)
{
	struct nnhal_capabilities c = { .size = sizeof(c) };

	c.relaxed_scalar = (struct nnhal_performance){ 1, 2 };
	c.while_performance = (struct nnhal_performance){ 7, 8 };
	for (int i = 0; i < NNMODEL_TYPE_COUNT; i++)
		c.operand[i] = (struct nnhal_performance){ 0.5f + (float)i, 3 };
	return c;
}

static struct nnipc_description some_description(void)
{
	static struct nnhal_extension_type types[] = { { 1, true, 2 }, { UINT16_MAX, false, 0 } };
	static struct nnipc_extension list[] = { { (char *)"vendor.a", types, 2 },
						 { NULL, NULL, 0 } };

	return (struct nnipc_description){
		.name = (char *)"nnaccel-card0",
		.version = (char *)"1.2",
		.type = 4,
		.feature_level = 8,
		.capabilities = some_capabilities(),
		.num_model_cache = 1,
		.num_data_cache = 2,
		.extensions = { NNHAL_NONE, list, 2 },
	};
}

TEST(test_descriptions)
{
	struct nnipc_description a = some_description(), b;
	struct nnhal_extension_type *type;
	struct nnipc_extension *e;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	nnipc_put_description(&w, &a);
	r = reader_of(&w);
	nnipc_get_description(&r, &b);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_null(nnipc_description_differs(&a, &b));
	a.capabilities.if_performance.exec_time = b.capabilities.if_performance.exec_time = NAN;
	assert_null(nnipc_description_differs(&a, &b));
	b.num_data_cache++;
	assert_string_equal(nnipc_description_differs(&a, &b), "cache files");
	b.capabilities.operand[3].power_usage = 0;
	assert_string_equal(nnipc_description_differs(&a, &b), "capabilities");
	e = (struct nnipc_extension *)&b.extensions.list[0];
	type = (struct nnhal_extension_type *)&e->types[1];
	type->byte_size++;
	assert_string_equal(nnipc_description_differs(&a, &b), "extensions");
	type->byte_size--;
	e->name[0] = 'V';
	assert_string_equal(nnipc_description_differs(&a, &b), "extensions");
	b.feature_level++;
	assert_string_equal(nnipc_description_differs(&a, &b), "feature level");
	b.type++;
	assert_string_equal(nnipc_description_differs(&a, &b), "type");
	b.version[0]++;
	assert_string_equal(nnipc_description_differs(&a, &b), "version");
	b.name[0]++;
	assert_string_equal(nnipc_description_differs(&a, &b), "name");
	nnipc_description_free(&b);
	nnipc_writer_reset(&w);
	/* a device without a name is none */
	a.name = NULL;
	nnipc_put_description(&w, &a);
	r = reader_of(&w);
	nnipc_get_description(&r, &b);
	assert_int_equal(nnipc_reader_end(&r), -EBADMSG);
	assert_true(!b.version && !b.extensions.list && !b.extensions.count);
	nnipc_writer_fini(&w);
}

/* ---- asking a device ---- */

static const char *device_name;

static const char *name(struct nnhal_device *dev)
{
	(void)dev;
	return device_name;
}

static enum nnhal_device_type type(struct nnhal_device *dev)
{
	(void)dev;
	return NNHAL_DEVICE_GPU;
}

static uint32_t feature_level(struct nnhal_device *dev)
{
	(void)dev;
	return 6;
}

static enum nnhal_status get_capabilities(struct nnhal_device *dev, struct nnhal_capabilities *caps)
{
	(void)dev;
	assert_int_equal(caps->size, sizeof(*caps));
	*caps = some_capabilities();
	return NNHAL_NONE;
}

static enum nnhal_status get_cache_files(struct nnhal_device *dev, uint32_t *model, uint32_t *data)
{
	(void)dev;
	*model = 3;
	*data = 4;
	return NNHAL_GENERAL_FAILURE;
}

static enum nnhal_status
get_extensions(struct nnhal_device *dev,
	       int (*found)(void *cookie, const struct nnhal_extension *ext), void *cookie)
{
	struct nnhal_extension_type types[] = { { 1, true, 2 }, { 3, false, 4 } };
	struct nnhal_extension ext = { sizeof(ext), 2, "vendor.a", types };

	(void)dev;
	assert_int_equal(found(cookie, &ext), 0);
	ext = (struct nnhal_extension){ sizeof(ext), 0, "vendor.b", NULL };
	assert_int_equal(found(cookie, &ext), 0);
	return NNHAL_NONE;
}

TEST(test_describe)
{
	static const struct nnhal_device_ops ops = {
		.size = sizeof(ops),
		.name = name,
		.version = name,
		.type = type,
		.feature_level = feature_level,
		.get_capabilities = get_capabilities,
		.get_number_of_cache_files = get_cache_files,
		.get_supported_extensions = get_extensions,
	};
	const struct nnhal_capabilities caps = some_capabilities();
	struct nnhal_device dev = { &ops };
	struct nnipc_description d;

	assert_int_equal(nnipc_describe(&dev, &d), -EINVAL);
	device_name = "a device";
	assert_int_equal(nnipc_describe(&dev, &d), 0);
	assert_string_equal(d.name, "a device");
	assert_string_equal(d.version, "a device");
	assert_true(d.type == NNHAL_DEVICE_GPU && d.feature_level == 6);
	assert_int_equal(d.capabilities_status, NNHAL_NONE);
	assert_memory_equal(&d.capabilities, &caps, sizeof(caps));
	assert_int_equal(d.cache_files_status, NNHAL_GENERAL_FAILURE);
	assert_int_equal(d.extensions.count, 2);
	assert_string_equal(d.extensions.list[0].name, "vendor.a");
	assert_int_equal(d.extensions.list[0].num_types, 2);
	assert_int_equal(d.extensions.list[0].types[1].byte_size, 4);
	assert_int_equal(d.extensions.list[1].num_types, 0);
	nnipc_description_free(&d);
}

TEST(test_method_names)
{
	for (size_t i = 0; i < nnipc_num_sample_rows; i++) {
		const uint32_t method = nnipc_sample_rows[i].method;

		assert_true(!method || strstr(nnipc_method_name(method), "::"));
		for (size_t k = 0; k < i; k++)
			if (nnipc_sample_rows[k].method != method)
				assert_string_not_equal(
					nnipc_method_name(method),
					nnipc_method_name(nnipc_sample_rows[k].method));
	}
	assert_string_equal(nnipc_method_name(NNIPC_PREPARED_EXECUTE), "IPreparedModel::execute");
	assert_string_equal(nnipc_method_name(NNIPC_BURST_EXECUTE), "IBurst::executeSynchronously");
	assert_string_equal(nnipc_method_name(NNIPC_SESSION_OPEN), "session::open");
	assert_string_equal(nnipc_method_name(NNIPC_NOTIFY_PREPARED),
			    "IPreparedModelCallback::notify");
	assert_string_equal(nnipc_method_name(0x999), "method 0x999");
	assert_string_equal(nnipc_method_name(UINT32_MAX), "method 0xffffffff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flips),	    cmocka_unit_test(test_failed_reader),
		cmocka_unit_test(test_members),	    cmocka_unit_test(test_request),
		cmocka_unit_test(test_texts),	    cmocka_unit_test(test_hostile_results),
		cmocka_unit_test(test_statuses),    cmocka_unit_test(test_errors),
		cmocka_unit_test(test_models),	    cmocka_unit_test(test_descriptions),
		cmocka_unit_test(test_describe),    cmocka_unit_test(test_method_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
