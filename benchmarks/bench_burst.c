// SPDX-License-Identifier: Apache-2.0
/*
 * The cost of an execution on a burst over that of its bare job, with the same program, arguments
 * and memory: on a card two ioctls, in process the firmware's submit and the wait for completion.
 * Both take turns in one run, so that other load affects both. The program is one ADD of four
 * floats, so that the overhead dominates. Prints a table, then one line of JSON.
 *
 *   bench_burst [DEVICE]      (accel0, cpu; default: the first device)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "values/nnhal_values.h"
#include "execute/nnhal_execute.h"
#include "nnutil_clock.h"
#include "transport/kernel_device.h"

#define WARM_UP 300u
#define ROUNDS 3000u
#define WAIT_NS (20 * INT64_C(1000000000))

#define CHECK(what)                 \
	do {                        \
		if (!(what))        \
			die(#what); \
	} while (0)

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_burst: failed: %s\n", what);
	exit(1);
}

/* ---- a model, a request ---- */

static struct nnhal_prepared_model *prepare_add(struct nnhal_device *dev)
{
	const struct nnhal_prepare_config config = {
		.size = sizeof(config),
		.preference = NNHAL_SUSTAINED_SPEED,
		.priority = NNHAL_PRIORITY_MEDIUM,
		.deadline_ns = NNHAL_NO_TIME,
	};
	const uint32_t dims[] = { 4 }, inputs[] = { 0, 1, 3 }, outputs[] = { 2 };
	struct nnmodel *m = nnmodel_new();
	struct nnhal_prepared_model *prepared;
	char message[256];

	CHECK(m);
	for (int i = 0; i < 3; i++)
		CHECK(nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, dims,
					  1, 0, 0) == i);
	CHECK(nnmodel_add_int32(m, NNMODEL_FUSED_NONE) == 3);
	CHECK(nnmodel_add_operation(m, NNMODEL_ADD, inputs, 3, outputs, 1) == 0);
	CHECK(nnmodel_set_io(m, inputs, 2, outputs, 1) == 0);
	if (nnhal_prepare_model(dev, m, &config, &prepared, message, sizeof(message)))
		fprintf(stderr, "bench_burst: %s\n", message);
	nnmodel_free(m);
	CHECK(prepared);
	return prepared;
}

struct call {
	struct nnhal_request_argument inputs[2], outputs[1];
	struct nnhal_request_pool pools[2];
	struct nnhal_request request;
	float *in, *out;
};

static float *add_pool(struct nnhal_device *dev, struct nnhal_request_pool *pool, int prot)
{
	float *map;

	pool->memory = (struct nnhal_memory){ .prot = prot, .size = 4096 };
	CHECK(!nnhal_memory_create(dev, 4096, &pool->memory.fd));
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, pool->memory.fd, 0);
	CHECK(map != MAP_FAILED);
	return map;
}

static void call_init(struct call *c, struct nnhal_device *dev)
{
	memset(c, 0, sizeof(*c));
	c->in = add_pool(dev, &c->pools[0], PROT_READ);
	c->out = add_pool(dev, &c->pools[1], PROT_READ | PROT_WRITE);
	c->inputs[0] = (struct nnhal_request_argument){ .pool = 0, .offset = 0, .length = 16 };
	c->inputs[1] = (struct nnhal_request_argument){ .pool = 0, .offset = 64, .length = 16 };
	c->outputs[0] = (struct nnhal_request_argument){ .pool = 1, .offset = 0, .length = 16 };
	c->request = (struct nnhal_request){ .size = sizeof(struct nnhal_request),
					     .inputs = c->inputs,
					     .outputs = c->outputs,
					     .num_inputs = 2,
					     .num_outputs = 1,
					     .pools = c->pools,
					     .num_pools = 2 };
	for (int i = 0; i < 4; i++) {
		c->in[i] = (float)i;
		c->in[16 + i] = 10;
	}
}

