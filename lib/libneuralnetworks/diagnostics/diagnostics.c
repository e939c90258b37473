// SPDX-License-Identifier: Apache-2.0
/*
 * Diagnostics of the Support Library: what a program's callbacks hear of its compilations and
 * executions. The objects live as long as the callback; without callbacks nothing is made.
 */
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "diagnostics/diagnostics.h"
#include "registry/nnr_registry.h"

/* Members of both kinds. */
struct about {
	const uint8_t *arch_hash;
	char *device_ids;
	ANeuralNetworksDiagnosticDataClass input_class, output_class;
	bool caching, control_flow, dynamic_tensors;
};

struct ANeuralNetworksDiagnosticCompilationInfo {
	struct about about;
	int32_t error_code;
	uint64_t duration_ns;
};

struct ANeuralNetworksDiagnosticExecutionInfo {
	struct about about;
	uint32_t error_code;
	ANeuralNetworksDiagnosticExecutionMode mode;
	uint64_t runtime_ns, driver_ns, hardware_ns; /* UINT64_MAX: not measured */
};

atomic_bool nnr_diagnostics;

static pthread_mutex_t callbacks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct callbacks {
	ANeuralNetworksDiagnosticCompilationFinishedCallback compilation;
	ANeuralNetworksDiagnosticExecutionFinishedCallback execution;
	void *context;
} callbacks;

void nnr_sl_diagnostic_register_callbacks(
	ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
	ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback, void *callbackContext)
{
	pthread_mutex_lock(&callbacks_lock);
	callbacks = (struct callbacks){ compilationCallback, executionCallback, callbackContext };
	atomic_store_explicit(&nnr_diagnostics, compilationCallback || executionCallback,
			      memory_order_release);
	pthread_mutex_unlock(&callbacks_lock);
}

static struct callbacks current_callbacks(void)
{
	struct callbacks current;

	pthread_mutex_lock(&callbacks_lock);
	current = callbacks;
	pthread_mutex_unlock(&callbacks_lock);
	return current;
}

static int32_t session;
static pthread_once_t session_once = PTHREAD_ONCE_INIT;

static void session_init(void)
{
	struct timespec now;

	if (getrandom(&session, sizeof(session), GRND_NONBLOCK) != (ssize_t)sizeof(session)) {
		clock_gettime(CLOCK_REALTIME, &now);
		session = (int32_t)(now.tv_nsec ^ now.tv_sec);
	}
	session &= INT32_MAX;
}

static int32_t session_id(void)
{
	pthread_once(&session_once, session_init);
	return session;
}

/* ---- properties of a model ---- */

static void hash_u32(struct sha256_ctx *ctx, uint32_t value)
{
	const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
				  (uint8_t)(value >> 24) };

	sha256_update(ctx, sizeof(bytes), bytes);
}

static void hash_list(struct sha256_ctx *ctx, const uint32_t *list, uint32_t count)
{
	hash_u32(ctx, count);
	for (uint32_t i = 0; i < count; i++)
		hash_u32(ctx, list[i]);
}

/* Types of extensions by name: prefixes differ between processes. */
static void hash_type(struct sha256_ctx *ctx, const struct nnmodel *model, uint32_t type)
{
	if (!nnr_is_extension(type)) {
		hash_u32(ctx, type);
		return;
	}
	hash_u32(ctx, UINT32_MAX);
	hash_u32(ctx, type & UINT16_MAX);
	for (uint32_t i = 0; i < model->num_extensions; i++)
		if (model->extensions[i].prefix == type >> 16)
			sha256_update(ctx, strlen(model->extensions[i].name) + 1,
				      (const uint8_t *)model->extensions[i].name);
}

static void hash_graph(struct sha256_ctx *ctx, const struct nnmodel *model,
		       const struct nnmodel_subgraph *graph)
{
	uint32_t bits;

	hash_u32(ctx, graph->num_operands);
	for (uint32_t i = 0; i < graph->num_operands; i++) {
		const struct nnmodel_operand *o = &graph->operands[i];

		hash_type(ctx, model, o->type);
		hash_u32(ctx, o->lifetime);
		hash_list(ctx, o->dims, o->rank);
		memcpy(&bits, &o->scale, sizeof(bits));
		hash_u32(ctx, bits);
		hash_u32(ctx, (uint32_t)o->zero_point);
		if (o->type == NNMODEL_SUBGRAPH)
			hash_u32(ctx, (uint32_t)o->location.offset);
	}
	hash_u32(ctx, graph->num_operations);
	for (uint32_t i = 0; i < graph->num_operations; i++) {
		const struct nnmodel_operation *op = &graph->operations[i];

		hash_type(ctx, model, op->type);
		hash_list(ctx, op->inputs, op->num_inputs);
		hash_list(ctx, op->outputs, op->num_outputs);
	}
	hash_list(ctx, graph->inputs, graph->num_inputs);
	hash_list(ctx, graph->outputs, graph->num_outputs);
}

