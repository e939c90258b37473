// SPDX-License-Identifier: Apache-2.0
/*
 * The memory of an event queue: two rings, and how its reader is woken.
 *
 * The wake-up. A reader that is about to sleep exchanges 1 into "asleep" and looks at the rings
 * once more. A writer publishes its record, then exchanges 0 into "asleep". The two exchanges are
 * of one word, so one is first: the reader's, and the writer finds 1 and wakes; or the writer's,
 * and what it published before is there when the reader looks again.
 *
 * Batches. An event that may wait only moves "wake_at", which the threads of the devices have in
 * their timers. It is moved after the event is published, and taken back before "asleep" is looked
 * at: an event whose time was taken back has been published before the reader is woken.
 *
 * The wake-up is a datagram, not an eventfd: a client could fill an eventfd and clear O_NONBLOCK,
 * which both ends of one share, and so stop the thread of a device in write(). A pipe's reader can
 * hold the pipe's lock. A datagram socket that is full says so. The reader's socket takes no filter
 * of the client's, which would run in the sender.
 *
 * Holes. The memory has all of its pages when it is made. A client may punch holes; a page for one
 * is the service's again, within what the queue is charged for. Where the machine has no page left
 * the write is a SIGBUS, and the queue's memory becomes the service's own (channel_fault.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/sensord_core.h"
#include "messages/sensor_messages.h"
#include "nnutil_clock.h"
#include "values/nnsensors_values.h"

enum { CONTINUOUS, KEPT, NUM_RINGS };

struct queue_sink {
	struct sink sink;
	struct sensor_queue_memory *memory; /* only "asleep" is read */
	struct channel_pages pages; /* the same, in which the client may make holes */
	struct nnsensors_record_ring rings[NUM_RINGS];
	_Atomic uint64_t number; /* of the last event */
	/* of events without a wake-up */
	_Atomic int64_t wake_at; /* when to do that; INT64_MAX: there are none */
	_Atomic uint32_t waiting[NUM_RINGS];
	int memory_fd, event_fd;
	struct waker *waker; /* NULL: none */
	struct wake_up wake_up; /* to the reader, from our end of its socket */
};

static size_t memory_size(void)
{
	return sensor_queue_memory_size(SENSOR_QUEUE_CONTINUOUS, SENSOR_QUEUE_KEPT);
}

static void wake_reader(struct queue_sink *queue)
{
	bool asleep;

	for (int i = 0; i < NUM_RINGS; i++)
		atomic_store_explicit(&queue->waiting[i], 0, memory_order_relaxed);
	atomic_exchange(&queue->wake_at, INT64_MAX);
	channel_fault_begin(&queue->pages);
	asleep = atomic_exchange(&queue->memory->asleep, 0);
	channel_fault_end();
	if (!asleep)
		return;
	if (queue->waker)
		waker_add(queue->waker, &queue->wake_up);
	else
		wake_up_send(&queue->wake_up);
}

static void write_event(struct queue_sink *queue, int ring, int32_t token,
			const struct nnsensors_record *record)
{
	const uint64_t number =
		atomic_fetch_add_explicit(&queue->number, 1, memory_order_relaxed) + 1;
	struct nnsensors_record copy = *record;

	copy.token = token;
	copy.reserved[0] = (int32_t)(uint32_t)number;
	copy.reserved[1] = (int32_t)(uint32_t)(number >> 32);
	channel_fault_begin(&queue->pages);
	nnsensors_record_ring_put(&queue->rings[ring], &copy);
	channel_fault_end();
}

/* Whether a ring is three quarters full of events without a wake-up. */
static bool event_waits(struct queue_sink *queue, int ring)
{
	const uint32_t waiting =
		atomic_fetch_add_explicit(&queue->waiting[ring], 1, memory_order_relaxed) + 1;

	return waiting < queue->rings[ring].num_records / 4 * 3;
}

static void wake_not_after(struct queue_sink *queue, int64_t time_ns)
{
	int64_t wake_at = atomic_load(&queue->wake_at);

	while (time_ns < wake_at &&
	       !atomic_compare_exchange_weak(&queue->wake_at, &wake_at, time_ns))
		;
}

static void queue_put(struct sink *sink, const struct subscription *s,
		      const struct nnsensors_record *record)
{
	struct queue_sink *queue = (struct queue_sink *)sink;
	const int ring = sensor_mode(s->sensor) == NNSENSORS_FLAG_CONTINUOUS ? CONTINUOUS : KEPT;
	int64_t until;

	write_event(queue, ring, s->token, record);
	if (s->latency_ns <= 0 || !event_waits(queue, ring))
		wake_reader(queue);
	else if (!__builtin_add_overflow(record->timestamp, s->latency_ns, &until))
		wake_not_after(queue, until);
}

