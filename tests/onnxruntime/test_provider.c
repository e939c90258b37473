// SPDX-License-Identifier: Apache-2.0
/*
 * The execution provider in a host that needs no ONNX Runtime: what it claims, why it refuses, and
 * what its partitions compute. Argument: the library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cjson/cJSON.h>

#include "fake_ort.h"
#include "lines.h"
#include "temp.h"
#include "test_case.h"

#define VALUES(...) ((struct fake_value *const[]){ __VA_ARGS__, NULL })
#define DIMS(...) ((const int64_t[]){ __VA_ARGS__ })

static __typeof__(CreateEpFactories) *create_factories;
static __typeof__(ReleaseEpFactory) *release_factory;

struct fixture {
	struct fake_ort fake;
	struct ort_ep_factory *factory;
	struct ort_ep *ep;
	const char *explain;
};

static void setup(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	fake_ort_init(&f->fake);
}

/* Make the provider, with one option besides "log"; "explain" if @key is NULL. */
static bool start(struct fixture *f, const char *key, const char *value)
{
	const int cpu = ORT_HARDWARE_CPU;
	const struct ort_hardware *hardware = (const void *)&cpu;
	struct ort_ep_device *device;
	size_t count;

	f->explain = temp_path("explain");
	temp_write_text(f->explain, "");
	f->fake.option = key ? key : "ep.nnaccelexecutionprovider.explain";
	f->fake.value = key ? value : f->explain;
	if (!fake_ort_check(&f->fake,
			    create_factories("any", &f->fake.base, NULL, &f->factory, 1, &count)))
		return false;
	assert_int_equal(count, 1);
	assert_string_equal(f->factory->get_name(f->factory), "NnaccelExecutionProvider");
	assert_true(
		fake_ort_check(&f->fake, f->factory->get_supported_devices(f->factory, &hardware, 1,
									   &device, 1, &count)));
	assert_int_equal(count, 1);
	return fake_ort_check(&f->fake, f->factory->create_ep(f->factory, &hardware, NULL, 1, NULL,
							      NULL, &f->ep));
}

static void finish(struct fixture *f)
{
	if (f->ep)
		fake_ort_release(&f->fake, f->ep);
	if (f->ep)
		f->factory->release_ep(f->factory, f->ep);
	if (f->factory)
		assert_null(release_factory(f->factory));
}

/* The reason for which node @number stays, of the file "explain"; empty: it does not. */
static void stays_because(const struct fixture *f, int number, const char *words)
{
	char *lines = temp_read(f->explain, NULL), *reason = NULL;
	cJSON *json = cJSON_Parse(lines);
	const cJSON *node;

	free(lines);
	assert_non_null(json);
	cJSON_ArrayForEach(node, cJSON_GetObjectItem(json, "stay"))
	{
		if (cJSON_GetObjectItem(node, "node")->valueint == number)
			reason = cJSON_GetObjectItem(node, "reason")->valuestring;
	}
	if (!reason || !strstr(reason, words))
		fail_msg("node %d: \"%s\", not \"%s\"", number, reason ? reason : "is delegated",
			 words);
	cJSON_Delete(json);
}

/* ---- what is claimed ---- */

/* A convolution of one pixel, ReLU, and a sum: computed by hand below. */
TEST(test_float)
{
	static float x[2 * 4] = { 1, -2, 3, 4, 5, 6, -7, 8 }, w[3 * 2] = { 1, 2, -1, 0.5f, 3, -1 },
			   bias[3] = { 0.5f, -1, 2 };
	static float other[3 * 4] = { 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3 }, y[3 * 4];
	struct fixture f;
	struct fake_value *in, *conv, *relu, *out;

	setup(&f);
	in = fake_value(&f.fake, "x", ORT_FLOAT32, 4, DIMS(1, 2, 2, 2));
	in->data = x;
	conv = fake_value(&f.fake, "conv", ORT_FLOAT32, 4, DIMS(1, 3, 2, 2));
	relu = fake_value(&f.fake, "relu", ORT_FLOAT32, 4, DIMS(1, 3, 2, 2));
	out = fake_value(&f.fake, "y", ORT_FLOAT32, 4, DIMS(1, 3, 2, 2));
	out->output = true;
	out->data = y;
	fake_node(&f.fake, "Conv",
		  VALUES(in, fake_constant(&f.fake, "w", ORT_FLOAT32, 4, DIMS(3, 2, 1, 1), w),
			 fake_constant(&f.fake, "b", ORT_FLOAT32, 1, DIMS(3), bias)),
		  VALUES(conv));
	fake_node(&f.fake, "Relu", VALUES(conv), VALUES(relu));
	fake_node(&f.fake, "Add",
		  VALUES(fake_constant(&f.fake, "o", ORT_FLOAT32, 4, DIMS(1, 3, 2, 2), other),
			 relu),
		  VALUES(out));
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 1);
	assert_int_equal(f.fake.partitions[0].graph.num_nodes, 3);
	assert_true(fake_ort_run(&f.fake));
	for (int c = 0; c < 3; c++)
		for (int p = 0; p < 4; p++) {
			float sum = w[2 * c] * x[p] + w[2 * c + 1] * x[4 + p] + bias[c];

			assert_float_equal(y[4 * c + p], (sum > 0 ? sum : 0) + other[4 * c + p],
					   1e-5);
		}
	finish(&f);
}

