// SPDX-License-Identifier: Apache-2.0
#include "session/nnctl_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nnctl_base.h"
#include "capture/nnctl_capture.h"
#include "nntrace.h"
#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "runtime/nnctl_runtime.h"

#define MAX_MODEL (1u << 30)
#define ALIGNMENT 64u

int session_load_bytes(struct session *s, const void *bytes, size_t size, const char *name,
		       bool quiet)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "nnctl load");

	memset(s, 0, sizeof(*s));
	s->memory_fd = -1;
	if (!nnimport_read(bytes, size, &s->import)) {
		if (s->import.note[0] && !quiet)
			complain("%s: note: %s", name, s->import.note);
		return 0;
	}
	if (!quiet)
		complain("%s: %s", name, s->import.message);
	return -1;
}

/* NULL: it cannot be mapped. */
static void *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size <= MAX_MODEL) {
		*size = (size_t)st.st_size;
		bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		close(fd);
	return bytes == MAP_FAILED ? NULL : bytes;
}

bool session_is_capture(const struct session *s)
{
	return s->capture.bytes != NULL;
}

static int load_unread(struct session *s, const char *path)
{
	s->import.verdict = NNIMPORT_FAILED;
	snprintf(s->import.message, sizeof(s->import.message), "cannot read %s", path);
	return -1;
}

static int load_capture(struct session *s, const char *path, bool quiet)
{
	size_t size = 0;
	void *bytes = read_file(path, NNT_MAX_FILE, &size);

	if (!bytes)
		return load_unread(s, path);
	if (!capture_read(bytes, size, &s->capture, &s->import))
		return 0;
	if (!quiet)
		complain("%s: %s", path, s->import.message);
	return -1;
}

int session_load(struct session *s, const char *path, bool quiet)
{
	size_t size = 0;
	void *bytes = map_file(path, &size);
	bool capture;
	int ret;

	memset(s, 0, sizeof(*s));
	s->memory_fd = -1;
	if (bytes) {
		capture = nnt_is(bytes, size);
		ret = capture ? 0 : session_load_bytes(s, bytes, size, path, quiet);
		munmap(bytes, size);
		return capture ? load_capture(s, path, quiet) : ret;
	}
	bytes = read_file(path, MAX_MODEL, &size);
	if (!bytes)
		return load_unread(s, path);
	ret = session_load_bytes(s, bytes, size, path, quiet);
	free(bytes);
	return ret;
}

/* The operator of the file behind operation @number, or "". */
static void operator_text(const struct nnimport *import, uint32_t number, char *text, size_t size)
{
	text[0] = '\0';
	if (number < import->num_origins && import->origins[number].number != NNIMPORT_NO_OPERATOR)
		snprintf(text, size, " (operation %u (%s) of the file)",
			 import->origins[number].number, import->origins[number].name);
}

/* The operator of the file behind the operation that a message of the device begins with, or "". */
static void name_operator(const struct session *s, const char *message, char *text, size_t size)
{
	static const char begin[] = "operation ";
	const struct nnimport *import = &s->import;
	unsigned long number;
	const char *name;
	char *end;

	text[0] = '\0';
	/* of a subgraph, the number is that of another operation */
	if (import->model->num_referenced || strncmp(message, begin, strlen(begin)))
		return;
	number = strtoul(message + strlen(begin), &end, 10);
	if (*end != ' ' || number >= import->num_origins ||
	    number >= import->model->main.num_operations)
		return;
	name = nnmodel_operation_name(import->model->main.operations[number].type);
	if (!strncmp(end + 1, name, strlen(name)))
		operator_text(import, (uint32_t)number, text, size);
}

static int prepare(struct session *s)
{
	int64_t start = nnutil_monotonic_ns();
	enum nnhal_status status;
	char message[256], origin[128];

	status = prepare_and_wait(s->dev, s->import.model, true, &s->prepared, message,
				  sizeof(message));
	s->prepare_ns = nnutil_monotonic_ns() - start;
	if (status == NNHAL_NONE)
		return 0;
	name_operator(s, message, origin, sizeof(origin));
	complain("%s cannot prepare the model: %s%s%s%s", s->dev->ops->name(s->dev),
		 nnhal_status_name(status), message[0] ? ": " : "", message, origin);
	return -1;
}

