/* SPDX-License-Identifier: Apache-2.0 */
/* The completion ring: taken over, closed, and how much room it has. */
#ifndef NNBOARD_COMPLETION_RING_H
#define NNBOARD_COMPLETION_RING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "card/ring.h"

struct completion_ring {
	pthread_mutex_t lock;
	pthread_cond_t room;
	bool open;
	struct ring ring;
};

void completion_ring_init(struct completion_ring *cq);
/** 0 or -EINVAL, as ring_open(). */
int completion_ring_open(struct completion_ring *cq, const struct guest_ram *ram, uint64_t bus,
			 uint32_t slots);
/** No completion is posted any more; threads that wait for room give up. */
void completion_ring_close(struct completion_ring *cq);
/** The host says that it made room. */
void completion_ring_room(struct completion_ring *cq);
/** Free slots, under the lock; -EPROTO: the head that the host wrote is impossible. */
int completion_ring_free(const struct completion_ring *cq, uint32_t *free_slots);

#endif
