// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulated device: a process of this machine, which has opened the node, is the accelerator. It
 * speaks the device contract; see <nnaccel/nnaccel_emu.h>.
 */

#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/compat.h>
#include <linux/dma-fence.h>
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include <drm/drm_managed.h>

#include "nnaccel_cq.h"
#include "nnaccel_device.h"
#include "nnaccel_emu_dev.h"
#include "nnaccel_platform.h"
#include "nnaccel_pm.h"
#include "nnaccel_report.h"
#include "nnaccel_reset.h"
#include "nnaccel_slot.h"

#define NNACCEL_EMU_MAX_NODES	8u

static uint nnaccel_emu_devices = 1;
module_param_named(devices, nnaccel_emu_devices, uint, 0444);
MODULE_PARM_DESC(devices, "nodes /dev/nnaccel_emuN, one for each emulated device (default 1, at most 8)");

/**
 * enum nnaccel_emu_use - who has a node
 */
enum nnaccel_emu_use {
	/** @NNACCEL_EMU_FREE: it can be opened */
	NNACCEL_EMU_FREE,
	/** @NNACCEL_EMU_OPEN: a process has it */
	NNACCEL_EMU_OPEN,
	/** @NNACCEL_EMU_CLOSED: it was closed, and its device is being removed */
	NNACCEL_EMU_CLOSED,
};

/**
 * struct nnaccel_emu_node - a node
 */
struct nnaccel_emu_node {
	/** @misc: as the kernel knows it */
	struct miscdevice misc;
	/** @number: of the node, and of its device */
	u32 number;
	/** @name: /dev/name */
	char name[24];
	/** @lock: protects @use */
	spinlock_t lock;
	/** @use: see the type */
	enum nnaccel_emu_use use;
	/** @wq: woken when it is FREE */
	wait_queue_head_t wq;
};

static struct nnaccel_emu_node nnaccel_emu_nodes[NNACCEL_EMU_MAX_NODES];

/* Doorbells and interrupts. */

static void nnaccel_emu_doorbell(struct nnaccel_device *ndev, enum nnaccel_doorbell vector)
{
	struct nnaccel_emu *emu = ndev->hw_priv;

	/* Its lock, which the reader takes too, orders earlier stores before it. */
	eventfd_signal(emu->doorbell[vector]);
}

/* In the process that raises them. All of it ends fences: recovery waits for it. */
static void nnaccel_emu_deliver(struct nnaccel_emu *emu)
{
	bool signalling = dma_fence_begin_signalling();
	int cookie = srcu_read_lock(&emu->irq_srcu);
	/* Pairs with nnaccel_emu_irq_set(): what handlers use is there. */
	struct nnaccel_device *ndev = smp_load_acquire(&emu->irq_ndev);

	if (ndev && test_and_clear_bit(NNACCEL_IRQ_COMPLETION, &emu->irqs)) {
		atomic64_inc(&ndev->counters.interrupts);
		nnaccel_cq_drain(ndev);
	}
	if (ndev && test_and_clear_bit(NNACCEL_IRQ_EVENT, &emu->irqs))
		nnaccel_event_irq(ndev);
	srcu_read_unlock(&emu->irq_srcu, cookie);
	dma_fence_end_signalling(signalling);
}

static int nnaccel_emu_raise(struct nnaccel_emu *emu, unsigned long vector)
{
	if (vector >= NNACCEL_NUM_IRQS)
		return -EINVAL;
	/* Pairs with nnaccel_emu_deliver() of another thread: its cause is there before it. */
	smp_mb__before_atomic();
	set_bit(vector, &emu->irqs);
	/* Pairs with nnaccel_emu_irq_set(): one of the two sees the other. */
	smp_mb__after_atomic();
	nnaccel_emu_deliver(emu);
	return 0;
}

