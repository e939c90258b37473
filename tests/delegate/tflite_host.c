// SPDX-License-Identifier: Apache-2.0
/*
 * The delegate in TensorFlow Lite, beside its own kernels:
 *
 *   tflite_host TFLITE DELEGATE FOLDER [KEY=VALUE...]
 *
 * Runs FOLDER/model.tflite with and without the delegate on the samples of the folder (in0_0.bin:
 * sample 0, input 0), each from a reset, then all again without a reset between them. Prints
 * delegated nodes, all nodes, partitions, and how far the delegate is at worst from the outputs of
 * the folder, and from TensorFlow Lite's own kernels. Exit status 1: a call failed; an output is
 * further from the folder's than bounds.tsv has it; or, where TensorFlow Lite's kernels keep these
 * bounds, further from theirs; or a resized model does not work.
 *
 * It knows TensorFlow Lite by its C API only, and is started by the loader of the system that has
 * the library (scripts/check/doors.sh).
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tflite_abi.h"

#define MAX_PATH 4096

/* The C API. */
static void *(*model_from_file)(const char *path);
static void *(*options_create)(void);
static void (*options_add_delegate)(void *options, struct tfl_delegate *delegate);
static void (*options_threads)(void *options, int32_t threads);
static void *(*interpreter_create)(const void *model, const void *options);
static int (*allocate)(void *interpreter);
static int (*invoke)(void *interpreter);
static int (*reset)(void *interpreter);
static int (*resize_input)(void *interpreter, int32_t i, const int *dims, int32_t rank);
static int32_t (*input_count)(const void *interpreter);
static int32_t (*output_count)(const void *interpreter);
static struct tfl_tensor *(*input_tensor)(const void *interpreter, int32_t i);
static const struct tfl_tensor *(*output_tensor)(const void *interpreter, int32_t i);
static void (*interpreter_delete)(void *interpreter);

static const struct {
	const char *name;
	void *pointer;
} functions[] = {
	{ "TfLiteModelCreateFromFile", &model_from_file },
	{ "TfLiteInterpreterOptionsCreate", &options_create },
	{ "TfLiteInterpreterOptionsAddDelegate", &options_add_delegate },
	{ "TfLiteInterpreterOptionsSetNumThreads", &options_threads },
	{ "TfLiteInterpreterCreate", &interpreter_create },
	{ "TfLiteInterpreterAllocateTensors", &allocate },
	{ "TfLiteInterpreterInvoke", &invoke },
	{ "TfLiteInterpreterResetVariableTensors", &reset },
	{ "TfLiteInterpreterGetInputTensorCount", &input_count },
	{ "TfLiteInterpreterGetOutputTensorCount", &output_count },
	{ "TfLiteInterpreterGetInputTensor", &input_tensor },
	{ "TfLiteInterpreterGetOutputTensor", &output_tensor },
	{ "TfLiteInterpreterResizeInputTensor", &resize_input },
	{ "TfLiteInterpreterDelete", &interpreter_delete },
};

static void die(const char *what, const char *detail)
{
	fprintf(stderr, "tflite_host: %s: %s\n", what, detail);
	exit(1);
}

static void *open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

	if (!library)
		die("a library cannot be opened", dlerror());
	return library;
}

static void report(const char *text)
{
	die("the delegate refuses an option", text);
}

static struct tfl_delegate *make_delegate(const char *path, int argc, char **argv)
{
	void *library = open_library(path);
	struct tfl_delegate *(*create)(const char *const *keys, const char *const *values,
				       size_t count, void (*report_error)(const char *text));
	const char *keys[16], *values[16];
	struct tfl_delegate *delegate;
	int n;

	*(void **)&create = dlsym(library, "tflite_plugin_create_delegate");
	if (!create)
		die("the delegate has no entry", dlerror());
	for (n = 0; n < argc && n < 16; n++) {
		keys[n] = argv[n];
		values[n] = strchr(argv[n], '=') + 1;
		argv[n][values[n] - keys[n] - 1] = '\0';
	}
	delegate = create(keys, values, (size_t)n, report);
	return delegate;
}

/* Counts of nodes around the prepare() of the delegate. */
static int (*delegate_prepare)(struct tfl_context *context, struct tfl_delegate *delegate);
static int nodes_before, nodes_left, kernels;

static int counting_prepare(struct tfl_context *context, struct tfl_delegate *delegate)
{
	struct tfl_registration *reg;
	struct tfl_int_array *plan;
	struct tfl_node *node;
	int status;

	context->get_execution_plan(context, &plan);
	nodes_before += plan->size;
	status = delegate_prepare(context, delegate);
	context->get_execution_plan(context, &plan);
	for (int i = 0; i < plan->size; i++) {
		if (context->get_node(context, plan->data[i], &node, &reg) != TFL_OK)
			return TFL_ERROR;
		nodes_left += !node->delegate;
		kernels += node->delegate != NULL;
	}
	return status;
}

