// SPDX-License-Identifier: Apache-2.0
/*
 * A firmware to begin with: the least that serves the device contract around firmware/core, in one
 * file. It runs all operations, on one thread for the rings and one for the jobs, and copies the
 * memory of clients where silicon would map it. firmware/board is the complete one.
 *
 * The functions hw_... are the hardware's. Here they are those of the emulated card: nnaccel-slot
 * starts this program with --card in place of nnaccel-card. Documentation/porting.rst has the order
 * in which to replace them.
 */
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "nnaccel/nnaccel_mmu.h"
#include "nnaccel/nnaccel_opset.h"
#include "nnaccel/nnaccel_regs.h"
#include "nnaccel/nnaccel_ring.h"
#include "nnaccel/nnaccel_status.h"
#include "nnfw_core.h"

#define HEARTBEAT_MS 100
#define ROOM_US 200

/* A ring of the host: each slot is read once, each index is checked. */
struct ring {
	struct nnaccel_ring_ctl *ctl; /* NULL: none */
	uint32_t slots, index;
};

static struct {
	/* the hardware's */
	struct nnaccel_regs *regs;
	uint8_t *ram;
	uint64_t ram_base, ram_size;
	int doorbell[NNACCEL_DOORBELL_RESET], irq[NNACCEL_NUM_IRQS];

	struct nnfw *fw;
	uint32_t generation;
	bool serving;
	atomic_bool failed;
	struct ring admin, cq, queue[NNACCEL_MAX_QUEUES];
	uint32_t context[NNACCEL_MAX_QUEUES];
	uint64_t seqno[NNACCEL_MAX_QUEUES];
	pthread_mutex_t cq_lock; /* of cq: any thread completes */
	pthread_mutex_t walk_lock; /* held while memory of clients is accessed */
	uint64_t root[NNACCEL_MAX_CONTEXTS]; /* 0: not open */
	uint8_t opset[16384];
} card = { .cq_lock = PTHREAD_MUTEX_INITIALIZER, .walk_lock = PTHREAD_MUTEX_INITIALIZER };

#define load32(reg) le32toh(__atomic_load_n(reg, __ATOMIC_ACQUIRE))
#define load64(reg) le64toh(__atomic_load_n(reg, __ATOMIC_ACQUIRE))
#define store32(reg, value) __atomic_store_n(reg, htole32(value), __ATOMIC_RELEASE)
#define store64(reg, value) __atomic_store_n(reg, htole64(value), __ATOMIC_RELEASE)

/* ---- the hardware ---- */

/* Wait for a doorbell, at most @ms. */
static void hw_wait(int ms)
{
	struct pollfd fds[NNACCEL_DOORBELL_RESET];
	eventfd_t value;

	for (int i = 0; i < NNACCEL_DOORBELL_RESET; i++)
		fds[i] = (struct pollfd){ card.doorbell[i], POLLIN, 0 };
	if (poll(fds, NNACCEL_DOORBELL_RESET, ms) <= 0)
		return;
	for (int i = 0; i < NNACCEL_DOORBELL_RESET; i++)
		if (fds[i].revents & POLLIN)
			eventfd_read(fds[i].fd, &value);
}

static void hw_raise(enum nnaccel_irq irq)
{
	eventfd_write(card.irq[irq], 1);
}

/* Memory of the host at a bus address; NULL: there is none. */
static void *hw_memory(uint64_t bus, uint64_t size)
{
	uint64_t offset = bus - card.ram_base;

	return offset <= card.ram_size && size <= card.ram_size - offset ? card.ram + offset : NULL;
}

