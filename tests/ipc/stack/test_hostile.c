// SPDX-License-Identifier: Apache-2.0
/*
 * A worker that lies (hostile_worker.c): whatever it sends or does not send, the client gets an
 * error, in time, and keeps its descriptors; each callback comes once; and the device works again
 * with the next worker, which is honest. One case per message and lie.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "eventually.h"
#include "stack_test.h"

static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;

/* ---- what a client does ---- */

/* A model of the device, for what needs one; the preparation itself must not be the lie. */
static struct nnhal_prepared_model *model_of(struct nnhal_device *dev)
{
	struct nnhal_prepared_model *pm;

	MUST(stack_prepare(dev, stack_model(1, 4), &pm) == NNHAL_NONE);
	return pm;
}

static enum nnhal_status of_errno(int error)
{
	return error ? NNHAL_GENERAL_FAILURE : NNHAL_NONE;
}

static enum nnhal_status do_supported(struct nnhal_device *dev)
{
	struct nnmodel *m = stack_model(3, 4);
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	bool supported[3];
	char *reasons[3];
	enum nnhal_status status =
		dev->ops->get_supported_operations(dev, m, supported, reasons, &err);

	for (int i = 0; !status && i < 3; i++)
		free(reasons[i]);
	nnmodel_free(m);
	return status;
}

static enum nnhal_status do_prepare(struct nnhal_device *dev)
{
	struct nnhal_prepared_model *pm;
	enum nnhal_status status = stack_prepare(dev, stack_model(1, 4), &pm);

	if (pm)
		pm->ops->destroy(pm);
	return status;
}

static enum nnhal_status do_info(struct nnhal_device *dev)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	int error = nnhal_device_get_info(dev, &info);

	return of_errno(error || info.state != NNHAL_STATE_ONLINE);
}

static enum nnhal_status do_counters(struct nnhal_device *dev)
{
	struct nnhal_counters counters = { .size = sizeof(counters) };

	return of_errno(nnhal_device_get_counters(dev, &counters));
}

static enum nnhal_status do_status(struct nnhal_device *dev)
{
	return of_errno(dev->ops->get_status(dev) != NNHAL_AVAILABLE);
}

static enum nnhal_status do_create_memory(struct nnhal_device *dev)
{
	struct stat st;
	int fd = -1, error = nnhal_memory_create(dev, 8192, &fd);

	MUST((error == 0) == (fd >= 0));
	if (error)
		return NNHAL_GENERAL_FAILURE;
	/* what a client maps must be there, and stay there */
	MUST(!fstat(fd, &st) && st.st_size >= 8192);
	MUST(ftruncate(fd, 0));
	close(fd);
	return NNHAL_NONE;
}

static enum nnhal_status with_call(struct nnhal_device *dev,
				   enum nnhal_status (*fn)(struct nnhal_prepared_model *pm,
							   struct stack_call *call))
{
	struct nnhal_prepared_model *pm = model_of(dev);
	struct stack_call call;
	enum nnhal_status status;

	stack_call_init(&call, 4);
	status = fn(pm, &call);
	stack_call_fini(&call);
	pm->ops->destroy(pm);
	return status;
}

static enum nnhal_status do_sync(struct nnhal_device *dev)
{
	return with_call(dev, stack_run);
}

static enum nnhal_status run_async(struct nnhal_prepared_model *pm, struct stack_call *call)
{
	struct stack_answer *a = stack_answer();
	enum nnhal_status launch =
		pm->ops->execute(pm, &call->request, &config, NNHAL_NO_TIME, stack_executed, a);
	enum nnhal_status status = stack_answer_wait(a);

	MUST(!launch || launch == status);
	return status;
}

static enum nnhal_status do_execute(struct nnhal_device *dev)
{
	return with_call(dev, run_async);
}

static enum nnhal_status end_fenced(enum nnhal_status status, int fence,
				    struct nnhal_fenced_callback *cb)
{
	struct nnhal_timing launched, after;

	MUST((status == NNHAL_NONE) == (cb != NULL));
	MUST(!status || fence == -1);
	if (status)
		return status;
	if (fence >= 0)
		close(fence);
	status = cb->ops->get_execution_info(cb, &launched, &after);
	cb->ops->destroy(cb);
	return status;
}

