// SPDX-License-Identifier: Apache-2.0
/* Every function of ANeuralNetworksCompilation, and every misuse of it with its result code. */
#include <stdio.h>

#include "nnaccel_runtime.h"
#include "rt_graph.h"

static ANeuralNetworksModel *add(void)
{
	return rt_graph("ab>c", "c=ADD(a,b)", NULL);
}

/* A compilation that is not NULL before a call that must make it so. */
#define POISON ((ANeuralNetworksCompilation *)&poison)
static int poison;

TEST(create)
{
	ANeuralNetworksCompilation *c = POISON;
	ANeuralNetworksModel *model = rt_model();

	RT_NULL(ANeuralNetworksCompilation_create(NULL, &c));
	assert_null(c);
	RT_NULL(ANeuralNetworksCompilation_create(model, NULL));
	RT_NULL(ANeuralNetworksCompilation_create(NULL, NULL));
	c = POISON;
	RT_BAD_STATE(ANeuralNetworksCompilation_create(model, &c));
	assert_null(c);
	/* a model that failed to finish is invalid for good */
	RT_BAD_DATA(ANeuralNetworksModel_finish(model));
	c = POISON;
	RT_BAD_STATE(ANeuralNetworksCompilation_create(model, &c));
	assert_null(c);
	ANeuralNetworksModel_free(model);
	model = add();
	RT_OK(ANeuralNetworksCompilation_create(model, &c));
	ANeuralNetworksCompilation_free(c);
	rt_free(NULL, NULL, model);
}

TEST(create_for_devices)
{
	const ANeuralNetworksDevice *devices[3] = { rt_device("a"), rt_device("b"), NULL };
	ANeuralNetworksModel *model = add(), *unfinished = rt_model();
	ANeuralNetworksCompilation *c = POISON;

	RT_NULL(ANeuralNetworksCompilation_createForDevices(NULL, devices, 2, &c));
	assert_null(c);
	c = POISON;
	RT_NULL(ANeuralNetworksCompilation_createForDevices(model, NULL, 2, &c));
	assert_null(c);
	RT_NULL(ANeuralNetworksCompilation_createForDevices(model, devices, 2, NULL));
	RT_NULL(ANeuralNetworksCompilation_createForDevices(model, NULL, 0, &c));
	c = POISON;
	RT_BAD_DATA(ANeuralNetworksCompilation_createForDevices(model, devices, 0, &c));
	assert_null(c);
	c = POISON;
	RT_NULL(ANeuralNetworksCompilation_createForDevices(model, devices, 3, &c));
	assert_null(c);
	devices[2] = devices[0];
	c = POISON;
	RT_BAD_DATA(ANeuralNetworksCompilation_createForDevices(model, devices, 3, &c));
	assert_null(c);
	devices[2] = (const ANeuralNetworksDevice *)&poison;
	RT_BAD_DATA(ANeuralNetworksCompilation_createForDevices(model, devices, 3, &c));
	/* the list is looked at before the model's state */
	RT_BAD_DATA(ANeuralNetworksCompilation_createForDevices(unfinished, devices, 3, &c));
	c = POISON;
	RT_BAD_STATE(ANeuralNetworksCompilation_createForDevices(unfinished, devices, 2, &c));
	assert_null(c);
	RT_OK(ANeuralNetworksCompilation_createForDevices(model, devices, 2, &c));
	assert_true(c->explicit_devices);
	ANeuralNetworksCompilation_free(c);
	devices[0] = rt_device("nnapi-reference");
	RT_OK(ANeuralNetworksCompilation_createForDevices(model, devices, 1, &c));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	rt_free(NULL, c, unfinished);
	ANeuralNetworksModel_free(model);
}

TEST(set_preference)
{
	ANeuralNetworksModel *model = add();
	ANeuralNetworksCompilation *c = rt_compilation(model, NULL);

	RT_NULL(ANeuralNetworksCompilation_setPreference(NULL, 0));
	RT_BAD_DATA(ANeuralNetworksCompilation_setPreference(c, 3));
	RT_BAD_DATA(ANeuralNetworksCompilation_setPreference(c, 40));
	RT_BAD_DATA(ANeuralNetworksCompilation_setPreference(c, INT32_MAX));
	assert_int_equal(c->preference, ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER);
	for (int32_t i = 0; i < 3; i++)
		RT_OK(ANeuralNetworksCompilation_setPreference(c, i));
	RT_OK(ANeuralNetworksCompilation_setPreference(c, -1));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	RT_BAD_STATE(ANeuralNetworksCompilation_setPreference(c, 1));
	RT_BAD_STATE(ANeuralNetworksCompilation_setPreference(c, 40));
	rt_free(NULL, c, model);
}

