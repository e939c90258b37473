/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing models on devices of the HAL, which answer by callback, and waiting for the answers. */
#ifndef NNR_PREPARE_WAIT_H
#define NNR_PREPARE_WAIT_H

#include <pthread.h>
#include <stddef.h>

#include "nnhal.h"

/** Preparations that one thread waits for. */
struct nnr_prepare_group {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	uint32_t pending;
};
/** One preparation. What follows @group is valid after nnr_prepare_group_wait(). */
struct nnr_prepare_answer {
	struct nnr_prepare_group *group;
	enum nnhal_status status;
	struct nnhal_prepared_model *prepared; /* with NONE */
	char message[192]; /* the device's reason; may be empty */
};

void nnr_prepare_group_init(struct nnr_prepare_group *group);
void nnr_prepare_group_fini(struct nnr_prepare_group *group);
/** One answer more is to come. */
void nnr_prepare_group_expect(struct nnr_prepare_group *group);
/** Ends an nnr_prepare_group_expect(). The group can be gone when this returns. */
void nnr_prepare_group_done(struct nnr_prepare_group *group);
void nnr_prepare_group_wait(struct nnr_prepare_group *group);
/** The callback for the device. @cookie: a struct nnr_prepare_answer. */
void nnr_prepare_answered(void *cookie, enum nnhal_status status,
			  struct nnhal_prepared_model *model, const char *message);

/**
 * Prepare @model on @hal and wait. *@prepared with NONE; else @message (@size bytes) is the
 * device's reason. Allowed inside an execution.
 */
enum nnhal_status nnr_prepare_on(struct nnhal_device *hal, const struct nnmodel *model,
				 const struct nnhal_prepare_config *config,
				 struct nnhal_prepared_model **prepared, char *message,
				 size_t size);

#endif