static enum nnhal_status run_fenced(struct nnhal_prepared_model *pm, struct stack_call *call)
{
	struct nnhal_fenced_callback *cb = NULL;
	int fence = -1;
	enum nnhal_status status = pm->ops->execute_fenced(
		pm, &call->request, NULL, 0, &config, NNHAL_NO_TIME, NNHAL_NO_TIME, &fence, &cb);

	return end_fenced(status, fence, cb);
}

static enum nnhal_status do_fenced(struct nnhal_device *dev)
{
	return with_call(dev, run_fenced);
}

static enum nnhal_status run_burst(struct nnhal_prepared_model *pm, struct stack_call *call)
{
	static const int64_t tokens[] = { 1, 2 };
	struct nnhal_burst *burst = NULL;
	enum nnhal_status status = pm->ops->configure_burst(pm, &burst);

	MUST((status == NNHAL_NONE) == (burst != NULL));
	/* an answer too many is seen by the next execution */
	for (int i = 0; i < 2 && burst && !status; i++) {
		struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

		status = burst->ops->execute_synchronously(burst, &call->request, tokens, 2,
							   &config, NNHAL_NO_TIME, &result);
		nnhal_execution_result_clear(&result);
	}
	if (burst)
		burst->ops->destroy(burst);
	return status;
}

static enum nnhal_status do_burst(struct nnhal_device *dev)
{
	return with_call(dev, run_burst);
}

static enum nnhal_status reusable(struct nnhal_prepared_model *pm, struct stack_call *call,
				  bool fenced)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_fenced_callback *cb = NULL;
	struct nnhal_execution *e = NULL;
	enum nnhal_status status =
		pm->ops->create_reusable_execution(pm, &call->request, &config, &e);
	int fence = -1;

	MUST((status == NNHAL_NONE) == (e != NULL));
	if (!e)
		return status;
	if (fenced) {
		status = e->ops->execute_fenced(e, NULL, 0, NNHAL_NO_TIME, NNHAL_NO_TIME, &fence,
						&cb);
		status = end_fenced(status, fence, cb);
	} else {
		status = e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result);
		nnhal_execution_result_clear(&result);
	}
	e->ops->destroy(e);
	return status;
}

static enum nnhal_status run_reusable(struct nnhal_prepared_model *pm, struct stack_call *call)
{
	return reusable(pm, call, false);
}

static enum nnhal_status run_reusable_fenced(struct nnhal_prepared_model *pm,
					     struct stack_call *call)
{
	return reusable(pm, call, true);
}

static enum nnhal_status do_reusable(struct nnhal_device *dev)
{
	return with_call(dev, run_reusable);
}

static enum nnhal_status do_reusable_fenced(struct nnhal_device *dev)
{
	return with_call(dev, run_reusable_fenced);
}

static enum nnhal_status do_allocate(struct nnhal_device *dev)
{
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	const struct nnhal_buffer_role role = { .probability = 1 };
	struct nnhal_prepared_model *pm = model_of(dev);
	struct nnhal_buffer *buffer = NULL;
	struct stack_call call;
	uint32_t token = 0;
	enum nnhal_status status =
		dev->ops->allocate(dev, &desc, &pm, 1, &role, 1, NULL, 0, &buffer, &token);

	MUST((status == NNHAL_NONE) == (buffer != NULL));
	MUST((status == NNHAL_NONE) == (token > 0));
	if (buffer) {
		stack_call_init(&call, 4);
		status = buffer->ops->copy_from(buffer, &call.pools[0].memory, 0, NULL);
		if (!status)
			status = buffer->ops->copy_to(buffer, &call.pools[1].memory);
		stack_call_fini(&call);
		buffer->ops->destroy(buffer);
	}
	pm->ops->destroy(pm);
	return status;
}

static enum nnhal_status (*const actions[])(struct nnhal_device *dev) = {
	do_supported, do_prepare, do_info,   do_counters, do_status,   do_create_memory,
	do_sync,      do_execute, do_fenced, do_burst,	  do_reusable, do_reusable_fenced,
	do_allocate,
};
enum action {
	SUPPORTED,
	PREPARE,
	INFO,
	COUNTERS,
	STATUS,
	CREATE_MEMORY,
	SYNC,
	EXECUTE,
	FENCED,
	BURST,
	REUSABLE,
	REUSABLE_FENCED,
	ALLOCATE
};

