// SPDX-License-Identifier: Apache-2.0
/* "nnctl verify": every example of every .nnt file below a folder, on a device or with the runtime.
 */
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "nntrace.h"
#include "nnutil_log.h"
#include "runtime/nnctl_runtime.h"
#include "session/nnctl_session.h"
#include "conformance/nnctl_conformance.h"

#define ALIGNMENT 64u
/* of the examples with an infinite loop */
#define SHORT_LOOP_NS 1000000

struct file {
	char *path;
	struct nnt nnt;
};

struct job {
	const struct file *file;
	const struct nnt_example *ex;
	enum by_op_result result;
	char why[400]; /* unless it passed */
	/* --scalar-inputs: additional inputs; they point into the model */
	struct runtime_argument *scalars;
	uint32_t num_scalars;
};

struct run {
	const struct options *o;
	struct job *jobs;
	size_t num_jobs, next; /* next: under lock */
	size_t done;
	pthread_mutex_t lock;
	struct progress progress;
	char open_error[256];
};

/* Data of one thread: a device, and memory that grows with the needs of examples. */
struct worker {
	struct nnhal_device *dev;
	int fd;
	uint8_t *memory;
	size_t size;
};

static int verify_examples_grow(struct worker *w, size_t size)
{
	if (size <= w->size)
		return 0;
	if (w->memory) {
		munmap(w->memory, w->size);
		close(w->fd);
		w->memory = NULL;
		w->size = 0;
	}
	size = (size + (1u << 20)) & ~(size_t)4095;
	if (nnhal_memory_create(w->dev, size, &w->fd))
		return -1;
	w->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
	if (w->memory == MAP_FAILED) {
		w->memory = NULL;
		close(w->fd);
		return -1;
	}
	w->size = size;
	return 0;
}

static size_t buffer_size(const struct nnt_operand *o)
{
	/* An output of 0 bytes gets a buffer of 1. */
	return o->data_size ? o->data_size : 1;
}

static bool shape_is_golden(const struct job *j, const struct nnt_operand *o, uint32_t number,
			    const struct nnhal_output_shape *shape, char *why, size_t size)
{
	const uint32_t *golden = j->file->nnt.pool + o->dims;
	bool same = shape->rank == o->rank;

	for (uint32_t i = 0; same && i < o->rank; i++)
		same = shape->dims[i] == golden[i];
	if (!same)
		snprintf(
			why, size,
			"output %u: its shape has rank %u and begins with %u, expected rank %u and %u",
			number, shape->rank, shape->rank ? shape->dims[0] : 0, o->rank,
			o->rank ? golden[0] : 0);
	return same;
}

/* @outputs: the location of each. */
static bool verify_examples_judge(struct job *j, const struct nnhal_execution_result *result,
				  const uint8_t *const *outputs, uint32_t num_outputs)
{
	const struct nnt *n = &j->file->nnt;

	for (uint32_t i = 0; i < num_outputs; i++) {
		const struct nnt_operand *o = nnt_output(n, j->ex, i);

		/* Outputs of known shape need no reported shape. */
		if (result->num_shapes && i < result->num_shapes &&
		    !shape_is_golden(j, o, i, &result->shapes[i], j->why, sizeof(j->why)))
			return false;
		if (j->ex->multinomial_tolerance > 0)
			return judge_multinomial(n, j->ex, outputs[i], j->why, sizeof(j->why));
		if (o->flags & NNT_OPERAND_IGNORED)
			continue;
		if (!judge_output(n, j->ex, o, outputs[i], j->why, sizeof(j->why)))
			return false;
	}
	return true;
}

static bool has_unknown_dims(const struct nnt *n, const struct nnt_operand *o)
{
	for (uint32_t i = 0; i < o->rank; i++)
		if (!n->pool[o->dims + i])
			return true;
	return false;
}

/* If any output has an unknown shape, the result must have a shape per output. */
static bool shapes_are_complete(struct job *j, const struct nnhal_execution_result *result,
				uint32_t num_outputs)
{
	for (uint32_t i = 0; i < num_outputs; i++)
		if (has_unknown_dims(&j->file->nnt, nnt_output(&j->file->nnt, j->ex, i)) &&
		    result->num_shapes != num_outputs) {
			snprintf(j->why, sizeof(j->why), "%u shapes are reported for %u outputs",
				 result->num_shapes, num_outputs);
			return false;
		}
	return true;
}

