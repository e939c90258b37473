// SPDX-License-Identifier: Apache-2.0
/*
 * The memory of a ring: a page with the indices, then the packets. An index counts bytes and never
 * wraps; a packet is its length (u32) and its bytes, padded to 8.
 *
 * What this side knows is in struct nnipc_ring: its own index, which it only writes into the shared
 * memory, and the closed mark. Of the peer's index it takes one copy, and checks that.
 *
 * Sleeping: the reader takes the event counter, looks for a packet, says that it sleeps, looks
 * again, and waits for the counter to change. A writer that sees the reader's word after it has
 * published a packet changes the counter and wakes; one that does not see it published before the
 * reader's second look. So does a close by the peer. A peer that is hostile can turn the counter
 * back: therefore nnipc_ring_close() trusts nothing that is shared and wakes this side's reader
 * until it has left.
 */
#include "wire/nnipc_wire.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "nnutil_align.h"
#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "nnutil_process.h"

#define MAGIC 0x3052504eu /* "NPR0" */
#define HEADER_SIZE 4096u
#define LEAST_CAPACITY 4096u
#define LENGTH_SIZE 4u
#define ALIGNMENT 8u

/* Shared. Each word that one side writes often has a cache line of its own. */
struct header {
	uint32_t magic, capacity; /* constant */
	_Alignas(64) atomic_uint tail; /* the writer's index */
	_Alignas(64) atomic_uint head; /* the reader's index */
	_Alignas(64) atomic_uint sleeps; /* 1: the reader sleeps, or is about to */
	atomic_uint event; /* the futex */
	atomic_uint closed;
};

struct nnipc_ring {
	struct header *shared;
	uint8_t *data; /* of @capacity bytes, shared */
	uint32_t capacity;

	/* the writer's */
	uint32_t tail;

	/* the reader's */
	uint32_t head;
	uint32_t last; /* once @ends: packets from here on came after the close */
	bool ends;
	uint8_t *packet;
	uint32_t packet_room;
	struct nnipc_spin spin;

	/* any thread's */
	atomic_bool closed, broken;
	atomic_bool asleep; /* the reader may be in the kernel */
};

/* Shared: the waiter may be another process. A spurious end of the wait is no harm. */
static void futex_wait(atomic_uint *word, uint32_t value, int64_t timeout_ns)
{
	struct timespec timeout = nnutil_timespec(timeout_ns);

	syscall(SYS_futex, word, FUTEX_WAIT, value, timeout_ns < 0 ? NULL : &timeout, NULL, 0);
}