/* ---- cases ---- */

enum expect { FAILS, WORKS, EITHER };

static const char *fault(const struct stack_case *c)
{
	return c->name;
}

/* An honest worker came and went: what the library keeps for ever is there. */
static struct stack_usage honest_first(void)
{
	struct nnhal_device *dev;
	struct stack_usage before;

	unsetenv("NNACCEL_WORKER_FAULT");
	dev = stack_open();
	stack_works_again(dev);
	dev->ops->destroy(dev);
	MUST(EVENTUALLY(!stack_mine().monitors));
	before = stack_usage(getpid());
	return before;
}

/* The lie comes during a call. */
static void lie_in_call(const struct stack_case *c)
{
	struct stack_usage before = honest_first();
	struct stack_processes p;
	enum nnhal_status status;
	struct nnhal_device *dev;

	setenv("NNACCEL_WORKER_FAULT", fault(c), 1);
	dev = stack_open();
	status = actions[c->numbers[0]](dev);
	if (c->numbers[1] == FAILS)
		MUST_SAY(status != NNHAL_NONE, "the lie was believed");
	else if (c->numbers[1] == WORKS)
		MUST_SAY(status == NNHAL_NONE, "%s", nnhal_status_name(status));
	setenv("NNACCEL_WORKER_FAULT", "", 1);
	/* not every lie is worth a death: some are answers of a vendor that make no sense */
	p = stack_mine();
	if (p.workers)
		kill(p.worker, SIGKILL);
	MUST(EVENTUALLY(!stack_mine().workers));
	stack_recovers(dev, before);
}

/* The lie comes before there is a device. */
static void lie_at_start(const struct stack_case *c)
{
	struct stack_usage before = honest_first();
	struct nnhal_device *dev = NULL;
	char message[512] = "";
	int error;

	setenv("NNACCEL_WORKER_FAULT", fault(c), 1);
	error = stack_driver()->open("worker:cpu", &dev, message, sizeof(message));
	MUST((error == 0) == (dev != NULL));
	MUST(error <= 0);
	if (c->numbers[1] == FAILS) {
		MUST_SAY(error, "the lie was believed");
		MUST_SAY(strlen(message) > 10, "message '%s'", message);
	}
	if (dev)
		dev->ops->destroy(dev);
	setenv("NNACCEL_WORKER_FAULT", "", 1);
	stack_recovers(NULL, before);
}

/* The worker sends an unsolicited message right after OPEN: it may die before open() is through. */
static void lie_unsolicited(const struct stack_case *c)
{
	struct stack_usage before = honest_first();
	struct nnhal_device *dev = NULL;
	char message[512] = "";

	setenv("NNACCEL_WORKER_FAULT", fault(c), 1);
	if (!stack_driver()->open("worker:cpu", &dev, message, sizeof(message)))
		MUST_SAY(EVENTUALLY(dev->ops->get_status(dev) == NNHAL_OFFLINE),
			 "the lie was believed");
	setenv("NNACCEL_WORKER_FAULT", "", 1);
	if (!dev)
		MUST_SAY(EVENTUALLY(!stack_driver()->open("worker:cpu", &dev, message,
							  sizeof(message))),
			 "%s", message);
	stack_recovers(dev, before);
}

static void kill_worker(void)
{
	const pid_t worker = stack_worker();

	MUST(!kill(worker, SIGKILL));
	MUST(EVENTUALLY(!stack_alive(worker)));
}

/* Longer than any time that the policy has a client wait. */
static void outwait_policy(void)
{
	nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 200000000 }, NULL);
}

