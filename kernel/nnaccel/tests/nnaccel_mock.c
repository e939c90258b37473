// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mock device. Shared memory is memory of the kernel, its addresses are physical ones, and page
 * tables are those of the device contract: the firmware, a thread, walks them. A job with two
 * arguments copies the first to the second.
 */

#include <kunit/device.h>
#include <kunit/test.h>

#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/logic_iomem.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include <nnaccel/nnaccel_mmu.h>
#include <nnaccel/nnaccel_opset.h>

#include "../nnaccel_bo.h"
#include "../nnaccel_cq.h"
#include "../nnaccel_pm.h"
#include "../nnaccel_pt.h"
#include "../nnaccel_reset.h"
#include "../nnaccel_slot.h"
#include "nnaccel_mock.h"

#define NNACCEL_MOCK_BEAT_NS	(100 * NSEC_PER_MSEC)
#define NNACCEL_MOCK_ARGS	2

struct nnaccel_mock_job {
	struct list_head link;
	u32 queue, num_args;
	u64 seqno, start_ns;
	bool null, begun, aborted;
	struct nnaccel_arg args[NNACCEL_MOCK_ARGS];
};

static struct nnaccel_mock *to_mock(struct nnaccel_device *ndev)
{
	return ndev->hw_priv;
}

/* What the firmware has stored before is there for a host that sees this value. */
static void nnaccel_mock_store(__le32 *at, __le32 value)
{
	/* Pairs with the driver's barrier after its load of a register or an index. */
	smp_store_release(at, value);
}

/* What the host has stored before this value is there. */
static __le32 nnaccel_mock_load(const __le32 *at)
{
	/* Pairs with the driver's barrier before its store of an index. */
	return smp_load_acquire(at);
}

void nnaccel_mock_kick(struct nnaccel_mock *mock)
{
	wake_up(&mock->wq);
}

/* The register page. Where accesses of registers are calls (UML), it is one of a few. */

#ifdef CONFIG_INDIRECT_IOMEM
#define NNACCEL_MOCK_IOMEM	0x700000000ull
#define NNACCEL_MOCK_PAGES	16

static struct nnaccel_regs *nnaccel_mock_pages[NNACCEL_MOCK_PAGES];

static unsigned long nnaccel_mock_read(void *priv, unsigned int offset, int size)
{
	unsigned long value = 0;

	memcpy(&value, priv + offset, size);
	return value;
}

static void nnaccel_mock_write(void *priv, unsigned int offset, int size, unsigned long value)
{
	memcpy(priv + offset, &value, size);
}

static const struct logic_iomem_ops nnaccel_mock_iomem_ops = {
	.read = nnaccel_mock_read,
	.write = nnaccel_mock_write,
};

static long nnaccel_mock_map_page(unsigned long offset, size_t size,
				  const struct logic_iomem_ops **ops, void **priv)
{
	*ops = &nnaccel_mock_iomem_ops;
	*priv = nnaccel_mock_pages[offset / NNACCEL_REGS_SIZE];
	return 0;
}

static const struct logic_iomem_region_ops nnaccel_mock_region_ops = {
	.map = nnaccel_mock_map_page,
};

static struct resource nnaccel_mock_resource = {
	.name = "nnaccel-mock",
	.start = NNACCEL_MOCK_IOMEM,
	.end = NNACCEL_MOCK_IOMEM + NNACCEL_MOCK_PAGES * NNACCEL_REGS_SIZE - 1,
	.flags = IORESOURCE_MEM,
};

static struct nnaccel_regs __iomem *nnaccel_mock_map_regs(struct nnaccel_regs *regs)
{
	static bool added;

	if (!added && logic_iomem_add_region(&nnaccel_mock_resource, &nnaccel_mock_region_ops))
		return NULL;
	added = true;
	for (u32 i = 0; i < NNACCEL_MOCK_PAGES; i++) {
		if (nnaccel_mock_pages[i])
			continue;
		nnaccel_mock_pages[i] = regs;
		return ioremap(NNACCEL_MOCK_IOMEM + i * NNACCEL_REGS_SIZE, NNACCEL_REGS_SIZE);
	}
	return NULL;
}