static void futex_wake(atomic_uint *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- memory ---- */

static bool capacity_valid(uint32_t capacity)
{
	return capacity >= LEAST_CAPACITY && capacity <= NNIPC_RING_MAX &&
	       nnutil_is_aligned(capacity, capacity);
}

static int map_ring(int fd, uint32_t capacity, struct nnipc_ring **out)
{
	struct nnipc_ring *ring = calloc(1, sizeof(*ring));
	size_t size = (size_t)HEADER_SIZE + capacity;

	if (!ring)
		return -ENOMEM;
	ring->shared = nnutil_map_kept(size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring->shared == MAP_FAILED) {
		free(ring);
		return -ENOMEM;
	}
	ring->data = (uint8_t *)ring->shared + HEADER_SIZE;
	ring->capacity = capacity;
	*out = ring;
	return 0;
}

int nnipc_ring_create(uint32_t capacity, int *fd, struct nnipc_ring **ring)
{
	int ret;

	*fd = -1;
	*ring = NULL;
	if (!capacity_valid(capacity))
		return -EINVAL;
	ret = nnipc_memory_file("nnipc-ring", (uint64_t)HEADER_SIZE + capacity);
	if (ret < 0)
		return ret;
	*fd = ret;
	ret = 0;
	/* pages that cannot be had are an error here, and no SIGBUS when a packet is written */
	if (fallocate(*fd, 0, 0, (off_t)HEADER_SIZE + capacity) ||
	    fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		ret = -errno;
	if (!ret)
		ret = map_ring(*fd, capacity, ring);
	if (ret) {
		close(*fd);
		*fd = -1;
		return ret;
	}
	(*ring)->shared->capacity = htole32(capacity);
	(*ring)->shared->magic = htole32(MAGIC);
	return 0;
}

int nnipc_ring_attach(int fd, struct nnipc_ring **out)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_SEAL;
	struct nnipc_ring *ring;
	struct stat st;
	int has = nnutil_memfd_seals(fd), ret;

	*out = NULL;
	if (has < 0 || (has & seals) != seals || fstat(fd, &st))
		return -EINVAL;
	if (st.st_size <= HEADER_SIZE || st.st_size > (off_t)HEADER_SIZE + NNIPC_RING_MAX ||
	    !capacity_valid((uint32_t)(st.st_size - HEADER_SIZE)))
		return -EINVAL;
	ret = map_ring(fd, (uint32_t)(st.st_size - HEADER_SIZE), &ring);
	if (ret)
		return ret;
	if (le32toh(ring->shared->magic) != MAGIC ||
	    le32toh(ring->shared->capacity) != ring->capacity) {
		nnipc_ring_free(ring);
		return -EINVAL;
	}
	*out = ring;
	return 0;
}

void nnipc_ring_free(struct nnipc_ring *ring)
{
	if (!ring)
		return;
	munmap(ring->shared, (size_t)HEADER_SIZE + ring->capacity);
	free(ring->packet);
	free(ring);
}

/* ---- both sides ---- */

static int ring_break(struct nnipc_ring *ring)
{
	atomic_store(&ring->broken, true);
	return -EPROTO;
}

/* Bytes between the indices; UINT32_MAX: they lie. */
static uint32_t bytes_between(const struct nnipc_ring *ring, uint32_t head, uint32_t tail)
{
	uint32_t used = tail - head;

	return used <= ring->capacity && nnutil_is_aligned(used, ALIGNMENT) ? used : UINT32_MAX;
}

static uint64_t packet_ring_padded(uint32_t size)
{
	return nnutil_align_up((uint64_t)LENGTH_SIZE + size, ALIGNMENT);
}

/* ---- writing ---- */

static void copy_in(struct nnipc_ring *ring, uint32_t index, const void *from, uint32_t size)
{
	uint32_t place = index & (ring->capacity - 1), piece = ring->capacity - place;

	if (piece > size)
		piece = size;
	memcpy(ring->data + place, from, piece);
	memcpy(ring->data, (const uint8_t *)from + piece, size - piece);
}

int nnipc_ring_put(struct nnipc_ring *ring, const void *packet, uint32_t size)
{
	uint32_t length = htole32(size), used;
	struct header *shared = ring->shared;

	if (atomic_load(&ring->broken))
		return -EPROTO;
	if (atomic_load(&ring->closed) || atomic_load(&shared->closed))
		return -EPIPE;
	if (packet_ring_padded(size) > ring->capacity)
		return -E2BIG;
	/* acquire: the reader is done with the bytes that it gave back */
	used = bytes_between(ring, atomic_load_explicit(&shared->head, memory_order_acquire),
			     ring->tail);
	if (used == UINT32_MAX)
		return ring_break(ring);
	if (packet_ring_padded(size) > ring->capacity - used)
		return -ENOSPC;
	copy_in(ring, ring->tail, &length, LENGTH_SIZE);
	if (size)
		copy_in(ring, ring->tail + LENGTH_SIZE, packet, size);
	ring->tail += (uint32_t)packet_ring_padded(size);
	/* sequentially consistent, as is the reader's pair: see the head of this file */
	atomic_store(&shared->tail, ring->tail);
	if (atomic_load(&shared->sleeps)) {
		atomic_store(&shared->sleeps, 0);
		atomic_fetch_add(&shared->event, 1);
		futex_wake(&shared->event);
	}
	return 0;
}

/* ---- reading ---- */

static void copy_out(const struct nnipc_ring *ring, uint32_t index, void *to, uint32_t size)
{
	uint32_t place = index & (ring->capacity - 1), piece = ring->capacity - place;

	if (piece > size)
		piece = size;
	memcpy(to, ring->data + place, piece);
	memcpy((uint8_t *)to + piece, ring->data, size - piece);
}

static int make_room(struct nnipc_ring *ring, uint32_t size)
{
	uint32_t room = ring->packet_room ? ring->packet_room : 256;
	uint8_t *packet;

	while (room < size)
		room *= 2;
	if (room == ring->packet_room)
		return 0;
	packet = realloc(ring->packet, room);
	if (!packet)
		return -ENOMEM;
	ring->packet = packet;
	ring->packet_room = room;
	return 0;
}

/* The next packet, of which @used bytes and more are there. */
static int take_packet(struct nnipc_ring *ring, uint32_t used, uint32_t *size)
{
	uint32_t length;
	int ret;

	copy_out(ring, ring->head, &length, LENGTH_SIZE);
	length = le32toh(length);
	if (packet_ring_padded(length) > used)
		return ring_break(ring);
	ret = make_room(ring, length);
	if (ret)
		return ret;
	if (length)
		copy_out(ring, ring->head + LENGTH_SIZE, ring->packet, length);
	ring->head += (uint32_t)packet_ring_padded(length);
	/* release: the bytes are copied before the writer may use their place */
	atomic_store_explicit(&ring->shared->head, ring->head, memory_order_release);
	*size = length;
	return 0;
}

/* -EAGAIN: there is none, and the ring is open. */
static int try_get(struct nnipc_ring *ring, uint32_t *size)
{
	struct header *shared = ring->shared;
	bool closed = atomic_load(&ring->closed) || atomic_load(&shared->closed);
	uint32_t tail = atomic_load(&shared->tail), used;

	if (atomic_load(&ring->broken))
		return -EPROTO;
	if (closed && !ring->ends) {
		/* what was written before; a peer that goes on writing is not read for ever */
		ring->ends = true;
		ring->last = tail;
	}
	used = bytes_between(ring, ring->head, ring->ends ? ring->last : tail);
	if (used == UINT32_MAX)
		return ring_break(ring);
	if (used)
		return take_packet(ring, used, size);
	return ring->ends ? -EPIPE : -EAGAIN;
}

/* As try_get(), but waits in the kernel; -ETIME. */
static int sleep_and_get(struct nnipc_ring *ring, uint32_t *size, int64_t deadline_ns)
{
	int64_t left = -1;
	struct header *shared = ring->shared;
	uint32_t event;
	int ret;

	for (;;) {
		event = atomic_load(&shared->event);
		ret = try_get(ring, size);
		if (ret != -EAGAIN)
			return ret;
		if (deadline_ns >= 0) {
			left = deadline_ns - nnutil_monotonic_ns();
			if (left <= 0)
				return -ETIME;
		}
		atomic_store(&shared->sleeps, 1);
		atomic_store(&ring->asleep, true);
		ret = try_get(ring, size);
		if (ret == -EAGAIN)
			futex_wait(&shared->event, event, left);
		atomic_store(&ring->asleep, false);
		atomic_store(&shared->sleeps, 0);
		if (ret != -EAGAIN)
			return ret;
	}
}

int nnipc_ring_get(struct nnipc_ring *ring, const uint8_t **packet, uint32_t *size,
		   int64_t timeout_ns)
{
	const int64_t deadline_ns = nnutil_deadline(timeout_ns);
	bool seen;
	int ret;

	nnipc_spin_begin(&ring->spin, nnutil_monotonic_ns(), deadline_ns);
	do
		ret = try_get(ring, size);
	while (ret == -EAGAIN && nnipc_spin_again(&ring->spin));
	seen = ret != -EAGAIN;
	if (!seen)
		ret = sleep_and_get(ring, size, deadline_ns);
	nnipc_spin_end(&ring->spin, nnutil_monotonic_ns(), seen);
	*packet = ret ? NULL : ring->packet;
	return ret;
}

void nnipc_ring_close(struct nnipc_ring *ring)
{
	static const struct timespec moment = { .tv_nsec = 100000 };
	struct header *shared = ring->shared;

	atomic_store(&ring->closed, true);
	atomic_store(&shared->closed, 1);
	atomic_fetch_add(&shared->event, 1);
	futex_wake(&shared->event);
	while (atomic_load(&ring->asleep)) {
		futex_wake(&shared->event);
		nanosleep(&moment, NULL);
	}
}
