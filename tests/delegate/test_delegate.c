/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The delegate in a host that needs no TensorFlow Lite. Arguments: the library, then folders of
 * .tflite files. A file that is wholly delegated must give, in two invocations, the same bytes
 * as libnnimport's model of the whole file on the runtime.
 */
#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cjson/cJSON.h>

#include "fake_host.h"
#include "nnclient.h"
#include "temp.h"
#include "test_case.h"

static struct tfl_delegate *(*create)(const char *const *keys, const char *const *values,
				      size_t count, void (*report)(const char *text));
static void (*destroy)(struct tfl_delegate *delegate);
static char **folders;
static unsigned int nodes, delegated, compared;

/* With log=off, and what is given: of @more, a key and a value. */
static struct tfl_delegate *delegate_with(const char *key, const char *value,
					  const char *const *more)
{
	const char *const keys[] = { "log", key, more ? more[0] : NULL };
	const char *const values[] = { "off", value, more ? more[1] : NULL };

	fake_host_reported[0] = '\0';
	return create(keys, values, more ? 3 : key ? 2 : 1, fake_host_report);
}

static struct tfl_delegate *delegate_new(const char *key, const char *value)
{
	return delegate_with(key, value, NULL);
}

/* ---- the whole file on the runtime ---- */

struct direct {
	struct nnimport import;
	struct runtime_model model;
	ANeuralNetworksCompilation *compilation;
	void **inputs, **outputs;
};

