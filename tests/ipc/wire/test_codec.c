// SPDX-License-Identifier: Apache-2.0
/*
 * The values of nnhal.h as bytes: every kind there and back, cut at every byte, with every bit
 * flipped, and no descriptor or memory left. NULL and what a careless client gives arrive as such.
 */
#include "wire_test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "messages/nnipc_messages.h"
#include "values.h"
#include "values/nnhal_values.h"

/* The descriptors of a message, as its receiver has them. */
static int *receive_fds(const struct nnipc_writer *w)
{
	int *fds = calloc(w->num_fds + 1, sizeof(*fds));

	assert_non_null(fds);
	for (uint32_t i = 0; i < w->num_fds; i++) {
		fds[i] = fcntl(w->fds[i], F_DUPFD_CLOEXEC, 0);
		assert_true(fds[i] >= 0);
	}
	return fds;
}

static void drop_fds(int *fds, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
}

/* A sample of each kind, for all that the tests do with one. */
static void for_each(void (*body)(const struct value_kind *kind, const struct nnipc_writer *w))
{
	for (int k = 0; k < V_END; k++) {
		for (uint32_t sample = 0; sample < VALUE_SAMPLES; sample++) {
			struct nnipc_writer w = { 0 };
			uint32_t before;

			value_kinds[k].put(&w, sample);
			assert_int_equal(w.error, 0);
			before = open_fds();
			body(&value_kinds[k], &w);
			if (open_fds() != before)
				fail_msg("%s, sample %u: descriptors are left", value_kinds[k].name,
					 sample);
			nnipc_writer_fini(&w);
		}
	}
}

static void check_round_trip(const struct value_kind *kind, const struct nnipc_writer *w)
{
	int *fds = receive_fds(w);
	struct nnipc_writer again = { 0 };
	struct nnipc_reader r;

	nnipc_reader_init(&r, w->data, w->size, fds, w->num_fds);
	kind->copy(&r, &again);
	if (nnipc_reader_end(&r) || again.size != w->size || again.num_fds != w->num_fds ||
	    memcmp(again.data, w->data, w->size))
		fail_msg("%s: it is not what was sent", kind->name);
	nnipc_writer_fini(&again);
	drop_fds(fds, w->num_fds);
}

TEST(test_round_trips)
{
	for_each(check_round_trip);
}

static void check_cut(const struct value_kind *kind, const struct nnipc_writer *w)
{
	for (size_t size = 0; size < w->size; size++) {
		int *fds = receive_fds(w);
		uint8_t *exact = malloc(size + !size);
		struct nnipc_reader r;

		assert_non_null(exact);
		memcpy(exact, w->data, size);
		nnipc_reader_init(&r, exact, size, fds, w->num_fds);
		kind->copy(&r, NULL);
		if (nnipc_reader_end(&r) != -EBADMSG)
			fail_msg("%s: %zu of %zu bytes are accepted", kind->name, size, w->size);
		free(exact);
		drop_fds(fds, w->num_fds);
	}
}

TEST(test_cut)
{
	for_each(check_cut);
}

/* What is read from other bytes, if anything, is written as bytes that mean the same. */
static void check_flips(const struct value_kind *kind, const struct nnipc_writer *w)
{
	uint8_t *copy = malloc(w->size);

	assert_non_null(copy);
	memcpy(copy, w->data, w->size);
	for (size_t bit = 0; bit < 8 * w->size; bit++) {
		struct nnipc_writer once = { 0 }, twice = { 0 };
		int *fds = receive_fds(w), *more = NULL;
		struct nnipc_reader r;

		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		nnipc_reader_init(&r, copy, w->size, fds, w->num_fds);
		kind->copy(&r, &once);
		if (!nnipc_reader_end(&r)) {
			/* its descriptors are closed by now; others will do */
			for (uint32_t i = 0; i < once.num_fds; i++)
				once.fds[i] = sample_fd();
			more = receive_fds(&once);
			nnipc_reader_init(&r, once.data, once.size, more, once.num_fds);
			kind->copy(&r, &twice);
			if (nnipc_reader_end(&r) || twice.size != once.size ||
			    memcmp(twice.data, once.data, once.size))
				fail_msg("%s: bit %zu makes two values", kind->name, bit);
			drop_fds(more, once.num_fds);
		}
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		nnipc_writer_fini(&once);
		nnipc_writer_fini(&twice);
		drop_fds(fds, w->num_fds);
	}
	free(copy);
}

TEST(test_flips)
{
	for_each(check_flips);
}

/* A reader that has failed: every getter gives an empty value, and takes no descriptor. */
static void check_failed(const struct value_kind *kind, const struct nnipc_writer *w)
{
	int *fds = receive_fds(w);
	struct nnipc_reader r;

	nnipc_reader_init(&r, w->data, w->size, fds, w->num_fds);
	nnipc_reader_no_memory(&r);
	kind->copy(&r, NULL);
	assert_int_equal(nnipc_reader_end(&r), -ENOMEM);
	assert_int_equal(r.next_fd, 0);
	drop_fds(fds, w->num_fds);
}

