// SPDX-License-Identifier: Apache-2.0
/*
 * The effects of clients of one card on each other: the wait of a small job behind a long operation
 * and behind a loop, the lateness of deadlines, the shares of ten clients, the cost of a reset for
 * innocent clients. Prints lines "# figure: ..." and lines of JSON. Resets need the control port of
 * the emulated card.
 *
 *   bench_policy [RESETS [PART]]      (100; all parts, else one of delays, lateness, share, resets)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnaccel_load.h"

#define SAMPLES 200u
#define CLIENTS 10u
#define BYSTANDERS 3u
#define PIPELINED 300u

struct row {
	int64_t *ns;
	size_t n;
};

static double speed;
static unsigned int resets = 100;
static const char *part;

static void die(const char *what, int error) __attribute__((noreturn));

static void die(const char *what, int error)
{
	fprintf(stderr, "bench_policy: %s: %s\n", what, strerror(-error));
	nn_params_restore();
	exit(1);
}

static void must(const char *what, int error)
{
	if (error)
		die(what, error);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static struct row row_new(void)
{
	struct row row = { .ns = calloc(SAMPLES > resets ? SAMPLES : resets, sizeof(int64_t)) };

	if (!row.ns)
		die("memory", -ENOMEM);
	return row;
}

/* Print median, 99th percentile and maximum of a row, as text and as JSON. */
static void report(const char *text, const char *name, struct row *row)
{
	double ms[3];

	if (!row->n)
		die(name, -ENODATA);
	qsort(row->ns, row->n, sizeof(row->ns[0]), compare);
	ms[0] = row->ns[row->n / 2] / 1e6;
	ms[1] = row->ns[row->n * 99 / 100] / 1e6;
	ms[2] = row->ns[row->n - 1] / 1e6;
	printf("# figure: %s: median %.2f ms, p99 %.2f ms, max %.2f ms (%zu)\n", text, ms[0], ms[1],
	       ms[2], row->n);
	printf("{\"bench\": \"%s\", \"median_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f, \"n\": %zu}\n",
	       name, ms[0], ms[1], ms[2], row->n);
	fflush(stdout);
	free(row->ns);
}

static void rig(struct nn_rig *r, unsigned int user)
{
	must("open", nn_rig_open_as(r, NN_NOBODY - user));
}

static void submit_long(struct nn_rig *r, const struct nn_long *work)
{
	struct nn_job job;

	nn_long_job(work, &job);
	nn_job_signal(&job, r->done, 0);
	must("submit", nn_submit(&r->queue, &job));
}

/* Run small jobs one after another until @big's job has ended or the row is full. */
static struct row small_jobs(struct nn_rig *small, struct nn_rig *big)
{
	struct row row = row_new();

	while (row.n < SAMPLES && nn_syncobj_wait(big->fd, big->done, 0, 0)) {
		int64_t start = nn_now();

		if (nn_rig_run(small))
			break;
		row.ns[row.n++] = nn_now() - start;
		nn_sleep_ms(10);
	}
	return row;
}

static void delays(void)
{
	struct nn_rig small, big;
	struct nn_program loop;
	struct nn_long work;
	struct nn_job job;
	struct row row;

	rig(&small, 0);
	rig(&big, 1);
	must("small job", nn_rig_run(&small));
	row = row_new();
	for (row.n = 0; row.n < SAMPLES; row.n++) {
		int64_t start = nn_now();

		must("small job", nn_rig_run(&small));
		row.ns[row.n] = nn_now() - start;
	}
	report("a small job alone", "small_alone", &row);

	must("long operation", nn_long_open(big.fd, 8000, 1, speed, &work));
	submit_long(&big, &work);
	nn_sleep_ms(200);
	row = small_jobs(&small, &big);
	report("a small job beside an operation of 8 s", "small_beside_operation", &row);
	nn_fence_end(big.fd, big.done, 0);
	nn_long_close(&work);

	must("loop", nn_program_loop(big.fd, &loop));
	memset(big.a.map, 0, NN_PAGE);
	nn_loop_job(&loop, &big.a, &big.out, 15 * NN_NS_PER_S, &job);
	nn_job_signal(&job, big.done, 0);
	must("submit", nn_submit(&big.queue, &job));
	nn_sleep_ms(200);
	row = small_jobs(&small, &big);
	report("a small job beside a loop of 15 s", "small_beside_loop", &row);
	nn_fence_end(big.fd, big.done, 0);
	nn_program_free(&loop);
	nn_rig_close(&big);
	nn_rig_close(&small);
}