/* A convolution over one dimension, NCW: each result from two neighbours of two channels. */
TEST(test_signal)
{
	static float x[2 * 4] = { 1, -2, 3, 4, 5, 6, -7, 8 }, y[3], w[2 * 2] = { 1, 2, -1, 0.5f },
			   bias[1] = { 0.25f };
	struct fixture f;
	struct fake_value *in, *out;

	setup(&f);
	in = fake_value(&f.fake, "x", ORT_FLOAT32, 3, DIMS(1, 2, 4));
	in->data = x;
	out = fake_value(&f.fake, "y", ORT_FLOAT32, 3, DIMS(1, 1, 3));
	out->output = true;
	out->data = y;
	fake_node(&f.fake, "Conv",
		  VALUES(in, fake_constant(&f.fake, "w", ORT_FLOAT32, 3, DIMS(1, 2, 2), w),
			 fake_constant(&f.fake, "b", ORT_FLOAT32, 1, DIMS(1), bias)),
		  VALUES(out));
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 1);
	assert_true(fake_ort_run(&f.fake));
	for (int i = 0; i < 3; i++)
		assert_float_equal(y[i],
				   w[0] * x[i] + w[1] * x[i + 1] + w[2] * x[4 + i] +
					   w[3] * x[5 + i] + bias[0],
				   1e-5);
	finish(&f);
}

/* Of equal elements the first, where NNAPI takes the last. */
TEST(test_equal_elements)
{
	static float x[2 * 4] = { 3, 5, 5, 1, 2, 2, 2, 2 }, values[2 * 2];
	static int64_t k[1] = { 2 }, places[2 * 2];
	static const int64_t expected[2 * 2] = { 1, 2, 0, 1 };
	struct fixture f;
	struct fake_value *in, *first, *second;

	setup(&f);
	in = fake_value(&f.fake, "x", ORT_FLOAT32, 2, DIMS(2, 4));
	in->data = x;
	first = fake_value(&f.fake, "values", ORT_FLOAT32, 2, DIMS(2, 2));
	second = fake_value(&f.fake, "places", ORT_INT64, 2, DIMS(2, 2));
	first->output = second->output = true;
	first->data = values;
	second->data = places;
	fake_node(&f.fake, "TopK",
		  VALUES(in, fake_constant(&f.fake, "k", ORT_INT64, 1, DIMS(1), k)),
		  VALUES(first, second));
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 1);
	assert_true(fake_ort_run(&f.fake));
	assert_memory_equal(places, expected, sizeof(places));
	for (int i = 0; i < 4; i++)
		assert_true(values[i] == x[4 * (i / 2) + (int)places[i]]);
	finish(&f);
}