static void nnaccel_mock_unmap_regs(struct nnaccel_mock *mock)
{
	for (u32 i = 0; i < NNACCEL_MOCK_PAGES; i++)
		if (nnaccel_mock_pages[i] == mock->regs)
			nnaccel_mock_pages[i] = NULL;
	if (mock->ndev->regs)
		iounmap(mock->ndev->regs);
}
#else
static struct nnaccel_regs __iomem *nnaccel_mock_map_regs(struct nnaccel_regs *regs)
{
	return (void __force __iomem *)regs;
}

static void nnaccel_mock_unmap_regs(struct nnaccel_mock *mock)
{
}
#endif

/* Memory of the host, as the device reaches it. */

static void *nnaccel_mock_alloc(struct nnaccel_device *ndev, size_t size, u64 *addr)
{
	struct nnaccel_mock *mock = to_mock(ndev);
	void *mem = kzalloc(size, GFP_KERNEL);

	if (!mem)
		return NULL;
	*addr = virt_to_phys(mem);
	atomic_long_add(size, &mock->allocated);
	return mem;
}

static void nnaccel_mock_free(struct nnaccel_device *ndev, size_t size, void *mem, u64 addr)
{
	atomic_long_sub(size, &to_mock(ndev)->allocated);
	kfree(mem);
}

static int nnaccel_mock_map(struct nnaccel_bo *bo, struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;

	sgt->nents = sgt->orig_nents;
	for_each_sgtable_sg(sgt, sg, i) {
		sg_dma_address(sg) = sg_phys(sg);
		sg_dma_len(sg) = sg->length;
	}
	bo->sync_bytes = 0;
	return 0;
}

static const struct nnaccel_mem_ops nnaccel_mock_mem_ops = {
	.alloc = nnaccel_mock_alloc,
	.free = nnaccel_mock_free,
	.map = nnaccel_mock_map,
};

/* The memory of the context at @va, to the end of its page; NULL: a fault. */
static void *nnaccel_mock_translate(struct nnaccel_mock *mock, u32 ctx, u64 va, bool write)
{
	u64 entry = le64_to_cpu(mock->regs->ctx[ctx].pt_root) | NNACCEL_PTE_VALID;
	u64 offset;

	for (int level = NNACCEL_PT_LEVELS - 1; level >= 0; level--) {
		__le64 *table = phys_to_virt(entry & NNACCEL_PTE_ADDR);

		entry = le64_to_cpu(READ_ONCE(table[NNACCEL_PT_INDEX(va, level)]));
		if (!(entry & NNACCEL_PTE_VALID))
			return NULL;
		offset = va & (NNACCEL_PAGE_SIZE - 1);
		if (level == 1 && entry & NNACCEL_PTE_BLOCK) {
			offset = va & (NNACCEL_BLOCK_SIZE - 1);
			break;
		}
	}
	if (write && !(entry & NNACCEL_PTE_WRITE))
		return NULL;
	return phys_to_virt(entry & NNACCEL_PTE_ADDR) + offset;
}

/* The firmware. */

static void nnaccel_mock_irq(struct nnaccel_mock *mock, enum nnaccel_irq irq)
{
	set_bit(irq, &mock->irqs);
}

void nnaccel_mock_push(struct nnaccel_mock *mock, const struct nnaccel_completion *completion)
{
	struct nnaccel_completion *slots;
	u32 tail;

	if (!mock->cq)
		return;
	slots = (void *)(mock->cq + 1);
	tail = le32_to_cpu(mock->cq->tail);
	slots[tail & (mock->cq_slots - 1)] = *completion;
	nnaccel_mock_store(&mock->cq->tail, cpu_to_le32(tail + 1));
	nnaccel_mock_irq(mock, NNACCEL_IRQ_COMPLETION);
}

static void nnaccel_mock_end_job(struct nnaccel_mock *mock, struct nnaccel_mock_job *job,
				 u32 status, u64 fault_addr)
{
	u64 now = ktime_get_ns(), begun = job->begun ? job->start_ns : now;
	struct nnaccel_completion completion = {
		.kind = cpu_to_le32(NNACCEL_COMPLETION_JOB),
		.queue = cpu_to_le32(job->queue),
		.seqno = cpu_to_le64(job->seqno),
		.status = cpu_to_le32(status),
		.generation = mock->regs->generation,
		.start_ns = cpu_to_le64(begun),
		.end_ns = cpu_to_le64(now),
		.fault_addr = cpu_to_le64(fault_addr),
		.value = cpu_to_le64(job->begun ? now - begun : 0),
	};

	mock->regs->queue_time[job->queue].on_engine = 0;
	nnaccel_mock_push(mock, &completion);
	list_del(&job->link);
	kfree(job);
}

