// SPDX-License-Identifier: Apache-2.0
/* Queue rings: jobs are copied out of the host's memory once, checked, and handed to the core. */
#include <errno.h>
#include <sys/eventfd.h>

#include "card/completion.h"
#include "card/fault_strike.h"
#include "card/queue_regs.h"
#include "card/queue_rings.h"
#include "regs.h"
#include "nnutil_clock.h"

void queues_init(struct card *card)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		pthread_mutex_init(&card->queues[i].lock, NULL);
}

static void job_to_host(struct nnaccel_job *job)
{
	job->op = le16toh(job->op);
	job->flags = le16toh(job->flags);
	job->num_args = le32toh(job->num_args);
	job->seqno = le64toh(job->seqno);
	job->program_addr = le64toh(job->program_addr);
	job->program_size = le64toh(job->program_size);
	job->program_generation = le64toh(job->program_generation);
	job->result_addr = le64toh(job->result_addr);
	job->result_size = le32toh(job->result_size);
	job->pad = le32toh(job->pad);
	job->loop_ns = le64toh(job->loop_ns);
}

static void arg_to_host(struct nnaccel_arg *arg)
{
	arg->addr = le64toh(arg->addr);
	arg->size = le64toh(arg->size);
	arg->flags = le32toh(arg->flags);
	arg->rank = le32toh(arg->rank);
	for (uint32_t i = 0; i < NNACCEL_MAX_RANK; i++)
		arg->dims[i] = le32toh(arg->dims[i]);
}

/*
 * Whether the queue may take another job now. Says throttled before it looks a second time, so that
 * a completion in between either is seen here or kicks.
 */
static bool may_take(struct queue_ring *q)
{
	if (atomic_load(&q->inflight) < CARD_QUEUE_DEPTH)
		return true;
	atomic_store(&q->throttled, true);
	if (atomic_load(&q->inflight) > CARD_QUEUE_DEPTH / 2)
		return false;
	atomic_store(&q->throttled, false);
	return true;
}

static void release_one(struct card *card, struct queue_ring *q)
{
	uint32_t left = atomic_fetch_sub(&q->inflight, 1) - 1;

	if (left <= CARD_QUEUE_DEPTH / 2 && atomic_exchange(&q->throttled, false))
		eventfd_write(card->kick, 1);
}

/* A job that the core could not even queue. */
static void refuse(struct card *card, uint32_t queue, uint64_t seqno, uint32_t status)
{
	uint64_t now = fault_clock(&card->fault, (uint64_t)nnutil_monotonic_ns());
	struct nnaccel_completion c = {
		.kind = NNACCEL_COMPLETION_JOB,
		.queue = queue,
		.seqno = seqno,
		.status = status,
		.generation = card->generation,
		.start_ns = now,
		.end_ns = now,
	};

	cq_post(card, &c);
}

/*
 * Take one job of @filled slots; under the queue's lock. 0; -EPROTO: the ring holds what no host
 * may write; -ENOMEM: the core has no room while earlier jobs run, try again.
 */
static int take_job(struct card *card, uint32_t queue, uint32_t filled)
{
	struct queue_ring *q = &card->queues[queue];
	struct nnaccel_arg args[NNACCEL_MAX_ARGS];
	struct nnaccel_job job;
	bool aborted = false;
	uint32_t used;
	int err;

	ring_peek(&q->ring, 0, &job);
	job_to_host(&job);
	/* A job is published whole; numbers only grow. */
	if (job.num_args > NNACCEL_MAX_ARGS || job.num_args >= filled || job.seqno <= q->last_seqno)
		return -EPROTO;
	used = 1 + job.num_args;
	for (uint32_t i = 0; i < job.num_args; i++) {
		ring_peek(&q->ring, 1 + i, &args[i]);
		arg_to_host(&args[i]);
	}
	if (job.seqno != q->counted_seqno)
		fault_job_taken(&card->fault, queue, job.seqno);
	q->counted_seqno = job.seqno;
	for (uint32_t i = 0; i < q->num_deaf_aborts; i++)
		aborted |= q->deaf_aborts[i] == job.seqno;
	if (aborted && !atomic_load(&q->inflight)) {
		refuse(card, queue, job.seqno, NNACCEL_STATUS_ABORTED);
		q->last_seqno = job.seqno;
		ring_consume(&q->ring, used);
		return 0;
	}
	atomic_fetch_add(&q->inflight, 1);
	err = nnfw_submit(card->fw, queue, &job, args);
	if (err) {
		uint32_t before = atomic_fetch_sub(&q->inflight, 1);

		/* A refusal now would overtake the jobs before it. */
		if (err == -ENOMEM && before > 1)
			return -ENOMEM;
		refuse(card, queue, job.seqno,
		       err == -ENOMEM ? NNACCEL_STATUS_NO_MEMORY : NNACCEL_STATUS_INTERNAL);
	}
	q->last_seqno = job.seqno;
	ring_consume(&q->ring, used);
	if (aborted)
		nnfw_abort(card->fw, queue, job.seqno);
	return 0;
}

/* ACK_EARLY: whether the ring is not looked at now. Under the queue's lock. */
static bool is_deaf(struct card *card, struct queue_ring *q)
{
	if (!q->deaf_until_ns)
		return false;
	if ((uint64_t)nnutil_monotonic_ns() >= q->deaf_until_ns) {
		q->deaf_until_ns = 0;
		return false;
	}
	atomic_store(&card->retry, true);
	return true;
}

