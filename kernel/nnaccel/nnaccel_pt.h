/* SPDX-License-Identifier: GPL-2.0-only */
/* Address spaces by page tables, for backends of devices that walk them. */
#ifndef _NNACCEL_PT_H_
#define _NNACCEL_PT_H_

#include "nnaccel_hw.h"

extern const struct nnaccel_vm_ops nnaccel_pt_vm_ops;

int nnaccel_pt_invalidate(struct nnaccel_vm *vm, u64 va, u64 size);

#endif