/* Copy the first argument to the second. Return: status; @fault: address that is not mapped. */
static u32 nnaccel_mock_copy(struct nnaccel_mock *mock, struct nnaccel_mock_job *job, u64 *fault)
{
	u64 from = le64_to_cpu(job->args[0].addr), to = le64_to_cpu(job->args[1].addr);
	u64 size = min(le64_to_cpu(job->args[0].size), le64_to_cpu(job->args[1].size));
	u32 ctx = mock->queue[job->queue].ctx;

	for (u64 i = 0; i < size; i++) {
		u8 *src = nnaccel_mock_translate(mock, ctx, from + i, false);
		u8 *dst = nnaccel_mock_translate(mock, ctx, to + i, true);

		*fault = src ? to + i : from + i;
		if (!src || !dst)
			return NNACCEL_STATUS_FAULT;
		*dst = *src;
	}
	*fault = 0;
	return NNACCEL_STATUS_OK;
}

static void nnaccel_mock_run(struct nnaccel_mock *mock)
{
	struct nnaccel_mock_job *job;
	u64 fault = 0, now;
	u32 status;

	while ((job = list_first_entry_or_null(&mock->jobs, struct nnaccel_mock_job, link))) {
		struct nnaccel_queue_reg *reg = &mock->regs->queue[job->queue];
		bool hang = job->queue < 64 && mock->hang & BIT_ULL(job->queue);
		bool busy = job->queue < 64 && mock->busy & BIT_ULL(job->queue);

		if (job->aborted) {
			nnaccel_mock_end_job(mock, job, NNACCEL_STATUS_ABORTED, 0);
			continue;
		}
		now = ktime_get_ns();
		if (!job->begun) {
			job->begun = true;
			job->start_ns = now;
			mock->end_ns = now + (job->null ? 0 : mock->job_ns);
			mock->regs->queue_time[job->queue].run_ns = 0;
			mock->regs->queue_time[job->queue].on_engine = cpu_to_le32(1);
			WRITE_ONCE(reg->seqno, cpu_to_le64(job->seqno));
		}
		mock->regs->queue_time[job->queue].run_ns = cpu_to_le64(now - job->start_ns);
		if (busy)
			le64_add_cpu(&reg->progress, 1);
		if (!job->null && (hang || busy))
			return;
		if (now < mock->end_ns)
			return;
		status = mock->job_status;
		if (!status && job->num_args == NNACCEL_MOCK_ARGS)
			status = nnaccel_mock_copy(mock, job, &fault);
		nnaccel_mock_end_job(mock, job, status, fault);
	}
}

static void nnaccel_mock_take_jobs(struct nnaccel_mock *mock, u32 id)
{
	struct nnaccel_mock_queue *queue = &mock->queue[id];
	u32 head, tail;
	u8 *slots;

	if (!queue->ring)
		return;
	slots = (u8 *)(queue->ring + 1);
	head = le32_to_cpu(queue->ring->head);
	tail = le32_to_cpu(nnaccel_mock_load(&queue->ring->tail));
	while (head != tail) {
		struct nnaccel_job *from = (void *)(slots + (head & (queue->slots - 1)) *
						    NNACCEL_SLOT_SIZE);
		/* Recovery, which may not allocate, waits for the lock. */
		struct nnaccel_mock_job *job = kzalloc(sizeof(*job), GFP_NOWAIT);
		u32 num_args = le32_to_cpu(from->num_args);

		if (!job)
			return;
		job->queue = id;
		job->seqno = le64_to_cpu(from->seqno);
		job->null = le16_to_cpu(from->op) == NNACCEL_JOB_NULL;
		job->num_args = num_args;
		for (u32 i = 0; i < min_t(u32, num_args, NNACCEL_MOCK_ARGS); i++)
			memcpy(&job->args[i], slots + ((head + 1 + i) & (queue->slots - 1)) *
			       NNACCEL_SLOT_SIZE, sizeof(job->args[i]));
		list_add_tail(&job->link, &mock->jobs);
		head += 1 + num_args;
		nnaccel_mock_store(&queue->ring->head, cpu_to_le32(head));
	}
}

