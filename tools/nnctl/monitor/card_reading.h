/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sysfs says of the cards of the nnaccel driver:
 * Documentation/ABI/testing/sysfs-driver-nnaccel. Reading it needs no rights and wakes no card.
 */
#ifndef NNCTL_CARD_READING_H
#define NNCTL_CARD_READING_H

#include <stddef.h>
#include <stdint.h>

/** A value that cannot be read. */
#define READING_UNKNOWN UINT64_MAX

struct card_reading {
	char name[32]; /* "accel0" */
	char bus[64]; /* "0000:00:05.0"; "": not known */
	char state[16]; /* "online"; "": not known */
	/* of all clients since the driver was bound; jobs at a time; charged now */
	uint64_t busy_us, engines, memory_bytes;
	/* now: MHz, mdegC above 0, uW; of a card that reports them and is awake */
	uint64_t clock_mhz, temperature_mc, power_uw;
};

/**
 * card_readings() - read all cards
 * @root: "" for this machine, or a folder that has its sys
 * @cards: set to a list for free(), by number; NULL if there are none
 * @count: set to its length
 *
 * Return: 0 or -ENOMEM.
 */
int card_readings(const char *root, struct card_reading **cards, size_t *count);

#endif