static bool judge_failure(struct job *j, enum nnhal_status status)
{
	if (j->ex->flags & NNT_INFINITE_LOOP) {
		if (status == NNHAL_MISSED_DEADLINE_TRANSIENT ||
		    status == NNHAL_MISSED_DEADLINE_PERSISTENT)
			return true;
		snprintf(j->why, sizeof(j->why), "the endless loop ended with %s",
			 nnhal_status_name(status));
		return false;
	}
	if (status != NNHAL_NONE)
		return true;
	snprintf(j->why, sizeof(j->why), "succeeds, but must fail");
	return false;
}

static enum nnhal_status verify_examples_call(struct nnhal_prepared_model *prepared,
					      const struct nnhal_request *request,
					      const struct nnhal_execution_config *config,
					      struct nnhal_execution_result *result)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "nnctl execute");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "execute");

	return prepared->ops->execute_synchronously(prepared, request, config, NNHAL_NO_TIME,
						    result);
}

static bool verify_examples_execute(struct worker *w, struct job *j,
				    struct nnhal_prepared_model *prepared)
{
	const struct nnt *n = &j->file->nnt;
	const struct nnt_subgraph *main = &n->subgraphs[j->ex->first_subgraph];
	uint32_t num_in = main->input_count, num_out = main->output_count;
	struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_request_argument *args = calloc(num_in + num_out + 1, sizeof(*args));
	struct nnhal_request_pool pool = { .memory = { .prot = PROT_READ | PROT_WRITE } };
	const uint8_t **outputs = calloc(num_out + 1, sizeof(*outputs));
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;
	size_t size = 0;
	bool ok = false;