/* Quantized: sums of products of the stored numbers, rounded once. */
TEST(test_quantized)
{
	static int8_t w[2 * 3] = { 10, -20, 3, 5, 100, -12 };
	static uint8_t x[3] = { 200, 130, 17 }, y[2], zero_x = 128, zero_y = 100;
	static float scale_x = 0.5f, scale_y = 2, scales[2] = { 0.25f, 0.125f };
	static int8_t zeros[2];
	struct fixture f;
	struct fake_value *in, *weights, *view, *rows, *product, *out;

	setup(&f);
	in = fake_value(&f.fake, "x", ORT_UINT8, 2, DIMS(1, 3));
	in->data = x;
	view = fake_value(&f.fake, "view", ORT_FLOAT32, 2, DIMS(1, 3));
	weights = fake_constant(&f.fake, "w", ORT_INT8, 2, DIMS(2, 3), w);
	rows = fake_value(&f.fake, "rows", ORT_FLOAT32, 2, DIMS(2, 3));
	product = fake_value(&f.fake, "product", ORT_FLOAT32, 2, DIMS(1, 2));
	out = fake_value(&f.fake, "y", ORT_UINT8, 2, DIMS(1, 2));
	out->output = true;
	out->data = y;
	fake_node(&f.fake, "DequantizeLinear",
		  VALUES(in, fake_constant(&f.fake, "sx", ORT_FLOAT32, 0, NULL, &scale_x),
			 fake_constant(&f.fake, "zx", ORT_UINT8, 0, NULL, &zero_x)),
		  VALUES(view));
	fake_node(&f.fake, "DequantizeLinear",
		  VALUES(weights, fake_constant(&f.fake, "sw", ORT_FLOAT32, 1, DIMS(2), scales),
			 fake_constant(&f.fake, "zw", ORT_INT8, 1, DIMS(2), zeros)),
		  VALUES(rows));
	f.fake.graph.nodes[1].attributes[0] =
		(struct fake_attribute){ .name = "axis", .type = ORT_ATTR_INT, .count = 1 };
	f.fake.graph.nodes[1].num_attributes = 1;
	fake_node(&f.fake, "Gemm", VALUES(view, rows), VALUES(product));
	f.fake.graph.nodes[2].attributes[0] = (struct fake_attribute){
		.name = "transB", .type = ORT_ATTR_INT, .count = 1, .ints = { 1 }
	};
	f.fake.graph.nodes[2].num_attributes = 1;
	fake_node(&f.fake, "QuantizeLinear",
		  VALUES(product, fake_constant(&f.fake, "sy", ORT_FLOAT32, 0, NULL, &scale_y),
			 fake_constant(&f.fake, "zy", ORT_UINT8, 0, NULL, &zero_y)),
		  VALUES(out));
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 1);
	assert_true(fake_ort_run(&f.fake));
	for (int u = 0; u < 2; u++) {
		int sum = 0;

		for (int i = 0; i < 3; i++)
			sum += w[3 * u + i] * (x[i] - 128);
		/* no sum is near a half */
		assert_int_equal(y[u],
				 100 + (int)((double)sum * 0.5 * (double)scales[u] / 2 + 1000.5) -
					 1000);
	}
	finish(&f);
}

/* Mul waits for Cos, which waits for Conv: two partitions, and none has both. */
TEST(test_partitions)
{
	struct fixture f;
	struct fake_value *v[6];

	setup(&f);
	for (int i = 0; i < 6; i++)
		v[i] = fake_value(&f.fake, (const char *const[]){ "a", "b", "c", "d", "e", "f" }[i],
				  ORT_FLOAT32, 2, DIMS(2, 3));
	v[5]->output = true;
	fake_node(&f.fake, "Neg", VALUES(v[0]), VALUES(v[1]));
	fake_node(&f.fake, "Cos", VALUES(v[1]), VALUES(v[2]));
	fake_node(&f.fake, "Sigmoid", VALUES(v[1]), VALUES(v[3]));
	fake_node(&f.fake, "Mul", VALUES(v[2], v[3]), VALUES(v[4]));
	fake_node(&f.fake, "Relu", VALUES(v[4]), VALUES(v[5]));
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 2);
	assert_string_equal(f.fake.partitions[0].graph.nodes[0].op, "Neg");
	assert_string_equal(f.fake.partitions[0].graph.nodes[1].op, "Sigmoid");
	assert_int_equal(f.fake.partitions[0].fused.num_outputs, 2);
	assert_string_equal(f.fake.partitions[1].graph.nodes[0].op, "Mul");
	assert_int_equal(f.fake.partitions[1].fused.num_inputs, 2);
	stays_because(&f, 1, "NNAPI has no such operation");
	finish(&f);
}