/* Failures are fast: check the result. */
static void check_output(struct call *c)
{
	for (int i = 0; i < 4; i++)
		CHECK(c->out[i] == (float)i + 10);
	memset(c->out, 0, 16);
}

/* ---- the bare job ---- */

struct bare {
	struct nnhal_transport *t;
	struct nnhal_tqueue *queue;
	struct nnhal_tsubmit submit;
	bool card;
	/* on a card: the arguments of SUBMIT and of the wait, filled once */
	struct drm_nnaccel_bo_ref bos[8];
	struct drm_nnaccel_sync sync;
	struct drm_nnaccel_job job;
	struct drm_nnaccel_submit ioctl;
};

static void list_memory(struct bare *b, const struct nnhal_tref *ref)
{
	uint32_t handle = ((const struct kmem *)ref->mem)->bo->handle, i;
	uint32_t count = b->job.bos.count;

	for (i = 0; i < count && b->bos[i].handle != handle; i++)
		;
	CHECK(i < sizeof(b->bos) / sizeof(b->bos[0]));
	b->bos[i].handle = handle;
	b->bos[i].flags |= DRM_NNACCEL_BO_REF_READ | (ref->write ? DRM_NNACCEL_BO_REF_WRITE : 0);
	b->job.bos.count = i < count ? count : count + 1;
}

static void bare_init(struct bare *b, const struct nnhal_binding *binding)
{
	const struct nnhal_tsubmit *s = &b->submit;

	memset(b, 0, sizeof(*b));
	b->t = binding->pm->dev->t;
	b->card = b->t->type == NNHAL_DEVICE_ACCELERATOR;
	CHECK(!b->t->ops->queue_create(b->t, NNHAL_PRIORITY_MEDIUM, &b->queue));
	nnhal_binding_submit(binding, 0, &b->submit);
	if (!b->card)
		return;
	CHECK(!drmSyncobjCreate(((struct kernel *)b->t)->fd, 0, &b->sync.handle));
	b->sync.flags = DRM_NNACCEL_SYNC_SYNCOBJ | DRM_NNACCEL_SYNC_SIGNAL;
	b->job = (struct drm_nnaccel_job){
		.program_addr = s->program_addr,
		.program_size = s->program_size,
		.program_generation = s->program_generation,
		.result_addr = s->result_addr,
		.result_size = s->result_size,
		.loop_ns = s->loop_ns,
		.args = { sizeof(*s->args), s->num_args, (uintptr_t)s->args },
		.syncs = { sizeof(b->sync), 1, (uintptr_t)&b->sync },
	};
	for (uint32_t i = 0; i < s->num_mems; i++)
		list_memory(b, &s->mems[i]);
	b->job.bos = (struct drm_nnaccel_array){ sizeof(b->bos[0]), b->job.bos.count,
						 (uintptr_t)b->bos };
	b->ioctl = (struct drm_nnaccel_submit){
		.queue_id = ((struct kqueue *)b->queue)->id,
		.jobs = { sizeof(b->job), 1, (uintptr_t)&b->job },
	};
}

static void bare_fini(struct bare *b)
{
	if (b->card)
		drmSyncobjDestroy(((struct kernel *)b->t)->fd, b->sync.handle);
	b->t->ops->queue_destroy(b->t, b->queue);
}

static void run_bare(struct bare *b)
{
	struct nnhal_tend end;
	struct nnhal_tjob *job;
	int fd;

	if (b->card) {
		fd = ((struct kernel *)b->t)->fd;
		CHECK(!drmIoctl(fd, DRM_IOCTL_NNACCEL_SUBMIT, &b->ioctl));
		CHECK(!drmSyncobjWait(fd, &b->sync.handle, 1, nnutil_monotonic_ns() + WAIT_NS, 0,
				      NULL));
		return;
	}
	CHECK(!b->t->ops->submit(b->t, b->queue, &b->submit, &job));
	CHECK(!b->t->ops->wait(b->t, job, true, &end));
	CHECK(end.status == NNACCEL_STATUS_OK);
	b->t->ops->job_free(b->t, job);
}