static void nnaccel_emu_irq_set(struct nnaccel_device *ndev, bool on)
{
	struct nnaccel_emu *emu = ndev->hw_priv;

	/* Pairs with nnaccel_emu_deliver(). */
	smp_store_release(&emu->irq_ndev, on ? ndev : NULL);
	if (!on) {
		synchronize_srcu_expedited(&emu->irq_srcu);
		return;
	}
	/* Pairs with nnaccel_emu_raise(): its test_and_clear_bit() is a full barrier. */
	nnaccel_emu_deliver(emu);
}

static int nnaccel_emu_irq_request(struct nnaccel_device *ndev)
{
	nnaccel_emu_irq_set(ndev, true);
	return 0;
}

static void nnaccel_emu_irq_release(struct nnaccel_device *ndev)
{
	nnaccel_emu_irq_set(ndev, false);
}

static void nnaccel_emu_irq_sync(struct nnaccel_device *ndev)
{
	struct nnaccel_emu *emu = ndev->hw_priv;

	synchronize_srcu_expedited(&emu->irq_srcu);
}

/* The backend. */

static bool nnaccel_emu_removed(struct nnaccel_device *ndev)
{
	struct nnaccel_emu *emu = ndev->hw_priv;

	return !READ_ONCE(emu->open);
}

/*
 * The slot ends the card, and answers; if it does not, memory is taken from the card. The wait for
 * that is one without lockdep: the work takes a lock that is held over allocations, but the wait
 * has an end. Removal waits as long as it takes: nothing waits for it.
 */
static bool nnaccel_emu_stop(struct nnaccel_device *ndev, bool final)
{
	long limit = final ? MAX_SCHEDULE_TIMEOUT : msecs_to_jiffies(nnaccel_reset_ms);
	struct nnaccel_emu *emu = ndev->hw_priv;
	int revoke;

	if (!nnaccel_emu_removed(ndev) && nnaccel_slot_stop(ndev, final))
		return true;
	if (!final && READ_ONCE(ndev->gone))
		return false;
	if (!nnaccel_emu_revoke(emu, &revoke))
		return true;
	if (!wait_event_timeout(emu->revoke_wq, nnaccel_emu_is_revoked(emu, revoke), limit))
		return false;
	if (!nnaccel_emu_removed(ndev) && nnaccel_emu_slot_silent(emu))
		dev_err_ratelimited(ndev->drm.dev,
				    "nnaccel-emud does not answer: memory was taken from the card; restart it\n");
	return true;
}

static const struct nnaccel_hw_ops nnaccel_emu_ops = {
	.name = "emu",
	.owner = THIS_MODULE,
	.wedge_methods = "rebind",
	.mem = &nnaccel_emu_mem_ops,
	.vm = &nnaccel_emu_vm_ops,
	.doorbell = nnaccel_emu_doorbell,
	.stop = nnaccel_emu_stop,
	.removed = nnaccel_emu_removed,
	.irq_request = nnaccel_emu_irq_request,
	.irq_release = nnaccel_emu_irq_release,
	.irq_enable = nnaccel_emu_irq_set,
	.irq_sync = nnaccel_emu_irq_sync,
};

static void nnaccel_emu_put_doorbells(struct nnaccel_emu *emu)
{
	for (u32 i = 0; i < NNACCEL_NUM_DOORBELLS; i++) {
		if (emu->doorbell[i])
			eventfd_ctx_put(emu->doorbell[i]);
		emu->doorbell[i] = NULL;
	}
}

static void nnaccel_emu_release(struct kref *ref)
{
	struct nnaccel_emu *emu = container_of(ref, struct nnaccel_emu, ref);

	nnaccel_emu_mem_fini(emu);
	nnaccel_emu_put_doorbells(emu);
	cleanup_srcu_struct(&emu->irq_srcu);
	mutex_destroy(&emu->plug_lock);
	vfree(emu->regs);
	kfree(emu);
}

