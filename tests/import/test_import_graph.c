/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs in memory. Arguments: folders. Each .tflite file in them is also given as a graph, and
 * must have the same result: the bytes of its model, its states and arguments, or its refusal.
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnimport_graph.h"
#include "test_case.h"
#include "tflite.h"

static char **folders;
static unsigned int compared, translated, refused;

/* ---- a file as a graph ---- */

/* Types of the option fields of an operator: b: a byte, i: 4 bytes, f: a float, -: not read. */
static const struct {
	int opcode;
	const char *fields;
} fields[] = {
	{ 0, "b" },	{ 1, "biiiib" },  { 2, "ib" },	   { 3, "biibii" },  { 4, "biiibii" },
	{ 5, "i" },	{ 9, "bbb" },	  { 11, "b" },	   { 12, "biiiib" }, { 13, "ifff" },
	{ 16, "bffb" }, { 17, "biiiib" }, { 18, "b" },	   { 23, "--bb" },   { 24, "b" },
	{ 25, "f" },	{ 26, "i" },	  { 27, "ib" },	   { 35, "bb" },     { 36, "ii" },
	{ 40, "b" },	{ 41, "b" },	  { 42, "b" },	   { 44, "bffb" },   { 45, "iiiiib" },
	{ 46, "bbb" },	{ 49, "i" },	  { 52, "bffbb" }, { 67, "biib" },   { 74, "b" },
	{ 81, "b" },	{ 82, "b" },	  { 83, "ii" },	   { 85, "i" },	     { 88, "ii" },
	{ 89, "b" },	{ 91, "b" },	  { 97, "bb" },	   { 98, "f" },	     { 100, "b" },
	{ 102, "i" },	{ 112, "ii" },	  { 118, "ii" },   { 119, "ii" },    { 126, "bb" },
	{ 128, "bb" },	{ 140, "b" },	  { 150, "b" },
};

/* The list lacks the fields that the file lacks: those give either of two defaults. */
static uint32_t list_options(const struct tflite_operator *op, struct nnimport_graph_option *list)
{
	const struct fb_table *t = &op->options;
	const char *kinds = "";
	uint32_t n = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].opcode == op->opcode)
			kinds = fields[i].fields;
	for (unsigned int f = 0; kinds[f]; f++) {
		struct nnimport_graph_option *o = &list[n];

		*o = (struct nnimport_graph_option){ .field = f };
		if (kinds[f] == 'b' && fb_i8(t, f, 1) == fb_i8(t, f, 2))
			o->integer = fb_i8(t, f, 0);
		else if (kinds[f] == 'i' && fb_i32(t, f, 1) == fb_i32(t, f, 2))
			o->integer = fb_i32(t, f, 0);
		else if (kinds[f] == 'f' && fb_i32(t, f, 1) == fb_i32(t, f, 2))
			o->real = fb_f32(t, f, 0);
		else
			continue;
		n++;
	}
	return n;
}

#define MAX_OPTIONS 8

/* The arrays of a graph; tensors and lists are those of the parsed file. */
struct graph {
	struct nnimport_graph graph;
	struct nnimport_graph_tensor *tensors;
	struct nnimport_graph_operator *operators;
	struct nnimport_graph_option *options;
	float **scales;
	int32_t **zero_points;
};

