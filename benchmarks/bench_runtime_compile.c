// SPDX-License-Identifier: Apache-2.0
/*
 * The time of the runtime to build and compile MobileNetV2 1.0 224 (quantized): all calls of
 * ANeuralNetworksModel and ANeuralNetworksCompilation, minus the time of
 * get_supported_operations(). The devices prepare nothing. On one device, and partitioned on two
 * with every ADD a step of its own. Also the memory of a finished model, which has one copy of the
 * weights beside the application's. Prints a table, then one line of JSON.
 *
 *   bench_runtime_compile [FOLDER of libnnhal-testdev.so]      (default: one device only)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "model/nnr_model.h"
#include "plan/nnr_plan.h"
#include "registry/nnr_registry.h"

#define ROUNDS 60u
#define WARM_UP 5u
#define MAX_WEIGHTS (1280u * 1024u * 2u)

#define CHECK(what)                                     \
	do {                                            \
		if ((what) != ANEURALNETWORKS_NO_ERROR) \
			die(#what);                     \
	} while (0)

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_runtime_compile: failed: %s\n", what);
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- devices, whose time is subtracted ---- */

#define MAX_DEVICES 8

static int64_t device_ns;

static struct timed {
	struct nnhal_device base;
	struct nnhal_device_ops ops;
	struct nnhal_device *inner;
} timed[MAX_DEVICES];

static enum nnhal_status timed_supported(struct nnhal_device *base, const struct nnmodel *model,
					 bool *supported, char **reasons, struct nnmodel_error *err)
{
	struct timed *t = (struct timed *)base;
	int64_t start = now_ns();
	enum nnhal_status status;

	status = t->inner->ops->get_supported_operations(t->inner, model, supported, reasons, err);
	device_ns += now_ns() - start;
	return status;
}

static void nothing_destroy(struct nnhal_prepared_model *model)
{
	free(model);
}

static const struct nnhal_prepared_model_ops nothing = { .size = sizeof(nothing),
							 .destroy = nothing_destroy };

/*
 * Steps are prepared in parallel, so that their time could not be subtracted: answer at once.
 */
static enum nnhal_status nothing_prepare(struct nnhal_device *base, const struct nnmodel *model,
					 const struct nnhal_prepare_config *config,
					 nnhal_prepared_cb callback, void *cookie)
{
	struct nnhal_prepared_model *made = calloc(1, sizeof(*made));

	(void)base;
	(void)model;
	(void)config;
	if (!made)
		die("memory");
	made->ops = &nothing;
	callback(cookie, NNHAL_NONE, made, NULL);
	return NNHAL_NONE;
}

static enum nnhal_device_status timed_status(struct nnhal_device *base)
{
	struct timed *t = (struct timed *)base;

	return t->inner->ops->get_status(t->inner);
}

/* The operations that the runtime calls after registration of a device. */
static void time_device(ANeuralNetworksDevice *device, struct timed *t)
{
	t->inner = device->hal;
	t->ops.size = sizeof(t->ops);
	t->ops.get_status = timed_status;
	t->ops.get_supported_operations = timed_supported;
	t->ops.prepare_model = nothing_prepare;
	t->base.ops = &t->ops;
	device->hal = &t->base;
}

/* ---- the model ---- */

static uint8_t weights[MAX_WEIGHTS];

struct net {
	ANeuralNetworksModel *model;
	uint32_t num_operands;
	uint64_t weight_bytes;
	uint32_t none, relu6, same, zero, one, two, seven; /* scalars */
};

static uint32_t tensor(struct net *n, int32_t type, uint32_t rank, uint32_t a, uint32_t b,
		       uint32_t c, uint32_t d, float scale, int32_t zero)
{
	const uint32_t dims[4] = { a, b, c, d };
	const ANeuralNetworksOperandType t = { type, rank, rank ? dims : NULL, scale, zero };

	CHECK(ANeuralNetworksModel_addOperand(n->model, &t));
	return n->num_operands++;
}

static uint32_t activations(struct net *n, uint32_t size, uint32_t channels)
{
	return tensor(n, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 4, 1, size, size, channels, 0.05f,
		      128);
}