static int session_place(struct session *s, size_t size, struct nnhal_request_argument *arg)
{
	arg->offset = s->memory_size;
	arg->length = size;
	if (!size || __builtin_add_overflow(s->memory_size, size + ALIGNMENT - 1, &s->memory_size))
		return -1;
	s->memory_size &= ~(size_t)(ALIGNMENT - 1);
	return 0;
}

/* Places of all inputs and outputs in the memory. Inputs of states follow those of the file. */
static int place_arguments(struct session *s)
{
	const struct nnimport *import = &s->import;
	uint32_t next_out = import->num_outputs;
	int ret = 0;

	for (uint32_t i = 0; i < import->num_inputs; i++) {
		s->inputs[i].info = import->inputs[i];
		ret |= session_place(s, import->inputs[i].operand_size, &s->arguments[i]);
	}
	for (uint32_t i = 0; i < import->num_outputs; i++) {
		s->outputs[i].info = import->outputs[i];
		ret |= session_place(s, import->outputs[i].operand_size,
				     &s->arguments[s->num_in + i]);
	}
	for (uint32_t i = 0; i < import->num_states; i++) {
		ret |= session_place(s, import->states[i].size,
				     &s->arguments[import->num_inputs + i]);
		if (import->states[i].output != NNIMPORT_NO_OUTPUT)
			ret |= session_place(s, import->states[i].size,
					     &s->arguments[s->num_in + next_out++]);
	}
	return ret;
}

static void *argument_data(const struct session *s, uint32_t i)
{
	return (char *)s->memory + s->arguments[i].offset;
}

void session_reset(struct session *s)
{
	for (uint32_t i = 0; i < s->import.num_states; i++)
		memset(argument_data(s, s->import.states[i].input), s->import.states[i].fill,
		       s->import.states[i].size);
}

/* An execution's states after it are the states before the next one. */
static void keep_states(struct session *s)
{
	for (uint32_t i = 0; i < s->import.num_states; i++) {
		const struct nnimport_state *state = &s->import.states[i];

		if (state->output != NNIMPORT_NO_OUTPUT)
			memcpy(argument_data(s, state->input),
			       argument_data(s, s->num_in + state->output), state->size);
	}
}

static void count_arguments(struct session *s)
{
	s->num_inputs = s->import.num_inputs;
	s->num_outputs = s->import.num_outputs;
	s->num_in = s->num_inputs + s->import.num_states;
	s->num_out = s->num_outputs;
	for (uint32_t i = 0; i < s->import.num_states; i++)
		s->num_out += s->import.states[i].output != NNIMPORT_NO_OUTPUT;
}

static int set_tensor_data(struct session_tensor *t, void *argument)
{
	t->data = argument;
	if (t->info.operand_type == t->info.type)
		return 0;
	t->operand = argument;
	t->data = calloc(1, t->info.size);
	if (!t->data)
		complain("out of memory");
	return t->data ? 0 : -1;
}

/* The INT32 of INT64 inputs. */
static enum nnhal_status narrow_inputs(struct session *s, struct nnhal_execution_result *result)
{
	for (uint32_t i = 0; i < s->num_inputs; i++) {
		const struct session_tensor *t = &s->inputs[i];

		for (size_t k = 0; t->operand && k < session_elements(t); k++) {
			int64_t wide;

			memcpy(&wide, (const char *)t->data + k * sizeof(wide), sizeof(wide));
			if (wide < INT32_MIN || wide > INT32_MAX) {
				snprintf(
					result->message, sizeof(result->message),
					"element %zu of input %s is %lld: NNAPI has numbers of 32 bits",
					k, t->info.name, (long long)wide);
				return NNHAL_INVALID_ARGUMENT;
			}
			((int32_t *)t->operand)[k] = (int32_t)wide;
		}
	}
	return NNHAL_NONE;
}