TEST(set_caching)
{
	const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { 1, 2, 3 };
	ANeuralNetworksModel *model = add();
	ANeuralNetworksCompilation *c = rt_compilation(model, NULL);

	RT_NULL(ANeuralNetworksCompilation_setCaching(NULL, "/tmp", token));
	RT_NULL(ANeuralNetworksCompilation_setCaching(c, NULL, token));
	RT_NULL(ANeuralNetworksCompilation_setCaching(c, "/tmp", NULL));
	assert_false(c->caching);
	RT_OK(ANeuralNetworksCompilation_setCaching(c, "", token));
	assert_string_equal(c->cache_dir, "");
	RT_OK(ANeuralNetworksCompilation_setCaching(c, "/tmp", token));
	assert_string_equal(c->cache_dir, "/tmp/");
	RT_OK(ANeuralNetworksCompilation_setCaching(c, "/tmp/", token));
	assert_string_equal(c->cache_dir, "/tmp/");
	assert_memory_equal(c->token, token, sizeof(token));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	RT_BAD_STATE(ANeuralNetworksCompilation_setCaching(c, "/tmp", token));
	RT_NULL(ANeuralNetworksCompilation_setCaching(c, NULL, token));
	rt_free(NULL, c, model);
}

TEST(set_priority)
{
	static const int good[] = { 90, 100, 110 },
			 bad[] = { 0, 89, 91, 99, 101, 109, 111, -1, INT32_MAX };
	ANeuralNetworksModel *model = add();
	ANeuralNetworksCompilation *c = rt_compilation(model, NULL);

	RT_NULL(ANeuralNetworksCompilation_setPriority(NULL, 100));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		RT_BAD_DATA(ANeuralNetworksCompilation_setPriority(c, bad[i]));
	assert_int_equal(c->priority, ANEURALNETWORKS_PRIORITY_DEFAULT);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		RT_OK(ANeuralNetworksCompilation_setPriority(c, good[i]));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	RT_BAD_STATE(ANeuralNetworksCompilation_setPriority(c, 100));
	RT_BAD_STATE(ANeuralNetworksCompilation_setPriority(c, 0));
	rt_free(NULL, c, model);
}

