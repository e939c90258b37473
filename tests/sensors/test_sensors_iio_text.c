// SPDX-License-Identifier: Apache-2.0
/* Texts of attribute files, and the table of kinds. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "iio/sensord_iio.h"
#include "test_case.h"
#include "values/nnsensors_values.h"

#define NEAR(a, b) assert_true(fabs((double)(a) - (double)(b)) <= 1e-6)

TEST(test_numbers)
{
	static const struct {
		const char *text;
		int ret;
		double value;
	} cases[] = {
		{ "1", 0, 1 },
		{ "-12.5", 0, -12.5 },
		{ "0.000001000", 0, 1e-6 },
		{ " 9.81 \n", 0, 9.81 },
		{ "1e3", 0, 1000 },
		{ "", -EINVAL, 0 },
		{ " ", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 },
		{ "inf", -EINVAL, 0 },
		{ "1 2", -EINVAL, 0 },
		{ "1x", -EINVAL, 0 },
		{ "1,5", -EINVAL, 0 },
		{ "--1", -EINVAL, 0 },
		{ "1e16", -ERANGE, 0 },
		{ "-99999999999999999999", -ERANGE, 0 },
		{ "0.00000000000000000000000000000000000000000000000000000000001", -EINVAL, 0 },
	};
	double value;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		value = 77;
		if (iio_text_number(cases[i].text, &value) != cases[i].ret)
			fail_msg("\"%s\"", cases[i].text);
		assert_true(value == (cases[i].ret ? 77 : cases[i].value));
	}
}

TEST(test_available)
{
	static const char *const bad[] = { "",		"[",	   "[1 2",     "[1 2 3",
					   "[1 2 3] 4", "[3 1 2]", "[1 -1 2]", "[1 2 3 4]",
					   "1 x 2",	"[]",	   "[a b c]",  "]",
					   "1 2]",	"[1 2]" };
	struct iio_available a;
	char text[IIO_TEXT_NUMBERS * 8] = "";

	assert_int_equal(iio_text_available("12.5 26.000000  52 104\n", &a), 0);
	assert_false(a.range);
	assert_int_equal(a.count, 4);
	NEAR(a.values[0], 12.5);
	NEAR(a.values[3], 104);
	assert_int_equal(iio_text_available("[0 0.5 100]\n", &a), 0);
	assert_true(a.range);
	NEAR(a.min, 0);
	NEAR(a.step, 0.5);
	NEAR(a.max, 100);
	assert_int_equal(iio_text_available("[ -1 1 1 ]", &a), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!iio_text_available(bad[i], &a))
			fail_msg("\"%s\" was taken", bad[i]);
	/* more than there is room for */
	for (unsigned int i = 0; i < IIO_TEXT_NUMBERS + 5; i++)
		strcat(text, "1 ");
	assert_int_equal(iio_text_available(text, &a), 0);
	assert_int_equal(a.count, IIO_TEXT_NUMBERS);
}

TEST(test_matrices)
{
	static const char *const bad[] = {
		"",
		"1, 0, 0; 0, 1, 0",
		"1, 0, 0; 0, 1, 0; 0, 0, 1;",
		"1, 0, 0, 0; 1, 0, 0; 0, 1",
		"1; 0; 0; 0; 1; 0; 0; 0; 1",
		"1, 0, 0; 0, 1, 0; 0, 0, 1 x",
		"1, 0, 0; 0, 1, 0; 0, 0, 0",
		"2, 0, 0; 0, 2, 0; 0, 0, 2",
		"1, 0, 0; 1, 0, 0; 0, 0, 1",
		"1, 0, 0; 0, 1, 0; nan, 0, 1",
		"1, 0, 0; 0, 1, 0; 1e300, 0, 1",
		"0, 0, 0; 0, 0, 0; 0, 0, 0",
	};
	double m[9] = { 5 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!iio_text_matrix(bad[i], m) || m[0] != 5)
			fail_msg("\"%s\" was taken", bad[i]);
	assert_int_equal(iio_text_matrix("0, 1, 0; -1, 0, 0; 0, 0, 1\n", m), 0);
	NEAR(m[1], 1);
	NEAR(m[3], -1);
	assert_int_equal(iio_text_matrix("0.707,-0.707,0;0.707,0.707,0;0,0,-1", m), 0);
	NEAR(m[0], M_SQRT1_2);
	NEAR(m[8], -1);
}

