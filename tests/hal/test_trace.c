// SPDX-License-Identifier: Apache-2.0
/*
 * The trace of a synchronous, single-threaded run against clocks of its own. Each mark is written
 * between two readings of a clock, so a time in the trace lies between the time of what it encloses
 * and the time of what encloses it, however busy the machine is: the application's scope between
 * clocks inside and outside of it, the driver's self time between what the HAL reports and the time
 * of the calls, the device's job within its call and around what the firmware reports. How close
 * they come to each other is printed.
 */
#include "hal_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nntrace.h"
#include "temp.h"

#define RUNS 20
#define ELEMENTS (1u << 16)
#define OPS 8u
#define MAX_DEPTH 32

enum layer { APPLICATION, RUNTIME, IPC, DRIVER, LAYERS, NONE };

/* ns, of the clocks that are not the trace's */
struct clocks {
	int64_t outside, inside; /* of the application's outermost scope */
	int64_t calls; /* all calls of the HAL, by the caller */
	int64_t driver, device[RUNS]; /* executions: what the HAL reports */
	int runs;
};

/* us, from the trace */
struct totals {
	int64_t self[LAYERS]; /* of the application's thread */
	int64_t span; /* of its outermost scope */
	int64_t job; /* the firmware's, in its own threads and in the application's */
	int64_t job_begin[RUNS], job_end[RUNS], call_begin[RUNS], call_end[RUNS];
	int executions, jobs, driver_scopes; /* driver's: outermost ones */
};

static const char *path;
static char target[128];

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* ---- the application ---- */

static struct nnhal_prepared_model *prepare(struct clocks *clocks)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "prepare");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel");
	int64_t begin = now();
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_long(OPS, ELEMENTS));

	clocks->calls += now() - begin;
	return pm;
}

static void call(struct nnhal_prepared_model *pm, struct hal_call *c, struct clocks *clocks)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "compute");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "execute");
	const struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	int64_t begin = now();

	assert_int_equal(hal_run(pm, HAL_SYNC, &c->request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	clocks->calls += now() - begin;
	clocks->driver += result.timing.in_driver_ns;
	clocks->device[clocks->runs++] = result.timing.on_device_ns;
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
	int64_t begin = now();
	struct nnhal_prepared_model *pm = prepare(clocks);
	struct hal_call c;

	hal_call_init(&c, true, &bytes, 1, &bytes, 1);
	for (int i = 0; i < RUNS; i++) {
		NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "inference");

		fill(&c, i);
		call(pm, &c, clocks);
	}
	hal_call_fini(&c);
	pm->ops->destroy(pm);
	clocks->inside = now() - begin;
}

/* ---- the analyser ---- */

struct scope {
	enum layer layer;
	int64_t begin, inside; /* @inside: of scopes of other layers within */
	bool job, call;
};

/* What the driver writes about an execution. */
static const char call_mark[] = "IPreparedModel::execute::server";

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
	stack[(*depth)++] = (struct scope){ layer, us, 0, strstr(mark, job_mark) != NULL,
					    strstr(mark, call_mark) != NULL };
}

static void add_job(struct totals *t, int64_t begin, int64_t end)
{
	assert_in_range(t->jobs, 0, RUNS - 1);
	t->job_begin[t->jobs] = begin;
	t->job_end[t->jobs++] = end;
	t->job += end - begin;
}

static void end(struct scope *stack, int *depth, int64_t us, struct totals *t)
{
	struct scope *s = &stack[--(*depth)];

	assert_true(*depth >= 0);
	t->self[s->layer] += us - s->begin - s->inside;
	t->driver_scopes += s->layer == DRIVER && *depth && stack[*depth - 1].layer == IPC;
	if (s->job)
		add_job(t, s->begin, us);
	if (s->call) {
		assert_in_range(t->executions, 0, RUNS - 1);
		t->call_begin[t->executions] = s->begin;
		t->call_end[t->executions++] = us;
	}
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
		} else if (tid == (int)gettid()) {
			end(stack, &depth, us, t);
		} else if (strstr(mark, job_mark)) {
			job = us;
		} else if (job && strstr(line, "nnfw/")) {
			add_job(t, job, us);
			job = 0;
		}
	}
	fclose(f);
	assert_int_equal(depth, 0);
}

/* ---- both ---- */

/*
 * @us of the trace, the sum of @scopes scopes, is at least @least_ns and at most @most_ns. The
 * trace cuts each reading of the clock to a microsecond.
 */
static void check_between(const char *what, int64_t us, int scopes, int64_t least_ns,
			  int64_t most_ns)
{
	int64_t cut = scopes * 1000ll;

	printf("# %s: %.3f ms in the trace; clocks inside %.3f (%+.2f %%), outside %.3f (%+.2f %%)\n",
	       what, (double)us / 1e3, (double)least_ns / 1e6,
	       ((double)us * 1e3 / (double)least_ns - 1) * 100, (double)most_ns / 1e6,
	       ((double)us * 1e3 / (double)most_ns - 1) * 100);
	assert_true(least_ns > 0);
	assert_true(us * 1000 >= least_ns - cut);
	assert_true(us * 1000 <= most_ns + cut);
}

/* The firmware takes the time of a job within its mark, and again after it, within the call. */
static void check_jobs(const struct clocks *clocks, const struct totals *t)
{
	int64_t reported = 0;

	assert_int_equal(t->jobs, RUNS);
	for (int i = 0; i < RUNS; i++) {
		assert_true(t->job_begin[i] >= t->call_begin[i]);
		assert_true(t->job_end[i] > t->job_begin[i]);
		assert_true(t->job_end[i] <= t->call_end[i]);
		assert_true(clocks->device[i] > 0);
		assert_true(clocks->device[i] <= (t->call_end[i] - t->job_begin[i] + 1) * 1000);
		reported += clocks->device[i];
	}
	printf("# device: %.3f ms in the trace, %.3f ms by the firmware\n", (double)t->job / 1e3,
	       (double)reported / 1e6);
}

TEST(test_times_are_true)
{
	struct clocks clocks = { 0 };
	struct totals t;
	int64_t sum = 0;

	assert_int_equal(nntrace_start(target), 0);
	clocks.outside = -now();
	one_case(&clocks);
	clocks.outside += now();
	nntrace_stop();
	analyse(&t);

	assert_int_equal(clocks.runs, RUNS);
	assert_int_equal(t.executions, RUNS);
	for (int i = 0; i < LAYERS; i++) {
		/* no time is negative, and no layer is missing */
		assert_true(t.self[i] > 0);
		sum += t.self[i];
	}
	assert_int_equal(sum, t.span);
	printf("# self times: application %lld us, runtime %lld, IPC %lld, driver %lld\n",
	       (long long)t.self[APPLICATION], (long long)t.self[RUNTIME], (long long)t.self[IPC],
	       (long long)t.self[DRIVER]);
	check_between("application", sum, 1, clocks.inside, clocks.outside);
	check_between("driver", t.self[DRIVER], t.driver_scopes, clocks.driver, clocks.calls);
	if (!hal_is_card())
		check_jobs(&clocks, &t);
}

/*
 * The firmware's copy of libnntrace reads the environment when it is loaded, which is when the
 * device is opened.
 */
static int setup(void **state)
{
	path = temp_path("trace");
	temp_write_text(path, "");
	snprintf(target, sizeof(target), "file:%s", path);
	/*
	 * for the firmware's copy; ours is switched by the test, and reads the environment now
	 */
	nntrace_stop();
	setenv("NNTRACE", target, 1);
	return hal_setup(state);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_are_true),
	};

	return cmocka_run_group_tests(tests, setup, hal_teardown);
}
