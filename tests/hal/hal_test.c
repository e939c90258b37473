// SPDX-License-Identifier: Apache-2.0
#include "descriptors.h"
#include "hal_test.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct nnhal_device *hal_dev;

static const char *spec(void)
{
	const char *s = getenv("NNHAL_TEST_DEVICE");

	return s && *s ? s : "cpu";
}

struct nnhal_device *hal_open(void)
{
	struct nnhal_device *dev = NULL;
	char message[256];

	if (nnhal_open(spec(), &dev, message, sizeof(message)))
		fail_msg("open %s: %s", spec(), message);
	return dev;
}

int hal_setup(void **state)
{
	(void)state;
	hal_dev = hal_open();
	return 0;
}

int hal_teardown(void **state)
{
	(void)state;
	hal_dev->ops->destroy(hal_dev);
	hal_dev = NULL;
	return 0;
}

bool hal_is_card(void)
{
	return hal_dev->ops->type(hal_dev) == NNHAL_DEVICE_ACCELERATOR;
}

static bool is_proxied(void)
{
	return !strncmp(spec(), "worker", 6) || !strncmp(spec(), "service", 7);
}

bool hal_spec_is_card(void)
{
	const char *target = is_proxied() ? strchr(spec(), ':') : NULL;

	return strncmp(target ? target + 1 : spec(), "cpu", 3) != 0;
}

bool hal_user_fences(void)
{
	const char *s = getenv("NNACCEL_FENCES");

	return s && *s ? !strcmp(s, "1") : is_proxied();
}

int64_t hal_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* ---- models ---- */

uint32_t hal_tensor(struct nnmodel *m, uint32_t type, uint32_t lifetime, const uint32_t *dims,
		    uint32_t rank, float scale, int32_t zero_point)
{
	int n = nnmodel_add_operand(m, type, lifetime, dims, rank, scale, zero_point);

	assert_true(n >= 0);
	return (uint32_t)n;
}

static uint32_t float_tensor(struct nnmodel *m, uint32_t lifetime, const uint32_t *dims,
			     uint32_t rank)
{
	return hal_tensor(m, NNMODEL_TENSOR_FLOAT32, lifetime, dims, rank, 0, 0);
}

static struct nnmodel *add_of(const uint32_t *a_dims, const uint32_t *b_dims,
			      const uint32_t *out_dims)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t a, b, out, act;

	assert_non_null(m);
	a = float_tensor(m, NNMODEL_SUBGRAPH_INPUT, a_dims, 2);
	b = float_tensor(m, NNMODEL_SUBGRAPH_INPUT, b_dims, 1);
	out = float_tensor(m, NNMODEL_SUBGRAPH_OUTPUT, out_dims, 2);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	assert_true(nnmodel_add_operation(m, NNMODEL_ADD, HAL_LIST(a, b, act), HAL_LIST(out)) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(a, b), HAL_LIST(out)), 0);
	return m;
}

struct nnmodel *hal_model_add(void)
{
	return add_of(HAL_DIMS(2, 2), HAL_DIMS(2), HAL_DIMS(2, 2));
}

struct nnmodel *hal_model_add_dynamic(void)
{
	return add_of(HAL_DIMS(0, 0), HAL_DIMS(0), HAL_DIMS(0, 0));
}

struct nnmodel *hal_model_two_outputs(void)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t a, b, sum, product, act;

	assert_non_null(m);
	a = float_tensor(m, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(4), 1);
	b = float_tensor(m, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(4), 1);
	sum = float_tensor(m, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(4), 1);
	product = float_tensor(m, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(4), 1);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	assert_true(nnmodel_add_operation(m, NNMODEL_ADD, HAL_LIST(a, b, act), HAL_LIST(sum)) >= 0);
	assert_true(nnmodel_add_operation(m, NNMODEL_MUL, HAL_LIST(a, b, act), HAL_LIST(product)) >=
		    0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(a, b), HAL_LIST(sum, product)), 0);
	return m;
}

static void add_conv(struct nnmodel *m, uint32_t in, uint32_t filter, uint32_t bias, uint32_t out)
{
	uint32_t padding = (uint32_t)nnmodel_add_int32(m, NNMODEL_PADDING_VALID);
	uint32_t one = (uint32_t)nnmodel_add_int32(m, 1);
	uint32_t act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);

	assert_true(nnmodel_add_operation(m, NNMODEL_CONV_2D,
					  HAL_LIST(in, filter, bias, padding, one, one, act),
					  HAL_LIST(out)) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(in), HAL_LIST(out)), 0);
}

