// SPDX-License-Identifier: Apache-2.0
/* nnaccel-card: start, handshake, service thread. See card.h for the threads. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "card.h"

static struct card the_card;

uint64_t card_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

void card_raise(struct card *card, enum nnaccel_irq vector)
{
	eventfd_write(card->irq[vector], 1);
}

bool card_wait(int eventfd, int other, int timeout_ms)
{
	struct pollfd fds[2] = {
		{ .fd = eventfd, .events = POLLIN },
		{ .fd = other, .events = POLLIN },
	};
	bool rung = false;
	eventfd_t value;

	if (poll(fds, 2, timeout_ms) <= 0)
		return false;
	for (int i = 0; i < 2; i++)
		if (fds[i].revents & POLLIN)
			rung |= eventfd_read(fds[i].fd, &value) == 0;
	return rung;
}

static void set_state(struct card *card, enum nnaccel_fw_state state)
{
	reg_set32(&card->regs->fw_state, state);
	card_raise(card, NNACCEL_IRQ_EVENT);
}

void card_fail(struct card *card, enum nnaccel_fw_error error)
{
	if (atomic_exchange(&card->failed, true))
		return;
	atomic_store(&card->serving, false);
	fprintf(stderr, "nnaccel-card: generation %u failed, error %d\n", card->generation, error);
	reg_set32(&card->regs->fw_error, error);
	cq_close(card);
	set_state(card, NNACCEL_FW_FAILED);
}

void card_update_stats(struct card *card)
{
	struct nnaccel_regs *regs = card->regs;
	struct nnfw_stats stats;

	pthread_mutex_lock(&card->fw_lock);
	if (card->fw) {
		nnfw_stats(card->fw, &stats);
		reg_set64(&regs->bytes_direct, stats.bytes_direct);
		reg_set64(&regs->bytes_bounced, stats.bytes_bounced);
		reg_set64(&regs->bytes_loaded, stats.bytes_loaded);
		reg_set64(&regs->jobs_done, stats.jobs_done);
	}
	pthread_mutex_unlock(&card->fw_lock);
}

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
	struct card *card = priv;

	return fault_clock(&card->fault, card_clock_ns());
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
		if (atomic_exchange(&card->retry, false))
			eventfd_write(card->kick, 1);
		if (card_wait(card->doorbell[NNACCEL_DOORBELL_CQ], -1, CARD_HEARTBEAT_MS))
			cq_room(card);
	}
}

/*
 * Everything that the firmware writes, from nothing: BAR2 holds what the card before left. Queues
 * keep what it said of them until they are created anew: the host may want to know what had begun.
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

	reg_set32(&regs->fw_version, nnfw_version());
	reg_set32(&regs->contract_version, NNACCEL_CONTRACT_VERSION);
	reg_set32(&regs->opset_version, le32toh(opset->version));
	reg_set32(&regs->max_args, NNACCEL_MAX_ARGS);
	reg_set32(&regs->engines, card->config.threads ? card->config.threads : 1);
	if (card->queue_time)
		reg_set32(&regs->caps, nnfw_caps() | NNACCEL_CAP_QUEUE_TIME);
	else
		reg_set32(&regs->caps, nnfw_caps() & ~NNACCEL_CAP_PREEMPT);
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
	if (ring_open(&card->admin, &card->ram, reg_get64(&regs->admin_ring),
		      reg_get32(&regs->admin_slots), false) ||
	    cq_open(card, reg_get64(&regs->cq_ring), reg_get32(&regs->cq_slots))) {
		card_fail(card, NNACCEL_FW_ERROR_RING);
		return;
	}
	atomic_store(&card->serving, true);
	set_state(card, NNACCEL_FW_RUNNING);
}

/* The host takes its rings back: nothing of its memory is touched when fw_state changes. */
static void give_up_rings(struct card *card)
{
	struct nnfw *fw = card->fw;

	atomic_store(&card->serving, false);
	cq_close(card);
	queues_close_all(card);
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		fault_aborted(&card->fault, i, 0);
	pthread_mutex_lock(&card->fw_lock);
	card->fw = NULL;
	pthread_mutex_unlock(&card->fw_lock);
	nnfw_destroy(fw);
	mmu_destroy(&card->mmu);
	if (!atomic_exchange(&card->failed, true))
		set_state(card, NNACCEL_FW_FAILED);
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
	fault_boot(&card->fault);
	pthread_mutex_init(&card->fw_lock, NULL);
	pthread_mutex_init(&card->cq.lock, NULL);
	pthread_cond_init(&card->cq.room, NULL);
	queues_init(card);
	card->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (card->kick < 0)
		return -errno;
	card->opset_size = nnfw_opset(card->opset, sizeof(card->opset));
	if (card->opset_size > sizeof(card->opset))
		return -E2BIG;
	err = nnfw_create(&platform, &card->config, &card->fw);
	if (!err)
		err = start_thread(service_run, card);
	if (!err)
		err = start_thread(queues_run, card);
	return err;
}

/* ---- command line ---- */

struct options {
	int bar2_fd, ram_fd, fired_fd;
	uint64_t ram_size, low_size;
	uint64_t window_pieces;
	struct fault_spec fault;
};

