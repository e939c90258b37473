// SPDX-License-Identifier: Apache-2.0
/*
 * Random sequences of Model calls with random arguments: no crash, and every finished model is
 * valid. Large models: time grows with their size, not with its square. RT_SEED and RT_ROUNDS in
 * the environment select other sequences, and more of them.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "model/nnr_model.h"
#include "rt_case.h"

#define NUM_KEPT 8
#define BUFFER_SIZE 4096

struct world {
	uint64_t random;
	ANeuralNetworksModel *model; /* under construction */
	uint32_t num_operands;
	ANeuralNetworksModel *kept[NUM_KEPT]; /* models of earlier rounds, valid or not */
	ANeuralNetworksMemory *memory;
	int32_t extension_type, extension_operation;
	unsigned int finished, invalid, compiled;
};

static uint8_t buffer[BUFFER_SIZE];

static uint32_t pick(struct world *w, uint32_t below)
{
	w->random = w->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(w->random >> 33) % below;
}

static bool chance(struct world *w, uint32_t percent)
{
	return pick(w, 100) < percent;
}

/* An index that is valid most of the time. */
static uint32_t operand(struct world *w)
{
	if (chance(w, 3))
		return pick(w, 2) ? UINT32_MAX : w->num_operands + pick(w, 3);
	return w->num_operands ? pick(w, w->num_operands) : 0;
}

/* ---- calls ---- */

static void count_operand(struct world *w, const ANeuralNetworksOperandType *type)
{
	if (ANeuralNetworksModel_addOperand(w->model, type) == ANEURALNETWORKS_NO_ERROR)
		w->num_operands++;
}

static void add_usual_operand(struct world *w)
{
	const ANeuralNetworksOperandType usual[] = {
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 2, (const uint32_t[]){ 2, 3 }, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 2, (const uint32_t[]){ 2, 3 }, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 2, (const uint32_t[]){ 2, 3 }, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 2, (const uint32_t[]){ 0, 3 }, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 0, NULL, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 2, (const uint32_t[]){ 20, 10 }, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_BOOL8, 1, (const uint32_t[]){ 1 }, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2, (const uint32_t[]){ 2, 3 }, 0.5f, 3 },
		{ ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 2, (const uint32_t[]){ 2, 3 }, 0,
		  0 },
		{ ANEURALNETWORKS_INT32, 0, NULL, 0, 0 },
		{ ANEURALNETWORKS_BOOL, 0, NULL, 0, 0 },
		{ ANEURALNETWORKS_MODEL, 0, NULL, 0, 0 },
		{ ANEURALNETWORKS_OEM_SCALAR, 0, NULL, 0, 0 },
		{ w->extension_type, 2, (const uint32_t[]){ 2, 3 }, 0, 0 },
	};

	count_operand(w, &usual[pick(w, sizeof(usual) / sizeof(usual[0]))]);
}

static void add_odd_operand(struct world *w)
{
	static const uint32_t extents[] = { 0, 1, 2, 3, 7, 65536, 1u << 30, UINT32_MAX };
	static const int32_t types[] = { -1,	15,    16,	9999,	    10000,
					 10001, 10002, 0x10000, 0x7fff0000, INT32_MIN };
	static const float scales[] = { 0, 1, -1, 1e-30f };
	uint32_t dims[80];
	ANeuralNetworksOperandType type = {
		.type = chance(w, 70) ? (int32_t)pick(w, 16)
				      : types[pick(w, sizeof(types) / sizeof(types[0]))],
		.dimensionCount = chance(w, 95) ? pick(w, 5) : pick(w, 80),
		.scale = scales[pick(w, 4)],
		.zeroPoint = (int32_t)pick(w, 300) - 150,
	};

	for (uint32_t i = 0; i < type.dimensionCount; i++)
		dims[i] = extents[pick(w, sizeof(extents) / sizeof(extents[0]))];
	type.dimensions = type.dimensionCount && chance(w, 95) ? dims : NULL;
	count_operand(w, &type);
}