static void *make_interpreter(const char *path, struct tfl_delegate *delegate)
{
	void *options = options_create(), *model = model_from_file(path), *interpreter;

	if (!model)
		die("no model", path);
	options_threads(options, 1);
	if (delegate)
		options_add_delegate(options, delegate);
	interpreter = interpreter_create(model, options);
	if (!interpreter || allocate(interpreter) != TFL_OK)
		die(delegate ? "TensorFlow Lite refuses the model with the delegate"
			     : "TensorFlow Lite refuses the model",
		    path);
	return interpreter;
}

/* Whether the folder has the input; it is given to both. */
static bool read_input(const char *folder, int sample, int32_t i, struct tfl_tensor *a,
		       struct tfl_tensor *b)
{
	char path[MAX_PATH];
	FILE *f;

	snprintf(path, sizeof(path), "%s/in%d_%d.bin", folder, sample, i);
	f = fopen(path, "rb");
	if (!f)
		return false;
	if (fread(a->data, 1, a->bytes, f) != a->bytes || fgetc(f) != EOF)
		die("an input has not the size of its tensor", path);
	fclose(f);
	memcpy(b->data, a->data, a->bytes);
	return true;
}

static double element(const struct tfl_tensor *t, size_t i)
{
	switch (t->type) {
	case TFL_FLOAT32:
		return ((float *)t->data)[i];
	case TFL_INT32:
		return ((int32_t *)t->data)[i];
	case TFL_INT64:
		return (double)((int64_t *)t->data)[i];
	case TFL_INT8:
		return ((int8_t *)t->data)[i];
	default:
		return ((uint8_t *)t->data)[i];
	}
}

static size_t element_count(const struct tfl_tensor *t)
{
	return t->bytes / (t->type == TFL_INT64				    ? 8
			   : t->type == TFL_FLOAT32 || t->type == TFL_INT32 ? 4
									    : 1);
}

/* In the unit of the bound: elements that differ, key points that are seen, or the largest. */
static double difference(const struct tfl_tensor *a, const struct tfl_tensor *b, const char *unit)
{
	size_t n = element_count(a), differ = 0;
	bool points = !strncmp(unit, "normalised coordinate", 21);
	double most = 0;

	if (element_count(b) != n)
		die("an output has another size with the delegate", a->name);
	for (size_t i = 0; i < n; i++) {
		double d = fabs(element(a, i) - element(b, i));

		/* y, x, score */
		if (points && (i % 3 == 2 || element(a, i - i % 3 + 2) < 0.5))
			continue;
		differ += d > 0;
		most = fmax(most, d);
	}
	return strcmp(unit, "fraction of pixels") ? most : (double)differ / (double)n;
}

/* The bound of an output, and its unit, of bounds.tsv. */
static double find_bound(const char *folder, int sample, int32_t output, char unit[128])
{
	char path[MAX_PATH], line[1024];
	double bound;
	int s, o;
	FILE *f;

	snprintf(path, sizeof(path), "%s/bounds.tsv", folder);
	f = fopen(path, "r");
	if (!f)
		die("no bounds", path);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%d\tout\t%d\t%127[^\t]\t%lf", &s, &o, unit, &bound) == 4 &&
		    s == sample && o == output) {
			fclose(f);
			return bound;
		}
	fclose(f);
	die("no bound for a sample", path);
	return 0;
}

/* The difference that is nearest to its bound, or furthest above it. */
struct worst {
	double difference, bound, share;
};

static void worst_add(struct worst *w, const struct tfl_tensor *a, const struct tfl_tensor *b,
		      const char *unit, double bound)
{
	double d = difference(a, b, unit), share = d > 0 ? d / fmax(bound, 1e-9) : 0;

	if (share >= w->share)
		*w = (struct worst){ d, bound, share };
}

/* Of the delegate from the stored outputs, of TensorFlow Lite from them, and of the two. */
struct results {
	struct worst stored, own, both;
	int runs;
	char unit[128];
};

static void judge_output(const struct tfl_tensor *own, const struct tfl_tensor *with,
			 const char *folder, int sample, int32_t i, bool is_stored,
			 struct results *r)
{
	double bound = find_bound(folder, sample, i, r->unit);
	struct tfl_tensor stored = *own;
	size_t size, count = element_count(own);
	char path[MAX_PATH];
	FILE *f;

	if (own->type != with->type)
		die("an output has another type with the delegate", own->name);
	worst_add(&r->both, own, with, r->unit, bound);
	if (!is_stored)
		return;
	snprintf(path, sizeof(path), "%s/out%d_%d.bin", folder, sample, i);
	f = fopen(path, "rb");
	stored.data = malloc(own->bytes + 1);
	if (!f || !stored.data)
		die("an output cannot be read", path);
	size = fread(stored.data, 1, own->bytes + 1, f);
	fclose(f);
	/* small numbers may be bytes in the file */
	if (size != own->bytes && size == count) {
		stored.type = TFL_UINT8;
		stored.bytes = size;
	} else if (size != own->bytes) {
		die("a stored output has not the size of its tensor", path);
	}
	worst_add(&r->stored, &stored, with, r->unit, bound);
	worst_add(&r->own, &stored, own, r->unit, bound);
	free(stored.data);
}

