// SPDX-License-Identifier: Apache-2.0
/* The allowlist of vendor extensions: the decision and its matrix, the files, this process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/nnr_registry.h"
#include "rt_case.h"

#define PARTITIONS "/product /vendor /odm /data"
#define COUNT(a) (uint32_t)(sizeof(a) / sizeof((a)[0]))
#define YES true
#define NO false

/* Where Android's API level (or a host) makes a difference. */
enum expected { DENIED, ALLOWED, IF_UNLISTED_ALLOWED };

static bool as_expected(enum expected e, bool unlisted_allowed)
{
	return e == ALLOWED || (e == IF_UNLISTED_ALLOWED && unlisted_allowed);
}

TEST(binaries)
{
	static const char *const entries[] = {
		"/data/foo",	"/vendor/foo",	       "/odm/foo",
		"/product/foo", "/system/allowlisted", "/foobar/foo"
	};
	static const struct {
		const char *binary;
		bool product;
		enum expected expected;
	} cases[] = {
		{ "", NO, DENIED },
		{ "", YES, DENIED },
		{ "/foobar/foo", NO, DENIED },
		{ "/foobar/foo", YES, DENIED },
		{ "/data/foo", NO, ALLOWED },
		{ "/vendor/foo", NO, ALLOWED },
		{ "/odm/foo", NO, ALLOWED },
		{ "/data/foo", YES, ALLOWED },
		{ "/vendor/foo", YES, ALLOWED },
		{ "/odm/foo", YES, ALLOWED },
		{ "/system/foo", NO, DENIED },
		{ "/system/allowlisted", NO, DENIED },
		{ "/system/foo", YES, DENIED },
		{ "/system/allowlisted", YES, DENIED },
		{ "/product/foo", NO, DENIED },
		{ "/product/foo", YES, ALLOWED },
		{ "/product/foo_not_allowlisted", NO, DENIED },
		{ "/product/foo_not_allowlisted", YES, IF_UNLISTED_ALLOWED },
		{ "/odm/foo_not_allowlisted", NO, IF_UNLISTED_ALLOWED },
		{ "/vendor/foo_not_allowlisted", NO, IF_UNLISTED_ALLOWED },
		{ "/data/foo_not_allowlisted", NO, IF_UNLISTED_ALLOWED },
		/* exact and case-sensitive; a partition is a whole component */
		{ "/data/fo", NO, IF_UNLISTED_ALLOWED },
		{ "/data/Foo", NO, IF_UNLISTED_ALLOWED },
		{ "/data/foo/", NO, IF_UNLISTED_ALLOWED },
		{ "/database/foo", NO, DENIED },
		{ "/data", NO, DENIED },
		{ "data/foo", NO, DENIED },
		{ "/Data/foo", NO, DENIED },
		{ "/mnt/data/foo", NO, DENIED },
	};

	for (int unlisted = 0; unlisted < 2; unlisted++)
		for (uint32_t i = 0; i < COUNT(cases); i++) {
			const struct nnr_identity who = { .binary = cases[i].binary };
			const struct nnr_allowlist list = {
				.entries = entries,
				.num_entries = COUNT(entries),
				.partitions = PARTITIONS,
				.product_enabled = cases[i].product,
				.unlisted_allowed = unlisted,
			};
			const char *why = NULL;
			bool allowed = nnr_allowlist_decide(&who, &list, &why);

			if (allowed != as_expected(cases[i].expected, unlisted))
				fail_msg("\"%s\", product %d, unlisted %d: %d (%s)",
					 cases[i].binary, cases[i].product, unlisted, allowed, why);
			assert_non_null(why);
		}
}

