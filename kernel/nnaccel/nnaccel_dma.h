/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of the host through the DMA API, for backends of devices that master their bus. */
#ifndef _NNACCEL_DMA_H_
#define _NNACCEL_DMA_H_

#include "nnaccel_hw.h"

extern const struct nnaccel_mem_ops nnaccel_dma_mem_ops;

#endif
