// SPDX-License-Identifier: GPL-2.0-only
/*
 * Restarts the card at a chosen access of the driver to a register. Never installed.
 *
 * The card is a process of the host and cannot see that the guest reads its memory. The processor
 * can: a hardware breakpoint on a register traps behind each access. The handler pulls the reset
 * line, as the driver does, and keeps the processor until the card has come as far as wanted.
 *
 * Writing "ADDRESS OFFSET SIZE STATE HIT UNTIL COUNT" to the parameter "at" pulls the reset line
 * once, for a handshake to begin, and then COUNT times:
 *
 *   ADDRESS  of the PCI device
 *   OFFSET   of the register; the size of the registers: nnaccel_device.generation instead
 *   SIZE     its bytes, 4 or 8
 *   STATE    only accesses count while fw_state is this
 *   HIT      it strikes at this access, from 1, since the last restart
 *   UNTIL    dead: the old card is dead; cleared: the registers are those of a card that starts,
 *            and the next access to contract_version is kept until that card is READY; ready: the
 *            next card is READY; late: no restart, an access in an interrupt handler is kept until
 *            the driver has handed its rings to this card, for which its recovery worker is woken
 *
 * Writing "off" ends it. Reading: "left=N restarts=N late=N", where late counts what did not come
 * to pass within WAIT_NS, or LATE_NS.
 */

#include <linux/delay.h>
#include <linux/hw_breakpoint.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "nnaccel_device.h"

#define WAIT_NS		(5ull * NSEC_PER_SEC)
/* A driver that excludes the one from the other is kept for all of it. */
#define LATE_NS		(1ull * NSEC_PER_SEC)
/* Of the ivshmem device. */
#define BAR_DOORBELL	0
#define BAR_REGS	2
#define DOORBELL	12

static const char * const untils[] = { "dead", "cleared", "ready", "late" };

enum until { DEAD, CLEARED, READY, LATE };

static struct {
	struct pci_dev *pdev;
	/* The module's own mappings: the driver's are watched. */
	struct nnaccel_regs __iomem *regs;
	void __iomem *doorbell;
	struct perf_event * __percpu *watch;
	struct perf_event * __percpu *version;
	/* Wakes the recovery worker while a handler waits for it. */
	struct task_struct *waker;
	bool waking;
	u32 offset;
	u32 state;
	u32 hit;
	enum until until;
	/* The card that the last restart has killed while its successor is awaited. */
	u32 killed;
	atomic_t hits;
	atomic_t left;
	atomic_t restarts;
	atomic_t late;
	/* A handler is at work: accesses of other processors go on. */
	atomic_t busy;
} strike;

/* Watches are made and removed by one writer of the parameter at a time. */
static DEFINE_MUTEX(strike_lock);

static bool is_dead(u32 arg)
{
	return readl(&strike.regs->reset_ack) == arg;
}

static bool is_cleared(u32 arg)
{
	return readl(&strike.regs->generation) != arg;
}

static bool is_ready(u32 arg)
{
	u32 generation = readl(&strike.regs->generation);

	return generation && generation != arg &&
	       readl(&strike.regs->fw_state) >= NNACCEL_FW_READY;
}

static bool is_handed_over(u32 arg)
{
	return readl(&strike.regs->host_generation) == arg &&
	       readl(&strike.regs->host_state) == NNACCEL_HOST_RINGS;
}

/* Any context, also that of an NMI. */
static void await(bool (*cond)(u32 arg), u32 arg, u64 ns)
{
	u64 end = ktime_get_mono_fast_ns() + ns;

	while (!cond(arg)) {
		if (ktime_get_mono_fast_ns() > end) {
			atomic_inc(&strike.late);
			return;
		}
		cpu_relax();
	}
}

static u32 pull(void)
{
	u32 req = readl(&strike.regs->reset_ack) + 1;

	if (req == readl(&strike.regs->reset_req))
		req++;
	writel(req, &strike.regs->reset_req);
	/* The number before the doorbell. */
	wmb();
	writel(NNACCEL_DOORBELL_RESET, strike.doorbell);
	return req;
}

static void restart(void)
{
	u32 generation = readl(&strike.regs->generation);

	await(is_dead, pull(), WAIT_NS);
	atomic_inc(&strike.restarts);
	if (strike.until == CLEARED) {
		await(is_cleared, generation, WAIT_NS);
		WRITE_ONCE(strike.killed, generation);
	} else if (strike.until == READY) {
		await(is_ready, generation, WAIT_NS);
	}
}

/* What was read is decided; what follows is the next card's. */
static void version_hit(struct perf_event *bp, struct perf_sample_data *data, struct pt_regs *regs)
{
	u32 killed = xchg(&strike.killed, 0);

	if (killed)
		await(is_ready, killed, WAIT_NS);
}

static void hit(struct perf_event *bp, struct perf_sample_data *data, struct pt_regs *regs)
{
	/* Two breakpoints at one address are one for QEMU's emulation. */
	if (strike.offset == offsetof(struct nnaccel_regs, contract_version))
		version_hit(bp, data, regs);
	if (atomic_cmpxchg(&strike.busy, 0, 1))
		return;
	if (readl(&strike.regs->fw_state) != strike.state)
		goto out;
	/* The recovery worker itself may be what was interrupted. */
	if (strike.until == LATE && (!in_hardirq() || current->flags & PF_WQ_WORKER))
		goto out;
	if (!atomic_read(&strike.left) || atomic_inc_return(&strike.hits) < strike.hit)
		goto out;
	atomic_set(&strike.hits, 0);
	if (strike.until == LATE) {
		atomic_inc(&strike.restarts);
		WRITE_ONCE(strike.waking, true);
		await(is_handed_over, readl(&strike.regs->generation), LATE_NS);
		WRITE_ONCE(strike.waking, false);
	} else {
		restart();
	}
	atomic_dec(&strike.left);
out:
	atomic_set(&strike.busy, 0);
}