	if (!args || !outputs)
		goto out;
	for (uint32_t i = 0; i < num_in + num_out; i++) {
		const struct nnt_operand *o = i < num_in ? nnt_input(n, j->ex, i)
							 : nnt_output(n, j->ex, i - num_in);

		if (i < num_in && !o->data_size) {
			args[i].has_no_value = true;
			continue;
		}
		args[i].offset = size;
		args[i].length = buffer_size(o);
		size = (size + buffer_size(o) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	}
	if (verify_examples_grow(w, size ? size : ALIGNMENT)) {
		snprintf(j->why, sizeof(j->why), "no device memory");
		goto out;
	}
	/* Outputs of the execution before must not pass for results of this one. */
	memset(w->memory, 0xa5, size);
	for (uint32_t i = 0; i < num_in; i++)
		if (!args[i].has_no_value)
			memcpy(w->memory + args[i].offset, nnt_data(n, nnt_input(n, j->ex, i)),
			       args[i].length);
	pool.memory.fd = w->fd;
	pool.memory.size = w->size;
	if (j->ex->flags & NNT_INFINITE_LOOP)
		config.loop_timeout_ns = SHORT_LOOP_NS;
	status = verify_examples_call(prepared,
				      &(struct nnhal_request){ .size = sizeof(struct nnhal_request),
							       .inputs = args,
							       .outputs = args + num_in,
							       .num_inputs = num_in,
							       .num_outputs = num_out,
							       .pools = &pool,
							       .num_pools = 1 },
				      &config, &result);
	if (j->ex->flags & NNT_EXPECT_FAILURE) {
		ok = judge_failure(j, status);
	} else if (status != NNHAL_NONE) {
		snprintf(j->why, sizeof(j->why), "execution: %s%s%s", nnhal_status_name(status),
			 result.message[0] ? ": " : "", result.message);
	} else {
		for (uint32_t i = 0; i < num_out; i++)
			outputs[i] = w->memory + args[num_in + i].offset;
		ok = shapes_are_complete(j, &result, num_out) &&
		     verify_examples_judge(j, &result, outputs, num_out);
	}
	nnhal_execution_result_clear(&result);
out:
	free(outputs);
	free(args);
	return ok;
}

/* ---- with the runtime ---- */

static bool judge_runtime(struct job *j, int code, const struct nnhal_execution_result *result,
			  const struct runtime_argument *outputs, uint32_t num_outputs)
{
	const uint8_t **places;
	bool ok;

	if (j->ex->flags & NNT_EXPECT_FAILURE)
		return judge_failure(j, runtime_status(code));
	if (code != ANEURALNETWORKS_NO_ERROR) {
		snprintf(j->why, sizeof(j->why), "%s", result->message);
		return false;
	}
	places = calloc(num_outputs + 1, sizeof(*places));
	if (!places)
		return false;
	for (uint32_t i = 0; i < num_outputs; i++)
		places[i] = outputs[i].data;
	ok = verify_examples_judge(j, result, places, num_outputs);
	free(places);
	return ok;
}

/*
 * Turn constant scalars of main into its last inputs, so that parameters come with the request.
 * False: out of memory.
 */
static bool make_scalars_inputs(struct job *j, struct nnmodel *model)
{
	struct nnmodel_subgraph *main = &model->main;
	uint32_t *inputs = realloc(main->inputs, ((size_t)main->num_inputs + main->num_operands) *
							 sizeof(*inputs));

	if (inputs)
		main->inputs = inputs;
	j->scalars = calloc((size_t)main->num_operands + 1, sizeof(*j->scalars));
	if (!inputs || !j->scalars)
		return false;
	for (uint32_t i = 0; i < main->num_operands; i++) {
		struct nnmodel_operand *o = &main->operands[i];

		if (o->lifetime != NNMODEL_CONSTANT_COPY || !nnmodel_type_is_scalar(o->type))
			continue;
		j->scalars[j->num_scalars++] = (struct runtime_argument){
			model->values + o->location.offset,
			o->location.length,
		};
		o->lifetime = NNMODEL_SUBGRAPH_INPUT;
		o->location = (struct nnmodel_location){ 0 };
		inputs[main->num_inputs++] = i;
	}
	return true;
}

static bool compute_by_runtime(struct job *j, ANeuralNetworksCompilation *compilation)
{
	const struct nnt *n = &j->file->nnt;
	const struct nnt_subgraph *main = &n->subgraphs[j->ex->first_subgraph];
	uint32_t num_in = main->input_count + j->num_scalars, num_out = main->output_count;
	struct runtime_argument *args = calloc(num_in + num_out + 1, sizeof(*args));
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	bool ok = args != NULL;
	int code;

	for (uint32_t i = 0; ok && i < j->num_scalars; i++)
		args[main->input_count + i] = j->scalars[i];
	for (uint32_t i = 0; ok && i < main->input_count; i++) {
		const struct nnt_operand *o = nnt_input(n, j->ex, i);

		if (o->data_size)
			args[i] = (struct runtime_argument){ (void *)nnt_data(n, o), o->data_size };
	}
	for (uint32_t i = num_in; ok && i < num_in + num_out; i++) {
		args[i].size = buffer_size(nnt_output(n, j->ex, i - num_in));
		args[i].data = malloc(args[i].size);
		ok = args[i].data != NULL;
		if (ok)
			memset(args[i].data, 0xa5, args[i].size);
	}
	if (ok) {
		code = runtime_compute(
			compilation,
			&(struct runtime_arguments){ args, args + num_in, num_in, num_out },
			j->ex->flags & NNT_INFINITE_LOOP ? SHORT_LOOP_NS : 0, false, &result);
		ok = judge_runtime(j, code, &result, args + num_in, num_out);
		nnhal_execution_result_clear(&result);
	}
	for (uint32_t i = num_in; args && i < num_in + num_out; i++)
		free(args[i].data);
	free(args);
	return ok;
}

/* An example that must fail may fail here, unless it is about the infinite loop. */
static bool may_fail_early(const struct job *j)
{
	return (j->ex->flags & (NNT_EXPECT_FAILURE | NNT_INFINITE_LOOP)) == NNT_EXPECT_FAILURE;
}

static bool compile_by_runtime(const struct options *o, struct job *j, ANeuralNetworksModel *model)
{
	ANeuralNetworksCompilation *compilation;
	bool ok;
	int result;

	if (runtime_compilation_create(model, o->devices, &compilation, j->why, sizeof(j->why)) !=
	    ANEURALNETWORKS_NO_ERROR)
		return false;
	result = ANeuralNetworksCompilation_finish(compilation);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		ok = compute_by_runtime(j, compilation);
	} else {
		snprintf(j->why, sizeof(j->why), "Compilation_finish: %s",
			 nnutil_result_name(result));
		ok = may_fail_early(j);
	}
	ANeuralNetworksCompilation_free(compilation);
	return ok;
}

/*
 * Whether the named devices support each operation of main. The runtime passes no reasons on: nnctl
 * explain prints them.
 */
