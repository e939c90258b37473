// SPDX-License-Identifier: Apache-2.0
/* A device whose slot and card are a thread of the test. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nnaccel/nnaccel_opset.h>
#include <nnaccel/nnaccel_status.h>

#include "nnaccel_emulator.h"
#include "nnaccel_util.h"

#define BEAT_MS	100

static void raise_irq(struct nn_emulator *e, enum nnaccel_irq irq)
{
	ioctl(e->node, NNACCEL_EMU_IOC_RAISE, irq);
}

static void store(__le32 *at, uint32_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}

static uint32_t load(const __le32 *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

int nn_emulator_map(struct nn_emulator *e, uint64_t bus, size_t size, int prot, struct nn_window *window)
{
	void *at = mmap(NULL, size, prot, MAP_SHARED, e->node, (off_t)bus);

	*window = (struct nn_window){ at == MAP_FAILED ? NULL : at, size };
	return window->at ? 0 : -errno;
}

void nn_emulator_unmap(struct nn_window *window)
{
	if (window->at)
		munmap(window->at, window->size);
	window->at = NULL;
}

int nn_emulator_check(struct nn_emulator *e, uint64_t bus, uint64_t size, bool write, uint64_t *fault)
{
	struct nnaccel_emu_range range = { .addr = bus, .size = size, .write = write };
	int ret = ioctl(e->node, NNACCEL_EMU_IOC_CHECK, &range) ? -errno : 0;

	*fault = range.fault;
	return ret;
}

uint64_t nn_emulator_bus(const struct nn_emulator *e, uint64_t va)
{
	uint64_t root = 0;

	/* Numbers of address spaces grow. */
	for (uint32_t i = 0; i < NNACCEL_MAX_CONTEXTS; i++)
		root = e->regs->ctx[i].pt_root > root ? e->regs->ctx[i].pt_root : root;
	return root + va;
}

static int map_ring(struct nn_emulator *e, uint64_t bus, uint64_t slots, struct nn_window *window)
{
	return nn_emulator_map(e, bus, sizeof(struct nnaccel_ring_ctl) + slots * NNACCEL_SLOT_SIZE,
			       PROT_READ | PROT_WRITE, window);
}

static void complete(struct nn_emulator *e, struct nnaccel_completion *c)
{
	struct nnaccel_ring_ctl *ctl = e->cq.at;
	uint32_t tail = ctl->tail, slots = e->regs->cq_slots;
	uint32_t invent = atomic_exchange(&e->garbage, 0);

	c->generation = e->regs->generation;
	memcpy((uint8_t *)(ctl + 1) + (size_t)(tail & (slots - 1)) * NNACCEL_SLOT_SIZE, c, sizeof(*c));
	if (invent) {
		uint64_t state = invent * 0x9e3779b97f4a7c15ull;
		uint8_t *slot = (uint8_t *)(ctl + 1) + (size_t)(tail & (slots - 1)) * NNACCEL_SLOT_SIZE;

		for (size_t i = 0; i < sizeof(*c); i++) {
			state = state * 6364136223846793005ull + 1442695040888963407ull;
			/* Some fields stay as they are, so that different checks find it. */
			if (state >> 62)
				slot[i] = (uint8_t)(state >> 40);
		}
	}
	store(&ctl->tail, invent % 4 == 3 ? tail + slots + invent : tail + 1);
	raise_irq(e, NNACCEL_IRQ_COMPLETION);
}

/* The operation set is empty. */
static uint64_t give_opset(struct nn_emulator *e, const struct nnaccel_admin_cmd *cmd)
{
	const struct nnaccel_opset_header header = {
		.magic = NNACCEL_OPSET_MAGIC,
		.stride = sizeof(struct nnaccel_opset_entry),
	};
	struct nn_window window;

	if (!nn_emulator_map(e, cmd->addr, cmd->size, PROT_READ | PROT_WRITE, &window)) {
		memcpy(window.at, &header, sizeof(header));
		nn_emulator_unmap(&window);
	}
	return sizeof(header);
}