/* The next worker has another device: it is refused, and so are all after it. */
static void other_device(const struct stack_case *c)
{
	struct stack_usage before = honest_first();
	struct nnhal_device *dev = stack_open();

	(void)c;
	setenv("NNACCEL_WORKER_FAULT", "open/other", 1);
	kill_worker();
	MUST(EVENTUALLY(dev->ops->get_status(dev) == NNHAL_OFFLINE));
	MUST(do_supported(dev) == NNHAL_DEAD_OBJECT);
	setenv("NNACCEL_WORKER_FAULT", "", 1);
	for (int i = 0; i < 2; i++) {
		MUST(do_supported(dev) == NNHAL_DEAD_OBJECT);
		MUST(dev->ops->get_status(dev) == NNHAL_OFFLINE);
		MUST(!strcmp(dev->ops->version(dev), "1"));
		if (!i)
			outwait_policy();
	}
	dev->ops->destroy(dev);
	stack_nothing_left(before);
}

/* The fourth crash in a minute: also for who opens the device anew. */
static void crash_limit(const struct stack_case *c)
{
	struct stack_usage before = honest_first();
	struct nnhal_device *dev = stack_open(), *again = NULL;
	char message[512] = "";

	(void)c;
	for (int i = 0; i < 3; i++) {
		kill_worker();
		stack_works_again(dev);
	}
	kill_worker();
	MUST(EVENTUALLY(dev->ops->get_status(dev) == NNHAL_OFFLINE));
	outwait_policy();
	MUST(do_supported(dev) == NNHAL_DEAD_OBJECT);
	MUST(do_prepare(dev) == NNHAL_DEAD_OBJECT);
	MUST(stack_driver()->open("worker:cpu", &again, message, sizeof(message)) == -EPERM);
	MUST_SAY(strstr(message, "crashes"), "message '%s'", message);
	dev->ops->destroy(dev);
	stack_nothing_left(before);
}

/* It answers OPEN, and has never shut its door: what it reports of its layers does not count. */
static void open_door(const struct stack_case *c)
{
	const struct stack_usage before = stack_usage(getpid());
	struct nnhal_device *dev = NULL;
	char message[512] = "";

	setenv("NNACCEL_WORKER_SANDBOX", c->numbers[0] ? "strict" : "default", 1);
	MUST(stack_driver()->open("worker:cpu", &dev, message, sizeof(message)) == -EPERM);
	MUST_SAY(strstr(message, "killed: "), "message '%s'", message);
	stack_nothing_left(before);
}

#define MAX_CASES 700
static struct stack_case cases[MAX_CASES];
static uint32_t num_cases;

static void add(void (*body)(const struct stack_case *c), const char *where, const char *lie,
		enum action action, enum expect expect)
{
	struct stack_case *c = &cases[num_cases++];

	if (num_cases > MAX_CASES)
		abort();
	c->body = body;
	c->numbers[0] = action;
	c->numbers[1] = expect;
	snprintf(c->name, sizeof(c->name), "%s/%s", where, lie);
	if (!strcmp(lie, "never")) {
		snprintf(c->env[0], sizeof(c->env[0]), "NNACCEL_WORKER_CALL_MS=1000");
		snprintf(c->env[1], sizeof(c->env[1]), "NNACCEL_WORKER_WORK_MS=1000");
	}
}

/* Lies that any message can be (hostile_lie.c), and what a client makes of the reply. */
static const struct {
	const char *name;
	enum expect expect;
	bool always; /* of every method */
} lies[] = {
	{ "never", FAILS, true },
	{ "exit", FAILS, true },
	{ "close", FAILS, false },
	{ "twice", EITHER, true },
	{ "serial", FAILS, true },
	{ "serial-zero", FAILS, false },
	{ "method", FAILS, false },
	{ "kind-call", FAILS, false },
	{ "kind-hello", FAILS, false },
	{ "kind-unknown", FAILS, false },
	{ "magic", FAILS, false },
	{ "version", FAILS, false },
	{ "flag-unknown", FAILS, false },
	{ "flag-unsupported", FAILS, true },
	{ "flag-malformed", FAILS, false },
	{ "flag-no-object", FAILS, true },
	{ "length-more", FAILS, false },
	{ "length-less", FAILS, false },
	{ "length-huge", FAILS, false },
	{ "empty", FAILS, true },
	{ "cut", FAILS, true },
	{ "long", FAILS, true },
	{ "garbage", FAILS, true },
	{ "header-short", FAILS, false },
	{ "nothing", FAILS, false },
	{ "fds-extra", FAILS, true },
	{ "fds-missing", FAILS, true },
	{ "fds-many", FAILS, false },
	{ "fds-flood", FAILS, false },
	{ "inline-large", FAILS, false },
	{ "memfd-none", FAILS, false },
	{ "memfd-unsealed", FAILS, false },
	{ "memfd-writable", FAILS, false },
	{ "memfd-small", FAILS, false },
	{ "memfd-huge", FAILS, false },
	{ "memfd-zeros", FAILS, true },
	{ "memfd-pipe", FAILS, false },
};