static uint32_t scalar(struct net *n, int32_t value)
{
	uint32_t o = tensor(n, ANEURALNETWORKS_INT32, 0, 0, 0, 0, 0, 0, 0);

	CHECK(ANeuralNetworksModel_setOperandValue(n->model, (int32_t)o, &value, sizeof(value)));
	return o;
}

static uint32_t filter(struct net *n, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	uint32_t o = tensor(n, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 4, a, b, c, d, 0.02f, 128);
	size_t bytes = (size_t)a * b * c * d;

	n->weight_bytes += bytes;
	CHECK(ANeuralNetworksModel_setOperandValue(n->model, (int32_t)o, weights, bytes));
	return o;
}

static uint32_t bias(struct net *n, uint32_t channels)
{
	uint32_t o =
		tensor(n, ANEURALNETWORKS_TENSOR_INT32, 1, channels, 0, 0, 0, 0.05f * 0.02f, 0);

	n->weight_bytes += channels * 4;
	CHECK(ANeuralNetworksModel_setOperandValue(n->model, (int32_t)o, weights, channels * 4));
	return o;
}

static uint32_t conv(struct net *n, uint32_t in, uint32_t in_channels, uint32_t size,
		     uint32_t channels, uint32_t kernel, uint32_t stride, uint32_t activation)
{
	uint32_t step = stride == 2 ? n->two : n->one;
	const uint32_t inputs[] = {
		in,
		filter(n, channels, kernel, kernel, in_channels),
		bias(n, channels),
		n->same,
		step,
		step,
		activation,
	};
	uint32_t out = activations(n, size, channels);

	CHECK(ANeuralNetworksModel_addOperation(n->model, ANEURALNETWORKS_CONV_2D, 7, inputs, 1,
						&out));
	return out;
}

static uint32_t depthwise(struct net *n, uint32_t in, uint32_t size, uint32_t channels,
			  uint32_t stride)
{
	uint32_t step = stride == 2 ? n->two : n->one;
	const uint32_t inputs[] = {
		in,
		filter(n, 1, 3, 3, channels),
		bias(n, channels),
		n->same,
		step,
		step,
		n->one,
		n->relu6,
	};
	uint32_t out = activations(n, size, channels);

	CHECK(ANeuralNetworksModel_addOperation(n->model, ANEURALNETWORKS_DEPTHWISE_CONV_2D, 8,
						inputs, 1, &out));
	return out;
}

static uint32_t bottleneck(struct net *n, uint32_t in, uint32_t *size, uint32_t in_channels,
			   uint32_t channels, uint32_t expand, uint32_t stride)
{
	uint32_t x = in, inputs[3] = { in, 0, n->none }, out;

	if (expand > 1)
		x = conv(n, x, in_channels, *size, in_channels * expand, 1, 1, n->relu6);
	*size = (*size + stride - 1) / stride;
	x = depthwise(n, x, *size, in_channels * expand, stride);
	x = conv(n, x, in_channels * expand, *size, channels, 1, 1, n->none);
	if (stride != 1 || in_channels != channels)
		return x;
	inputs[1] = x;
	out = activations(n, *size, channels);
	CHECK(ANeuralNetworksModel_addOperation(n->model, ANEURALNETWORKS_ADD, 3, inputs, 1, &out));
	return out;
}

