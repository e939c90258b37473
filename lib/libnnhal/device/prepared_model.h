/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared models. execute/iprepared_model.c has their methods. Private to libnnhal. */
#ifndef NNHAL_PREPARED_MODEL_H
#define NNHAL_PREPARED_MODEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/hal_device.h"
#include "device/program_memory.h"
#include "memory/import_cache.h"
#include "memory/operand.h"

/** Device memory of one execution at a time: its result, then its staged arguments. */
struct nnhal_staging {
	struct nnhal_staging *next;
	struct nnhal_tmem *mem;
};

struct nnhal_pm {
	struct nnhal_prepared_model base;
	atomic_uint refs;
	struct nnhal_dev *dev;
	struct nnhal_tmem *program;
	uint64_t program_offset, program_size, generation; /* @program_offset: in @program */
	uint32_t priority;
	uint32_t num_operations; /* of the program */
	uint32_t num_inputs, num_outputs;
	struct nnhal_io *inputs, *outputs;
	struct nnhal_extent *constants; /* where constants live: no output may be there */
	uint32_t num_constants;
	pthread_mutex_t staging_lock; /* of the next */
	struct nnhal_staging *staging; /* idle ones, last used first */
};

/** For a program, made of @model; its memory is taken over. The device does not load it yet. */
int nnhal_pm_create(struct nnhal_dev *dev, const struct nnmodel *model,
		    struct nnhal_program *program, uint32_t priority, struct nnhal_pm **pm);
/**
 * Have the device load the program before the first job needs it. From here on the program's bytes
 * are the device's: it gives those back that it needs no more (dma_discard() of nnfw.h).
 */
void nnhal_pm_load_ahead(struct nnhal_pm *pm);
struct nnhal_pm *nnhal_pm_get(struct nnhal_pm *pm);
void nnhal_pm_put(struct nnhal_pm *pm);
/** An idle staging area of at least @size bytes. */
int nnhal_staging_get(struct nnhal_pm *pm, uint64_t size, struct nnhal_staging **staging);
void nnhal_staging_put(struct nnhal_pm *pm, struct nnhal_staging *staging);

#endif