TEST(test_failed_reader)
{
	for_each(check_failed);
}

/* ---- that the bytes have all of it ---- */

/* A writer's message, to be read; the descriptors are those of the samples. */
static struct nnipc_reader reader_of(struct nnipc_writer *w)
{
	struct nnipc_reader r;

	assert_int_equal(w->error, 0);
	nnipc_reader_init(&r, w->data, w->size, w->fds, w->num_fds);
	return r;
}

static void same_arguments(const struct nnhal_request_argument *a,
			   const struct nnhal_request_argument *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(a[i].has_no_value, b[i].has_no_value);
		assert_int_equal(a[i].pool, b[i].pool);
		assert_true(a[i].offset == b[i].offset && a[i].length == b[i].length &&
			    a[i].padding == b[i].padding);
		assert_int_equal(a[i].rank, b[i].rank);
		assert_int_equal(!a[i].dims, !b[i].dims);
		if (a[i].dims)
			assert_memory_equal(a[i].dims, b[i].dims, a[i].rank * sizeof(uint32_t));
	}
}

TEST(test_request)
{
	static const uint32_t slots[] = { 5, UINT32_MAX, UINT32_MAX };
	struct nnhal_request sent = sample_request(0);
	struct nnipc_request got;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	for (int with_slots = 0; with_slots < 2; with_slots++) {
		nnipc_put_request(&w, &sent, with_slots ? slots : NULL);
		assert_int_equal(w.num_fds, !with_slots);
		r = reader_of(&w);
		nnipc_get_request(&r, &got);
		assert_int_equal(nnipc_reader_end(&r), 0);
		assert_true(got.present);
		assert_int_equal(got.request.size, sizeof(sent));
		assert_int_equal(got.request.num_inputs, 3);
		assert_int_equal(got.request.num_outputs, 2);
		assert_int_equal(got.request.num_pools, 3);
		same_arguments(got.request.inputs, sent.inputs, 3);
		same_arguments(got.request.outputs, sent.outputs, 2);
		assert_ptr_equal(got.request.pools, got.pools);
		assert_int_equal(got.slots[0], with_slots ? 5 : UINT32_MAX);
		if (!with_slots) {
			assert_true(got.pools[0].memory.fd >= 0);
			assert_int_equal(got.pools[0].memory.prot, PROT_READ);
			assert_int_equal(got.pools[0].memory.offset, 4096);
			assert_true(got.pools[0].memory.size == 1ull << 33);
			got.pools[0].memory.fd = -1; /* the samples' */
		} else {
			assert_int_equal(got.pools[0].memory.fd, -1);
		}
		assert_true(got.pools[1].is_token && got.pools[1].token == 77);
		assert_false(got.pools[2].is_token);
		assert_int_equal(got.pools[2].memory.fd, -1);
		assert_int_equal(got.pools[2].memory.prot, -1);
		nnipc_request_free(&got);
		nnipc_writer_reset(&w);
	}
	nnipc_put_request(&w, NULL, NULL);
	r = reader_of(&w);
	nnipc_get_request(&r, &got);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_false(got.present);
	nnipc_writer_reset(&w);
	/* lists that the client did not give keep their length */
	sent = sample_request(2);
	nnipc_put_request(&w, &sent, NULL);
	r = reader_of(&w);
	nnipc_get_request(&r, &got);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_true(got.request.num_inputs == 2 && !got.request.inputs);
	assert_true(got.request.num_outputs == 1 && got.request.outputs);
	assert_true(got.request.num_pools == UINT32_MAX && !got.request.pools);
	nnipc_request_free(&got);
	nnipc_writer_fini(&w);
}

static void same_hints(const struct nnhal_token_value *a, const struct nnhal_token_value *b,
		       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(a[i].token, b[i].token);
		assert_int_equal(a[i].size, b[i].size);
		assert_int_equal(!a[i].value, !b[i].value);
		if (a[i].value && a[i].size)
			assert_memory_equal(a[i].value, b[i].value, a[i].size);
	}
}

static void same_names(const struct nnmodel_extension *a, const struct nnmodel_extension *b,
		       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(a[i].prefix, b[i].prefix);
		assert_int_equal(!a[i].name, !b[i].name);
		if (a[i].name)
			assert_string_equal(a[i].name, b[i].name);
	}
}

