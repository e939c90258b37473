// SPDX-License-Identifier: Apache-2.0
/*
 * Two processes share a buffer: a producer fills an AHardwareBuffer that it received over a socket;
 * the consumer uses it as input and output. Nothing is copied between them, nor to a card that can
 * reach the memory.
 */
#include <android/hardware_buffer.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "example.h"

#define COUNT 1024u
#define BYTES (COUNT * (uint32_t)sizeof(float))
#define CPU (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

static float *begin(AHardwareBuffer *buffer)
{
	void *data;

	TRY(AHardwareBuffer_lock(buffer, CPU, -1, NULL, &data));
	return data;
}

/* The producer. Returns its exit status. */
static int produce(int socket)
{
	AHardwareBuffer *buffer;
	float *data;
	uint32_t i;

	TRY(AHardwareBuffer_recvHandleFromUnixSocket(socket, &buffer));
	data = begin(buffer);
	for (i = 0; i < COUNT; i++)
		data[i] = (float)i;
	TRY(AHardwareBuffer_unlock(buffer, NULL));
	AHardwareBuffer_release(buffer);
	return 0;
}

/* out = in * in */
static ANeuralNetworksModel *square(void)
{
	static const uint32_t dims[] = { COUNT }, in[] = { 0, 0, 1 }, out[] = { 2 };
	const ANeuralNetworksOperandType tensor = operand(ANEURALNETWORKS_TENSOR_FLOAT32, 1, dims);
	const ANeuralNetworksOperandType scalar = operand(ANEURALNETWORKS_INT32, 0, NULL);
	const int32_t activation = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksModel *model;

	TRY(ANeuralNetworksModel_create(&model));
	TRY(ANeuralNetworksModel_addOperand(model, &tensor));
	TRY(ANeuralNetworksModel_addOperand(model, &scalar));
	TRY(ANeuralNetworksModel_setOperandValue(model, 1, &activation, sizeof(activation)));
	TRY(ANeuralNetworksModel_addOperand(model, &tensor));
	TRY(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, 3, in, 1, out));
	TRY(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	TRY(ANeuralNetworksModel_finish(model));
	return model;
}

int main(void)
{
	/* the squares are behind the numbers */
	const AHardwareBuffer_Desc desc = {
		.width = 2 * BYTES,
		.height = 1,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_BLOB,
		.usage = CPU,
	};
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksMemory *memory;
	AHardwareBuffer *buffer;
	int sockets[2], status, wrong = 0;
	const float *data;
	pid_t producer;
	uint32_t i;

	TRY(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets));
	producer = fork();
	if (producer == 0)
		return produce(sockets[1]);
	TRY(AHardwareBuffer_allocate(&desc, &buffer));
	TRY(AHardwareBuffer_sendHandleToUnixSocket(buffer, sockets[0]));
	TRY(producer < 0 || waitpid(producer, &status, 0) != producer || status);

	model = square();
	TRY(ANeuralNetworksCompilation_create(model, &compilation));
	TRY(ANeuralNetworksCompilation_finish(compilation));
	TRY(ANeuralNetworksExecution_create(compilation, &execution));
	TRY(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory));
	TRY(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, BYTES));
	TRY(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, BYTES, BYTES));
	TRY(ANeuralNetworksExecution_compute(execution));

	data = begin(buffer);
	for (i = 0; i < COUNT; i++)
		wrong += data[COUNT + i] != (float)i * (float)i;
	TRY(AHardwareBuffer_unlock(buffer, NULL));
	printf("%u squares, %d of them wrong\n", COUNT, wrong);

	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksMemory_free(memory);
	AHardwareBuffer_release(buffer);
	return wrong != 0;
}
