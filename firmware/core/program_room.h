/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs whose program does not fit beside those in use wait for room, without an engine. The rules
 * are a table in Documentation/firmware.rst. All functions: under the lock.
 */
#ifndef NNFW_PROGRAM_ROOM_H
#define NNFW_PROGRAM_ROOM_H

#include "core.h"

/** Whether @bytes more fit into the quota; drops idle programs for them, or none. */
bool nnfw_room_make(struct nnfw *fw, uint64_t bytes);
/** Whether a job of @q must not use or load a program now: an earlier job waits for its room. */
bool nnfw_room_yields(struct nnfw *fw, const struct queue *q);
/**
 * Let the first job of @q wait for @bytes; its turn must end. False: it may not, and ends without
 * its program. The caller frees what is dropped afterwards.
 */
bool nnfw_room_wait(struct nnfw *fw, struct queue *q, uint64_t bytes);
/**
 * @q has its turn: the room that it got is free again, for what the caller does under the lock. Its
 * bytes; 0: it had none.
 */
uint64_t nnfw_room_take(struct nnfw *fw, struct queue *q);
/** @q neither waits any more nor needs what it got. The caller frees what is dropped afterwards. */
void nnfw_room_leave(struct nnfw *fw, struct queue *q);
/** Room may be free: give it to jobs that wait. The caller frees what is dropped afterwards. */
void nnfw_room_changed(struct nnfw *fw);
/** End the waits that are over, and set when to look again. */
void nnfw_room_expire(struct nnfw *fw);

#endif
