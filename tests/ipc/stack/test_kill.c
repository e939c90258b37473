// SPDX-License-Identifier: Apache-2.0
/*
 * The real worker dies, or hangs, at every step of the protocol (fault_worker.c); it is killed in
 * the middle of 16 executions; and its host is killed at every step. Every call returns, every
 * callback comes once, fences end, the next worker works, and nothing is left.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eventually.h"
#include "lines.h"
#include "nnutil_fence.h"
#include "stack_test.h"
#include "task_state.h"
#include "worker/nnipc_worker.h"

static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;

/* ---- everything that a client can do, whatever the answers are ---- */

static void try_burst(struct nnhal_prepared_model *pm, struct stack_call *call)
{
	static const int64_t tokens[] = { 1, 2 };
	struct nnhal_burst *burst;

	if (pm->ops->configure_burst(pm, &burst))
		return;
	for (int i = 0; i < 2; i++) {
		struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

		burst->ops->execute_synchronously(burst, &call->request, tokens, 2, &config,
						  NNHAL_NO_TIME, &result);
		nnhal_execution_result_clear(&result);
	}
	burst->ops->release_memory_resource(burst, 1);
	burst->ops->destroy(burst);
}

static void end_fence(int fence, struct nnhal_fenced_callback *cb)
{
	struct nnhal_timing launched, after;
	struct pollfd p = { .fd = fence, .events = POLLIN };

	if (fence >= 0) {
		MUST_SAY(poll(&p, 1, 120000) == 1, "the fence does not end");
		close(fence);
	}
	MUST_SAY(EVENTUALLY(cb->ops->get_execution_info(cb, &launched, &after) !=
			    NNHAL_GENERAL_FAILURE),
		 "no end of the fenced execution");
	cb->ops->destroy(cb);
}

static void try_fenced(struct nnhal_prepared_model *pm, struct stack_call *call)
{
	struct nnhal_fenced_callback *cb = NULL;
	int fence = -1;

	if (!pm->ops->execute_fenced(pm, &call->request, NULL, 0, &config, NNHAL_NO_TIME,
				     NNHAL_NO_TIME, &fence, &cb))
		end_fence(fence, cb);
}

static void try_reusable(struct nnhal_prepared_model *pm, struct stack_call *call)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_execution *e;

	if (pm->ops->create_reusable_execution(pm, &call->request, &config, &e))
		return;
	e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result);
	nnhal_execution_result_clear(&result);
	e->ops->destroy(e);
}

static void try_buffer(struct nnhal_device *dev, struct nnhal_prepared_model *pm,
		       struct stack_call *call)
{
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	const struct nnhal_buffer_role role = { .probability = 1 };
	struct nnhal_buffer *buffer;
	uint32_t token;

	if (dev->ops->allocate(dev, &desc, &pm, 1, &role, 1, NULL, 0, &buffer, &token))
		return;
	buffer->ops->copy_from(buffer, &call->pools[0].memory, 0, NULL);
	buffer->ops->copy_to(buffer, &call->pools[1].memory);
	buffer->ops->destroy(buffer);
}

static void try_all(struct nnhal_device *dev)
{
	struct nnmodel *m = stack_model(1, 1024);
	struct stack_answer *a = stack_answer();
	struct nnhal_prepared_model *pm;
	struct stack_call call;
	bool supported;

	dev->ops->get_supported_operations(dev, m, &supported, NULL, NULL);
	nnmodel_free(m);
	stack_call_init(&call, 1024);
	if (!stack_prepare(dev, stack_model(1, 1024), &pm)) {
		stack_run(pm, &call);
		pm->ops->execute(pm, &call.request, &config, NNHAL_NO_TIME, stack_executed, a);
		stack_answer_wait(a);
		try_fenced(pm, &call);
		try_fenced(pm, &call);
		try_burst(pm, &call);
		try_reusable(pm, &call);
		try_buffer(dev, pm, &call);
		pm->ops->destroy(pm);
	} else {
		stack_executed(a, NNHAL_DEAD_OBJECT,
			       &(struct nnhal_execution_result)NNHAL_EXECUTION_RESULT_INIT);
	}
	stack_call_fini(&call);
}

