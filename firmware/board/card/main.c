// SPDX-License-Identifier: Apache-2.0
/* nnaccel-card: start, handshake, service thread. See card.h for the threads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "card/card.h"
#include "board.h"
#include "nnutil_clock.h"
#include "nnutil_text.h"
#include "nnutil_process.h"

static struct card the_card;

/* ---- the core's platform ---- */

static int platform_map(void *priv, uint32_t context, uint64_t addr, uint64_t len, bool write,
			struct nnfw_map *map, uint64_t *fault)
{
	struct card *card = priv;

	return mmu_map(&card->mmu, context, addr, len, write, map, fault);
}

static void platform_unmap(void *priv, uint32_t context, struct nnfw_map *map, bool commit)
{
	struct card *card = priv;

	mmu_unmap(&card->mmu, context, map, commit);
}

static uint64_t platform_clock(void *priv)
{
	(void)priv;
	return (uint64_t)nnutil_monotonic_ns();
}

static void platform_complete(void *priv, const struct nnaccel_completion *c)
{
	queues_complete(priv, c);
}

static void platform_progress(void *priv, uint32_t queue, uint64_t progress, uint64_t seqno)
{
	struct card *card = priv;

	queue_regs_begin(card, queue, seqno);
	progress = fault_progress(card, queue, progress, seqno);
	queue_regs_touch(card, queue);
	reg_set64(&card->regs->queue[queue].progress, progress);
}

static void platform_turn(void *priv, uint32_t queue, uint64_t seqno, bool on)
{
	queue_regs_turn(priv, queue, seqno, on);
}

static void invalidated(void *priv, uint32_t id)
{
	cq_post_admin(priv, id, NNACCEL_STATUS_OK, 0);
}

/* ---- life of a generation ---- */

__attribute__((noreturn)) static void *service_run(void *arg)
{
	struct card *card = arg;
	uint64_t beat = 0;

	for (;;) {
		if (!atomic_load(&card->fault.heartbeat_stopped)) {
			reg_set64(&card->regs->clock_ns, platform_clock(card));
			reg_set64(&card->regs->heartbeat, ++beat);
		}
		card_update_stats(card);
		card_update_telemetry(card);
		if (atomic_exchange(&card->retry, false))
			eventfd_write(card->kick, 1);
		if (card_wait(card->doorbell[NNACCEL_DOORBELL_CQ], -1, CARD_HEARTBEAT_MS))
			completion_ring_room(&card->cq);
	}
}

/*
 * Clear all registers of the firmware: BAR2 has the values of the previous card. Registers of
 * queues stay until QUEUE_CREATE: the host reads from them which jobs had begun.
 */
static void reset_registers(struct card *card)
{
	struct nnaccel_regs *regs = card->regs;

	reg_set32(&regs->fw_state, NNACCEL_FW_BOOT);
	atomic_thread_fence(memory_order_seq_cst);
	memset((uint8_t *)regs + offsetof(struct nnaccel_regs, generation), 0,
	       offsetof(struct nnaccel_regs, reserved4) -
		       offsetof(struct nnaccel_regs, generation));
}

static void identify(struct card *card)
{
	struct nnaccel_regs *regs = card->regs;
	struct nnaccel_opset_header *opset = (struct nnaccel_opset_header *)card->opset;
	uint32_t caps = nnfw_caps();

	reg_set32(&regs->fw_version, nnfw_version());
	reg_set32(&regs->contract_version, fault_contract_version(&card->fault));
	reg_set32(&regs->opset_version, le32toh(opset->version));
	reg_set32(&regs->max_args, NNACCEL_MAX_ARGS);
	reg_set32(&regs->engines, card->config.threads ? card->config.threads : 1);
	if (card->queue_time)
		caps |= NNACCEL_CAP_QUEUE_TIME;
	else
		caps &= ~NNACCEL_CAP_PREEMPT;
	reg_set32(&regs->caps, caps | NNACCEL_CAP_TELEMETRY);
	reg_set32(&regs->max_clock_mhz, TELEMETRY_MAX_CLOCK_MHZ);
	reg_set64(&regs->program_quota, card->config.program_quota);
	reg_set64(&regs->arena_size, card->config.arena_limit);
	strcpy((char *)regs->name, "nnaccel emulated card");
	reg_set32(&regs->generation, card->generation);
}

/* Take the rings that the host has set up for this generation. */
static void take_rings(struct card *card)
{
	struct nnaccel_regs *regs = card->regs;

	if (reg_get32(&regs->host_version) >> 16 != NNACCEL_CONTRACT_MAJOR) {
		card_fail(card, NNACCEL_FW_ERROR_VERSION);
		return;
	}
	if (ring_open(&card->admin, &card->memory, reg_get64(&regs->admin_ring),
		      reg_get32(&regs->admin_slots), false) ||
	    completion_ring_open(&card->cq, &card->memory, reg_get64(&regs->cq_ring),
				 reg_get32(&regs->cq_slots))) {
		card_fail(card, NNACCEL_FW_ERROR_RING);
		return;
	}
	atomic_store(&card->serving, true);
	card_set_state(card, NNACCEL_FW_RUNNING);
}

