/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slot outlives the card. One thread with a poll loop; it owns BAR2, the eventfds, the reset
 * line and the card's process.
 */
#ifndef NNBOARD_SLOT_H
#define NNBOARD_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault_spec.h"
#include "nnaccel/nnaccel_regs.h"

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
	uint64_t ram_size, low_size;
	uint64_t restart_delay_ms;
	/* passed on, or NULL */
	const char *threads, *program_quota, *arena_limit, *window_pieces;
	bool foreground, die_with_parent;
};

struct slot {
	struct slot_options opt;
	struct nnaccel_regs *regs;
	int bar2_fd;
	int doorbell[SLOT_VECTORS], irq[SLOT_VECTORS];
	int fired_fd; /* eventfd: the card's fault fired */
	int signal_fd;
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
	bool immediate; /* start without delay */
	uint64_t start_at_ms; /* when the next start is due */
	uint64_t started_ms;
	unsigned int early_deaths; /* in a row; each doubles the delay */
	uint32_t generation; /* of the last start; 0: none yet */
	uint32_t starts, resets;
	struct fault_spec fault; /* for the next start */
};

void slot_raise_event(struct slot *slot);
/** Create and bind a listening socket DIR/@name. fd or -errno. */
int slot_listen(const char *dir, const char *name);

#endif