/* The stored outputs are those of samples that begin with a reset. */
static void run_samples(void *own, void *with, const char *folder, bool resets, struct results *r)
{
	for (int k = 0;; k++) {
		for (int32_t i = 0; i < input_count(own); i++)
			if (!read_input(folder, k, i, input_tensor(own, i), input_tensor(with, i)))
				return;
		if (resets && (reset(own) != TFL_OK || reset(with) != TFL_OK))
			die("no reset", folder);
		if (invoke(own) != TFL_OK || invoke(with) != TFL_OK)
			die("the model cannot be invoked", folder);
		r->runs++;
		for (int32_t i = 0; i < output_count(own); i++)
			judge_output(output_tensor(own, i), output_tensor(with, i), folder, k, i,
				     resets, r);
	}
}

/* Sample 0 twice. */
static bool read_half(const char *folder, struct tfl_tensor *t, size_t half)
{
	struct tfl_tensor first = *t, second = *t;

	first.bytes = second.bytes = half;
	second.data = (char *)t->data + half;
	return t->bytes == 2 * half && read_input(folder, 0, 0, &first, &second);
}

static bool double_batch(void *interpreter)
{
	const struct tfl_tensor *t = input_tensor(interpreter, 0);
	int dims[8] = { 0 };

	if (t->dims->size < 1 || t->dims->size > 8)
		return false;
	memcpy(dims, t->dims->data, (size_t)t->dims->size * sizeof(int));
	dims[0] *= 2;
	return resize_input(interpreter, 0, dims, t->dims->size) == TFL_OK &&
	       allocate(interpreter) == TFL_OK;
}

/*
 * Where TensorFlow Lite itself can resize the model to twice the batch: a sample twice must give
 * its output twice. False: it does not.
 */
static bool check_batch(void *own, void *with, const char *folder, const char **result)
{
	struct tfl_tensor *in = input_tensor(with, 0);
	const struct tfl_tensor *out = output_tensor(with, 0);
	size_t in_size = in->bytes, out_size = out->bytes;
	char *output = malloc(out_size);
	bool same;

	*result = "not resized";
	if (input_count(own) != 1)
		return true;
	if (!read_input(folder, 0, 0, input_tensor(own, 0), in) || reset(with) != TFL_OK ||
	    invoke(with) != TFL_OK || !output)
		return false;
	memcpy(output, out->data, out_size);
	if (!double_batch(own) || output_tensor(own, 0)->bytes != 2 * out_size)
		return true;
	*result = "resized";
	if (!double_batch(with))
		return false;
	in = input_tensor(with, 0);
	if (!read_half(folder, in, in_size) || invoke(with) != TFL_OK)
		return false;
	out = output_tensor(with, 0);
	same = out->bytes == 2 * out_size && !memcmp(out->data, output, out_size) &&
	       !memcmp((const char *)out->data + out_size, output, out_size);
	free(output);
	return same;
}

int main(int argc, char **argv)
{
	struct results r = { .runs = 0 };
	const char *batch;
	bool resizes;
	struct tfl_delegate *delegate;
	void *tflite, *own, *with;
	char path[MAX_PATH];

	if (argc < 4)
		die("usage", "tflite_host TFLITE DELEGATE FOLDER [KEY=VALUE...]");
	tflite = open_library(argv[1]);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(tflite, functions[i].name);

		if (!function)
			die("the library lacks a function", functions[i].name);
		memcpy(functions[i].pointer, &function, sizeof(function));
	}
	delegate = make_delegate(argv[2], argc - 4, argv + 4);
	delegate_prepare = delegate->prepare;
	delegate->prepare = counting_prepare;
	snprintf(path, sizeof(path), "%s/model.tflite", argv[3]);
	own = make_interpreter(path, NULL);
	with = make_interpreter(path, delegate);
	run_samples(own, with, argv[3], true, &r);
	run_samples(own, with, argv[3], false, &r);
	resizes = check_batch(own, with, argv[3], &batch);
	interpreter_delete(with);
	interpreter_delete(own);
	printf("%3d of %3d nodes, %d partitions, %2d runs, from the stored outputs %.3g of %.3g, from the builtin kernels %.3g (%.20s), %s\n",
	       nodes_before - nodes_left, nodes_before, kernels, r.runs, r.stored.difference,
	       r.stored.bound, r.both.difference, r.unit, batch);
	return !r.runs || !resizes || r.stored.share > 1 || (r.own.share <= 1 && r.both.share > 1);
}