/* The host takes its rings back: its memory is not accessed any more when fw_state changes. */
static void give_up_rings(struct card *card)
{
	struct nnfw *fw = card->fw;

	atomic_store(&card->serving, false);
	completion_ring_close(&card->cq);
	queues_close_all(card);
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		fault_aborted(&card->fault, i, 0);
	pthread_mutex_lock(&card->fw_lock);
	card->fw = NULL;
	pthread_mutex_unlock(&card->fw_lock);
	nnfw_destroy(fw);
	mmu_destroy(&card->mmu);
	if (!atomic_exchange(&card->failed, true))
		card_set_state(card, NNACCEL_FW_FAILED);
}

static void host_changed(struct card *card)
{
	struct nnaccel_regs *regs = card->regs;
	bool rings = reg_get32(&regs->host_state) == NNACCEL_HOST_RINGS;
	bool ours = reg_get32(&regs->host_generation) == card->generation;

	if (atomic_load(&card->failed))
		return;
	if (atomic_load(&card->serving)) {
		if (!rings)
			give_up_rings(card);
	} else if (rings && ours) {
		take_rings(card);
	}
}

static int start_thread(void *(*body)(void *), struct card *card)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, body, card);

	if (!err)
		pthread_detach(thread);
	return -err;
}

static int boot(struct card *card)
{
	struct nnfw_platform platform = {
		.priv = card,
		.dma_map = platform_map,
		.dma_unmap = platform_unmap,
		.clock_ns = platform_clock,
		.complete = platform_complete,
		.progress = platform_progress,
		.turn = platform_turn,
	};
	int err;

	reset_registers(card);
	telemetry_init(&card->telemetry, (uint64_t)nnutil_monotonic_ns());
	card_update_telemetry(card);
	fault_boot(&card->fault);
	pthread_mutex_init(&card->fw_lock, NULL);
	completion_ring_init(&card->cq);
	queues_init(card);
	card->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (card->kick < 0)
		return -errno;
	card->opset_size = nnfw_opset(card->opset, sizeof(card->opset));
	if (card->opset_size > sizeof(card->opset))
		return -E2BIG;
	err = queues_watch(card);
	if (!err)
		err = nnfw_create(&platform, &card->config, &card->fw);
	if (!err)
		err = start_thread(service_run, card);
	for (uint32_t i = 0; i < CARD_RING_THREADS && !err; i++)
		err = start_thread(queues_run, card);
	return err;
}

/* ---- command line ---- */

struct options {
	int bar2_fd, ram_fd, fired_fd, doorbell[NNACCEL_NUM_DOORBELLS], irq[NNACCEL_NUM_IRQS];
	uint64_t ram_size, ram_base, low_size, generation;
	uint64_t threads, program_quota, arena_limit, window_pieces;
	bool emulated;
	struct fault_spec fault;
};

static const char usage[] =
	"usage: nnaccel-card --fds LIST --ram-size BYTES --generation N [options]\n"
	"       nnaccel-card --fds LIST --emulated --generation N [options]\n"
	"The emulated card's firmware; started by nnaccel-slot or nnaccel-emud, which owns what --fds lists:\n"
	"  --fds BAR2,RAM,DOORBELL0,DOORBELL1,DOORBELL2,IRQ0,IRQ1,IRQ2,IRQ3,FIRED\n"
	"                        inherited descriptors: BAR2 and RAM files, eventfds\n"
	"  --emulated            BAR2, RAM and IRQ0 to IRQ3 are the node of the running kernel\n"
	"  --ram-size BYTES      size of guest RAM\n"
	"  --ram-base ADDRESS    of its first byte, where it is contiguous (0: as q35 has it)\n"
	"  --low-size BYTES      of which below 4 GiB (default: as q35)\n"
	"  --generation N        generation of this start, not 0\n"
	"  --fault SPEC          fault mode (Documentation/card.rst)\n"
	"  --threads N           worker threads (default 1)\n"
	"  --program-quota BYTES memory of loaded programs (default 512 MiB)\n"
	"  --arena-limit BYTES   temporaries of one job (default 1 GiB)\n"
	"  --window-pieces N     limit of mappings for windows, 0: copy instead\n";

