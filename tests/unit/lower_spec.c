// SPDX-License-Identifier: Apache-2.0
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "lower_spec.h"
#include "nnaccel/nnaccel_opset.h"
#include "test_case.h"

uint8_t *spec_opset_bytes(size_t *size)
{
	struct nnaccel_opset_header header = {
		.magic = htole32(NNACCEL_OPSET_MAGIC),
		.version = htole32(NNPROG_OPSET_VERSION),
		.stride = htole32(sizeof(struct nnaccel_opset_entry)),
	};
	uint32_t count = 0;
	uint8_t *bytes;

	bytes = malloc(sizeof(header) + (NNPROG_OP_COUNT - 1) * sizeof(struct nnaccel_opset_entry));
	assert_non_null(bytes);
	for (uint32_t op = 1; op < NNPROG_OP_COUNT; op++) {
		const struct nnprog_op_desc *desc = nnprog_op_find(op);
		struct nnaccel_opset_entry entry = {
			.opcode = htole32(op),
			.version = htole32(1),
			.max_rank = htole32(NNPROG_MAX_RANK),
			.speed = htole32(op),
		};

		if (!desc)
			continue;
		entry.types = htole32(desc->types);
		snprintf((char *)entry.name, sizeof(entry.name), "%s", desc->name);
		memcpy(bytes + sizeof(header) + count++ * sizeof(entry), &entry, sizeof(entry));
	}
	assert_true(count > 0);
	header.count = htole32(count);
	memcpy(bytes, &header, sizeof(header));
	*size = sizeof(header) + count * sizeof(struct nnaccel_opset_entry);
	return bytes;
}

struct nnhal_opset spec_opset(void)
{
	struct nnhal_opset opset;
	size_t size;
	uint8_t *bytes = spec_opset_bytes(&size);

	assert_int_equal(nnhal_opset_parse(bytes, size, &opset), 0);
	free(bytes);
	return opset;
}

void spec_op(struct nnmodel *model, uint32_t opcode, const int *in, const int *out)
{
	uint32_t inputs[32], outputs[8], num_in = 0, num_out = 0;

	while (in[num_in] >= 0) {
		inputs[num_in] = (uint32_t)in[num_in];
		num_in++;
	}
	while (out[num_out] >= 0) {
		outputs[num_out] = (uint32_t)out[num_out];
		num_out++;
	}
	assert_true(nnmodel_add_operation(model, opcode, inputs, num_in, outputs, num_out) >= 0);
}

static void check_supported(const struct nnmodel *model, const struct nnhal_opset *opset,
			    bool expected)
{
	const uint32_t n = model->main.num_operations;
	bool *supported = calloc(n, sizeof(*supported)), all = true;
	char **reasons = calloc(n, sizeof(*reasons));

	assert_int_equal(nnhal_lower_supported(model, opset, supported, reasons), 0);
	for (uint32_t i = 0; i < n; i++) {
		/* a reason exactly where there is no support */
		assert_int_equal(supported[i], !reasons[i]);
		all &= supported[i];
		free(reasons[i]);
	}
	assert_int_equal(all, expected);
	/* without an error struct */
	assert_int_equal(nnhal_lower_supported(model, opset, supported, NULL), 0);
	free(supported);
	free(reasons);
}

int spec_lower(const struct nnmodel *model, struct nnhal_lowered *out, struct nnmodel_error *err)
{
	const struct nnhal_opset opset = spec_opset();
	struct nnprog prog;
	struct nnprog_error prog_err;
	int ret;

	if (nnmodel_validate(model, NULL, err)) {
		print_error("%s\n", err->text);
		fail();
	}
	ret = nnhal_lower_model(model, &opset, out, err);
	check_supported(model, &opset, !ret);
	if (ret) {
		assert_null(out->bytes);
		return ret;
	}
	assert_int_equal((uintptr_t)out->bytes % NNPROG_ALIGN, 0);
	if (nnprog_verify(out->bytes, out->size, &prog, &prog_err)) {
		print_error("%s\n", prog_err.text);
		fail();
	}
	return 0;
}

static void read_program(const struct nnhal_lowered *program, struct nnprog *prog)
{
	struct nnprog_error err;

	assert_int_equal(nnprog_verify(program->bytes, program->size, prog, &err), 0);
}

const char *spec_program_ops(const struct nnhal_lowered *program)
{
	static char text[1024];
	struct nnprog prog;
	size_t used = 0;

	read_program(program, &prog);
	text[0] = 0;
	for (uint32_t i = 0; i < prog.subgraphs[0].num_operations; i++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 nnprog_op_find(prog.operations[i].opcode)->name);
		assert_true(used < sizeof(text));
	}
	return text;
}

const struct nnprog_tensor *spec_program_io(const struct nnhal_lowered *program, bool output,
					    uint32_t i)
{
	struct nnprog prog;

	read_program(program, &prog);
	assert_true(i < (output ? prog.subgraphs[0].num_outputs : prog.subgraphs[0].num_inputs));
	return &prog.tensors[prog.index[(output ? prog.subgraphs[0].outputs
						: prog.subgraphs[0].inputs) +
					i]];
}
