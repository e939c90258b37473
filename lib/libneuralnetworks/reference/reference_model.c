// SPDX-License-Identifier: Apache-2.0
/*
 * Models of nnapi-reference that become programs when a request gives their parameters. These are
 * copied once, and are the key of the program; the last few programs are kept. One thread makes a
 * program; other threads that need the same one wait for it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "reference/nnr_reference.h"

/* Each has the model's constants in it. */
#define MAX_PROGRAMS 4u
#define MESSAGE_SIZE 192u

/* What a request gives, in one piece, so that it can be compared. @given refers to it. */
struct key {
	uint8_t *bytes;
	size_t size;
	struct nnr_given *given; /* one per input of main */
	bool new; /* the request gives something that the model leaves open */
};

struct program {
	struct program *next; /* in model->programs, the last used first */
	uint32_t refs; /* executions, and the list; under the model's lock */
	bool done; /* what follows is constant */
	struct key key;
	struct nnhal_prepared_model *prepared; /* NULL: @status and @message are the reason */
	enum nnhal_status status;
	char message[MESSAGE_SIZE];
};

struct reference_model {
	struct nnhal_prepared_model base;
	struct nnhal_device *device;
	struct nnmodel *model;
	uint32_t preference, priority;
	bool *parameter; /* per input of main */
	char why[MESSAGE_SIZE]; /* why it was not prepared as it is */
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t done; /* a program is */
	struct program *programs;
	uint32_t num_programs;
};

/* ---- what a request gives ---- */

static void key_fini(struct key *key)
{
	free(key->bytes);
	free(key->given);
}

/* A parameter's place in the request's memory, as nnmodel_map_pools() takes it. */
static bool reference_model_place(const struct nnhal_request *request,
				  const struct nnhal_request_argument *arg,
				  struct nnmodel_operand *operand)
{
	const struct nnhal_request_pool *pool;
	uint64_t end;

	if (arg->pool >= request->num_pools)
		return false;
	pool = &request->pools[arg->pool];
	if (pool->is_token || arg->length != nnmodel_type_size(operand->type) ||
	    __builtin_add_overflow(arg->offset, arg->length, &end) || end > pool->memory.size)
		return false;
	operand->lifetime = NNMODEL_CONSTANT_REFERENCE;
	operand->location = (struct nnmodel_location){
		.pool = arg->pool,
		.offset = arg->offset,
		.length = arg->length,
	};
	return true;
}

/*
 * The application may change or truncate the memory while values are read: libnnmodel's reader
 * copes with it.
 */
static enum nnhal_status read_values(const struct reference_model *m,
				     const struct nnhal_request *request, struct key *key,
				     uint8_t *values, char *message)
{
	const struct nnmodel_subgraph *main = &m->model->main;
	struct nnmodel places = { .size = sizeof(places), .num_pools = request->num_pools };
	enum nnhal_status status = NNHAL_NONE;
	struct nnmodel_maps *maps = NULL;
	const void *data;
	size_t size;
	uint32_t i;

	places.pools = calloc((size_t)request->num_pools + 1, sizeof(*places.pools));
	places.main.operands = calloc((size_t)main->num_inputs + 1, sizeof(*places.main.operands));
	if (!places.pools || !places.main.operands) {
		status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
		goto out;
	}
	places.main.num_operands = main->num_inputs;
	for (i = 0; i < request->num_pools; i++)
		places.pools[i] = (struct nnmodel_pool){
			.fd = request->pools[i].memory.fd,
			.prot = request->pools[i].memory.prot,
			.offset = request->pools[i].memory.offset,
			.size = request->pools[i].memory.size,
		};
	for (i = 0; i < main->num_inputs && status == NNHAL_NONE; i++) {
		places.main.operands[i].type = main->operands[main->inputs[i]].type;
		if (!key->given[i].bound || key->given[i].omitted)
			continue;
		if (!reference_model_place(request, &request->inputs[i],
					   &places.main.operands[i])) {
			snprintf(message, MESSAGE_SIZE, "input %u: no place of a scalar", i);
			status = NNHAL_INVALID_ARGUMENT;
		}
	}
	if (status == NNHAL_NONE && nnmodel_map_pools(&places, &maps)) {
		snprintf(message, MESSAGE_SIZE, "the parameters of the request cannot be read");
		status = NNHAL_INVALID_ARGUMENT;
	}
	for (i = 0; i < main->num_inputs && status == NNHAL_NONE; i++) {
		if (!key->given[i].bound || key->given[i].omitted)
			continue;
		if (nnmodel_constant(&places, maps, &places.main.operands[i], &data, &size))
			status = NNHAL_INVALID_ARGUMENT;
		else
			memcpy(values, data, size);
		key->given[i].value = values;
		key->given[i].size = size;
		values += size;
	}
out:
	nnmodel_unmap_pools(maps);
	free(places.pools);
	free(places.main.operands);
	return status;
}