static void head(struct net *n, uint32_t in, uint32_t input)
{
	const uint32_t pool[] = {
		in, n->zero, n->zero, n->zero, n->zero, n->one, n->one, n->seven, n->seven, n->none,
	};
	const int32_t shape[] = { 1, 1001 };
	uint32_t pooled = activations(n, 1, 1280), logits, flat, out, reshape[2], softmax[2], to;
	const float beta = 1;

	CHECK(ANeuralNetworksModel_addOperation(n->model, ANEURALNETWORKS_AVERAGE_POOL_2D, 10, pool,
						1, &pooled));
	logits = conv(n, pooled, 1280, 1, 1001, 1, 1, n->none);
	to = tensor(n, ANEURALNETWORKS_TENSOR_INT32, 1, 2, 0, 0, 0, 0, 0);
	CHECK(ANeuralNetworksModel_setOperandValue(n->model, (int32_t)to, shape, sizeof(shape)));
	flat = tensor(n, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, 1, 1001, 0, 0, 0.05f, 128);
	reshape[0] = logits;
	reshape[1] = to;
	CHECK(ANeuralNetworksModel_addOperation(n->model, ANEURALNETWORKS_RESHAPE, 2, reshape, 1,
						&flat));
	softmax[0] = flat;
	softmax[1] = tensor(n, ANEURALNETWORKS_FLOAT32, 0, 0, 0, 0, 0, 0, 0);
	CHECK(ANeuralNetworksModel_setOperandValue(n->model, (int32_t)softmax[1], &beta,
						   sizeof(beta)));
	out = tensor(n, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, 1, 1001, 0, 0, 1.0f / 256, 0);
	CHECK(ANeuralNetworksModel_addOperation(n->model, ANEURALNETWORKS_SOFTMAX, 2, softmax, 1,
						&out));
	CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(n->model, 1, &input, 1, &out));
}