/* ---- both ---- */

static void run_burst(struct nnhal_burst *burst, struct call *c)
{
	static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	static const int64_t tokens[] = { 1, 2 };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	CHECK(burst->ops->execute_synchronously(burst, &c->request, tokens, 2, &config,
						NNHAL_NO_TIME, &result) == NNHAL_NONE);
	nnhal_execution_result_clear(&result);
}

static void run_plain(struct nnhal_prepared_model *pm, struct call *c)
{
	static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	CHECK(pm->ops->execute_synchronously(pm, &c->request, &config, NNHAL_NO_TIME, &result) ==
	      NNHAL_NONE);
	nnhal_execution_result_clear(&result);
}

enum way { BARE, BURST, PLAIN, WAYS };

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const char *const names[WAYS] = { "submit and wait, bare", "on a burst",
						 "executeSynchronously" };
	static int64_t ns[WAYS][ROUNDS];
	struct nnhal_device *dev;
	struct nnhal_prepared_model *pm;
	struct nnhal_binding *binding;
	struct nnhal_burst *burst;
	const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	char message[NNHAL_MESSAGE];
	struct bare bare;
	struct call c;

	if (nnhal_open(argc > 1 ? argv[1] : NULL, &dev, message, sizeof(message)))
		die(message);
	pm = prepare_add(dev);
	call_init(&c, dev);
	CHECK(pm->ops->configure_burst(pm, &burst) == NNHAL_NONE);
	CHECK(nnhal_bind((struct nnhal_pm *)pm, &c.request, &config, NNHAL_NO_TIME, &binding,
			 message) == NNHAL_NONE);
	CHECK(!binding->num_staged); /* a staged argument would make the bare job a different one */
	bare_init(&bare, binding);

	for (uint32_t i = 0; i < WARM_UP + ROUNDS; i++)
		for (uint32_t k = 0; k < WAYS; k++) {
			/* every order of the ways occurs equally often */
			enum way w = (i / 2 + (i % 2 ? WAYS - k : k)) % WAYS;
			int64_t start = nnutil_monotonic_ns();

			if (w == BARE)
				run_bare(&bare);
			else if (w == BURST)
				run_burst(burst, &c);
			else
				run_plain(pm, &c);
			if (i >= WARM_UP)
				ns[w][i - WARM_UP] = nnutil_monotonic_ns() - start;
			check_output(&c);
		}

	printf("%-28s %9s %9s\n", dev->ops->name(dev), "median", "p95");
	for (enum way w = 0; w < WAYS; w++) {
		qsort(ns[w], ROUNDS, sizeof(ns[w][0]), compare);
		printf("%-28s %9.2f %9.2f us\n", names[w], (double)ns[w][ROUNDS / 2] / 1e3,
		       (double)ns[w][ROUNDS / 100 * 95] / 1e3);
	}
	printf("%-28s %9.2f\n", "burst over bare",
	       (double)ns[BURST][ROUNDS / 2] / (double)ns[BARE][ROUNDS / 2]);
	printf("{\"bench\":\"burst\",\"device\":\"%s\",\"bare_ns\":%" PRId64
	       ",\"burst_ns\":%" PRId64 ",\"execute_ns\":%" PRId64 ",\"burst_per_bare\":%.3f}\n",
	       dev->ops->name(dev), ns[BARE][ROUNDS / 2], ns[BURST][ROUNDS / 2],
	       ns[PLAIN][ROUNDS / 2], (double)ns[BURST][ROUNDS / 2] / (double)ns[BARE][ROUNDS / 2]);

	bare_fini(&bare);
	nnhal_unbind(binding);
	burst->ops->destroy(burst);
	munmap(c.in, 4096);
	munmap(c.out, 4096);
	close(c.pools[0].memory.fd);
	close(c.pools[1].memory.fd);
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	return 0;
}
