// SPDX-License-Identifier: Apache-2.0
/* Steps are prepared by their devices: all at a time, from cache files where that is possible. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "reference.h"

/* What all preparations of a plan wait for. */
struct waiter {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	uint32_t pending;
};

/* One preparation. What callbacks write is read after the wait only. */
struct job {
	struct waiter *waiter;
	ANeuralNetworksDevice *device; /* whose @hal it is; NULL: known by that alone */
	struct nnhal_device *hal;
	const struct nnmodel *model;
	struct nnhal_prepare_config config; /* but for cache files */
	bool has_token;
	uint8_t token[NNHAL_CACHE_TOKEN_SIZE];
	bool cached; /* cache files can be used at all */
	bool from_cache; /* this attempt is prepare_model_from_cache */
	struct nnr_cache_files files;
	bool done;
	enum nnhal_status status;
	struct nnhal_prepared_model *prepared;
	char message[192];
};

static void waiter_init(struct waiter *w)
{
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->cond, NULL);
	w->pending = 0;
}

static void waiter_fini(struct waiter *w)
{
	pthread_cond_destroy(&w->cond);
	pthread_mutex_destroy(&w->lock);
}

static void waiter_expect(struct waiter *w)
{
	pthread_mutex_lock(&w->lock);
	w->pending++;
	pthread_mutex_unlock(&w->lock);
}

static void waiter_wait(struct waiter *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->pending)
		pthread_cond_wait(&w->cond, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

/* The driver's time, as its caller sees it: from the call to the callback. */
static void wait_for_drivers(struct waiter *w)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel::wait");

	waiter_wait(w);
}

static void prepared(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		     const char *message)
{
	struct job *job = cookie;
	struct waiter *w = job->waiter;

	job->prepared = model;
	job->status = status == NNHAL_NONE && !model ? NNHAL_GENERAL_FAILURE : status;
	job->message[0] = '\0';
	if (message)
		strncat(job->message, message, sizeof(job->message) - 1);
	/* under the lock: who waits frees it as soon as nothing is pending */
	pthread_mutex_lock(&w->lock);
	if (--w->pending == 0)
		pthread_cond_broadcast(&w->cond);
	pthread_mutex_unlock(&w->lock);
}

static uint32_t hal_priority(int32_t priority)
{
	return priority == ANEURALNETWORKS_PRIORITY_LOW	   ? NNHAL_PRIORITY_LOW
	       : priority == ANEURALNETWORKS_PRIORITY_HIGH ? NNHAL_PRIORITY_HIGH
							   : NNHAL_PRIORITY_MEDIUM;
}

/*
 * What the device's interface can say: preferences since level 2, priorities and deadlines since 4,
 * hints since 8.
 */
static struct nnhal_prepare_config config_for(const ANeuralNetworksDevice *device,
					      int32_t preference, int32_t priority,
					      int64_t deadline_ns)
{
	uint32_t level = device->feature_level;

	return (struct nnhal_prepare_config){
		.size = sizeof(struct nnhal_prepare_config),
		/* setPreference() takes negative numbers, which mean nothing to a device */
		.preference = level >= 2 && preference >= 0 ? (uint32_t)preference
							    : NNHAL_FAST_SINGLE_ANSWER,
		.priority = level >= 4 ? hal_priority(priority) : NNHAL_PRIORITY_MEDIUM,
		.deadline_ns = level >= 4 ? deadline_ns : NNHAL_NO_TIME,
	};
}

static void start_from_model(struct job *job)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel");
	struct nnhal_device *hal = job->hal;
	struct nnhal_prepare_config config = job->config;

	if (job->has_token)
		config.token = job->token;
	config.model_cache = job->files.fds;
	config.num_model_cache = job->files.num_model;
	config.data_cache = job->files.fds + job->files.num_model;
	config.num_data_cache = job->files.num_data;
	job->from_cache = false;
	waiter_expect(job->waiter);
	hal->ops->prepare_model(hal, job->model, &config, prepared, job);
}