struct nnmodel *hal_model_conv(void)
{
	static const float filter_data[] = { 1, 2, 3, 4 }, bias_data[] = { 0.5f };
	struct nnmodel *m = nnmodel_new();
	uint32_t in, filter, bias, out;

	assert_non_null(m);
	in = float_tensor(m, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(1, 3, 3, 1), 4);
	filter = float_tensor(m, NNMODEL_CONSTANT_COPY, HAL_DIMS(1, 2, 2, 1), 4);
	bias = float_tensor(m, NNMODEL_CONSTANT_COPY, HAL_DIMS(1), 1);
	out = float_tensor(m, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(1, 2, 2, 1), 4);
	assert_int_equal(nnmodel_set_value(m, filter, filter_data, sizeof(filter_data)), 0);
	assert_int_equal(nnmodel_set_value(m, bias, bias_data, sizeof(bias_data)), 0);
	add_conv(m, in, filter, bias, out);
	return m;
}

struct nnmodel *hal_model_conv_int8(void)
{
	static const int8_t filter_data[] = { 2, -3 };
	static const int32_t bias_data[] = { 4, 8 };
	static const float scales[] = { 0.5f, 0.25f };
	struct nnmodel *m = nnmodel_new();
	uint32_t in, filter, bias, out;

	assert_non_null(m);
	in = hal_tensor(m, NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, NNMODEL_SUBGRAPH_INPUT,
			HAL_DIMS(1, 2, 2, 1), 4, 0.5f, 1);
	filter = hal_tensor(m, NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL, NNMODEL_CONSTANT_COPY,
			    HAL_DIMS(2, 1, 1, 1), 4, 0, 0);
	assert_int_equal(nnmodel_set_channel_quant(m, filter, 0, scales, 2), 0);
	bias = hal_tensor(m, NNMODEL_TENSOR_INT32, NNMODEL_CONSTANT_COPY, HAL_DIMS(2), 1, 0, 0);
	out = hal_tensor(m, NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, NNMODEL_SUBGRAPH_OUTPUT,
			 HAL_DIMS(1, 2, 2, 2), 4, 0.5f, -1);
	assert_int_equal(nnmodel_set_value(m, filter, filter_data, sizeof(filter_data)), 0);
	assert_int_equal(nnmodel_set_value(m, bias, bias_data, sizeof(bias_data)), 0);
	add_conv(m, in, filter, bias, out);
	return m;
}

struct nnmodel *hal_model_matrix(uint32_t units, uint32_t depth)
{
	struct nnmodel *m = nnmodel_new();
	float *weights = malloc(sizeof(float) * units * depth),
	      *bias = calloc(units, sizeof(float));
	uint32_t op[4], out, none = 0;

	assert_true(m && weights && bias);
	for (uint32_t i = 0; i < units * depth; i++)
		weights[i] = (float)((i * 7 + i / depth) % 13) - 6;
	op[0] = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(1, depth), 2,
			   0, 0);
	op[1] = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_CONSTANT_COPY, HAL_DIMS(units, depth),
			   2, 0, 0);
	op[2] = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_CONSTANT_COPY, HAL_DIMS(units), 1, 0,
			   0);
	op[3] = hal_tensor(m, NNMODEL_INT32, NNMODEL_CONSTANT_COPY, NULL, 0, 0, 0);
	out = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(1, units), 2,
			 0, 0);
	assert_int_equal(nnmodel_set_value(m, op[1], weights, sizeof(float) * units * depth), 0);
	assert_int_equal(nnmodel_set_value(m, op[2], bias, sizeof(float) * units), 0);
	assert_int_equal(nnmodel_set_value(m, op[3], &none, sizeof(none)), 0);
	assert_true(nnmodel_add_operation(m, NNMODEL_FULLY_CONNECTED, op, 4, &out, 1) >= 0);
	assert_int_equal(nnmodel_set_io(m, op, 1, &out, 1), 0);
	free(weights);
	free(bias);
	return m;
}