static void add_all(void (*body)(const struct stack_case *c), const char *where, enum action action,
		    bool all)
{
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
		if (all || lies[i].always)
			add(body, where, lies[i].name, action, lies[i].expect);
}

/* Lies that only one message can tell. */
static const struct {
	const char *where, *lie;
	enum action action;
	enum expect expect;
} special[] = {
	{ "supported", "status", SUPPORTED, FAILS },
	{ "supported", "count-less", SUPPORTED, FAILS },
	{ "supported", "count-more", SUPPORTED, FAILS },
	{ "supported", "count-huge", SUPPORTED, FAILS },
	{ "prepare", "status", PREPARE, FAILS },
	{ "prepare", "notify-first", PREPARE, WORKS },
	{ "prepared", "status", PREPARE, FAILS },
	{ "prepared", "oid-zero", PREPARE, FAILS },
	{ "prepared", "error-with-model", PREPARE, FAILS },
	{ "prepared", "callback-unknown", PREPARE, FAILS },
	{ "prepared", "callback-zero", PREPARE, FAILS },
	{ "prepared", "other-callback", PREPARE, FAILS },
	{ "prepared", "flood", PREPARE, EITHER },
	{ "sync", "status", SYNC, FAILS },
	{ "execute", "status", EXECUTE, FAILS },
	{ "execute", "notify-first", EXECUTE, WORKS },
	{ "executed", "status", EXECUTE, FAILS },
	{ "executed", "callback-unknown", EXECUTE, FAILS },
	{ "executed", "other-callback", EXECUTE, FAILS },
	{ "executed", "flood", EXECUTE, EITHER },
	{ "fenced", "status", FENCED, FAILS },
	{ "fenced", "oid-zero", FENCED, FAILS },
	{ "fenced", "fence-pipe", FENCED, FAILS },
	{ "fenced", "fence-eventfd", FENCED, FAILS },
	{ "fenced", "fence-file", FENCED, FAILS },
	{ "fenced", "fence-memfd", FENCED, FAILS },
	{ "reusable-fenced", "fence-pipe", REUSABLE_FENCED, FAILS },
	{ "reusable-fenced", "oid-zero", REUSABLE_FENCED, FAILS },
	{ "fenced-info", "status", FENCED, FAILS },
	{ "reusable", "status", REUSABLE, FAILS },
	{ "reusable", "oid-zero", REUSABLE, FAILS },
	{ "reusable-sync", "status", REUSABLE, FAILS },
	{ "allocate", "status", ALLOCATE, FAILS },
	{ "allocate", "oid-zero", ALLOCATE, FAILS },
	{ "allocate", "token-zero", ALLOCATE, FAILS },
	{ "copy-to", "status", ALLOCATE, FAILS },
	{ "create-memory", "memory-none", CREATE_MEMORY, FAILS },
	{ "create-memory", "memory-pipe", CREATE_MEMORY, FAILS },
	{ "create-memory", "memory-small", CREATE_MEMORY, FAILS },
	{ "create-memory", "memory-unsealed", CREATE_MEMORY, FAILS },
	{ "create-memory", "errno-positive", CREATE_MEMORY, FAILS },
	{ "configure-burst", "status", BURST, FAILS },
	{ "configure-burst", "oid-zero", BURST, FAILS },
	{ "burst", "status", BURST, FAILS },
	{ "burst", "exit", BURST, FAILS },
	{ "burst", "never", BURST, FAILS },
	{ "burst", "method", BURST, FAILS },
	{ "burst", "serial", BURST, FAILS },
	{ "burst", "cut", BURST, FAILS },
	{ "burst", "tiny", BURST, FAILS },
	{ "burst", "empty", BURST, FAILS },
	{ "burst", "long", BURST, FAILS },
	{ "burst", "garbage", BURST, FAILS },
	{ "burst", "twice", BURST, FAILS },
	{ "burst", "flood", BURST, FAILS },
	{ "burst", "close", BURST, EITHER },
	{ "burst", "shrink", BURST, WORKS },
	{ "burst", "results-garbage", BURST, FAILS },
	{ "burst", "requests-garbage", BURST, FAILS },
	{ "log", "flood", SYNC, WORKS },
	{ "log", "lines", SYNC, WORKS },
	{ "log", "binary", SYNC, WORKS },
	{ "shutdown", "never", SYNC, WORKS },
	{ "get-status", "status", STATUS, FAILS },
};