static void serve_command(struct nn_emulator *e, const struct nnaccel_admin_cmd *cmd)
{
	struct nnaccel_completion c = { .kind = NNACCEL_COMPLETION_ADMIN, .seqno = cmd->id };

	switch (cmd->op) {
	case NNACCEL_ADMIN_PING:
		c.value = (uint64_t)nn_now();
		break;
	case NNACCEL_ADMIN_GET_OPSET:
		c.value = give_opset(e, cmd);
		break;
	case NNACCEL_ADMIN_QUEUE_CREATE:
		if (map_ring(e, cmd->addr, cmd->size, &e->queues[cmd->queue]))
			c.status = NNACCEL_STATUS_NO_MEMORY;
		break;
	case NNACCEL_ADMIN_QUEUE_DESTROY:
		nn_emulator_unmap(&e->queues[cmd->queue]);
		break;
	default:
		break;
	}
	complete(e, &c);
}

static void serve_admin(struct nn_emulator *e)
{
	struct nnaccel_ring_ctl *ctl = e->admin.at;
	struct nnaccel_admin_cmd *slots = (struct nnaccel_admin_cmd *)(ctl + 1);

	while (ctl->head != load(&ctl->tail)) {
		struct nnaccel_admin_cmd cmd = slots[ctl->head & (e->regs->admin_slots - 1)];

		store(&ctl->head, ctl->head + 1);
		serve_command(e, &cmd);
	}
}

static void serve_jobs(struct nn_emulator *e, uint32_t queue)
{
	struct nnaccel_ring_ctl *ctl = e->queues[queue].at;
	uint32_t slots = (uint32_t)((e->queues[queue].size - sizeof(*ctl)) / NNACCEL_SLOT_SIZE);

	while (ctl->head != load(&ctl->tail)) {
		const struct nnaccel_job *job =
			(const void *)((uint8_t *)(ctl + 1) + (size_t)(ctl->head & (slots - 1)) * NNACCEL_SLOT_SIZE);
		struct nnaccel_completion c = {
			.kind = NNACCEL_COMPLETION_JOB,
			.queue = queue,
			.seqno = job->seqno,
			.start_ns = (uint64_t)nn_now(),
			.end_ns = (uint64_t)nn_now(),
		};
		uint32_t next = ctl->head + 1 + job->num_args;

		__atomic_store_n(&e->regs->queue[queue].seqno, job->seqno, __ATOMIC_RELEASE);
		store(&ctl->head, next);
		complete(e, &c);
	}
}

static void forget(struct nn_emulator *e)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		nn_emulator_unmap(&e->queues[i]);
	nn_emulator_unmap(&e->admin);
	nn_emulator_unmap(&e->cq);
}

/* The card starts: as nnaccel-emud and nnaccel-card do it, but in one process. */
static void boot(struct nn_emulator *e)
{
	struct nnaccel_regs *regs = e->regs;

	forget(e);
	ioctl(e->node, NNACCEL_EMU_IOC_START);
	ioctl(e->node, NNACCEL_EMU_IOC_CLAIM);
	store(&regs->fw_state, NNACCEL_FW_BOOT);
	regs->contract_version = NNACCEL_CONTRACT_VERSION;
	regs->max_args = NNACCEL_MAX_ARGS;
	regs->engines = 1;
	store(&regs->generation, regs->generation + 1);
	store(&regs->fw_state, NNACCEL_FW_READY);
	store(&regs->link, NNACCEL_LINK_PRESENT);
	raise_irq(e, NNACCEL_IRQ_EVENT);
}

static void reset(struct nn_emulator *e)
{
	uint32_t req = load(&e->regs->reset_req);

	if (atomic_load(&e->silent) || req == load(&e->regs->reset_ack))
		return;
	forget(e);
	store(&e->regs->link, NNACCEL_LINK_ABSENT);
	store(&e->regs->reset_ack, req);
	boot(e);
}