static void graph_of(const struct tflite_model *m, struct graph *g)
{
	g->tensors = calloc(m->num_tensors + 1, sizeof(*g->tensors));
	g->operators = calloc(m->num_operators + 1, sizeof(*g->operators));
	g->options = calloc(m->num_operators + 1, MAX_OPTIONS * sizeof(*g->options));
	g->scales = calloc(m->num_tensors + 1, sizeof(*g->scales));
	g->zero_points = calloc(m->num_tensors + 1, sizeof(*g->zero_points));
	assert_true(g->tensors && g->operators && g->options && g->scales && g->zero_points);
	for (uint32_t i = 0; i < m->num_tensors; i++) {
		const struct tflite_tensor *t = &m->tensors[i];

		g->scales[i] = calloc(t->num_scales + 1, sizeof(float));
		g->zero_points[i] = calloc(t->num_scales + 1, sizeof(int32_t));
		assert_true(g->scales[i] && g->zero_points[i]);
		for (uint32_t k = 0; k < t->num_scales; k++) {
			g->scales[i][k] = tflite_scale(m, t, k);
			g->zero_points[i][k] = (int32_t)tflite_zero_point(m, t, k);
		}
		g->tensors[i] = (struct nnimport_graph_tensor){
			.name = t->name,
			.type = t->type,
			.rank = t->rank,
			.dims = t->dims,
			.has_rank = t->ranked,
			.variable = t->variable,
			.data = t->data,
			.size = t->data ? t->size : 0,
			.num_scales = t->num_scales,
			.scales = g->scales[i],
			.num_zero_points = t->num_scales,
			.zero_points = g->zero_points[i],
			.quantized_dimension = t->quantized_dimension,
		};
	}
	for (uint32_t i = 0; i < m->num_operators; i++) {
		const struct tflite_operator *op = &m->operators[i];

		g->operators[i] = (struct nnimport_graph_operator){
			.opcode = op->opcode,
			.custom = op->custom,
			.num_inputs = op->num_inputs,
			.num_outputs = op->num_outputs,
			.inputs = op->inputs,
			.outputs = op->outputs,
			.num_options = list_options(op, &g->options[MAX_OPTIONS * i]),
			.options = &g->options[MAX_OPTIONS * i],
		};
	}
	g->graph = (struct nnimport_graph){ m->num_tensors, m->num_operators, m->num_inputs,
					    m->num_outputs, g->tensors,	      g->operators,
					    m->inputs,	    m->outputs };
}

static void graph_clear(struct graph *g)
{
	for (uint32_t i = 0; i < g->graph.num_tensors; i++) {
		free(g->scales[i]);
		free(g->zero_points[i]);
	}
	free(g->scales);
	free(g->zero_points);
	free(g->tensors);
	free(g->operators);
	free(g->options);
}

/* ---- the two results ---- */

struct bytes {
	uint8_t *data;
	size_t size;
};