static bool direct_open(struct direct *d, const struct fake_host *h, size_t size)
{
	char message[256];

	if (nnimport_read(h->bytes, size, &d->import)) {
		nnimport_free(&d->import);
		return false;
	}
	assert_int_equal(runtime_model_create(d->import.model, &d->model, message, sizeof(message)),
			 ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(runtime_compilation_create(d->model.model, NULL, &d->compilation, message,
						    sizeof(message)),
			 ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(ANeuralNetworksCompilation_finish(d->compilation),
			 ANEURALNETWORKS_NO_ERROR);
	d->inputs = calloc(d->import.model->main.num_inputs + 1, sizeof(void *));
	d->outputs = calloc(d->import.model->main.num_outputs + 1, sizeof(void *));
	assert_true(d->inputs && d->outputs);
	for (uint32_t i = 0; i < d->import.num_inputs; i++)
		d->inputs[i] = calloc(1, d->import.inputs[i].operand_size + 1);
	for (uint32_t i = 0; i < d->import.num_outputs; i++)
		d->outputs[i] = calloc(1, d->import.outputs[i].operand_size + 1);
	for (uint32_t i = 0; i < d->import.num_states; i++) {
		const struct nnimport_state *s = &d->import.states[i];

		d->inputs[s->input] = malloc(s->size + 1);
		memset(d->inputs[s->input], s->fill, s->size);
		if (s->output != NNIMPORT_NO_OUTPUT)
			d->outputs[s->output] = calloc(1, s->size + 1);
	}
	return true;
}

static size_t argument_size(const struct direct *d, uint32_t i, bool out)
{
	if (i < (out ? d->import.num_outputs : d->import.num_inputs))
		return (out ? d->import.outputs : d->import.inputs)[i].operand_size;
	for (uint32_t s = 0; s < d->import.num_states; s++)
		if ((out ? d->import.states[s].output : d->import.states[s].input) == i)
			return d->import.states[s].size;
	fail();
	return 0;
}

/* Whether it can be computed with these inputs. */
static bool direct_run(struct direct *d)
{
	const struct nnmodel_subgraph *g = &d->import.model->main;
	ANeuralNetworksExecution *e;
	int result;

	assert_int_equal(ANeuralNetworksExecution_create(d->compilation, &e), 0);
	for (uint32_t i = 0; i < g->num_inputs; i++)
		assert_int_equal(ANeuralNetworksExecution_setInput(e, (int32_t)i, NULL,
								   d->inputs[i],
								   argument_size(d, i, false)),
				 0);
	for (uint32_t i = 0; i < g->num_outputs; i++)
		assert_int_equal(ANeuralNetworksExecution_setOutput(e, (int32_t)i, NULL,
								    d->outputs[i],
								    argument_size(d, i, true)),
				 0);
	result = ANeuralNetworksExecution_compute(e);
	ANeuralNetworksExecution_free(e);
	for (uint32_t i = 0; !result && i < d->import.num_states; i++) {
		const struct nnimport_state *s = &d->import.states[i];

		if (s->output != NNIMPORT_NO_OUTPUT)
			memcpy(d->inputs[s->input], d->outputs[s->output], s->size);
	}
	return !result;
}

static void direct_close(struct direct *d)
{
	for (uint32_t i = 0; i < d->import.model->main.num_inputs; i++)
		free(d->inputs[i]);
	for (uint32_t i = 0; i < d->import.model->main.num_outputs; i++)
		free(d->outputs[i]);
	free(d->inputs);
	free(d->outputs);
	ANeuralNetworksCompilation_free(d->compilation);
	runtime_model_free(&d->model);
	nnimport_free(&d->import);
}

/* Small numbers of any type, other ones for each invocation; of INT64, what the INT32 has. */
static void fill_input(const struct nnimport_tensor *t, void *operand, void *tensor, int seed)
{
	size_t n = t->operand_size / nnimport_type_size(t->operand_type);

	for (size_t i = 0; i < n; i++) {
		int v = (int)(i * 7 + (size_t)seed * 3) % 5;

		if (t->type == NNIMPORT_FLOAT32)
			((float *)operand)[i] = (float)v / 4;
		else if (t->operand_type == NNIMPORT_INT32)
			((int32_t *)operand)[i] = v % 2;
		else if (t->type == NNIMPORT_FLOAT16)
			((_Float16 *)operand)[i] = (_Float16)v;
		else
			((uint8_t *)operand)[i] = t->type == NNIMPORT_BOOL ? (uint8_t)(v & 1)
									   : (uint8_t)(v * 20);
		if (t->type == NNIMPORT_INT64)
			((int64_t *)tensor)[i] = ((int32_t *)operand)[i];
	}
	if (t->type != NNIMPORT_INT64)
		memcpy(tensor, operand, t->size);
}

static void compare_outputs(const struct direct *d, const struct fake_host *h)
{
	for (uint32_t i = 0; i < d->import.num_outputs; i++) {
		const struct nnimport_tensor *t = &d->import.outputs[i];
		const struct tfl_tensor *o = &h->tensors[h->model.outputs[i]];

		/* an output that no node writes is a constant, an input or a state */
		if (o->allocation_type == TFL_MMAP_RO || o->is_variable)
			continue;
		assert_int_equal(o->bytes, t->size);
		for (size_t k = 0; t->type == NNIMPORT_INT64 && k < t->size / 8; k++)
			assert_int_equal(((int64_t *)o->data)[k], ((int32_t *)d->outputs[i])[k]);
		if (t->type != NNIMPORT_INT64)
			assert_memory_equal(o->data, d->outputs[i], t->size);
	}
}

static void compare(struct fake_host *h, size_t size, const char *path)
{
	struct direct d = { .compilation = NULL };
	bool runs = true;

	/* a value of an input in the file is the host's to keep, and the whole file has rules too
	 */
	for (uint32_t i = 0; i < h->model.num_inputs; i++)
		if (h->tensors[h->model.inputs[i]].allocation_type == TFL_MMAP_RO)
			return;
	if (!direct_open(&d, h, size))
		return;
	assert_int_equal(fake_host_prepare(h), TFL_OK);
	for (int seed = 0; seed < 2 && runs; seed++) {
		for (uint32_t i = 0; i < d.import.num_inputs; i++)
			fill_input(&d.import.inputs[i], d.inputs[i],
				   h->tensors[h->model.inputs[i]].data, seed);
		runs = direct_run(&d);
		if ((fake_host_invoke(h) == TFL_OK) != runs)
			fail_msg("%s: %s", path, h->error);
		if (runs)
			compare_outputs(&d, h);
	}
	direct_close(&d);
	compared++;
}

static int try_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t n = strlen(path);
	struct tfl_delegate *delegate;
	struct fake_host *h;
	int before;

	(void)ftw;
	if (type != FTW_F || n < 7 || strcmp(path + n - 7, ".tflite"))
		return 0;
	h = fake_host_open(path);
	if (!h)
		return 0;
	delegate = delegate_new(NULL, NULL);
	assert_non_null(delegate);
	before = h->num_nodes;
	assert_int_equal(fake_host_apply(h, delegate), TFL_OK);
	nodes += (unsigned int)before;
	delegated += (unsigned int)(before - fake_host_left(h));
	if (before && !fake_host_left(h))
		compare(h, (size_t)st->st_size, path);
	fake_host_close(h);
	destroy(delegate);
	return 0;
}

TEST(test_files)
{
	for (char **folder = folders; *folder; folder++)
		assert_int_equal(nftw(*folder, try_file, 8, FTW_PHYS), 0);
	print_message("%u of %u nodes delegated; %u files compared\n", delegated, nodes, compared);
	assert_true(compared > 2);
}

/* ---- options ---- */

static void expect_refused(const char *key, const char *value, const char *message)
{
	assert_null(delegate_new(key, value));
	if (!strstr(fake_host_reported, message))
		fail_msg("\"%s\" has no \"%s\"", fake_host_reported, message);
}

TEST(test_options)
{
	expect_refused("speed", "fast", "unknown option \"speed\"");
	expect_refused("log", "off", "option \"log\" is given twice");
	expect_refused("fp16", "yes", "option \"fp16\" is \"yes\", must be 0 or 1");
	expect_refused("min_nodes", "0", "option \"min_nodes\" is \"0\"");
	expect_refused("cache_dir", "here", "must be an absolute path");
	expect_refused("preference", "fast", "must be low_power");
	expect_refused("devices", "no-such-device", "the runtime has no device no-such-device");
	expect_refused("explain", "here", "must be the absolute path of a file");
	expect_refused("explain", "/nonexistent/file", "that can be written");
	expect_refused("compare", "no-such-device", "the runtime has no device no-such-device");
	expect_refused("sample", "0", "option \"sample\" is \"0\"");
	expect_refused("device", "a,b", "option \"device\" is \"a,b\"");
	expect_refused("isolation", "jail", "must be auto, none, worker or service");
	expect_refused("isolation", "service", "with another isolation already");
}

/* ---- one model ---- */

static struct fake_host *own_model(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/model.tflite", folders[0], name);
	return fake_host_open(path);
}

/* A node that cannot be translated stays, and the two sides of it are partitions. */
TEST(test_left)
{
	struct fake_host *h = own_model("shapes_int8");
	struct tfl_delegate *delegate = delegate_new(NULL, NULL);
	struct tfl_delegate *all = delegate_new("require_all", "1");
	struct tfl_delegate *large = delegate_new("min_nodes", "1000");
	int middle = h->num_nodes / 2, before = h->num_nodes;

	h->registrations[middle].builtin_code = 103; /* UNIQUE */
	assert_int_equal(fake_host_apply(h, large), TFL_OK);
	assert_int_equal(fake_host_left(h), before);
	assert_int_equal(fake_host_apply(h, all), TFL_ERROR);
	assert_non_null(
		strstr(h->error, "(UNIQUE) cannot be delegated: NNAPI has no such operation"));
	assert_int_equal(h->num_nodes, before);
	assert_int_equal(fake_host_apply(h, delegate), TFL_OK);
	assert_int_equal(fake_host_left(h), 1);
	assert_int_equal(fake_host_kernels(h), 2);
	assert_int_equal(fake_host_prepare(h), TFL_OK);
	fake_host_close(h);
	destroy(delegate);
	destroy(all);
	destroy(large);
}

/* TensorFlow Lite would drop a node that waits for itself: it is not handed over. */
TEST(test_cycle)
{
	struct fake_host *h = own_model("shapes_int8");
	struct tfl_delegate *delegate = delegate_new(NULL, NULL);
	struct tfl_delegate *all = delegate_new("require_all", "1");

	h->nodes[0].inputs->data[0] = h->nodes[0].outputs->data[0];
	assert_int_equal(fake_host_apply(h, all), TFL_ERROR);
	assert_non_null(strstr(h->error, "it reads a tensor that no node before it writes"));
	assert_int_equal(fake_host_apply(h, delegate), TFL_OK);
	assert_int_equal(fake_host_left(h), 1);
	fake_host_close(h);
	destroy(delegate);
	destroy(all);
}

/* CALL_ONCE has no output. Without it, variables have no first values. */
TEST(test_without_output)
{
	struct fake_host *h = own_model("shapes_int8");
	struct tfl_delegate *delegate = delegate_new(NULL, NULL);
	int last = h->num_nodes - 1;

	h->registrations[last].builtin_code = 129; /* CALL_ONCE */
	h->nodes[last].inputs->size = h->nodes[last].outputs->size = 0;
	h->model.outputs[0] = h->nodes[last - 1].outputs->data[0];
	assert_int_equal(fake_host_apply(h, delegate), TFL_OK);
	assert_int_equal(fake_host_left(h), 1);
	fake_host_close(h);
	destroy(delegate);
}

/* The choice and its reasons, and an explanation of each partition, line by line. */
TEST(test_explain)
{
	struct fake_host *h = own_model("shapes_int8");
	const char *path = temp_path("explain");
	int middle = h->num_nodes / 2, partitions = 0;
	struct tfl_delegate *delegate = delegate_new("explain", path);
	cJSON *choice, *stay, *partition;
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	assert_true(file && delegate);
	h->registrations[middle].builtin_code = 103; /* UNIQUE */
	assert_int_equal(fake_host_apply(h, delegate), TFL_OK);
	assert_int_equal(fake_host_prepare(h), TFL_OK);
	assert_true(getline(&line, &size, file) > 0);
	choice = cJSON_Parse(line);
	assert_int_equal(cJSON_GetObjectItem(choice, "partitions")->valueint, 2);
	stay = cJSON_GetObjectItem(choice, "stay");
	assert_int_equal(cJSON_GetArraySize(stay), 1);
	stay = cJSON_GetArrayItem(stay, 0);
	assert_int_equal(cJSON_GetObjectItem(stay, "node")->valueint, middle);
	assert_string_equal(cJSON_GetObjectItem(stay, "operator")->valuestring, "UNIQUE");
	assert_non_null(strstr(cJSON_GetObjectItem(stay, "reason")->valuestring,
			       "NNAPI has no such operation"));
	cJSON_Delete(choice);
	for (; getline(&line, &size, file) > 0; partitions++) {
		partition = cJSON_Parse(line);
		assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(partition, "partition")) > 0);
		assert_string_equal(
			cJSON_GetObjectItem(cJSON_GetObjectItem(partition, "explanation"), "result")
				->valuestring,
			"NO_ERROR");
		cJSON_Delete(partition);
	}
	assert_int_equal(partitions, 2);
	free(line);
	fclose(file);
	fake_host_close(h);
	destroy(delegate);
}

