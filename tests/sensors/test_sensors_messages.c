// SPDX-License-Identifier: Apache-2.0
/* Sensors and clients as bytes: there and back, cut at every place, and with numbers that cannot
 * be. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "sensor_samples.h"
#include "test_case.h"

static struct nnsensors_info sample_info(void)
{
	return (struct nnsensors_info){
		.size = sizeof(struct nnsensors_info),
		.handle = INT32_MAX,
		.type = 0x10001,
		.version = -7,
		.flags = UINT32_MAX,
		.min_delay_us = -1,
		.max_delay_us = 200000,
		.fifo_reserved = 300,
		.fifo_max = UINT32_MAX,
		.max_range = 78.4532f,
		.resolution = 0.0f,
		.power_ma = 0.17f,
		.name = "a name",
		.vendor = "a vendor",
		.type_string = "org.example.sensor",
		.permission = "",
	};
}

static struct nnsensors_client sample_client(void)
{
	return (struct nnsensors_client){
		.size = sizeof(struct nnsensors_client),
		.pid = 4711,
		.uid = UINT32_MAX,
		.queues = 1,
		.channels = 2,
		.sensors = 3,
		.delivered = UINT64_MAX,
		.lost = 1ull << 40,
		.comm = "fifteen letters",
	};
}

static struct nnipc_reader reader_of(const struct nnipc_writer *w, size_t size)
{
	struct nnipc_reader r;

	assert_int_equal(w->error, 0);
	nnipc_reader_init(&r, w->data, size, NULL, 0);
	return r;
}

TEST(test_samples)
{
	idl_check_round_trips(sensor_sample_rows, sensor_num_sample_rows);
	idl_check_cut(sensor_sample_rows, sensor_num_sample_rows);
	idl_check_flips(sensor_sample_rows, sensor_num_sample_rows);
	idl_check_failed(sensor_sample_rows, sensor_num_sample_rows);
	idl_check_members(sensor_sample_rows, sensor_num_sample_rows);
}

/* A client without a comm ends with its numbers: the bytes of the protocol. */
TEST(test_client)
{
	const struct nnsensors_client client = sample_client();
	static const uint8_t expected[] = {
		0x67, 0x12, 0, 0, 0xff, 0xff, 0xff, 0xff, 1,	0,    0,    0,	  2,	0,
		0,    0,    3, 0, 0,	0,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0,    0,    0, 0, 0,	1,    0,    0,	  1,	15,   0,    0,	  0,
	};
	struct nnipc_writer w = { 0 };

	sensor_put_client(&w, &client);
	assert_int_equal(w.size, sizeof(expected) + strlen(client.comm));
	assert_memory_equal(w.data, expected, sizeof(expected));
	assert_memory_equal(w.data + sizeof(expected), client.comm, strlen(client.comm));
	nnipc_writer_fini(&w);
}

/* A text without an end, and one that is longer than its member. */
TEST(test_texts)
{
	struct nnsensors_info info = sample_info(), got;
	char expected[NNSENSORS_NAME_MAX] = "";
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;
	char text[1000];

	memset(info.name, 'n', sizeof(info.name));
	memset(expected, 'n', sizeof(expected) - 1);
	sensor_put_info(&w, &info);
	r = reader_of(&w, w.size);
	sensor_get_info(&r, &got);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_string_equal(got.name, expected);
	assert_string_equal(got.vendor, info.vendor);
	nnipc_writer_reset(&w);

	memset(text, 'n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (int i = 0; i < 11; i++)
		nnipc_put_u32(&w, i == 0 || i == 1);
	for (int i = 0; i < 4; i++)
		nnipc_put_text(&w, text);
	r = reader_of(&w, w.size);
	sensor_get_info(&r, &got);
	assert_int_equal(nnipc_reader_end(&r), 0);
	assert_string_equal(got.name, expected);
	assert_string_equal(got.permission, expected);
	nnipc_writer_fini(&w);
}

static void expect_info_refused(const struct nnsensors_info *info)
{
	struct nnipc_writer w = { 0 };
	struct nnsensors_info got;
	struct nnipc_reader r;

	sensor_put_info(&w, info);
	r = reader_of(&w, w.size);
	sensor_get_info(&r, &got);
	assert_int_equal(nnipc_reader_end(&r), -EBADMSG);
	nnipc_writer_fini(&w);
}

#define REFUSED(member, value)                               \
	do {                                                 \
		struct nnsensors_info info_ = sample_info(); \
                                                             \
		info_.member = value;                        \
		expect_info_refused(&info_);                 \
	} while (0)

TEST(test_numbers)
{
	static const float quantities[] = { NAN, INFINITY, -INFINITY, -1.0f };
	struct nnsensors_client client = sample_client(), got;
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	REFUSED(handle, 0);
	REFUSED(handle, -1);
	REFUSED(handle, INT32_MIN);
	REFUSED(type, 0);
	REFUSED(type, -1);
	REFUSED(min_delay_us, -2);
	REFUSED(max_delay_us, -1);
	REFUSED(fifo_max, 299);
	for (size_t i = 0; i < sizeof(quantities) / sizeof(quantities[0]); i++) {
		REFUSED(max_range, quantities[i]);
		REFUSED(resolution, quantities[i]);
		REFUSED(power_ma, quantities[i]);
	}
	client.pid = -1;
	sensor_put_client(&w, &client);
	r = reader_of(&w, w.size);
	sensor_get_client(&r, &got);
	assert_int_equal(nnipc_reader_end(&r), -EBADMSG);
	nnipc_writer_fini(&w);
}

TEST(test_result)
{
	static const uint32_t others[] = { 8, UINT32_MAX, 1u << 31, (uint32_t)-22 };
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	for (uint32_t i = 0; i < 8; i++) {
		nnipc_put_u32(&w, i);
		r = reader_of(&w, w.size);
		assert_int_equal(sensor_get_result(&r), i);
		assert_int_equal(nnipc_reader_end(&r), 0);
		nnipc_writer_reset(&w);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		nnipc_put_u32(&w, others[i]);
		r = reader_of(&w, w.size);
		assert_int_equal(sensor_get_result(&r), NNSENSORS_UNKNOWN_ERROR);
		assert_int_equal(nnipc_reader_end(&r), -EBADMSG);
		nnipc_writer_reset(&w);
	}
	nnipc_writer_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples), cmocka_unit_test(test_client),
		cmocka_unit_test(test_texts),	cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
