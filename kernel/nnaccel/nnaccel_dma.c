// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the host for a device that masters its bus: the DMA API, which finds the addresses with
 * an IOMMU, bounce buffers or neither.
 */

#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>

#include <nnaccel/nnaccel_mmu.h>

#include "nnaccel_bo.h"
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

static int nnaccel_dma_map(struct nnaccel_bo *bo, struct sg_table *sgt)
{
	struct device *dev = bo->base.base.dev->dev;
	struct scatterlist *sg;
	u64 bytes = 0;
	unsigned int i;
	int ret;

	if (!bo->imported) {
		/*
		 * The attribute says that another mapping of the page is no mistake, which
		 * debugging of the DMA API would report: a page of a process may be in several BOs.
		 * It counts up to eight of a page, then it warns once.
		 */
		ret = dma_map_sgtable(dev, sgt, nnaccel_bo_dma_dir(bo), DMA_ATTR_SKIP_CPU_SYNC);
		if (ret)
			return ret;
		/*
		 * A job that does not list the BO is not preceded by a sync. It must not find what
		 * was in memory before the kernel cleared the page in a cache.
		 */
		dma_sync_sgtable_for_device(dev, sgt, nnaccel_bo_dma_dir(bo));
	}
	for_each_sgtable_dma_sg(sgt, sg, i)
		if (dma_need_sync(dev, sg_dma_address(sg)))
			bytes += sg_dma_len(sg);
	bo->sync_bytes = bytes;
	return 0;
}

static void nnaccel_dma_unmap(struct nnaccel_bo *bo, struct sg_table *sgt)
{
	if (bo->imported)
		return;
	/*
	 * What jobs wrote was copied back when they ended. A bounce buffer may be older than what
	 * the CPU has written since.
	 */
	dma_unmap_sgtable(bo->base.base.dev->dev, sgt, nnaccel_bo_dma_dir(bo),
			  DMA_ATTR_SKIP_CPU_SYNC);
}

static void nnaccel_dma_sync(struct nnaccel_bo *bo, struct sg_table *sgt, bool for_device)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct device *dev = obj->dev->dev;
	struct scatterlist *sg;
	unsigned int i;

	if (bo->imported) {
		for_each_sgtable_dma_sg(sgt, sg, i) {
			dma_addr_t dma = sg_dma_address(sg);

			if (for_device)
				dma_sync_single_for_device(dev, dma, sg_dma_len(sg),
							   DMA_BIDIRECTIONAL);
			else
				dma_sync_single_for_cpu(dev, dma, sg_dma_len(sg),
							DMA_BIDIRECTIONAL);
		}
	} else if (for_device) {
		dma_sync_sgtable_for_device(dev, sgt, nnaccel_bo_dma_dir(bo));
	} else {
		dma_sync_sgtable_for_cpu(dev, sgt, nnaccel_bo_dma_dir(bo));
	}
	atomic64_add(bo->sync_bytes, &to_nnaccel_device(obj->dev)->counters.bytes_synced);
}

const struct nnaccel_mem_ops nnaccel_dma_mem_ops = {
	.init = nnaccel_dma_init,
	.alloc = nnaccel_dma_alloc,
	.free = nnaccel_dma_free,
	.map = nnaccel_dma_map,
	.unmap = nnaccel_dma_unmap,
	.sync = nnaccel_dma_sync,
};