/* A tensor whose shape the model leaves open. */
static bool is_open(const struct nnmodel_operand *o)
{
	bool known = o->rank > 0;
	uint32_t i;

	for (i = 0; i < o->rank; i++)
		known &= o->dims[i] != 0;
	return !nnmodel_type_is_scalar(o->type) && o->lifetime != NNMODEL_NO_VALUE && !known;
}

/*
 * The key: per input a byte for its kind, and the shape if the model leaves it open; then the
 * values.
 */
static enum nnhal_status key_init(const struct reference_model *m,
				  const struct nnhal_request *request, struct key *key,
				  char *message)
{
	const struct nnmodel_subgraph *main = &m->model->main;
	size_t size = 0, at = 0;
	uint32_t i;

	*key = (struct key){ 0 };
	if (request->num_inputs != main->num_inputs) {
		snprintf(message, MESSAGE_SIZE, "%u inputs, but the model has %u",
			 request->num_inputs, main->num_inputs);
		return NNHAL_INVALID_ARGUMENT;
	}
	for (i = 0; i < main->num_inputs; i++) {
		if (request->inputs[i].rank > NNR_MAX_RANK)
			return NNHAL_INVALID_ARGUMENT;
		size += 2 + nnmodel_type_size(main->operands[main->inputs[i]].type) +
			request->inputs[i].rank * sizeof(uint32_t);
	}
	key->bytes = calloc(size + 1, 1);
	key->given = calloc((size_t)main->num_inputs + 1, sizeof(*key->given));
	if (!key->bytes || !key->given)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	key->size = size;
	for (i = 0; i < main->num_inputs; i++) {
		const struct nnhal_request_argument *arg = &request->inputs[i];
		struct nnr_given *given = &key->given[i];

		given->omitted = arg->has_no_value;
		given->bound = given->omitted || m->parameter[i];
		key->bytes[at++] = given->omitted ? 2 : given->bound;
		key->new |= given->bound;
		if (given->bound || !is_open(&main->operands[main->inputs[i]]))
			continue;
		given->rank = arg->rank;
		given->dims = key->bytes + at + 1;
		key->new |= arg->rank;
		key->bytes[at++] = (uint8_t)arg->rank;
		if (arg->rank)
			memcpy(key->bytes + at, arg->dims, arg->rank * sizeof(*arg->dims));
		at += arg->rank * sizeof(*arg->dims);
	}
	return read_values(m, request, key, key->bytes + at, message);
}

/* ---- programs ---- */

/* Under the lock. The value is to be freed without the lock; may be NULL. */
static struct program *unref(struct program *p)
{
	return --p->refs ? NULL : p;
}

static void program_free(struct program *p)
{
	if (!p)
		return;
	if (p->prepared)
		p->prepared->ops->destroy(p->prepared);
	key_fini(&p->key);
	free(p);
}

/* Under the lock. */
static void unlist(struct reference_model *m, const struct program *p)
{
	struct program **pos;

	for (pos = &m->programs; *pos && *pos != p; pos = &(*pos)->next)
		;
	if (!*pos)
		return;
	*pos = p->next;
	m->num_programs--;
}

/* Under the lock: to the front. */
static void reference_model_list(struct reference_model *m, struct program *p)
{
	p->next = m->programs;
	m->programs = p;
	m->num_programs++;
}

/*
 * Under the lock: the least recently used program, if there are too many. A program that is being
 * made stays.
 */
static struct program *reference_model_evict(struct reference_model *m)
{
	struct program *p, *last = NULL;

