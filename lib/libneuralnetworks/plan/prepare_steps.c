// SPDX-License-Identifier: Apache-2.0
/*
 * Preparation of steps by their devices, all at the same time, from cache files if possible; and
 * of steps and plans on nnapi-reference, at the first need.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nntrace.h"
#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "plan/nnr_plan.h"
#include "registry/nnr_registry.h"

/* One preparation. */
struct job {
	struct nnr_prepare_answer answer; /* first */
	ANeuralNetworksDevice *device;
	const struct nnmodel *model;
	struct nnhal_prepare_config config; /* but for cache files */
	bool has_token;
	uint8_t token[NNHAL_CACHE_TOKEN_SIZE];
	bool cached; /* cache files can be used at all */
	bool from_cache; /* this attempt is prepare_model_from_cache */
	struct nnr_cache_files files;
};

/* The driver's time as its caller sees it: from the call to the callback. */
static void wait_for_drivers(struct nnr_prepare_group *group)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel::wait");

	nnr_prepare_group_wait(group);
}

static uint32_t hal_priority(int32_t priority)
{
	return priority == ANEURALNETWORKS_PRIORITY_LOW	   ? NNHAL_PRIORITY_LOW
	       : priority == ANEURALNETWORKS_PRIORITY_HIGH ? NNHAL_PRIORITY_HIGH
							   : NNHAL_PRIORITY_MEDIUM;
}

/* Interfaces express preferences since level 2, priorities and deadlines since 4, hints since 8. */
static struct nnhal_prepare_config prepare_config(const ANeuralNetworksDevice *device,
						  int32_t preference, int32_t priority,
						  int64_t deadline_ns)
{
	uint32_t level = device->feature_level;

	return (struct nnhal_prepare_config){
		.size = sizeof(struct nnhal_prepare_config),
		/* setPreference() accepts negative numbers, which devices do not know */
		.preference = level >= 2 && preference >= 0 ? (uint32_t)preference
							    : NNHAL_FAST_SINGLE_ANSWER,
		.priority = level >= 4 ? hal_priority(priority) : NNHAL_PRIORITY_MEDIUM,
		.deadline_ns = level >= 4 ? deadline_ns : NNHAL_NO_TIME,
	};
}

static void start_from_model(struct job *job)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel");
	struct nnhal_prepare_config config = job->config;
	struct nnhal_device *hal;

	if (job->has_token)
		config.token = job->token;
	config.model_cache = job->files.fds;
	config.num_model_cache = job->files.num_model;
	config.data_cache = job->files.fds + job->files.num_model;
	config.num_data_cache = job->files.num_data;
	job->from_cache = false;
	nnr_prepare_group_expect(job->answer.group);
	hal = nnr_device_enter(job->device);
	hal->ops->prepare_model(hal, job->model, &config, nnr_prepare_answered, &job->answer);
	nnr_device_leave(job->device);
}

static void start_from_cache(struct job *job)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModelFromCache");
	struct nnhal_device *hal;

	job->from_cache = true;
	nnr_prepare_group_expect(job->answer.group);
	hal = nnr_device_enter(job->device);
	hal->ops->prepare_model_from_cache(hal, job->config.deadline_ns, job->files.fds,
					   job->files.num_model,
					   job->files.fds + job->files.num_model,
					   job->files.num_data, job->token, nnr_prepare_answered,
					   &job->answer);
	nnr_device_leave(job->device);
}

/* Files may be created. Without files the device still gets the token. */
static void start_and_store(struct job *job, const ANeuralNetworksCompilation *compilation)
{
	int ret = 0;

	nnr_cache_files_close(&job->files);
	if (job->cached)
		ret = nnr_cache_files_create(&job->files, compilation, job->device, job->token);
	if (ret)
		nnutil_log(NNUTIL_LOG_WARNING, "%s: cannot create cache files: %s",
			   job->device->name, strerror(-ret));
	start_from_model(job);
}

/* Caching was requested, and the device supports it. */
static bool caches(const ANeuralNetworksCompilation *c, const ANeuralNetworksDevice *device)
{
	return c->caching && (c->cache_dir || c->cache_fds) && !device->is_reference &&
	       device->feature_level >= 3 && device->num_model_cache + device->num_data_cache > 0;
}