static void build(struct net *n)
{
	static const struct {
		uint32_t expand, channels, repeat, stride;
	} rows[] = { { 1, 16, 1, 1 }, { 6, 24, 2, 2 },	{ 6, 32, 3, 2 }, { 6, 64, 4, 2 },
		     { 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 } };
	uint32_t size = 112, channels = 32, input, x;

	memset(n, 0, sizeof(*n));
	CHECK(ANeuralNetworksModel_create(&n->model));
	n->none = scalar(n, ANEURALNETWORKS_FUSED_NONE);
	n->relu6 = scalar(n, ANEURALNETWORKS_FUSED_RELU6);
	n->same = scalar(n, ANEURALNETWORKS_PADDING_SAME);
	n->zero = scalar(n, 0);
	n->one = scalar(n, 1);
	n->two = scalar(n, 2);
	n->seven = scalar(n, 7);
	input = activations(n, 224, 3);
	x = conv(n, input, 3, 112, 32, 3, 2, n->relu6);
	for (uint32_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
		for (uint32_t i = 0; i < rows[r].repeat; i++) {
			x = bottleneck(n, x, &size, channels, rows[r].channels, rows[r].expand,
				       i ? 1 : rows[r].stride);
			channels = rows[r].channels;
		}
	head(n, conv(n, x, 320, 7, 1280, 1, 1, n->relu6), input);
}

/* ---- rounds ---- */

struct figures {
	double build_ms, finish_ms, compile_ms, own_ms; /* own: all three less the device's time */
};

static void round_of(struct figures *f, const ANeuralNetworksDevice *const *devices,
		     uint32_t num_devices, uint32_t *steps, uint64_t *weight_bytes)
{
	ANeuralNetworksCompilation *compilation;
	int64_t t0, t1, t2, t3;
	struct net net;

	device_ns = 0;
	t0 = now_ns();
	build(&net);
	t1 = now_ns();
	CHECK(ANeuralNetworksModel_finish(net.model));
	t2 = now_ns();
	CHECK(ANeuralNetworksCompilation_createForDevices(net.model, devices, num_devices,
							  &compilation));
	CHECK(ANeuralNetworksCompilation_finish(compilation));
	t3 = now_ns();
	f->build_ms = (double)(t1 - t0) / 1e6;
	f->finish_ms = (double)(t2 - t1) / 1e6;
	f->compile_ms = (double)(t3 - t2 - device_ns) / 1e6;
	f->own_ms = (double)(t3 - t0 - device_ns) / 1e6;
	*steps = compilation->plan->graphs[0].num_nodes;
	*weight_bytes = net.weight_bytes;
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(net.model);
}

static int by_own(const void *a, const void *b)
{
	double x = ((const struct figures *)a)->own_ms, y = ((const struct figures *)b)->own_ms;

	return (x > y) - (x < y);
}

static struct figures median_of(const ANeuralNetworksDevice *const *devices, uint32_t num_devices,
				uint32_t *steps, uint64_t *weight_bytes)
{
	static struct figures all[ROUNDS];

	for (uint32_t i = 0; i < WARM_UP; i++)
		round_of(&all[0], devices, num_devices, steps, weight_bytes);
	for (uint32_t i = 0; i < ROUNDS; i++)
		round_of(&all[i], devices, num_devices, steps, weight_bytes);
	qsort(all, ROUNDS, sizeof(all[0]), by_own);
	return all[ROUNDS / 2];
}

/* KiB of @name in /proc/self/status. */
static long status_kib(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			kib = strtol(line + strlen(name) + 1, NULL, 10);
	if (file)
		fclose(file);
	return kib;
}

static long memory_kib(void)
{
	return status_kib("RssAnon") + status_kib("RssShmem");
}

/*
 * The memory of a finished model: anonymous memory of the process, and the files of its constants.
 */
static void measure_model(long *process_kib, long *file_kib)
{
	long before = memory_kib();
	struct net net;
	struct stat st;

	build(&net);
	CHECK(ANeuralNetworksModel_finish(net.model));
	*process_kib = memory_kib() - before;
	*file_kib = 0;
	for (uint32_t i = 0; i < net.model->data->model->num_pools; i++) {
		if (fstat(net.model->data->model->pools[i].fd, &st))
			die("fstat");
		*file_kib += (long)st.st_blocks / 2;
	}
	ANeuralNetworksModel_free(net.model);
}

static void print_row(const char *what, const struct figures *f, uint32_t steps)
{
	printf("%-24s %6u %9.3f %9.3f %9.3f %9.3f\n", what, steps, f->build_ms, f->finish_ms,
	       f->compile_ms, f->own_ms);
}

/* ADD on one device, the rest on the other, whatever the transfers cost. */
static void set_devices(const char *plugin_folder)
{
	setenv("NNAPI_CONFIG", "/dev/null", 1);
	setenv("NNAPI_HAL_DIR", plugin_folder, 1);
	setenv("NNAPI_ISOLATION", "none", 1);
	setenv("NNHAL_TEST_DEVICES", "name=adder,ops=ADD,exec=0.5 name=rest,exec=0.7", 1);
	setenv("NNAPI_TRANSFER_NS_PER_KIB", "0", 1);
	setenv("NNAPI_STEP_NS", "0", 1);
}

int main(int argc, char **argv)
{
	const ANeuralNetworksDevice *devices[MAX_DEVICES];
	uint32_t steps = 0, split_steps = 0, count, i;
	struct figures whole, split = { 0 };
	uint64_t weight_bytes = 0;
	long process_kib, file_kib;

	set_devices(argc > 1 ? argv[1] : "/nonexistent");
	CHECK(ANeuralNetworks_getDeviceCount(&count));
	if (!count || count > MAX_DEVICES || (argc > 1 && count != 3))
		die("the test devices are not registered (FOLDER of libnnhal-testdev.so?)");
	for (i = 0; i < count; i++) {
		devices[i] = nnr_device(i);
		time_device(nnr_device(i), &timed[i]);
	}
	memset(weights, 128, sizeof(weights));
	measure_model(&process_kib, &file_kib);
	whole = median_of(&devices[count - 1], 1, &steps, &weight_bytes);
	if (count == 3)
		split = median_of(devices, 2, &split_steps, &weight_bytes);
	printf("MobileNetV2 1.0 224, %.1f MiB of weights: medians of %u, ms, without the devices' time\n",
	       (double)weight_bytes / 1048576, ROUNDS);
	printf("%-24s %6s %9s %9s %9s %9s\n", "", "steps", "build", "finish", "compile", "all");
	print_row("one device", &whole, steps);
	if (count == 3)
		print_row("two devices", &split, split_steps);
	printf("memory of a finished model: %ld KiB of the process, %ld KiB in files\n",
	       process_kib, file_kib);
	printf("{\"benchmark\":\"runtime_compile\",\"weights\":%" PRIu64
	       ",\"one_ms\":%.3f,\"two_ms\":%.3f,"
	       "\"two_steps\":%u,\"process_kib\":%ld,\"file_kib\":%ld}\n",
	       weight_bytes, whole.own_ms, split.own_ms, split_steps, process_kib, file_kib);
	return 0;
}
