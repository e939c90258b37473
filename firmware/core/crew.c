// SPDX-License-Identifier: Apache-2.0
/*
 * Threads of one operation: the job's thread and helpers, which are workers without a job, claim
 * pieces of a split by a counter. The job's thread waits for pieces that have begun, never for a
 * helper. Helpers stay for a moment between splits, looking for the next one, because a thread that
 * sleeps takes longer to wake than most operations run. Documentation/firmware.rst has the rules of
 * help.
 */
#include <errno.h>
#include <sched.h>

#include "core.h"
#include "nnutil_clock.h"
#include "nnutil_process.h"

/** Length of a piece at most, in grains of the operation. */
#define GRAINS 64u
/** A piece is this part of a thread's share of what is left, if that is between. */
#define PART 2u
/** A split of so many grains is worth waking a worker. */
#define WAKE 8u
/** Steps of a split: the bits of a claim for each of its ends. */
#define STEP_BITS 16
#define MAX_STEPS ((1u << STEP_BITS) - 1)
#define FRONT(claim) ((uint32_t)(claim)&MAX_STEPS)
#define BACK(claim) ((uint32_t)((claim) >> STEP_BITS) & MAX_STEPS)
#define SPLIT_SHIFT (2 * STEP_BITS)

/** Time that a helper stays without work. */
#define STAY_NS 50000
/** Time that the job's thread looks before it sleeps. */
#define LOOK_NS 20000
/** A look this long was another thread's turn on the processor: KEPT times as long without helpers.
 */
#define LONG_LOOK_NS 500000
#define KEPT 4u
/** Pieces are shorter: their thread did not run. WAITED times as long without helpers. */
#define LONG_WAIT_NS 400000
#define WAITED 40u
/** Without helpers at most. */
#define MAX_REST_NS 1000000000u
/**
 * Without helpers when one had the processor of the job's thread: from, to. Twice as long each
 * time, and a quarter less when a helper was of use.
 */
#define MOVE_NS 1000000u
#define MAX_MOVE_NS 128000000u
/** Turns of the processor's pause between two offers of it. */
#define PAUSES 8
/** Time between two ticks of the job's thread while it sleeps. */
#define TICK_NS 1000000

struct helper {
	struct nnfw_progress op; /* first member */
	struct crew *crew;
};

/* ---- on a busy machine ---- */

/** No helpers for a while. */
static void rest_for(struct nnfw *fw, uint64_t now, uint64_t ns)
{
	uint64_t until = now + (ns < MAX_REST_NS ? ns : MAX_REST_NS);

	if (fw->crew_stays ||
	    until <= atomic_load_explicit(&fw->crew_rest_until, memory_order_relaxed))
		return;
	atomic_store_explicit(&fw->crew_rest_until, until, memory_order_relaxed);
	atomic_store_explicit(&fw->crew_resting, true, memory_order_relaxed);
}

/**
 * Whether this helper has the processor that the job's thread had last: the kernel put it there
 * when others were busy for a moment, and either keeps the other from working. It leaves; the next
 * call finds a processor that is idle then. Where the call that tells processors is refused it is
 * not known: a helper stays.
 */
static bool in_the_way(struct crew *c)
{
	uint64_t ns;
	int processor;

	if (c->fw->crew_stays)
		return false;
	processor = sched_getcpu();
	if (processor < 0 || processor != atomic_load_explicit(&c->processor, memory_order_relaxed))
		return false;
	ns = atomic_load_explicit(&c->fw->crew_move, memory_order_relaxed);
	ns = ns < MOVE_NS ? MOVE_NS : ns;
	rest_for(c->fw, (uint64_t)nnutil_monotonic_ns(), ns);
	atomic_store_explicit(&c->fw->crew_move, 2 * ns < MAX_MOVE_NS ? 2 * ns : MAX_MOVE_NS,
			      memory_order_relaxed);
	return true;
}

static bool is_resting(struct nnfw *fw)
{
	if (!atomic_load_explicit(&fw->crew_resting, memory_order_relaxed))
		return false;
	if ((uint64_t)nnutil_monotonic_ns() <
	    atomic_load_explicit(&fw->crew_rest_until, memory_order_relaxed))
		return true;
	atomic_store_explicit(&fw->crew_resting, false, memory_order_relaxed);
	return false;
}

/* ---- pieces ---- */

