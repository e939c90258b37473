// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model_control_spec.h"
#include "model_op_cases.h"
#include "model_seeds.h"

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

/* Two pools, two extensions, an operand and an operation of one of them. */
static struct nnmodel *with_pools(void)
{
	const uint32_t dims[] = { 4 };
	struct nnmodel *m = spec_model(NNMODEL_ADD, "F32:4 F32:4 i=0", "F32:4");
	int ours, out;

	for (int i = 0; i < 2; i++) {
		int fd = memfd_create("pool", MFD_CLOEXEC);

		if (fd < 0 || ftruncate(fd, 256) ||
		    nnmodel_add_pool(m, fd, PROT_READ, 64u * i, 128) != i)
			abort();
	}
	if (nnmodel_set_value_from_pool(m, 1, 0, 32, 16))
		abort();
	m->extensions = need(calloc(2, sizeof(*m->extensions)));
	m->num_extensions = 2;
	m->extensions[0] = (struct nnmodel_extension){ need(strdup("com.example.first")), 7 };
	m->extensions[1] = (struct nnmodel_extension){ need(strdup("com.example.second")), 0x7fff };
	ours = nnmodel_add_operand(m, 7u << 16 | 3, NNMODEL_CONSTANT_REFERENCE, dims, 1, 0, 0);
	out = nnmodel_add_operand(m, 7u << 16 | 3, NNMODEL_SUBGRAPH_OUTPUT, dims, 1, 0, 0);
	if (ours < 0 || out < 0)
		abort();
	m->main.operands[ours].location =
		(struct nnmodel_location){ .pool = 1, .offset = 100, .length = 5 };
	m->main.operands[ours].extension_data = need(strdup("opaque"));
	m->main.operands[ours].extension_size = 6;
	if (nnmodel_add_operation(m, 0x7fffu << 16 | 9, (uint32_t[]){ (uint32_t)ours }, 1,
				  (uint32_t[]){ (uint32_t)out }, 1) < 0)
		abort();
	spec_set_io(m);
	return m;
}

static struct nnmodel *with_constants(void)
{
	struct nnmodel *m = spec_model(
		NNMODEL_CONV_2D, "Q8:1x4x4x2 QPC:3x1x1x2=1,2,3,4,5,6 I32:3=7,8,9 i=1 i=1 i=1 i=0",
		"Q8:1x4x4x3@2");

	m->relaxed = true;
	return m;
}

static int append(void *cookie, const void *data, size_t size)
{
	struct fuzz_seed *s = cookie;

	s->bytes = need(realloc(s->bytes, s->size + size));
	memcpy((uint8_t *)s->bytes + s->size, data, size);
	s->size += size;
	return 0;
}

/* Both forms; frees @m. */
static void add(struct fuzz_seed **seeds, size_t *count, const char *name, struct nnmodel *m)
{
	for (int places = 0; places < 2; places++) {
		struct fuzz_seed *s;

		*seeds = need(realloc(*seeds, (*count + 1) * sizeof(**seeds)));
		s = &(*seeds)[(*count)++];
		*s = (struct fuzz_seed){ .size = 0 };
		snprintf(s->name, sizeof(s->name), "%s-%s", name, places ? "places" : "values");
		if (places ? nnmodel_serialize_places(m, append, s)
			   : nnmodel_serialize(m, append, s))
			abort();
	}
	nnmodel_free(m);
}

size_t model_seeds(struct fuzz_seed **seeds)
{
	/* operations whose signatures have little in common */
	static const struct {
		const char *name;
		uint32_t opcode;
		const char *in, *out;
	} specs[] = {
		{ "concat", NNMODEL_CONCATENATION, "F32:2x3 F32:2x3 F32:2x1 i=1", "F32:2x7" },
		{ "slice", NNMODEL_STRIDED_SLICE, "F32:2x3 I:2=0,0 I:2=2,2 I:2=1,1 i=0 i=0 i=0",
		  "F32:2x2" },
		{ "lstm", NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM_INPUTS("F32", "f"),
		  "F32:3x2x4" },
		{ "dynamic", NNMODEL_MUL, "F16:0x3 F16 i=1", "F16" },
		{ "quantize", NNMODEL_QUANTIZE, "F32:2x3", "Q8S:2x3@0.25,-3" },
	};
	size_t count = 0;

	*seeds = NULL;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		add(seeds, &count, specs[i].name,
		    spec_model(specs[i].opcode, specs[i].in, specs[i].out));
	add(seeds, &count, "constants", with_constants());
	add(seeds, &count, "pools", with_pools());
	add(seeds, &count, "if", spec_if());
	add(seeds, &count, "while", spec_while());
	return count;
}