static int put(void *cookie, const void *data, size_t size)
{
	struct bytes *b = cookie;

	b->data = realloc(b->data, b->size + size + 1);
	assert_non_null(b->data);
	memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

static void same_model(const struct nnmodel *a, const struct nnmodel *b)
{
	struct bytes x = { NULL, 0 }, y = { NULL, 0 };

	assert_int_equal(nnmodel_serialize(a, put, &x), 0);
	assert_int_equal(nnmodel_serialize(b, put, &y), 0);
	assert_int_equal(x.size, y.size);
	assert_memory_equal(x.data, y.data, x.size);
	free(x.data);
	free(y.data);
}

static void same_arguments(const struct nnimport_tensor *a, uint32_t na,
			   const struct nnimport_tensor *b, uint32_t nb)
{
	assert_int_equal(na, nb);
	for (uint32_t i = 0; i < na; i++) {
		assert_string_equal(a[i].name, b[i].name);
		assert_int_equal(a[i].type, b[i].type);
		assert_int_equal(a[i].operand_size, b[i].operand_size);
	}
}

static void same_result(const struct nnimport *a, const struct nnimport *b)
{
	assert_int_equal(a->verdict, b->verdict);
	assert_string_equal(a->message, b->message);
	assert_string_equal(a->note, b->note);
	assert_int_equal(a->operation, b->operation);
	if (a->verdict != NNIMPORT_OK)
		return;
	same_model(a->model, b->model);
	assert_int_equal(a->pruned, b->pruned);
	same_arguments(a->inputs, a->num_inputs, b->inputs, b->num_inputs);
	same_arguments(a->outputs, a->num_outputs, b->outputs, b->num_outputs);
	assert_int_equal(a->num_states, b->num_states);
	for (uint32_t i = 0; i < a->num_states; i++) {
		assert_int_equal(a->states[i].input, b->states[i].input);
		assert_int_equal(a->states[i].output, b->states[i].output);
		assert_int_equal(a->states[i].tensor, b->states[i].tensor);
		assert_int_equal(a->states[i].fill, b->states[i].fill);
	}
	assert_int_equal(a->num_origins, b->num_origins);
	for (uint32_t i = 0; i < a->num_origins; i++)
		assert_int_equal(a->origins[i].number, b->origins[i].number);
}

/* IF, WHILE, CALL_ONCE and VAR_HANDLE: a graph has neither subgraphs nor names. */
static bool is_of_files(const struct tflite_model *m)
{
	static const int opcodes[] = { 118, 119, 129, 142 };

	for (uint32_t i = 0; i < m->num_operators; i++)
		for (size_t k = 0; k < sizeof(opcodes) / sizeof(opcodes[0]); k++)
			if (m->operators[i].opcode == opcodes[k])
				return true;
	return false;
}

static void compare(const uint8_t *bytes, size_t size)
{
	struct nnimport a, b;
	struct tflite_model m;
	struct graph g;
	char error[160];

	/* a file that does not parse is no graph; and the parser has seen all that a list can say
	 */
	if (tflite_parse(bytes, size, &m, error, sizeof(error)))
		return;
	graph_of(&m, &g);
	nnimport_read(bytes, size, &a);
	nnimport_read_graph(&g.graph, &b);
	/* a file has options that lie, and another size */
	if (!is_of_files(&m) && !m.fb.failed && !strstr(a.message, "than a file of")) {
		same_result(&a, &b);
		compared++;
		translated += a.verdict == NNIMPORT_OK;
		refused += a.verdict != NNIMPORT_OK;
	}
	nnimport_free(&a);
	nnimport_free(&b);
	graph_clear(&g);
	tflite_free(&m);
}

static int compare_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t n = strlen(path);
	uint8_t *bytes;
	FILE *f;

	(void)ftw;
	if (type != FTW_F || n < 7 || strcmp(path + n - 7, ".tflite"))
		return 0;
	bytes = malloc((size_t)st->st_size + 1);
	f = fopen(path, "rb");
	assert_true(bytes && f);
	assert_int_equal(fread(bytes, 1, (size_t)st->st_size, f), st->st_size);
	fclose(f);
	print_message("%s\n", path);
	compare(bytes, (size_t)st->st_size);
	free(bytes);
	return 0;
}

TEST(test_files)
{
	for (char **folder = folders; *folder; folder++)
		assert_int_equal(nftw(*folder, compare_file, 8, FTW_PHYS), 0);
	print_message("%u compared: %u translated, %u refused\n", compared, translated, refused);
	assert_true(translated > 2 && refused > 2);
}

/* ---- graphs that no file gives ---- */

/* y = x + c of two elements. */
struct add {
	struct nnimport_graph graph;
	struct nnimport_graph_tensor tensors[3];
	struct nnimport_graph_operator op;
	struct nnimport_graph_option act;
};

static const int32_t two[] = { 2 }, in[] = { 0, 1 }, out[] = { 2 };
static const float ones[] = { 1, 1 };

static struct add *add_new(void)
{
	struct add *a = test_calloc(1, sizeof(*a));

	for (uint32_t i = 0; i < 3; i++)
		a->tensors[i] =
			(struct nnimport_graph_tensor){ .name = "t", .rank = 1, .dims = two };
	a->tensors[1].data = ones;
	a->tensors[1].size = sizeof(ones);
	a->op = (struct nnimport_graph_operator){ .num_inputs = 2,
						  .num_outputs = 1,
						  .inputs = in,
						  .outputs = out,
						  .num_options = 1,
						  .options = &a->act };
	a->graph = (struct nnimport_graph){ 3, 1, 1, 1, a->tensors, &a->op, in, out };
	return a;
}

