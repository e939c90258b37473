/* SPDX-License-Identifier: Apache-2.0 */
/* The card's expansion ROM, by which a driver knows the card (uapi/nnaccel/nnaccel_rom.h). */
#ifndef NNBOARD_OPTION_ROM_H
#define NNBOARD_OPTION_ROM_H

#define OPTION_ROM_FILE "card.rom"

/** Write DIR/card.rom for QEMU's romfile=. 0 or -errno. */
int option_rom_write(const char *dir);

#endif