static struct perf_event * __percpu *watch(void *at, u32 size, perf_overflow_handler_t handler)
{
	struct perf_event_attr attr;

	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)at;
	attr.bp_len = size;
	attr.bp_type = HW_BREAKPOINT_RW;
	return register_wide_hw_breakpoint(&attr, handler, NULL);
}

/* On a processor that the event interrupt does not go to: that one is kept. */
static int wake_recovery(void *arg)
{
	struct nnaccel_device *ndev = arg;

	while (!kthread_should_stop()) {
		if (READ_ONCE(strike.waking))
			mod_delayed_work(ndev->recover_wq, &ndev->recover_work, 0);
		usleep_range(200, 500);
	}
	return 0;
}

static int start_waker(struct nnaccel_device *ndev)
{
	int irq = pci_irq_vector(strike.pdev, NNACCEL_IRQ_EVENT);
	const struct cpumask *mask = irq_get_effective_affinity_mask(irq);
	struct task_struct *task;
	unsigned int cpu;

	if (!mask)
		return -ENXIO;
	for_each_online_cpu(cpu)
		if (!cpumask_test_cpu(cpu, mask))
			break;
	if (cpu >= nr_cpu_ids)
		return -ENXIO;
	task = kthread_create(wake_recovery, ndev, "nnaccel-vmrestart");
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	wake_up_process(task);
	strike.waker = task;
	return 0;
}

static void strike_off(void)
{
	atomic_set(&strike.left, 0);
	if (!IS_ERR_OR_NULL((void __force *)strike.watch))
		unregister_wide_hw_breakpoint(strike.watch);
	if (!IS_ERR_OR_NULL((void __force *)strike.version))
		unregister_wide_hw_breakpoint(strike.version);
	if (strike.waker)
		kthread_stop(strike.waker);
	strike.waker = NULL;
	strike.watch = NULL;
	strike.version = NULL;
	if (strike.regs)
		iounmap(strike.regs);
	if (strike.doorbell)
		iounmap(strike.doorbell - DOORBELL);
	strike.regs = NULL;
	strike.doorbell = NULL;
	pci_dev_put(strike.pdev);
	strike.pdev = NULL;
}

static int strike_on(struct nnaccel_device *ndev, u32 offset, u32 size)
{
	void __iomem *bar0 = pci_ioremap_bar(strike.pdev, BAR_DOORBELL);

	if (!bar0)
		return -ENOMEM;
	strike.doorbell = bar0 + DOORBELL;
	strike.regs = pci_ioremap_bar(strike.pdev, BAR_REGS);
	if (!strike.regs)
		return -ENOMEM;
	if (strike.until == LATE) {
		int ret = start_waker(ndev);

		if (ret)
			return ret;
	}
	if (strike.until == CLEARED && offset != offsetof(struct nnaccel_regs, contract_version)) {
		strike.version = watch((void __force *)nnaccel_reg(ndev, contract_version),
				       sizeof(u32), version_hit);
		if (IS_ERR((void __force *)strike.version))
			return PTR_ERR((void __force *)strike.version);
	}
	if (offset == NNACCEL_REGS_SIZE)
		strike.watch = watch(&ndev->generation, sizeof(ndev->generation), hit);
	else
		strike.watch = watch((void __force *)ndev->regs + offset, size, hit);
	return PTR_ERR_OR_ZERO((void __force *)strike.watch);
}

static int at_set(const char *value, const struct kernel_param *param)
{
	u32 domain, bus, slot, function, offset, size, state, nth, count;
	struct pci_dev *pdev;
	char until[16];
	int ret;

	guard(mutex)(&strike_lock);
	strike_off();
	if (sysfs_streq(value, "off"))
		return 0;
	if (sscanf(value, "%x:%x:%x.%x %u %u %u %u %15s %u", &domain, &bus, &slot, &function,
		   &offset, &size, &state, &nth, until, &count) != 10 ||
	    offset > NNACCEL_REGS_SIZE || !IS_ALIGNED(offset, size) || (size != 4 && size != 8))
		return -EINVAL;
	ret = match_string(untils, ARRAY_SIZE(untils), until);
	if (ret < 0)
		return ret;
	strike.until = ret;
	pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	if (!pdev)
		return -ENODEV;
	strike.pdev = pdev;
	if (!pdev->driver || strcmp(pdev->driver->name, "nnaccel")) {
		strike_off();
		return -ENODEV;
	}
	strike.offset = offset;
	strike.state = state;
	strike.hit = nth;
	strike.killed = 0;
	atomic_set(&strike.hits, 0);
	atomic_set(&strike.restarts, 0);
	atomic_set(&strike.late, 0);
	ret = strike_on(pci_get_drvdata(pdev), offset, size);
	if (ret) {
		strike_off();
		return ret;
	}
	await(is_dead, pull(), WAIT_NS);
	atomic_set(&strike.left, count);
	return 0;
}

static int at_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "left=%d restarts=%d late=%d\n", atomic_read(&strike.left),
			  atomic_read(&strike.restarts), atomic_read(&strike.late));
}

static const struct kernel_param_ops at_ops = { .set = at_set, .get = at_get };
module_param_cb(at, &at_ops, NULL, 0600);

static void __exit vmrestart_exit(void)
{
	strike_off();
}

static int __init vmrestart_init(void)
{
	return 0;
}

module_init(vmrestart_init);
module_exit(vmrestart_exit);

MODULE_DESCRIPTION("restarts nnaccel's card at an access to a register, for tests in the VM");
MODULE_LICENSE("GPL");
