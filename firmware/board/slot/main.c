// SPDX-License-Identifier: Apache-2.0
/* nnaccel-slot: the slot of a card in a virtual machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "board.h"
#include "slot/slot.h"

static const char usage[] =
	"usage: nnaccel-slot --dir DIR --ram FILE --ram-size BYTES --card PATH [options]\n"
	"The slot of the emulated card: ivshmem server, reset line, supervisor of the card.\n"
	"  --dir DIR             folder for ivshmem.sock, control.sock, card.rom and slot.pid\n"
	"  --ram FILE            guest RAM, a file that QEMU shares; waited for\n"
	"  --ram-size BYTES      its size\n"
	"  --ram-base ADDRESS    of its first byte, where it is contiguous (0: as q35 has it)\n"
	"  --low-size BYTES      of which below 4 GiB (default: as q35)\n"
	"  --card PATH           the nnaccel-card program\n"
	"  --soc                 an accelerator of a board, not a PCI card: power, clocks, reset and\n"
	"                        firmware are the host's; DIR/firmware.bin is one\n"
	"  --fault SPEC          fault mode of the first card (Documentation/card.rst)\n"
	"  --restart-delay MS    time from the death of a card to the next start (default 20)\n"
	"  --foreground          do not fork; otherwise return when the sockets exist\n"
	"  --die-with-parent     end when the process that started this one ends\n"
	"  --threads N, --program-quota BYTES, --arena-limit BYTES, --window-pieces N\n"
	"                        passed on to the card\n";

static int parse_options(int argc, char **argv, struct slot *slot)
{
	struct slot_options *o = &slot->opt;
	const struct board_option options[] = {
		{ "dir", .text = &o->dir },
		{ "ram", .text = &o->ram },
		{ "ram-size", .number = &o->ram_size, .max = UINT64_MAX },
		{ "ram-base", .number = &o->ram_base, .max = UINT64_MAX },
		{ "low-size", .number = &o->low_size, .max = UINT64_MAX },
		{ "card", .text = &o->card },
		{ "soc", .flag = &o->soc },
		{ "fault", .fault = &slot->fault },
		{ "restart-delay", .number = &o->restart_delay_ms, .max = 3600000 },
		{ "foreground", .flag = &o->foreground },
		{ "die-with-parent", .flag = &o->die_with_parent },
		{ "threads", .text = &o->threads },
		{ "program-quota", .text = &o->program_quota },
		{ "arena-limit", .text = &o->arena_limit },
		{ "window-pieces", .text = &o->window_pieces },
	};
	int err = board_parse_options("nnaccel-slot", argc, argv, options,
				      sizeof(options) / sizeof(options[0]));

	return err || !o->dir || !o->ram || !o->card || !o->ram_size ? -EINVAL : 0;
}

static int make_bar2(struct slot *slot)
{
	slot->bar2_fd = memfd_create("nnaccel-bar2", MFD_CLOEXEC);
	if (slot->bar2_fd < 0 || ftruncate(slot->bar2_fd, NNBOARD_BAR2_SIZE))
		return -errno;
	slot->regs =
		mmap(NULL, NNBOARD_BAR2_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, slot->bar2_fd, 0);
	if (slot->regs == MAP_FAILED)
		return -errno;
	if (slot->opt.soc)
		soc_begin(slot);
	else
		slot_set_registers(slot);
	return 0;
}

static int setup(struct slot *slot)
{
	int err = slot_begin(slot);

	if (!err)
		err = make_bar2(slot);
	if (!err)
		err = slot_make_eventfds(slot->irq, SLOT_VECTORS);
	/* Before the sockets: a program that sees them may start QEMU. */
	if (!err)
		err = slot->opt.soc ? soc_firmware_write(slot->opt.dir)
				    : option_rom_write(slot->opt.dir);
	if (err)
		return err;
	slot->ivshmem_listen = slot_listen(slot->opt.dir, "ivshmem.sock");
	return slot->ivshmem_listen < 0 ? slot->ivshmem_listen : slot_ready(slot);
}

int main(int argc, char **argv)
{
	static struct slot slot;
	int err;

	slot_init(&slot);
	if (parse_options(argc, argv, &slot)) {
		fputs(usage, stderr);
		return 2;
	}
	err = setup(&slot);
	if (err) {
		fprintf(stderr, "nnaccel-slot: %s: %s\n", slot.opt.dir, strerror(-err));
		return 1;
	}
	slot_run(&slot);
	slot_end(&slot);
	slot_remove_file(&slot, "ivshmem.sock");
	slot_remove_file(&slot, slot.opt.soc ? SOC_FIRMWARE_FILE : OPTION_ROM_FILE);
	return 0;
}