static void widen_outputs(struct session *s)
{
	for (uint32_t i = 0; i < s->num_outputs; i++) {
		const struct session_tensor *t = &s->outputs[i];

		for (size_t k = 0; t->operand && k < session_elements(t); k++) {
			int64_t wide = ((const int32_t *)t->operand)[k];

			memcpy((char *)t->data + k * sizeof(wide), &wide, sizeof(wide));
		}
	}
}

/*
 * All inputs and outputs are in one memory of the device, which executions use without copies.
 */
static int set_up_memory(struct session *s)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "nnctl memory");
	int ret;

	count_arguments(s);
	s->inputs = calloc((size_t)s->num_inputs + s->num_outputs + 1, sizeof(*s->inputs));
	s->arguments = calloc((size_t)s->num_in + s->num_out + 1, sizeof(*s->arguments));
	if (!s->inputs || !s->arguments)
		return -1;
	s->outputs = s->inputs + s->num_inputs;
	if (place_arguments(s))
		return -1;
	ret = s->dev ? nnhal_memory_create(s->dev, s->memory_size, &s->memory_fd) : 0;
	if (ret) {
		complain("cannot allocate %zu bytes of device memory: %s", s->memory_size,
			 strerror(-ret));
		return -1;
	}
	/* with the runtime, any memory is good */
	s->memory = mmap(NULL, s->memory_size, PROT_READ | PROT_WRITE,
			 s->dev ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, s->memory_fd, 0);
	if (s->memory == MAP_FAILED) {
		complain("cannot map device memory: %s", strerror(errno));
		s->memory = NULL;
		return -1;
	}
	for (uint32_t i = 0; i < s->num_inputs; i++)
		if (set_tensor_data(&s->inputs[i], argument_data(s, i)))
			return -1;
	for (uint32_t i = 0; i < s->num_outputs; i++)
		if (set_tensor_data(&s->outputs[i], argument_data(s, s->num_in + i)))
			return -1;
	for (uint32_t i = 0; session_is_capture(s) && i < s->num_inputs; i++)
		memcpy(s->inputs[i].data, capture_input(&s->capture, i), s->inputs[i].info.size);
	session_reset(s);
	s->pool = (struct nnhal_request_pool){
		.memory = { .fd = s->memory_fd,
			    .prot = PROT_READ | PROT_WRITE,
			    .size = s->memory_size },
	};
	s->request = (struct nnhal_request){
		.size = sizeof(struct nnhal_request),
		.inputs = s->arguments,
		.outputs = s->arguments + s->num_in,
		.num_inputs = s->num_in,
		.num_outputs = s->num_out,
		.pools = &s->pool,
		.num_pools = 1,
	};
	return 0;
}

int session_prepare(struct session *s, struct nnhal_device *dev)
{
	int ret;

	s->dev = dev;
	ret = prepare(s);
	return ret ? ret : set_up_memory(s);
}

/* The device, or the runtime, has a copy of the weights. */
static void drop_model(struct session *s)
{
	nnmodel_free(s->import.model);
	s->import.model = NULL;
}

static int open_device(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	NNTRACE_RT(NNTRACE_PHASE_INITIALIZATION, "nnctl open");

	return device_open(spec, dev, message, size);
}

int session_open(struct session *s, const char *spec)
{
	struct nnhal_device *dev;
	char message[256] = "";
	int ret = open_device(spec, &dev, message, sizeof(message));

	if (ret) {
		complain("%s", message[0] ? message : strerror(-ret));
		return -1;
	}
	s->owns_device = true;
	ret = session_prepare(s, dev);
	drop_model(s);
	return ret;
}

static int session_compile(struct session *s, const char *devices)
{
	char message[512];
	int64_t start = nnutil_monotonic_ns();
	int result = runtime_model_create(s->import.model, &s->runtime, message, sizeof(message));

	if (result == ANEURALNETWORKS_NO_ERROR)
		result = runtime_compilation_create(s->runtime.model, devices, &s->compilation,
						    message, sizeof(message));
	if (result != ANEURALNETWORKS_NO_ERROR) {
		complain("%s", message);
		return -1;
	}
	drop_model(s);
	result = ANeuralNetworksCompilation_finish(s->compilation);
	s->prepare_ns = nnutil_monotonic_ns() - start;
	if (result == ANEURALNETWORKS_NO_ERROR)
		return 0;
	complain("the runtime cannot compile the model: %s (set NNAPI_LOG=info for the reason)",
		 nnutil_result_name(result));
	return -1;
}

