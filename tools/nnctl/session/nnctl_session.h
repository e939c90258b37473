/* SPDX-License-Identifier: Apache-2.0 */
/* A model on a device with its inputs: options, devices, arrays, pictures. */
#ifndef NNCTL_SESSION_H
#define NNCTL_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "nnhal.h"
#include "nnimport.h"
#include "nnt.h"
#include "nntrace.h"
#include "runtime/nnctl_runtime.h"

/*
 * session.c: one model, prepared on one device or compiled by the runtime, with memory for its
 * inputs and outputs.
 */

struct session_tensor {
	struct nnimport_tensor info;
	void *data; /* as in the file; in memory that the device reaches, but for INT64 */
	void *operand; /* of INT64: its values as INT32, in that memory; else NULL */
};

struct session {
	struct nnimport import;
	struct nnt capture; /* if the file is one: capture/capture_read.c; else zeros */
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

/* input.c: filling a model's input from a file: raw bytes, .npy, PNG or JPEG. */

/** real = (pixel - mean) / std, for pictures on models with float input. */
struct input_options {
	double mean, std;
};

/**
 * Load @path into @t. Pictures are scaled bilinearly to the input's height and width; 8-bit inputs
 * take pixels as they are (int8: minus 128), float inputs as @options says. See npy.c for arrays.
 * Any other file is raw and must have exactly the input's size. 0, or -1 after a complaint.
 */
int input_load(struct session_tensor *t, const char *path, const struct input_options *options);

/* options.c: options that several commands share. */

#define MAX_INPUTS 64

struct options {
	const char *model; /* the argument that is not an option, or NULL */
	const char *device; /* NULL: default */
	const char *devices; /* names separated by commas; NULL: all */
	const char *inputs[MAX_INPUTS];
	uint32_t num_inputs;
	const char *labels, *output, *filter, *keep, *op, *report;
	const char *tests, *vectors, *models, *skip, *signed_off_by; /* of certify */
	int64_t limit; /* of certify: seconds of a program */
	struct input_options pictures;
	int64_t top, repeat, runs, jobs, every;
	bool json, by_op, runtime, scalar_inputs, show, dry_run, ops, once, csv, random_weights,
		supported_only;
	const char *root; /* of top and metrics: where proc and sys are; "": here */
	double interval; /* of top: seconds */
	int64_t steps; /* of compare and replay: integers */
	double tolerance; /* of compare and replay: floats */
};

/** Parse; @allowed names the command's long options, space separated. 0, or USAGE_ERROR. */
int options_parse(struct options *o, int argc, char **argv, const char *allowed);

/** session_open(), or session_open_runtime() with --runtime or --devices. */
int options_open(const struct options *o, struct session *s);

/**
 * Load one file per input of the model; of a capture without files, keep its values. 0, or -1 after
 * a complaint.
 */
int options_load_inputs(const struct options *o, struct session *s);
/** The same, but without files numbers that are the same in each run. */
int options_fill_inputs(const struct options *o, struct session *s);

/*
 * open_device.c: a device without the runtime: opening it, with a message about a card that cannot
 * be used, and preparing a model on it.
 */

/**
 * Open @spec with nnhal_open(). NULL: the first card, else the in-process device; when a card
 * cannot be opened, a warning on standard error says so once per process. Any thread.
 */
int device_open(const char *spec, struct nnhal_device **dev, char *message, size_t size);

/**
 * Call @found with @spec, with each device behind a process that it names ("worker",
 * "service=SOCKET"), or, if it is NULL, with each device that can be used now, also by the service,
 * until it returns nonzero.
 *
 * Return: 0, what @found returned, or -errno with @message.
 */
int device_each(const char *spec, int (*found)(void *cookie, const char *spec), void *cookie,
		char *message, size_t size);

/** The socket of nnaccel-hald: NNACCEL_SERVICE, else where the unit has it. */
const char *service_socket(void);
/** Whether there is such a socket. Only opening a device shows whether a service answers. */
bool service_listens(void);

/**
 * When the runtime chooses the devices: print a line for each card that cannot be opened, once in
 * the process.
 */
void device_warn(void);

/**
 * Prepare @model with default preference and priority, and wait. *@prepared is set with NNHAL_NONE,
 * else @message has the reason. With @show, progress is shown.
 */
enum nnhal_status prepare_and_wait(struct nnhal_device *dev, const struct nnmodel *model, bool show,
				   struct nnhal_prepared_model **prepared, char *message,
				   size_t size);

/* npy.c: .npy: NumPy's file of one array. */

/** Whether the file begins with the magic of .npy. */
bool npy_is(const uint8_t *bytes, size_t size);

/**
 * Load an array into an input. Its shape must be the input's, but for a leading dimension of 1 (the
 * batch), which may be missing or additional. Its type must be the input's; floats are quantized
 * for a quantized input and must not be NaN. 0, or -1 after a complaint.
 */
int npy_load(struct session_tensor *t, const uint8_t *bytes, size_t size, const char *path);

/* picture.c: PNG and JPEG files to RGB. */

/** A decoded picture: 8-bit RGB, row by row. */
struct picture {
	uint32_t width, height;
	uint8_t *rgb;
};
/** 0, or -1 after a complaint. */
int picture_read_png(const void *bytes, size_t size, const char *name, struct picture *p);
int picture_read_jpeg(const void *bytes, size_t size, const char *name, struct picture *p);

#endif