static uint64_t hw_clock(void *unused)
{
	struct timespec now;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- what the core needs: six functions, of which hw_clock() is one ---- */

/* The memory behind a device address, to the end of its page; NULL: it is not mapped so. */
static uint8_t *walk(uint32_t context, uint64_t va, bool write, uint64_t *left)
{
	uint64_t table = card.root[context], entry, size;

	for (uint32_t level = NNACCEL_PT_LEVELS - 1; table && va < NNACCEL_VA_END; level--) {
		uint64_t *at = hw_memory(table + NNACCEL_PT_INDEX(va, level) * 8, 8);

		entry = at ? load64(at) : 0;
		if (!(entry & NNACCEL_PTE_VALID))
			return NULL;
		if (level && !(level == 1 && (entry & NNACCEL_PTE_BLOCK))) {
			table = entry & NNACCEL_PTE_ADDR;
			continue;
		}
		size = level ? NNACCEL_BLOCK_SIZE : NNACCEL_PAGE_SIZE;
		*left = size - (va & (size - 1));
		if (write && !(entry & NNACCEL_PTE_WRITE))
			return NULL;
		return hw_memory((entry & NNACCEL_PTE_ADDR) + (va & (size - 1)), *left);
	}
	return NULL;
}

/* Copy between a private copy and the client's memory. 0, or -EFAULT and where. */
static int copy(struct nnfw_map *map, uint32_t context, bool to_client, uint64_t *fault)
{
	uint64_t done = 0, left;
	int err = 0;

	/* TLB_INVALIDATE waits for it: no page is used that the host has taken away. */
	pthread_mutex_lock(&card.walk_lock);
	while (done < map->len && !err) {
		uint8_t *memory = walk(context, map->addr + done, map->write, &left);

		if (!memory) {
			*fault = map->addr + done;
			err = -EFAULT;
			break;
		}
		left = left < map->len - done ? left : map->len - done;
		if (to_client)
			memcpy(memory, (uint8_t *)map->ptr + done, left);
		else
			memcpy((uint8_t *)map->ptr + done, memory, left);
		done += left;
	}
	pthread_mutex_unlock(&card.walk_lock);
	return err;
}

static int dma_map(void *unused, uint32_t context, uint64_t addr, uint64_t len, bool write,
		   struct nnfw_map *map, uint64_t *fault)
{
	int err;

	(void)unused;
	*map = (struct nnfw_map){
		.addr = addr, .len = len, .write = write, .bounced = true, .constant = !write
	};
	if (len > card.ram_size || posix_memalign(&map->ptr, 64, len))
		return -ENOMEM;
	err = copy(map, context, false, fault);
	if (err)
		free(map->ptr);
	return err;
}

static void dma_unmap(void *unused, uint32_t context, struct nnfw_map *map, bool commit)
{
	uint64_t fault;

	(void)unused;
	if (map->write && commit)
		copy(map, context, true, &fault);
	free(map->ptr);
}

static void progress(void *unused, uint32_t queue, uint64_t value, uint64_t seqno)
{
	(void)unused;
	store64(&card.regs->queue[queue].seqno, seqno);
	store64(&card.regs->queue[queue].progress, value);
}

/* The job begins with its first turn: its number is there before its memory is touched. */
static void turn(void *unused, uint32_t queue, uint64_t seqno, bool on)
{
	(void)unused;
	if (on)
		store64(&card.regs->queue[queue].seqno, seqno);
}

static void fail(enum nnaccel_fw_error error)
{
	card.failed = true;
	store32(&card.regs->fw_error, error);
	store32(&card.regs->fw_state, NNACCEL_FW_FAILED);
	hw_raise(NNACCEL_IRQ_EVENT);
}

/* Any thread. The host rings when it has made room; this one looks from time to time. */
static void complete(void *unused, const struct nnaccel_completion *c)
{
	struct nnaccel_completion *slots;
	uint32_t used;

	(void)unused;
	pthread_mutex_lock(&card.cq_lock);
	do {
		used = card.cq.ctl ? card.cq.index - load32(&card.cq.ctl->head) : UINT32_MAX;
		if (used > card.cq.slots) {
			/* the host has taken it back, or wrote an impossible head */
			pthread_mutex_unlock(&card.cq_lock);
			return;
		}
	} while (used == card.cq.slots && !usleep(ROOM_US));
	slots = (struct nnaccel_completion *)(card.cq.ctl + 1);
	slots[card.cq.index++ & (card.cq.slots - 1)] = (struct nnaccel_completion){
		.kind = htole32(c->kind),
		.queue = htole32(c->queue),
		.seqno = htole64(c->seqno),
		.status = htole32(c->status),
		.generation = htole32(card.generation),
		.start_ns = htole64(c->start_ns),
		.end_ns = htole64(c->end_ns),
		.fault_addr = htole64(c->fault_addr),
		.value = htole64(c->value),
	};
	store32(&card.cq.ctl->tail, card.cq.index);
	pthread_mutex_unlock(&card.cq_lock);
	hw_raise(NNACCEL_IRQ_COMPLETION);
}

/* ---- rings ---- */

static int ring_open(struct ring *ring, uint64_t bus, uint64_t slots, bool producer)
{
	struct nnaccel_ring_ctl *ctl;

	if (slots < NNACCEL_RING_SLOTS_MIN || slots > NNACCEL_RING_SLOTS_MAX || slots & (slots - 1))
		return -EINVAL;
	ctl = hw_memory(bus, sizeof(*ctl) + slots * NNACCEL_SLOT_SIZE);
	if (!ctl || bus % NNACCEL_SLOT_SIZE)
		return -EINVAL;
	*ring = (struct ring){ ctl, (uint32_t)slots, load32(producer ? &ctl->tail : &ctl->head) };
	return 0;
}

/* How many slots are filled; more than there are: the ring is broken. */
static uint32_t ring_filled(const struct ring *ring)
{
	uint32_t filled = load32(&ring->ctl->tail) - ring->index;

	if (filled > ring->slots)
		fail(NNACCEL_FW_ERROR_RING);
	return card.failed ? 0 : filled;
}

static void ring_copy(const struct ring *ring, uint32_t ahead, void *slot)
{
	const uint8_t *first = (const uint8_t *)(ring->ctl + 1);

	memcpy(slot, first + ((ring->index + ahead) & (ring->slots - 1)) * NNACCEL_SLOT_SIZE,
	       NNACCEL_SLOT_SIZE);
	/* the compiler must not read the slot again */
	__asm__ volatile("" : : "r"(slot) : "memory");
}

static void ring_consume(struct ring *ring, uint32_t slots)
{
	ring->index += slots;
	store32(&ring->ctl->head, ring->index);
}

/* Submit the jobs of a queue. Its fields are little-endian, as this processor has to be. */
static void queue_take(uint32_t queue)
{
	static struct nnaccel_arg args[NNACCEL_MAX_ARGS];
	struct ring *ring = &card.queue[queue];
	struct nnaccel_job job;
	uint32_t filled;

	while (ring->ctl && (filled = ring_filled(ring))) {
		ring_copy(ring, 0, &job);
		if (job.num_args >= filled || job.num_args > NNACCEL_MAX_ARGS ||
		    job.seqno <= card.seqno[queue]) {
			fail(NNACCEL_FW_ERROR_RING);
			return;
		}
		for (uint32_t i = 0; i < job.num_args; i++)
			ring_copy(ring, 1 + i, &args[i]);
		/* no memory: the next look tries again */
		if (nnfw_submit(card.fw, queue, &job, args))
			return;
		card.seqno[queue] = job.seqno;
		ring_consume(ring, 1 + job.num_args);
	}
}

/* ---- commands ---- */

static int queue_create(const struct nnaccel_admin_cmd *cmd)
{
	struct ring ring;
	int err = cmd->value > 3 ? -EINVAL : ring_open(&ring, cmd->addr, cmd->size, false);

	if (!err)
		err = nnfw_queue_create(card.fw, cmd->queue, cmd->context, (uint32_t)cmd->value);
	if (err)
		return err;
	card.queue[cmd->queue] = ring;
	card.context[cmd->queue] = cmd->context;
	card.seqno[cmd->queue] = 0;
	progress(NULL, cmd->queue, 0, 0);
	return 0;
}

static int queue_destroy(uint32_t queue)
{
	int err;

	/* the jobs in its ring are canceled with the others */
	queue_take(queue);
	err = nnfw_queue_destroy(card.fw, queue);
	card.queue[queue].ctl = NULL;
	return err;
}

static int context_open(uint32_t context)
{
	int err = nnfw_context_open(card.fw, context);

	if (!err)
		card.root[context] = load64(&card.regs->ctx[context].pt_root);
	return err;
}

/* With its queues. No map is held then. */
static int context_close(uint32_t context)
{
	int err;

	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		if (card.queue[i].ctl && card.context[i] == context)
			queue_destroy(i);
	err = nnfw_context_close(card.fw, context);
	card.root[context] = 0;
	return err;
}

static int get_opset(const struct nnaccel_admin_cmd *cmd, uint64_t *size)
{
	void *to = hw_memory(cmd->addr, cmd->size);

	*size = nnfw_opset(card.opset, sizeof(card.opset));
	if (!to && cmd->size)
		return -EINVAL;
	memcpy(to, card.opset, cmd->size < *size ? cmd->size : *size);
	return 0;
}

static int serve(const struct nnaccel_admin_cmd *cmd, uint64_t *value)
{
	if (cmd->context >= NNACCEL_MAX_CONTEXTS || cmd->queue >= NNACCEL_MAX_QUEUES)
		return -EINVAL;
	switch (cmd->op) {
	case NNACCEL_ADMIN_PING:
		*value = hw_clock(NULL);
		return 0;
	case NNACCEL_ADMIN_GET_OPSET:
		return get_opset(cmd, value);
	case NNACCEL_ADMIN_CTX_OPEN:
		return context_open(cmd->context);
	case NNACCEL_ADMIN_CTX_CLOSE:
		return context_close(cmd->context);
	case NNACCEL_ADMIN_QUEUE_CREATE:
		return queue_create(cmd);
	case NNACCEL_ADMIN_QUEUE_DESTROY:
		return queue_destroy(cmd->queue);
	case NNACCEL_ADMIN_ABORT:
		queue_take(cmd->queue);
		nnfw_abort(card.fw, cmd->queue, cmd->value);
		return 0;
	case NNACCEL_ADMIN_TLB_INVALIDATE:
		/* nothing is cached; copies that are under way are waited for */
		pthread_mutex_lock(&card.walk_lock);
		pthread_mutex_unlock(&card.walk_lock);
		return 0;
	case NNACCEL_ADMIN_PROGRAM_LOAD:
		return nnfw_program_load(card.fw, cmd->context, cmd->addr, cmd->size, cmd->value);
	case NNACCEL_ADMIN_PROGRAM_UNLOAD:
		return nnfw_program_unload(card.fw, cmd->context, cmd->addr);
	default:
		return -EINVAL;
	}
}

static void admin_take(void)
{
	struct nnaccel_admin_cmd cmd;

	while (ring_filled(&card.admin)) {
		struct nnaccel_completion c = { .kind = NNACCEL_COMPLETION_ADMIN };
		uint64_t value = 0;
		int err;

		ring_copy(&card.admin, 0, &cmd);
		ring_consume(&card.admin, 1);
		err = serve(&cmd, &value);
		c.value = value;
		c.status = !err		    ? NNACCEL_STATUS_OK
			   : err == -ENOMEM ? NNACCEL_STATUS_NO_MEMORY
					    : NNACCEL_STATUS_BAD_ARGUMENT;
		c.seqno = cmd.id;
		c.start_ns = c.end_ns = hw_clock(NULL);
		complete(NULL, &c);
	}
}

/* ---- life ---- */

static int boot(void)
{
	const struct nnfw_platform platform = {
		.dma_map = dma_map,
		.dma_unmap = dma_unmap,
		.clock_ns = hw_clock,
		.complete = complete,
		.progress = progress,
		.turn = turn,
	};
	const struct nnfw_config config = {
		.abi_version = NNFW_ABI_VERSION,
		.threads = 1,
		.generation = card.generation,
		.program_quota = 64u << 20,
		.arena_limit = 64u << 20,
	};
	struct nnaccel_regs *regs = card.regs;

	store32(&regs->fw_state, NNACCEL_FW_BOOT);
	if (nnfw_create(&platform, &config, &card.fw))
		return -1;
	nnfw_opset(card.opset, sizeof(card.opset));
	store32(&regs->fw_error, NNACCEL_FW_ERROR_NONE);
	store32(&regs->fw_version, nnfw_version());
	store32(&regs->contract_version, NNACCEL_CONTRACT_VERSION);
	store32(&regs->opset_version, ((struct nnaccel_opset_header *)card.opset)->version);
	store32(&regs->max_args, NNACCEL_MAX_ARGS);
	store32(&regs->engines, 1);
	/* without the time of queues a job that has begun counts as running until it ends */
	store32(&regs->caps, nnfw_caps() & ~(NNACCEL_CAP_QUEUE_TIME | NNACCEL_CAP_TELEMETRY));
	store64(&regs->program_quota, config.program_quota);
	store64(&regs->arena_size, config.arena_limit);
	store32(&regs->cq_stalled, 0);
	strcpy((char *)regs->name, "nnaccel template");
	store32(&regs->generation, card.generation);
	store32(&regs->fw_state, NNACCEL_FW_READY);
	hw_raise(NNACCEL_IRQ_EVENT);
	return 0;
}

/* The host sets up its rings once in a generation, or takes them back. */
static void host_changed(void)
{
	struct nnaccel_regs *regs = card.regs;
	bool rings = load32(&regs->host_state) == NNACCEL_HOST_RINGS;

	if (card.serving && !rings && !card.failed) {
		pthread_mutex_lock(&card.cq_lock);
		card.cq.ctl = NULL;
		pthread_mutex_unlock(&card.cq_lock);
		nnfw_destroy(card.fw);
		fail(NNACCEL_FW_ERROR_NONE);
	}
	if (card.failed || card.serving || !rings ||
	    load32(&regs->host_generation) != card.generation)
		return;
	if (load32(&regs->host_version) >> 16 != NNACCEL_CONTRACT_MAJOR) {
		fail(NNACCEL_FW_ERROR_VERSION);
	} else if (ring_open(&card.admin, load64(&regs->admin_ring), load32(&regs->admin_slots),
			     false) ||
		   ring_open(&card.cq, load64(&regs->cq_ring), load32(&regs->cq_slots), true)) {
		fail(NNACCEL_FW_ERROR_RING);
	} else {
		card.serving = true;
		store32(&regs->fw_state, NNACCEL_FW_RUNNING);
		hw_raise(NNACCEL_IRQ_EVENT);
	}
}

/* Of the arguments that nnaccel-slot gives a card: those that this one needs. */
static int arguments(char **argv)
{
	int bar2 = -1, ram = -1, *irq = card.irq, *doorbell = card.doorbell;

	for (; argv[0] && argv[1]; argv += 2) {
		if (!strcmp(argv[0], "--fds") &&
		    sscanf(argv[1], "%d,%d,%d,%d,%d,%d,%d", &bar2, &ram, &doorbell[0], &doorbell[1],
			   &doorbell[2], &irq[0], &irq[1]) != 7)
			return -1;
		if (!strcmp(argv[0], "--ram-size"))
			card.ram_size = strtoull(argv[1], NULL, 10);
		if (!strcmp(argv[0], "--ram-base"))
			card.ram_base = strtoull(argv[1], NULL, 10);
		if (!strcmp(argv[0], "--generation"))
			card.generation = (uint32_t)strtoul(argv[1], NULL, 10);
	}
	card.regs = mmap(NULL, NNACCEL_REGS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, bar2, 0);
	card.ram = mmap(NULL, card.ram_size, PROT_READ | PROT_WRITE, MAP_SHARED, ram, 0);
	return card.regs == MAP_FAILED || card.ram == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	(void)argc;
	if (arguments(argv + 1) || boot()) {
		fputs("template_card: nnaccel-slot --card starts this program\n", stderr);
		return 2;
	}
	for (uint64_t beat = 1;; beat++) {
		store64(&card.regs->clock_ns, hw_clock(NULL));
		store64(&card.regs->heartbeat, beat);
		host_changed();
		if (card.serving && !card.failed) {
			admin_take();
			for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES && !card.failed; i++)
				queue_take(i);
		}
		hw_wait(HEARTBEAT_MS);
	}
}