/* Deadlines of jobs that wait behind a long operation, and of long operations. */
static void lateness(void)
{
	struct row queued = row_new(), running = row_new();
	struct nn_rig r, big;
	struct nn_long work;
	struct nn_job job;
	uint32_t behind;

	rig(&r, 0);
	rig(&big, 1);
	behind = nn_syncobj(big.fd);
	must("long operation", nn_long_open(big.fd, 8000, 1, speed, &work));
	submit_long(&big, &work);
	nn_sleep_ms(200);
	while (queued.n < SAMPLES / 2 && nn_syncobj_wait(big.fd, big.done, 0, 0)) {
		int64_t deadline = nn_now() + (10 + queued.n % 20) * NN_NS_PER_MS;

		/* in the queue of the long job, so that it cannot begin */
		nn_job_null(&job);
		job.job.deadline_ns = deadline;
		nn_job_signal(&job, behind, 0);
		if (nn_submit(&big.queue, &job))
			break;
		nn_fence_end(big.fd, behind, 0);
		queued.ns[queued.n++] = nn_now() - deadline;
	}
	must("cancel", nn_queue_free(&big.queue));
	nn_long_close(&work);
	nn_rig_close(&big);
	report("a deadline in the queue is late by", "deadline_queued", &queued);

	must("long operation", nn_long_open(r.fd, 2000, 1, speed, &work));
	while (running.n < 30) {
		int64_t deadline = nn_now() + (50 + running.n) * NN_NS_PER_MS;

		nn_long_job(&work, &job);
		job.job.deadline_ns = deadline;
		nn_job_signal(&job, r.done, 0);
		if (nn_submit(&r.queue, &job))
			break;
		nn_fence_end(r.fd, r.done, 0);
		running.ns[running.n++] = nn_now() - deadline;
	}
	report("a deadline on the engine is late by", "deadline_running", &running);
	nn_long_close(&work);
	nn_rig_close(&r);
}