TEST(set_timeout)
{
	static const uint64_t timeouts[] = { 0, 1, 1000000000, INT64_MAX, UINT64_MAX };
	ANeuralNetworksModel *model = add();
	ANeuralNetworksCompilation *c = rt_compilation(model, NULL);
	int result;

	RT_NULL(ANeuralNetworksCompilation_setTimeout(NULL, 1));
	RT_BAD_DATA(ANeuralNetworksCompilation_setTimeout(c, 1));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	RT_BAD_STATE(ANeuralNetworksCompilation_setTimeout(c, 1));
	ANeuralNetworksCompilation_free(c);
	c = rt_compilation(model, "a b");
	RT_BAD_DATA(ANeuralNetworksCompilation_setTimeout(c, 1));
	ANeuralNetworksCompilation_free(c);
	for (size_t i = 0; i < sizeof(timeouts) / sizeof(timeouts[0]); i++) {
		c = rt_compilation(model, "a");
		RT_OK(ANeuralNetworksCompilation_setTimeout(c, timeouts[i]));
		result = ANeuralNetworksCompilation_finish(c);
		if (timeouts[i] == 1 && result != ANEURALNETWORKS_NO_ERROR)
			assert_int_equal(result, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
		else
			RT_OK(result);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

TEST(add_extension_attribute)
{
	const char *const name = "com.android.test_attribute_extension";
	ANeuralNetworksModel *model = add();
	ANeuralNetworksCompilation *c = rt_compilation(model, "a");
	const uint8_t value = 7;

	RT_NULL(ANeuralNetworksCompilation_addExtensionAttribute(NULL, name, 0, &value, 1));
	RT_NULL(ANeuralNetworksCompilation_addExtensionAttribute(c, NULL, 0, &value, 1));
	RT_NULL(ANeuralNetworksCompilation_addExtensionAttribute(c, name, 0, NULL, 1));
	RT_OK(ANeuralNetworksCompilation_addExtensionAttribute(c, name, 0, &value, 1));
	RT_BAD_DATA(ANeuralNetworksCompilation_addExtensionAttribute(c, name, 0, &value, 1));
	RT_BAD_DATA(ANeuralNetworksCompilation_addExtensionAttribute(c, name, 0, NULL, 0));
	RT_OK(ANeuralNetworksCompilation_addExtensionAttribute(c, name, 2, &value, 1));
	RT_OK(ANeuralNetworksCompilation_addExtensionAttribute(c, "another.extension", 0, NULL, 0));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	RT_BAD_STATE(ANeuralNetworksCompilation_addExtensionAttribute(c, name, 3, &value, 1));
	ANeuralNetworksCompilation_free(c);
	c = rt_compilation(model, "a b");
	RT_BAD_DATA(ANeuralNetworksCompilation_addExtensionAttribute(c, name, 0, &value, 1));
	ANeuralNetworksCompilation_free(c);
	c = rt_compilation(model, NULL);
	RT_BAD_DATA(ANeuralNetworksCompilation_addExtensionAttribute(c, name, 0, &value, 1));
	/* the state is looked at before the devices */
	RT_OK(ANeuralNetworksCompilation_finish(c));
	RT_BAD_STATE(ANeuralNetworksCompilation_addExtensionAttribute(c, name, 0, &value, 1));
	rt_free(NULL, c, model);
}

TEST(finish)
{
	ANeuralNetworksModel *model = add();
	ANeuralNetworksCompilation *c = rt_compilation(model, NULL);

	RT_NULL(ANeuralNetworksCompilation_finish(NULL));
	/* the model is not needed any more */
	ANeuralNetworksModel_free(model);
	RT_OK(ANeuralNetworksCompilation_finish(c));
	RT_BAD_STATE(ANeuralNetworksCompilation_finish(c));
	assert_non_null(c->plan);
	ANeuralNetworksCompilation_free(c);
}

typedef int (*preferred_fn)(const ANeuralNetworksCompilation *, uint32_t, uint32_t *);

TEST(preferred_memory)
{
	static const preferred_fn functions[] = {
		ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput,
		ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput,
		ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput,
		ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput,
	};
	static const struct {
		const char *device;
		uint32_t alignment, padding;
	} cases[] = { { "a", 64, 64 },
		      { "cpu", 64, 64 },
		      { "five", 64, 64 },
		      { "four", 64, 1 },
		      { "one", 64, 1 } };
	ANeuralNetworksModel *model = add();
	ANeuralNetworksCompilation *c = rt_compilation(model, "a");
	uint32_t value;

	for (size_t f = 0; f < 4; f++) {
		RT_NULL(functions[f](NULL, 0, &value));
		RT_NULL(functions[f](c, 0, NULL));
		RT_BAD_STATE(functions[f](c, 0, &value));
		RT_BAD_STATE(functions[f](c, 7, &value));
	}
	ANeuralNetworksCompilation_free(c);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		RT_OK(rt_finish(model, cases[i].device, &c));
		for (size_t f = 0; f < 4; f++) {
			RT_OK(functions[f](c, 0, &value));
			assert_int_equal(value, f < 2 ? cases[i].alignment : cases[i].padding);
			RT_BAD_DATA(functions[f](c, f % 2 ? 1 : 2, &value));
			RT_BAD_DATA(functions[f](c, UINT32_MAX, &value));
		}
		RT_OK(functions[0](c, 1, &value));
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

/* Of all steps that take an operand, the most. */
TEST(preferred_memory_of_several_steps)
{
	ANeuralNetworksModel *model = rt_graph("ab>df", "d=ADD(a,b) e=MUL(d,b) f=MUL(e,e)", NULL);
	ANeuralNetworksCompilation *c;
	uint32_t value;

	RT_OK(rt_finish(model, "old muler", &c));
	assert_string_equal(rt_plan_text(c), "old:ADD muler:MUL+MUL");
	RT_OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(c, 0, &value));
	assert_int_equal(value, 1);
	RT_OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(c, 1, &value));
	assert_int_equal(value, 64);
	/* an output that another step reads is touched by both */
	RT_OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(c, 0, &value));
	assert_int_equal(value, 64);
	rt_free(NULL, c, model);
}

#define NO_CACHE "model_cache=0 data_cache=0 token=0"

/* The calls that a device gets for a compilation, by its feature level. */
TEST(devices_get_what_they_can_take)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{ "eight",
		  "preference=2 priority=2 deadline=1 " NO_CACHE " hints=2 hint_extensions=1" },
		{ "seven",
		  "preference=2 priority=2 deadline=1 " NO_CACHE " hints=0 hint_extensions=0" },
		{ "four",
		  "preference=2 priority=2 deadline=1 " NO_CACHE " hints=0 hint_extensions=0" },
		{ "three",
		  "preference=2 priority=1 deadline=0 " NO_CACHE " hints=0 hint_extensions=0" },
		{ "one",
		  "preference=1 priority=1 deadline=0 " NO_CACHE " hints=0 hint_extensions=0" },
	};
	const char *counts = rt_empty_file("counts");
	ANeuralNetworksCompilation *c;
	ANeuralNetworksModel *model;

	rt_devices(
		"name=eight,count=%s name=seven,level=7,count=%s "
		"name=four,level=4,count=%s name=three,level=3,count=%s name=one,level=1,count=%s",
		counts, counts, counts, counts, counts);
	model = add();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[256];

		c = rt_compilation(model, cases[i].name);
		RT_OK(ANeuralNetworksCompilation_setPreference(c, 2));
		RT_OK(ANeuralNetworksCompilation_setPriority(c, ANEURALNETWORKS_PRIORITY_HIGH));
		RT_OK(ANeuralNetworksCompilation_setTimeout(c, 60000000000));
		RT_OK(ANeuralNetworksCompilation_addExtensionAttribute(c, "an.extension", 1, "x",
								       1));
		RT_OK(ANeuralNetworksCompilation_addExtensionAttribute(c, "an.extension", 2, "y",
								       1));
		RT_OK(ANeuralNetworksCompilation_finish(c));
		ANeuralNetworksCompilation_free(c);
		snprintf(line, sizeof(line),
			 "%s prepare_model ops=ADD inputs=2 outputs=1 extensions=0 %s",
			 cases[i].name, cases[i].expected);
		assert_int_equal(lines_count(counts, line), 1);
	}
	ANeuralNetworksModel_free(model);
}

