// SPDX-License-Identifier: Apache-2.0
/* Hostile captures: what is accepted is a valid model, and has a value for each input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "capture/nnctl_capture.h"
#include "fuzz_target.h"
#include "nncapture.h"

#define MAX_SIZE 8192u

static uint64_t inputs, accepted, values;
static volatile uint32_t seen;

/* Every byte of a value that the reader vouches for. */
static void touch(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		seen += data[i];
}

static void require_printable(const char *text)
{
	for (; *text; text++)
		fuzz_require((unsigned char)*text >= ' ' && *text != 0x7f, "a control character");
}

static void touch_values(const struct nnt *n, const struct nnimport *import)
{
	char origin[64];

	for (uint32_t i = 0; i < import->num_inputs; i++) {
		fuzz_require(capture_input(n, i) != NULL, "an input without a value");
		touch(capture_input(n, i), import->inputs[i].size);
		require_printable(import->inputs[i].name);
		values++;
	}
	for (uint32_t i = 0; i < import->num_outputs && !capture_failed(n); i++) {
		fuzz_require(capture_output(n, i) != NULL, "an output without a value");
		touch(capture_output(n, i), import->outputs[i].size);
		require_printable(import->outputs[i].name);
		values++;
	}
	capture_origin(n, origin, sizeof(origin));
	require_printable(origin);
}

/* The fields of the header that say whether the rest is complete, as they have to be. */
static void mend_header(uint8_t *data, size_t size)
{
	struct nnt_header h;

	memcpy(&h, data, sizeof(h));
	memcpy(h.magic, nnt_magic, sizeof(h.magic));
	h.version = 1;
	h.header_size = sizeof(h);
	h.file_size = size;
	h.crc32 = (uint32_t)crc32(0, data + sizeof(h), (uInt)(size - sizeof(h)));
	memcpy(data, &h, sizeof(h));
}

/* @data is of exactly its size; the reader frees it. */
static void try_capture(uint8_t *data, size_t size)
{
	struct nnimport import;
	struct nnt nnt;

	inputs++;
	if (capture_read(data, size, &nnt, &import)) {
		fuzz_require(import.message[0] != '\0', "no message");
	} else {
		accepted++;
		fuzz_require(!nnmodel_validate(import.model, NULL, NULL), "an invalid model");
		fuzz_require(import.num_origins == import.model->main.num_operations,
			     "an operation without an origin");
		touch_values(&nnt, &import);
	}
	nnimport_free(&import);
	nnt_close(&nnt);
}

static uint8_t *copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	return copy;
}

/* As it is, and past the checksum, which a fuzzer does not find. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (size > MAX_SIZE)
		return 0;
	try_capture(copy_of(data, size), size);
	if (size < sizeof(struct nnt_header))
		return 0;
	copy = copy_of(data, size);
	mend_header(copy, size);
	try_capture(copy, size);
	return 0;
}

/* ---- for the driver ---- */

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	for (uint32_t n = fuzz_random(random) % 3 + 1; n; n--)
		fuzz_mutate_word(data, size, random);
	if (fuzz_random(random) % 16 == 0 && size > 8)
		size -= fuzz_random(random) % 8;
	return size;
}

static void add_seed(struct fuzz_seed **list, size_t *count, const char *name,
		     const struct nnmodel *model, const struct nncapture_value *in,
		     const struct nncapture_value *out)
{
	const struct nncapture c = {
		.name = name, .origin = "fuzz_capture", .model = model, .inputs = in, .outputs = out
	};
	size_t size;
	struct nncapture_error error;
	void *bytes = nncapture_bytes(&c, &size, &error);

	if (!bytes)
		abort();
	fuzz_add_seed(list, count, name, bytes, size);
	free(bytes);
}

/* ADD of an input and a constant. */
static struct nnmodel *add_model(void)
{
	static const uint32_t dims[] = { 1, 4 }, in[] = { 0, 1, 2 }, input = 0, output = 3;
	static const float constant[] = { 1, 2, 3, 4 };
	struct nnmodel *model = nnmodel_new();

	if (!model)
		abort();
	nnmodel_add_operand(model, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, dims, 2, 0, 0);
	nnmodel_add_operand(model, NNMODEL_TENSOR_FLOAT32, NNMODEL_CONSTANT_COPY, dims, 2, 0, 0);
	nnmodel_set_value(model, 1, constant, sizeof(constant));
	nnmodel_add_int32(model, NNMODEL_FUSED_NONE);
	nnmodel_add_operand(model, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, dims, 2, 0, 0);
	nnmodel_add_operation(model, NNMODEL_ADD, in, 3, &output, 1);
	if (nnmodel_set_io(model, &input, 1, &output, 1))
		abort();
	return model;
}

/* CONV_2D with scales per channel. */
static struct nnmodel *conv_model(void)
{
	static const uint32_t image[] = { 1, 2, 2, 2 }, filter[] = { 2, 1, 1, 2 }, bias[] = { 2 };
	static const uint32_t in[] = { 0, 1, 2, 3, 4, 4, 5 }, input = 0, output = 6;
	static const int8_t weights[] = { 1, -2, 3, -4 };
	static const int32_t biases[] = { 5, -6 };
	static const float scales[] = { 0.5f, 0.25f };
	struct nnmodel *model = nnmodel_new();

	if (!model)
		abort();
	nnmodel_add_operand(model, NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, NNMODEL_SUBGRAPH_INPUT,
			    image, 4, 0.5f, 1);
	nnmodel_add_operand(model, NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL, NNMODEL_CONSTANT_COPY,
			    filter, 4, 0, 0);
	nnmodel_set_channel_quant(model, 1, 0, scales, 2);
	nnmodel_set_value(model, 1, weights, sizeof(weights));
	nnmodel_add_operand(model, NNMODEL_TENSOR_INT32, NNMODEL_CONSTANT_COPY, bias, 1, 0, 0);
	nnmodel_set_value(model, 2, biases, sizeof(biases));
	nnmodel_add_int32(model, NNMODEL_PADDING_VALID);
	nnmodel_add_int32(model, 1);
	nnmodel_add_int32(model, NNMODEL_FUSED_NONE);
	nnmodel_add_operand(model, NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, NNMODEL_SUBGRAPH_OUTPUT,
			    image, 4, 1, 0);
	nnmodel_add_operation(model, NNMODEL_CONV_2D, in, 7, &output, 1);
	if (nnmodel_set_io(model, &input, 1, &output, 1))
		abort();
	return model;
}

static size_t seeds(struct fuzz_seed **list)
{
	static const uint8_t bytes[16] = { 1, 2, 3 };
	const struct nncapture_value floats = { "x", bytes, 16 }, integers = { "x", bytes, 8 };
	struct nnmodel *add = add_model(), *conv = conv_model();
	size_t count = 0;

	*list = NULL;
	add_seed(list, &count, "add", add, &floats, &floats);
	add_seed(list, &count, "add-failed", add, &floats, NULL);
	add_seed(list, &count, "conv", conv, &integers, &integers);
	nnmodel_free(add);
	nnmodel_free(conv);
	return count;
}

/* Each of them twice. */
static bool seeds_accepted(size_t count)
{
	return accepted == 2 * count;
}

static bool reached(uint64_t rounds)
{
	return accepted >= rounds / 20 && values >= rounds / 20 && inputs - accepted >= rounds / 10;
}

static void report(void)
{
	printf("%llu captures, %llu accepted, %llu values\n", (unsigned long long)inputs,
	       (unsigned long long)accepted, (unsigned long long)values);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".nnt",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
