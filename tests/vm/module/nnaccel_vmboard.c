// SPDX-License-Identifier: GPL-2.0-only
/*
 * The system on a chip around the accelerator of an emulated board: interrupt controller, clocks,
 * reset and power domain, as the device tree of tests/vm/board.dts has them. They are registers of
 * an ivshmem device, which nnaccel-slot --soc serves (uapi/nnaccel/nnaccel_soc.h). The accelerator
 * is made here, as its registers are in that device's BARs.
 */

#include <linux/clk-provider.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/pm_domain.h>
#include <linux/reset-controller.h>

#include <nnaccel/nnaccel_regs.h>
#include <nnaccel/nnaccel_soc.h>

#define BAR_DOORBELL	0
#define BAR_MEMORY	2
#define DOORBELL	12
#define NUM_IRQS	2
#define NUM_CLOCKS	2
#define ACK_US		1000000

struct vmboard_clock {
	struct clk_hw hw;
	struct vmboard *board;
	u32 bit;
};

struct vmboard {
	struct device *dev;
	struct pci_dev *pci;
	void __iomem *doorbell;
	struct nnaccel_soc __iomem *soc;
	/* Of the registers below. Taken where memory is reclaimed: nothing allocates with it. */
	struct mutex lock;
	u32 power, clocks, deasserted, req;
	struct irq_domain *irqs;
	struct vmboard_clock clock[NUM_CLOCKS];
	struct reset_controller_dev reset;
	struct generic_pm_domain domain;
	struct platform_device *npu;
};

static int vmboard_request_locked(struct vmboard *board)
{
	u32 ack, req = ++board->req;

	lockdep_assert_held(&board->lock);
	writel(board->power, &board->soc->power);
	writel(board->clocks, &board->soc->clocks);
	writel(board->deasserted, &board->soc->deasserted);
	writel(req, &board->soc->req);
	writel(NNACCEL_DOORBELL_RESET, board->doorbell);
	return readl_poll_timeout(&board->soc->ack, ack, ack == req, 100, ACK_US);
}

static int vmboard_set(struct vmboard *board, u32 *field, u32 value)
{
	guard(mutex)(&board->lock);
	*field = value;
	return vmboard_request_locked(board);
}

/* Interrupts. */

static irqreturn_t vmboard_irq(int irq, void *arg)
{
	struct vmboard *board = arg;

	for (u32 i = 0; i < NUM_IRQS; i++)
		if (pci_irq_vector(board->pci, i) == irq)
			generic_handle_domain_irq(board->irqs, i);
	return IRQ_HANDLED;
}

static int vmboard_irq_map(struct irq_domain *domain, unsigned int irq, irq_hw_number_t hw)
{
	irq_set_chip_data(irq, domain->host_data);
	irq_set_chip_and_handler(irq, &dummy_irq_chip, handle_edge_irq);
	return 0;
}

static const struct irq_domain_ops vmboard_irq_ops = {
	.map = vmboard_irq_map,
	.xlate = irq_domain_xlate_onecell,
};

/* Clocks. */

static int vmboard_clock_prepare(struct clk_hw *hw)
{
	struct vmboard_clock *clock = container_of(hw, struct vmboard_clock, hw);

	return vmboard_set(clock->board, &clock->board->clocks, clock->board->clocks | clock->bit);
}

static void vmboard_clock_unprepare(struct clk_hw *hw)
{
	struct vmboard_clock *clock = container_of(hw, struct vmboard_clock, hw);

	vmboard_set(clock->board, &clock->board->clocks, clock->board->clocks & ~clock->bit);
}

static const struct clk_ops vmboard_clock_ops = {
	.prepare = vmboard_clock_prepare,
	.unprepare = vmboard_clock_unprepare,
};