static uint32_t steps_left(struct crew *c, uint64_t claim)
{
	uint32_t steps = atomic_load_explicit(&c->steps, memory_order_relaxed);
	uint32_t taken = FRONT(claim) + BACK(claim);

	return taken < steps ? steps - taken : 0;
}

static bool has_piece(struct crew *c)
{
	return steps_left(c, atomic_load_explicit(&c->claim, memory_order_acquire));
}

/** Steps of the next piece. */
static uint32_t piece_of(struct crew *c, uint32_t left)
{
	uint32_t least = atomic_load_explicit(&c->least, memory_order_relaxed);
	uint32_t most = atomic_load_explicit(&c->most, memory_order_relaxed);
	uint32_t n = left / (PART * c->fw->crew_threads);

	n = n < least ? least : n > most ? most : n;
	/* nor is what it leaves shorter than a grain */
	return n + least <= left ? n : left;
}

/**
 * Claim a piece and do it. False: there is none, or an error ended the split. The threads begin at
 * both ends, so that one that finds the same part of the next operation finds its input in its
 * cache.
 */
static bool run_piece(struct crew *c, uint32_t slot, struct nnfw_progress *progress)
{
	uint64_t at = atomic_load_explicit(&c->claim, memory_order_acquire), next;
	size_t units, step, first, end;
	uint32_t left, n, from;
	nnfw_units_fn *fn;
	int ret, none = 0;
	void *arg;

	do {
		left = steps_left(c, at);
		if (!left || atomic_load_explicit(&c->error, memory_order_relaxed))
			return false;
		/* the job's thread may be setting up the next split: then the claim fails */
		n = piece_of(c, left);
		from = slot % 2 ? FRONT(at) + left - n : FRONT(at);
		next = at + ((uint64_t)n << (slot % 2 ? STEP_BITS : 0));
		fn = atomic_load_explicit(&c->fn, memory_order_relaxed);
		arg = atomic_load_explicit(&c->arg, memory_order_relaxed);
		units = atomic_load_explicit(&c->units, memory_order_relaxed);
		step = atomic_load_explicit(&c->step, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(&c->claim, &at, next, memory_order_acq_rel,
							memory_order_acquire));
	first = from * step;
	end = units - first < n * step ? units : first + n * step;
	ret = nnfw_progress_tick(progress);
	if (!ret)
		ret = fn(arg, slot, first, end, progress);
	if (ret)
		atomic_compare_exchange_strong(&c->error, &none, ret);
	/* either the job's thread sees the piece done, or this one sees that it sleeps */
	atomic_fetch_add(&c->done, n);
	if (slot && atomic_load(&c->sleeps)) {
		pthread_mutex_lock(&c->lock);
		pthread_cond_signal(&c->end);
		pthread_mutex_unlock(&c->lock);
	}
	return true;
}

/* ---- helpers ---- */

static int helper_tick(struct nnfw_progress *op)
{
	struct crew *c = ((struct helper *)op)->crew;

	atomic_fetch_add_explicit(&c->ticks, 1, memory_order_relaxed);
	if (atomic_load_explicit(&c->error, memory_order_relaxed))
		return -ECANCELED;
	if (!c->progress->cancel || c->fw->config.flags & NNFW_CONFIG_NO_PREEMPT)
		return 0;
	return atomic_load_explicit(c->progress->cancel, memory_order_relaxed) ? -ECANCELED : 0;
}

static bool must_leave(struct crew *c)
{
	struct nnfw *fw = c->fw;

	return atomic_load_explicit(&fw->num_ready, memory_order_relaxed) ||
	       atomic_load_explicit(&fw->num_helpers, memory_order_relaxed) >
		       atomic_load_explicit(&fw->free_engines, memory_order_relaxed) ||
	       atomic_load_explicit(&fw->crew_resting, memory_order_relaxed) ||
	       atomic_load_explicit(&c->closed, memory_order_relaxed);
}

/** Look for a piece for a moment. False: there is none. */
static bool crew_look(struct crew *c)
{
	uint64_t now = (uint64_t)nnutil_monotonic_ns(), until = now + STAY_NS, then;

	while (now < until && !must_leave(c) && !in_the_way(c)) {
		for (int i = 0; i < PAUSES; i++) {
			if (has_piece(c))
				return true;
			nnutil_pause();
		}
		then = now;
		sched_yield();
		now = (uint64_t)nnutil_monotonic_ns();
		if (now - then > LONG_LOOK_NS) {
			rest_for(c->fw, now, KEPT * (now - then));
			return false;
		}
	}
	return false;
}

static void crew_help(struct crew *c, uint32_t slot)
{
	struct helper h = { .op.tick = helper_tick, .crew = c };
	bool helped = false;
	uint64_t ns;

	if (in_the_way(c))
		return;
	do
		while (!must_leave(c) && run_piece(c, slot, &h.op))
			helped = true;
	while (crew_look(c));
	ns = atomic_load_explicit(&c->fw->crew_move, memory_order_relaxed);
	if (helped)
		atomic_store_explicit(&c->fw->crew_move, ns - ns / 4, memory_order_relaxed);
}

/** Under the lock: the crew that a worker should help. */
static struct crew *crew_choose(struct nnfw *fw)
{
	struct crew *c, *best = NULL;
	bool first, best_first = false;

	TAILQ_FOREACH(c, &fw->crews, entry)
	{
		if (c->helpers + 1 >= fw->crew_threads)
			continue;
		first = c->progress->queue->priority == NNFW_REALTIME;
		if (!best || first > best_first ||
		    (first == best_first && c->helpers < best->helpers)) {
			best = c;
			best_first = first;
		}
	}
	return best;
}

bool nnfw_crew_help(struct nnfw *fw)
{
	struct crew *c;
	uint32_t slot = 1;

	/* a crew that is left while helpers rest calls again (crew_split()) */
	if (fw->num_helpers >= fw->free_engines || fw->num_ready || is_resting(fw))
		return false;
	c = crew_choose(fw);
	if (!c)
		return false;
	while (c->taken >> slot & 1)
		slot++;
	c->taken |= 1ull << slot;
	atomic_fetch_add_explicit(&c->helpers, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&fw->num_helpers, 1, memory_order_relaxed);
	fw->crew_called = false;
	pthread_mutex_unlock(&fw->lock);
	crew_help(c, slot);
	pthread_mutex_lock(&fw->lock);
	/* it calls when it has more */
	if (!has_piece(c))
		nnfw_crew_rest(c);
	c->taken &= ~(1ull << slot);
	atomic_fetch_sub_explicit(&fw->num_helpers, 1, memory_order_relaxed);
	if (atomic_fetch_sub_explicit(&c->helpers, 1, memory_order_relaxed) == 1 && c->closed)
		pthread_cond_broadcast(&fw->idle);
	return true;
}

/* ---- the job's thread ---- */

/** Get helpers: wake one worker at a time. */
static void call_helper(struct crew *c)
{
	struct nnfw *fw = c->fw;

	if (atomic_load_explicit(&c->helpers, memory_order_relaxed) + 1 >= fw->crew_threads ||
	    atomic_load_explicit(&fw->num_helpers, memory_order_relaxed) >=
		    atomic_load_explicit(&fw->free_engines, memory_order_relaxed) ||
	    (atomic_load_explicit(&c->listed, memory_order_relaxed) &&
	     atomic_load_explicit(&fw->crew_called, memory_order_relaxed)) ||
	    is_resting(fw))
		return;
	pthread_mutex_lock(&fw->lock);
	if (!c->listed && !c->closed) {
		c->listed = true;
		TAILQ_INSERT_TAIL(&fw->crews, c, entry);
	}
	if (fw->sleeping && !fw->crew_called) {
		fw->crew_called = true;
		pthread_cond_signal(&fw->work);
	}
	pthread_mutex_unlock(&fw->lock);
}

/** Sleep until @begun steps are done, with a tick now and then if a helper has had one. */
static void sleep_for(struct crew *c, uint32_t begun, uint64_t now)
{
	uint32_t ticks = atomic_load_explicit(&c->ticks, memory_order_relaxed), seen;
	struct timespec until;
	int ret, none;

	pthread_mutex_lock(&c->lock);
	atomic_store(&c->sleeps, true);
	while (atomic_load(&c->done) != begun) {
		until = nnutil_timespec((int64_t)now + TICK_NS);
		if (pthread_cond_timedwait(&c->end, &c->lock, &until) == ETIMEDOUT) {
			seen = atomic_load_explicit(&c->ticks, memory_order_relaxed);
			pthread_mutex_unlock(&c->lock);
			/* a helper that makes progress has ticked */
			ret = seen != ticks ? nnfw_progress_tick(&c->progress->op) : 0;
			none = 0;
			if (ret)
				atomic_compare_exchange_strong(&c->error, &none, ret);
			ticks = seen;
			pthread_mutex_lock(&c->lock);
		}
		now = (uint64_t)nnutil_monotonic_ns();
	}
	atomic_store(&c->sleeps, false);
	pthread_mutex_unlock(&c->lock);
}

/** Wait for steps that have begun. */
static void wait_for(struct crew *c, uint32_t begun)
{
	uint64_t start = 0, now;

	/* no sched_yield(): beside others that compute this thread would wait for their turns */
	while (atomic_load_explicit(&c->done, memory_order_acquire) != begun) {
		for (int i = 0; i < PAUSES; i++)
			nnutil_pause();
		now = (uint64_t)nnutil_monotonic_ns();
		if (!start)
			start = now;
		if (now - start >= LOOK_NS) {
			sleep_for(c, begun, now);
			now = (uint64_t)nnutil_monotonic_ns();
			if (now - start > LONG_WAIT_NS)
				rest_for(c->fw, now, WAITED * (now - start));
			return;
		}
	}
}

static uint32_t in_steps(size_t units, size_t step)
{
	return (uint32_t)(units / step + (units % step != 0));
}

static int crew_split(struct nnfw_crew *base, size_t units, size_t grain, nnfw_units_fn *fn,
		      void *arg)
{
	struct crew *c = (struct crew *)base;
	uint64_t at = atomic_load_explicit(&c->claim, memory_order_relaxed);
	size_t step = units / MAX_STEPS + 1;
	uint32_t least = grain > step ? in_steps(grain, step) : 1, steps = in_steps(units, step);

	if (steps <= least)
		return fn(arg, 0, 0, units, &c->progress->op);
	atomic_store_explicit(&c->fn, fn, memory_order_relaxed);
	atomic_store_explicit(&c->arg, arg, memory_order_relaxed);
	atomic_store_explicit(&c->units, units, memory_order_relaxed);
	atomic_store_explicit(&c->step, step, memory_order_relaxed);
	atomic_store_explicit(&c->steps, steps, memory_order_relaxed);
	atomic_store_explicit(&c->least, least, memory_order_relaxed);
	atomic_store_explicit(&c->most, GRAINS * least, memory_order_relaxed);
	atomic_store_explicit(&c->done, 0, memory_order_relaxed);
	atomic_store_explicit(&c->error, 0, memory_order_relaxed);
	/* the next split, from its ends */
	at = ((at >> SPLIT_SHIFT) + 1) << SPLIT_SHIFT;
	atomic_store_explicit(&c->claim, at, memory_order_release);
	atomic_store_explicit(&c->processor, sched_getcpu(), memory_order_relaxed);
	/* again after each piece: helpers may rest, or their engines be taken, only for a while */
	do
		if (steps_left(c, atomic_load_explicit(&c->claim, memory_order_relaxed)) / WAKE >=
		    least)
			call_helper(c);
	while (run_piece(c, 0, &c->progress->op));
	/* after an error steps are left: no thread may begin them */
	at = atomic_exchange_explicit(&c->claim, at | MAX_STEPS, memory_order_acq_rel);
	wait_for(c, FRONT(at) + BACK(at));
	return atomic_load_explicit(&c->error, memory_order_relaxed);
}

void nnfw_crew_init(struct crew *c, struct nnfw *fw, struct queue_progress *progress)
{
	pthread_condattr_t attr;

	c->base.split = crew_split;
	c->fw = fw;
	c->progress = progress;
	atomic_init(&c->claim, MAX_STEPS);
	atomic_init(&c->processor, -1);
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->end, &attr);
	pthread_condattr_destroy(&attr);
}

void nnfw_crew_fini(struct crew *c)
{
	pthread_cond_destroy(&c->end);
	pthread_mutex_destroy(&c->lock);
}

void nnfw_crew_rest(struct crew *c)
{
	if (!c->listed)
		return;
	c->listed = false;
	TAILQ_REMOVE(&c->fw->crews, c, entry);
}

void nnfw_crew_close(struct crew *c)
{
	atomic_store_explicit(&c->closed, true, memory_order_relaxed);
	nnfw_crew_rest(c);
}

uint32_t nnfw_crew_threads(uint32_t wanted, uint32_t engines)
{
	uint32_t threads = wanted && wanted < engines ? wanted : engines, processors;

	if (threads > NNFW_CREW_SLOTS)
		threads = NNFW_CREW_SLOTS;
	if (threads <= 1)
		return 1;
	processors = nnutil_processors();
	return threads < processors ? threads : processors;
}