/* The host's other graphs are not shown: a node that names them stays. */
TEST(test_subgraphs)
{
	struct tfl_delegate *delegate = delegate_new("require_all", "1");
	struct fake_host *h;
	char path[4096];

	snprintf(path, sizeof(path), "%s/control-if.tflite", folders[1]);
	h = fake_host_open(path);
	assert_true(h && delegate);
	assert_int_equal(fake_host_apply(h, delegate), TFL_ERROR);
	assert_non_null(strstr(h->error, "its subgraphs are not part of the graph"));
	fake_host_close(h);
	destroy(delegate);
}

/* A shape that is known only when the model runs stays; one that is open from the input on does
 * not. */
TEST(test_open_shapes)
{
	struct fake_host *h = own_model("shapes_fp32");
	struct tfl_delegate *delegate = delegate_new("require_all", "1");
	struct tfl_int_array *open = calloc(1, sizeof(*open) + sizeof(int));
	struct tfl_node *first = &h->nodes[0];

	assert_non_null(open);
	open->size = 1;
	open->data[0] = -1;
	h->tensors[first->outputs->data[0]].dims_signature = open;
	assert_int_equal(fake_host_apply(h, delegate), TFL_ERROR);
	assert_non_null(strstr(h->error, "is known only when the model runs"));
	h->tensors[first->inputs->data[0]].dims_signature = open;
	assert_int_equal(fake_host_apply(h, delegate), TFL_OK);
	fake_host_close(h);
	destroy(delegate);
	free(open);
}