static struct stack_usage honest_first(void)
{
	struct nnhal_device *dev;

	unsetenv("NNACCEL_WORKER_FAULT");
	dev = stack_open();
	try_all(dev);
	dev->ops->destroy(dev);
	MUST(EVENTUALLY(!stack_mine().monitors));
	return stack_usage(getpid());
}

/* ---- at a step ---- */

#define STEP_NAME(name) name,
static const char *const steps[] = { NNIPC_FAULT_POINTS(STEP_NAME) };
#define NUM_STEPS (sizeof(steps) / sizeof(steps[0]))

static bool is_start(const char *step)
{
	return strstr(step, "hello") || strstr(step, "before-open");
}

/* The worker ends, or is killed because it hangs, at the step that the case names. */
static void at_step(const struct stack_case *c)
{
	struct stack_usage before = honest_first();
	struct nnhal_device *dev = NULL;
	char message[512] = "";
	pid_t worker;

	setenv("NNACCEL_WORKER_FAULT", c->name, 1);
	if (is_start(c->name)) {
		MUST(stack_driver()->open("worker:cpu", &dev, message, sizeof(message)) < 0);
		MUST_SAY(strlen(message) > 10, "message '%s'", message);
	} else if (!stack_driver()->open("worker:cpu", &dev, message, sizeof(message))) {
		struct stack_processes p = stack_mine();

		worker = p.worker;
		try_all(dev);
		/* a release needs no answer: no call waits for a worker that hangs in one */
		if (worker && !(strstr(c->name, "hang") && !strncmp(c->name, "release", 7)))
			MUST_SAY(EVENTUALLY(!stack_alive(worker)),
				 "the worker never came to the step");
	}
	setenv("NNACCEL_WORKER_FAULT", "", 1);
	if (!dev)
		MUST_SAY(EVENTUALLY(!stack_driver()->open("worker:cpu", &dev, message,
							  sizeof(message))),
			 "%s", message);
	stack_recovers(dev, before);
}

/* ---- in the middle of 16 executions ---- */

#define MODELS 4
/* seconds of work unless it is ended */
#define LONG_OPS 200
#define LONG_ELEMENTS (1u << 20)

struct runner {
	struct nnhal_prepared_model *pm;
	struct stack_call call;
	pthread_t thread;
	_Atomic pid_t tid;
	enum nnhal_status status;
	bool burst;
};

static void *run(void *arg)
{
	struct runner *r = arg;
	static const int64_t tokens[] = { 1, 2 };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_burst *burst;

	if (!r->burst) {
		r->tid = (pid_t)syscall(SYS_gettid);
		r->status = stack_run(r->pm, &r->call);
		return NULL;
	}
	MUST(!r->pm->ops->configure_burst(r->pm, &burst));
	r->tid = (pid_t)syscall(SYS_gettid);
	r->status = burst->ops->execute_synchronously(burst, &r->call.request, tokens, 2, &config,
						      NNHAL_NO_TIME, &result);
	nnhal_execution_result_clear(&result);
	burst->ops->destroy(burst);
	return NULL;
}

struct fenced_run {
	struct stack_call call;
	struct nnhal_fenced_callback *cb;
	int fence;
};

static void check_fenced(struct fenced_run *f)
{
	struct nnhal_timing launched, after;
	struct pollfd p = { .fd = f->fence, .events = POLLIN };
	int64_t at;

	/* an execution that was launched, and has not ended by itself, ends in error */
	MUST_SAY(f->fence >= 0, "the fenced execution was over at once");
	MUST_SAY(poll(&p, 1, 120000) == 1, "the fence does not end");
	MUST_SAY(EVENTUALLY(nnutil_fence_status(f->fence, &at) < 0), "the fence has status %d",
		 nnutil_fence_status(f->fence, &at));
	MUST(f->cb->ops->get_execution_info(f->cb, &launched, &after) == NNHAL_DEAD_OBJECT);
	f->cb->ops->destroy(f->cb);
	close(f->fence);
	stack_call_fini(&f->call);
}