static size_t length(struct world *w)
{
	static const size_t lengths[] = { 0,  1,  2,   4,   6,	 8,   24,
					  24, 24, 128, 129, 800, 800, BUFFER_SIZE };

	return lengths[pick(w, sizeof(lengths) / sizeof(lengths[0]))];
}

static void set_value(struct world *w)
{
	ANeuralNetworksModel_setOperandValue(w->model, (int32_t)operand(w),
					     chance(w, 90) ? buffer : NULL, length(w));
}

static void set_memory(struct world *w)
{
	ANeuralNetworksModel_setOperandValueFromMemory(
		w->model, (int32_t)operand(w), w->memory,
		chance(w, 90) ? pick(w, 64) * 64 : SIZE_MAX - 4, length(w));
}

static void set_model(struct world *w)
{
	ANeuralNetworksModel_setOperandValueFromModel(w->model, (int32_t)operand(w),
						      chance(w, 95) ? w->kept[pick(w, NUM_KEPT)]
								    : w->model);
}

static void set_channels(struct world *w)
{
	const float scales[] = { 1, 2, chance(w, 80) ? 3 : -1, 4 };
	const ANeuralNetworksSymmPerChannelQuantParams params = {
		pick(w, 3),
		pick(w, 5),
		chance(w, 95) ? scales : NULL,
	};

	ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(w->model, (int32_t)operand(w),
								 &params);
}

static void set_extension_data(struct world *w)
{
	ANeuralNetworksModel_setOperandExtensionData(w->model, (int32_t)operand(w),
						     chance(w, 70) ? buffer : NULL, length(w));
}

static void fill_list(struct world *w, uint32_t *list, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		list[i] = operand(w);
}

static void add_odd_operation(struct world *w)
{
	const int32_t types[] = { -1, 106, 10000, 20000, 0x7fff0000, w->extension_operation };
	uint32_t in[16], out[4], num_in = pick(w, 17), num_out = pick(w, 4);

	fill_list(w, in, num_in);
	fill_list(w, out, num_out);
	ANeuralNetworksModel_addOperation(w->model,
					  chance(w, 80) ? (int32_t)pick(w, 106) : types[pick(w, 6)],
					  num_in, in, num_out, out);
}

static void set_border(struct world *w)
{
	uint32_t in[4], out[4], num_in = pick(w, 4), num_out = pick(w, 4);

	fill_list(w, in, num_in);
	fill_list(w, out, num_out);
	ANeuralNetworksModel_identifyInputsAndOutputs(w->model, num_in, in, num_out, out);
}

static void relax(struct world *w)
{
	ANeuralNetworksModel_relaxComputationFloat32toFloat16(w->model, chance(w, 50));
}

static void (*const calls[])(struct world *w) = {
	add_usual_operand,
	add_usual_operand,
	add_odd_operand,
	set_value,
	set_value,
	set_memory,
	set_model,
	set_channels,
	set_extension_data,
	add_odd_operation,
	add_odd_operation,
	set_border,
	relax,
};

static void call_something(struct world *w)
{
	calls[pick(w, sizeof(calls) / sizeof(calls[0]))](w);
}

/* ---- models that could be valid ---- */

static uint32_t add_tensor(struct world *w)
{
	const ANeuralNetworksOperandType type = {
		ANEURALNETWORKS_TENSOR_FLOAT32, 2, (const uint32_t[]){ 2, 3 }, 0, 0,
	};

	count_operand(w, &type);
	return w->num_operands - 1;
}

static uint32_t add_scalar(struct world *w, int32_t type, const void *value, size_t size)
{
	const ANeuralNetworksOperandType t = { type, 0, NULL, 0, 0 };

	count_operand(w, &t);
	ANeuralNetworksModel_setOperandValue(w->model, (int32_t)w->num_operands - 1, value, size);
	return w->num_operands - 1;
}