static void nnaccel_emu_put(struct drm_device *drm, void *emu)
{
	kref_put(&((struct nnaccel_emu *)emu)->ref, nnaccel_emu_release);
}

/**
 * struct nnaccel_emu_data - platform data of a device
 */
struct nnaccel_emu_data {
	/** @base: for the driver of platform devices */
	struct nnaccel_platform_data base;
	/** @emu: the open node */
	struct nnaccel_emu *emu;
};

static int nnaccel_emu_probe(struct platform_device *pdev)
{
	const struct nnaccel_emu_data *data = dev_get_platdata(&pdev->dev);
	struct nnaccel_emu *emu = data->emu;
	struct nnaccel_device *ndev;
	int ret;

	ndev = nnaccel_device_alloc(&pdev->dev, &nnaccel_emu_ops);
	if (IS_ERR(ndev))
		return PTR_ERR(ndev);
	kref_get(&emu->ref);
	ret = drmm_add_action_or_reset(&ndev->drm, nnaccel_emu_put, emu);
	if (ret)
		return ret;
	ndev->hw_priv = emu;
	/* Accessors of registers work on any memory of the kernel. */
	ndev->regs = (struct nnaccel_regs __iomem __force *)emu->regs;
	ret = nnaccel_device_check_regs(ndev);
	if (ret)
		return ret;

	platform_set_drvdata(pdev, ndev);
	nnaccel_pm_attach(ndev);
	ret = nnaccel_device_init(ndev);
	if (ret) {
		nnaccel_pm_detach(ndev);
		return ret;
	}
	nnaccel_hwmon_register(ndev);
	nnaccel_pm_enable(ndev);
	add_taint(TAINT_TEST, LOCKDEP_STILL_OK);
	dev_info(&pdev->dev, "emulated by a process, for development and tests\n");
	return 0;
}

static void nnaccel_emu_remove(struct platform_device *pdev)
{
	struct nnaccel_device *ndev = platform_get_drvdata(pdev);

	nnaccel_pm_disable(ndev);
	nnaccel_hwmon_unregister(ndev);
	nnaccel_device_fini(ndev);
	nnaccel_pm_detach(ndev);
}

/* The node. */

static int nnaccel_emu_get_doorbells(struct nnaccel_emu *emu, const struct nnaccel_emu_plug *plug)
{
	struct eventfd_ctx *doorbell;

	for (u32 i = 0; i < NNACCEL_NUM_DOORBELLS; i++) {
		doorbell = eventfd_ctx_fdget(plug->doorbell[i]);
		if (IS_ERR(doorbell)) {
			nnaccel_emu_put_doorbells(emu);
			return -EINVAL;
		}
		emu->doorbell[i] = doorbell;
	}
	return 0;
}

/* Whether the driver has taken the device. */
static bool nnaccel_emu_is_bound(struct platform_device *pdev)
{
	guard(device)(&pdev->dev);
	return device_is_bound(&pdev->dev);
}

static int nnaccel_emu_plug(struct nnaccel_emu *emu, const void __user *arg)
{
	const struct nnaccel_emu_data data = {
		.base = { .probe = nnaccel_emu_probe, .remove = nnaccel_emu_remove },
		.emu = emu,
	};
	struct platform_device *pdev;
	struct nnaccel_emu_plug plug;
	int ret;

	if (copy_from_user(&plug, arg, sizeof(plug)))
		return -EFAULT;
	if (plug.version != NNACCEL_EMU_VERSION || plug.flags)
		return -EINVAL;

	guard(mutex)(&emu->plug_lock);
	if (emu->pdev)
		return -EBUSY;
	ret = nnaccel_emu_get_doorbells(emu, &plug);
	if (ret)
		return ret;
	pdev = platform_device_register_data(NULL, "nnaccel_emu", emu->node->number, &data,
					     sizeof(data));
	if (IS_ERR(pdev)) {
		nnaccel_emu_put_doorbells(emu);
		return PTR_ERR(pdev);
	}
	if (!nnaccel_emu_is_bound(pdev)) {
		platform_device_unregister(pdev);
		nnaccel_emu_put_doorbells(emu);
		return -ENXIO;
	}
	emu->pdev = pdev;
	return 0;
}