TEST(applications)
{
	static const char *const entries[] = { "com.foo" };
	static const char *const launchers[] = { NNR_APP_PROCESS64, NNR_APP_PROCESS32 };
	static const struct {
		const char *application;
		bool system, vendor, product, product_enabled;
		enum expected expected;
	} cases[] = {
		{ "com.foo", NO, NO, NO, NO, ALLOWED },
		{ "com.foo", YES, NO, NO, NO, DENIED },
		{ "com.foo", YES, YES, NO, NO, ALLOWED },
		{ "com.foo", YES, NO, YES, NO, DENIED },
		{ "com.foo", YES, NO, YES, YES, ALLOWED },
		{ "com.foo", YES, NO, NO, YES, DENIED },
		{ "com.foo", NO, NO, NO, YES, ALLOWED },
		{ "com.foo2", YES, NO, YES, YES, IF_UNLISTED_ALLOWED },
		{ "com.foo2", NO, NO, NO, NO, IF_UNLISTED_ALLOWED },
		{ "com.foo2", YES, YES, NO, NO, IF_UNLISTED_ALLOWED },
		{ "com.foo2", YES, NO, NO, NO, DENIED },
		{ "com.fo", NO, NO, NO, NO, IF_UNLISTED_ALLOWED },
		{ NULL, NO, NO, NO, NO, IF_UNLISTED_ALLOWED },
	};

	for (uint32_t k = 0; k < 3 * COUNT(cases) * 2; k++) {
		uint32_t i = k % COUNT(cases), launcher = k / COUNT(cases) % 3;
		bool unlisted = k / (3 * COUNT(cases));
		const struct nnr_identity who = {
			.binary = launcher < 2 ? launchers[launcher] : "/system/bin/foo",
			.application = cases[i].application,
			.system_app = cases[i].system,
			.on_vendor_image = cases[i].vendor,
			.on_product_image = cases[i].product,
		};
		const struct nnr_allowlist list = {
			.entries = entries,
			.num_entries = 1,
			.partitions = PARTITIONS,
			.product_enabled = cases[i].product_enabled,
			.unlisted_allowed = unlisted,
		};
		bool expected = launcher < 2 && as_expected(cases[i].expected, unlisted);

		if (nnr_allowlist_decide(&who, &list, NULL) != expected)
			fail_msg("%s by %s, case %u, unlisted %d",
				 who.application ? who.application : "-", who.binary, i, unlisted);
	}
}

TEST(tests_of_the_system)
{
	static const struct {
		const char *binary;
		const char *partitions;
		bool expected;
	} cases[] = {
		{ "/data/nativetest/x", PARTITIONS, true },
		{ "/data/nativetest64/x", PARTITIONS, true },
		{ "/data/other/x", PARTITIONS, false },
		{ "/tmp/NeuralNetworksTest_x", PARTITIONS, false },
		{ "/tmp/NeuralNetworksTest_x", "/tmp", true },
		{ "/tmp/x", "/tmp", false },
	};

	for (uint32_t i = 0; i < COUNT(cases); i++)
		for (int debuggable = 0; debuggable < 2; debuggable++) {
			const struct nnr_identity who = { .binary = cases[i].binary };
			const struct nnr_allowlist list = { .partitions = cases[i].partitions,
							    .debuggable = debuggable };

			assert_int_equal(nnr_allowlist_decide(&who, &list, NULL),
					 debuggable && cases[i].expected);
		}
}

TEST(partitions)
{
	static const char *const entries[] = { "/opt/x/tool", "/system/bin/tool", "/bin/tool",
					       "/usr/local/bin/tool" };
	static const struct {
		const char *partitions, *binary;
		bool expected;
	} cases[] = {
		{ "/opt", "/opt/x/tool", true },
		{ "/opt/x", "/opt/x/tool", true },
		{ "/opt/y", "/opt/x/tool", false },
		{ "  /a \t /usr/local  ", "/usr/local/bin/tool", true },
		{ "", "/opt/x/tool", false },
		/* never a system partition, nor a path that contains one */
		{ "/system", "/system/bin/tool", false },
		{ "/system/bin", "/system/bin/tool", false },
		{ "/", "/bin/tool", false },
		{ "/", "/system/bin/tool", false },
		{ "opt", "/opt/x/tool", false },
	};

	for (uint32_t i = 0; i < COUNT(cases); i++) {
		const struct nnr_identity who = { .binary = cases[i].binary };
		const struct nnr_allowlist list = { .entries = entries,
						    .num_entries = COUNT(entries),
						    .partitions = cases[i].partitions,
						    .product_enabled = true };

		if (nnr_allowlist_decide(&who, &list, NULL) != cases[i].expected)
			fail_msg("%s in \"%s\"", cases[i].binary, cases[i].partitions);
	}
}

TEST(files)
{
	static const char text[] =
		"/data/foo\ncom.foo\n\nnodots\n# comment\n /data/blank\n/data/foo \ncom.b\0ad\n"
		"/no/newline";
	static const char *const expected[] = { "/data/foo", "com.foo", "/data/foo ",
						"/no/newline" };
	const char **entries = NULL;
	uint32_t count = 0;
	char copy[sizeof(text)];

	memcpy(copy, text, sizeof(text));
	assert_int_equal(nnr_allowlist_parse("list", copy, sizeof(text) - 1, &entries, &count), 0);
	assert_int_equal(count, COUNT(expected));
	for (uint32_t i = 0; i < count; i++) {
		assert_string_equal(entries[i], expected[i]);
		free((char *)entries[i]);
	}
	free(entries);
}