static pthread_mutex_t hash_lock = PTHREAD_MUTEX_INITIALIZER; /* of the first time */

static const uint8_t *arch_hash(struct nnr_model_data *data)
{
	const struct nnmodel *model = data->model;
	struct sha256_ctx ctx;

	if (atomic_load_explicit(&data->arch_hash_known, memory_order_acquire))
		return data->arch_hash;
	pthread_mutex_lock(&hash_lock);
	if (!atomic_load_explicit(&data->arch_hash_known, memory_order_relaxed)) {
		sha256_init(&ctx);
		hash_u32(&ctx, model->relaxed);
		hash_u32(&ctx, model->num_referenced);
		hash_graph(&ctx, model, &model->main);
		for (uint32_t i = 0; i < model->num_referenced; i++)
			hash_graph(&ctx, model, &model->referenced[i]);
		sha256_digest(&ctx, sizeof(data->arch_hash), data->arch_hash);
		atomic_store_explicit(&data->arch_hash_known, 1, memory_order_release);
	}
	pthread_mutex_unlock(&hash_lock);
	return data->arch_hash;
}

static void after_fork(void)
{
	pthread_mutex_init(&callbacks_lock, NULL);
	pthread_mutex_init(&hash_lock, NULL);
}

NNR_FORK_HANDLERS(.child = after_fork);

static ANeuralNetworksDiagnosticDataClass class_of(uint32_t type)
{
	switch (type) {
	case NNMODEL_FLOAT32:
	case NNMODEL_TENSOR_FLOAT32:
		return ANNDIAG_DATA_CLASS_FLOAT32;
	case NNMODEL_FLOAT16:
	case NNMODEL_TENSOR_FLOAT16:
		return ANNDIAG_DATA_CLASS_FLOAT16;
	case NNMODEL_TENSOR_QUANT8_ASYMM:
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNMODEL_TENSOR_QUANT8_SYMM:
	case NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL:
	case NNMODEL_TENSOR_QUANT16_ASYMM:
	case NNMODEL_TENSOR_QUANT16_SYMM:
		return ANNDIAG_DATA_CLASS_QUANT;
	default:
		return ANNDIAG_DATA_CLASS_OTHER;
	}
}