TEST(test_execution_config)
{
	struct nnhal_execution_config sent = sample_execution_config(0), got;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	nnipc_put_execution_config(&w, &sent);
	r = reader_of(&w);
	got = nnipc_get_execution_config(&r);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_int_equal(got.size, sizeof(got));
	assert_true(got.measure_timing && got.loop_timeout_ns == INT64_MIN);
	assert_int_equal(got.num_hints, 4);
	assert_int_equal(got.num_extensions, 3);
	same_hints(got.hints, sent.hints, 4);
	same_names(got.extensions, sent.extensions, 3);
	nnipc_execution_config_free(&got);
	nnipc_writer_reset(&w);

	sent = sample_execution_config(2);
	nnipc_put_execution_config(&w, &sent);
	r = reader_of(&w);
	got = nnipc_get_execution_config(&r);
	assert_true(got.num_hints == 4 && !got.hints && got.num_extensions == 3 && !got.extensions);
	nnipc_writer_reset(&w);

	nnipc_put_execution_config(&w, NULL);
	r = reader_of(&w);
	got = nnipc_get_execution_config(&r);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_int_equal(got.size, 0);
	nnipc_writer_fini(&w);
}

TEST(test_prepare_config)
{
	struct nnhal_prepare_config sent = sample_prepare_config(0), got;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;
	int *fds;

	nnipc_put_prepare_config(&w, &sent);
	assert_int_equal(w.num_fds, 4);
	fds = receive_fds(&w);
	nnipc_reader_init(&r, w.data, w.size, fds, w.num_fds);
	got = nnipc_get_prepare_config(&r);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_int_equal(got.size, sizeof(got));
	assert_true(got.preference == 99 && got.priority == UINT32_MAX);
	assert_true(got.deadline_ns == sent.deadline_ns && got.reserved == 0);
	/* as many as there were, also those without a descriptor */
	assert_int_equal(got.num_model_cache, 4);
	assert_int_equal(got.num_data_cache, 2);
	for (int i = 0; i < 4; i++)
		assert_int_equal(got.model_cache[i] >= 0, i == 1 || i == 2);
	assert_true(same_file(got.data_cache[0], sample_fd()));
	assert_memory_equal(got.token, sent.token, NNHAL_CACHE_TOKEN_SIZE);
	assert_true(got.num_hints == 4 && got.num_extensions == 3);
	same_hints(got.hints, sent.hints, 4);
	same_names(got.extensions, sent.extensions, 3);
	nnipc_prepare_config_free(&got);
	drop_fds(fds, 4);
	nnipc_writer_reset(&w);

	sent = sample_prepare_config(2);
	nnipc_put_prepare_config(&w, &sent);
	r = reader_of(&w);
	got = nnipc_get_prepare_config(&r);
	assert_true(got.num_model_cache == 4 && !got.model_cache && got.num_data_cache == 2 &&
		    !got.data_cache && !got.token);
	nnipc_prepare_config_free(&got);
	nnipc_writer_fini(&w);
}

