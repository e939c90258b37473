// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tests in the VM need from the kernel and user space cannot ask for. Never installed.
 *
 * While it is loaded, system suspend leaves the virtio devices alone: the guest's root is on
 * virtio-9p, which does not survive it.
 *
 * Writing "STATE ADDRESS" to its parameter "bus_error" calls the error handlers of the driver of a
 * PCI device in the order in which the PCI core does when a port reports an error; the emulated
 * card has no such port. STATE: normal, frozen (and recovered), stuck (frozen, the reset comes with
 * "recover"), dead.
 *
 * Writing "CONTEXT PAGES" to its parameter "charge" allocates that many pages for the memory cgroup
 * of the writer, and frees them; -ENOMEM if one attempt at reclaim finds too few. CONTEXT: noio or
 * nofs, as code below a file system or a disk allocates; kernel, as any other code does.
 */

#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/string.h>

static int mark(struct device *dev, void *unused)
{
	dev_pm_syscore_device(dev, true);
	return 0;
}

static int unmark(struct device *dev, void *unused)
{
	dev_pm_syscore_device(dev, false);
	return 0;
}

static void each_virtio(int (*what)(struct device *dev, void *unused))
{
	struct pci_dev *pdev = NULL;

	for_each_pci_dev(pdev) {
		if (!pdev->driver || strcmp(pdev->driver->name, "virtio-pci"))
			continue;
		what(&pdev->dev, NULL);
		device_for_each_child(&pdev->dev, NULL, what);
	}
}

static int bus_error(struct pci_dev *pdev, const char *state)
{
	const struct pci_error_handlers *err = pdev->driver ? pdev->driver->err_handler : NULL;
	pci_ers_result_t result;

	if (!err)
		return -EOPNOTSUPP;
	if (!strcmp(state, "normal")) {
		result = err->error_detected(pdev, pci_channel_io_normal);
		if (result != PCI_ERS_RESULT_CAN_RECOVER)
			return -EPROTO;
		err->resume(pdev);
		return 0;
	}
	if (!strcmp(state, "dead"))
		return err->error_detected(pdev, pci_channel_io_perm_failure) ==
		       PCI_ERS_RESULT_DISCONNECT ? 0 : -EPROTO;
	if (!strcmp(state, "frozen") || !strcmp(state, "stuck")) {
		result = err->error_detected(pdev, pci_channel_io_frozen);
		if (result != PCI_ERS_RESULT_NEED_RESET)
			return -EPROTO;
	}
	if (!strcmp(state, "frozen") || !strcmp(state, "recover")) {
		if (err->slot_reset(pdev) != PCI_ERS_RESULT_RECOVERED)
			return -EPROTO;
		err->resume(pdev);
		return 0;
	}
	return strcmp(state, "stuck") ? -EINVAL : 0;
}

static int bus_error_set(const char *value, const struct kernel_param *param)
{
	unsigned int domain, bus, slot, function;
	struct pci_dev *pdev;
	char state[16];
	int ret;

	if (sscanf(value, "%15s %x:%x:%x.%x", state, &domain, &bus, &slot, &function) != 5)
		return -EINVAL;
	pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	if (!pdev)
		return -ENODEV;
	device_lock(&pdev->dev);
	ret = bus_error(pdev, state);
	device_unlock(&pdev->dev);
	pci_dev_put(pdev);
	return ret;
}

static const struct kernel_param_ops bus_error_ops = { .set = bus_error_set };
module_param_cb(bus_error, &bus_error_ops, NULL, 0200);

static int charge(gfp_t gfp, unsigned int pages)
{
	struct page *page, *next;
	LIST_HEAD(list);

	/* No attempt but the first: neither other ones nor the OOM killer. */
	gfp |= __GFP_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN;
	for (; pages; pages--) {
		page = alloc_page(gfp);
		if (!page)
			break;
		list_add(&page->lru, &list);
	}
	list_for_each_entry_safe(page, next, &list, lru)
		__free_page(page);
	return pages ? -ENOMEM : 0;
}

static int charge_set(const char *value, const struct kernel_param *param)
{
	unsigned int pages;
	char context[16];

	if (sscanf(value, "%15s %u", context, &pages) != 2)
		return -EINVAL;
	if (!strcmp(context, "noio"))
		return charge(GFP_NOIO, pages);
	if (!strcmp(context, "nofs"))
		return charge(GFP_NOFS, pages);
	return strcmp(context, "kernel") ? -EINVAL : charge(GFP_KERNEL, pages);
}

static const struct kernel_param_ops charge_ops = { .set = charge_set };
module_param_cb(charge, &charge_ops, NULL, 0200);

static int __init vmtest_init(void)
{
	each_virtio(mark);
	return 0;
}

static void __exit vmtest_exit(void)
{
	each_virtio(unmark);
}

module_init(vmtest_init);
module_exit(vmtest_exit);

MODULE_DESCRIPTION("helper of nnaccel's tests in the VM");
MODULE_LICENSE("GPL");