static void start_from_cache(struct job *job)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModelFromCache");
	struct nnhal_device *hal = job->hal;

	job->from_cache = true;
	waiter_expect(job->waiter);
	hal->ops->prepare_model_from_cache(hal, job->config.deadline_ns, job->files.fds,
					   job->files.num_model,
					   job->files.fds + job->files.num_model,
					   job->files.num_data, job->token, prepared, job);
}

/* Files may be made now; where they cannot be, the device still hears the token. */
static void start_and_store(struct job *job, const ANeuralNetworksCompilation *compilation)
{
	nnr_cache_files_close(&job->files);
	if (job->cached &&
	    nnr_cache_files_create(&job->files, compilation, job->device, job->token))
		nnr_log(NNR_LOG_WARNING, "%s: no cache files can be made", job->device->name);
	start_from_model(job);
}

static void start_elsewhere(void *cookie)
{
	struct job *job = cookie;
	struct waiter *w = job->waiter;

	start_from_model(job);
	pthread_mutex_lock(&w->lock);
	if (--w->pending == 0)
		pthread_cond_broadcast(&w->cond);
	pthread_mutex_unlock(&w->lock);
}

/*
 * For executions that fall back on a device whose program is not there yet. In a trace a
 * compilation within an execution is an error, by the layers' contract: then a thread of its own
 * begins it, while this one waits.
 */
static void start_within_execution(struct job *job)
{
	if (nntrace_enabled()) {
		waiter_expect(job->waiter);
		if (!nnr_thread_run(start_elsewhere, job))
			return;
		/* nobody else knows of it yet */
		job->waiter->pending--;
	}
	start_from_model(job);
}

enum nnhal_status nnr_prepare_on(struct nnhal_device *hal, const struct nnmodel *model,
				 const struct nnhal_prepare_config *config,
				 struct nnhal_prepared_model **out, char *message, size_t size)
{
	struct waiter waiter;
	struct job job = { .waiter = &waiter, .hal = hal, .model = model, .config = *config };

	waiter_init(&waiter);
	start_within_execution(&job);
	waiter_wait(&waiter);
	waiter_fini(&waiter);
	*out = job.status == NNHAL_NONE ? job.prepared : NULL;
	snprintf(message, size, "%s", job.message);
	return job.status;
}

int nnr_prepare(ANeuralNetworksDevice *device, const struct nnmodel *model, int32_t preference,
		int32_t priority, int64_t deadline_ns, struct nnhal_prepared_model **out)
{
	const struct nnhal_prepare_config config =
		config_for(device, preference, priority, deadline_ns);
	char message[sizeof(((struct job *)0)->message)];
	enum nnhal_status status =
		nnr_prepare_on(device->hal, model, &config, out, message, sizeof(message));

	if (status != NNHAL_NONE)
		nnr_log_status(NNR_LOG_WARNING, device, "prepareModel", status, message);
	return nnhal_status_result_code(status);
}

/* ---- plans ---- */

/* Extension attributes as hints; the arrays are shared by all steps. */
struct hints {
	struct nnhal_token_value *values;
	struct nnmodel_extension *extensions;
	uint32_t num_values, num_extensions;
};

static void hints_fini(struct hints *h)
{
	free(h->values);
	free(h->extensions);
}

static void hints_name(struct hints *h, char *name, uint16_t prefix)
{
	uint32_t i;

	for (i = 0; i < h->num_extensions; i++)
		if (h->extensions[i].prefix == prefix)
			return;
	h->extensions[h->num_extensions++] =
		(struct nnmodel_extension){ .name = name, .prefix = prefix };
}

