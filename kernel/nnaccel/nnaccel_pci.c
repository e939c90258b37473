// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI backend: an ivshmem-doorbell device whose BAR2 is our register page. BAR0 has the
 * doorbell, BAR1 is MSI-X. Registers are plain memory: the doorbell is the only word with an
 * effect.
 */

#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>

#include <drm/drm_drv.h>

#include <nnaccel/nnaccel_rom.h>

#include "nnaccel_device.h"
#include "nnaccel_dma.h"
#include "nnaccel_irq.h"
#include "nnaccel_report.h"
#include "nnaccel_pci.h"
#include "nnaccel_pm.h"
#include "nnaccel_pt.h"
#include "nnaccel_reset.h"
#include "nnaccel_slot.h"

#define NNACCEL_PCI_VENDOR_IVSHMEM	0x1af4
#define NNACCEL_PCI_DEVICE_IVSHMEM	0x1110
/* QEMU's for all devices without an own one; ivshmem of other hypervisors has others. */
#define NNACCEL_PCI_SUBVENDOR_QEMU	0x1af4
#define NNACCEL_PCI_SUBDEVICE_QEMU	0x1100

#define NNACCEL_PCI_BAR_DOORBELL	0
#define NNACCEL_PCI_BAR_REGS		2
/* Register of BAR0: a write of peer << 16 | vector interrupts the peer. */
#define NNACCEL_PCI_DOORBELL		12
/* The slot of the card is always peer 0. */
#define NNACCEL_PCI_PEER		0u

/**
 * struct nnaccel_pci - nnaccel_device.hw_priv
 */
struct nnaccel_pci {
	/** @pdev: device */
	struct pci_dev *pdev;
	/** @doorbell: NNACCEL_PCI_DOORBELL of BAR0 */
	void __iomem *doorbell;
};

static void nnaccel_pci_doorbell(struct nnaccel_device *ndev, enum nnaccel_doorbell vector)
{
	struct nnaccel_pci *pci = ndev->hw_priv;

	/* writel() orders stores to DMA memory before it. */
	writel(NNACCEL_PCI_PEER << 16 | vector, pci->doorbell);
}

/*
 * Configuration space does not answer: the link is down, or the bus has isolated the device. Both
 * end its accesses to memory, and both end with a reset of the device.
 */
static bool nnaccel_pci_removed(struct nnaccel_device *ndev)
{
	struct nnaccel_pci *pci = ndev->hw_priv;

	return !pci_device_is_present(pci->pdev);
}

static int nnaccel_pci_irq_request(struct nnaccel_device *ndev)
{
	struct nnaccel_pci *pci = ndev->hw_priv;
	int ret;

	ret = pci_alloc_irq_vectors(pci->pdev, NNACCEL_IRQ_EVENT + 1, NNACCEL_NUM_IRQS,
				    PCI_IRQ_MSIX);
	if (ret < 0) {
		drm_err(&ndev->drm, "no MSI-X vectors (%d)\n", ret);
		return ret;
	}

	/* pci_irq_vector() takes a mutex: once, here. */
	ndev->irq.completion = pci_irq_vector(pci->pdev, NNACCEL_IRQ_COMPLETION);
	ndev->irq.event = pci_irq_vector(pci->pdev, NNACCEL_IRQ_EVENT);
	ret = nnaccel_irq_request(ndev);
	if (ret)
		pci_free_irq_vectors(pci->pdev);
	return ret;
}

static void nnaccel_pci_irq_release(struct nnaccel_device *ndev)
{
	struct nnaccel_pci *pci = ndev->hw_priv;

	nnaccel_irq_release(ndev);
	pci_free_irq_vectors(pci->pdev);
}

static const struct nnaccel_hw_ops nnaccel_pci_ops = {
	.name = "pci",
	.wedge_methods = "rebind,bus-reset",
	.mem = &nnaccel_dma_mem_ops,
	.vm = &nnaccel_pt_vm_ops,
	.doorbell = nnaccel_pci_doorbell,
	.stop = nnaccel_slot_stop,
	.removed = nnaccel_pci_removed,
	.irq_request = nnaccel_pci_irq_request,
	.irq_release = nnaccel_pci_irq_release,
	.irq_enable = nnaccel_irq_enable,
	.irq_sync = nnaccel_irq_sync,
};

/*
 * The ids are those of every ivshmem device of QEMU, which has no property to change them; others
 * may be in use by programs of the host. The card has an expansion ROM that names it. Most others
 * have none and lack its resource, which is checked first. No BAR is touched.
 */
static bool nnaccel_pci_is_ours(struct pci_dev *pdev)
{
	struct nnaccel_rom_id id = {};
	void __iomem *rom;
	size_t size;
	u16 cmd;

	if (!pci_resource_len(pdev, PCI_ROM_RESOURCE))
		return false;

	/* The ROM is decoded only together with memory space. */
	pci_read_config_word(pdev, PCI_COMMAND, &cmd);
	if (!(cmd & PCI_COMMAND_MEMORY))
		pci_write_config_word(pdev, PCI_COMMAND, cmd | PCI_COMMAND_MEMORY);
	rom = pci_map_rom(pdev, &size);
	if (rom) {
		if (size >= NNACCEL_ROM_SIZE)
			memcpy_fromio(&id, rom + NNACCEL_ROM_ID, sizeof(id));
		pci_unmap_rom(pdev, rom);
	}
	if (!(cmd & PCI_COMMAND_MEMORY))
		pci_write_config_word(pdev, PCI_COMMAND, cmd);

	return le32_to_cpu(id.magic) == NNACCEL_MAGIC;
}