TEST(test_names)
{
	char name[8];

	iio_text_name("  bmi160\n", name, sizeof(name));
	assert_string_equal(name, "bmi160");
	iio_text_name("a\033[31mb", name, sizeof(name));
	assert_string_equal(name, "a_[31mb");
	iio_text_name("\xc3\xa4 long name", name, sizeof(name));
	assert_string_equal(name, "__ long");
	iio_text_name("", name, sizeof(name));
	assert_string_equal(name, "");
}

TEST(test_periods)
{
	char text[32];

	assert_int_equal(iio_text_period(100), 10000000);
	assert_int_equal(iio_text_period(12.5), 80000000);
	assert_int_equal(iio_text_period(0), 0);
	assert_int_equal(iio_text_period(-1), 0);
	assert_int_equal(iio_text_period(1e15), 0);
	assert_int_equal(iio_text_period(1e-15), 0);
	iio_text_of_number(100, text, sizeof(text));
	assert_string_equal(text, "100");
	iio_text_of_number(1666.666666, text, sizeof(text));
	assert_string_equal(text, "1666.666666");
	iio_text_of_number(0.78125, text, sizeof(text));
	assert_string_equal(text, "0.781250");
}

TEST(test_channel_numbers)
{
	assert_int_equal(iio_channel_number("accel_x", "accel_x"), -1);
	assert_int_equal(iio_channel_number("accel_x", "accel_y"), -2);
	assert_int_equal(iio_channel_number("accel1_x", "accel_x"), 1);
	assert_int_equal(iio_channel_number("accel_linear_x", "accel_x"), -2);
	assert_int_equal(iio_channel_number("accel_linear_x", "accel_linear_x"), -1);
	assert_int_equal(iio_channel_number("proximity", "proximity"), -1);
	assert_int_equal(iio_channel_number("proximity15", "proximity"), 15);
	assert_int_equal(iio_channel_number("proximity99999", "proximity"), -2);
	assert_int_equal(iio_channel_number("temp_ambient", "temp"), -2);
	assert_int_equal(iio_channel_number("anglvel_x", "angl"), -2);
	assert_int_equal(iio_channel_number("angl", "angl"), -1);
	assert_int_equal(iio_channel_number("", "angl"), -2);
}

static const struct iio_kind *kind_of(int32_t type, const char *name)
{
	const struct iio_kind *kind;

	for (size_t i = 0; (kind = iio_kind_at(i)); i++)
		if (kind->type == type && iio_kind_applies(kind, name))
			return kind;
	return NULL;
}

/* Every kind of sensor that IIO has is in the table, with the unit of its type. */
TEST(test_table)
{
	static const struct {
		int32_t type;
		double factor;
	} rows[] = {
		{ NNSENSORS_TYPE_ACCELEROMETER, 1 },
		{ NNSENSORS_TYPE_ACCELEROMETER_UNCALIBRATED, 1 },
		{ NNSENSORS_TYPE_LINEAR_ACCELERATION, 1 },
		{ NNSENSORS_TYPE_GRAVITY, 1 },
		{ NNSENSORS_TYPE_GYROSCOPE, 1 },
		{ NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED, 1 },
		{ NNSENSORS_TYPE_MAGNETIC_FIELD, 100 },
		{ NNSENSORS_TYPE_MAGNETIC_FIELD_UNCALIBRATED, 100 },
		{ NNSENSORS_TYPE_ORIENTATION, 1 },
		{ NNSENSORS_TYPE_ROTATION_VECTOR, 1 },
		{ NNSENSORS_TYPE_LIGHT, 1 },
		{ NNSENSORS_TYPE_PRESSURE, 10 },
		{ NNSENSORS_TYPE_AMBIENT_TEMPERATURE, 0.001 },
		{ NNSENSORS_TYPE_RELATIVE_HUMIDITY, 0.001 },
		{ NNSENSORS_TYPE_PROXIMITY, 100 },
		{ NNSENSORS_TYPE_STEP_COUNTER, 1 },
		{ NNSENSORS_TYPE_STEP_DETECTOR, 1 },
		{ NNSENSORS_TYPE_HINGE_ANGLE, 180 / M_PI },
	};
	const struct iio_kind *kind;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		kind = kind_of(rows[i].type, "any");
		assert_non_null(kind);
		NEAR(kind->factor, rows[i].factor);
	}
	for (size_t i = 0; (kind = iio_kind_at(i)); i++) {
		const struct sensor_type *row = nnsensors_type_row(kind->type);

		assert_true(row->listed);
		assert_true(iio_kind_channels(kind) >= 1);
		assert_true(kind->max_range > 0 && kind->resolution > 0);
	}
	/* a device's own row instead of the general one */
	assert_null(kind_of(NNSENSORS_TYPE_ROTATION_VECTOR, "relative_orientation"));
	assert_non_null(kind_of(NNSENSORS_TYPE_GAME_ROTATION_VECTOR, "relative_orientation"));
	assert_null(kind_of(NNSENSORS_TYPE_GAME_ROTATION_VECTOR, "any"));
	NEAR(kind_of(NNSENSORS_TYPE_ORIENTATION, "incli_3d")->factor, 180 / M_PI);
}

