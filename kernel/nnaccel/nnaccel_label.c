// SPDX-License-Identifier: GPL-2.0-only

#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <drm/drm_gem.h>

#include "nnaccel_account.h"
#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_gem.h"

/**
 * nnaccel_bo_list() - enter a new BO into the device's list
 * @bo: buffer object that is charged to a client
 */
void nnaccel_bo_list(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);

	spin_lock(&ndev->bos.lock);
	list_add_tail(&bo->all_link, &ndev->bos.list);
	spin_unlock(&ndev->bos.lock);
}

/**
 * nnaccel_bo_unlist() - remove a BO that is about to be freed, with its label
 * @bo: buffer object without a reference; it may not be listed
 */
void nnaccel_bo_unlist(struct nnaccel_bo *bo)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);

	scoped_guard(spinlock, &ndev->bos.lock)
		list_del_init(&bo->all_link);
	kfree(bo->label);
}

static const char *nnaccel_bo_kind(struct nnaccel_bo *bo)
{
	if (bo->imported)
		return "imported";
	if (READ_ONCE(bo->advice) != NNACCEL_BO_WILLNEED)
		return READ_ONCE(bo->advice) == NNACCEL_BO_PURGED ? "purged" : "dontneed";
	if (bo->userptr)
		return "userptr";
	return bo->flags & DRM_NNACCEL_BO_DEVICE_READONLY ? "read-only" : "read-write";
}

/**
 * nnaccel_bos_show() - print all BOs, for debugfs
 * @ndev: device
 * @m: destination
 *
 * A BO is listed with the file that is charged for it; there may be no handle to it any more.
 */
void nnaccel_bos_show(struct nnaccel_device *ndev, struct seq_file *m)
{
	struct nnaccel_bo *bo;

	seq_puts(m, "client pid command bytes kind handles label\n");
	spin_lock(&ndev->bos.lock);
	list_for_each_entry(bo, &ndev->bos.list, all_link) {
		struct nnaccel_client *client = bo->client;

		seq_printf(m, "%llu %d ", client->id, client->pid);
		/* A process chooses its name. */
		seq_escape_mem(m, client->comm, strnlen(client->comm, sizeof(client->comm)),
			       ESCAPE_ANY_NP | ESCAPE_SPACE, " ");
		seq_printf(m, " %zu %s %u %s\n", bo->base.base.size, nnaccel_bo_kind(bo),
			   READ_ONCE(bo->base.base.handle_count), bo->label ?: "-");
	}
	spin_unlock(&ndev->bos.lock);
}

/* Return: the label of @args, NULL if it is to be removed, or an ERR_PTR. */
static char *nnaccel_label_copy(const struct drm_nnaccel_bo_label *args)
{
	char *label, *c;

	if (!args->size && !args->label)
		return NULL;
	if (!args->size)
		return ERR_PTR(-EINVAL);
	if (args->size > DRM_NNACCEL_BO_LABEL_MAX)
		return ERR_PTR(-E2BIG);

	label = memdup_user_nul(u64_to_user_ptr(args->label), args->size);
	if (IS_ERR(label))
		return label;
	/* One line of plain text, whatever the terminal that shows it. */
	for (c = label; c < label + args->size; c++) {
		if (!isascii(*c) || !isprint(*c)) {
			kfree(label);
			return ERR_PTR(-EINVAL);
		}
	}
	return label;
}

static int nnaccel_label_set(struct nnaccel_bo *bo, const struct drm_nnaccel_bo_label *args)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);
	char *label = nnaccel_label_copy(args);

	if (IS_ERR(label))
		return PTR_ERR(label);
	scoped_guard(spinlock, &ndev->bos.lock)
		swap(bo->label, label);
	kfree(label);
	return 0;
}

static int nnaccel_label_get(struct nnaccel_bo *bo, struct drm_nnaccel_bo_label *args)
{
	struct nnaccel_device *ndev = to_nnaccel_device(bo->base.base.dev);
	char copy[DRM_NNACCEL_BO_LABEL_MAX + 1] = "";
	u32 size;

	if (args->label && !args->size)
		return -EINVAL;
	scoped_guard(spinlock, &ndev->bos.lock)
		if (bo->label)
			strscpy(copy, bo->label, sizeof(copy));
	size = strlen(copy);
	if (args->label) {
		size = min(size, args->size);
		if (copy_to_user(u64_to_user_ptr(args->label), copy, size))
			return -EFAULT;
	}
	args->size = size;
	return 0;
}

int nnaccel_ioctl_bo_label(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nnaccel_bo_label *args = data;
	struct drm_gem_object *obj;
	int ret;

	if (args->flags & ~DRM_NNACCEL_BO_LABEL_FLAGS || args->pad)
		return -EINVAL;

	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	if (args->flags & DRM_NNACCEL_BO_LABEL_GET)
		ret = nnaccel_label_get(to_nnaccel_bo(obj), args);
	else
		ret = nnaccel_label_set(to_nnaccel_bo(obj), args);
	drm_gem_object_put(obj);
	return ret;
}
