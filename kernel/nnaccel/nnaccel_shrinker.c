// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>
#include <linux/list_lru.h>
#include <linux/shmem_fs.h>
#include <linux/shrinker.h>
#include <linux/wait.h>

#include <drm/drm_managed.h>

#include "nnaccel_account.h"
#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_gem.h"

/**
 * DOC: The shrinker
 *
 * Reclaim drops the pages of BOs in state DONTNEED, which are not pinned and which nothing can
 * use. It has a list for each memory cgroup (``struct list_lru``, as inodes have). A BO is in the
 * list of the cgroup that ``struct nnaccel_bo`` is charged to, as its pages are: a cgroup at its
 * limit drops its own contents, and those of no other one. Of a long list the first 64 BOs stand
 * for the size of all, and one call looks at 64: the lock of the lists is one for all cgroups.
 *
 * A BO leaves its list with its own lock held, and only if that is free: a BO that is locked is in
 * use by its client at this moment. Reclaim allocates nothing, and waits neither for a fence nor
 * for the card. The first page of a BO may have to be read from swap, so nothing is done for
 * allocations that must not wait for I/O or file systems (GFP_NOIO, GFP_NOFS). A BO that is freed
 * waits until reclaim has let go of it (``nnaccel_bo.purging``).
 *
 * debugfs ``counters`` has ``pages_purgeable`` and ``pages_purged``.
 */

/* BOs that one call of count_objects() or scan_objects() looks at, under a lock of all cgroups. */
#define NNACCEL_SHRINK_LOOK 64

static unsigned long nnaccel_bo_pages(const struct nnaccel_bo *bo)
{
	return bo->base.base.size >> PAGE_SHIFT;
}

/**
 * nnaccel_shrinker_add() - let reclaim drop the contents of a BO
 * @bo: buffer object in state DONTNEED; its lock is held
 */
void nnaccel_shrinker_add(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);

	lockdep_assert_held(&bo->lock);
	bo->advised = true;
	atomic_long_add(nnaccel_bo_pages(bo), &ndev->shrink.pages);
	list_lru_add_obj(&ndev->shrink.lru, &bo->shrink_link);
}

/**
 * nnaccel_shrinker_has() - whether reclaim may drop the contents of a BO
 * @bo: buffer object; its lock is held, so that this does not change
 *
 * Return: whether it may.
 */
bool nnaccel_shrinker_has(struct nnaccel_bo *bo)
{
	lockdep_assert_held(&bo->lock);
	return !list_empty(&bo->shrink_link);
}

static bool nnaccel_shrinker_unlist(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);

	if (!list_lru_del_obj(&ndev->shrink.lru, &bo->shrink_link))
		return false;
	atomic_long_sub(nnaccel_bo_pages(bo), &ndev->shrink.pages);
	return true;
}

/**
 * nnaccel_shrinker_remove() - keep reclaim from dropping the contents of a BO
 * @bo: buffer object; its lock is held, so that reclaim is not at work on it
 */
void nnaccel_shrinker_remove(struct nnaccel_bo *bo)
{
	lockdep_assert_held(&bo->lock);
	nnaccel_shrinker_unlist(bo);
}

/**
 * nnaccel_shrinker_forget() - hide a BO that is freed; waits while reclaim drops its pages
 * @bo: buffer object without users
 */
void nnaccel_shrinker_forget(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);

	/* Most BOs never were there. */
	if (!bo->advised || nnaccel_shrinker_unlist(bo))
		return;
	/* Pairs with nnaccel_shrinker_purge(). */
	wait_event(ndev->state_wq, !smp_load_acquire(&bo->purging));
}

/* A walk over the list of a memory cgroup. */
struct nnaccel_shrinker_walk {
	/* of the BOs seen */
	unsigned long bos, pages;
	/* taken off the list, and locked */
	struct nnaccel_bo *bo;
};

static enum lru_status nnaccel_shrinker_sum(struct list_head *item, struct list_lru_one *list,
					    void *arg)
{
	struct nnaccel_shrinker_walk *walk = arg;

	walk->bos++;
	walk->pages += nnaccel_bo_pages(container_of(item, struct nnaccel_bo, shrink_link));
	return LRU_SKIP;
}

/* Pages of a memory cgroup; of many BOs the first ones stand for all. */
static unsigned long nnaccel_shrinker_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct nnaccel_device *ndev = shrinker->private_data;
	unsigned long bos = list_lru_shrink_count(&ndev->shrink.lru, sc);
	unsigned long look = NNACCEL_SHRINK_LOOK;
	struct nnaccel_shrinker_walk walk = { };

	if (!bos)
		return SHRINK_EMPTY;
	list_lru_walk_one(&ndev->shrink.lru, sc->nid, sc->memcg, nnaccel_shrinker_sum, &walk,
			  &look);
	return walk.bos < NNACCEL_SHRINK_LOOK ? walk.pages : walk.pages / walk.bos * bos;
}