/* Integers and booleans do not count if there is other data. */
static ANeuralNetworksDiagnosticDataClass data_class(const struct nnmodel_subgraph *graph,
						     const uint32_t *list, uint32_t count)
{
	ANeuralNetworksDiagnosticDataClass all = ANNDIAG_DATA_CLASS_UNKNOWN;

	for (uint32_t i = 0; i < count; i++) {
		ANeuralNetworksDiagnosticDataClass one = class_of(graph->operands[list[i]].type);

		if (all == ANNDIAG_DATA_CLASS_UNKNOWN || all == ANNDIAG_DATA_CLASS_OTHER)
			all = one;
		else if (one != ANNDIAG_DATA_CLASS_OTHER && one != all)
			all = ANNDIAG_DATA_CLASS_MIXED;
	}
	return all;
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* NULL: out of memory. */
static char *device_ids(ANeuralNetworksDevice *const *devices, uint32_t count)
{
	char **ids = calloc(count + 1ul, sizeof(*ids)), *all = NULL;
	size_t size = 1, used = 0;
	bool complete = ids;

	for (uint32_t i = 0; ids && i < count; i++) {
		if (asprintf(&ids[i], "%s=%s", devices[i]->name, devices[i]->version) < 0) {
			ids[i] = NULL;
			complete = false;
			break;
		}
		size += strlen(ids[i]) + 1;
	}
	if (complete)
		all = malloc(size);
	if (all) {
		all[0] = '\0';
		qsort(ids, count, sizeof(*ids), compare_ids);
		for (uint32_t i = 0; i < count; i++)
			used += (size_t)snprintf(all + used, size - used, "%s%s", i ? "," : "",
						 ids[i]);
	}
	for (uint32_t i = 0; ids && i < count; i++)
		free(ids[i]);
	free(ids);
	return all;
}

/* False: out of memory. */
static bool diagnostics_describe(struct about *about, const ANeuralNetworksCompilation *c,
				 const struct nnr_plan *plan)
{
	struct nnr_model_data *data = plan ? plan->data : c->data;
	const struct nnmodel_subgraph *main = &data->model->main;

	*about = (struct about){
		.arch_hash = arch_hash(data),
		.device_ids = device_ids(c->devices, c->num_devices),
		.input_class = data_class(main, main->inputs, main->num_inputs),
		.output_class = data_class(main, main->outputs, main->num_outputs),
		.caching = c->caching,
		.control_flow = data->model->num_referenced > 0,
		.dynamic_tensors = plan && plan->has_dynamic_temporaries,
	};
	if (!about->device_ids)
		nnutil_log(NNUTIL_LOG_ERROR, "diagnostics: out of memory");
	return about->device_ids;
}

/* ---- callbacks ---- */

void nnr_diagnostic_compilation(const ANeuralNetworksCompilation *compilation, int result,
				uint64_t duration_ns)
{
	struct ANeuralNetworksDiagnosticCompilationInfo info = { .error_code = result,
								 .duration_ns = duration_ns };
	struct callbacks current = current_callbacks();

	if (!current.compilation ||
	    !diagnostics_describe(&info.about, compilation, compilation->plan))
		return;
	current.compilation(current.context, &info);
	free(info.about.device_ids);
}

static uint64_t measured(int64_t ns)
{
	return ns < 0 ? UINT64_MAX : (uint64_t)ns;
}

void nnr_diagnostic_execution(const ANeuralNetworksCompilation *compilation,
			      const struct nnr_plan *plan, enum nnr_diagnostic_mode mode,
			      int result, uint64_t runtime_ns, const struct nnhal_timing *timing)
{
	struct ANeuralNetworksDiagnosticExecutionInfo info = {
		.error_code = (uint32_t)result,
		.mode = (ANeuralNetworksDiagnosticExecutionMode)mode,
		.runtime_ns = runtime_ns,
		.driver_ns = measured(timing->in_driver_ns),
		.hardware_ns = measured(timing->on_device_ns),
	};
	struct callbacks current = current_callbacks();

	if (!current.execution || !diagnostics_describe(&info.about, compilation, plan))
		return;
	current.execution(current.context, &info);
	free(info.about.device_ids);
}

/* ---- members of the table ---- */

int32_t nnr_sl_diagnostic_compilation_info_get_session_id(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	(void)info;
	return session_id();
}

int64_t nnr_sl_diagnostic_compilation_info_get_nn_api_version(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	(void)info;
	return nnr_level_to_code(nnr_settings()->feature_level);
}

const uint8_t *nnr_sl_diagnostic_compilation_info_get_model_arch_hash(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	return info->about.arch_hash;
}

const char *nnr_sl_diagnostic_compilation_info_get_device_ids(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	return info->about.device_ids;
}

ANeuralNetworksDiagnosticDataClass nnr_sl_diagnostic_compilation_info_get_input_data_class(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	return info->about.input_class;
}

ANeuralNetworksDiagnosticDataClass nnr_sl_diagnostic_compilation_info_get_output_data_class(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	return info->about.output_class;
}

bool nnr_sl_diagnostic_compilation_info_is_caching_enabled(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	return info->about.caching;
}

bool nnr_sl_diagnostic_compilation_info_is_control_flow_used(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	return info->about.control_flow;
}

bool nnr_sl_diagnostic_compilation_info_are_dynamic_tensors_used(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	return info->about.dynamic_tensors;
}

int32_t nnr_sl_diagnostic_compilation_info_get_error_code(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	return info->error_code;
}

uint64_t nnr_sl_diagnostic_compilation_info_get_compilation_time_nanos(
	const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	return info->duration_ns;
}

int32_t
nnr_sl_diagnostic_execution_info_get_session_id(const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	(void)info;
	return session_id();
}

int64_t nnr_sl_diagnostic_execution_info_get_nn_api_version(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	(void)info;
	return nnr_level_to_code(nnr_settings()->feature_level);
}

const uint8_t *nnr_sl_diagnostic_execution_info_get_model_arch_hash(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->about.arch_hash;
}

const char *
nnr_sl_diagnostic_execution_info_get_device_ids(const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->about.device_ids;
}

ANeuralNetworksDiagnosticDataClass nnr_sl_diagnostic_execution_info_get_input_data_class(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->about.input_class;
}

ANeuralNetworksDiagnosticDataClass nnr_sl_diagnostic_execution_info_get_output_data_class(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->about.output_class;
}

bool nnr_sl_diagnostic_execution_info_is_caching_enabled(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->about.caching;
}

bool nnr_sl_diagnostic_execution_info_is_control_flow_used(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->about.control_flow;
}

bool nnr_sl_diagnostic_execution_info_are_dynamic_tensors_used(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->about.dynamic_tensors;
}

uint32_t
nnr_sl_diagnostic_execution_info_get_error_code(const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->error_code;
}

ANeuralNetworksDiagnosticExecutionMode nnr_sl_diagnostic_execution_info_get_execution_mode(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->mode;
}

uint64_t nnr_sl_diagnostic_execution_info_get_runtime_execution_time_nanos(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->runtime_ns;
}

uint64_t nnr_sl_diagnostic_execution_info_get_driver_execution_time_nanos(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->driver_ns;
}

uint64_t nnr_sl_diagnostic_execution_info_get_hardware_execution_time_nanos(
	const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	return info->hardware_ns;
}
