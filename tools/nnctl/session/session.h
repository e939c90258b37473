/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One model, prepared on one device or compiled by the runtime, with memory for its inputs and
 * outputs.
 */
#ifndef NNCTL_SESSION_H
#define NNCTL_SESSION_H

#include "nnhal.h"
#include "nntrace.h"
#include "runtime/computation.h"
#include "tflite/import.h"

struct session_tensor {
	/* as the file has it; scale and zero_point vectors are the file's */
	struct tflite_tensor info;
	float scale; /* 0: not quantized */
	int32_t zero_point;
	size_t size; /* bytes */
	void *data; /* in memory that the device reaches */
};

struct session {
	void *file; /* bytes of the model */
	size_t file_size;
	struct tflite_model tflite;
	struct import_result import;
	struct nnhal_device *dev;
	bool owns_device;
	struct nnhal_prepared_model *prepared;
	/* by the runtime instead: */
	struct runtime_model runtime;
	ANeuralNetworksCompilation *compilation;
	struct runtime_argument *places; /* of inputs, then outputs */
	uint32_t num_inputs, num_outputs;
	struct session_tensor *inputs, *outputs;
	int memory_fd;
	void *memory;
	size_t memory_size;
	struct nnhal_request request;
	struct nnhal_request_argument *arguments;
	struct nnhal_request_pool pool;
	int64_t prepare_ns;
};

/** Read and translate a model. 0, or -1 after a complaint; import.verdict says more. With @quiet
 * the reason is only in import.message. */
int session_load(struct session *s, const char *path, bool quiet);
/** The same from bytes, which the session then owns (also on failure). */
int session_load_bytes(struct session *s, void *bytes, size_t size, const char *name, bool quiet);
/** Open @spec (NULL: default), prepare, set up memory. 0, or -1 after a complaint. */
int session_open(struct session *s, const char *spec);
/** The same by the runtime, for these devices only (names with commas between them; NULL: all). */
int session_open_runtime(struct session *s, const char *devices);
/** The device, or what the runtime is. */
const char *session_where(const struct session *s);
/** As session_open with a device that is open already; session_close() leaves it open. */
int session_prepare(struct session *s, struct nnhal_device *dev);
/**
 * One synchronous execution. NNHAL_NONE, or a status with result->message. Clears @result first.
 */
enum nnhal_status session_execute(struct session *s, bool measure,
				  struct nnhal_execution_result *result);
void session_close(struct session *s);

/*
 * What a trace calls a case: one command on one model, which is a run of its own in the tables of
 * "nnctl trace report".
 */

/** Until the end of the scope. @model: a path, of which the last part is the title. */
#define TRACE_CASE(command, model)                                                       \
	nntrace_scope_t trace_case __attribute__((cleanup(nntrace_scope_end), unused)) = \
		nntrace_enabled() ? trace_case_begin(command, model) : 0

nntrace_scope_t trace_case_begin(const char *command, const char *model);

/** Element @i of a tensor as a real number (dequantized), and as it is stored. */
double session_real(const struct session_tensor *t, size_t i);
double session_stored(const struct session_tensor *t, size_t i);
size_t session_elements(const struct session_tensor *t);

#endif
