/* SPDX-License-Identifier: GPL-2.0-only */
/* The shrinker: reclaim drops contents that are not needed. */
#ifndef _NNACCEL_SHRINKER_H_
#define _NNACCEL_SHRINKER_H_

#include <linux/types.h>

struct nnaccel_bo;
struct nnaccel_device;

int nnaccel_shrinker_init(struct nnaccel_device *ndev);
void nnaccel_shrinker_add(struct nnaccel_bo *bo);
bool nnaccel_shrinker_has(struct nnaccel_bo *bo);
void nnaccel_shrinker_remove(struct nnaccel_bo *bo);
void nnaccel_shrinker_forget(struct nnaccel_bo *bo);

#endif
