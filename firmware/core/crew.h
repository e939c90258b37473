/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of one operation (Documentation/firmware.rst). */
#ifndef NNFW_CREW_H
#define NNFW_CREW_H

#include "core.h"

/** Threads of a crew at most. */
#define NNFW_CREW_SLOTS 64u

/** @progress: of the queue. */
void nnfw_crew_init(struct crew *crew, struct nnfw *fw, struct queue_progress *progress);
/** No helper is left. */
void nnfw_crew_fini(struct crew *crew);
/** No helper comes any more; those that are there leave soon, then nnfw.idle is signalled. Under
 * the lock. */
void nnfw_crew_close(struct crew *crew);
/** Threads of a crew: @wanted (0: one for each engine), at most what the processors allow. */
uint32_t nnfw_crew_threads(uint32_t wanted, uint32_t engines);
/** The job ended: no more helpers come until a job splits its work. Under the lock. */
void nnfw_crew_rest(struct crew *crew);
/**
 * Help a crew that wants it. Under the lock, which is dropped meanwhile. False: none does, or there
 * is no engine for it.
 */
bool nnfw_crew_help(struct nnfw *fw);

#endif