static int vmboard_add_clocks(struct vmboard *board)
{
	static const char * const names[NUM_CLOCKS] = { "npu-core", "npu-bus" };
	struct clk_hw_onecell_data *data;
	int ret;

	data = devm_kzalloc(board->dev, struct_size(data, hws, NUM_CLOCKS), GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	data->num = NUM_CLOCKS;
	for (u32 i = 0; i < NUM_CLOCKS; i++) {
		const struct clk_init_data init = { .name = names[i], .ops = &vmboard_clock_ops };

		board->clock[i].board = board;
		board->clock[i].bit = BIT(i);
		board->clock[i].hw.init = &init;
		ret = devm_clk_hw_register(board->dev, &board->clock[i].hw);
		if (ret)
			return ret;
		data->hws[i] = &board->clock[i].hw;
	}
	return devm_of_clk_add_hw_provider(board->dev, of_clk_hw_onecell_get, data);
}

/* Reset. */

static int vmboard_assert(struct reset_controller_dev *reset, unsigned long id)
{
	struct vmboard *board = container_of(reset, struct vmboard, reset);

	return vmboard_set(board, &board->deasserted, 0);
}

static int vmboard_deassert(struct reset_controller_dev *reset, unsigned long id)
{
	struct vmboard *board = container_of(reset, struct vmboard, reset);

	return vmboard_set(board, &board->deasserted, 1);
}

static const struct reset_control_ops vmboard_reset_ops = {
	.assert = vmboard_assert,
	.deassert = vmboard_deassert,
};

/* Power. */

static int vmboard_power_on(struct generic_pm_domain *domain)
{
	struct vmboard *board = container_of(domain, struct vmboard, domain);

	return vmboard_set(board, &board->power, 1);
}

static int vmboard_power_off(struct generic_pm_domain *domain)
{
	struct vmboard *board = container_of(domain, struct vmboard, domain);

	return vmboard_set(board, &board->power, 0);
}

/* The accelerator. */

static int vmboard_add_npu(struct vmboard *board)
{
	struct device_node *node = of_get_compatible_child(board->dev->of_node, "nnaccel,npu");
	const resource_size_t memory = pci_resource_start(board->pci, BAR_MEMORY);
	const resource_size_t doorbell = pci_resource_start(board->pci, BAR_DOORBELL) + DOORBELL;
	const struct resource res[] = {
		DEFINE_RES_MEM_NAMED(memory, NNACCEL_REGS_SIZE, "regs"),
		DEFINE_RES_MEM_NAMED(doorbell, sizeof(u32), "doorbell"),
		DEFINE_RES_MEM_NAMED(memory + NNACCEL_SOC_FIRMWARE, NNACCEL_SOC_FIRMWARE_SIZE,
				     "firmware"),
	};
	const struct platform_device_info info = {
		.parent = board->dev,
		.fwnode = of_fwnode_handle(node),
		.name = "npu",
		.id = PLATFORM_DEVID_NONE,
		.res = res,
		.num_res = ARRAY_SIZE(res),
		.dma_mask = DMA_BIT_MASK(64),
	};

	if (!node)
		return -ENODEV;
	board->npu = platform_device_register_full(&info);
	of_node_put(node);
	return PTR_ERR_OR_ZERO(board->npu);
}

/* ivshmem without a ROM: with one it is a card. */
static struct pci_dev *vmboard_find_pci(void)
{
	struct pci_dev *pci = NULL;

	while ((pci = pci_get_device(0x1af4, 0x1110, pci)))
		if (!pci_resource_len(pci, PCI_ROM_RESOURCE))
			return pci;
	return NULL;
}

static int vmboard_enable_pci(struct vmboard *board)
{
	void __iomem *bar0, *bar2;
	int ret;

	ret = pci_enable_device(board->pci);
	if (ret)
		return ret;
	pci_set_master(board->pci);
	/* No driver of PCI devices is to look at it. */
	ret = device_set_driver_override(&board->pci->dev, "vmboard");
	if (ret)
		return ret;
	bar0 = devm_ioremap(board->dev, pci_resource_start(board->pci, BAR_DOORBELL), SZ_256);
	bar2 = devm_ioremap(board->dev, pci_resource_start(board->pci, BAR_MEMORY) +
			    NNACCEL_SOC_CONTROL, sizeof(*board->soc));
	if (!bar0 || !bar2)
		return -ENOMEM;
	board->doorbell = bar0 + DOORBELL;
	board->soc = bar2;
	board->req = readl(&board->soc->req);
	ret = pci_alloc_irq_vectors(board->pci, NUM_IRQS, NUM_IRQS, PCI_IRQ_MSIX);
	return ret < 0 ? ret : 0;
}

static int vmboard_add_irqs(struct vmboard *board)
{
	int ret;

	board->irqs = irq_domain_create_linear(of_fwnode_handle(board->dev->of_node), NUM_IRQS,
					       &vmboard_irq_ops, board);
	if (!board->irqs)
		return -ENOMEM;
	for (u32 i = 0; i < NUM_IRQS; i++) {
		ret = devm_request_irq(board->dev, pci_irq_vector(board->pci, i), vmboard_irq,
				       IRQF_NO_THREAD, "vmboard", board);
		if (ret)
			return ret;
	}
	return 0;
}

/* The counters, for the tests. */
static ssize_t counters_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct vmboard *board = dev_get_drvdata(dev);

	int len;

	len = sysfs_emit(buf, "power %u\nclocks %u\ndeasserted %u\n", board->power,
			 board->clocks, board->deasserted);
	return len + sysfs_emit_at(buf, len, "violations %u\nboots %u\nrefused %u\n",
				   readl(&board->soc->violations), readl(&board->soc->boots),
				   readl(&board->soc->refused));
}
static DEVICE_ATTR_RO(counters);

