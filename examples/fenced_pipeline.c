// SPDX-License-Identifier: Apache-2.0
/*
 * Two executions chained by a fence, over shared memory: the first doubles x until it is at least
 * 100, a WHILE that runs on the device; the second adds 1, and starts when the first is done,
 * without the application in between.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/mman.h>
#include <unistd.h>

#include "example.h"

static const uint32_t one[] = { 1 };

static uint32_t add(ANeuralNetworksModel *model, uint32_t *next, int32_t type, uint32_t rank)
{
	const ANeuralNetworksOperandType t = operand(type, rank, one);
	const ANeuralNetworksOperandType scalar = operand(type, 0, NULL);

	TRY(ANeuralNetworksModel_addOperand(model, rank ? &t : &scalar));
	return (*next)++;
}

static void end(ANeuralNetworksModel *model, uint32_t in, uint32_t out)
{
	TRY(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
	TRY(ANeuralNetworksModel_finish(model));
}

/* x < 100, as a model: the condition of a WHILE has one output, BOOL8 of one element. */
static ANeuralNetworksModel *condition(void)
{
	const float limit = 100;
	ANeuralNetworksModel *m;
	uint32_t n = 0, in[2], out;

	TRY(ANeuralNetworksModel_create(&m));
	in[0] = add(m, &n, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	in[1] = add(m, &n, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	out = add(m, &n, ANEURALNETWORKS_TENSOR_BOOL8, 1);
	TRY(ANeuralNetworksModel_setOperandValue(m, (int32_t)in[1], &limit, sizeof(limit)));
	TRY(ANeuralNetworksModel_addOperation(m, ANEURALNETWORKS_LESS, 2, in, 1, &out));
	end(m, in[0], out);
	return m;
}

/* x op value: the body of the WHILE, and the second model. */
static ANeuralNetworksModel *arithmetic(ANeuralNetworksOperationType type, float value)
{
	const int32_t activation = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksModel *m;
	uint32_t n = 0, in[3], out;

	TRY(ANeuralNetworksModel_create(&m));
	in[0] = add(m, &n, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	in[1] = add(m, &n, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	in[2] = add(m, &n, ANEURALNETWORKS_INT32, 0);
	out = add(m, &n, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	TRY(ANeuralNetworksModel_setOperandValue(m, (int32_t)in[1], &value, sizeof(value)));
	TRY(ANeuralNetworksModel_setOperandValue(m, (int32_t)in[2], &activation,
						 sizeof(activation)));
	TRY(ANeuralNetworksModel_addOperation(m, type, 3, in, 1, &out));
	end(m, in[0], out);
	return m;
}

static ANeuralNetworksModel *loop(const ANeuralNetworksModel *cond,
				  const ANeuralNetworksModel *body)
{
	ANeuralNetworksModel *m;
	uint32_t n = 0, in[3], out;

	TRY(ANeuralNetworksModel_create(&m));
	in[0] = add(m, &n, ANEURALNETWORKS_MODEL, 0);
	in[1] = add(m, &n, ANEURALNETWORKS_MODEL, 0);
	in[2] = add(m, &n, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	out = add(m, &n, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
	TRY(ANeuralNetworksModel_setOperandValueFromModel(m, (int32_t)in[0], cond));
	TRY(ANeuralNetworksModel_setOperandValueFromModel(m, (int32_t)in[1], body));
	TRY(ANeuralNetworksModel_addOperation(m, ANEURALNETWORKS_WHILE, 3, in, 1, &out));
	end(m, in[2], out);
	return m;
}

static ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model)
{
	ANeuralNetworksCompilation *compilation;

	TRY(ANeuralNetworksCompilation_create(model, &compilation));
	TRY(ANeuralNetworksCompilation_finish(compilation));
	return compilation;
}

/* One float of the memory to another, after @before, if any. */
static ANeuralNetworksEvent *start(ANeuralNetworksCompilation *compilation,
				   ANeuralNetworksMemory *memory, size_t from, size_t to,
				   const ANeuralNetworksEvent *before,
				   ANeuralNetworksExecution **execution)
{
	ANeuralNetworksEvent *event;

	TRY(ANeuralNetworksExecution_create(compilation, execution));
	TRY(ANeuralNetworksExecution_setInputFromMemory(*execution, 0, NULL, memory,
							from * sizeof(float), sizeof(float)));
	TRY(ANeuralNetworksExecution_setOutputFromMemory(*execution, 0, NULL, memory,
							 to * sizeof(float), sizeof(float)));
	TRY(ANeuralNetworksExecution_startComputeWithDependencies(
		*execution, before ? &before : NULL, before ? 1 : 0, 0, &event));
	return event;
}

int main(void)
{
	const size_t size = 64 * 1024;
	int fd = memfd_create("pipeline", MFD_CLOEXEC);
	ANeuralNetworksModel *cond = condition(), *body = arithmetic(ANEURALNETWORKS_MUL, 2);
	ANeuralNetworksModel *first = loop(cond, body),
			     *second = arithmetic(ANEURALNETWORKS_ADD, 1);
	ANeuralNetworksCompilation *doubling = compile(first), *adding = compile(second);
	ANeuralNetworksExecution *executions[2];
	ANeuralNetworksEvent *events[2];
	ANeuralNetworksMemory *memory;
	float *x, result;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		return 1;
	x = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (x == MAP_FAILED)
		return 1;
	TRY(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0, &memory));

	x[0] = 3;
	events[0] = start(doubling, memory, 0, 16, NULL, &executions[0]);
	events[1] = start(adding, memory, 16, 32, events[0], &executions[1]);
	TRY(ANeuralNetworksEvent_wait(events[1]));
	result = x[32];
	printf("3 doubled to at least 100, plus 1: %g\n", result);

	for (int i = 0; i < 2; i++) {
		ANeuralNetworksEvent_free(events[i]);
		ANeuralNetworksExecution_free(executions[i]);
	}
	ANeuralNetworksCompilation_free(doubling);
	ANeuralNetworksCompilation_free(adding);
	ANeuralNetworksModel_free(first);
	ANeuralNetworksModel_free(second);
	ANeuralNetworksModel_free(cond);
	ANeuralNetworksModel_free(body);
	ANeuralNetworksMemory_free(memory);
	munmap(x, size);
	close(fd);
	return result == 193 ? 0 : 1;
}