static bool model_is_supported(const struct options *o, struct job *j, const struct nnmodel *source,
			       const ANeuralNetworksModel *model)
{
	const ANeuralNetworksDevice *devices[RUNTIME_MAX_DEVICES];
	const uint32_t num = source->main.num_operations;
	bool *supported = calloc((size_t)num + 1, sizeof(*supported));
	bool all = true;
	uint32_t count;

	if (supported &&
	    runtime_devices_find(o->devices, devices, &count, j->why, sizeof(j->why)) ==
		    ANEURALNETWORKS_NO_ERROR &&
	    ANeuralNetworksModel_getSupportedOperationsForDevices(
		    model, devices, count, supported) == ANEURALNETWORKS_NO_ERROR)
		for (uint32_t i = 0; i < num; i++)
			all = all && supported[i];
	free(supported);
	if (!all)
		snprintf(j->why, sizeof(j->why), "%s does not support it", o->devices);
	return all;
}

static enum by_op_result run_by_runtime(const struct options *o, struct job *j)
{
	struct nnmodel *source = nnt_model(&j->file->nnt, j->ex);
	enum by_op_result result = BY_OP_FAILED;
	struct runtime_model model;

	if (!source || (o->scalar_inputs && !make_scalars_inputs(j, source))) {
		snprintf(j->why, sizeof(j->why), "out of memory");
		nnmodel_free(source);
		free(j->scalars);
		return BY_OP_FAILED;
	}
	if (runtime_model_create(source, &model, j->why, sizeof(j->why)) ==
	    ANEURALNETWORKS_NO_ERROR) {
		if (o->supported_only && !may_fail_early(j) &&
		    !model_is_supported(o, j, source, model.model))
			result = BY_OP_UNSUPPORTED;
		else if (compile_by_runtime(o, j, model.model))
			result = BY_OP_PASSED;
		runtime_model_free(&model);
	} else if (may_fail_early(j)) {
		result = BY_OP_PASSED;
	}
	nnmodel_free(source);
	free(j->scalars);
	j->scalars = NULL;
	return result;
}

/* ---- on a device ---- */

/*
 * Whether the device reports support of each operation of main; if not, j->why has its reason. A
 * model that breaks NNAPI's rules has no answer: preparation refuses it.
 */
static bool job_is_supported(struct worker *w, struct job *j, const struct nnmodel *model)
{
	const uint32_t num = model->main.num_operations;
	bool *supported = calloc((size_t)num + 1, sizeof(*supported));
	char **reasons = calloc((size_t)num + 1, sizeof(*reasons));
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	bool all = true;

	if (supported && reasons &&
	    w->dev->ops->get_supported_operations(w->dev, model, supported, reasons, &err) ==
		    NNHAL_NONE)
		for (uint32_t i = 0; i < num; i++) {
			if (all && !supported[i])
				snprintf(j->why, sizeof(j->why), "%s: %s",
					 nnmodel_operation_name(model->main.operations[i].type),
					 reasons[i] ? reasons[i]
						    : "not supported, without a reason");
			all = all && supported[i];
			free(reasons[i]);
		}
	free(reasons);
	free(supported);
	return all;
}

static bool run_prepared(struct worker *w, struct job *j, const struct nnmodel *model)
{
	struct nnhal_prepared_model *prepared = NULL;
	char message[256] = "";
	enum nnhal_status status;
	bool ok;

	status = prepare_and_wait(w->dev, model, false, &prepared, message, sizeof(message));
	if (status != NNHAL_NONE) {
		if (may_fail_early(j))
			return true;
		snprintf(j->why, sizeof(j->why), "preparation: %s%s%s", nnhal_status_name(status),
			 message[0] ? ": " : "", message);
		return false;
	}
	ok = verify_examples_execute(w, j, prepared);
	prepared->ops->destroy(prepared);
	return ok;
}

static enum by_op_result run_on_device(struct worker *w, struct job *j, bool supported_only)
{
	struct nnmodel *model = nnt_model(&j->file->nnt, j->ex);
	enum by_op_result result = BY_OP_FAILED;

	if (!model)
		snprintf(j->why, sizeof(j->why), "out of memory");
	else if (supported_only && !may_fail_early(j) && !job_is_supported(w, j, model))
		result = BY_OP_UNSUPPORTED;
	else if (run_prepared(w, j, model))
		result = BY_OP_PASSED;
	nnmodel_free(model);
	return result;
}

static enum by_op_result run_job(struct worker *w, const struct options *o, struct job *j)
{
	return o->runtime ? run_by_runtime(o, j) : run_on_device(w, j, o->supported_only);
}