static struct nnaccel_mock_job *nnaccel_mock_find_job(struct nnaccel_mock *mock, u32 queue,
						      u64 seqno)
{
	struct nnaccel_mock_job *job;

	list_for_each_entry(job, &mock->jobs, link)
		if (job->queue == queue && (!seqno || job->seqno == seqno))
			return job;
	return NULL;
}

static void nnaccel_mock_forget_queue(struct nnaccel_mock *mock, u32 queue)
{
	struct nnaccel_mock_job *job;

	while ((job = nnaccel_mock_find_job(mock, queue, 0)))
		nnaccel_mock_end_job(mock, job, NNACCEL_STATUS_CANCELED, 0);
	mock->queue[queue].ring = NULL;
}

static void nnaccel_mock_opset(u64 addr)
{
	struct nnaccel_opset_header *header = phys_to_virt(addr);

	header->magic = cpu_to_le32(NNACCEL_OPSET_MAGIC);
	header->stride = cpu_to_le32(sizeof(struct nnaccel_opset_entry));
	header->count = 0;
}

static void nnaccel_mock_command(struct nnaccel_mock *mock, const struct nnaccel_admin_cmd *cmd)
{
	struct nnaccel_completion completion = {
		.kind = cpu_to_le32(NNACCEL_COMPLETION_ADMIN),
		.seqno = cpu_to_le64(le32_to_cpu(cmd->id)),
		.generation = mock->regs->generation,
	};
	u32 op = le32_to_cpu(cmd->op), queue = le32_to_cpu(cmd->queue);
	struct nnaccel_mock_job *job;

	mock->served[op]++;
	if (mock->ignored_ops & BIT(op))
		return;
	if (mock->refused_ops & BIT(op)) {
		completion.status = cpu_to_le32(NNACCEL_STATUS_BAD_ARGUMENT);
		nnaccel_mock_push(mock, &completion);
		return;
	}
	switch (op) {
	case NNACCEL_ADMIN_PING:
		completion.value = cpu_to_le64(ktime_get_ns());
		break;
	case NNACCEL_ADMIN_GET_OPSET:
		nnaccel_mock_opset(le64_to_cpu(cmd->addr));
		completion.value = cpu_to_le64(sizeof(struct nnaccel_opset_header));
		break;
	case NNACCEL_ADMIN_CTX_CLOSE:
		for (u32 i = 0; i < NNACCEL_MAX_QUEUES; i++)
			if (mock->queue[i].ring &&
			    mock->queue[i].ctx == le32_to_cpu(cmd->context))
				nnaccel_mock_forget_queue(mock, i);
		break;
	case NNACCEL_ADMIN_QUEUE_CREATE:
		mock->queue[queue] = (struct nnaccel_mock_queue) {
			.ring = phys_to_virt(le64_to_cpu(cmd->addr)),
			.slots = le64_to_cpu(cmd->size),
			.ctx = le32_to_cpu(cmd->context),
		};
		memset(&mock->regs->queue[queue], 0, sizeof(mock->regs->queue[queue]));
		memset(&mock->regs->queue_time[queue], 0, sizeof(mock->regs->queue_time[queue]));
		break;
	case NNACCEL_ADMIN_QUEUE_DESTROY:
		nnaccel_mock_forget_queue(mock, queue);
		break;
	default:
		break;
	}
	nnaccel_mock_push(mock, &completion);
	if (op != NNACCEL_ADMIN_ABORT || mock->deaf_abort)
		return;
	/* Jobs complete in order: one that has not begun in its turn. */
	job = nnaccel_mock_find_job(mock, queue, le64_to_cpu(cmd->value));
	if (job)
		job->aborted = true;
}

static void nnaccel_mock_serve(struct nnaccel_mock *mock)
{
	struct nnaccel_admin_cmd *slots = (void *)(mock->admin + 1);
	u32 head = le32_to_cpu(mock->admin->head);

	while (head != le32_to_cpu(nnaccel_mock_load(&mock->admin->tail))) {
		struct nnaccel_admin_cmd cmd = slots[head & (mock->admin_slots - 1)];

		nnaccel_mock_store(&mock->admin->head, cpu_to_le32(++head));
		nnaccel_mock_command(mock, &cmd);
	}
	for (u32 i = 0; i < NNACCEL_MAX_QUEUES; i++)
		nnaccel_mock_take_jobs(mock, i);
	nnaccel_mock_run(mock);
}