static void share(void)
{
	int64_t least = INT64_MAX, most = 0;
	struct nn_rig clients[CLIENTS];
	struct nn_long works[CLIENTS];
	unsigned int finished = 0;
	bool over = false;

	for (unsigned int i = 0; i < CLIENTS; i++) {
		rig(&clients[i], i);
		must("long operation", nn_long_open(clients[i].fd, 8000, 1, speed, &works[i]));
	}
	/* a loaded machine needs more than the fence timeout */
	must("fence_max_ms", nn_param_set("fence_max_ms", 1800000));
	for (unsigned int i = 0; i < CLIENTS; i++)
		submit_long(&clients[i], &works[i]);
	/* at half of the time of all of them, none has finished */
	for (int64_t end = nn_now() + 40 * NN_NS_PER_S; !over && nn_now() < end; nn_sleep_ms(100))
		for (unsigned int i = 0; i < CLIENTS; i++)
			over |= nn_syncobj_wait(clients[i].fd, clients[i].done, 0, 0) == 0;
	for (unsigned int i = 0; i < CLIENTS; i++) {
		int64_t ns = 0;

		nn_engine_ns(clients[i].fd, &ns);
		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	for (unsigned int i = 0; i < CLIENTS; i++) {
		/* all ten take longer than one wait */
		for (int k = 0;
		     k < 60 && nn_syncobj_wait(clients[i].fd, clients[i].done, 0, NN_WAIT_S); k++)
			;
		if (nn_fence_end(clients[i].fd, clients[i].done, 0))
			fprintf(stderr, "bench_policy: client %u ended with status %#x\n", i,
				nn_status(&clients[i].queue, 1));
		else
			finished++;
	}
	printf("# figure: %u clients of 8 s each: %u finished; share of time after half of it: %.2f s to %.2f s, %.2f : 1\n",
	       CLIENTS, finished, least / 1e9, most / 1e9, least > 0 ? (double)most / least : 0);
	printf("{\"bench\": \"share\", \"finished\": %u, \"max_min\": %.3f}\n", finished,
	       least > 0 ? (double)most / least : 0);
	fflush(stdout);
	for (unsigned int i = 0; i < CLIENTS; i++) {
		nn_long_close(&works[i]);
		nn_rig_close(&clients[i]);
	}
}

/*
 * Innocent clients with full queues, half of them with real jobs, while a client hangs the card
 * repeatedly.
 */
static void reset_cost(void)
{
	uint64_t jobs = 0, lost = 0, never = 0, banned = 0;
	struct nn_rig guilty, others[BYSTANDERS];
	struct row back = row_new();
	unsigned int abort_ms;

	must("abort_ms", nn_param_set("abort_ms", 200));
	must("abort_ms", nn_param_get("abort_ms", &abort_ms));
	rig(&guilty, 0);
	for (unsigned int i = 0; i < BYSTANDERS; i++)
		rig(&others[i], 1 + i);
	/* opening the device resets parameters */
	must("abort_ms", nn_param_set("abort_ms", abort_ms));
	for (unsigned int i = 0; i < resets; i++) {
		struct drm_nnaccel_counters before;
		uint64_t innocent[BYSTANDERS];
		struct drm_nnaccel_queue_state state;
		struct nn_job job;
		int64_t start;

		must("hang", nn_card_fault(guilty.fd, "hang-at-job=1"));
		must("counters", nn_counters(guilty.fd, &before));
		nn_rig_job(&guilty, &job);
		job.job.max_ns = NN_NS_PER_MS;
		must("submit", nn_submit(&guilty.queue, &job));
		must("begin", nn_wait_begun(&guilty.queue, &before));
		start = nn_now();
		for (unsigned int b = 0; b < BYSTANDERS; b++) {
			must("state", nn_queue_state(&others[b].queue, &state));
			innocent[b] = state.innocent;
			for (unsigned int k = 0; k < PIPELINED; k++) {
				if (k & 1) {
					nn_job_null(&job);
				} else {
					nn_rig_job(&others[b], &job);
					job.num_syncs = 0;
				}
				nn_job_signal(&job, others[b].done, 0);
				must("submit", nn_submit(&others[b].queue, &job));
				jobs++;
			}
		}
		/* the outage ends with the first job that ends */
		for (;;) {
			must("state", nn_queue_state(&others[0].queue, &state));
			if (state.queued < PIPELINED)
				break;
			if (nn_now() - start > NN_WAIT_S * NN_NS_PER_S)
				die("reset", -ETIMEDOUT);
			nn_sleep_ms(1);
		}
		back.ns[back.n++] = nn_now() - start;
		for (unsigned int b = 0; b < BYSTANDERS; b++) {
			uint64_t now;

			nn_fence_end(others[b].fd, others[b].done, 0);
			must("state", nn_queue_state(&others[b].queue, &state));
			now = state.innocent - innocent[b];
			lost += now;
			/* at most one job per queue can have begun */
			never += now > 1 ? now - 1 : 0;
			banned += state.health != DRM_NNACCEL_QUEUE_OK;
		}
		nn_fence_end(guilty.fd, guilty.done, 0);
		must("queue", nn_queue_free(&guilty.queue));
		must("queue", nn_queue_new(guilty.fd, DRM_NNACCEL_PRIORITY_MEDIUM, &guilty.queue));
		/* the restart into the next hang keeps the parameters */
		must("abort_ms", nn_param_set("abort_ms", abort_ms));
	}
	printf("# figure: %u resets under load: of %" PRIu64 " jobs of innocents %" PRIu64
	       " that had begun were lost, %" PRIu64 " that had not; %" PRIu64 " queues banned\n",
	       resets, jobs, lost - never, never, banned);
	printf("{\"bench\": \"resets\", \"resets\": %u, \"jobs\": %" PRIu64
	       ", \"lost_begun\": %" PRIu64 ", \"lost_not_begun\": %" PRIu64 "}\n",
	       resets, jobs, lost - never, never);
	report("from the hang to the next job done, of which abort_ms is 200 ms",
	       "hang_to_next_job", &back);
	for (unsigned int b = 0; b < BYSTANDERS; b++)
		nn_rig_close(&others[b]);
	nn_card_heal(guilty.fd);
	nn_rig_close(&guilty);
}

static bool wanted(const char *name)
{
	return !part || strcmp(part, name) == 0;
}

int main(int argc, char **argv)
{
	struct nn_rig r;

	if (argc > 1)
		resets = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		part = argv[2];
	rig(&r, 0);
	must("speed", nn_speed(r.fd, &speed));
	nn_rig_close(&r);
	if (wanted("delays"))
		delays();
	if (wanted("lateness"))
		lateness();
	if (wanted("share"))
		share();
	if (wanted("resets") && nn_has_control() && resets)
		reset_cost();
	return 0;
}
