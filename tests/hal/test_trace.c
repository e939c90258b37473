// SPDX-License-Identifier: Apache-2.0
/*
 * The trace of a synchronous, single-threaded run against clocks of its own: the self times of all
 * layers add up to the application's time, the driver's self time is the HAL's, and the device's is
 * the firmware's, to 2 %. On a busy machine this thread may lose the processor between a clock and
 * its mark, so one of several attempts must succeed.
 */
#include "hal_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nntrace.h"

#define RUNS 20
#define ATTEMPTS 5
#define ELEMENTS (1u << 16)
#define OPS 8u
#define MAX_DEPTH 32

enum layer { APPLICATION, RUNTIME, IPC, DRIVER, LAYERS, NONE };

/* ns, of the clocks that are not the trace's */
struct clocks {
	int64_t application, driver, device;
};

/* us, from the trace */
struct totals {
	int64_t self[LAYERS]; /* of the application's thread */
	int64_t span; /* of its outermost scope */
	int64_t job; /* the firmware's, in its own threads and in the application's */
	int executions, jobs;
};

static char path[] = "/tmp/test_hal_trace.XXXXXX", target[64];

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* ---- the application ---- */

static struct nnhal_prepared_model *prepare(void)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "prepare");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel");

	return hal_prepare(hal_dev, hal_model_long(OPS, ELEMENTS));
}