/* Take jobs from a ring; @all: without regard to the queue's depth. Under the queue's lock. */
static int take_jobs(struct card *card, uint32_t queue, bool all)
{
	struct queue_ring *q = &card->queues[queue];
	uint32_t filled, end;
	int err;

	if (is_deaf(card, q))
		return 0;
	err = ring_filled(&q->ring, &filled);
	end = q->ring.index + filled;

	while (!err && q->ring.index != end && atomic_load(&card->serving)) {
		if (!all && !may_take(q))
			return 0;
		err = take_job(card, queue, end - q->ring.index);
		if (err == -ENOMEM) {
			atomic_store(&card->retry, true);
			return -ENOMEM;
		}
	}
	if (err)
		card_fail(card, NNACCEL_FW_ERROR_RING);
	return err;
}

static bool has_queue(struct card *card, uint32_t context)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		if (atomic_load(&card->queues[i].open) && card->queues[i].context == context)
			return true;
	return false;
}

int queues_create(struct card *card, uint32_t queue, uint32_t context, uint64_t bus, uint64_t slots,
		  uint64_t priority)
{
	struct queue_ring *q;
	struct ring ring;
	int err;

	if (queue >= NNACCEL_MAX_QUEUES || context >= NNACCEL_MAX_CONTEXTS || priority > 3 ||
	    ring_open(&ring, &card->ram, bus, slots, false))
		return -EINVAL;
	if (fault_refuses_queue(&card->fault, has_queue(card, context)))
		return -ENOMEM;
	q = &card->queues[queue];
	pthread_mutex_lock(&q->lock);
	err = q->open ? -EEXIST : nnfw_queue_create(card->fw, queue, context, priority);
	if (!err) {
		q->context = context;
		q->ring = ring;
		q->last_seqno = 0;
		q->counted_seqno = 0;
		atomic_store(&q->inflight, 0);
		atomic_store(&q->throttled, false);
		q->deaf_until_ns = 0;
		q->num_deaf_aborts = 0;
		queue_regs_clear(card, queue);
		q->open = true;
	}
	pthread_mutex_unlock(&q->lock);
	return err;
}

/* The queue is gone from the core: what is left in its ring never ran. */
static int cancel_rest(struct card *card, uint32_t queue)
{
	struct queue_ring *q = &card->queues[queue];
	struct nnaccel_job job;
	uint32_t filled;
	int err = ring_filled(&q->ring, &filled);

	while (!err && filled) {
		ring_peek(&q->ring, 0, &job);
		job_to_host(&job);
		if (job.num_args >= filled || job.seqno <= q->last_seqno) {
			err = -EPROTO;
			break;
		}
		refuse(card, queue, job.seqno, NNACCEL_STATUS_CANCELED);
		q->last_seqno = job.seqno;
		filled -= 1 + job.num_args;
		ring_consume(&q->ring, 1 + job.num_args);
	}
	if (err)
		card_fail(card, NNACCEL_FW_ERROR_RING);
	return 0;
}

int queues_destroy(struct card *card, uint32_t queue)
{
	struct queue_ring *q;
	bool open;
	int err;

	if (queue >= NNACCEL_MAX_QUEUES)
		return -ENOENT;
	q = &card->queues[queue];
	pthread_mutex_lock(&q->lock);
	open = atomic_exchange(&q->open, false);
	pthread_mutex_unlock(&q->lock);
	if (!open)
		return -ENOENT;
	fault_aborted(&card->fault, queue, 0);
	err = nnfw_queue_destroy(card->fw, queue);
	return err ? err : cancel_rest(card, queue);
}

void queues_destroy_context(struct card *card, uint32_t context)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++) {
		if (atomic_load(&card->queues[i].open) && card->queues[i].context == context)
			queues_destroy(card, i);
	}
}

int queues_abort(struct card *card, uint32_t queue, uint64_t seqno)
{
	uint64_t deaf_until_ns = fault_deaf_until(&card->fault);
	struct queue_ring *q;
	int err = 0;

	if (queue >= NNACCEL_MAX_QUEUES || !seqno)
		return -EINVAL;
	q = &card->queues[queue];
	pthread_mutex_lock(&q->lock);
	if (deaf_until_ns) {
		q->deaf_until_ns = deaf_until_ns;
		if (q->num_deaf_aborts < CARD_DEAF_ABORTS)
			q->deaf_aborts[q->num_deaf_aborts++] = seqno;
	}
	if (!q->open)
		err = -ENOENT;
	else
		take_jobs(card, queue, true);
	pthread_mutex_unlock(&q->lock);
	if (err)
		return err;
	/* Not there: it had ended already, which is no error. */
	err = nnfw_abort(card->fw, queue, seqno);
	fault_aborted(&card->fault, queue, seqno);
	return err == -ENOENT ? 0 : err;
}

void queues_close_all(struct card *card)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++) {
		pthread_mutex_lock(&card->queues[i].lock);
		card->queues[i].open = false;
		pthread_mutex_unlock(&card->queues[i].lock);
	}
}

void queues_complete(struct card *card, const struct nnaccel_completion *c)
{
	struct nnaccel_completion copy = *c;

	copy.value = queue_regs_run_ns(card, c->queue, c->seqno);
	if (!fault_complete(card, &copy))
		cq_post(card, &copy);
	release_one(card, &card->queues[c->queue]);
}

static void take_all(struct card *card)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES && atomic_load(&card->serving); i++) {
		struct queue_ring *q = &card->queues[i];

		if (!atomic_load(&q->open))
			continue;
		pthread_mutex_lock(&q->lock);
		if (q->open)
			take_jobs(card, i, false);
		pthread_mutex_unlock(&q->lock);
	}
}

void *queues_run(void *arg)
{
	struct card *card = arg;

	for (;;) {
		card_wait(card->doorbell[NNACCEL_DOORBELL_SUBMIT], card->kick, -1);
		take_all(card);
	}
}