static int job_init(struct job *job, struct nnr_prepare_group *group, struct nnr_step *step,
		    const ANeuralNetworksCompilation *c, const struct nnr_hints *hints,
		    int64_t deadline_ns)
{
	*job = (struct job){
		.answer = { .group = group },
		.device = step->device,
		.model = step->model,
	};
	job->config = prepare_config(step->device, c->preference, c->priority, deadline_ns);
	if (step->device->feature_level >= 8) {
		job->config.hints = hints->values;
		job->config.num_hints = hints->num_values;
		job->config.extensions = hints->extensions;
		job->config.num_extensions = hints->num_extensions;
	}
	job->cached = caches(c, step->device);
	/*
	 * the client's descriptors are the files of one device: several steps would overwrite each
	 * other
	 */
	if (c->cache_fds && step->num_operations)
		job->cached = false;
	if (!job->cached)
		return ANEURALNETWORKS_NO_ERROR;
	if (nnr_cache_token(c, step, job->token))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	job->has_token = true;
	return ANEURALNETWORKS_NO_ERROR;
}

struct preparation {
	const ANeuralNetworksCompilation *compilation;
	struct nnr_report *report;
	struct nnr_prepare_group group;
	struct nnr_hints hints;
	struct job *jobs;
	struct nnr_step **steps;
	uint32_t num_steps;
};

static int collect_steps(struct preparation *p, struct nnr_plan *plan, int64_t deadline_ns)
{
	uint32_t g, n, num = 0;
	int result;

	for (g = 0; g < plan->num_graphs; g++)
		num += plan->graphs[g].num_nodes;
	p->jobs = calloc((size_t)num + 1, sizeof(*p->jobs));
	p->steps = calloc((size_t)num + 1, sizeof(*p->steps));
	if (!p->jobs || !p->steps)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (g = 0; g < plan->num_graphs; g++)
		for (n = 0; n < plan->graphs[g].num_nodes; n++) {
			struct nnr_step *step = plan->graphs[g].nodes[n].step;

			if (!step)
				continue;
			result = job_init(&p->jobs[p->num_steps], &p->group, step, p->compilation,
					  &p->hints, deadline_ns);
			if (result != ANEURALNETWORKS_NO_ERROR)
				return result;
			p->steps[p->num_steps++] = step;
		}
	return ANEURALNETWORKS_NO_ERROR;
}

static void start_all(struct preparation *p)
{
	struct job *job;
	uint32_t i;

	for (i = 0; i < p->num_steps; i++) {
		job = &p->jobs[i];
		if (job->cached &&
		    !nnr_cache_files_open(&job->files, p->compilation, job->device, job->token))
			start_from_cache(job);
		else
			start_and_store(job, p->compilation);
	}
	wait_for_drivers(&p->group);
	/* steps that the files did not give are prepared from the model, and stored */
	for (i = 0; i < p->num_steps; i++) {
		job = &p->jobs[i];
		if (!job->from_cache || job->answer.status == NNHAL_NONE)
			continue;
		nnr_log_status(NNUTIL_LOG_INFO, job->device, "prepareModelFromCache",
			       job->answer.status, job->answer.message);
		start_and_store(job, p->compilation);
	}
	wait_for_drivers(&p->group);
}

/* Results go to the steps. The first failure is the plan's. *@died: a device that died. */
static int take_results(struct preparation *p, ANeuralNetworksDevice **died)
{
	int result = ANEURALNETWORKS_NO_ERROR;
	struct nnr_step *step;
	struct job *job;
	uint32_t i;

	for (i = 0; i < p->num_steps; i++) {
		job = &p->jobs[i];
		step = p->steps[i];
		nnr_cache_files_close(&job->files);
		if (job->answer.status == NNHAL_NONE) {
			step->prepared = job->answer.prepared;
			step->workspaces = nnr_workspaces_new(step->prepared, step->device);
			if (!step->workspaces && result == ANEURALNETWORKS_NO_ERROR)
				result = ANEURALNETWORKS_OUT_OF_MEMORY;
			continue;
		}
		if (job->answer.status == NNHAL_DEAD_OBJECT) {
			nnr_report_reason(p->report, "device %s died: %s", job->device->name,
					  job->answer.message[0] ? job->answer.message
								 : "no reason given");
			*died = job->device;
		} else {
			nnr_report_reason(p->report, "%s cannot prepare the model: %s%s%s",
					  job->device->name, nnhal_status_name(job->answer.status),
					  job->answer.message[0] ? ": " : "", job->answer.message);
		}
		if (result == ANEURALNETWORKS_NO_ERROR)
			result = nnr_deadline_answer(nnhal_status_result_code(job->answer.status),
						     job->config.deadline_ns);
	}
	return result;
}