int session_open_runtime(struct session *s, const char *devices)
{
	s->runtime_devices = devices;
	if (!devices)
		device_warn();
	if (session_compile(s, devices) || set_up_memory(s))
		return -1;
	s->places = calloc((size_t)s->num_in + s->num_out + 1, sizeof(*s->places));
	if (!s->places)
		return -1;
	for (uint32_t i = 0; i < s->num_in + s->num_out; i++)
		s->places[i] =
			(struct runtime_argument){ argument_data(s, i), s->arguments[i].length };
	return 0;
}

const char *session_where(const struct session *s)
{
	return s->dev ? s->dev->ops->name(s->dev) : "the runtime";
}

int session_burst(struct session *s)
{
	enum nnhal_status status;

	/* with the runtime, each execution is one of its own */
	if (!s->prepared)
		return 0;
	status = s->prepared->ops->configure_burst(s->prepared, &s->burst);
	if (status == NNHAL_NONE)
		return 0;
	complain("the device makes no burst: %s", nnhal_status_name(status));
	return -1;
}

/* In ns; of a capture that of the execution which it records. 0: the default. */
static uint64_t loop_timeout(const struct session *s)
{
	uint64_t ns = session_is_capture(s) ? capture_limits(&s->capture).loop_timeout_ns : 0;

	return ns < NNHAL_LOOP_TIMEOUT_MAXIMUM_NS ? ns : NNHAL_LOOP_TIMEOUT_MAXIMUM_NS;
}

/* Why each execution fails, if the runtime found it out when it compiled the model. */
static void add_late_refusal(const struct session *s, struct nnhal_execution_result *result)
{
	size_t length = strlen(result->message);
	char reason[256], text[128];
	uint32_t operation;

	if (!late_refusal_find(s->compilation, reason, sizeof(reason), &operation))
		return;
	operator_text(&s->import, operation, text, sizeof(text));
	snprintf(result->message + length, sizeof(result->message) - length, ": %s%s", reason,
		 text);
}

static enum nnhal_status execute_by_runtime(struct session *s, bool measure,
					    struct nnhal_execution_result *result)
{
	const struct runtime_arguments arguments = {
		s->places,
		s->places + s->num_in,
		s->num_in,
		s->num_out,
	};

	int ret = runtime_compute(s->compilation, &arguments, loop_timeout(s), measure, result);

	if (ret == ANEURALNETWORKS_OP_FAILED)
		add_late_refusal(s, result);
	return runtime_status(ret);
}

static enum nnhal_status execute_on_device(struct session *s, bool measure,
					   struct nnhal_execution_result *result)
{
	static const int64_t pool_number = 0;
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "nnctl execute");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "execute");
	const uint64_t loop_ns = loop_timeout(s);
	struct nnhal_execution_config config = {
		.size = sizeof(config),
		.measure_timing = measure,
		.loop_timeout_ns = loop_ns ? (int64_t)loop_ns : NNHAL_NO_TIME,
	};

	*result = (struct nnhal_execution_result)NNHAL_EXECUTION_RESULT_INIT;
	if (s->burst)
		return s->burst->ops->execute_synchronously(s->burst, &s->request, &pool_number, 1,
							    &config, NNHAL_NO_TIME, result);
	return s->prepared->ops->execute_synchronously(s->prepared, &s->request, &config,
						       NNHAL_NO_TIME, result);
}

enum nnhal_status session_execute(struct session *s, bool measure,
				  struct nnhal_execution_result *result)
{
	enum nnhal_status status;

