// SPDX-License-Identifier: GPL-2.0-only
/*
 * The platform backend: an accelerator of a system on a chip, which the device tree describes
 * (Documentation/devicetree/bindings/npu/nnaccel,npu.yaml). The chip's reset controller is its
 * reset line; clocks and a power domain are off while it sleeps.
 */

#include <linux/clk.h>
#include <linux/firmware.h>
#include <linux/io.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/reset.h>

#include <drm/drm_drv.h>

#include "nnaccel_device.h"
#include "nnaccel_dma.h"
#include "nnaccel_irq.h"
#include "nnaccel_platform.h"
#include "nnaccel_pm.h"
#include "nnaccel_pt.h"
#include "nnaccel_report.h"

/**
 * struct nnaccel_platform - nnaccel_device.hw_priv
 */
struct nnaccel_platform {
	/** @dev: device */
	struct device *dev;
	/** @doorbell: a write of enum nnaccel_doorbell rings it */
	void __iomem *doorbell;
	/** @clks: all clocks */
	struct clk_bulk_data *clks;
	/** @num_clks: number of @clks */
	int num_clks;
	/** @reset: while it is asserted, the device runs no firmware and accesses no memory */
	struct reset_control *reset;
	/** @fw: firmware, which is kept: it is written again after each sleep; NULL: in ROM */
	const struct firmware *fw;
	/** @fw_mem: memory of the device for @fw */
	void __iomem *fw_mem;
};

static void nnaccel_platform_doorbell(struct nnaccel_device *ndev, enum nnaccel_doorbell vector)
{
	struct nnaccel_platform *plat = ndev->hw_priv;

	/* writel() orders stores to DMA memory before it. */
	writel(vector, plat->doorbell);
}

/* The binding demands a reset that ends all accesses to memory before it is asserted. */
static bool nnaccel_platform_stop(struct nnaccel_device *ndev, bool final)
{
	struct nnaccel_platform *plat = ndev->hw_priv;
	int ret = reset_control_assert(plat->reset);

	if (ret)
		dev_err_ratelimited(plat->dev, "cannot assert the reset (%d)\n", ret);
	return !ret;
}

static int nnaccel_platform_start(struct nnaccel_device *ndev)
{
	struct nnaccel_platform *plat = ndev->hw_priv;

	if (plat->fw)
		memcpy_toio(plat->fw_mem, plat->fw->data, plat->fw->size);
	return reset_control_deassert(plat->reset);
}

static int nnaccel_platform_power_on(struct nnaccel_device *ndev)
{
	struct nnaccel_platform *plat = ndev->hw_priv;

	return clk_bulk_prepare_enable(plat->num_clks, plat->clks);
}

/*
 * The driver core switches the power domain, before the one and after the other. A device that did
 * not answer was not stopped, but must not run without its clocks.
 */
static void nnaccel_platform_power_off(struct nnaccel_device *ndev)
{
	struct nnaccel_platform *plat = ndev->hw_priv;

	reset_control_assert(plat->reset);
	clk_bulk_disable_unprepare(plat->num_clks, plat->clks);
}

static const struct nnaccel_hw_ops nnaccel_platform_ops = {
	.name = "platform",
	.wedge_methods = "rebind",
	.mem = &nnaccel_dma_mem_ops,
	.vm = &nnaccel_pt_vm_ops,
	.doorbell = nnaccel_platform_doorbell,
	.stop = nnaccel_platform_stop,
	.start = nnaccel_platform_start,
	.power_on = nnaccel_platform_power_on,
	.power_off = nnaccel_platform_power_off,
	.irq_request = nnaccel_irq_request,
	.irq_release = nnaccel_irq_release,
	.irq_enable = nnaccel_irq_enable,
	.irq_sync = nnaccel_irq_sync,
};

static void nnaccel_platform_release_firmware(void *fw)
{
	release_firmware(fw);
}

/* Without the property the firmware is in ROM. */
static int nnaccel_platform_get_firmware(struct nnaccel_platform *plat,
					 struct platform_device *pdev)
{
	struct resource *res;
	const char *name;
	int ret;

	if (device_property_read_string(plat->dev, "firmware-name", &name))
		return 0;
	plat->fw_mem = devm_platform_ioremap_resource_byname(pdev, "firmware");
	if (IS_ERR(plat->fw_mem))
		return dev_err_probe(plat->dev, PTR_ERR(plat->fw_mem),
				     "firmware-name without the region \"firmware\"\n");
	ret = request_firmware(&plat->fw, name, plat->dev);
	if (ret)
		return dev_err_probe(plat->dev, ret,
				     "no firmware: install %s in /lib/firmware\n", name);
	ret = devm_add_action_or_reset(plat->dev, nnaccel_platform_release_firmware,
				       (void *)plat->fw);
	if (ret)
		return ret;
	res = platform_get_resource_byname(pdev, IORESOURCE_MEM, "firmware");
	if (!plat->fw->size || plat->fw->size > resource_size(res))
		return dev_err_probe(plat->dev, -EINVAL, "%s has %zu bytes, room is for %pa\n",
				     name, plat->fw->size, &(phys_addr_t){ resource_size(res) });
	return 0;
}