static int parse_fds(void *priv, const char *text)
{
	struct options *o = priv;
	int *const fds[] = {
		&o->bar2_fd, &o->ram_fd, &o->doorbell[0], &o->doorbell[1], &o->doorbell[2],
		&o->irq[0],  &o->irq[1], &o->irq[2],	  &o->irq[3],	   &o->fired_fd,
	};
	const size_t count = sizeof(fds) / sizeof(fds[0]);

	for (size_t i = 0; i < count; i++) {
		uint64_t fd;

		if (nnutil_scan_u64(&text, 10, 0, 1 << 20, &fd) ||
		    *text != (i + 1 < count ? ',' : '\0'))
			return -EINVAL;
		*fds[i] = (int)fd;
		text++;
	}
	return 0;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	const struct board_option options[] = {
		{ "fds", .parse = parse_fds, .priv = o },
		{ "emulated", .flag = &o->emulated },
		{ "ram-size", .number = &o->ram_size, .max = UINT64_MAX },
		{ "ram-base", .number = &o->ram_base, .max = UINT64_MAX },
		{ "low-size", .number = &o->low_size, .max = UINT64_MAX },
		{ "generation", .number = &o->generation, .max = UINT32_MAX },
		{ "fault", .fault = &o->fault },
		{ "threads", .number = &o->threads, .max = 64 },
		{ "program-quota", .number = &o->program_quota, .max = UINT64_MAX },
		{ "arena-limit", .number = &o->arena_limit, .max = UINT64_MAX },
		{ "window-pieces", .number = &o->window_pieces, .max = UINT32_MAX },
	};
	int err = board_parse_options("nnaccel-card", argc, argv, options,
				      sizeof(options) / sizeof(options[0]));

	return err || !o->ram_size == !o->emulated || !o->generation || o->bar2_fd < 0 ? -EINVAL
										       : 0;
}

/*
 * Fences of the whole system wait for the emulated device, perhaps those that reclaim of memory
 * waits for: what it uses stays in memory, and it may use reserves.
 */
static void stay_in_memory(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
		fprintf(stderr, "nnaccel-card: memory can be swapped out: %s\n", strerror(errno));
	if (prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0))
		fprintf(stderr, "nnaccel-card: no reserves of memory: %s\n", strerror(errno));
}

/* Memory of the host, and the registers. */
static int attach(struct card *card, const struct options *o)
{
	size_t size = o->emulated ? NNACCEL_REGS_SIZE : NNBOARD_BAR2_SIZE;
	int err;

	card->emulated = o->emulated;
	if (o->emulated)
		err = host_memory_claim(&card->memory, o->ram_fd);
	else
		err = host_memory_map_ram(&card->memory, o->ram_fd, o->ram_size, o->ram_base,
					  o->low_size);
	if (err) {
		fprintf(stderr, "nnaccel-card: cannot map %s: %s\n",
			o->emulated ? "memory of the host" : "guest RAM", strerror(-err));
		return err;
	}
	card->regs = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, o->bar2_fd, 0);
	if (card->regs == MAP_FAILED) {
		err = -errno;
		fprintf(stderr, "nnaccel-card: cannot map the registers: %s\n", strerror(-err));
		return err;
	}
	if (o->emulated)
		stay_in_memory();
	return 0;
}

int main(int argc, char **argv)
{
	struct card *card = &the_card;
	struct options o = {
		.bar2_fd = -1,
		.threads = 1,
		.program_quota = 512ull << 20,
		.arena_limit = 1ull << 30,
		.window_pieces = MMU_PIECES_DEFAULT,
	};
	int err;

	/* the card is its own process: kernels may use them */
	nnutil_tiles_ask();
	if (parse_options(argc, argv, &o)) {
		fputs(usage, stderr);
		return 2;
	}
	memcpy(card->doorbell, o.doorbell, sizeof(card->doorbell));
	memcpy(card->irq, o.irq, sizeof(card->irq));
	card->generation = (uint32_t)o.generation;
	card->config = (struct nnfw_config){
		.abi_version = NNFW_ABI_VERSION,
		.threads = (unsigned int)o.threads,
		.program_quota = o.program_quota,
		.arena_limit = o.arena_limit,
		.generation = (unsigned int)o.generation,
	};
	card->queue_time = o.fault.mode != FAULT_NO_PREEMPT;
	if (!card->queue_time)
		card->config.flags |= NNFW_CONFIG_NO_PREEMPT;
	if (o.fault.mode == FAULT_IGNORE_LOOP_LIMIT)
		card->config.flags |= NNFW_CONFIG_NO_LOOP_LIMIT;
	err = attach(card, &o);
	if (err)
		return 1;
	mmu_init(&card->mmu, &card->memory, (uint32_t)o.window_pieces, invalidated, card);
	fault_init(&card->fault, &o.fault, o.fired_fd);
	err = boot(card);
	if (err) {
		fprintf(stderr, "nnaccel-card: cannot start: %s\n", strerror(-err));
		return 1;
	}
	identify(card);
	card_set_state(card, NNACCEL_FW_READY);
	for (;;) {
		host_changed(card);
		admin_serve(card);
		card_wait(card->doorbell[NNACCEL_DOORBELL_ADMIN], -1, -1);
	}
}