/* int64 is int32 inside: ids below 0 count from the end, and one beyond 32 bits is an error. */
TEST(test_int64)
{
	static float rows[3 * 2] = { 1, 2, 3, 4, 5, 6 }, y[2 * 2];
	static int64_t ids[2] = { -1, 1 }, same[2];
	struct fixture f;
	struct fake_value *in, *out, *copy;

	setup(&f);
	in = fake_value(&f.fake, "ids", ORT_INT64, 1, DIMS(2));
	in->data = ids;
	out = fake_value(&f.fake, "y", ORT_FLOAT32, 2, DIMS(2, 2));
	out->data = y;
	copy = fake_value(&f.fake, "copy", ORT_INT64, 2, DIMS(1, 2));
	copy->data = same;
	out->output = true;
	copy->output = true;
	fake_node(&f.fake, "Gather",
		  VALUES(fake_constant(&f.fake, "rows", ORT_FLOAT32, 2, DIMS(3, 2), rows), in),
		  VALUES(out));
	fake_node(&f.fake, "Unsqueeze", VALUES(in), VALUES(copy));
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 1);
	assert_true(fake_ort_run(&f.fake));
	assert_memory_equal(y, ((const float[]){ 5, 6, 3, 4 }), sizeof(y));
	assert_memory_equal(same, ids, sizeof(ids));
	ids[1] = 1LL << 32;
	assert_false(fake_ort_run(&f.fake));
	assert_non_null(strstr(f.fake.error, "element 1 of input ids is 4294967296"));
	ids[1] = 0;
	assert_true(fake_ort_run(&f.fake));
	assert_memory_equal(y, ((const float[]){ 5, 6, 1, 2 }), sizeof(y));
	finish(&f);
}

/* ---- open dimensions ---- */

static void run_batch(struct fixture *f, int64_t batch, const float *x, float *y)
{
	struct fake_partition *p = &f->fake.partitions[0];

	p->fused.inputs[0]->dims[0] = batch;
	p->fused.outputs[0]->dims[0] = batch;
	memset(y, 0, 2 * 3 * sizeof(*y));
	assert_true(fake_ort_run(&f->fake));
	for (int64_t i = 0; i < 2 * batch; i++)
		assert_float_equal(y[i], (float)(1 + i % 2) * (x[i / 2 * 3] > 0 ? x[i / 2 * 3] : 0),
				   1e-6);
}

/*
 * A batch without a size, whose name the output has not: one model for each size, and the results
 * of each.
 */
TEST(test_open_batch)
{
	static float x[3 * 3] = { 1, 2, 3, -4, 5, 6, 7, 8, 9 }, y[3 * 2];
	static float w[2 * 3] = { 1, 0, 0, 2, 0, 0 };
	struct fixture f;
	struct fake_value *in, *relu, *out;

	setup(&f);
	in = fake_value(&f.fake, "x", ORT_FLOAT32, 2, DIMS(-1, 3));
	relu = fake_value(&f.fake, "relu", ORT_FLOAT32, 2, DIMS(-1, 3));
	out = fake_value(&f.fake, "y", ORT_FLOAT32, 2, DIMS(-1, 2));
	in->dim_names[0] = "batch";
	relu->dim_names[0] = "batch";
	out->dim_names[0] = "y_0";
	in->data = x;
	out->data = y;
	out->output = true;
	fake_node(&f.fake, "Relu", VALUES(in), VALUES(relu));
	fake_node(&f.fake, "Gemm",
		  VALUES(relu, fake_constant(&f.fake, "w", ORT_FLOAT32, 2, DIMS(2, 3), w)),
		  VALUES(out));
	f.fake.graph.nodes[1].attributes[0] = (struct fake_attribute){
		.name = "transB", .type = ORT_ATTR_INT, .count = 1, .ints = { 1 }
	};
	f.fake.graph.nodes[1].num_attributes = 1;
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 1);
	assert_int_equal(lines_count(f.explain, "{\"partition\""), 0);
	run_batch(&f, 2, x, y);
	run_batch(&f, 3, x, y);
	run_batch(&f, 2, x, y);
	assert_int_equal(lines_count(f.explain, "{\"partition\""), 2);
	f.fake.partitions[0].fused.inputs[0]->dims[0] = 0;
	assert_false(fake_ort_run(&f.fake));
	assert_non_null(strstr(f.fake.error, "input x has no elements"));
	f.fake.partitions[0].fused.inputs[0]->rank = 1;
	assert_false(fake_ort_run(&f.fake));
	assert_non_null(strstr(f.fake.error, "input x has 1 dimensions instead of 2"));
	f.fake.partitions[0].fused.inputs[0]->rank = 2;
	run_batch(&f, 1, x, y);
	finish(&f);
}

