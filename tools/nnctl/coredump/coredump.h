/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Core dumps of the driver (uapi/nnaccel/nnaccel_coredump.h). A dump may come from a stranger's
 * machine: everything is checked once, here, and printing cannot fail.
 */
#ifndef NNCTL_COREDUMP_H
#define NNCTL_COREDUMP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <nnaccel/nnaccel_coredump.h>

/** Bytes of the largest file that is read: later versions may write larger dumps. */
#define COREDUMP_MAX_SIZE (1u << 20)

/** A dump that was checked. It points into the bytes of the file. */
struct coredump {
	const uint8_t *data;
	struct nnaccel_dump_header header;
	/** By enum nnaccel_dump_type; count 0: there is no such section. */
	struct nnaccel_dump_section sections[NNACCEL_DUMP_COMMANDS + 1];
	/** Sections of types that this version does not know. */
	uint32_t unknown;
};

/**
 * coredump_check() - check the bytes of a file
 * @dump: filled in; refers to @data
 * @message: receives what is wrong, in English
 *
 * Return: 0 or -EINVAL.
 */
int coredump_check(const void *data, size_t size, struct coredump *dump, char *message,
		   size_t message_size);
/** Print it for people. */
void coredump_print(FILE *out, const struct coredump *dump);

#endif