static int nnaccel_platform_get_resources(struct nnaccel_device *ndev,
					  struct nnaccel_platform *plat,
					  struct platform_device *pdev)
{
	plat->doorbell = devm_platform_ioremap_resource_byname(pdev, "doorbell");
	if (IS_ERR(plat->doorbell))
		return PTR_ERR(plat->doorbell);

	ndev->irq.completion = platform_get_irq_byname(pdev, "completion");
	if (ndev->irq.completion < 0)
		return ndev->irq.completion;
	ndev->irq.event = platform_get_irq_byname(pdev, "event");
	if (ndev->irq.event < 0)
		return ndev->irq.event;

	plat->num_clks = devm_clk_bulk_get_all(plat->dev, &plat->clks);
	if (plat->num_clks < 0)
		return dev_err_probe(plat->dev, plat->num_clks, "no clocks\n");
	plat->reset = devm_reset_control_get_exclusive(plat->dev, NULL);
	if (IS_ERR(plat->reset))
		return dev_err_probe(plat->dev, PTR_ERR(plat->reset), "no reset\n");
	return nnaccel_platform_get_firmware(plat, pdev);
}

static int nnaccel_platform_probe_npu(struct platform_device *pdev)
{
	struct nnaccel_platform *plat;
	struct nnaccel_device *ndev;
	struct resource *res;
	void __iomem *regs;
	int ret;

	plat = devm_kzalloc(&pdev->dev, sizeof(*plat), GFP_KERNEL);
	if (!plat)
		return -ENOMEM;
	plat->dev = &pdev->dev;
	ndev = nnaccel_device_alloc(&pdev->dev, &nnaccel_platform_ops);
	if (IS_ERR(ndev))
		return PTR_ERR(ndev);

	res = platform_get_resource_byname(pdev, IORESOURCE_MEM, "regs");
	regs = devm_ioremap_resource(&pdev->dev, res);
	if (IS_ERR(regs))
		return PTR_ERR(regs);
	if (resource_size(res) < NNACCEL_REGS_SIZE)
		return dev_err_probe(&pdev->dev, -EINVAL, "the region \"regs\" is too small\n");
	ret = nnaccel_platform_get_resources(ndev, plat, pdev);
	if (ret)
		return ret;

	ndev->hw_priv = plat;
	ndev->regs = regs;
	ret = nnaccel_platform_power_on(ndev);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "cannot enable the clocks\n");
	/* A boot loader may have used it. */
	ret = reset_control_assert(plat->reset);
	if (!ret)
		ret = nnaccel_device_check_regs(ndev);
	if (ret)
		goto err_power;

	platform_set_drvdata(pdev, ndev);
	nnaccel_pm_attach(ndev);
	ret = nnaccel_device_init(ndev);
	if (ret)
		goto err_pm;
	nnaccel_hwmon_register(ndev);
	nnaccel_pm_enable(ndev);
	return 0;

err_pm:
	nnaccel_pm_detach(ndev);
err_power:
	nnaccel_platform_power_off(ndev);
	return ret;
}

static void nnaccel_platform_remove_npu(struct platform_device *pdev)
{
	struct nnaccel_device *ndev = platform_get_drvdata(pdev);

	nnaccel_pm_disable(ndev);
	nnaccel_hwmon_unregister(ndev);
	nnaccel_device_fini(ndev);
	nnaccel_pm_detach(ndev);
	nnaccel_platform_power_off(ndev);
}

static int nnaccel_platform_probe(struct platform_device *pdev)
{
	const struct nnaccel_platform_data *data = dev_get_platdata(&pdev->dev);

	return data ? data->probe(pdev) : nnaccel_platform_probe_npu(pdev);
}

static void nnaccel_platform_remove(struct platform_device *pdev)
{
	const struct nnaccel_platform_data *data = dev_get_platdata(&pdev->dev);

	if (data)
		data->remove(pdev);
	else
		nnaccel_platform_remove_npu(pdev);
}

/* A kernel started by kexec must not find a device that writes into its memory. */
static void nnaccel_platform_shutdown(struct platform_device *pdev)
{
	struct nnaccel_device *ndev = platform_get_drvdata(pdev);

	if (dev_get_platdata(&pdev->dev))
		return;
	nnaccel_pm_disable(ndev);
	nnaccel_device_fini(ndev);
}

static const struct of_device_id nnaccel_platform_of_ids[] = {
	{ .compatible = "nnaccel,npu" },
	{ }
};
MODULE_DEVICE_TABLE(of, nnaccel_platform_of_ids);

/* Not for modprobe, which the module of these devices needs not. */
static const struct platform_device_id nnaccel_platform_ids[] = {
	{ "nnaccel_emu" },
	{ }
};

static struct platform_driver nnaccel_platform_driver = {
	.id_table = nnaccel_platform_ids,
	.probe = nnaccel_platform_probe,
	.remove = nnaccel_platform_remove,
	.shutdown = nnaccel_platform_shutdown,
	.driver = {
		.name = "nnaccel",
		.of_match_table = nnaccel_platform_of_ids,
		.dev_groups = nnaccel_groups,
		.pm = pm_ptr(&nnaccel_pm_ops),
	},
};

int nnaccel_platform_register(void)
{
	return platform_driver_register(&nnaccel_platform_driver);
}

void nnaccel_platform_unregister(void)
{
	platform_driver_unregister(&nnaccel_platform_driver);
}
