// SPDX-License-Identifier: Apache-2.0
/* nnaccel-emud: the slot of the emulated device of the running kernel (nnaccel_emu.h). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "board.h"
#include "nnaccel/nnaccel_emu.h"
#include "slot/slot.h"

static const char usage[] =
	"usage: nnaccel-emud [options]\n"
	"A process as accelerator of this machine: /dev/accel/accelN appears, and goes with it.\n"
	"Needs CAP_SYS_ADMIN, and the module nnaccel_emu.\n"
	"  --node NODE           node of the device (default /dev/nnaccel_emu0)\n"
	"  --dir DIR             folder for control.sock and slot.pid (default /run/nnaccel-emu)\n"
	"  --card PATH           the nnaccel-card program (default: beside this one)\n"
	"  --threads N           jobs at the same time (default: one for each processor, at most 64)\n"
	"  --fault SPEC          fault mode of the first card (Documentation/card.rst)\n"
	"  --restart-delay MS    time from the death of a card to the next start (default 20)\n"
	"  --foreground          do not fork; otherwise return when the device is there\n"
	"  --die-with-parent     end when the process that started this one ends\n"
	"  --program-quota BYTES, --arena-limit BYTES, --window-pieces N\n"
	"                        passed on to the card\n";

struct emud {
	struct slot slot;
	const char *node;
	char card[PATH_MAX], threads[24];
};

static int parse_options(int argc, char **argv, struct emud *emud)
{
	struct slot_options *o = &emud->slot.opt;
	const struct board_option options[] = {
		{ "node", .text = &emud->node },
		{ "dir", .text = &o->dir },
		{ "card", .text = &o->card },
		{ "fault", .fault = &emud->slot.fault },
		{ "restart-delay", .number = &o->restart_delay_ms, .max = 3600000 },
		{ "foreground", .flag = &o->foreground },
		{ "die-with-parent", .flag = &o->die_with_parent },
		{ "threads", .text = &o->threads },
		{ "program-quota", .text = &o->program_quota },
		{ "arena-limit", .text = &o->arena_limit },
		{ "window-pieces", .text = &o->window_pieces },
	};

	return board_parse_options("nnaccel-emud", argc, argv, options,
				   sizeof(options) / sizeof(options[0]));
}

/* What was not given. 0 or -errno. */
static int fill_defaults(struct emud *emud)
{
	static const char beside[] = "nnaccel-card";
	struct slot_options *o = &emud->slot.opt;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	ssize_t n;
	char *at;

	if (!o->threads) {
		snprintf(emud->threads, sizeof(emud->threads), "%ld",
			 processors < 1	   ? 1
			 : processors > 64 ? 64
					   : processors);
		o->threads = emud->threads;
	}
	if (o->card)
		return 0;
	n = readlink("/proc/self/exe", emud->card, sizeof(emud->card));
	if (n < 0)
		return -errno;
	if ((size_t)n > sizeof(emud->card) - sizeof(beside))
		return -ENAMETOOLONG;
	emud->card[n] = '\0';
	at = strrchr(emud->card, '/');
	if (!at)
		return -ENOENT;
	memcpy(at + 1, beside, sizeof(beside));
	o->card = emud->card;
	return 0;
}

/* Open the node, which is registers, memory of the host and interrupts. 0 or -errno. */
static int attach_node(struct emud *emud)
{
	struct slot *slot = &emud->slot;

	slot->node = open(emud->node, O_RDWR | O_CLOEXEC);
	if (slot->node < 0)
		return -errno;
	slot->bar2_fd = slot->node;
	for (unsigned int i = 0; i < SLOT_VECTORS; i++)
		slot->irq[i] = slot->node;
	slot->regs =
		mmap(NULL, NNACCEL_REGS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, slot->node, 0);
	return slot->regs == MAP_FAILED ? -errno : 0;
}

/* Make the device, with a card that has started, so that it is there when it appears. */
static int plug(struct slot *slot)
{
	struct nnaccel_emu_plug plug = { .version = NNACCEL_EMU_VERSION };

	memcpy(plug.doorbell, slot->doorbell, sizeof(plug.doorbell));
	slot_set_registers(slot);
	card_process_start_if_due(slot);
	return ioctl(slot->node, NNACCEL_EMU_IOC_PLUG, &plug) ? -errno : 0;
}

static int emud_report(const char *name, int err)
{
	const char *hint = "";

	switch (err) {
	case -ENOENT:
		hint = "; load the module nnaccel_emu";
		break;
	case -ENXIO:
		hint = "; see the kernel's log";
		break;
	case -EBUSY:
		hint = "; another process has it";
		break;
	case -EACCES:
	case -EPERM:
		hint = "; it needs root, with CAP_SYS_ADMIN";
		break;
	}
	fprintf(stderr, "nnaccel-emud: %s: %s%s\n", name, strerror(-err), hint);
	return 1;
}

int main(int argc, char **argv)
{
	static struct emud emud = { .node = "/dev/nnaccel_emu0" };
	struct slot *slot = &emud.slot;
	int err;

	slot_init(slot);
	slot->opt.dir = "/run/nnaccel-emu";
	if (parse_options(argc, argv, &emud)) {
		fputs(usage, stderr);
		return 2;
	}
	err = fill_defaults(&emud);
	if (err)
		return emud_report("nnaccel-card", err);
	if (mkdir(slot->opt.dir, 0700) && errno != EEXIST)
		return emud_report(slot->opt.dir, -errno);
	err = slot_begin(slot);
	if (err)
		return emud_report(slot->opt.dir, err);
	err = attach_node(&emud);
	if (!err)
		err = plug(slot);
	if (err) {
		card_process_kill(slot);
		return emud_report(emud.node, err);
	}
	err = slot_ready(slot);
	if (err) {
		slot_end(slot);
		return emud_report(slot->opt.dir, err);
	}
	slot_run(slot);
	slot_end(slot);
	return 0;
}