static int nnaccel_emu_check(struct nnaccel_emu *emu, void __user *arg)
{
	struct nnaccel_emu_range range;
	int ret;

	if (copy_from_user(&range, arg, sizeof(range)))
		return -EFAULT;
	range.fault = 0;
	ret = nnaccel_emu_mem_check(emu, &range);
	if (copy_to_user(arg, &range, sizeof(range)))
		return -EFAULT;
	return ret;
}

static long nnaccel_emu_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct nnaccel_emu *emu = file->private_data;

	switch (cmd) {
	case NNACCEL_EMU_IOC_PLUG:
		return nnaccel_emu_plug(emu, (const void __user *)arg);
	case NNACCEL_EMU_IOC_START:
		nnaccel_emu_card_start(emu);
		return 0;
	case NNACCEL_EMU_IOC_CLAIM:
		return nnaccel_emu_card_claim(emu);
	case NNACCEL_EMU_IOC_RAISE:
		return nnaccel_emu_raise(emu, arg);
	case NNACCEL_EMU_IOC_CHECK:
		return nnaccel_emu_check(emu, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static int nnaccel_emu_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct nnaccel_emu *emu = file->private_data;
	int ret;

	if (vma->vm_pgoff >= DIV_ROUND_UP(NNACCEL_REGS_SIZE, PAGE_SIZE))
		return nnaccel_emu_mem_map(emu, vma);
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	ret = remap_vmalloc_range(vma, emu->regs, vma->vm_pgoff);
	if (!ret)
		vm_flags_mod(vma, VM_DONTCOPY, VM_MAYEXEC);
	return ret;
}

/* The device goes, then the node can be opened again. Nothing of the process is left. */
static void nnaccel_emu_remove_work(struct work_struct *work)
{
	struct nnaccel_emu *emu = container_of(work, struct nnaccel_emu, remove_work);
	struct nnaccel_emu_node *node = emu->node;

	if (emu->pdev)
		platform_device_unregister(emu->pdev);
	nnaccel_emu_put(NULL, emu);

	scoped_guard(spinlock, &node->lock)
		node->use = NNACCEL_EMU_FREE;
	wake_up_all(&node->wq);
}

static struct nnaccel_emu *nnaccel_emu_alloc(struct nnaccel_emu_node *node,
					     struct address_space *mapping)
{
	struct nnaccel_emu *emu;
	int ret = -ENOMEM;

	emu = kzalloc_obj(*emu, GFP_KERNEL);
	if (!emu)
		return ERR_PTR(-ENOMEM);
	emu->regs = vmalloc_user(NNACCEL_REGS_SIZE);
	if (!emu->regs)
		goto err_free;
	ret = init_srcu_struct(&emu->irq_srcu);
	if (ret)
		goto err_regs;
	kref_init(&emu->ref);
	emu->node = node;
	emu->open = true;
	mutex_init(&emu->plug_lock);
	INIT_WORK(&emu->remove_work, nnaccel_emu_remove_work);
	nnaccel_emu_mem_init(emu, mapping);
	return emu;

err_regs:
	vfree(emu->regs);
err_free:
	kfree(emu);
	return ERR_PTR(ret);
}

/* Take the node, if no process has it; the removal of an earlier device is waited for. */
static int nnaccel_emu_node_take(struct nnaccel_emu_node *node)
{
	for (;;) {
		scoped_guard(spinlock, &node->lock) {
			if (node->use == NNACCEL_EMU_OPEN)
				return -EBUSY;
			if (node->use == NNACCEL_EMU_FREE) {
				node->use = NNACCEL_EMU_OPEN;
				return 0;
			}
		}
		if (wait_event_interruptible(node->wq,
					     READ_ONCE(node->use) != NNACCEL_EMU_CLOSED))
			return -ERESTARTSYS;
	}
}

static int nnaccel_emu_open(struct inode *inode, struct file *file)
{
	struct nnaccel_emu_node *node =
		container_of(file->private_data, struct nnaccel_emu_node, misc);
	struct nnaccel_emu *emu;
	int ret;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	ret = nnaccel_emu_node_take(node);
	if (ret)
		return ret;
	emu = nnaccel_emu_alloc(node, file->f_mapping);
	if (IS_ERR(emu)) {
		scoped_guard(spinlock, &node->lock)
			node->use = NNACCEL_EMU_FREE;
		return PTR_ERR(emu);
	}
	file->private_data = emu;
	return 0;
}

static int nnaccel_emu_close(struct inode *inode, struct file *file)
{
	struct nnaccel_emu *emu = file->private_data;

	nnaccel_emu_mem_close(emu);
	WRITE_ONCE(emu->open, false);
	scoped_guard(spinlock, &emu->node->lock)
		emu->node->use = NNACCEL_EMU_CLOSED;
	queue_work(nnaccel_emu_wq, &emu->remove_work);
	return 0;
}

static const struct file_operations nnaccel_emu_fops = {
	.owner = THIS_MODULE,
	.open = nnaccel_emu_open,
	.release = nnaccel_emu_close,
	.unlocked_ioctl = nnaccel_emu_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = nnaccel_emu_mmap,
};

static void nnaccel_emu_remove_nodes(u32 count)
{
	while (count)
		misc_deregister(&nnaccel_emu_nodes[--count].misc);
}

static int nnaccel_emu_add_nodes(void)
{
	for (u32 i = 0; i < nnaccel_emu_devices; i++) {
		struct nnaccel_emu_node *node = &nnaccel_emu_nodes[i];
		int ret;

		spin_lock_init(&node->lock);
		init_waitqueue_head(&node->wq);
		node->number = i;
		snprintf(node->name, sizeof(node->name), "nnaccel_emu%u", i);
		node->misc = (struct miscdevice) {
			.minor = MISC_DYNAMIC_MINOR,
			.name = node->name,
			.mode = 0600,
			.fops = &nnaccel_emu_fops,
		};
		ret = misc_register(&node->misc);
		if (ret) {
			nnaccel_emu_remove_nodes(i);
			return ret;
		}
	}
	return 0;
}

static int __init nnaccel_emu_init(void)
{
	int ret;

	/* The process maps pages of the device, at their addresses. */
	if (PAGE_SIZE != NNACCEL_PAGE_SIZE) {
		pr_err("nnaccel_emu: pages of %lu bytes are not supported, only those of %llu\n",
		       PAGE_SIZE, NNACCEL_PAGE_SIZE);
		return -EOPNOTSUPP;
	}
	nnaccel_emu_devices = clamp(nnaccel_emu_devices, 1, NNACCEL_EMU_MAX_NODES);
	ret = nnaccel_emu_wqs_init();
	if (ret)
		return ret;
	ret = nnaccel_emu_add_nodes();
	if (ret)
		nnaccel_emu_wqs_fini();
	return ret;
}

/* All nodes are closed: an open one holds the module. */
static void __exit nnaccel_emu_exit(void)
{
	nnaccel_emu_remove_nodes(nnaccel_emu_devices);
	flush_workqueue(nnaccel_emu_wq);
	nnaccel_emu_wqs_fini();
}

module_init(nnaccel_emu_init);
module_exit(nnaccel_emu_exit);

MODULE_DESCRIPTION("nnaccel accelerator emulated by a process of this machine");
MODULE_AUTHOR("The nnaccel authors");
MODULE_LICENSE("GPL");
#ifdef NNACCEL_VERSION
MODULE_VERSION(NNACCEL_VERSION);
#endif
