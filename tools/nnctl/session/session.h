/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One model, prepared on one device or compiled by the runtime, with memory for its inputs and
 * outputs.
 */
#ifndef NNCTL_SESSION_H
#define NNCTL_SESSION_H

#include "nnt.h"
#include "nnhal.h"
#include "nnimport.h"
#include "nntrace.h"
#include "runtime/computation.h"

struct session_tensor {
	struct nnimport_tensor info;
	void *data; /* as in the file; in memory that the device reaches, but for INT64 */
	void *operand; /* of INT64: its values as INT32, in that memory; else NULL */
};

struct session {
	struct nnimport import;
	struct nnt capture; /* if the file is one: capture/capture_read.h; else zeros */
	struct nnhal_device *dev;
	bool owns_device;
	struct nnhal_prepared_model *prepared;
	struct nnhal_burst *burst; /* for executions, if session_burst() made it */
	/* with the runtime, instead of dev and prepared: */
	struct runtime_model runtime;
	const char *runtime_devices; /* as for session_open_runtime(), whose caller keeps it */
	ANeuralNetworksCompilation *compilation;
	struct runtime_argument *places; /* of the NNAPI model's inputs, then outputs */
	uint32_t num_inputs, num_outputs;
	struct session_tensor *inputs, *outputs;
	/* of the NNAPI model: those of the file, then the states */
	uint32_t num_in, num_out;
	int memory_fd;
	void *memory;
	size_t memory_size;
	struct nnhal_request request;
	struct nnhal_request_argument *arguments; /* of inputs, then outputs */
	struct nnhal_request_pool pool;
	int64_t prepare_ns;
};

/**
 * Read and translate a model, or a capture. 0, or -1 after a complaint; import.verdict tells the
 * kind of failure. With @quiet the reason is only in import.message.
 */
int session_load(struct session *s, const char *path, bool quiet);
/** The same from bytes, which are not needed afterwards. */
int session_load_bytes(struct session *s, const void *bytes, size_t size, const char *name,
		       bool quiet);
/** Open @spec (NULL: default), prepare, set up memory. 0, or -1 after a complaint. */
int session_open(struct session *s, const char *spec);
/** The same with the runtime. @devices: names separated by commas; NULL: all devices. */
int session_open_runtime(struct session *s, const char *devices);
/** Whether the file is a capture: session_open() fills in the inputs, and their values. */
bool session_is_capture(const struct session *s);
/** For a capture: this program, the device, and its version with that of its firmware. */
void session_origin(const struct session *s, char *text, size_t size);
/** Name of the device, or "the runtime". */
const char *session_where(const struct session *s);
/** session_open() with an open device, which session_close() leaves open. */
int session_prepare(struct session *s, struct nnhal_device *dev);
/** Use a burst, as applications that execute repeatedly do. 0, or -1 after a complaint. */
int session_burst(struct session *s);
/** Put the states of the model to what they are before the first execution. */
void session_reset(struct session *s);
/**
 * One synchronous execution; states of the model go on from the one before. NNHAL_NONE, or a status
 * with result->message. Clears @result first.
 */
enum nnhal_status session_execute(struct session *s, bool measure,
				  struct nnhal_execution_result *result);
void session_close(struct session *s);

/**
 * The part of a model's path that names it, without a NUL: the file, or of "mobilenet/model.tflite"
 * the folder. Sets @length.
 */
const char *session_title(const char *path, size_t *length);

/*
 * A case of a trace: one command on one model. "nnctl trace report" prints a table per case.
 */

/** A case until the end of the C scope. @model: a path, whose last part is the title. */
#define TRACE_CASE(command, model)                                                       \
	nntrace_scope_t trace_case __attribute__((cleanup(nntrace_scope_end), unused)) = \
		nntrace_enabled() ? trace_case_begin(command, model) : 0

nntrace_scope_t trace_case_begin(const char *command, const char *model);

/** Element @i of a tensor as a real number (dequantized), and as it is stored. */
double session_real(const struct session_tensor *t, size_t i);
double session_stored(const struct session_tensor *t, size_t i);
size_t session_elements(const struct session_tensor *t);

#endif