TEST(test_result)
{
	struct nnhal_execution_result sent = sample_result(0), got;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	nnipc_put_result(&w, &sent);
	r = reader_of(&w);
	nnhal_result_init(&got);
	nnipc_get_result(&r, &got);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_int_equal(got.size, sizeof(got));
	assert_int_equal(got.num_shapes, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(got.shapes[i].rank, sent.shapes[i].rank);
		assert_int_equal(got.shapes[i].sufficient, sent.shapes[i].sufficient);
		if (got.shapes[i].rank)
			assert_memory_equal(got.shapes[i].dims, sent.shapes[i].dims,
					    got.shapes[i].rank * sizeof(uint32_t));
	}
	assert_true(got.timing.on_device_ns == 5 && got.timing.in_driver_ns == INT64_MAX);
	assert_string_equal(got.message, sent.message);
	nnhal_execution_result_clear(&got);
	nnipc_writer_reset(&w);
	/* a message without an end is cut */
	sent = sample_result(2);
	nnipc_put_result(&w, &sent);
	r = reader_of(&w);
	nnipc_get_result(&r, &got);
	assert_int_equal(strlen(got.message), sizeof(got.message) - 1);
	assert_int_equal(got.num_shapes, 0);
	nnhal_execution_result_clear(&got);
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
		nnipc_put_timing(&w, (struct nnhal_timing){ 1, 2 });
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
	fds = receive_fds(&w);
	nnipc_reader_init(&r, w.data, w.size, fds, w.num_fds);
	got = nnipc_get_model(&r);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_int_equal(got->num_pools, 3);
	assert_true(got->pools[2].offset == 8192 && got->pools[2].size == 66);
	assert_int_equal(got->main.num_operands, 5);
	assert_string_equal(got->extensions[0].name, "vendor.name");
	nnmodel_free(got);
	drop_fds(fds, w.num_fds);
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

TEST(test_device)
{
	struct nnhal_device_info info = sample_info(0), got_info;
	struct nnhal_capabilities caps = sample_capabilities(0), got_caps;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	nnipc_put_info(&w, &info);
	nnipc_put_capabilities(&w, &caps);
	r = reader_of(&w);
	nnipc_get_info(&r, &got_info);
	nnipc_get_capabilities(&r, &got_caps);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_string_equal(got_info.node, info.node);
	assert_string_equal(got_info.sandbox, info.sandbox);
	assert_string_equal(got_info.sandbox_missing, info.sandbox_missing);
	assert_string_equal(got_info.isa, info.isa);
	assert_string_equal(got_info.isa_usable, info.isa_usable);
	assert_string_equal(got_info.isa_missing, info.isa_missing);
	assert_true(got_info.contract_version == 1 && got_info.fw_version == 2 &&
		    got_info.opset_version == 3 && got_info.generation == 4 &&
		    (int)got_info.state == 99 && got_info.arena_size == info.arena_size &&
		    got_info.program_quota == UINT64_MAX && got_info.driver_major == 5 &&
		    got_info.driver_minor == 6 && got_info.isolation == NNHAL_ISOLATION_SERVICE &&
		    got_info.worker_pid == 1234 && got_info.worker_restarts == 7);
	assert_memory_equal(&got_caps, &caps, sizeof(caps));
	nnipc_writer_fini(&w);
}

TEST(test_descriptions)
{
	struct nnipc_description a = sample_description(0), b;
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
	e = &b.extensions[0];
	e->types[1].byte_size++;
	assert_string_equal(nnipc_description_differs(&a, &b), "extensions");
	e->types[1].byte_size--;
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
	assert_true(!b.version && !b.extensions && !b.num_extensions);
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
	*caps = sample_capabilities(0);
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
	const struct nnhal_capabilities caps = sample_capabilities(0);
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
	assert_int_equal(d.num_extensions, 2);
	assert_string_equal(d.extensions[0].name, "vendor.a");
	assert_int_equal(d.extensions[0].num_types, 2);
	assert_int_equal(d.extensions[0].types[1].byte_size, 4);
	assert_int_equal(d.extensions[1].num_types, 0);
	nnipc_description_free(&d);
}

TEST(test_method_names)
{
	static const uint32_t methods[] = {
		NNIPC_SESSION_ENUMERATE,
		NNIPC_SESSION_OPEN,
		NNIPC_SESSION_LANE,
		NNIPC_DEVICE_GET_CAPABILITIES,
		NNIPC_DEVICE_GET_NUMBER_OF_CACHE_FILES,
		NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS,
		NNIPC_DEVICE_PREPARE_MODEL,
		NNIPC_DEVICE_GET_STATUS,
		NNIPC_DEVICE_GET_SUPPORTED_EXTENSIONS,
		NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE,
		NNIPC_DEVICE_ALLOCATE,
		NNIPC_DEVICE_CREATE_MEMORY,
		NNIPC_DEVICE_GET_INFO,
		NNIPC_DEVICE_GET_COUNTERS,
		NNIPC_PREPARED_EXECUTE,
		NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY,
		NNIPC_PREPARED_EXECUTE_FENCED,
		NNIPC_PREPARED_CONFIGURE_BURST,
		NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION,
		NNIPC_FENCED_GET_EXECUTION_INFO,
		NNIPC_BURST_EXECUTE,
		NNIPC_BURST_RELEASE_MEMORY,
		NNIPC_BURST_MEMORY,
		NNIPC_EXECUTION_EXECUTE_SYNCHRONOUSLY,
		NNIPC_EXECUTION_EXECUTE_FENCED,
		NNIPC_BUFFER_COPY_TO,
		NNIPC_BUFFER_COPY_FROM,
		NNIPC_BUFFER_DESTROY,
		NNIPC_NOTIFY_PREPARED,
		NNIPC_NOTIFY_EXECUTED,
	};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		assert_non_null(strstr(nnipc_method_name(methods[i]), "::"));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(nnipc_method_name(methods[i]),
						nnipc_method_name(methods[k]));
	}
	assert_string_equal(nnipc_method_name(NNIPC_PREPARED_EXECUTE), "IPreparedModel::execute");
	assert_string_equal(nnipc_method_name(0x999), "method 0x999");
	assert_string_equal(nnipc_method_name(UINT32_MAX), "method 0xffffffff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),	cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flips),		cmocka_unit_test(test_failed_reader),
		cmocka_unit_test(test_request),		cmocka_unit_test(test_execution_config),
		cmocka_unit_test(test_prepare_config),	cmocka_unit_test(test_result),
		cmocka_unit_test(test_hostile_results), cmocka_unit_test(test_statuses),
		cmocka_unit_test(test_errors),		cmocka_unit_test(test_models),
		cmocka_unit_test(test_device),		cmocka_unit_test(test_descriptions),
		cmocka_unit_test(test_describe),	cmocka_unit_test(test_method_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
