/* SPDX-License-Identifier: GPL-2.0-only */
/* BOs that consist of memory of a process. */
#ifndef _NNACCEL_USERPTR_H_
#define _NNACCEL_USERPTR_H_

#include <linux/types.h>

struct nnaccel_bo;
struct nnaccel_userptr;
struct sg_table;

struct nnaccel_userptr *nnaccel_userptr_create(u64 addr, u64 size, bool write);
struct sg_table *nnaccel_userptr_map(struct nnaccel_bo *bo);
void nnaccel_userptr_free(struct nnaccel_userptr *userptr);

#endif