static void queue_gone(struct sink *sink, const struct subscription *s)
{
	struct queue_sink *queue = (struct queue_sink *)sink;
	const struct nnsensors_record notice = {
		.type = NNSENSORS_TYPE_META_DATA,
		.timestamp = nnutil_boottime_ns(),
		.u.meta = { .what = SENSOR_NOTICE_GONE, .sensor = s->token },
	};

	write_event(queue, KEPT, 0, &notice);
	wake_reader(queue);
}

static int64_t queue_wake_at(struct sink *sink)
{
	return atomic_load(&((struct queue_sink *)sink)->wake_at);
}

static void queue_wake(struct sink *sink)
{
	wake_reader((struct queue_sink *)sink);
}

/* ---- life ---- */

uint64_t queue_sink_bytes(void)
{
	return sizeof(struct queue_sink) + memory_size() +
	       nnsensors_record_ring_bytes(SENSOR_QUEUE_CONTINUOUS) +
	       nnsensors_record_ring_bytes(SENSOR_QUEUE_KEPT);
}

static int make_memory(struct queue_sink *queue)
{
	queue->memory_fd = memfd_create("nnsensors-queue", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (queue->memory_fd < 0)
		return -errno;
	/* pages that cannot be had are an error here, and no SIGBUS later on */
	if (fallocate(queue->memory_fd, 0, 0, (off_t)memory_size()) ||
	    fcntl(queue->memory_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return -errno;
	queue->memory =
		mmap(NULL, memory_size(), PROT_READ | PROT_WRITE, MAP_SHARED, queue->memory_fd, 0);
	if (queue->memory == MAP_FAILED) {
		queue->memory = NULL;
		return -ENOMEM;
	}
	queue->pages.data = queue->memory;
	queue->pages.size = memory_size();
	queue->memory->magic = SENSOR_QUEUE_MAGIC;
	queue->memory->continuous = SENSOR_QUEUE_CONTINUOUS;
	queue->memory->kept = SENSOR_QUEUE_KEPT;
	return 0;
}

static int make_rings(struct queue_sink *queue)
{
	static const uint32_t sizes[NUM_RINGS] = { SENSOR_QUEUE_CONTINUOUS, SENSOR_QUEUE_KEPT };
	struct nnsensors_record *records = queue->memory->records;
	int ret;

	for (int i = 0; i < NUM_RINGS; i++) {
		ret = nnsensors_record_ring_init(&queue->rings[i], records,
						 sizes[i] * sizeof(*records));
		if (ret)
			return ret;
		records += sizes[i];
	}
	return 0;
}

static int make_waker(struct queue_sink *queue)
{
	const int on = 1;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		return -errno;
	queue->event_fd = fds[0];
	queue->wake_up.fd = fds[1];
	/* nothing can be sent to us */
	if (shutdown(fds[1], SHUT_RD) ||
	    setsockopt(fds[0], SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof(on)))
		return -errno;
	return 0;
}

int queue_sink_create(struct queue_sink **out, struct waker *waker, int *memory_fd, int *event_fd)
{
	struct queue_sink *queue = calloc(1, sizeof(*queue));
	int ret;

	*out = NULL;
	*memory_fd = *event_fd = -1;
	if (!queue)
		return -ENOMEM;
	queue->sink = (struct sink){ queue_put, queue_gone, queue_wake_at, queue_wake };
	atomic_init(&queue->wake_at, INT64_MAX);
	queue->memory_fd = queue->event_fd = queue->wake_up.fd = -1;
	queue->waker = waker;
	ret = make_memory(queue);
	if (!ret)
		ret = make_rings(queue);
	if (!ret)
		ret = make_waker(queue);
	if (ret) {
		queue_sink_destroy(queue);
		return ret;
	}
	*memory_fd = queue->memory_fd;
	*event_fd = queue->event_fd;
	*out = queue;
	return 0;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void queue_sink_destroy(struct queue_sink *queue)
{
	if (queue->waker)
		waker_flush(queue->waker);
	for (int i = 0; i < NUM_RINGS; i++)
		nnsensors_record_ring_fini(&queue->rings[i]);
	if (queue->memory)
		munmap(queue->memory, memory_size());
	/* its pages are the service's, and a client that keeps the descriptor would keep them */
	if (queue->memory_fd >= 0)
		fallocate(queue->memory_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			  (off_t)memory_size() + sysconf(_SC_PAGESIZE));
	close_if_open(queue->memory_fd);
	close_if_open(queue->event_fd);
	close_if_open(queue->wake_up.fd);
	free(queue);
}

struct sink *queue_sink(struct queue_sink *queue)
{
	return &queue->sink;
}

struct sensor_queue_memory *queue_sink_memory(struct queue_sink *queue)
{
	return queue->memory;
}

void queue_sink_count(const struct queue_sink *queue, uint64_t *delivered, uint64_t *lost)
{
	const uint64_t events = atomic_load_explicit(&queue->number, memory_order_relaxed);

	*lost = 0;
	for (int i = 0; i < NUM_RINGS; i++)
		*lost += atomic_load_explicit(&queue->rings[i].busy_lost, memory_order_relaxed);
	*delivered = events > *lost ? events - *lost : 0;
}
