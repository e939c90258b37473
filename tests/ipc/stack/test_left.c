// SPDX-License-Identifier: Apache-2.0
/*
 * What thousands of objects leave behind in the client and in its worker: no descriptor, no
 * mapping, no memory.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "eventually.h"
#include "nnutil_fence.h"
#include "stack_test.h"

#ifdef __SANITIZE_ADDRESS__
/* it keeps freed memory for a while, and is slow */
#define SANITIZED 1
#define CYCLES(n) ((n) / 10)
#else
#define SANITIZED 0
#define CYCLES(n) (n)
#endif
/* KiB: allocators keep some; one leaked object of each cycle would be more */
#define GROWTH 2048
/*
 * Threads have stacks and allocators that split mappings; one more of each cycle is a leak. TSan
 * maps memory for as many threads as there ever were, and gives none back: this is not in its lane.
 */
#define MAPPINGS 64

static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
static struct stack_call call;

/* ---- cycles ---- */

static void prepare_and_release(struct nnhal_device *dev, struct nnhal_prepared_model *pm)
{
	(void)pm;
	MUST(!stack_prepare(dev, stack_model(1, 4), &pm));
	pm->ops->destroy(pm);
}

static void burst(struct nnhal_device *dev, struct nnhal_prepared_model *pm)
{
	static const int64_t tokens[] = { 1, 2 };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_burst *b;

	(void)dev;
	MUST(!pm->ops->configure_burst(pm, &b));
	MUST(!b->ops->execute_synchronously(b, &call.request, tokens, 2, &config, NNHAL_NO_TIME,
					    &result));
	nnhal_execution_result_clear(&result);
	b->ops->destroy(b);
}

/* New memory each time. */
static void fresh_memory(struct nnhal_device *dev, struct nnhal_prepared_model *pm)
{
	struct stack_call fresh;

	(void)dev;
	stack_call_init(&fresh, 4);
	MUST(!stack_run(pm, &fresh));
	stack_call_fini(&fresh);
}

static void fenced(struct nnhal_device *dev, struct nnhal_prepared_model *pm)
{
	struct nnhal_fenced_callback *cb, *next;
	int gate, signal, fence, second;

	(void)dev;
	/* behind a fence, so that each cycle takes what a device keeps for waiting, the first as
	 * well */
	MUST(!nnutil_fence_create(&gate, &signal));
	MUST(!pm->ops->execute_fenced(pm, &call.request, &gate, 1, &config, NNHAL_NO_TIME,
				      NNHAL_NO_TIME, &fence, &cb));
	/* one after the other */
	MUST(!pm->ops->execute_fenced(pm, &call.request, &fence, fence >= 0, &config, NNHAL_NO_TIME,
				      NNHAL_NO_TIME, &second, &next));
	nnutil_fence_signal(signal, 0);
	close(gate);
	if (fence >= 0)
		close(fence);
	/* so that the next cycle, which writes the same memory, comes after this one */
	if (second >= 0) {
		MUST(!nnutil_fence_wait(second));
		close(second);
	}
	cb->ops->destroy(cb);
	next->ops->destroy(next);
}

static void asynchronous(struct nnhal_device *dev, struct nnhal_prepared_model *pm)
{
	struct stack_answer *a = stack_answer();

	(void)dev;
	MUST(!pm->ops->execute(pm, &call.request, &config, NNHAL_NO_TIME, stack_executed, a));
	MUST(!stack_answer_wait(a));
}

static void reusable(struct nnhal_device *dev, struct nnhal_prepared_model *pm)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_execution *e;

	(void)dev;
	MUST(!pm->ops->create_reusable_execution(pm, &call.request, &config, &e));
	MUST(!e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result));
	nnhal_execution_result_clear(&result);
	e->ops->destroy(e);
}

static void buffer(struct nnhal_device *dev, struct nnhal_prepared_model *pm)
{
	const uint32_t dims[] = { 4 };
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc), .rank = 1, .dims = dims };
	const struct nnhal_buffer_role role = { .probability = 1 };
	struct nnhal_memory memory = call.pools[0].memory;
	struct nnhal_buffer *b;
	uint32_t token;

	MUST(!dev->ops->allocate(dev, &desc, &pm, 1, &role, 1, NULL, 0, &b, &token));
	memory.size = 16;
	MUST(!b->ops->copy_from(b, &memory, 0, NULL));
	b->ops->destroy(b);
}

static void memory(struct nnhal_device *dev, struct nnhal_prepared_model *pm)
{
	int fd;

	(void)pm;
	MUST(!nnhal_memory_create(dev, 4096, &fd));
	close(fd);
}