/* The model is compiled again for other shapes; shapes that do not fit are an error. */
TEST(test_resize)
{
	struct fake_host *h = own_model("shapes_fp32");
	struct tfl_delegate *delegate = delegate_new(NULL, NULL);
	float one[2], two[4][2];
	size_t outs, ins;
	int32_t dims[8];

	assert_int_equal(fake_host_apply(h, delegate), TFL_OK);
	assert_int_equal(fake_host_kernels(h), 1);
	assert_int_equal(fake_host_prepare(h), TFL_OK);
	ins = h->tensors[h->model.inputs[0]].bytes;
	outs = h->tensors[h->model.outputs[0]].bytes;
	for (size_t i = 0; i < ins / sizeof(float); i++)
		((float *)h->tensors[h->model.inputs[0]].data)[i] = (float)(i % 7) / 7;
	assert_int_equal(fake_host_invoke(h), TFL_OK);
	memcpy(one, h->tensors[h->model.outputs[0]].data, sizeof(one));
	/* the host gives all tensors that are no constant a batch of 4 */
	for (uint32_t i = 0; i < h->model.num_tensors; i++) {
		struct tfl_tensor *t = &h->tensors[i];

		if (t->allocation_type == TFL_MMAP_RO || !t->dims->size)
			continue;
		memcpy(dims, t->dims->data, (size_t)t->dims->size * sizeof(int));
		dims[0] = 4;
		fake_host_resize(h, (int32_t)i, dims);
	}
	assert_int_equal(fake_host_prepare(h), TFL_OK);
	assert_int_equal(h->tensors[h->model.outputs[0]].bytes, 4 * outs);
	for (size_t i = 0; i < ins; i++)
		for (int b = 0; b < 4; b++)
			((uint8_t *)h->tensors[h->model.inputs[0]].data)[(size_t)b * ins + i] =
				((uint8_t *)h->tensors[h->model.inputs[0]].data)[i];
	assert_int_equal(fake_host_invoke(h), TFL_OK);
	for (int b = 0; b < 4; b++) {
		memcpy(two[b], (uint8_t *)h->tensors[h->model.outputs[0]].data + (size_t)b * outs,
		       sizeof(two[b]));
		assert_memory_equal(one, two[b], sizeof(one));
	}
	/* a channel more than the first filter has */
	memcpy(dims, h->tensors[h->model.inputs[0]].dims->data, 4 * sizeof(int));
	dims[3]++;
	fake_host_resize(h, h->model.inputs[0], dims);
	assert_int_equal(fake_host_prepare(h), TFL_ERROR);
	assert_non_null(strstr(h->error, "nnaccel: nodes 0 to"));
	assert_non_null(strstr(h->error, "the filter (tensor"));
	fake_host_close(h);
	destroy(delegate);
}