static void call(struct nnhal_prepared_model *pm, struct hal_call *c, struct clocks *clocks)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "compute");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "execute");
	const struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	assert_int_equal(hal_run(pm, HAL_SYNC, &c->request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	clocks->driver += result.timing.in_driver_ns;
	clocks->device += result.timing.on_device_ns;
	nnhal_execution_result_clear(&result);
}

/* Time of the application's own. */
static void fill(struct hal_call *c, int seed)
{
	float *in = hal_in(c, 0);

	for (uint32_t i = 0; i < ELEMENTS; i++)
		in[i] = (float)((i + (uint32_t)seed) % 100) * 0.01f;
}

static void one_case(struct clocks *clocks)
{
	NNTRACE_APP(NNTRACE_PHASE_OVERALL, "case");
	const uint32_t bytes = ELEMENTS * sizeof(float);
	struct nnhal_prepared_model *pm = prepare();
	struct hal_call c;

	hal_call_init(&c, true, &bytes, 1, &bytes, 1);
	for (int i = 0; i < RUNS; i++) {
		NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "inference");

		fill(&c, i);
		call(pm, &c, clocks);
	}
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* ---- the analyser ---- */

struct scope {
	enum layer layer;
	int64_t begin, inside; /* @inside: of scopes of other layers within */
	bool job;
};

/* What the firmware writes about a job. */
static const char job_mark[] = "[NN_LC_PCO]nnfw job";

/*
 * The rules that matter here: HIDL's server is the driver, and so is the CPU in a process that has
 * one; notify and utilities are their caller's.
 */
static enum layer layer_of(const char *mark, enum layer parent)
{
	static const char *const tags[LAYERS] = { "[NN_LA_", "[NN_LR_", "[NN_LI_", "[NN_LD_" };

	for (int i = 0; i < LAYERS; i++)
		if (strstr(mark, tags[i]))
			return (enum layer)i;
	if (strstr(mark, "[NN_LU_") || strstr(mark, "notify::client"))
		return parent;
	return strstr(mark, "::server") || strstr(mark, "[NN_LC_") ? DRIVER : NONE;
}

static void begin(struct scope *stack, int *depth, const char *mark, int64_t us)
{
	enum layer parent = *depth ? stack[*depth - 1].layer : NONE, layer = layer_of(mark, parent);

	assert_in_range(*depth, 0, MAX_DEPTH - 1);
	/* each layer is within itself or the one above */
	assert_in_range(layer, 0, LAYERS - 1);
	if (parent == NONE)
		assert_int_equal(layer, APPLICATION);
	else
		assert_true(layer == parent || layer == parent + 1);
	stack[(*depth)++] = (struct scope){ layer, us, 0, strstr(mark, job_mark) != NULL };
}

static void end(struct scope *stack, int *depth, int64_t us, struct totals *t)
{
	struct scope *s = &stack[--(*depth)];

	assert_true(*depth >= 0);
	t->self[s->layer] += us - s->begin - s->inside;
	t->job += s->job ? us - s->begin : 0;
	t->jobs += s->job;
	/* time of nested scopes is already counted in their layers */
	if (*depth)
		stack[*depth - 1].inside += us - s->begin;
	else
		t->span += us - s->begin;
}

static void analyse(struct totals *t)
{
	struct scope stack[MAX_DEPTH];
	long long seconds, micros;
	int64_t job = 0, us;
	char line[512];
	int depth = 0, tid;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	memset(t, 0, sizeof(*t));
	while (fgets(line, sizeof(line), f)) {
		char *mark = strstr(line, ": tracing_mark_write: ");

		if (!mark)
			continue;
		/* a line begins "COMM-TID   ( TGID) [CPU] ...." */
		assert_non_null(strchr(line, ']'));
		assert_int_equal(sscanf(strchr(line, ']'), "] .... %lld.%lld:", &seconds, &micros),
				 2);
		us = seconds * 1000000 + micros;
		tid = atoi(strchr(line, '-') + 1);
		mark += strlen(": tracing_mark_write: ");
		if (tid == (int)gettid() && mark[0] == 'B') {
			begin(stack, &depth, mark, us);
			t->executions += strstr(mark, "IPreparedModel::execute::server") != NULL;
		} else if (tid == (int)gettid()) {
			end(stack, &depth, us, t);
		} else if (strstr(mark, job_mark)) {
			job = us;
		} else if (job && strstr(line, "nnfw/")) {
			t->job += us - job;
			t->jobs++;
			job = 0;
		}
	}
	fclose(f);
	assert_int_equal(depth, 0);
}

/* ---- both ---- */

static bool close_to(const char *what, int64_t us, int64_t ns)
{
	double off = (double)us * 1e3 / (double)ns - 1;

	printf("# %s: %.3f ms in the trace, %.3f ms by the clock, %+.2f %%\n", what,
	       (double)us / 1e3, (double)ns / 1e6, off * 100);
	return off > -0.02 && off < 0.02;
}

static bool attempt(void)
{
	struct clocks clocks = { 0 };
	struct totals t;
	int64_t sum = 0;
	bool ok;

	/* the lines of the attempt before */
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(nntrace_start(target), 0);
	clocks.application = -now();
	one_case(&clocks);
	clocks.application += now();
	nntrace_stop();
	analyse(&t);

	assert_int_equal(t.executions, RUNS);
	for (int i = 0; i < LAYERS; i++) {
		/* no time is negative, and no layer is missing */
		assert_true(t.self[i] > 0);
		sum += t.self[i];
	}
	assert_int_equal(sum, t.span);
	ok = close_to("application", sum, clocks.application);
	/* preparation is the driver's, too, but not in its executions' times */
	printf("# self times: application %lld us, runtime %lld, IPC %lld, driver %lld\n",
	       (long long)t.self[APPLICATION], (long long)t.self[RUNTIME], (long long)t.self[IPC],
	       (long long)t.self[DRIVER]);
	/*
	 * in the guest of a software emulation the marks themselves, inside the driver's calls,
	 * take some 2 % of them
	 */
	ok = (close_to("driver", t.self[DRIVER], clocks.driver) || hal_is_card()) && ok;
	if (!hal_is_card()) {
		assert_int_equal(t.jobs, RUNS);
		ok = close_to("device", t.job, clocks.device) && ok;
	}
	return ok;
}

static void test_times_are_true(void **state)
{
	(void)state;
	for (int i = 0; i < ATTEMPTS; i++)
		if (attempt())
			return;
	fail_msg("the trace's times are not the clocks' in any of %d attempts", ATTEMPTS);
}

/*
 * The firmware's copy of libnntrace reads the environment when it is loaded, which is when the
 * device is opened.
 */
static int setup(void **state)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return -1;
	close(fd);
	snprintf(target, sizeof(target), "file:%s", path);
	/*
	 * for the firmware's copy; ours is switched by each attempt, and reads the environment now
	 */
	nntrace_stop();
	setenv("NNTRACE", target, 1);
	return hal_setup(state);
}

static int teardown(void **state)
{
	unlink(path);
	return hal_teardown(state);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_are_true),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
