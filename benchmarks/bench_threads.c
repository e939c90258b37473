// SPDX-License-Identifier: Apache-2.0
/*
 * Executions of a model on one thread and on the threads of the processors, in turns in one run:
 * on the machine as it is, then beside as many processes that only compute as there are processors,
 * and twice as many. "loops" is what the machine gives at most: a loop of 8-bit products, or of
 * additions, on all processors against one; two of them may be halves of one core. Each ratio is of
 * sums of wall time, above 1: threads are faster. (Beside other load an execution is interrupted by
 * a turn of another process or not: medians would tell how often.) Prints a table, then one line of
 * JSON.
 *
 *   bench_threads MODEL.tflite [EXECUTIONS]      (default 300)
 */
#include <error.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_model.h"
#include "nnutil_process.h"

#define MAX_RUNS 5000u
#define MAX_THREADS 64u
#define LOOP_ROUNDS 15u

/* ---- what the machine gives ---- */

static volatile uint32_t sink;

static void *loop(void *unused)
{
	uint32_t lanes[64] = { 1 };

	/* independent sums in vectors: bound by the units of the core, not by latencies */
	for (uint32_t i = 0; i < 400000; i++)
		for (uint32_t k = 0; k < 64; k++)
			lanes[k] += lanes[k] * i + k;
	for (uint32_t k = 0; k < 64; k++)
		sink += lanes[k];
	return unused;
}

static double loops(uint32_t threads)
{
	int64_t one[LOOP_ROUNDS], all[LOOP_ROUNDS];
	pthread_t thread[MAX_THREADS];

	for (uint32_t i = 0; i < LOOP_ROUNDS; i++) {
		int64_t start = bench_now_ns();

		loop(NULL);
		one[i] = bench_now_ns() - start;
		start = bench_now_ns();
		for (uint32_t t = 1; t < threads; t++)
			if (pthread_create(&thread[t], NULL, loop, NULL))
				error(1, 0, "a thread cannot be created");
		loop(NULL);
		for (uint32_t t = 1; t < threads; t++)
			pthread_join(thread[t], NULL);
		all[i] = bench_now_ns() - start;
	}
	return (double)bench_median(one, LOOP_ROUNDS) * threads /
	       (double)bench_median(all, LOOP_ROUNDS);
}

/* ---- other load ---- */

static void begin_load(pid_t *pids, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			error(1, 0, "a process cannot be created");
		if (!pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				loop(NULL);
		}
	}
}

static void end_load(const pid_t *pids, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

/* ---- executions ---- */

struct side {
	struct nnhal_device *dev;
	struct nnhal_prepared_model *model;
	struct nnhal_burst *burst;
	struct bench_call call;
};

static void open_side(struct side *s, const char *threads, const struct nnmodel *model)
{
	char why[256];

	if (threads)
		setenv("NNACCEL_JOB_THREADS", threads, 1);
	else
		unsetenv("NNACCEL_JOB_THREADS");
	s->dev = bench_open_device("cpu");
	s->model = bench_prepare(s->dev, model, why);
	if (!s->model)
		error(1, 0, "the model was refused: %s", why);
	if (s->model->ops->configure_burst(s->model, &s->burst))
		error(1, 0, "there is no burst");
	bench_call_init(&s->call, model);
}

static void close_side(struct side *s)
{
	s->burst->ops->destroy(s->burst);
	s->model->ops->destroy(s->model);
	bench_call_fini(&s->call);
	s->dev->ops->destroy(s->dev);
}

static double measure(struct side *one, struct side *all, uint32_t runs, double us[2])
{
	struct side *const sides[2] = { one, all };

	us[0] = us[1] = 0;
	for (uint32_t i = 0; i < runs; i++)
		for (uint32_t k = 0; k < 2; k++) {
			struct side *s = sides[(i + k) % 2];
			int64_t start = bench_now_ns();

			bench_run(s->model, s->burst, &s->call);
			us[(i + k) % 2] += (double)(bench_now_ns() - start) / 1000 / runs;
		}
	return us[0] / us[1];
}

int main(int argc, char **argv)
{
	static struct side one, all;
	const uint32_t processors = nnutil_processors();
	const uint32_t threads = processors < MAX_THREADS / 2 ? processors : MAX_THREADS / 2;
	uint32_t runs = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 300;
	double us[3][2], ratio[3], limit;
	struct nnmodel *model;
	pid_t pids[MAX_THREADS];

	if (argc < 2)
		error(2, 0, "usage: bench_threads MODEL.tflite [EXECUTIONS]");
	runs = runs < 10 ? 10 : runs > MAX_RUNS ? MAX_RUNS : runs;
	model = bench_file_model(argv[1]);
	limit = loops(threads);
	open_side(&one, "1", model);
	open_side(&all, NULL, model);
	measure(&one, &all, runs / 10 + 1, us[0]); /* warm up */
	for (uint32_t load = 0; load < 3; load++) {
		begin_load(pids, load * threads);
		ratio[load] = measure(&one, &all, runs, us[load]);
		end_load(pids, load * threads);
	}
	bench_compare(&one.call, &all.call);
	printf("%s, %u executions\n%-34s %10s %10s %6s\n", argv[1], runs, "", "1 thread", "all",
	       "ratio");
	printf("%-34s %10s %10s %6.2f\n", "loops, for comparison", "", "", limit);
	for (uint32_t load = 0; load < 3; load++)
		printf("beside %2u processes that compute    %7.0f us %7.0f us %6.2f\n",
		       load * threads, us[load][0], us[load][1], ratio[load]);
	printf("{\"bench\":\"threads\",\"processors\":%u,\"loops\":%.2f,\"idle\":%.2f,"
	       "\"busy\":%.2f,\"busier\":%.2f}\n",
	       processors, limit, ratio[0], ratio[1], ratio[2]);
	close_side(&one);
	close_side(&all);
	nnmodel_free(model);
	return 0;
}