static void in_the_middle(const struct stack_case *c)
{
	struct stack_usage before = honest_first();
	struct nnhal_device *dev = stack_open();
	struct nnhal_prepared_model *pm[MODELS];
	static struct runner runners[2 * MODELS];
	static struct fenced_run fenced[MODELS];
	static struct stack_call calls[MODELS];
	struct stack_answer *a[MODELS];
	const pid_t worker = stack_worker();

	for (int i = 0; i < MODELS; i++) {
		MUST(!stack_prepare(dev, stack_model(LONG_OPS, LONG_ELEMENTS), &pm[i]));
		for (int k = 0; k < 2; k++) {
			struct runner *r = &runners[2 * i + k];

			r->pm = pm[i];
			r->burst = k;
			stack_call_init(&r->call, LONG_ELEMENTS);
			MUST(!pthread_create(&r->thread, NULL, run, r));
		}
		stack_call_init(&calls[i], LONG_ELEMENTS);
		a[i] = stack_answer();
		MUST(!pm[i]->ops->execute(pm[i], &calls[i].request, &config, NNHAL_NO_TIME,
					  stack_executed, a[i]));
		stack_call_init(&fenced[i].call, LONG_ELEMENTS);
		MUST(!pm[i]->ops->execute_fenced(pm[i], &fenced[i].call.request, NULL, 0, &config,
						 NNHAL_NO_TIME, NNHAL_NO_TIME, &fenced[i].fence,
						 &fenced[i].cb));
	}
	for (int i = 0; i < 2 * MODELS; i++)
		MUST(EVENTUALLY(runners[i].tid && thread_asleep(runners[i].tid)));
	usleep(c->numbers[0]);
	MUST(!kill(worker, SIGKILL));
	for (int i = 0; i < 2 * MODELS; i++) {
		pthread_join(runners[i].thread, NULL);
		MUST_SAY(runners[i].status == NNHAL_DEAD_OBJECT, "%s %d: %s",
			 runners[i].burst ? "burst" : "synchronous", i,
			 nnhal_status_name(runners[i].status));
		stack_call_fini(&runners[i].call);
	}
	for (int i = 0; i < MODELS; i++) {
		MUST_SAY(stack_answer_wait(a[i]) == NNHAL_DEAD_OBJECT, "callback: %s",
			 nnhal_status_name((enum nnhal_status)a[i]->status));
		stack_call_fini(&calls[i]);
		check_fenced(&fenced[i]);
		/* an object of the dead worker says so, at once */
		stack_call_init(&calls[i], 4);
		MUST(stack_run(pm[i], &calls[i]) == NNHAL_DEAD_OBJECT);
		stack_call_fini(&calls[i]);
	}
	stack_works_again(dev);
	for (int i = 0; i < MODELS; i++)
		pm[i]->ops->destroy(pm[i]);
	dev->ops->destroy(dev);
	stack_nothing_left(before);
}

/* Preparations are in flight instead. */
static void among_preparations(const struct stack_case *c)
{
	static const struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;
	struct stack_usage before = honest_first();
	struct nnhal_device *dev = stack_open();
	const pid_t worker = stack_worker();
	struct nnmodel *m = stack_model(300, 4096);
	struct stack_answer *a[16];

	for (int i = 0; i < 16; i++) {
		a[i] = stack_answer();
		dev->ops->prepare_model(dev, m, &prepare, stack_prepared, a[i]);
		if (i == (int)c->numbers[0])
			MUST(!kill(worker, SIGKILL));
	}
	nnmodel_free(m);
	for (int i = 0; i < 16; i++) {
		/* those after the death have another worker */
		enum nnhal_status status = stack_answer_wait(a[i]);

		MUST_SAY(status == NNHAL_NONE || status == NNHAL_DEAD_OBJECT, "%s",
			 nnhal_status_name(status));
		if (a[i]->model)
			a[i]->model->ops->destroy(a[i]->model);
	}
	stack_recovers(dev, before);
}

/* The thread that started the worker ends: the worker must not take it for its host. */
static void *open_in_thread(void *arg)
{
	(void)arg;
	return stack_open();
}