static const struct {
	const char *where;
	enum action action;
	bool all;
} messages[] = {
	{ "supported", SUPPORTED, false },
	{ "prepare", PREPARE, true },
	{ "info", INFO, true },
	{ "counters", COUNTERS, false },
	{ "create-memory", CREATE_MEMORY, true },
	{ "sync", SYNC, true },
	{ "execute", EXECUTE, false },
	{ "fenced", FENCED, true },
	{ "fenced-info", FENCED, false },
	{ "configure-burst", BURST, false },
	{ "reusable", REUSABLE, false },
	{ "reusable-sync", REUSABLE, false },
	{ "reusable-fenced", REUSABLE_FENCED, false },
	{ "allocate", ALLOCATE, false },
	{ "copy-from", ALLOCATE, false },
	{ "copy-to", ALLOCATE, false },
};

/* Notifications and unsolicited messages have no serial, and no reply "unsupported". */
static bool notifications_tell(const char *lie)
{
	return strncmp(lie, "serial", 6) != 0 && strncmp(lie, "flag", 4) != 0 &&
	       strcmp(lie, "never") != 0;
}

/* HELLO has no serial and no method, and the version is in its payload. */
static bool hello_tells(const char *lie)
{
	return strncmp(lie, "serial", 6) != 0 && strcmp(lie, "method") != 0 &&
	       strcmp(lie, "kind-hello") != 0 && strcmp(lie, "version") != 0;
}

static const struct {
	const char *lie;
	enum expect expect;
} starts[] = {
	{ "refuses", FAILS },
	{ "version-99", FAILS },
	{ "page", EITHER },
};
static const struct {
	const char *lie;
	enum expect expect;
} opens[] = {
	{ "errno", FAILS },
	{ "errno-positive", FAILS },
	{ "no-name", FAILS },
	{ "cache-files", EITHER },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		add_all(lie_in_call, messages[i].where, messages[i].action, messages[i].all);
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		add(lie_in_call, special[i].where, special[i].lie, special[i].action,
		    special[i].expect);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		add(lie_at_start, "hello", lies[i].name, INFO,
		    hello_tells(lies[i].name) ? lies[i].expect : EITHER);
		add(lie_at_start, "open", lies[i].name, INFO, lies[i].expect);
		if (!notifications_tell(lies[i].name))
			continue;
		add(lie_in_call, "prepared", lies[i].name, PREPARE, lies[i].expect);
		add(lie_in_call, "executed", lies[i].name, EXECUTE, lies[i].expect);
		add(lie_unsolicited, "control", lies[i].name, INFO, FAILS);
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		add(lie_at_start, "hello", starts[i].lie, INFO, starts[i].expect);
	for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++)
		add(lie_at_start, "open", opens[i].lie, INFO, opens[i].expect);
	add(other_device, "restart", "other-device", INFO, FAILS);
	add(open_door, "open", "door-default", 0, FAILS);
	add(open_door, "open", "door-strict", 1, FAILS);
	add(crash_limit, "restart", "crash-limit", INFO, FAILS);
	snprintf(cases[num_cases - 1].env[0], sizeof(cases[0].env[0]), "NNACCEL_WORKER_CRASHES=3");
	add(lie_at_start, "spawn", "never", INFO, FAILS);
	add(lie_at_start, "spawn", "exit", INFO, FAILS);
	add(lie_unsolicited, "control", "callback-unknown", INFO, FAILS);
	add(lie_unsolicited, "control", "release", INFO, FAILS);
	add(lie_unsolicited, "control", "lane", INFO, FAILS);
	return stack_main(argc, argv, cases, num_cases);
}