/* A device that supports one operation: the others stay, and the log has the device. */
TEST(test_devices)
{
	struct fake_host *h = own_model("shapes_int8");
	struct tfl_delegate *conv = delegate_new("device", "conv");
	struct tfl_delegate *all =
		delegate_with("device", "conv", (const char *const[]){ "require_all", "1" });
	int before = h->num_nodes, convolutions = 0;

	assert_true(conv && all);
	for (int i = 0; i < before; i++)
		convolutions += h->registrations[i].builtin_code == 3;
	assert_true(convolutions > 0 && convolutions < before);
	assert_int_equal(fake_host_apply(h, all), TFL_ERROR);
	assert_non_null(strstr(h->error, "none of conv supports"));
	assert_int_equal(fake_host_apply(h, conv), TFL_OK);
	assert_int_equal(fake_host_left(h), before - convolutions);
	assert_int_equal(fake_host_prepare(h), TFL_OK);
	fake_host_close(h);
	destroy(conv);
	destroy(all);
}

/* The last line of a file, as JSON. */
static cJSON *last_line(const char *path)
{
	char line[4096] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		;
	fclose(f);
	return cJSON_Parse(line);
}

static double number_of(const cJSON *object, const char *name)
{
	const cJSON *number = cJSON_GetObjectItem(object, name);

	assert_true(cJSON_IsNumber(number));
	return number->valuedouble;
}