static struct attribute *vmboard_attrs[] = {
	&dev_attr_counters.attr,
	NULL,
};
ATTRIBUTE_GROUPS(vmboard);

/* Leaves nothing to undo but in order of tests: the module stays until the guest ends. */
static int vmboard_probe(struct platform_device *pdev)
{
	struct vmboard *board;
	int ret;

	board = devm_kzalloc(&pdev->dev, sizeof(*board), GFP_KERNEL);
	if (!board)
		return -ENOMEM;
	board->dev = &pdev->dev;
	mutex_init(&board->lock);
	platform_set_drvdata(pdev, board);
	board->pci = vmboard_find_pci();
	if (!board->pci)
		return dev_err_probe(&pdev->dev, -ENODEV, "no ivshmem device without a ROM\n");
	ret = vmboard_enable_pci(board);
	if (ret)
		return ret;
	ret = vmboard_add_irqs(board);
	if (ret)
		return ret;
	ret = vmboard_add_clocks(board);
	if (ret)
		return ret;

	board->reset.ops = &vmboard_reset_ops;
	board->reset.owner = THIS_MODULE;
	board->reset.of_node = pdev->dev.of_node;
	board->reset.nr_resets = 1;
	ret = devm_reset_controller_register(&pdev->dev, &board->reset);
	if (ret)
		return ret;

	board->domain.name = "npu";
	board->domain.power_on = vmboard_power_on;
	board->domain.power_off = vmboard_power_off;
	ret = pm_genpd_init(&board->domain, NULL, true);
	if (ret)
		return ret;
	ret = of_genpd_add_provider_simple(pdev->dev.of_node, &board->domain);
	if (ret)
		return ret;
	return vmboard_add_npu(board);
}

static const struct of_device_id vmboard_ids[] = {
	{ .compatible = "nnaccel,vm-board" },
	{ }
};
MODULE_DEVICE_TABLE(of, vmboard_ids);

static struct platform_driver vmboard_driver = {
	.probe = vmboard_probe,
	.driver = {
		.name = "vmboard",
		.of_match_table = vmboard_ids,
		.dev_groups = vmboard_groups,
		.suppress_bind_attrs = true,
	},
};

static int __init vmboard_init(void)
{
	__module_get(THIS_MODULE);
	return platform_driver_register(&vmboard_driver);
}
module_init(vmboard_init);

MODULE_DESCRIPTION("system on a chip around an emulated accelerator, for nnaccel's tests");
MODULE_AUTHOR("The nnaccel authors");
MODULE_LICENSE("GPL");
