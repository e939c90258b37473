/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that do a thing many times: "program short" does it a tenth as often, for the gate and
 * for TSan (tests/meson.build).
 */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool short_form;

static inline void rounds_init(int argc, char **argv)
{
	short_form = argc == 2 && !strcmp(argv[1], "short");
}

/** How often, where the long form does it @all times. */
static inline uint32_t rounds(uint32_t all)
{
	return short_form ? all / 10 : all;
}

#endif