struct nnmodel *hal_model_long(uint32_t ops, uint32_t elements)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t first, prev, next;

	assert_non_null(m);
	first = prev = float_tensor(m, NNMODEL_SUBGRAPH_INPUT, &elements, 1);
	for (uint32_t i = 0; i < ops; i++) {
		next = float_tensor(
			m, i + 1 < ops ? NNMODEL_TEMPORARY_VARIABLE : NNMODEL_SUBGRAPH_OUTPUT,
			&elements, 1);
		assert_true(nnmodel_add_operation(m, NNMODEL_SIN, &prev, 1, &next, 1) >= 0);
		prev = next;
	}
	assert_int_equal(nnmodel_set_io(m, &first, 1, &prev, 1), 0);
	return m;
}

/* ---- preparing ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of every struct hal_prepared, async_run
							  */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void hal_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&changed, NULL);
}

struct hal_prepared *hal_prepared_new(void)
{
	struct hal_prepared *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	return p;
}

void hal_prepared_cb(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		     const char *message)
{
	struct hal_prepared *p = cookie;

	pthread_mutex_lock(&lock);
	p->calls++;
	p->status = status;
	p->model = model;
	snprintf(p->message, sizeof(p->message), "%s", message ? message : "");
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

struct hal_prepared hal_prepared_wait(struct hal_prepared *p)
{
	struct hal_prepared copy;

	pthread_mutex_lock(&lock);
	while (!p->calls)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	usleep(2000); /* clock: time for a second call of the callback, which would be an error */
	pthread_mutex_lock(&lock);
	copy = *p;
	pthread_mutex_unlock(&lock);
	assert_int_equal(copy.calls, 1);
	/* a model if and only if it succeeded */
	assert_int_equal(copy.status == NNHAL_NONE, copy.model != NULL);
	free(p);
	return copy;
}

struct nnhal_prepare_config hal_prepare_config(void)
{
	return (struct nnhal_prepare_config){
		.size = sizeof(struct nnhal_prepare_config),
		.preference = NNHAL_FAST_SINGLE_ANSWER,
		.priority = NNHAL_PRIORITY_MEDIUM,
		.deadline_ns = NNHAL_NO_TIME,
	};
}

struct nnhal_prepared_model *hal_prepare(struct nnhal_device *dev, struct nnmodel *m)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	struct hal_prepared *p = hal_prepared_new(), done;

	if (dev->ops->prepare_model(dev, m, &config, hal_prepared_cb, p))
		fail_msg("prepare: %s", p->message);
	nnmodel_free(m);
	done = hal_prepared_wait(p);
	if (done.status)
		fail_msg("prepared: %s: %s", nnhal_status_name(done.status), done.message);
	return done.model;
}

/* ---- requests ---- */

/* Arguments at multiples of 64 in one memory. */
static uint8_t *lay_out(struct nnhal_request_argument *args, const uint32_t *sizes, uint32_t count,
			uint32_t pool, bool device_memory, struct nnhal_request_pool *p,
			size_t *map_size)
{
	uint64_t at = 0;
	uint8_t *map;
	int fd;

	for (uint32_t i = 0; i < count; i++) {
		args[i] = (struct nnhal_request_argument){ .pool = pool,
							   .offset = at,
							   .length = sizes[i] };
		at += (sizes[i] + 63) / 64 * 64;
	}
	at += 64;
	if (device_memory) {
		assert_int_equal(nnhal_memory_create(hal_dev, at, &fd), 0);
	} else {
		fd = memfd_new(at);
	}
	map = memfd_map(fd, at);
	p->memory = (struct nnhal_memory){ .fd = fd, .prot = PROT_READ | PROT_WRITE, .size = at };
	*map_size = at;
	return map;
}

