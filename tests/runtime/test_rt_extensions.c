// SPDX-License-Identifier: Apache-2.0
/* The registry of vendor extensions: names, prefixes, operand types, reports that differ. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "registry/nnr_registry.h"
#include "rt_case.h"

static int32_t operand_type(ANeuralNetworksModel *model, const char *name, uint16_t code)
{
	int32_t type;

	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, name, code, &type));
	return type;
}

TEST(functions_check_their_pointers)
{
	ANeuralNetworksDevice *device = rt_device("a");
	ANeuralNetworksModel *model = rt_model();
	int32_t type;
	bool has;

	RT_NULL(ANeuralNetworksDevice_getExtensionSupport(NULL, "a.b", &has));
	RT_NULL(ANeuralNetworksDevice_getExtensionSupport(device, NULL, &has));
	RT_NULL(ANeuralNetworksDevice_getExtensionSupport(device, "a.b", NULL));
	RT_NULL(ANeuralNetworksModel_getExtensionOperandType(NULL, "a.b", 0, &type));
	RT_NULL(ANeuralNetworksModel_getExtensionOperandType(model, NULL, 0, &type));
	RT_NULL(ANeuralNetworksModel_getExtensionOperandType(model, "a.b", 0, NULL));
	RT_NULL(ANeuralNetworksModel_getExtensionOperationType(NULL, "a.b", 0, &type));
	RT_NULL(ANeuralNetworksModel_getExtensionOperationType(model, NULL, 0, &type));
	RT_NULL(ANeuralNetworksModel_getExtensionOperationType(model, "a.b", 0, NULL));
	ANeuralNetworksModel_free(model);
}

TEST(devices_report_support)
{
	static const struct {
		const char *name;
		bool a, b;
	} expected[] = {
		{ "vendor.test.one", true, false },   { "vendor.test.two", true, true },
		{ "vendor.test.three", true, false }, { "vendor.test.unknown", false, false },
		{ "asdfasdfas", false, false },	      { "", false, false },
		{ "vendor.test.on", false, false },   { "VENDOR.TEST.ONE", false, false },
	};
	bool has;

	for (uint32_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		RT_OK(ANeuralNetworksDevice_getExtensionSupport(rt_device("a"), expected[i].name,
								&has));
		assert_int_equal(has, expected[i].a);
		RT_OK(ANeuralNetworksDevice_getExtensionSupport(rt_device("b"), expected[i].name,
								&has));
		assert_int_equal(has, expected[i].b);
		RT_OK(ANeuralNetworksDevice_getExtensionSupport(rt_device("nnapi-reference"),
								expected[i].name, &has));
		assert_false(has);
	}
}

/* Numbered in the order of first use, by name, whether anybody reports it or not; never 0. */
TEST(prefixes)
{
	ANeuralNetworksModel *model = rt_model(), *other = rt_model();
	int32_t type;
	uint16_t prefix;

	assert_int_equal(operand_type(model, "com.unregistered", 7), 1 << 16 | 7);
	assert_int_equal(operand_type(model, "vendor.test.one", 0), 2 << 16);
	assert_int_equal(operand_type(model, "vendor.test.one", 65535), 2 << 16 | 65535);
	assert_int_equal(operand_type(other, "com.unregistered", 1), 1 << 16 | 1);
	RT_OK(ANeuralNetworksModel_getExtensionOperationType(other, "vendor.test.one", 3, &type));
	assert_int_equal(type, 2 << 16 | 3);
	RT_OK(ANeuralNetworksModel_getExtensionOperationType(other, "x", 3, &type));
	assert_int_equal(type, 3 << 16 | 3);
	assert_int_equal(nnr_extension_prefix("vendor.test.one", &prefix),
			 ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(prefix, 2);
	assert_string_equal(nnr_extension_name(1), "com.unregistered");
	assert_string_equal(nnr_extension_name(2), "vendor.test.one");
	assert_null(nnr_extension_name(0));
	assert_null(nnr_extension_name(4));
	assert_null(nnr_extension_name(65535));
	assert_true(nnr_extension_registered("vendor.test.one"));
	assert_false(nnr_extension_registered("com.unregistered"));
	ANeuralNetworksModel_free(model);
	/* the state of a model does not matter */
	rt_operand(other, ANEURALNETWORKS_FLOAT32, NULL, 0);
	ANeuralNetworksModel_finish(other);
	assert_int_equal(operand_type(other, "vendor.test.one", 1), 2 << 16 | 1);
	ANeuralNetworksModel_free(other);
}

TEST(types)
{
	struct nnr_extension_type_info info;
	ANeuralNetworksModel *model = rt_model();
	uint32_t base;

	/* not before the name was used */
	assert_false(nnr_extension_type(1 << 16 | 3, &info));
	base = (uint32_t)operand_type(model, "vendor.test.one", 0);
	assert_true(nnr_extension_type(base + 3, &info));
	assert_true(info.is_tensor);
	assert_int_equal(info.byte_size, 4);
	assert_true(nnr_extension_type(base + 65535, &info));
	assert_false(info.is_tensor);
	assert_int_equal(info.byte_size, 100);
	assert_true(nnr_extension_type(base + 1, NULL));
	assert_false(nnr_extension_type(base, &info));
	assert_false(nnr_extension_type(base + 2, &info));
	assert_false(nnr_extension_type(3, &info));
	assert_false(nnr_extension_type((uint32_t)-1, &info));
	assert_false(
		nnr_extension_type((uint32_t)operand_type(model, "com.unregistered", 0), &info));
	ANeuralNetworksModel_free(model);
}

/* The same in another order is the same. */
TEST(equal_reports)
{
	assert_int_equal(nnr_num_devices(), 3);
	assert_true(nnr_extension_registered("a.b"));
}

TEST(reports_that_differ)
{
	ANeuralNetworksModel *model = rt_model();
	const uint32_t dims[] = { 2 };
	const char *const differing[] = { "a.code", "a.tensor", "a.size", "a.more" };
	ANeuralNetworksOperandType type;
	bool has;

	for (uint32_t i = 0; i < 4; i++) {
		type = rt_type(operand_type(model, differing[i], 0), dims, 1);
		assert_false(nnr_extension_registered(differing[i]));
		assert_false(nnr_extension_type((uint32_t)type.type, NULL));
		RT_BAD_DATA(ANeuralNetworksModel_addOperand(model, &type));
		/* the device does list the name */
		RT_OK(ANeuralNetworksDevice_getExtensionSupport(rt_device("x"), differing[i],
								&has));
		assert_true(has);
	}
	assert_true(nnr_extension_registered("a.same"));
	type = rt_type(operand_type(model, "a.same", 0), dims, 1);
	RT_OK(ANeuralNetworksModel_addOperand(model, &type));
	ANeuralNetworksModel_free(model);
}

/* Disabled stays disabled: a third report, like the first, does not bring it back. */
TEST(a_third_report)
{
	assert_int_equal(nnr_num_devices(), 4);
	assert_false(nnr_extension_registered("a.b"));
}

TEST(a_late_report_that_differs)
{
	assert_true(nnr_extension_registered("a.b"));
	setenv("NNHAL_TEST_DEVICES", "name=x,ext=a.b/0:t4 name=y,ext=a.b/0:t8", 1);
	nnr_devices_rescan();
	assert_int_equal(nnr_num_devices(), 3);
	assert_false(nnr_extension_registered("a.b"));
}

TEST(a_late_extension)
{
	ANeuralNetworksModel *model = rt_model();
	uint32_t type = (uint32_t)operand_type(model, "a.late", 0);

	assert_false(nnr_extension_type(type, NULL));
	setenv("NNHAL_TEST_DEVICES", "name=y,ext=a.late/0:t8", 1);
	nnr_devices_rescan();
	assert_true(nnr_extension_type(type, NULL));
	ANeuralNetworksModel_free(model);
}

TEST(reports_are_checked)
{
	static const char *const bad[] = { "",	    "nodots", "A.b",	    "a-b.c",
					   "a b.c", "a.b\n",  "\xc3\xa9.b", "a/b.c" };
	static const char *const good[] = { ".",     "a.b", "a.", "1.2", "com.example.fibonacci",
					    "a_b.c", ".." };
	const struct nnhal_extension_type twice[] = { { 5, true, 4 },
						      { 1, false, 1 },
						      { 5, true, 4 } };
	struct nnr_extension_report report;
	struct nnhal_extension ext = {
		.size = sizeof(ext), .name = "a.b", .types = twice, .num_types = 3
	};

	assert_int_equal(nnr_extension_report_copy(&ext, &report), -EINVAL);
	ext.num_types = 2;
	assert_int_equal(nnr_extension_report_copy(&ext, &report), 0);
	assert_int_equal(report.types[0].type, 1);
	assert_int_equal(report.types[1].type, 5);
	nnr_extension_report_clear(&report);
	ext = (struct nnhal_extension){ .size = sizeof(struct nnhal_extension),
					.name = "a.b",
					.num_types = 1 };
	assert_int_equal(nnr_extension_report_copy(&ext, &report), -EINVAL);
	ext = (struct nnhal_extension){ .size = sizeof(struct nnhal_extension), .name = NULL };
	assert_int_equal(nnr_extension_report_copy(&ext, &report), -EINVAL);
	assert_int_equal(nnr_extension_report_copy(NULL, &report), -EINVAL);
	for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ext.name = bad[i];
		assert_int_equal(nnr_extension_report_copy(&ext, &report), -EINVAL);
	}
	for (uint32_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ext.name = good[i];
		assert_int_equal(nnr_extension_report_copy(&ext, &report), 0);
		nnr_extension_report_clear(&report);
	}
}

