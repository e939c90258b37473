// SPDX-License-Identifier: Apache-2.0
/*
 * Room for programs. A job that waits holds nothing, so that two cannot wait for each other: a
 * program that grows beyond the room while it is loaded is dropped, and its job waits for all of
 * it. Room that a job gets is counted in nnfw.program_bytes until its turn.
 */
#include "core.h"
#include "nnutil_clock.h"
#include "core_program.h"

/* Without the idle programs. */
static bool fits(const struct nnfw *fw, uint64_t bytes)
{
	return bytes <= fw->config.program_quota &&
	       fw->program_bytes - fw->idle_bytes <= fw->config.program_quota - bytes;
}

bool nnfw_room_make(struct nnfw *fw, uint64_t bytes)
{
	struct program *p, *next;

	if (!fits(fw, bytes))
		return false;
	/* the least recently used first */
	for (p = TAILQ_FIRST(&fw->programs);
	     p && fw->program_bytes > fw->config.program_quota - bytes; p = next) {
		next = TAILQ_NEXT(p, entry);
		if (!p->refs && !p->kept)
			nnfw_program_forget(fw, p);
	}
	return true;
}

/*
 * The larger context yields to the smaller one. What it holds is then enough for the other, so that
 * it waits for no more than its own jobs.
 */
bool nnfw_room_yields(struct nnfw *fw, const struct queue *q)
{
	const struct queue *first = TAILQ_FIRST(&fw->room_queue);
	const struct queue *w;
	uint64_t own;

	if (!first || first == q || q->loader)
		return false;
	own = q->context->program_bytes;
	for (w = first; w && w != q; w = TAILQ_NEXT(w, room.entry))
		if (w->context != q->context && w->context->program_bytes + w->room.bytes <= own)
			return true;
	return false;
}

bool nnfw_room_wait(struct nnfw *fw, struct queue *q, uint64_t bytes)
{
	struct job *job = STAILQ_FIRST(&q->jobs);
	const uint64_t now = (uint64_t)nnutil_monotonic_ns();

	/* programs that are kept may stay for as long as their clients like */
	if (q->loader || bytes > fw->config.program_quota - fw->kept_bytes)
		return false;
	if (!job->room_until_ns)
		job->room_until_ns = now + fw->room_wait_ns;
	if (now >= job->room_until_ns)
		return false;
	q->room.bytes = bytes;
	q->room.waits = true;
	TAILQ_INSERT_TAIL(&fw->room_queue, q, room.entry);
	if (job->room_until_ns < fw->timeout_ns) {
		fw->timeout_ns = job->room_until_ns;
		/* a worker that sleeps looks at the clock from now on */
		pthread_cond_signal(&fw->work);
	}
	nnfw_room_changed(fw);
	return true;
}

static void room_remove(struct nnfw *fw, struct queue *q)
{
	TAILQ_REMOVE(&fw->room_queue, q, room.entry);
	q->room.waits = false;
}

uint64_t nnfw_room_take(struct nnfw *fw, struct queue *q)
{
	const uint64_t granted = q->room.granted;

	fw->program_bytes -= granted;
	q->room.granted = 0;
	return granted;
}

void nnfw_room_leave(struct nnfw *fw, struct queue *q)
{
	if (q->room.waits)
		room_remove(fw, q);
	nnfw_room_take(fw, q);
	/* those behind it may not have to yield any more */
	nnfw_room_changed(fw);
}

/* The order of the two: most that wait do not fit, which costs no look at the others. */
static bool may_have(struct nnfw *fw, const struct queue *q)
{
	return fits(fw, q->room.bytes) && !nnfw_room_yields(fw, q) &&
	       nnfw_room_make(fw, q->room.bytes);
}

void nnfw_room_changed(struct nnfw *fw)
{
	struct queue *q, *next;

	for (q = TAILQ_FIRST(&fw->room_queue); q; q = next) {
		next = TAILQ_NEXT(q, room.entry);
		if (!may_have(fw, q))
			continue;
		room_remove(fw, q);
		q->room.granted = q->room.bytes;
		fw->program_bytes += q->room.granted;
		nnfw_engine_ready(fw, q);
	}
}

void nnfw_room_expire(struct nnfw *fw)
{
	const uint64_t now = (uint64_t)nnutil_monotonic_ns();
	struct queue *q, *next;

	fw->timeout_ns = UINT64_MAX;
	for (q = TAILQ_FIRST(&fw->room_queue); q; q = next) {
		const uint64_t until = STAILQ_FIRST(&q->jobs)->room_until_ns;

		next = TAILQ_NEXT(q, room.entry);
		if (now >= until) {
			room_remove(fw, q);
			nnfw_engine_ready(fw, q);
		} else if (until < fw->timeout_ns) {
			fw->timeout_ns = until;
		}
	}
}