int nnr_plan_prepare(struct nnr_plan *plan, const ANeuralNetworksCompilation *compilation,
		     int64_t deadline_ns, struct nnr_report *report, ANeuralNetworksDevice **died)
{
	struct preparation p = { .compilation = compilation, .report = report };
	int result;

	*died = NULL;
	nnr_prepare_group_init(&p.group);
	result = nnr_hints_set(&p.hints, compilation->attributes, compilation->num_attributes);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = collect_steps(&p, plan, deadline_ns);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		start_all(&p);
		result = take_results(&p, died);
	}
	nnr_prepare_group_fini(&p.group);
	nnr_hints_clear(&p.hints);
	free(p.jobs);
	free(p.steps);
	return result;
}

/* ---- nnapi-reference ---- */

static int fallback_prepare(ANeuralNetworksDevice *reference, const struct nnmodel *model,
			    int32_t priority, struct nnhal_prepared_model **prepared)
{
	const struct nnhal_prepare_config config = prepare_config(
		reference, ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER, priority, NNHAL_NO_TIME);
	char message[sizeof(((struct nnr_prepare_answer *)0)->message)];
	enum nnhal_status status =
		nnr_prepare_on(reference->hal, model, &config, prepared, message, sizeof(message));

	if (status != NNHAL_NONE)
		nnr_log_status(NNUTIL_LOG_WARNING, reference, "prepareModel", status, message);
	return nnhal_status_result_code(status);
}

int nnr_step_fallback(struct nnr_plan *plan, struct nnr_step *step,
		      struct nnr_workspaces **workspaces)
{
	ANeuralNetworksDevice *reference = nnr_reference_device();
	int result = ANEURALNETWORKS_NO_ERROR;

	*workspaces = NULL;
	/* what failed on nnapi-reference would fail on it again */
	if (!reference || step->device->is_reference)
		return ANEURALNETWORKS_OP_FAILED;
	pthread_mutex_lock(&step->fallback_lock);
	if (!step->fallback)
		result = fallback_prepare(reference, step->model, plan->priority, &step->fallback);
	if (step->fallback && !step->fallback_workspaces) {
		step->fallback_workspaces = nnr_workspaces_new(step->fallback, reference);
		if (!step->fallback_workspaces)
			result = ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	if (result == ANEURALNETWORKS_NO_ERROR)
		*workspaces = step->fallback_workspaces;
	pthread_mutex_unlock(&step->fallback_lock);
	return result;
}

/* Under full_lock. */
static int prepare_full(struct nnr_plan *plan, ANeuralNetworksDevice *reference)
{
	struct nnr_step *full = nnr_step_whole_model(plan, reference);
	int result;

	if (!full)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	result = fallback_prepare(reference, full->model, plan->priority, &full->prepared);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		full->workspaces = nnr_workspaces_new(full->prepared, reference);
		if (!full->workspaces)
			result = ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	if (result == ANEURALNETWORKS_NO_ERROR)
		plan->full = full;
	else
		nnr_step_free(full);
	return result;
}

int nnr_plan_full(struct nnr_plan *plan, struct nnr_step **step)
{
	ANeuralNetworksDevice *reference = nnr_reference_device();
	int result = ANEURALNETWORKS_NO_ERROR;

	*step = NULL;
	if (!reference)
		return ANEURALNETWORKS_OP_FAILED;
	pthread_mutex_lock(&plan->full_lock);
	if (!plan->full)
		result = prepare_full(plan, reference);
	*step = plan->full;
	pthread_mutex_unlock(&plan->full_lock);
	return result;
}
