/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the card sits in: the ivshmem server, the reset line, the card's process, the control
 * socket.
 */
#ifndef NNACCEL_SLOT_H
#define NNACCEL_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "board.h"
#include "nnaccel/nnaccel_regs.h"
#include "nnaccel/nnaccel_soc.h"

/*
 * slot.c: the slot outlives the card. One thread with a poll loop; it owns the registers, the
 * eventfds, the reset line and the card's process. nnaccel-slot is that of a card in a virtual
 * machine (ivshmem), nnaccel-emud that of the emulated device of the running kernel (its node).
 */

#define SLOT_VECTORS 4u
#define SLOT_CONTROLS 8u
#define SLOT_LINE_MAX 256u
#define SLOT_ANSWER_MAX 320u

struct slot;

/** One connection of DIR/control.sock. */
struct control_connection {
	int fd; /* -1: free */
	char in[SLOT_LINE_MAX];
	size_t in_len;
	bool skip; /* the line was too long: answer with an error at its end */
	/* The answer that is not sent yet; no command is read meanwhile. */
	char out[SLOT_ANSWER_MAX];
	size_t out_len, out_sent;
};

struct slot_options {
	const char *dir, *ram, *card;
	uint64_t ram_size, ram_base, low_size;
	uint64_t restart_delay_ms;
	/* passed on, or NULL */
	const char *threads, *program_quota, *arena_limit, *window_pieces;
	bool foreground, die_with_parent;
	bool soc; /* an accelerator of a board, with power, clocks and reset around it: soc.c */
};

struct slot {
	struct slot_options opt;
	struct nnaccel_regs *regs;
	int node; /* of the running kernel; -1: a virtual machine */
	int bar2_fd; /* of the registers: a file, or the node */
	int doorbell[SLOT_VECTORS], irq[SLOT_VECTORS]; /* irq: eventfds, or the node */
	int fired_fd; /* eventfd: the card's fault fired */
	int signal_fd;
	int ready_fd; /* the process that waits for slot_ready(); -1: none */
	bool quit;

	/* The machine on the other side of ivshmem.sock. */
	int ivshmem_listen;
	int peer; /* -1: none */
	bool peer_left; /* its memory is gone too: no card is started until the next peer connects
			 */

	int control_listen;
	struct control_connection controls[SLOT_CONTROLS];

	/* The card. pid > 0 while there is a process that was not reaped. */
	pid_t pid;
	int pidfd;
	bool held, stopped;
	bool hold_next; /* held from the end of this process on */
	bool reset_off; /* the reset line is cut */
	bool soc_off; /* it has no power or clocks, or is in reset */
	bool soc_powered, soc_deasserted;
	bool immediate; /* start without delay */
	uint64_t start_at_ms; /* when the next start is due */
	uint64_t started_ms;
	unsigned int early_deaths; /* in a row; each doubles the delay */
	uint32_t generation; /* of the last start; 0: none yet */
	uint32_t starts, resets;
	struct fault_spec fault; /* for the next start */
};

/** Nothing is open, no card is there. */
void slot_init(struct slot *slot);
/**
 * Go into the background, unless opt.foreground; doorbells and signals. 0 or -errno. Only the
 * process that goes on returns.
 */
int slot_begin(struct slot *slot);
/** The registers have magic and layout, and no card is there. */
void slot_set_registers(struct slot *slot);
/** Everything is set up: open the control socket, and let the caller of a background go on. */
int slot_ready(struct slot *slot);
/** Serve until a signal or the control socket ends it. */
void slot_run(struct slot *slot);
/** Kill the card; remove control socket and slot.pid. */
void slot_end(struct slot *slot);
int slot_make_eventfds(int *fds, unsigned int count);
/** Create and bind a listening socket DIR/@name. fd or -errno. */
int slot_listen(const char *dir, const char *name);
/** Remove DIR/@name. */
void slot_remove_file(const struct slot *slot, const char *name);

/* card_process.c: the process of the card. */

/** Start the card when it may run and is due. Milliseconds until the next try, or -1. */
int card_process_start_if_due(struct slot *slot);
/** Kill the card, if any, and wait for its end; link is ABSENT on return. */
void card_process_kill(struct slot *slot);
/** The card died: reap it, plan the next start. */
void card_process_died(struct slot *slot);
/** The reset line was pulled (or doorbell 3 was rung without a new reset_req). */
void card_process_reset_line(struct slot *slot);

/* soc.c: what is around an accelerator that is no PCI card. */

#define SOC_FIRMWARE_FILE "firmware.bin"

/** There is no power. */
void soc_begin(struct slot *slot);
/** Carry out what the host has requested, if anything. */
void soc_update(struct slot *slot);
/** Write DIR/firmware.bin, a valid firmware, for the guest. 0 or -errno. */
int soc_firmware_write(const char *dir);

/* control_socket.c: the control socket, DIR/control.sock. */

void control_socket_accept(struct slot *slot);
/** Events the connection waits for, for poll(). */
short control_socket_events(const struct control_connection *control);
void control_socket_event(struct slot *slot, struct control_connection *control, short revents);
void control_socket_close(struct control_connection *control);

/* ivshmem.c: the ivshmem server. */

/** Accept QEMU and send it everything. A second one is refused. */
void ivshmem_accept(struct slot *slot);
/** The peer's socket is readable: it was closed, or unexpected data, which is ignored. */
void ivshmem_peer_event(struct slot *slot);

/*
 * option_rom.c: the card's expansion ROM, by which a driver knows the card
 * (uapi/nnaccel/nnaccel_rom.h).
 */

#define OPTION_ROM_FILE "card.rom"

/** Write DIR/card.rom for QEMU's romfile=. 0 or -errno. */
int option_rom_write(const char *dir);

#endif
