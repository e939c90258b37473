// SPDX-License-Identifier: Apache-2.0
#include "nnaccel_model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnclient.h"
#include "nnimport.h"
#include "nnmodel_digest.h"
#include "nnutil_log.h"

/* As nnctl has it. */
#define MAX_FILE (1ll << 30)

struct nnaccel_model {
	struct nnimport import;
	struct runtime_model runtime;
};

static int model_build(struct nnaccel_model *m, const void *bytes, size_t length, uint32_t flags,
		       char *message, size_t size)
{
	char reason[256];
	int result, ret = nnimport_read(bytes, length, &m->import);

	if (ret)
		return nnutil_refuse(message, size, ret, "%s", m->import.message);
	m->import.model->relaxed = flags & NNACCEL_MODEL_RELAXED;
	result = runtime_model_create(m->import.model, &m->runtime, reason, sizeof(reason));
	if (result == ANEURALNETWORKS_NO_ERROR)
		return 0;
	return nnutil_refuse(message, size,
			     result == ANEURALNETWORKS_OUT_OF_MEMORY ? -ENOMEM : -EIO,
			     "the runtime refuses the model: %s", reason);
}

int nnaccel_model_read(const void *bytes, size_t length, uint32_t flags,
		       struct nnaccel_model **model, char *message, size_t size)
{
	struct nnaccel_model *m;
	int ret;

	if (flags & ~NNACCEL_MODEL_RELAXED)
		return nnutil_refuse(message, size, -EINVAL, "flags 0x%x are unknown", flags);
	m = calloc(1, sizeof(*m));
	if (!m)
		return nnutil_refuse(message, size, -ENOMEM, "out of memory");
	ret = model_build(m, bytes, length, flags, message, size);
	if (ret)
		nnaccel_model_free(m);
	else
		*model = m;
	return ret;
}

int nnaccel_model_open(const char *path, uint32_t flags, struct nnaccel_model **model,
		       char *message, size_t size)
{
	int ret, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *bytes;

	if (fd < 0)
		return nnutil_refuse(message, size, -errno, "cannot open it: %m");
	if (fstat(fd, &st))
		ret = nnutil_refuse(message, size, -errno, "cannot read it: %m");
	else if (!S_ISREG(st.st_mode))
		ret = nnutil_refuse(message, size, -EINVAL, "it is not a regular file");
	else if (!st.st_size)
		ret = nnutil_refuse(message, size, -EINVAL, "the file is empty");
	else if (st.st_size > MAX_FILE)
		ret = nnutil_refuse(message, size, -EFBIG, "the file has %lld bytes, may have %lld",
				    (long long)st.st_size, MAX_FILE);
	else
		ret = 0;
	if (ret) {
		close(fd);
		return ret;
	}
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		ret = nnutil_refuse(message, size, -errno, "cannot map it: %m");
	close(fd);
	if (ret)
		return ret;
	ret = nnaccel_model_read(bytes, (size_t)st.st_size, flags, model, message, size);
	munmap(bytes, (size_t)st.st_size);
	return ret;
}

void nnaccel_model_free(struct nnaccel_model *model)
{
	if (!model)
		return;
	runtime_model_free(&model->runtime);
	nnimport_free(&model->import);
	free(model);
}

ANeuralNetworksModel *nnaccel_model_nnapi(const struct nnaccel_model *model)
{
	return model->runtime.model;
}

const char *nnaccel_model_note(const struct nnaccel_model *model)
{
	return model->import.note;
}

int nnaccel_model_token(const struct nnaccel_model *model, uint8_t *token)
{
	_Static_assert(NNACCEL_MODEL_TOKEN_SIZE == SHA256_DIGEST_SIZE, "a token is a digest");
	_Static_assert(NNACCEL_MODEL_TOKEN_SIZE == ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN,
		       "a token is for setCaching()");
	return nnmodel_digest(model->import.model, token);
}

uint32_t nnaccel_model_input_count(const struct nnaccel_model *model)
{
	return model->import.num_inputs;
}

uint32_t nnaccel_model_output_count(const struct nnaccel_model *model)
{
	return model->import.num_outputs;
}

uint32_t nnaccel_model_state_count(const struct nnaccel_model *model)
{
	return model->import.num_states;
}

uint32_t nnaccel_model_operation_count(const struct nnaccel_model *model)
{
	return model->import.model->main.num_operations;
}

/* As much as the caller's structure has; the rest of that is zero. */
static int struct_give(void *to, size_t size, const void *from, size_t known)
{
	memcpy(to, from, size < known ? size : known);
	if (size > known)
		memset((char *)to + known, 0, size - known);
	return 0;
}

static int tensor_give(const struct nnimport_tensor *list, uint32_t count, uint32_t index,
		       struct nnaccel_model_tensor *tensor, size_t size)
{
	const struct nnimport_tensor *t;

	if (index >= count)
		return -EINVAL;
	t = &list[index];
	return struct_give(tensor, size,
			   &(struct nnaccel_model_tensor){
				   .name = t->name,
				   .number = t->number,
				   .type = t->type,
				   .operand_type = t->operand_type,
				   .rank = t->rank,
				   .dims = t->dims,
				   .size = t->size,
				   .operand_size = t->operand_size,
				   .scale = t->scale,
				   .zero_point = t->zero_point,
			   },
			   sizeof(*tensor));
}

int nnaccel_model_input(const struct nnaccel_model *model, uint32_t index,
			struct nnaccel_model_tensor *tensor, size_t size)
{
	return tensor_give(model->import.inputs, model->import.num_inputs, index, tensor, size);
}

int nnaccel_model_output(const struct nnaccel_model *model, uint32_t index,
			 struct nnaccel_model_tensor *tensor, size_t size)
{
	return tensor_give(model->import.outputs, model->import.num_outputs, index, tensor, size);
}

int nnaccel_model_state(const struct nnaccel_model *model, uint32_t index,
			struct nnaccel_model_state *state, size_t size)
{
	const struct nnimport_state *s;

	_Static_assert(NNACCEL_MODEL_NO_OUTPUT == NNIMPORT_NO_OUTPUT, "the same number");
	if (index >= model->import.num_states)
		return -EINVAL;
	s = &model->import.states[index];
	return struct_give(state, size,
			   &(struct nnaccel_model_state){
				   .input = s->input,
				   .output = s->output,
				   .size = s->size,
				   .fill = s->fill,
			   },
			   sizeof(*state));
}

int nnaccel_model_operation(const struct nnaccel_model *model, uint32_t index,
			    struct nnaccel_model_operation *operation, size_t size)
{
	const struct nnmodel_subgraph *g = &model->import.model->main;
	struct nnaccel_model_operation known = { .operator_number = NNACCEL_MODEL_NO_OPERATOR };
	const struct nnimport_origin *origin;

	_Static_assert(NNACCEL_MODEL_NO_OPERATOR == NNIMPORT_NO_OPERATOR, "the same number");
	if (index >= g->num_operations)
		return -EINVAL;
	known.name = nnmodel_operation_name(g->operations[index].type);
	origin = index < model->import.num_origins ? &model->import.origins[index] : NULL;
	if (origin && origin->number != NNIMPORT_NO_OPERATOR) {
		known.operator_name = origin->name;
		known.operator_number = origin->number;
	}
	return struct_give(operation, size, &known, sizeof(known));
}
