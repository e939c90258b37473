// SPDX-License-Identifier: Apache-2.0
#include "compile_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "fuzz_target.h"
#include "nnhal_lower.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"

static struct nnhal_opset whole_opset(void)
{
	struct nnhal_opset opset = { .version = NNPROG_OPSET_VERSION };

	for (uint32_t i = 1; i < NNPROG_OP_COUNT; i++) {
		opset.ops[i].present = true;
		opset.ops[i].types = UINT32_MAX;
		opset.ops[i].max_rank = NNPROG_MAX_RANK;
	}
	return opset;
}

bool fuzz_compile(const struct nnmodel *model, struct nnmodel_error *err)
{
	const struct nnhal_opset opset = whole_opset();
	bool *supported = calloc((size_t)model->main.num_operations + 1, sizeof(*supported));
	struct nnhal_lowered out = { NULL, 0 };
	struct nnprog_error why;
	struct nnprog prog;

	if (!supported || nnhal_lower_supported(model, &opset, supported, NULL))
		abort();
	free(supported);
	if (nnhal_lower_model(model, &opset, &out, err)) {
		fuzz_require(err->text[0] && !out.bytes, "a refusal has no reason");
		return false;
	}
	if (nnprog_verify(out.bytes, out.size, &prog, &why)) {
		fprintf(stderr, "compiled, but %s\n", why.text);
		abort();
	}
	free(out.bytes);
	return true;
}