TEST(prefixes_run_out)
{
	ANeuralNetworksModel *model = rt_model();
	char name[32];
	int32_t type;

	for (uint32_t i = 1; i <= 65535; i++) {
		snprintf(name, sizeof(name), "com.e%u", i);
		RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, name, 1, &type));
		assert_int_equal((uint32_t)type, i << 16 | 1);
	}
	RT_BAD_DATA(ANeuralNetworksModel_getExtensionOperandType(model, "one.more", 1, &type));
	RT_BAD_DATA(ANeuralNetworksModel_getExtensionOperationType(model, "one.more", 1, &type));
	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, "com.e65535", 2, &type));
	assert_int_equal((uint32_t)type, 0xffff0002u);
	ANeuralNetworksModel_free(model);
}

static void *use_names(void *model)
{
	for (int i = 0; i < 2000; i++) {
		char name[32];
		int32_t type;

		snprintf(name, sizeof(name), "com.e%d", i % 500);
		RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, name, 1, &type));
		assert_string_equal(nnr_extension_name((uint16_t)((uint32_t)type >> 16)), name);
		nnr_extension_type((uint32_t)type, NULL);
		nnr_extension_registered(name);
	}
	return NULL;
}

TEST(threads_use_names)
{
	ANeuralNetworksModel *model = rt_model();
	pthread_t threads[4];
	uint16_t prefix;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use_names, model), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(nnr_extension_prefix("com.new", &prefix), ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(prefix, 501);
	ANeuralNetworksModel_free(model);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(functions_check_their_pointers, "name=a"),
		RT_CASE(devices_report_support,
			"name=a,ext=vendor.test.one+vendor.test.two+vendor.test.three name=b,ext=vendor.test.two"),
		RT_CASE(prefixes, "name=a,ext=vendor.test.one"),
		RT_CASE(types, "name=a,ext=vendor.test.one/65535:s100/3:t4/1:s8"),
		RT_CASE(equal_reports, "name=x,ext=a.b/1:t4/0:s2 name=y,ext=a.b/0:s2/1:t4"),
		RT_CASE(reports_that_differ,
			"name=x,ext=a.code/0:t4+a.tensor/0:t4+a.size/0:t4+a.more/0:t4+a.same/0:t4 "
			"name=y,ext=a.code/1:t4+a.tensor/0:s4+a.size/0:t8+a.more/0:t4/1:t4+a.same/0:t4"),
		RT_CASE(a_third_report,
			"name=x,ext=a.b/0:t4 name=y,ext=a.b/0:t8 name=z,ext=a.b/0:t4"),
		RT_CASE(a_late_report_that_differs, "name=x,ext=a.b/0:t4"),
		RT_CASE(a_late_extension, NULL),
		RT_CASE(reports_are_checked, NULL),
		RT_CASE(prefixes_run_out, NULL),
		RT_CASE(threads_use_names, "name=a,ext=com.e1/1:t4"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