static void thread_ends(const struct stack_case *c)
{
	struct stack_usage before = honest_first();
	struct nnhal_device *dev;
	pthread_t thread;
	void *opened;
	pid_t worker;

	(void)c;
	MUST(!pthread_create(&thread, NULL, open_in_thread, NULL));
	MUST(!pthread_join(thread, &opened));
	dev = opened;
	worker = stack_worker();
	for (int i = 0; i < 50; i++) {
		struct nnhal_prepared_model *pm;

		MUST(!stack_prepare(dev, stack_model(1, 4), &pm));
		pm->ops->destroy(pm);
	}
	MUST(stack_worker() == worker);
	dev->ops->destroy(dev);
	stack_nothing_left(before);
}

/* ---- the host is killed ---- */

/* A host: opens, works, and sits where its worker hangs until it is killed. */
static void __attribute__((noreturn)) be_host(const char *fault)
{
	struct nnhal_device *dev = NULL;
	char message[512];

	setenv("NNACCEL_WORKER_FAULT", fault, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!stack_driver()->open("worker:cpu", &dev, message, sizeof(message)))
		try_all(dev);
	for (;;)
		pause();
}

/* Its first thread does nothing any more: it has come to the step, or waits for who has. */
static bool settled(pid_t pid)
{
	char path[64];
	long ran;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	ran = lines_number(path, "");
	usleep(20000);
	return lines_number(path, "") == ran;
}

static bool ended(pid_t pid)
{
	while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
		;
	return !stack_alive(pid);
}

static void host_dies(const struct stack_case *c)
{
	char fault[64];
	pid_t host, worker = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* the case is "host/STEP" */
	snprintf(fault, sizeof(fault), "%s:1:hang", strchr(c->name, '/') + 1);
	host = fork();
	if (!host)
		be_host(fault);
	MUST(host > 0);
	MUST_SAY(EVENTUALLY((worker = stack_processes(getpid(), host).worker)),
		 "no worker was started");
	MUST(EVENTUALLY(settled(host) && settled(worker)));
	kill(host, SIGKILL);
	/* it hangs for ever, so a worker that does not notice is still there then */
	MUST_SAY(EVENTUALLY(ended(worker)), "the worker outlives its host");
}

/* ---- cases ---- */

static struct stack_case cases[200];
static uint32_t num_cases;

static struct stack_case *add(void (*body)(const struct stack_case *c), const char *format,
			      const char *step, uint32_t number)
{
	struct stack_case *c = &cases[num_cases++];

	if (num_cases > sizeof(cases) / sizeof(cases[0]))
		abort();
	c->body = body;
	c->numbers[0] = number;
	snprintf(c->name, sizeof(c->name), "%s%s", step, format);
	return c;
}

static void add_hang(const char *step)
{
	struct stack_case *c = add(at_step, ":1:hang", step, 0);

	snprintf(c->env[0], sizeof(c->env[0]), "NNACCEL_WORKER_CALL_MS=2000");
	snprintf(c->env[1], sizeof(c->env[1]), "NNACCEL_WORKER_WORK_MS=2000");
}

/* These come once in the life of a worker, or not in what try_all() does. */
static bool comes_once(const char *step)
{
	return is_start(step) || !strcmp(step, "after-open-reply");
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < NUM_STEPS; i++) {
		struct stack_case *c;

		/* ENUMERATE is no part of open(): test_ipc_enumerate() of the host's tests */
		if (!strcmp(steps[i], "before-enumerate-reply"))
			continue;
		add(at_step, ":1", steps[i], 0);
		if (!comes_once(steps[i]))
			add(at_step, ":2", steps[i], 0);
		c = add(host_dies, "", "", 0);
		snprintf(c->name, sizeof(c->name), "host/%s", steps[i]);
	}
	add_hang("before-hello");
	add_hang("before-launch");
	add_hang("after-vendor-launch");
	add_hang("during-execution");
	add_hang("burst-before-reply");
	add_hang("release");
	for (uint32_t i = 0; i < 4; i++)
		add(in_the_middle, (const char *[]){ "0", "1", "2", "3" }[i], "16-executions-",
		    i * i * 10000);
	for (uint32_t i = 0; i < 3; i++)
		add(among_preparations, (const char *[]){ "0", "1", "2" }[i], "16-preparations-",
		    i * 7);
	add(thread_ends, "", "thread-that-opened-ends", 0);
	return stack_main(argc, argv, cases, num_cases);
}