static int hints_init(struct hints *h, const ANeuralNetworksCompilation *c)
{
	uint32_t i;

	*h = (struct hints){ 0 };
	if (!c->num_attributes)
		return ANEURALNETWORKS_NO_ERROR;
	h->values = calloc(c->num_attributes, sizeof(*h->values));
	h->extensions = calloc(c->num_attributes, sizeof(*h->extensions));
	if (!h->values || !h->extensions)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (i = 0; i < c->num_attributes; i++) {
		const struct nnr_attribute *a = &c->attributes[i];
		uint16_t prefix;
		int result = nnr_extension_prefix(a->extension, &prefix);

		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
		h->values[h->num_values++] = (struct nnhal_token_value){
			.token = (uint32_t)prefix << 16 | a->code,
			.value = a->data,
			.size = a->size,
		};
		hints_name(h, a->extension, prefix);
	}
	return ANEURALNETWORKS_NO_ERROR;
}

/* Caching is asked for, and this device does it. */
static bool caches(const ANeuralNetworksCompilation *c, const ANeuralNetworksDevice *device)
{
	return c->caching && (c->cache_dir || c->cache_fds) && !device->is_reference &&
	       device->feature_level >= 3 && device->num_model_cache + device->num_data_cache > 0;
}

static int job_init(struct job *job, struct waiter *waiter, struct nnr_step *step,
		    const ANeuralNetworksCompilation *c, const struct hints *hints,
		    int64_t deadline_ns)
{
	*job = (struct job){
		.waiter = waiter,
		.device = step->device,
		.hal = step->device->hal,
		.model = step->model,
	};
	job->config = config_for(step->device, c->preference, c->priority, deadline_ns);
	if (step->device->feature_level >= 8) {
		job->config.hints = hints->values;
		job->config.num_hints = hints->num_values;
		job->config.extensions = hints->extensions;
		job->config.num_extensions = hints->num_extensions;
	}
	job->cached = caches(c, step->device);
	/*
	 * descriptors of the client's are one device's files: several steps would write over each
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
	struct waiter waiter;
	struct hints hints;
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
			result = job_init(&p->jobs[p->num_steps], &p->waiter, step, p->compilation,
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
	wait_for_drivers(&p->waiter);
	/* what the files did not give is prepared from the model, and stored */
	for (i = 0; i < p->num_steps; i++) {
		job = &p->jobs[i];
		if (!job->from_cache || job->status == NNHAL_NONE)
			continue;
		nnr_log_status(NNR_LOG_INFO, job->device, "prepareModelFromCache", job->status,
			       job->message);
		start_and_store(job, p->compilation);
	}
	wait_for_drivers(&p->waiter);
}

/* Results go to the steps; the first failure is the plan's. */
static int take_results(struct preparation *p)
{
	int result = ANEURALNETWORKS_NO_ERROR;
	struct nnr_step *step;
	struct job *job;
	uint32_t i;

	for (i = 0; i < p->num_steps; i++) {
		job = &p->jobs[i];
		step = p->steps[i];
		nnr_cache_files_close(&job->files);
		if (job->status == NNHAL_NONE) {
			step->prepared = job->prepared;
			step->slots = nnr_slots_new(step->prepared, step->device);
			if (!step->slots && result == ANEURALNETWORKS_NO_ERROR)
				result = ANEURALNETWORKS_OUT_OF_MEMORY;
			continue;
		}
		nnr_report_reason(p->report, "%s cannot prepare the model: %s%s%s",
				  job->device->name, nnhal_status_name(job->status),
				  job->message[0] ? ": " : "", job->message);
		if (result == ANEURALNETWORKS_NO_ERROR)
			result = nnr_deadline_answer(nnhal_status_result_code(job->status),
						     job->config.deadline_ns);
	}
	return result;
}

int nnr_plan_prepare(struct nnr_plan *plan, const ANeuralNetworksCompilation *compilation,
		     int64_t deadline_ns, struct nnr_report *report)
{
	struct preparation p = { .compilation = compilation, .report = report };
	int result;

	waiter_init(&p.waiter);
	result = hints_init(&p.hints, compilation);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = collect_steps(&p, plan, deadline_ns);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		start_all(&p);
		result = take_results(&p);
	}
	waiter_fini(&p.waiter);
	hints_fini(&p.hints);
	free(p.jobs);
	free(p.steps);
	return result;
}
