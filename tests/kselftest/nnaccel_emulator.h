/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device of /dev/nnaccel_emuN whose slot and card are threads of the test: it serves the admin ring, ends each job at
 * once, and does what tests ask it to do wrong. Functions return 0 or a negative errno.
 */
#ifndef NNACCEL_EMULATOR_H
#define NNACCEL_EMULATOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <nnaccel/nnaccel_emu.h>
#include <nnaccel/nnaccel_ring.h>

/** The second device: the first one is nnaccel-emud's. */
#define NN_EMULATOR_NODE	"/dev/nnaccel_emu1"

/** A part of the node that is mapped. */
struct nn_window {
	void *at;
	size_t size;
};

struct nn_emulator {
	int node;
	struct nnaccel_regs *regs;
	int doorbell[NNACCEL_NUM_DOORBELLS];
	int quit;		/* eventfd: the thread ends */
	pthread_t thread;
	bool runs;
	struct nn_window admin, cq;
	struct nn_window queues[NNACCEL_MAX_QUEUES];

	/* What it does wrong. */
	atomic_bool silent;	/* the slot ignores the reset line */
	atomic_bool deaf;	/* the card takes no jobs */
	atomic_uint garbage;	/* completions to invent, as long as it is not 0 */
};

/** Open the node, with registers that announce no card. */
int nn_emulator_open(struct nn_emulator *e);
/** Make the device, with a card that runs. */
int nn_emulator_plug(struct nn_emulator *e);
/** Only the ioctl, with these doorbells. */
int nn_emulator_plug_as(struct nn_emulator *e, uint32_t version, uint32_t flags, int doorbell);
/** Stop everything and close the node. */
void nn_emulator_close(struct nn_emulator *e);
/** Open the device that it is. fd or -errno. */
int nn_emulator_client(void);
/** Map a bus address as the card. */
int nn_emulator_map(struct nn_emulator *e, uint64_t bus, size_t size, int prot, struct nn_window *window);
void nn_emulator_unmap(struct nn_window *window);
/** NNACCEL_EMU_IOC_CHECK; *@fault receives the address. */
int nn_emulator_check(struct nn_emulator *e, uint64_t bus, uint64_t size, bool write, uint64_t *fault);
/** Bus address of device address @va in the context that was opened last. */
uint64_t nn_emulator_bus(const struct nn_emulator *e, uint64_t va);

#endif
