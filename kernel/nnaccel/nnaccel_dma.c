// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the host for a device that masters its bus: the DMA API, which finds the addresses with
 * an IOMMU, bounce buffers or neither.
 */

#include <linux/dma-mapping.h>

#include <nnaccel/nnaccel_mmu.h>

#include "nnaccel_device.h"
#include "nnaccel_dma.h"

static int nnaccel_dma_init(struct nnaccel_device *ndev)
{
	struct device *dev = ndev->drm.dev;
	int ret;

	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(52));
	if (ret)
		return ret;
	dma_set_max_seg_size(dev, UINT_MAX);
	/*
	 * A page table entry has no room for an offset in the page, so bounce buffers must be page
	 * aligned too.
	 */
	dma_set_min_align_mask(dev, NNACCEL_PAGE_SIZE - 1);
	return 0;
}

static void *nnaccel_dma_alloc(struct nnaccel_device *ndev, size_t size, u64 *addr)
{
	dma_addr_t dma;
	void *mem;

	mem = dma_alloc_coherent(ndev->drm.dev, size, &dma, GFP_KERNEL_ACCOUNT);
	if (mem)
		*addr = dma;
	return mem;
}

static void nnaccel_dma_free(struct nnaccel_device *ndev, size_t size, void *mem, u64 addr)
{
	dma_free_coherent(ndev->drm.dev, size, mem, addr);
}

const struct nnaccel_mem_ops nnaccel_dma_mem_ops = {
	.init = nnaccel_dma_init,
	.alloc = nnaccel_dma_alloc,
	.free = nnaccel_dma_free,
};