static void *verify_examples_work(void *arg)
{
	struct worker w = { .fd = -1 };
	char message[256] = "";
	struct run *r = arg;
	struct job *j;

	if (!r->o->runtime && device_open(r->o->device, &w.dev, message, sizeof(message))) {
		pthread_mutex_lock(&r->lock);
		snprintf(r->open_error, sizeof(r->open_error), "%s", message);
		pthread_mutex_unlock(&r->lock);
		return NULL;
	}
	for (;;) {
		pthread_mutex_lock(&r->lock);
		j = r->next < r->num_jobs ? &r->jobs[r->next++] : NULL;
		progress_update(&r->progress, r->done, r->num_jobs);
		pthread_mutex_unlock(&r->lock);
		if (!j)
			break;
		j->result = run_job(&w, r->o, j);
		pthread_mutex_lock(&r->lock);
		r->done++;
		pthread_mutex_unlock(&r->lock);
	}
	if (w.memory) {
		munmap(w.memory, w.size);
		close(w.fd);
	}
	if (w.dev)
		w.dev->ops->destroy(w.dev);
	return NULL;
}

/* ---- finding examples ---- */

/* nftw() passes no cookie. The search ends before threads start. */
static struct file *files;
static size_t num_files;
static bool search_failed;

/* 0, or -1 after a complaint. */
static int file_open(const char *path, struct nnt *nnt)
{
	char error[160];
	size_t size;
	void *bytes = read_file(path, NNT_MAX_FILE, &size);

	if (!bytes)
		return -1;
	if (!nnt_take(nnt, bytes, size, error, sizeof(error)))
		return 0;
	complain("%s: %s", path, error);
	return -1;
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t n = strlen(path);
	struct file *bigger;

	(void)st;
	(void)ftw;
	if (type != FTW_F || n < 4 || strcmp(path + n - 4, ".nnt"))
		return 0;
	bigger = realloc(files, (num_files + 1) * sizeof(*files));
	if (!bigger)
		return -1;
	files = bigger;
	files[num_files].path = strdup(path);
	if (!files[num_files].path)
		return -1;
	if (file_open(path, &files[num_files].nnt)) {
		free(files[num_files].path);
		search_failed = true;
		return 0;
	}
	num_files++;
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static bool uses_operation(const struct nnt *n, const struct nnt_example *ex, const char *name)
{
	for (uint32_t g = 0; g < ex->subgraph_count; g++) {
		const struct nnt_subgraph *graph = &n->subgraphs[ex->first_subgraph + g];

		for (uint32_t i = 0; i < graph->operation_count; i++)
			if (!strcasecmp(nnmodel_operation_name(
						n->operations[graph->first_operation + i].type),
					name))
				return true;
	}
	return false;
}

/* A filter is the name of an operation, or a part of the name of an example or file. */
static bool verify_examples_wanted(const struct options *o, const struct file *f,
				   const struct nnt_example *ex)
{
	return !o->filter || uses_operation(&f->nnt, ex, o->filter) || strstr(f->path, o->filter) ||
	       strstr(nnt_string(&f->nnt, ex->name), o->filter);
}

/* --keep OP[,OP]: operations whose examples --every does not skip. */
static bool is_kept(const struct options *o, const struct file *f, const struct nnt_example *ex)
{
	char name[64];

	for (const char *p = o->keep; p && *p; p += strcspn(p, ","), p += *p == ',') {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(p, ","), p);
		if (uses_operation(&f->nnt, ex, name))
			return true;
	}
	return false;
}

static int verify_examples_collect(struct run *r)
{
	size_t total = 0, number = 0;

	for (size_t i = 0; i < num_files; i++)
		total += files[i].nnt.num_examples;
	r->jobs = calloc(total + 1, sizeof(*r->jobs));
	if (!r->jobs)
		return -1;
	for (size_t i = 0; i < num_files; i++)
		for (uint32_t k = 0; k < files[i].nnt.num_examples; k++) {
			const struct nnt_example *ex = &files[i].nnt.examples[k];

			if (!verify_examples_wanted(r->o, &files[i], ex) ||
			    (number++ % (size_t)r->o->every && !is_kept(r->o, &files[i], ex)))
				continue;
			r->jobs[r->num_jobs++] = (struct job){ .file = &files[i], .ex = ex };
		}
	return 0;
}

/* The list of examples, or with --by-op an object of both lists. */
static void print_json(cJSON *examples, const struct by_op *tally)
{
	cJSON *json = examples;

	if (tally) {
		json = cJSON_CreateObject();
		cJSON_AddItemToObject(json, "examples", examples);
		cJSON_AddItemToObject(json, "operations", by_op_json(tally));
	}
	json_print(json);
}