/* Forget everything: the device has no access to memory of the host from here on. */
static void nnaccel_mock_clear(struct nnaccel_mock *mock)
{
	struct nnaccel_mock_job *job, *next;

	list_for_each_entry_safe(job, next, &mock->jobs, link) {
		list_del(&job->link);
		kfree(job);
	}
	memset(mock->queue, 0, sizeof(mock->queue));
	mock->admin = NULL;
	mock->cq = NULL;
	mock->regs->fw_state = cpu_to_le32(NNACCEL_FW_BOOT);
}

static void nnaccel_mock_start_locked(struct nnaccel_mock *mock)
{
	struct nnaccel_regs *regs = mock->regs;

	nnaccel_mock_clear(mock);
	if (!mock->no_boot) {
		le32_add_cpu(&regs->generation, 1);
		regs->contract_version = cpu_to_le32(mock->contract_version);
		regs->max_args = cpu_to_le32(NNACCEL_MAX_ARGS);
		regs->caps = cpu_to_le32(NNACCEL_CAP_QUEUE_TIME | NNACCEL_CAP_PREEMPT |
					 (mock->telemetry ? NNACCEL_CAP_TELEMETRY : 0));
		regs->engines = cpu_to_le32(1);
		nnaccel_mock_store(&regs->fw_state, cpu_to_le32(NNACCEL_FW_READY));
	}
	regs->link = cpu_to_le32(NNACCEL_LINK_PRESENT);
	nnaccel_mock_irq(mock, NNACCEL_IRQ_EVENT);
}

static void nnaccel_mock_die_locked(struct nnaccel_mock *mock)
{
	mock->regs->link = cpu_to_le32(NNACCEL_LINK_ABSENT);
	nnaccel_mock_clear(mock);
	nnaccel_mock_irq(mock, NNACCEL_IRQ_EVENT);
}

/* The slot. */
static void nnaccel_mock_reset(struct nnaccel_mock *mock)
{
	nnaccel_mock_die_locked(mock);
	nnaccel_mock_store(&mock->regs->reset_ack, READ_ONCE(mock->regs->reset_req));
	if (!mock->away_after_reset && !mock->held)
		nnaccel_mock_start_locked(mock);
}

static void nnaccel_mock_step(struct nnaccel_mock *mock)
{
	unsigned long bells = xchg(&mock->doorbells, 0);
	struct nnaccel_regs *regs = mock->regs;
	u64 now = ktime_get_ns();
	u32 state;

	guard(mutex)(&mock->lock);
	if (bells & BIT(NNACCEL_DOORBELL_RESET) && !mock->deaf_slot)
		nnaccel_mock_reset(mock);
	if (mock->mute)
		return;
	state = le32_to_cpu(regs->fw_state);
	if (state == NNACCEL_FW_READY && regs->host_state == cpu_to_le32(NNACCEL_HOST_RINGS) &&
	    regs->host_generation == regs->generation) {
		mock->admin = phys_to_virt(le64_to_cpu(regs->admin_ring));
		mock->cq = phys_to_virt(le64_to_cpu(regs->cq_ring));
		mock->admin_slots = le32_to_cpu(regs->admin_slots);
		mock->cq_slots = le32_to_cpu(regs->cq_slots);
		nnaccel_mock_store(&regs->fw_state, cpu_to_le32(NNACCEL_FW_RUNNING));
		nnaccel_mock_irq(mock, NNACCEL_IRQ_EVENT);
		state = NNACCEL_FW_RUNNING;
	}
	if (state != NNACCEL_FW_RUNNING)
		return;
	if (now >= mock->beat_ns + NNACCEL_MOCK_BEAT_NS) {
		mock->beat_ns = now;
		le64_add_cpu(&regs->heartbeat, 1);
	}
	nnaccel_mock_serve(mock);
}

static void nnaccel_mock_deliver(struct nnaccel_mock *mock)
{
	unsigned long irqs, flags;
	irqreturn_t ret;

	guard(mutex)(&mock->irq_lock);
	if (!mock->irq_on)
		return;
	irqs = xchg(&mock->irqs, 0);
	if (irqs & BIT(NNACCEL_IRQ_COMPLETION)) {
		local_irq_save(flags);
		ret = nnaccel_cq_irq(mock->ndev);
		local_irq_restore(flags);
		if (ret == IRQ_WAKE_THREAD)
			nnaccel_cq_thread(mock->ndev);
	}
	if (irqs & BIT(NNACCEL_IRQ_EVENT)) {
		local_irq_save(flags);
		nnaccel_event_irq(mock->ndev);
		local_irq_restore(flags);
	}
}