static void (*const cycles[])(struct nnhal_device *dev, struct nnhal_prepared_model *pm) = {
	prepare_and_release, burst, fresh_memory, fenced, asynchronous, reusable, buffer, memory,
};

/* ---- cases ---- */

static void must_be_constant(const char *who, pid_t pid, struct stack_usage before)
{
	struct stack_usage after;

	/* releases run on their own threads */
	MUST_SAY(EVENTUALLY(stack_usage(pid).fds <= before.fds), "%s: %d descriptors, %d before",
		 who, stack_usage(pid).fds, before.fds);
	MUST_SAY(EVENTUALLY(stack_usage(pid).maps <= before.maps + MAPPINGS),
		 "%s: %d mappings, %d before", who, stack_usage(pid).maps, before.maps);
	after = stack_usage(pid);
	fprintf(stderr, "%s: %d descriptors, %d mappings, %ld KiB; before %d, %d, %ld\n", who,
		after.fds, after.maps, after.rss, before.fds, before.maps, before.rss);
	if (!SANITIZED)
		MUST_SAY(after.rss <= before.rss + GROWTH, "%s: %ld KiB, %ld before", who,
			 after.rss, before.rss);
}

/* A tenth of the cycles fills pools and caches; the rest must add nothing. */
static void many(const struct stack_case *c)
{
	struct stack_usage start = stack_usage(getpid()), host, its;
	struct nnhal_device *dev = stack_open();
	struct nnhal_prepared_model *pm;
	const pid_t worker = stack_worker();

	MUST(!stack_prepare(dev, stack_model(1, 4), &pm));
	stack_call_init(&call, 4);
	for (uint32_t i = 0; i < c->numbers[1]; i++) {
		if (i == c->numbers[1] / 10) {
			host = stack_usage(getpid());
			its = stack_usage(worker);
			MUST_SAY(its.fds > 0 && its.maps > 0 && its.rss > 0,
				 "/proc/%d cannot be read", (int)worker);
		}
		cycles[c->numbers[0]](dev, pm);
	}
	must_be_constant("client", getpid(), host);
	must_be_constant("worker", worker, its);
	stack_call_fini(&call);
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	MUST_SAY(EVENTUALLY(!stack_mine().monitors), "the worker is left");
	/* the library itself keeps a few */
	MUST_SAY(EVENTUALLY(stack_usage(getpid()).fds <= start.fds + 4),
		 "%d descriptors, %d at start", stack_usage(getpid()).fds, start.fds);
}

static void devices(const struct stack_case *c)
{
	struct stack_usage before;

	for (uint32_t i = 0; i < c->numbers[1]; i++) {
		struct nnhal_device *dev = stack_open();

		dev->ops->destroy(dev);
		if (i == c->numbers[1] / 10)
			before = stack_usage(getpid());
	}
	must_be_constant("client", getpid(), before);
	stack_nothing_left(before);
}

/* Prepared models outlive the device object, in any order. */
static void device_first(const struct stack_case *c)
{
	struct nnhal_prepared_model *pm[8];
	struct nnhal_device *dev = stack_open();

	(void)c;
	for (int i = 0; i < 8; i++)
		MUST(!stack_prepare(dev, stack_model(1, 4), &pm[i]));
	dev->ops->destroy(dev);
	stack_call_init(&call, 4);
	for (int i = 0; i < 8; i++) {
		MUST(!stack_run(pm[i], &call));
		pm[i]->ops->destroy(pm[i]);
	}
	stack_call_fini(&call);
	MUST_SAY(EVENTUALLY(!stack_mine().monitors), "the worker is left");
}

int main(int argc, char **argv)
{
	static const struct stack_case cases[] = {
		{ "10000-preparations", many, .numbers = { 0, CYCLES(10000) } },
		{ "bursts", many, .numbers = { 1, CYCLES(2000) } },
		{ "memory-of-requests", many, .numbers = { 2, CYCLES(4000) } },
		{ "fenced-executions", many, .numbers = { 3, CYCLES(2000) } },
		{ "asynchronous-executions", many, .numbers = { 4, CYCLES(4000) } },
		{ "reusable-executions", many, .numbers = { 5, CYCLES(2000) } },
		{ "buffers", many, .numbers = { 6, CYCLES(2000) } },
		{ "memory-of-the-device", many, .numbers = { 7, CYCLES(2000) } },
		{ "devices", devices, .numbers = { 0, CYCLES(100) } },
		{ "device-destroyed-first", device_first, .numbers = { 0 } },
	};

	return stack_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