static int nnaccel_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct nnaccel_device *ndev;
	void __iomem *bar0, *bar2;
	struct nnaccel_pci *pci;
	int ret;

	if (!nnaccel_pci_is_ours(pdev))
		return -ENODEV;
	if (pci_resource_len(pdev, NNACCEL_PCI_BAR_REGS) < NNACCEL_REGS_SIZE ||
	    pci_resource_len(pdev, NNACCEL_PCI_BAR_DOORBELL) < NNACCEL_PCI_DOORBELL + sizeof(u32)) {
		dev_err(&pdev->dev, "BARs are too small: device ignored\n");
		return -ENODEV;
	}

	pci = devm_kzalloc(&pdev->dev, sizeof(*pci), GFP_KERNEL);
	if (!pci)
		return -ENOMEM;
	ndev = nnaccel_device_alloc(&pdev->dev, &nnaccel_pci_ops);
	if (IS_ERR(ndev))
		return PTR_ERR(ndev);

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	bar0 = pcim_iomap(pdev, NNACCEL_PCI_BAR_DOORBELL, 0);
	bar2 = pcim_iomap(pdev, NNACCEL_PCI_BAR_REGS, 0);
	if (!bar0 || !bar2)
		return -ENOMEM;

	pci->pdev = pdev;
	pci->doorbell = bar0 + NNACCEL_PCI_DOORBELL;
	ndev->hw_priv = pci;
	ndev->regs = bar2;
	ret = nnaccel_device_check_regs(ndev);
	if (ret)
		return ret;

	/* Interrupts are memory writes, too. */
	pci_set_master(pdev);
	pci_set_drvdata(pdev, ndev);
	ret = nnaccel_device_init(ndev);
	if (ret) {
		pci_clear_master(pdev);
		return ret;
	}
	/* For nnaccel_pci_slot_reset(). */
	pci_save_state(pdev);
	nnaccel_hwmon_register(ndev);
	nnaccel_pm_enable(ndev);
	return 0;
}

static void nnaccel_pci_remove(struct pci_dev *pdev)
{
	nnaccel_pm_disable(pci_get_drvdata(pdev));
	nnaccel_hwmon_unregister(pci_get_drvdata(pdev));
	nnaccel_device_fini(pci_get_drvdata(pdev));
	pci_clear_master(pdev);
}

/* A kernel started by kexec must not find a card that writes into its memory. */
static void nnaccel_pci_shutdown(struct pci_dev *pdev)
{
	nnaccel_pm_disable(pci_get_drvdata(pdev));
	nnaccel_device_fini(pci_get_drvdata(pdev));
	pci_clear_master(pdev);
}

/* The policy is the table "Power" in Documentation/failure-and-recovery.rst. */
static pci_ers_result_t nnaccel_pci_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct nnaccel_device *ndev = pci_get_drvdata(pdev);

	switch (state) {
	case pci_channel_io_normal:
		/* The card works, but what it has read or written since may be wrong. */
		nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_BUS);
		return PCI_ERS_RESULT_CAN_RECOVER;
	case pci_channel_io_frozen:
		nnaccel_recovery_block(ndev);
		return PCI_ERS_RESULT_NEED_RESET;
	default:
		nnaccel_recovery_block(ndev);
		nnaccel_recovery_give_up(ndev);
		return PCI_ERS_RESULT_DISCONNECT;
	}
}

static pci_ers_result_t nnaccel_pci_slot_reset(struct pci_dev *pdev)
{
	pci_restore_state(pdev);
	/* For the next reset: pci_restore_state() forgets what it has restored. */
	pci_save_state(pdev);
	pci_set_master(pdev);
	return PCI_ERS_RESULT_RECOVERED;
}

static void nnaccel_pci_resume(struct pci_dev *pdev)
{
	nnaccel_pm_bus_works(pci_get_drvdata(pdev));
}

static void nnaccel_pci_reset_prepare(struct pci_dev *pdev)
{
	nnaccel_pm_reset_prepare(pci_get_drvdata(pdev));
}

static void nnaccel_pci_reset_done(struct pci_dev *pdev)
{
	nnaccel_pm_reset_done(pci_get_drvdata(pdev));
}

static const struct pci_error_handlers nnaccel_pci_err_handler = {
	.error_detected = nnaccel_pci_error_detected,
	.slot_reset = nnaccel_pci_slot_reset,
	.resume = nnaccel_pci_resume,
	.reset_prepare = nnaccel_pci_reset_prepare,
	.reset_done = nnaccel_pci_reset_done,
};

static const struct pci_device_id nnaccel_pci_ids[] = {
	{ PCI_DEVICE_SUB(NNACCEL_PCI_VENDOR_IVSHMEM, NNACCEL_PCI_DEVICE_IVSHMEM,
			 NNACCEL_PCI_SUBVENDOR_QEMU, NNACCEL_PCI_SUBDEVICE_QEMU) },
	{ }
};
MODULE_DEVICE_TABLE(pci, nnaccel_pci_ids);

static struct pci_driver nnaccel_pci_driver = {
	.name = "nnaccel",
	.id_table = nnaccel_pci_ids,
	.probe = nnaccel_pci_probe,
	.remove = nnaccel_pci_remove,
	.shutdown = nnaccel_pci_shutdown,
	.err_handler = &nnaccel_pci_err_handler,
	.dev_groups = nnaccel_groups,
	.driver.pm = pm_ptr(&nnaccel_pm_ops),
};

int nnaccel_pci_register(void)
{
	return pci_register_driver(&nnaccel_pci_driver);
}

void nnaccel_pci_unregister(void)
{
	pci_unregister_driver(&nnaccel_pci_driver);
}