static cJSON *job_json(const struct job *j)
{
	const struct by_op_subject subject = by_op_subject(&j->file->nnt, j->ex);
	cJSON *entry = cJSON_CreateObject();

	cJSON_AddStringToObject(entry, "file", j->file->path);
	cJSON_AddStringToObject(entry, "example", nnt_string(&j->file->nnt, j->ex->name));
	cJSON_AddStringToObject(entry, "operation", by_op_name(subject.slot));
	if (subject.type < NNMODEL_TYPE_COUNT)
		cJSON_AddStringToObject(entry, "type", nnmodel_type_name(subject.type));
	cJSON_AddBoolToObject(entry, "passed", j->result == BY_OP_PASSED);
	if (j->result == BY_OP_UNSUPPORTED)
		cJSON_AddBoolToObject(entry, "unsupported", true);
	if (j->result != BY_OP_PASSED)
		cJSON_AddStringToObject(entry, "why", j->why);
	return entry;
}

static int verify_examples_report(const struct run *r)
{
	unsigned int counts[] = { 0, 0, 0 };
	cJSON *list = r->o->json ? cJSON_CreateArray() : NULL;
	struct by_op *tally = calloc(1, sizeof(*tally));

	if (!tally) {
		complain("out of memory");
		return 1;
	}
	for (size_t i = 0; i < r->num_jobs; i++) {
		const struct job *j = &r->jobs[i];

		counts[j->result]++;
		by_op_count(tally, &j->file->nnt, j->ex, j->result);
		if (list)
			cJSON_AddItemToArray(list, job_json(j));
		else if (j->result == BY_OP_FAILED)
			printf("FAIL %s %s: %s\n", j->file->path,
			       nnt_string(&j->file->nnt, j->ex->name), j->why);
	}
	if (list)
		print_json(list, r->o->by_op ? tally : NULL);
	else if (r->o->by_op)
		by_op_print(tally);
	free(tally);
	if (!r->num_jobs && r->o->filter)
		complain("%s: no example below it matches --filter %s", r->o->model, r->o->filter);
	else if (!r->num_jobs)
		complain("%s: no example (.nnt) below it", r->o->model);
	/* No example at all, or an unreadable file, is a failure. */
	counts[BY_OP_FAILED] += !r->num_jobs || search_failed;
	if (counts[BY_OP_UNSUPPORTED])
		printf("%u not supported by the device, ", counts[BY_OP_UNSUPPORTED]);
	printf("%u passed, %u failed\n", counts[BY_OP_PASSED], counts[BY_OP_FAILED]);
	return counts[BY_OP_FAILED] ? 1 : 0;
}

int cmd_verify(int argc, char **argv)
{
	struct run r = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t threads[256];
	struct options o;
	long started = 0;
	int ret;

	ret = options_parse(&o, argc, argv,
			    "ARGUMENT device devices runtime filter jobs every keep by-op json "
			    "scalar-inputs supported-only");
	if (ret)
		return ret;
	if (o.runtime && !o.devices && o.supported_only)
		return usage(
			"--supported-only needs --device or --devices: all devices support all");
	r.o = &o;
	if (o.runtime && !o.devices)
		device_warn();
	if (nftw(o.model, visit, 16, FTW_PHYS)) {
		complain("%s: %s", o.model, strerror(errno));
		return 1;
	}
	if (files)
		qsort(files, num_files, sizeof(*files), compare_files);
	if (verify_examples_collect(&r)) {
		complain("out of memory");
		return 1;
	}
	progress_start(&r.progress, "examples");
	while (started < o.jobs &&
	       !pthread_create(&threads[started], NULL, verify_examples_work, &r))
		started++;
	for (long i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	progress_end(&r.progress);
	if (r.done < r.num_jobs)
		complain("%zu examples were not run: %s", r.num_jobs - r.done, r.open_error);
	for (size_t i = 0; i < r.num_jobs; i++)
		if (r.jobs[i].result == BY_OP_FAILED && !r.jobs[i].why[0])
			snprintf(r.jobs[i].why, sizeof(r.jobs[i].why), "not run");
	ret = verify_examples_report(&r);
	for (size_t i = 0; i < num_files; i++) {
		nnt_close(&files[i].nnt);
		free(files[i].path);
	}
	free(files);
	free(r.jobs);
	return ret;
}