/* ---- this process, as its parent says ---- */

static char program[256], folder[256];

static void find_myself(void)
{
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	assert_true(n > 0);
	program[n] = '\0';
	strcpy(folder, program);
	*strrchr(folder, '/') = '\0';
}

static void set_list(const char *text, const char *partition)
{
	char lists[512];

	find_myself();
	if (text)
		temp_write(temp_path("list"), text, strlen(text));
	snprintf(lists, sizeof(lists), "/nonexistent/list:%s", temp_path("list"));
	setenv("NNAPI_EXTENSION_ALLOWLIST", lists, 1);
	setenv("NNAPI_EXTENSION_PARTITIONS", partition ? partition : folder, 1);
}

TEST(without_a_list_all_may)
{
	set_list(NULL, "/nowhere");
	assert_true(nnr_extensions_allowed());
}

TEST(with_a_list_others_may_not)
{
	set_list("/data/other\n", NULL);
	assert_false(nnr_extensions_allowed());
	assert_false(nnr_extensions_allowed());
}

TEST(who_is_listed_may)
{
	char text[512];

	find_myself();
	snprintf(text, sizeof(text), "com.other\n%s\n", program);
	set_list(text, NULL);
	assert_true(nnr_extensions_allowed());
}

TEST(who_is_listed_elsewhere_may_not)
{
	char text[512];

	find_myself();
	snprintf(text, sizeof(text), "%s\n", program);
	set_list(text, "/vendor /odm");
	assert_false(nnr_extensions_allowed());
}

TEST(an_unreadable_list_allows_no_program)
{
	set_list(NULL, NULL);
	assert_int_equal(mkdir(temp_path("list"), 0700), 0);
	assert_false(nnr_extensions_allowed());
	rmdir(temp_path("list"));
}

static ANeuralNetworksModel *extension_model(int32_t *type, int32_t *operation)
{
	ANeuralNetworksModel *model = rt_model();

	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, "com.test.ext", 0, type));
	RT_OK(ANeuralNetworksModel_getExtensionOperationType(model, "com.test.ext", 0, operation));
	return model;
}

TEST(denial_shows_where_models_are_made)
{
	const uint32_t index[] = { 0 }, dims[] = { 2 };
	int32_t type, operation;
	ANeuralNetworksModel *model;
	ANeuralNetworksOperandType t;
	bool supported = false;

	set_list("/data/other\n", NULL);
	model = extension_model(&type, &operation);
	t = rt_type(type, dims, 1);
	RT_BAD_DATA(ANeuralNetworksModel_addOperand(model, &t));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, operation, 1, index, 1, index));
	RT_OK(ANeuralNetworksDevice_getExtensionSupport(rt_device("a"), "com.test.ext",
							&supported));
	assert_true(supported);
	ANeuralNetworksModel_free(model);
}

TEST(who_may_has_no_denial)
{
	const uint32_t in[] = { 0 }, out[] = { 1 }, dims[] = { 2 };
	int32_t type, operation;
	ANeuralNetworksModel *model;
	ANeuralNetworksOperandType t;
	char text[512];

	find_myself();
	snprintf(text, sizeof(text), "%s\n", program);
	set_list(text, NULL);
	model = extension_model(&type, &operation);
	t = rt_type(type, dims, 1);
	RT_OK(ANeuralNetworksModel_addOperand(model, &t));
	RT_OK(ANeuralNetworksModel_addOperand(model, &t));
	RT_OK(ANeuralNetworksModel_addOperation(model, operation, 1, in, 1, out));
	ANeuralNetworksModel_free(model);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(binaries, NULL),
		RT_CASE(applications, NULL),
		RT_CASE(tests_of_the_system, NULL),
		RT_CASE(partitions, NULL),
		RT_CASE(files, NULL),
		RT_CASE(without_a_list_all_may, NULL),
		RT_CASE(with_a_list_others_may_not, NULL),
		RT_CASE(who_is_listed_may, NULL),
		RT_CASE(who_is_listed_elsewhere_may_not, NULL),
		RT_CASE(an_unreadable_list_allows_no_program, NULL),
		RT_CASE(denial_shows_where_models_are_made, "name=a,ext=com.test.ext/0:t4"),
		RT_CASE(who_may_has_no_denial, "name=a,ext=com.test.ext/0:t4"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