	for (p = m->programs; p; p = p->next)
		if (p->done)
			last = p;
	if (m->num_programs <= MAX_PROGRAMS || !last)
		return NULL;
	unlist(m, last);
	return unref(last);
}

static struct program *reference_model_find(const struct reference_model *m, const struct key *key)
{
	struct program *p;

	for (p = m->programs; p; p = p->next)
		if (p->key.size == key->size && !memcmp(p->key.bytes, key->bytes, key->size))
			return p;
	return NULL;
}

/* What would be the same at every attempt. */
static bool is_final(enum nnhal_status status)
{
	return status == NNHAL_NONE || status == NNHAL_GENERAL_FAILURE ||
	       status == NNHAL_INVALID_ARGUMENT;
}

static bool lacks_parameter(const struct reference_model *m, const struct key *key)
{
	uint32_t i;

	for (i = 0; i < m->model->main.num_inputs; i++)
		if (m->parameter[i] && key->given[i].omitted)
			return true;
	return false;
}

static void reference_model_make(const struct reference_model *m, struct program *p,
				 int64_t deadline_ns)
{
	const struct nnhal_prepare_config config = {
		.size = sizeof(config),
		.preference = m->preference,
		.priority = m->priority,
		.deadline_ns = deadline_ns,
	};
	struct nnmodel *specialized;

	if (nnr_specialize(m->model, p->key.given, &specialized)) {
		p->status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
		snprintf(p->message, sizeof(p->message), "out of memory or descriptors");
		return;
	}
	p->status = nnr_prepare_on(m->device, specialized, &config, &p->prepared, p->message,
				   sizeof(p->message));
	nnmodel_free(specialized);
	/*
	 * a model that cannot be computed is a failure of the execution; a missing parameter is the
	 * caller's error
	 */
	if (p->status == NNHAL_INVALID_ARGUMENT || p->status == NNHAL_GENERAL_FAILURE)
		p->status = lacks_parameter(m, &p->key) ? NNHAL_INVALID_ARGUMENT
							: NNHAL_GENERAL_FAILURE;
}

/* A program for a new key, which the caller makes. NULL: out of memory. */
static struct program *program_new(struct reference_model *m, struct key *key)
{
	struct program *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->key = *key;
	*key = (struct key){ 0 };
	p->refs = 2;
	reference_model_list(m, p);
	return p;
}

/*
 * Under the lock: the program of this key that another thread made. Its result must not be a
 * failure of that thread only, such as a deadline.
 */
static struct program *get_made(struct reference_model *m, const struct key *key)
{
	struct program *p;

	while ((p = reference_model_find(m, key))) {
		p->refs++;
		unlist(m, p);
		reference_model_list(m, p);
		while (!p->done)
			pthread_cond_wait(&m->done, &m->lock);
		if (is_final(p->status))
			return p;
		program_free(unref(p)); /* there is nothing of a device's in it */
	}
	return NULL;
}

/* Under the lock, which is released while the program is made. */
static struct program *get_new(struct reference_model *m, struct key *key, int64_t deadline_ns,
			       struct program **old)
{
	struct program *p = program_new(m, key);

	if (!p)
		return NULL;
	pthread_mutex_unlock(&m->lock);
	reference_model_make(m, p, deadline_ns);
	pthread_mutex_lock(&m->lock);
	p->done = true;
	pthread_cond_broadcast(&m->done);
	if (is_final(p->status)) {
		*old = reference_model_evict(m);
	} else {
		unlist(m, p);
		p->refs--;
	}
	return p;
}

/* Takes the key over. The program is the caller's until reference_model_put(); NULL: out of memory.
 */
static struct program *reference_model_get(struct reference_model *m, struct key *key,
					   int64_t deadline_ns)
{
	struct program *p, *old = NULL;

	pthread_mutex_lock(&m->lock);
	p = get_made(m, key);
	if (!p)
		p = get_new(m, key, deadline_ns, &old);
	pthread_mutex_unlock(&m->lock);
	program_free(old);
	key_fini(key);
	return p;
}

static void reference_model_put(struct reference_model *m, struct program *p)
{
	struct program *unused;

	pthread_mutex_lock(&m->lock);
	unused = unref(p);
	pthread_mutex_unlock(&m->lock);
	program_free(unused);
}

