// SPDX-License-Identifier: Apache-2.0
/* Reading a queue's memory. */
#include "client/nnsensors_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "messages/sensor_messages.h"
#include "nnutil_file.h"
#include "nnutil_process.h"

/* Of each ring: 104 MiB. */
#define MAX_RECORDS (1u << 20)

/* ---- mapping ---- */

/* Bytes of memory that is there and stays; 0: it is not. */
static size_t lasting_size(int fd)
{
	const int seals = nnutil_memfd_seals(fd);
	struct stat st;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st))
		return 0;
	if (st.st_size < (off_t)sensor_queue_memory_size(1, 1) ||
	    st.st_size > (off_t)sensor_queue_memory_size(MAX_RECORDS, MAX_RECORDS))
		return 0;
	return (size_t)st.st_size;
}

static bool init_rings(struct sensor_queue_rings *rings)
{
	const struct sensor_queue_memory *m = rings->memory;
	const uint32_t continuous = NNUTIL_READ_ONCE(m->continuous),
		       kept = NNUTIL_READ_ONCE(m->kept);

	if (NNUTIL_READ_ONCE(m->magic) != SENSOR_QUEUE_MAGIC || !continuous || !kept ||
	    continuous > MAX_RECORDS || kept > MAX_RECORDS ||
	    sensor_queue_memory_size(continuous, kept) > rings->size)
		return false;
	nnsensors_reader_init(&rings->ring[0].reader, m->records,
			      continuous * sizeof(struct nnsensors_record));
	nnsensors_reader_init(&rings->ring[1].reader, m->records + continuous,
			      kept * sizeof(struct nnsensors_record));
	return true;
}

int sensor_queue_rings_map(struct sensor_queue_rings *rings, int fd)
{
	const size_t size = lasting_size(fd);
	void *map;

	if (!size)
		return -EPROTO;
	map = nnutil_map_kept(size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return errno == ENOMEM || errno == EAGAIN ? -ENOMEM : -EPROTO;
	*rings = (struct sensor_queue_rings){ .memory = map, .size = size };
	if (init_rings(rings))
		return 0;
	sensor_queue_rings_unmap(rings);
	return -EPROTO;
}

void sensor_queue_rings_unmap(struct sensor_queue_rings *rings)
{
	if (rings->memory)
		munmap(rings->memory, rings->size);
	rings->memory = NULL;
}

/* ---- reading ---- */

/* 1: the ring has a head. */
static int queue_memory_look(struct sensor_queue_rings *rings, struct sensor_queue_ring *ring)
{
	uint64_t lost = 0;
	int ret;

	if (ring->has)
		return 1;
	ret = nnsensors_reader_take(&ring->reader, &ring->head, &lost);
	rings->lost += lost;
	ring->has = ret == 1;
	return ret;
}

static uint64_t number_of(const struct nnsensors_record *record)
{
	return (uint64_t)(uint32_t)record->reserved[1] << 32 | (uint32_t)record->reserved[0];
}

int sensor_queue_rings_take(struct sensor_queue_rings *rings, struct nnsensors_record *record)
{
	struct sensor_queue_ring *continuous = &rings->ring[0], *kept = &rings->ring[1], *first;
	int a = queue_memory_look(rings, continuous),
	    b = a < 0 ? a : queue_memory_look(rings, kept);

	/* what comes before a record that is seen can be seen as well, but perhaps not yet a moment
	 * ago
	 */
	if (!a && b == 1)
		a = queue_memory_look(rings, continuous);
	if (a < 0 || b < 0)
		return a < 0 ? a : b;
	if (!a && !b)
		return 0;
	if (a && b)
		first = number_of(&continuous->head) < number_of(&kept->head) ? continuous : kept;
	else
		first = a ? continuous : kept;
	*record = first->head;
	first->has = false;
	return 1;
}

/*
 * Exchanges, as the writer's: of two of one word the later one has seen the earlier one, and what
 * was published before it.
 */
void sensor_queue_rings_awake(struct sensor_queue_rings *rings)
{
	atomic_exchange(&rings->memory->asleep, 0);
}

void sensor_queue_rings_asleep(struct sensor_queue_rings *rings)
{
	atomic_exchange(&rings->memory->asleep, 1);
}

uint32_t sensor_queue_rings_room(const struct sensor_queue_rings *rings)
{
	return rings->ring[0].reader.num_records + rings->ring[1].reader.num_records;
}