static int nnaccel_mock_thread(void *arg)
{
	struct nnaccel_mock *mock = arg;

	while (!kthread_should_stop()) {
		/* Heartbeat, progress and the end of the running job need no more. */
		wait_event_timeout(mock->wq, READ_ONCE(mock->doorbells) ||
				   (READ_ONCE(mock->irqs) && READ_ONCE(mock->irq_on)) ||
				   kthread_should_stop(), 1);
		nnaccel_mock_step(mock);
		nnaccel_mock_deliver(mock);
	}
	return 0;
}

/* What tests do to it. */

void nnaccel_mock_die(struct nnaccel_mock *mock)
{
	scoped_guard(mutex, &mock->lock)
		nnaccel_mock_die_locked(mock);
	nnaccel_mock_kick(mock);
}

void nnaccel_mock_boot(struct nnaccel_mock *mock)
{
	scoped_guard(mutex, &mock->lock)
		nnaccel_mock_start_locked(mock);
	nnaccel_mock_kick(mock);
}

/* The firmware finds that it cannot go on. */
void nnaccel_mock_fail(struct nnaccel_mock *mock)
{
	scoped_guard(mutex, &mock->lock) {
		mock->regs->fw_error = cpu_to_le32(NNACCEL_FW_ERROR_INTERNAL);
		mock->regs->fw_state = cpu_to_le32(NNACCEL_FW_FAILED);
		nnaccel_mock_irq(mock, NNACCEL_IRQ_EVENT);
	}
	nnaccel_mock_kick(mock);
}

/* Registers have no values; the device goes on. */
void nnaccel_mock_unreadable(struct nnaccel_mock *mock, bool on)
{
	scoped_guard(mutex, &mock->lock) {
		mock->regs->magic = on ? cpu_to_le32(~0) : cpu_to_le32(NNACCEL_MAGIC);
		mock->regs->link = on ? cpu_to_le32(~0) : cpu_to_le32(NNACCEL_LINK_PRESENT);
		nnaccel_mock_irq(mock, NNACCEL_IRQ_EVENT);
	}
	nnaccel_mock_kick(mock);
}

/* The backend. */

static void nnaccel_mock_doorbell(struct nnaccel_device *ndev, enum nnaccel_doorbell vector)
{
	struct nnaccel_mock *mock = to_mock(ndev);

	set_bit(vector, &mock->doorbells);
	nnaccel_mock_kick(mock);
}

static int nnaccel_mock_irq_request(struct nnaccel_device *ndev)
{
	struct nnaccel_mock *mock = to_mock(ndev);

	scoped_guard(mutex, &mock->irq_lock)
		mock->irq_on = true;
	nnaccel_mock_kick(mock);
	return 0;
}

static void nnaccel_mock_irq_enable(struct nnaccel_device *ndev, bool on)
{
	struct nnaccel_mock *mock = to_mock(ndev);

	scoped_guard(mutex, &mock->irq_lock)
		mock->irq_on = on;
	nnaccel_mock_kick(mock);
}

static void nnaccel_mock_irq_release(struct nnaccel_device *ndev)
{
	nnaccel_mock_irq_enable(ndev, false);
}

static void nnaccel_mock_irq_sync(struct nnaccel_device *ndev)
{
	guard(mutex)(&to_mock(ndev)->irq_lock);
}

const struct nnaccel_hw_ops nnaccel_mock_ops = {
	.name = "mock",
	.wedge_methods = "rebind",
	.mem = &nnaccel_mock_mem_ops,
	.vm = &nnaccel_pt_vm_ops,
	.doorbell = nnaccel_mock_doorbell,
	.stop = nnaccel_slot_stop,
	.irq_request = nnaccel_mock_irq_request,
	.irq_release = nnaccel_mock_irq_release,
	.irq_enable = nnaccel_mock_irq_enable,
	.irq_sync = nnaccel_mock_irq_sync,
};

static bool nnaccel_mock_stop(struct nnaccel_device *ndev, bool final)
{
	struct nnaccel_mock *mock = to_mock(ndev);

	if (mock->deaf_slot)
		return false;
	scoped_guard(mutex, &mock->lock) {
		mock->held = true;
		nnaccel_mock_die_locked(mock);
	}
	nnaccel_mock_kick(mock);
	return true;
}

