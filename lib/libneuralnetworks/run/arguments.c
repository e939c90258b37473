// SPDX-License-Identifier: Apache-2.0
/* Setting the inputs and outputs of an execution. */
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "plan/nnr_plan.h"
#include "run/nnr_run.h"

/* An input or output that is being set. */
struct setting {
	ANeuralNetworksExecution *e;
	bool input;
	uint32_t index;
	const struct nnmodel_operand *operand;
	const ANeuralNetworksOperandType *type; /* NULL: the model's */
	struct nnr_argument *arg;
};

static int arguments_refuse(const struct setting *s, const char *why, int result)
{
	nnutil_log(NNUTIL_LOG_WARNING, "%s %u: %s", s->input ? "input" : "output", s->index, why);
	return result;
}

/* Open, and there. Result code. */
static int arguments_find(struct setting *s, int32_t index)
{
	const struct nnmodel_subgraph *main = &s->e->plan->data->model->main;
	const uint32_t num = s->input ? s->e->num_inputs : s->e->num_outputs;
	int result = nnr_execution_check_open(s->e);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	s->index = (uint32_t)index;
	if (s->index >= num)
		return arguments_refuse(s, "the model has no such input or output",
					ANEURALNETWORKS_BAD_DATA);
	s->operand = &main->operands[s->input ? main->inputs[index] : main->outputs[index]];
	s->arg = s->input ? &s->e->inputs[index] : &s->e->outputs[index];
	return ANEURALNETWORKS_NO_ERROR;
}

static int check_dims(const struct setting *s, bool partial)
{
	const struct nnmodel_operand *o = s->operand;
	const ANeuralNetworksOperandType *type = s->type;
	uint32_t i;
	int result;

	if (!type)
		return partial || nnr_dims_complete(o->type, o->dims, o->rank)
			       ? ANEURALNETWORKS_NO_ERROR
			       : arguments_refuse(
					 s,
					 "its dimensions are unknown: the model leaves them open, and no type is given",
					 ANEURALNETWORKS_BAD_DATA);
	result = nnr_operand_type_validate(type, partial);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return arguments_refuse(s, "invalid type", result);
	if (!nnr_type_is_tensor(o->type) && type->dimensionCount)
		return arguments_refuse(s, "a scalar has no dimensions", ANEURALNETWORKS_BAD_DATA);
	if (nnr_type_is_tensor(o->type) && !nnr_type_is_tensor((uint32_t)type->type) && !partial)
		return arguments_refuse(s, "a scalar type was given for a tensor",
					ANEURALNETWORKS_BAD_DATA);
	if (!o->rank)
		return ANEURALNETWORKS_NO_ERROR;
	if (type->dimensionCount != o->rank)
		return arguments_refuse(s, "its rank differs from the model's",
					ANEURALNETWORKS_BAD_DATA);
	for (i = 0; i < o->rank; i++)
		if (o->dims[i] && type->dimensions[i] != o->dims[i])
			return arguments_refuse(s, "its dimensions differ from the model's",
						ANEURALNETWORKS_BAD_DATA);
	return ANEURALNETWORKS_NO_ERROR;
}

static void set_dims(const struct setting *s)
{
	const uint32_t *dims = s->type ? s->type->dimensions : s->operand->dims;

	s->arg->rank = s->type ? s->type->dimensionCount : s->operand->rank;
	if (s->arg->rank)
		memcpy(s->arg->dims, dims, s->arg->rank * sizeof(*dims));
}

/* Check @length: the bytes that the operand needs, and padding if that is enabled. */
static int check_length(const struct setting *s, size_t length)
{
	uint64_t needed = nnr_type_bytes(s->operand->type, s->arg->dims, s->arg->rank);

	if (needed == UINT64_MAX)
		return arguments_refuse(s, "its size is 4 GiB or more", ANEURALNETWORKS_BAD_DATA);
	s->arg->length = length;
	s->arg->padding = 0;
	/* 0: it will be known when it is computed */
	if (!needed)
		return ANEURALNETWORKS_NO_ERROR;
	if (length < needed || (length > needed && !s->e->padding_enabled))
		return nnr_refuse(BAD_DATA, "%s %u: %zu bytes given, %llu needed",
				  s->input ? "input" : "output", s->index, length,
				  (unsigned long long)needed);
	s->arg->length = (size_t)needed;
	s->arg->padding = length - (size_t)needed;
	return ANEURALNETWORKS_NO_ERROR;
}

/* Before anything of it is changed. */
static int claim(const struct setting *s)
{
	if (s->arg->kind != NNR_ARG_UNSET)
		return arguments_refuse(s, "already set", ANEURALNETWORKS_BAD_STATE);
	s->e->arguments_set = true;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_execution_set_pointer(ANeuralNetworksExecution *execution, bool input, int32_t index,
			      const ANeuralNetworksOperandType *type, void *buffer, size_t length)
{
	struct setting setting = { .e = execution, .input = input, .type = type }, *s = &setting;
	int result = arguments_find(s, index);

	if (result == ANEURALNETWORKS_NO_ERROR)
		result = check_dims(s, !s->input || !buffer);
	if (result == ANEURALNETWORKS_NO_ERROR && length > UINT32_MAX)
		result = arguments_refuse(s, "its size is 4 GiB or more", ANEURALNETWORKS_BAD_DATA);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = claim(s);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (buffer && !length)
		return arguments_refuse(s, "a buffer of 0 bytes", ANEURALNETWORKS_BAD_DATA);
	if (!buffer) {
		s->arg->kind = NNR_ARG_NO_VALUE;
		s->arg->rank = 0;
		return ANEURALNETWORKS_NO_ERROR;
	}
	set_dims(s);
	result = check_length(s, length);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		s->arg->kind = NNR_ARG_POINTER;
		s->arg->buffer = buffer;
	}
	return result;
}

int nnr_execution_set_memory(ANeuralNetworksExecution *execution, bool input, int32_t index,
			     const ANeuralNetworksOperandType *type,
			     const ANeuralNetworksMemory *memory, size_t offset, size_t length)
{
	struct setting setting = { .e = execution, .input = input, .type = type }, *s = &setting;
	int result = arguments_find(s, index);

	if (result == ANEURALNETWORKS_NO_ERROR)
		result = check_dims(s, !s->input);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_memory_validate_argument(memory, s->e->plan, s->input, s->index,
						      s->type, offset, length);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = claim(s);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	set_dims(s);
	/* whole: its size is its descriptor's */
	s->arg->length = 0;
	s->arg->padding = 0;
	if (!memory->from_desc)
		result = check_length(s, length);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		s->arg->kind = NNR_ARG_MEMORY;
		/* const as in the API: its reference count and its contents change */
		s->arg->memory = nnr_memory_get((ANeuralNetworksMemory *)memory);
		s->arg->offset = offset;
	}
	return result;
}