TEST(test_open_stays)
{
	static int64_t begin[2], end[2] = { 2, 4 };
	struct fixture f;
	struct fake_value *x, *y, *part, *other;

	setup(&f);
	x = fake_value(&f.fake, "x", ORT_FLOAT32, 2, DIMS(-1, 3));
	y = fake_value(&f.fake, "y", ORT_FLOAT32, 2, DIMS(-1, 3));
	y->output = true;
	fake_node(&f.fake, "Relu", VALUES(x), VALUES(y));
	assert_true(start(&f, "ep.nnaccelexecutionprovider.shapes", "0"));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 0);
	finish(&f);
	setup(&f);
	assert_false(start(&f, "ep.nnaccelexecutionprovider.shapes", "many"));
	assert_non_null(strstr(f.fake.error, "option \"shapes\" is \"many\""));
	finish(&f);

	/* the size of a part that only a tensor elsewhere has */
	setup(&f);
	other = fake_value(&f.fake, "other", ORT_FLOAT32, 2, DIMS(-1, 4));
	y = fake_value(&f.fake, "y", ORT_FLOAT32, 2, DIMS(-1, 4));
	x = fake_value(&f.fake, "x", ORT_FLOAT32, 2, DIMS(-1, 4));
	part = fake_value(&f.fake, "part", ORT_FLOAT32, 2, DIMS(-1, 4));
	other->dim_names[0] = "rows";
	y->dim_names[0] = "rows";
	x->dim_names[0] = "batch";
	part->dim_names[0] = "rows";
	y->output = true;
	part->output = true;
	fake_node(&f.fake, "Cos", VALUES(other), VALUES(y));
	fake_node(&f.fake, "Slice",
		  VALUES(x, fake_constant(&f.fake, "begin", ORT_INT64, 1, DIMS(2), begin),
			 fake_constant(&f.fake, "end", ORT_INT64, 1, DIMS(2), end)),
		  VALUES(part));
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 0);
	stays_because(&f, 1, "the size of tensor part does not follow");
	finish(&f);
}

/* ---- what is refused ---- */

/* One node from a value of @rank and @dims to one like it. */
static void one_node(struct fixture *f, const char *op, int type, size_t rank, const int64_t *dims,
		     struct fake_value *second)
{
	struct fake_value *x = fake_value(&f->fake, "x", type, rank, dims),
			  *y = fake_value(&f->fake, "y", type, rank, dims);

	y->output = true;
	fake_node(&f->fake, op, second ? VALUES(x, second) : VALUES(x), VALUES(y));
}

static void check_stays(struct fixture *f, const char *words)
{
	assert_true(start(f, NULL, NULL));
	assert_true(fake_ort_prepare(&f->fake, f->ep));
	assert_int_equal(f->fake.num_partitions, 0);
	stays_because(f, 0, words);
	finish(f);
}

TEST(test_refusals)
{
	static float weights[9];
	struct fixture f;

	setup(&f);
	one_node(&f, "Conv", ORT_FLOAT32, 4, DIMS(1, 1, -1, 3),
		 fake_constant(&f.fake, "w", ORT_FLOAT32, 4, DIMS(1, 1, 3, 3), weights));
	check_stays(&f, "tensor y has no fixed shape; export the model with fixed input shapes");
	setup(&f);
	one_node(&f, "Relu", ORT_FLOAT32, 0, NULL, NULL);
	check_stays(&f, "scalar or of unknown rank");
	setup(&f);
	one_node(&f, "Abs", ORT_INT64, 1, DIMS(3), NULL);
	check_stays(&f, "int64, and NNAPI has no such type");
	setup(&f);
	one_node(&f, "Relu", ORT_UINT8, 1, DIMS(3), NULL);
	check_stays(&f, "quantize it per tensor");
	setup(&f);
	one_node(&f, "Conv", ORT_FLOAT32, 4, DIMS(1, 1, 3, 3),
		 fake_value(&f.fake, "w", ORT_FLOAT32, 4, DIMS(1, 1, 3, 3)));
	check_stays(&f, "weights w are not a constant");
	setup(&f);
	one_node(&f, "Conv", ORT_FLOAT32, 4, DIMS(1, 1, 3, 3),
		 fake_constant(&f.fake, "w", ORT_FLOAT32, 4, DIMS(1, 1, 3, 3), weights));
	fake_ints(&f.fake.graph.nodes[0], "pads", DIMS(-1, 1, 1, 1), 4);
	check_stays(&f, "use Slice for negative ones");
	setup(&f);
	one_node(&f, "Relu", ORT_FLOAT32, 1, DIMS(3), NULL);
	f.fake.graph.nodes[0].domain = "com.example";
	check_stays(&f, "no operator of ONNX's own domain");
}