static void add_branches(struct world *w, uint32_t condition, uint32_t from, uint32_t to)
{
	const ANeuralNetworksOperandType type = { ANEURALNETWORKS_MODEL, 0, NULL, 0, 0 };
	uint32_t in[] = { condition, w->num_operands, w->num_operands + 1, from };

	for (int i = 0; i < 2; i++) {
		count_operand(w, &type);
		ANeuralNetworksModel_setOperandValueFromModel(
			w->model, (int32_t)w->num_operands - 1, w->kept[pick(w, NUM_KEPT)]);
	}
	ANeuralNetworksModel_addOperation(w->model, ANEURALNETWORKS_IF, 4, in, 1, &to);
}

/*
 * A chain from one input to one output whose operations are added in any order, with a random error
 * now and then.
 */
static void build_chain(struct world *w)
{
	const uint32_t links = 1 + pick(w, 6);
	uint32_t at[8], order[8], input, condition, constant, none;
	const int32_t zero = 0;

	condition = w->num_operands;
	count_operand(w, &(ANeuralNetworksOperandType){ ANEURALNETWORKS_TENSOR_BOOL8, 1,
							(const uint32_t[]){ 1 }, 0, 0 });
	ANeuralNetworksModel_setOperandValue(w->model, (int32_t)condition, buffer, 1);
	none = add_scalar(w, ANEURALNETWORKS_INT32, &zero, sizeof(zero));
	constant = add_tensor(w);
	if (chance(w, 50))
		ANeuralNetworksModel_setOperandValue(w->model, (int32_t)constant, buffer, 24);
	else
		ANeuralNetworksModel_setOperandValueFromMemory(w->model, (int32_t)constant,
							       w->memory, 64, 24);
	for (uint32_t i = 0; i <= links; i++) {
		at[i] = add_tensor(w);
		order[i] = i;
	}
	input = at[0];
	for (uint32_t i = links - 1; i; i--) {
		uint32_t k = pick(w, i + 1), swap = order[i];

		order[i] = order[k];
		order[k] = swap;
	}
	for (uint32_t i = 0; i < links; i++) {
		const uint32_t from = at[order[i]], to = at[order[i] + 1];

		if (chance(w, 20))
			add_branches(w, condition, from, to);
		else if (chance(w, 50))
			ANeuralNetworksModel_addOperation(w->model, ANEURALNETWORKS_ABS, 1, &from,
							  1, &to);
		else
			ANeuralNetworksModel_addOperation(
				w->model, ANEURALNETWORKS_ADD, 3,
				(const uint32_t[]){ from, constant, none }, 1, &to);
		if (chance(w, 5))
			call_something(w);
	}
	ANeuralNetworksModel_identifyInputsAndOutputs(w->model, 1, &input, 1, &at[links]);
}

/* ---- the result ---- */

static void check_finished(struct world *w)
{
	const struct nnr_model_data *data = w->model->data;
	const ANeuralNetworksDevice *devices[] = { rt_device("old"), rt_device("nnapi-reference") };
	bool *seen = calloc(data->num_added, sizeof(*seen)),
	     *answers = calloc(data->num_added, sizeof(*answers));
	ANeuralNetworksCompilation *compilation;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	uint32_t level;

	assert_non_null(seen);
	assert_non_null(answers);
	assert_int_equal(nnr_model_validate(data->model, &level, &err), 0);
	assert_int_equal(data->feature_level, level);
	assert_int_equal(data->num_added, data->model->main.num_operations);
	for (uint32_t i = 0; i < data->num_added; i++) {
		assert_true(data->added_to_run[i] < data->num_added &&
			    !seen[data->added_to_run[i]]);
		seen[data->added_to_run[i]] = true;
	}
	RT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(w->model, devices, 2, answers));
	if (chance(w, 10)) {
		RT_OK(ANeuralNetworksCompilation_create(w->model, &compilation));
		w->compiled += ANeuralNetworksCompilation_finish(compilation) ==
			       ANEURALNETWORKS_NO_ERROR;
		ANeuralNetworksCompilation_free(compilation);
	}
	free(seen);
	free(answers);
}