	*result = (struct nnhal_execution_result)NNHAL_EXECUTION_RESULT_INIT;
	status = narrow_inputs(s, result);
	if (status == NNHAL_NONE)
		status = s->compilation ? execute_by_runtime(s, measure, result)
					: execute_on_device(s, measure, result);
	if (status == NNHAL_NONE) {
		keep_states(s);
		widen_outputs(s);
	}
	return status;
}

void session_close(struct session *s)
{
	ANeuralNetworksCompilation_free(s->compilation);
	runtime_model_free(&s->runtime);
	free(s->places);
	if (s->memory)
		munmap(s->memory, s->memory_size);
	if (s->memory_fd >= 0)
		close(s->memory_fd);
	if (s->burst)
		s->burst->ops->destroy(s->burst);
	if (s->prepared)
		s->prepared->ops->destroy(s->prepared);
	if (s->owns_device)
		s->dev->ops->destroy(s->dev);
	for (uint32_t i = 0; s->inputs && i < s->num_inputs + s->num_outputs; i++)
		if (s->inputs[i].operand)
			free(s->inputs[i].data);
	free(s->inputs);
	free(s->arguments);
	nnimport_free(&s->import);
	nnt_close(&s->capture);
	memset(s, 0, sizeof(*s));
	s->memory_fd = -1;
}

void session_origin(const struct session *s, char *text, size_t size)
{
	if (s->dev)
		snprintf(text, size, "nnctl " NNACCEL_VERSION ", %s (%s)", session_where(s),
			 s->dev->ops->version(s->dev));
	else
		snprintf(text, size, "nnctl " NNACCEL_VERSION ", the runtime on %s",
			 s->runtime_devices ? s->runtime_devices : "all devices");
}

const char *session_title(const char *path, size_t *length)
{
	static const char generic[] = "/model.tflite";
	size_t begin;

	*length = strlen(path);
	if (*length > strlen(generic) && !strcmp(path + *length - strlen(generic), generic))
		*length -= strlen(generic);
	for (begin = *length; begin && path[begin - 1] != '/'; begin--)
		;
	*length -= begin;
	return path + begin;
}

/* Characters with a meaning in marks go. */
nntrace_scope_t trace_case_begin(const char *command, const char *model)
{
	char mark[160];
	size_t len;
	const char *title = session_title(model, &len);
	int n = snprintf(mark, sizeof(mark),
			 NNTRACE_MARK("", NNTRACE_LAYER_APPLICATION, NNTRACE_PHASE_OVERALL,
				      "%s %.*s"),
			 command, len > 100 ? 100 : (int)len, title);

	for (char *c = mark + strlen("[NN_LA_PO]"); *c; c++)
		if (*c == '[' || *c == ']' || *c == '|' || (unsigned char)*c < ' ')
			*c = '_';
	return nntrace_begin(mark, (size_t)n < sizeof(mark) ? (size_t)n : sizeof(mark) - 1);
}

size_t session_elements(const struct session_tensor *t)
{
	return t->info.size / nnimport_type_size(t->info.type);
}

double session_stored(const struct session_tensor *t, size_t i)
{
	const uint8_t *p = (const uint8_t *)t->data + i * nnimport_type_size(t->info.type);
	_Float16 half;
	int64_t wide;
	int32_t word;
	int16_t shrt;
	float f;

	switch (t->info.type) {
	case NNIMPORT_FLOAT32:
		memcpy(&f, p, sizeof(f));
		return f;
	case NNIMPORT_FLOAT16:
		memcpy(&half, p, sizeof(half));
		return half;
	case NNIMPORT_INT32:
		memcpy(&word, p, sizeof(word));
		return word;
	case NNIMPORT_INT64:
		memcpy(&wide, p, sizeof(wide));
		return (double)wide;
	case NNIMPORT_INT16:
		memcpy(&shrt, p, sizeof(shrt));
		return shrt;
	case NNIMPORT_INT8:
		return (int8_t)*p;
	default:
		return *p;
	}
}

double session_real(const struct session_tensor *t, size_t i)
{
	double stored = session_stored(t, i);

	return t->info.scale > 0 ? (stored - t->info.zero_point) * t->info.scale : stored;
}