TEST(test_require_all)
{
	struct fixture f;

	setup(&f);
	one_node(&f, "Cos", ORT_FLOAT32, 1, DIMS(3), NULL);
	assert_true(start(&f, "ep.nnaccelexecutionprovider.require_all", "1"));
	assert_false(fake_ort_prepare(&f.fake, f.ep));
	assert_non_null(strstr(
		f.fake.error,
		"require_all is 1, and node 0 Cos (Cos) cannot be delegated: NNAPI has no such"));
	finish(&f);
}

TEST(test_options)
{
	struct fixture f;

	setup(&f);
	assert_false(start(&f, "ep.nnaccelexecutionprovider.speed", "1"));
	assert_non_null(strstr(f.fake.error, "unknown option \"speed\""));
	finish(&f);
	setup(&f);
	assert_false(start(&f, "ep.nnaccelexecutionprovider.device", "none"));
	assert_non_null(strstr(f.fake.error, "the runtime has no device none"));
	finish(&f);
}

/* ---- the host ---- */

TEST(test_old_host)
{
	struct fixture f;

	setup(&f);
	f.fake.newest = ORT_VERSION - 1;
	assert_false(start(&f, NULL, NULL));
	assert_non_null(
		strstr(f.fake.error, "ONNX Runtime is 1.22.0; the provider needs 1.23 or later"));
	finish(&f);
}

/* An error of the host while it shows the graph */
TEST(test_failing_host)
{
	struct fixture f;

	setup(&f);
	one_node(&f, "Relu", ORT_FLOAT32, 1, DIMS(3), NULL);
	f.fake.failing = "Relu";
	assert_true(start(&f, NULL, NULL));
	assert_false(fake_ort_prepare(&f.fake, f.ep));
	assert_non_null(strstr(f.fake.error, "ONNX Runtime refuses a call: no domain"));
	finish(&f);
}

/* Nodes of a subgraph stay: nothing is claimed. */
TEST(test_subgraph)
{
	struct fixture f;

	setup(&f);
	one_node(&f, "Relu", ORT_FLOAT32, 1, DIMS(3), NULL);
	f.fake.subgraph = true;
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	assert_int_equal(f.fake.num_partitions, 0);
	finish(&f);
}

/* Another shape at run time is an error, and nothing is read. */
TEST(test_other_shape)
{
	static float x[3], y[3];
	struct fixture f;

	setup(&f);
	one_node(&f, "Relu", ORT_FLOAT32, 1, DIMS(3), NULL);
	f.fake.graph.values[0].data = x;
	f.fake.graph.values[1].data = y;
	assert_true(start(&f, NULL, NULL));
	assert_true(fake_ort_prepare(&f.fake, f.ep));
	f.fake.partitions[0].fused.inputs[0]->dims[0] = 2;
	assert_false(fake_ort_run(&f.fake));
	assert_non_null(strstr(f.fake.error, "input x has another shape"));
	finish(&f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_float),	       cmocka_unit_test(test_signal),
		cmocka_unit_test(test_equal_elements), cmocka_unit_test(test_quantized),
		cmocka_unit_test(test_partitions),     cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_require_all),    cmocka_unit_test(test_options),
		cmocka_unit_test(test_old_host),       cmocka_unit_test(test_failing_host),
		cmocka_unit_test(test_other_shape),    cmocka_unit_test(test_subgraph),
		cmocka_unit_test(test_int64),	       cmocka_unit_test(test_open_batch),
		cmocka_unit_test(test_open_stays),
	};
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

	if (!library) {
		fprintf(stderr, "usage: test_provider LIBRARY: %s\n",
			argc > 1 ? dlerror() : "no library");
		return 2;
	}
	*(void **)&create_factories = dlsym(library, "CreateEpFactories");
	*(void **)&release_factory = dlsym(library, "ReleaseEpFactory");
	if (!create_factories || !release_factory)
		return 2;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
