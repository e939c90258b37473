// SPDX-License-Identifier: Apache-2.0
/* Queue rings: jobs are copied from host memory once, checked, and submitted to the core. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "card/card.h"
#include "board.h"
#include "nnutil_clock.h"

/** Thread that takes jobs from a ring. */
enum taker {
	TAKER_RUNS, /* and runs them next */
	TAKER_LEAVES, /* and leaves them to others */
	TAKER_ABORTS, /* one of them, and takes them beyond the queue's depth */
};

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
 * Whether the queue may take another job now. Sets throttled before the second check, so that a
 * completion in between is either seen here or kicks.
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

/* Complete a job that never reached the core. */
static void queue_rings_refuse(struct card *card, uint32_t queue, uint64_t seqno, uint32_t status)
{
	uint64_t now = (uint64_t)nnutil_monotonic_ns();
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
 * Take one job from @filled slots; under the queue's lock. 0; -EPROTO: invalid contents of the
 * ring; -ENOMEM: the core has no memory while earlier jobs run: try again.
 */
static int take_job(struct card *card, uint32_t queue, uint32_t filled, enum taker taker)
{
	struct queue_ring *q = &card->queues[queue];
	struct nnaccel_arg args[NNACCEL_MAX_ARGS];
	struct nnaccel_job job;
	bool aborted = false;
	uint32_t used;
	int err;

	ring_peek(&q->ring, 0, &job);
	job_to_host(&job);
	/* All slots of a job are published at once; sequence numbers grow. */
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
		queue_rings_refuse(card, queue, job.seqno, NNACCEL_STATUS_ABORTED);
		q->last_seqno = job.seqno;
		ring_consume(&q->ring, used);
		return 0;
	}
	atomic_fetch_add(&q->inflight, 1);
	err = (taker == TAKER_RUNS ? nnfw_submit_here : nnfw_submit)(card->fw, queue, &job, args);
	if (err) {
		uint32_t before = atomic_fetch_sub(&q->inflight, 1);

		/* A completion now would overtake earlier jobs. */
		if (err == -ENOMEM && before > 1)
			return -ENOMEM;
		queue_rings_refuse(card, queue, job.seqno,
				   err == -ENOMEM ? NNACCEL_STATUS_NO_MEMORY
						  : NNACCEL_STATUS_INTERNAL);
	}
	q->last_seqno = job.seqno;
	ring_consume(&q->ring, used);
	if (aborted)
		nnfw_abort(card->fw, queue, job.seqno);
	return 0;
}

/* ACK_EARLY: whether the ring is ignored now. Under the queue's lock. */
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

/* Take jobs from a ring. Under the queue's lock. */
static int take_jobs(struct card *card, uint32_t queue, enum taker taker)
{
	struct queue_ring *q = &card->queues[queue];
	uint32_t filled, end;
	int err;

	if (is_deaf(card, q))
		return 0;
	err = ring_filled(&q->ring, &filled);
	end = q->ring.index + filled;

	while (!err && q->ring.index != end && atomic_load(&card->serving)) {
		if (taker != TAKER_ABORTS && !may_take(q))
			return 0;
		err = take_job(card, queue, end - q->ring.index, taker);
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
	    ring_open(&ring, &card->memory, bus, slots, false))
		return -EINVAL;
	if (fault_refuses_queue(&card->fault, has_queue(card, context))) {
		ring_close(&ring);
		return -ENOMEM;
	}
	q = &card->queues[queue];
	pthread_mutex_lock(&q->lock);
	err = q->open ? -EEXIST : nnfw_queue_create(card->fw, queue, context, (uint32_t)priority);
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
	if (err)
		ring_close(&ring);
	return err;
}

/* The queue was removed from the core: cancel the jobs in its ring, which never ran. */
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
		queue_rings_refuse(card, queue, job.seqno, NNACCEL_STATUS_CANCELED);
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
	if (!err)
		err = cancel_rest(card, queue);
	ring_close(&q->ring);
	return err;
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
		take_jobs(card, queue, TAKER_ABORTS);
	pthread_mutex_unlock(&q->lock);
	if (err)
		return err;
	/* -ENOENT: the job has ended already, which is not an error. */
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

static void take_all(struct card *card, enum taker taker)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES && atomic_load(&card->serving); i++) {
		struct queue_ring *q = &card->queues[i];

		if (!atomic_load(&q->open))
			continue;
		pthread_mutex_lock(&q->lock);
		if (q->open)
			take_jobs(card, i, taker);
		pthread_mutex_unlock(&q->lock);
	}
}

/* Take the jobs of all rings, and run what gets an engine, unless another thread does so now. */
static void serve_rings(struct card *card)
{
	struct nnfw *fw = NULL;

	if (atomic_exchange(&card->runner, true)) {
		take_all(card, TAKER_LEAVES);
		return;
	}
	pthread_mutex_lock(&card->fw_lock);
	fw = card->fw;
	if (fw)
		nnfw_work_begin(fw);
	pthread_mutex_unlock(&card->fw_lock);
	if (fw) {
		take_all(card, TAKER_RUNS);
		nnfw_work(fw);
	}
	atomic_store(&card->runner, false);
}

/*
 * A thread that waits for @fd is woken for an event only if no thread that began to wait earlier
 * gets it.
 */
static int queue_rings_watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLEXCLUSIVE, .data.fd = fd };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int queues_watch(struct card *card)
{
	int err = 0;

	for (uint32_t i = 0; i < CARD_RING_THREADS && !err; i++) {
		card->ring_epoll[i] = epoll_create1(EPOLL_CLOEXEC);
		if (card->ring_epoll[i] < 0)
			return -errno;
		err = queue_rings_watch(card->ring_epoll[i],
					card->doorbell[NNACCEL_DOORBELL_SUBMIT]);
		if (!err)
			err = queue_rings_watch(card->ring_epoll[i], card->kick);
	}
	return err;
}

void *queues_run(void *arg)
{
	struct card *card = arg;
	int epoll = card->ring_epoll[atomic_fetch_add(&card->ring_threads, 1)];
	struct epoll_event events[2];
	eventfd_t value;

	for (;;) {
		int n = epoll_wait(epoll, events, 2, -1);
		bool rung = false;

		/* Another thread may have been faster. */
		for (int i = 0; i < n; i++)
			rung |= eventfd_read(events[i].data.fd, &value) == 0;
		if (rung)
			serve_rings(card);
	}
}