static enum lru_status nnaccel_shrinker_isolate(struct list_head *item, struct list_lru_one *list,
						void *arg)
{
	struct nnaccel_bo *bo = container_of(item, struct nnaccel_bo, shrink_link);
	struct nnaccel_shrinker_walk *walk = arg;

	if (walk->bo)
		return LRU_STOP;
	/* The next walk begins with others. */
	if (!mutex_trylock(&bo->lock))
		return LRU_ROTATE;
	/* It may be freed from here on, which waits. */
	bo->purging = true;
	list_lru_isolate(list, item);
	walk->bo = bo;
	return LRU_REMOVED;
}

/* Drop the contents for good. */
static void nnaccel_bo_purge_locked(struct nnaccel_bo *bo)
{
	const struct nnaccel_charge charge = { .bytes = bo->charge.bytes };

	lockdep_assert_held(&bo->lock);

	nnaccel_bo_set_advice_locked(bo, NNACCEL_BO_PURGED);
	shmem_truncate_range(file_inode(bo->base.base.filp), 0, (loff_t)-1);
	/* The memory is freed; the BO still counts as one. */
	bo->charge.bytes = 0;
	nnaccel_client_uncharge(bo->client, &charge);
}

/* With the lock of the BO, which it releases. Return: the number of pages. */
static unsigned long nnaccel_shrinker_purge(struct nnaccel_device *ndev, struct nnaccel_bo *bo)
{
	unsigned long pages = nnaccel_bo_pages(bo);

	nnaccel_bo_purge_locked(bo);
	atomic_long_sub(pages, &ndev->shrink.pages);
	atomic64_add(pages, &ndev->shrink.purged);
	mutex_unlock(&bo->lock);
	/* Pairs with nnaccel_shrinker_forget(), after which there is no BO. */
	smp_store_release(&bo->purging, false);
	wake_up_all(&ndev->state_wq);
	return pages;
}

static unsigned long nnaccel_shrinker_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct nnaccel_device *ndev = shrinker->private_data;
	unsigned long look = NNACCEL_SHRINK_LOOK, freed = 0;
	struct nnaccel_shrinker_walk walk;

	if (!(sc->gfp_mask & __GFP_IO) || !(sc->gfp_mask & __GFP_FS))
		return SHRINK_STOP;
	do {
		walk.bo = NULL;
		list_lru_walk_one(&ndev->shrink.lru, sc->nid, sc->memcg, nnaccel_shrinker_isolate,
				  &walk, &look);
		if (walk.bo)
			freed += nnaccel_shrinker_purge(ndev, walk.bo);
	} while (walk.bo && freed < sc->nr_to_scan);
	sc->nr_scanned = max(freed, sc->nr_to_scan);
	return freed ?: SHRINK_STOP;
}

/* Last: all BOs are freed. */
static void nnaccel_shrinker_fini(struct drm_device *drm, void *unused)
{
	struct nnaccel_device *ndev = to_nnaccel_device(drm);

	shrinker_free(ndev->shrink.shrinker);
	list_lru_destroy(&ndev->shrink.lru);
}

/**
 * nnaccel_shrinker_init() - register the shrinker of a device
 * @ndev: device
 *
 * Return: 0 or -ENOMEM.
 */
int nnaccel_shrinker_init(struct nnaccel_device *ndev)
{
	struct shrinker *shrinker;
	int ret;

	/* As for inodes: a list for each memory cgroup, also where kernel memory is not charged. */
	shrinker = shrinker_alloc(SHRINKER_NUMA_AWARE | SHRINKER_MEMCG_AWARE | SHRINKER_NONSLAB,
				  "nnaccel:%s", dev_name(ndev->drm.dev));
	if (!shrinker)
		return -ENOMEM;
	ret = list_lru_init_memcg(&ndev->shrink.lru, shrinker);
	if (ret) {
		shrinker_free(shrinker);
		return ret;
	}
	shrinker->count_objects = nnaccel_shrinker_count;
	shrinker->scan_objects = nnaccel_shrinker_scan;
	shrinker->private_data = ndev;
	ndev->shrink.shrinker = shrinker;
	shrinker_register(shrinker);
	return drmm_add_action_or_reset(&ndev->drm, nnaccel_shrinker_fini, NULL);
}