TEST(test_payloads)
{
	static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	/* x of the device is y of the chip, y is -x */
	static const double turned[9] = { 0, 1, 0, -1, 0, 0, 0, 0, 1 };
	static const double none[3] = { 0 };
	union nnsensors_payload p;

	iio_kind_payload(kind_of(NNSENSORS_TYPE_ACCELEROMETER, "any"), turned,
			 (const double[]){ 1, 2, 3 }, none, 0, 0, &p);
	NEAR(p.vec3.x, 2);
	NEAR(p.vec3.y, -1);
	NEAR(p.vec3.z, 3);
	/* the bias is turned, too; calibrated = uncalibrated - bias */
	iio_kind_payload(kind_of(NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED, "any"), turned,
			 (const double[]){ 1, 2, 3 }, (const double[]){ 0.1, 0.2, 0 }, 0, 0, &p);
	NEAR(p.uncal.bias_x, 0.2f);
	NEAR(p.uncal.bias_y, -0.1f);
	NEAR(p.uncal.x - p.uncal.bias_x, 2);
	NEAR(p.uncal.y - p.uncal.bias_y, -1);
	iio_kind_payload(kind_of(NNSENSORS_TYPE_ROTATION_VECTOR, "any"), identity,
			 (const double[]){ 0, 3, 0, 4 }, none, 0, 0, &p);
	NEAR(p.data[1], 0.6f);
	NEAR(p.data[3], 0.8f);
	NEAR(p.data[4], -1);
	iio_kind_payload(kind_of(NNSENSORS_TYPE_ROTATION_VECTOR, "any"), identity,
			 (const double[]){ 0, 0, 0, 0 }, none, 0, 0, &p);
	NEAR(p.data[3], 1);
	iio_kind_payload(kind_of(NNSENSORS_TYPE_STEP_COUNTER, "any"), identity,
			 (const double[]){ 123456 }, none, 0, 0, &p);
	assert_int_equal(p.step_count, 123456);
	iio_kind_payload(kind_of(NNSENSORS_TYPE_STEP_COUNTER, "any"), identity,
			 (const double[]){ -1 }, none, 0, 0, &p);
	assert_int_equal(p.step_count, 0);
	iio_kind_payload(kind_of(NNSENSORS_TYPE_PROXIMITY, "prox"), identity, (const double[]){ 1 },
			 none, 0, 5, &p);
	NEAR(p.data[0], 0);
	iio_kind_payload(kind_of(NNSENSORS_TYPE_PROXIMITY, "prox"), identity, (const double[]){ 0 },
			 none, 0, 5, &p);
	NEAR(p.data[0], 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	 cmocka_unit_test(test_available),
		cmocka_unit_test(test_matrices), cmocka_unit_test(test_names),
		cmocka_unit_test(test_periods),	 cmocka_unit_test(test_channel_numbers),
		cmocka_unit_test(test_table),	 cmocka_unit_test(test_payloads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