static int nnaccel_mock_start(struct nnaccel_device *ndev)
{
	struct nnaccel_mock *mock = to_mock(ndev);

	if (mock->start_error)
		return mock->start_error;
	mock->starts++;
	scoped_guard(mutex, &mock->lock) {
		mock->held = false;
		nnaccel_mock_start_locked(mock);
	}
	nnaccel_mock_kick(mock);
	return 0;
}

static int nnaccel_mock_power_on(struct nnaccel_device *ndev)
{
	struct nnaccel_mock *mock = to_mock(ndev);

	if (mock->start_error)
		return mock->start_error;
	mock->power++;
	return 0;
}

static void nnaccel_mock_power_off(struct nnaccel_device *ndev)
{
	to_mock(ndev)->power--;
}

const struct nnaccel_hw_ops nnaccel_mock_board_ops = {
	.name = "mock-board",
	.wedge_methods = "rebind",
	.mem = &nnaccel_mock_mem_ops,
	.vm = &nnaccel_pt_vm_ops,
	.doorbell = nnaccel_mock_doorbell,
	.stop = nnaccel_mock_stop,
	.start = nnaccel_mock_start,
	.power_on = nnaccel_mock_power_on,
	.power_off = nnaccel_mock_power_off,
	.irq_request = nnaccel_mock_irq_request,
	.irq_release = nnaccel_mock_irq_release,
	.irq_enable = nnaccel_mock_irq_enable,
	.irq_sync = nnaccel_mock_irq_sync,
};

static void nnaccel_mock_end(void *arg)
{
	struct nnaccel_mock *mock = arg;

	nnaccel_mock_remove(mock);
	kthread_stop(mock->thread);
	nnaccel_mock_clear(mock);
	nnaccel_mock_unmap_regs(mock);
}

/* A device that is not probed yet. It ends with the test, removed if the test has not done that. */
struct nnaccel_mock *nnaccel_mock_create(struct kunit *test, const struct nnaccel_hw_ops *ops)
{
	struct nnaccel_mock *mock = kunit_kzalloc(test, sizeof(*mock), GFP_KERNEL);
	struct device_driver *driver;

	KUNIT_ASSERT_NOT_NULL(test, mock);
	mock->regs = kunit_kzalloc(test, sizeof(*mock->regs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mock->regs);
	mock->regs->magic = cpu_to_le32(NNACCEL_MAGIC);
	mock->regs->layout_version = cpu_to_le32(NNACCEL_CONTRACT_VERSION);
	mock->contract_version = NNACCEL_CONTRACT_VERSION;
	mock->job_ns = NSEC_PER_MSEC;
	mock->power = 1;
	mutex_init(&mock->lock);
	mutex_init(&mock->irq_lock);
	init_waitqueue_head(&mock->wq);
	INIT_LIST_HEAD(&mock->jobs);

	driver = kunit_driver_create(test, "nnaccel-mock");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, driver);
	driver->pm = &nnaccel_pm_ops;
	mock->dev = kunit_device_register_with_driver(test, "nnaccel-mock", driver);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mock->dev);
	mock->ndev = nnaccel_device_alloc(mock->dev, ops);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mock->ndev);
	mock->ndev->hw_priv = mock;
	mock->ndev->regs = nnaccel_mock_map_regs(mock->regs);
	KUNIT_ASSERT_NOT_NULL(test, mock->ndev->regs);
	dev_set_drvdata(mock->dev, mock->ndev);
	mock->thread = kthread_run(nnaccel_mock_thread, mock, "nnaccel-mock");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mock->thread);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, nnaccel_mock_end, mock));
	return mock;
}

/* As a backend's probe does it. */
int nnaccel_mock_probe(struct nnaccel_mock *mock)
{
	int ret;

	nnaccel_pm_attach(mock->ndev);
	ret = nnaccel_device_init(mock->ndev);
	if (ret)
		goto err_pm;
	nnaccel_pm_enable(mock->ndev);
	mock->probed = true;
	return 0;

err_pm:
	nnaccel_pm_detach(mock->ndev);
	return ret;
}

/* As a backend's remove does it. */
void nnaccel_mock_remove(struct nnaccel_mock *mock)
{
	if (!mock->probed)
		return;
	mock->probed = false;
	nnaccel_pm_disable(mock->ndev);
	nnaccel_device_fini(mock->ndev);
	nnaccel_pm_detach(mock->ndev);
}