/* Read, and free @a. @refused: part of the message; NULL: none. */
static void expect(struct add *a, int error, const char *message)
{
	struct nnimport r;

	assert_int_equal(nnimport_read_graph(&a->graph, &r), error);
	if (message && !strstr(r.message, message))
		fail_msg("\"%s\" has no \"%s\"", r.message, message);
	assert_true(message || !r.message[0]);
	assert_null(strstr(r.message, "offset"));
	nnimport_free(&r);
	test_free(a);
}

TEST(test_lists)
{
	const int32_t beyond[] = { 0, 3 }, none[] = { -1 }, omitted[] = { 0, -1 };
	struct add *a = add_new();

	expect(a, 0, NULL);
	a = add_new();
	a->op.inputs = beyond;
	expect(a, -EINVAL, "operation input 1 names tensor 3 of 3");
	a = add_new();
	a->op.outputs = none;
	expect(a, -EINVAL, "operation output 0 names tensor -1 of 3");
	a = add_new();
	a->op.inputs = omitted;
	expect(a, -EINVAL, "input 1 is missing");
	a = add_new();
	a->graph.inputs = none;
	expect(a, -EINVAL, "model input 0 names tensor -1 of 3");
	a = add_new();
	a->graph.outputs = beyond + 1;
	expect(a, -EINVAL, "model output 0 names tensor 3 of 3");
}

TEST(test_tensors)
{
	const int32_t negative[] = { -2 }, large[] = { 1 << 15, 1 << 15 }, many[9] = { 1 };
	const float bad[] = { 1, -1 };
	const int32_t zero_points[] = { 0, 300 };
	struct add *a = add_new();

	a->tensors[0].dims = negative;
	expect(a, -EINVAL, "dimension 0 of tensor t is -2");
	a = add_new();
	a->tensors[0].dims = large;
	a->tensors[0].rank = 2;
	expect(a, -EINVAL, "tensor t is larger than 1 GiB");
	a = add_new();
	a->tensors[0].dims = many;
	a->tensors[0].rank = 9;
	expect(a, -EINVAL, "tensor t has 9 dimensions");
	a = add_new();
	a->tensors[0].type = 20;
	expect(a, -EINVAL, "tensor t has type 20");
	a = add_new();
	a->tensors[1].size = 7;
	expect(a, -EINVAL, "tensor t needs 8 bytes but its buffer has 7");
	a = add_new();
	a->tensors[0].type = NNIMPORT_INT8;
	a->tensors[0].scales = bad;
	a->tensors[0].num_scales = 2;
	expect(a, -EINVAL, "scale 1 of tensor t is -1");
	a = add_new();
	a->tensors[0].type = NNIMPORT_INT8;
	a->tensors[0].scales = ones;
	a->tensors[0].num_scales = 2;
	a->tensors[0].zero_points = zero_points;
	a->tensors[0].num_zero_points = 1;
	expect(a, -EINVAL, "tensor t has 2 scales and 1 zero points");
	a = add_new();
	a->tensors[0].type = NNIMPORT_INT8;
	a->tensors[0].scales = ones;
	a->tensors[0].num_scales = 2;
	a->tensors[0].zero_points = zero_points;
	a->tensors[0].num_zero_points = 2;
	expect(a, -EINVAL, "zero point 1 of tensor t is 300");
}

/* A code that does not fit the byte of the schema does not become another one. */
TEST(test_options)
{
	struct add *a = add_new();

	a->act.integer = 1;
	expect(a, 0, NULL);
	a = add_new();
	a->act.integer = 256 + 1;
	expect(a, -EOPNOTSUPP, "NNAPI has no fused activation 127");
}

TEST(test_subgraphs)
{
	struct add *a = add_new();

	a->op.opcode = 119;
	a->act.integer = 1;
	expect(a, -EOPNOTSUPP, "its subgraphs are not part of the graph");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),	cmocka_unit_test(test_tensors),
		cmocka_unit_test(test_options), cmocka_unit_test(test_subgraphs),
		cmocka_unit_test(test_files),
	};

	(void)argc;
	folders = argv + 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