static const char usage[] =
	"usage: nnaccel-card --fds LIST --ram-size BYTES --generation N [options]\n"
	"The emulated card's firmware; started by nnaccel-slot, which owns what --fds lists:\n"
	"  --fds BAR2,RAM,DOORBELL0,DOORBELL1,DOORBELL2,IRQ0,IRQ1,IRQ2,IRQ3,FIRED\n"
	"                        inherited descriptors: BAR2 and RAM files, eventfds\n"
	"  --ram-size BYTES      size of guest RAM\n"
	"  --low-size BYTES      of which below 4 GiB (default: as q35)\n"
	"  --generation N        generation of this start, not 0\n"
	"  --fault SPEC          see fault.h\n"
	"  --threads N           worker threads (default 1)\n"
	"  --program-quota BYTES programs that are kept (default 512 MiB)\n"
	"  --arena-limit BYTES   temporaries of one job (default 1 GiB)\n"
	"  --window-pieces N     mappings that windows may take, 0: copy instead\n";

static int parse_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno || *end || *value > max ? -EINVAL : 0;
}

static int parse_fds(struct card *card, struct options *o, const char *text)
{
	int *const fds[] = {
		&o->bar2_fd,	    &o->ram_fd,	   &card->doorbell[0], &card->doorbell[1],
		&card->doorbell[2], &card->irq[0], &card->irq[1],      &card->irq[2],
		&card->irq[3],	    &o->fired_fd,
	};
	const size_t count = sizeof(fds) / sizeof(fds[0]);

	for (size_t i = 0; i < count; i++) {
		char *end;
		long fd = strtol(text, &end, 10);

		if (end == text || fd < 0 || fd > 1 << 20 || *end != (i + 1 < count ? ',' : '\0'))
			return -EINVAL;
		*fds[i] = (int)fd;
		text = end + 1;
	}
	return 0;
}

static int parse_options(int argc, char **argv, struct card *card, struct options *o)
{
	enum { FDS = 1, RAM_SIZE, LOW_SIZE, GENERATION, FAULT, THREADS, QUOTA, ARENA, PIECES };
	static const struct option longs[] = { { "fds", required_argument, NULL, FDS },
					       { "ram-size", required_argument, NULL, RAM_SIZE },
					       { "low-size", required_argument, NULL, LOW_SIZE },
					       { "generation", required_argument, NULL,
						 GENERATION },
					       { "fault", required_argument, NULL, FAULT },
					       { "threads", required_argument, NULL, THREADS },
					       { "program-quota", required_argument, NULL, QUOTA },
					       { "arena-limit", required_argument, NULL, ARENA },
					       { "window-pieces", required_argument, NULL, PIECES },
					       { 0 } };
	uint64_t n = 0;
	int c, err = 0;

	while (!err && (c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case FDS:
			err = parse_fds(card, o, optarg);
			break;
		case RAM_SIZE:
			err = parse_number(optarg, UINT64_MAX, &o->ram_size);
			break;
		case LOW_SIZE:
			err = parse_number(optarg, UINT64_MAX, &o->low_size);
			break;
		case GENERATION:
			err = parse_number(optarg, UINT32_MAX, &n);
			card->generation = (uint32_t)n;
			break;
		case FAULT:
			err = fault_parse(optarg, &o->fault);
			break;
		case THREADS:
			err = parse_number(optarg, 64, &n);
			card->config.threads = (uint32_t)n;
			break;
		case QUOTA:
			err = parse_number(optarg, UINT64_MAX, &card->config.program_quota);
			break;
		case ARENA:
			err = parse_number(optarg, UINT64_MAX, &card->config.arena_limit);
			break;
		case PIECES:
			err = parse_number(optarg, UINT32_MAX, &o->window_pieces);
			break;
		default:
			return -EINVAL;
		}
		if (err)
			fprintf(stderr, "nnaccel-card: bad value \"%s\"\n", optarg);
	}
	if (!err && (optind != argc || !o->ram_size || !card->generation || o->bar2_fd < 0))
		err = -EINVAL;
	return err;
}

int main(int argc, char **argv)
{
	struct card *card = &the_card;
	struct options o = { .bar2_fd = -1, .window_pieces = MMU_PIECES_DEFAULT };
	int err;

	card->config = (struct nnfw_config){
		.abi_version = NNFW_ABI_VERSION,
		.threads = 1,
		.program_quota = 512ull << 20,
		.arena_limit = 1ull << 30,
	};
	if (parse_options(argc, argv, card, &o)) {
		fputs(usage, stderr);
		return 2;
	}
	card->config.generation = card->generation;
	card->queue_time = o.fault.mode != FAULT_NO_PREEMPT;
	if (!card->queue_time)
		card->config.flags |= NNFW_CONFIG_NO_PREEMPT;
	err = guest_ram_map(&card->ram, o.ram_fd, o.ram_size, o.low_size);
	if (err) {
		fprintf(stderr, "nnaccel-card: guest RAM: %s\n", strerror(-err));
		return 1;
	}
	card->regs =
		mmap(NULL, NNBOARD_BAR2_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, o.bar2_fd, 0);
	if (card->regs == MAP_FAILED) {
		fprintf(stderr, "nnaccel-card: BAR2: %s\n", strerror(errno));
		return 1;
	}
	mmu_init(&card->mmu, &card->ram, (uint32_t)o.window_pieces, invalidated, card);
	fault_init(&card->fault, &o.fault, o.fired_fd);
	err = boot(card);
	if (err) {
		fprintf(stderr, "nnaccel-card: start: %s\n", strerror(-err));
		return 1;
	}
	identify(card);
	set_state(card, NNACCEL_FW_READY);
	for (;;) {
		host_changed(card);
		admin_serve(card);
		card_wait(card->doorbell[NNACCEL_DOORBELL_ADMIN], -1, -1);
	}
}