/* Two computations of five, on a device that takes ADD for SUB, and on one that does not. */
TEST(test_compare)
{
	static const char *const devices[] = { "minus", "whole" };
	const char *explain = temp_path("compare");
	char path[4096];

	snprintf(path, sizeof(path), "%s/elements-add_n.tflite", folders[1]);
	for (int i = 0; i < 2; i++) {
		const char *const keys[] = { "log", "device", "compare", "sample", "explain" };
		const char *const values[] = { "off", devices[i], "nnapi-reference", "2", explain };
		struct tfl_delegate *delegate = create(keys, values, 5, fake_host_report);
		struct fake_host *h = fake_host_open(path);
		cJSON *line, *widest;

		assert_true(delegate && h);
		assert_int_equal(fake_host_apply(h, delegate), TFL_OK);
		assert_int_equal(fake_host_prepare(h), TFL_OK);
		for (uint32_t k = 0; k < h->model.num_inputs; k++)
			for (size_t e = 0; e < h->tensors[h->model.inputs[k]].bytes / 4; e++)
				((float *)h->tensors[h->model.inputs[k]].data)[e] = 3;
		for (int k = 0; k < 5; k++)
			assert_int_equal(fake_host_invoke(h), TFL_OK);
		fake_host_close(h);
		destroy(delegate);
		line = last_line(explain);
		assert_non_null(line);
		assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(line, "device")),
				    "nnapi-reference");
		assert_int_equal(number_of(line, "computations"), 5);
		assert_int_equal(number_of(line, "compared"), 2);
		assert_int_equal(number_of(line, "differ"), i ? 0 : 2);
		widest = cJSON_GetArrayItem(cJSON_GetObjectItem(line, "widest"), 0);
		assert_true(cJSON_IsNumber(widest));
		assert_true(i ? widest->valuedouble < 1e-6 : widest->valuedouble > 1);
		cJSON_Delete(line);
	}
}

TEST(test_cache)
{
	struct fake_host *h = own_model("shapes_int8");
	struct tfl_delegate *delegate;

	temp_remove();
	delegate = delegate_with("cache_dir", temp_folder(),
				 (const char *const[]){ "device", "whole" });
	assert_int_equal(fake_host_apply(h, delegate), TFL_OK);
	assert_int_equal(fake_host_prepare(h), TFL_OK);
	assert_true(temp_count("*", NULL) > 0);
	fake_host_close(h);
	destroy(delegate);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),	    cmocka_unit_test(test_left),
		cmocka_unit_test(test_cycle),	    cmocka_unit_test(test_without_output),
		cmocka_unit_test(test_explain),	    cmocka_unit_test(test_subgraphs),
		cmocka_unit_test(test_open_shapes), cmocka_unit_test(test_resize),
		cmocka_unit_test(test_cache),	    cmocka_unit_test(test_devices),
		cmocka_unit_test(test_compare),	    cmocka_unit_test(test_files),
	};
	void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!library) {
		fprintf(stderr, "%s\n",
			argc > 2 ? dlerror() : "usage: test_delegate LIBRARY FOLDER...");
		return 1;
	}
	*(void **)&create = dlsym(library, "tflite_plugin_create_delegate");
	*(void **)&destroy = dlsym(library, "tflite_plugin_destroy_delegate");
	folders = argv + 2;
	return create && destroy ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