static void play_round(struct world *w)
{
	uint32_t calls_before = chance(w, 60) ? 0 : pick(w, 40), keep = pick(w, NUM_KEPT);

	w->model = rt_model();
	w->num_operands = 0;
	for (uint32_t i = 0; i < calls_before; i++)
		call_something(w);
	if (chance(w, 80))
		build_chain(w);
	for (uint32_t i = chance(w, 70) ? 0 : pick(w, 4); i; i--)
		call_something(w);
	if (chance(w, 97)) {
		if (ANeuralNetworksModel_finish(w->model) == ANEURALNETWORKS_NO_ERROR) {
			w->finished++;
			check_finished(w);
		} else {
			w->invalid++;
		}
		if (chance(w, 20))
			call_something(w);
	}
	/* not all: models within models would grow without end */
	if (w->kept[keep] && (!w->model->data || w->model->data->model->num_referenced > 20)) {
		ANeuralNetworksModel_free(w->model);
		return;
	}
	ANeuralNetworksModel_free(w->kept[keep]);
	w->kept[keep] = w->model;
}

static uint64_t environment(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

TEST(random_calls)
{
	struct world w = { .random = environment("RT_SEED", 1) };
	uint64_t rounds = environment("RT_ROUNDS", 4000);

	w.memory = rt_memory(4096, PROT_READ, NULL);
	w.model = rt_model();
	RT_OK(ANeuralNetworksModel_getExtensionOperandType(w.model, "vendor.test.one", 0,
							   &w.extension_type));
	RT_OK(ANeuralNetworksModel_getExtensionOperationType(w.model, "vendor.test.one", 0,
							     &w.extension_operation));
	ANeuralNetworksModel_free(w.model);
	for (uint64_t i = 0; i < rounds; i++)
		play_round(&w);
	print_message("%u models were valid, %u were not, %u could be compiled\n", w.finished,
		      w.invalid, w.compiled);
	/* or the sequences are not worth much */
	assert_true(w.finished > rounds / 10);
	assert_true(w.invalid > rounds / 10);
	assert_true(w.compiled > 0);
	for (int i = 0; i < NUM_KEPT; i++)
		ANeuralNetworksModel_free(w.kept[i]);
	ANeuralNetworksMemory_free(w.memory);
}

/* ---- size ---- */

/* Of this process: others may be busy. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/*
 * Seconds to build and finish a chain of additions of constants that are all large, added from its
 * end.
 */
static double build_large(uint32_t links)
{
	static const float value[64];
	double start = now();
	ANeuralNetworksModel *model = rt_model();
	const uint32_t dims[] = { 64 }, in = 1, out = 1 + 2 * links;

	rt_int32(model, 0, ANEURALNETWORKS_FUSED_NONE);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	for (uint32_t i = 0; i < links; i++) {
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
		RT_OK(ANeuralNetworksModel_setOperandValue(model, (int32_t)(2 + 2 * i), value,
							   sizeof(value)));
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	}
	for (uint32_t i = links; i; i--)
		RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3,
							(const uint32_t[]){ 2 * i - 1, 2 * i, 0 },
							1, (const uint32_t[]){ 2 * i + 1 }));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
	RT_OK(ANeuralNetworksModel_finish(model));
	assert_int_equal(model->data->added_to_run[0], links - 1);
	ANeuralNetworksModel_free(model);
	return now() - start;
}

/* The least of several. */
static double time_large(uint32_t links)
{
	double least = build_large(links), again;

	for (int i = 0; i < 2; i++) {
		again = build_large(links);
		least = again < least ? again : least;
	}
	return least;
}

TEST(large_models)
{
	double small = time_large(5000), large = time_large(50000);

	print_message("10002 operands: %.1f ms; 100002 operands: %.1f ms\n", small * 1e3,
		      large * 1e3);
	/* ten times the size: far from a hundred times the time */
	assert_true(large < 50 * small);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(random_calls, "name=old,level=2 name=with,ext=vendor.test.one/0:t4"),
		RT_CASE(large_models, NULL),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