static void take_rings(struct nn_emulator *e)
{
	struct nnaccel_regs *regs = e->regs;

	if (load(&regs->fw_state) != NNACCEL_FW_READY || load(&regs->host_state) != NNACCEL_HOST_RINGS ||
	    regs->host_generation != regs->generation)
		return;
	if (map_ring(e, regs->admin_ring, regs->admin_slots, &e->admin) ||
	    map_ring(e, regs->cq_ring, regs->cq_slots, &e->cq)) {
		forget(e);
		return;
	}
	store(&regs->fw_state, NNACCEL_FW_RUNNING);
	raise_irq(e, NNACCEL_IRQ_EVENT);
}

static void *run(void *arg)
{
	struct nn_emulator *e = arg;
	struct pollfd fds[NNACCEL_NUM_DOORBELLS + 1];
	eventfd_t value;

	for (int i = 0; i < NNACCEL_NUM_DOORBELLS; i++)
		fds[i] = (struct pollfd){ .fd = e->doorbell[i], .events = POLLIN };
	fds[NNACCEL_NUM_DOORBELLS] = (struct pollfd){ .fd = e->quit, .events = POLLIN };
	for (;;) {
		poll(fds, NNACCEL_NUM_DOORBELLS + 1, BEAT_MS);
		if (fds[NNACCEL_NUM_DOORBELLS].revents)
			return NULL;
		for (int i = 0; i < NNACCEL_NUM_DOORBELLS; i++)
			if (fds[i].revents)
				eventfd_read(fds[i].fd, &value);
		reset(e);
		take_rings(e);
		__atomic_add_fetch(&e->regs->heartbeat, 1, __ATOMIC_RELEASE);
		/* A silent slot's card has no memory any more once the kernel wants it stopped. */
		if (!e->admin.at || load(&e->regs->reset_req) != load(&e->regs->reset_ack))
			continue;
		serve_admin(e);
		for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES && !atomic_load(&e->deaf); i++)
			if (e->queues[i].at)
				serve_jobs(e, i);
	}
}

int nn_emulator_open(struct nn_emulator *e)
{
	memset(e, 0, sizeof(*e));
	e->quit = eventfd(0, EFD_CLOEXEC);
	for (int i = 0; i < NNACCEL_NUM_DOORBELLS; i++)
		e->doorbell[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	e->node = open(NN_EMULATOR_NODE, O_RDWR | O_CLOEXEC);
	if (e->node < 0)
		return -errno;
	e->regs = mmap(NULL, NNACCEL_REGS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, e->node, 0);
	if (e->regs == MAP_FAILED)
		return -errno;
	return 0;
}

int nn_emulator_plug_as(struct nn_emulator *e, uint32_t version, uint32_t flags, int doorbell)
{
	struct nnaccel_emu_plug plug = { .version = version, .flags = flags };

	for (int i = 0; i < NNACCEL_NUM_DOORBELLS; i++)
		plug.doorbell[i] = doorbell == -2 ? e->doorbell[i] : doorbell;
	return ioctl(e->node, NNACCEL_EMU_IOC_PLUG, &plug) ? -errno : 0;
}

int nn_emulator_plug(struct nn_emulator *e)
{
	e->regs->magic = NNACCEL_MAGIC;
	e->regs->layout_version = NNACCEL_CONTRACT_VERSION;
	boot(e);
	e->runs = !pthread_create(&e->thread, NULL, run, e);
	return nn_emulator_plug_as(e, NNACCEL_EMU_VERSION, 0, -2);
}

void nn_emulator_close(struct nn_emulator *e)
{
	if (e->runs) {
		eventfd_write(e->quit, 1);
		pthread_join(e->thread, NULL);
	}
	e->runs = false;
	forget(e);
	if (e->regs && e->regs != MAP_FAILED)
		munmap(e->regs, NNACCEL_REGS_SIZE);
	e->regs = NULL;
	if (e->node > 0)
		close(e->node);
	e->node = 0;
	for (int i = 0; i < NNACCEL_NUM_DOORBELLS; i++)
		if (e->doorbell[i] > 0)
			close(e->doorbell[i]);
	if (e->quit > 0)
		close(e->quit);
	memset(e->doorbell, 0, sizeof(e->doorbell));
	e->quit = 0;
}

int nn_emulator_client(void)
{
	return nn_open_next("nnaccel_emu.0");
}