void hal_call_init(struct hal_call *c, bool device_memory, const uint32_t *in, uint32_t num_in,
		   const uint32_t *out, uint32_t num_out)
{
	int fd;

	memset(c, 0, sizeof(*c));
	c->in_map = lay_out(c->inputs, in, num_in, 0, device_memory, &c->pools[0], &c->in_size);
	c->out_map =
		lay_out(c->outputs, out, num_out, 1, device_memory, &c->pools[1], &c->out_size);
	memset(c->out_map, 0xa5, c->out_size);
	c->pools[0].memory.prot = PROT_READ;
	if (!device_memory) {
		/* a writable mapping of the inputs would be refused by the kernel */
		fd = descriptors_reopen(c->pools[0].memory.fd, O_RDONLY);
		close(c->pools[0].memory.fd);
		c->pools[0].memory.fd = fd;
	}
	c->request = (struct nnhal_request){
		.size = sizeof(struct nnhal_request),
		.inputs = c->inputs,
		.num_inputs = num_in,
		.outputs = c->outputs,
		.num_outputs = num_out,
		.pools = c->pools,
		.num_pools = 2,
	};
}

void hal_call_fini(struct hal_call *c)
{
	munmap(c->in_map, c->in_size);
	munmap(c->out_map, c->out_size);
	close(c->pools[0].memory.fd);
	close(c->pools[1].memory.fd);
}

void *hal_in(struct hal_call *c, uint32_t i)
{
	return c->in_map + c->inputs[i].offset;
}

void *hal_out(struct hal_call *c, uint32_t i)
{
	return c->out_map + c->outputs[i].offset;
}

void hal_call_add(struct hal_call *c, bool device_memory)
{
	hal_call_init(c, device_memory, HAL_LIST(16, 8), HAL_LIST(16));
	memcpy(hal_in(c, 0), (const float[]){ 1, 2, 3, 4 }, 16);
	memcpy(hal_in(c, 1), (const float[]){ 10, 20 }, 8);
}

void hal_check_add(struct hal_call *c)
{
	static const float expect[] = { 11, 22, 13, 24 };

	assert_memory_equal(hal_out(c, 0), expect, sizeof(expect));
	/* no byte beyond length was written */
	assert_int_equal(((uint8_t *)hal_out(c, 0))[16], 0xa5);
}

/* ---- running ---- */

struct nnhal_execution_config hal_config(bool measure)
{
	return (struct nnhal_execution_config){
		.size = sizeof(struct nnhal_execution_config),
		.measure_timing = measure,
		.loop_timeout_ns = NNHAL_NO_TIME,
	};
}

struct async_run {
	int calls;
	enum nnhal_status status;
	struct nnhal_execution_result *result;
};

static void executed(void *cookie, enum nnhal_status status, const struct nnhal_execution_result *r)
{
	struct async_run *run = cookie;

	pthread_mutex_lock(&lock);
	run->calls++;
	run->status = status;
	*run->result = *r;
	/* @r is only lent */
	run->result->shapes = calloc(r->num_shapes + 1, sizeof(*r->shapes));
	for (uint32_t i = 0; i < r->num_shapes; i++) {
		run->result->shapes[i] = r->shapes[i];
		run->result->shapes[i].dims = calloc(r->shapes[i].rank + 1, sizeof(uint32_t));
		memcpy(run->result->shapes[i].dims, r->shapes[i].dims,
		       r->shapes[i].rank * sizeof(uint32_t));
	}
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static enum nnhal_status run_async(struct nnhal_prepared_model *pm,
				   const struct nnhal_request *request,
				   const struct nnhal_execution_config *config, int64_t deadline_ns,
				   struct nnhal_execution_result *result)
{
	struct async_run run = { .result = result };
	enum nnhal_status launch;

	launch = pm->ops->execute(pm, request, config, deadline_ns, executed, &run);
	pthread_mutex_lock(&lock);
	while (!run.calls)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	assert_int_equal(run.calls, 1);
	if (launch)
		assert_int_equal(launch, run.status);
	return run.status;
}

void hal_fence_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd >= 0)
		assert_int_equal(poll(&p, 1, -1), 1);
}

/* Wait for the launched execution: @status becomes that of its end. */
static enum nnhal_status wait_fenced(enum nnhal_status status, int fence,
				     struct nnhal_fenced_callback *cb,
				     struct nnhal_execution_result *result)
{
	struct nnhal_timing fenced;

	assert_int_equal(status == NNHAL_NONE, cb != NULL);
	if (status) {
		assert_int_equal(fence, -1);
		return status;
	}
	hal_fence_wait(fence);
	status = cb->ops->get_execution_info(cb, &result->timing, &fenced);
	cb->ops->destroy(cb);
	if (fence >= 0)
		close(fence);
	assert_true(fenced.in_driver_ns <= result->timing.in_driver_ns);
	return status;
}