/* Steps are prepared at a time: none of three is prepared before all have begun. */
TEST(steps_are_prepared_at_a_time)
{
	ANeuralNetworksModel *model = rt_graph("ab>e", "c=ADD(a,b) d=MUL(c,b) e=ABS(d)", NULL);
	const char *counts = rt_empty_file("counts");
	ANeuralNetworksCompilation *c;

	rt_devices("name=adder,ops=ADD,count=%s,prepare_meet=3 "
		   "name=muler,ops=MUL,count=%s,prepare_meet=3 "
		   "name=abser,ops=ABS,count=%s,prepare_meet=3",
		   counts, counts, counts);
	RT_OK(rt_finish(model, "adder muler abser", &c));
	assert_int_equal(lines_count(counts, " prepare_model "), 3);
	assert_int_equal(lines_count(counts, " prepare_alone"), 0);
	rt_free(NULL, c, model);
}

#define OLD "name=a name=b name=five,level=5 name=four,level=4 name=one,level=1"
static const struct rt_case cases[] = {
	RT_CASE(create, OLD),
	RT_CASE(create_for_devices, OLD),
	RT_CASE(set_preference, OLD),
	RT_CASE(set_caching, OLD),
	RT_CASE(set_priority, OLD),
	RT_CASE(set_timeout, OLD),
	RT_CASE(add_extension_attribute, OLD),
	RT_CASE(finish, OLD),
	RT_CASE(preferred_memory, OLD),
	RT_CASE_ENV(preferred_memory_of_several_steps,
		    "name=old,level=4,ops=ADD,exec=0.5 name=muler,ops=MUL,exec=0.5",
		    "NNAPI_STEP_NS=0"),
	RT_CASE(devices_get_what_they_can_take, NULL),
	RT_CASE(steps_are_prepared_at_a_time, NULL),
};

int main(int argc, char **argv)
{
	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