/* ---- the prepared model ---- */

static enum nnhal_status reference_model_run(const struct reference_model *m,
					     const struct program *p,
					     const struct nnhal_request *request,
					     const struct nnhal_execution_config *config,
					     int64_t deadline_ns,
					     struct nnhal_execution_result *result)
{
	struct nnhal_request rest = *request;
	struct nnhal_request_argument *inputs =
		calloc((size_t)request->num_inputs + 1, sizeof(*inputs));
	enum nnhal_status status;
	uint32_t i;

	if (!inputs)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	rest.inputs = inputs;
	rest.num_inputs = 0;
	for (i = 0; i < request->num_inputs; i++)
		if (!m->parameter[i] && !request->inputs[i].has_no_value)
			inputs[rest.num_inputs++] = request->inputs[i];
	status = p->prepared->ops->execute_synchronously(p->prepared, &rest, config, deadline_ns,
							 result);
	free(inputs);
	return status;
}

/* On NONE *@program, which is to be put. */
static enum nnhal_status find_program(struct reference_model *m,
				      const struct nnhal_request *request, int64_t deadline_ns,
				      struct program **program, char *message)
{
	enum nnhal_status status;
	struct program *p;
	struct key key;

	status = key_init(m, request, &key, message);
	if (status != NNHAL_NONE) {
		key_fini(&key);
		return status;
	}
	if (!key.new) {
		key_fini(&key);
		snprintf(message, MESSAGE_SIZE, "%s", m->why);
		return NNHAL_GENERAL_FAILURE;
	}
	p = reference_model_get(m, &key, deadline_ns);
	if (!p)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	if (p->status == NNHAL_NONE) {
		*program = p;
		return NNHAL_NONE;
	}
	status = p->status;
	snprintf(message, MESSAGE_SIZE, "%s", p->message);
	reference_model_put(m, p);
	return status;
}

static enum nnhal_status execute_synchronously(struct nnhal_prepared_model *base,
					       const struct nnhal_request *request,
					       const struct nnhal_execution_config *config,
					       int64_t deadline_ns,
					       struct nnhal_execution_result *result)
{
	struct reference_model *m = (struct reference_model *)base;
	char message[MESSAGE_SIZE] = "out of memory";
	struct program *p = NULL;
	enum nnhal_status status;

	*result = (struct nnhal_execution_result)NNHAL_EXECUTION_RESULT_INIT;
	status = find_program(m, request, deadline_ns, &p, message);
	if (status != NNHAL_NONE) {
		snprintf(result->message, sizeof(result->message), "%s", message);
		return status;
	}
	status = reference_model_run(m, p, request, config, deadline_ns, result);
	reference_model_put(m, p);
	return status;
}

static void reference_model_destroy(struct nnhal_prepared_model *base)
{
	struct reference_model *m = (struct reference_model *)base;
	struct program *p;

	while ((p = m->programs)) {
		m->programs = p->next;
		program_free(p);
	}
	pthread_cond_destroy(&m->done);
	pthread_mutex_destroy(&m->lock);
	nnmodel_free(m->model);
	free(m->parameter);
	free(m);
}

static const struct nnhal_prepared_model_ops ops = {
	.size = sizeof(ops),
	.destroy = reference_model_destroy,
	.execute_synchronously = execute_synchronously,
};

struct nnhal_prepared_model *nnr_reference_model_new(struct nnhal_device *device,
						     const struct nnmodel *model,
						     const struct nnhal_prepare_config *config,
						     const bool *parameter, const char *why)
{
	struct reference_model *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->base.ops = &ops;
	m->device = device;
	m->preference = config->preference;
	m->priority = config->priority;
	snprintf(m->why, sizeof(m->why), "%s", why);
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->done, NULL);
	m->model = nnmodel_clone(model);
	m->parameter = calloc((size_t)model->main.num_inputs + 1, sizeof(*m->parameter));
	if (!m->model || !m->parameter) {
		reference_model_destroy(&m->base);
		return NULL;
	}
	memcpy(m->parameter, parameter, model->main.num_inputs * sizeof(*parameter));
	return &m->base;
}