static enum nnhal_status run_fenced(struct nnhal_prepared_model *pm,
				    const struct nnhal_request *request,
				    const struct nnhal_execution_config *config,
				    int64_t deadline_ns, struct nnhal_execution_result *result)
{
	struct nnhal_fenced_callback *cb = NULL;
	enum nnhal_status status;
	int fence;

	status = pm->ops->execute_fenced(pm, request, NULL, 0, config, deadline_ns, NNHAL_NO_TIME,
					 &fence, &cb);
	return wait_fenced(status, fence, cb, result);
}

#define MAX_POOLS 8

static enum nnhal_status run_burst(struct nnhal_prepared_model *pm,
				   const struct nnhal_request *request,
				   const struct nnhal_execution_config *config, int64_t deadline_ns,
				   struct nnhal_execution_result *result)
{
	const uint32_t num = request ? request->num_pools : 0;
	int64_t tokens[MAX_POOLS];
	struct nnhal_burst *burst;
	enum nnhal_status status;

	assert_true(num <= MAX_POOLS);
	for (uint32_t i = 0; i < num; i++)
		tokens[i] = request->pools && request->pools[i].is_token ? -1 : (int64_t)i + 1;
	assert_int_equal(pm->ops->configure_burst(pm, &burst), NNHAL_NONE);
	status = burst->ops->execute_synchronously(burst, request, tokens, num, config, deadline_ns,
						   result);
	burst->ops->destroy(burst);
	return status;
}

static enum nnhal_status run_reusable(struct nnhal_prepared_model *pm, bool fenced,
				      const struct nnhal_request *request,
				      const struct nnhal_execution_config *config,
				      int64_t deadline_ns, struct nnhal_execution_result *result)
{
	struct nnhal_fenced_callback *cb = NULL;
	struct nnhal_execution *e = NULL;
	enum nnhal_status status = pm->ops->create_reusable_execution(pm, request, config, &e);
	int fence;

	assert_int_equal(status == NNHAL_NONE, e != NULL);
	if (status)
		return status;
	if (fenced) {
		status =
			e->ops->execute_fenced(e, NULL, 0, deadline_ns, NNHAL_NO_TIME, &fence, &cb);
		status = wait_fenced(status, fence, cb, result);
	} else {
		status = e->ops->execute_synchronously(e, deadline_ns, result);
	}
	e->ops->destroy(e);
	return status;
}

const char *hal_executor_name(enum hal_executor how)
{
	static const char *const names[HAL_ALL_EXECUTORS] = {
		[HAL_SYNC] = "executeSynchronously", [HAL_ASYNC] = "execute",
		[HAL_FENCED] = "executeFenced",	     [HAL_BURST] = "burst",
		[HAL_REUSABLE] = "reusable",	     [HAL_REUSABLE_FENCED] = "reusable, fenced",
	};

	return names[how];
}

enum nnhal_status hal_run(struct nnhal_prepared_model *pm, enum hal_executor how,
			  const struct nnhal_request *request,
			  const struct nnhal_execution_config *config, int64_t deadline_ns,
			  struct nnhal_execution_result *result)
{
	*result = (struct nnhal_execution_result)NNHAL_EXECUTION_RESULT_INIT;
	switch (how) {
	case HAL_SYNC:
		return pm->ops->execute_synchronously(pm, request, config, deadline_ns, result);
	case HAL_ASYNC:
		return run_async(pm, request, config, deadline_ns, result);
	case HAL_BURST:
		return run_burst(pm, request, config, deadline_ns, result);
	case HAL_REUSABLE:
	case HAL_REUSABLE_FENCED:
		return run_reusable(pm, how == HAL_REUSABLE_FENCED, request, config, deadline_ns,
				    result);
	default:
		return run_fenced(pm, request, config, deadline_ns, result);
	}
}

enum nnhal_status hal_status(struct nnhal_prepared_model *pm, enum hal_executor how,
			     const struct nnhal_request *request,
			     const struct nnhal_execution_config *config, int64_t deadline_ns)
{
	struct nnhal_execution_result result;
	enum nnhal_status status = hal_run(pm, how, request, config, deadline_ns, &result);

	nnhal_execution_result_clear(&result);
	return status;
}
