/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of programs. Private to libnnprog. */
#ifndef NNPROG_CRC_H
#define NNPROG_CRC_H

#include <stddef.h>
#include <stdint.h>

/** Checksum of @size bytes more, as zlib's crc32(); @crc: of those before, 0 at first. */
uint32_t nnprog_crc32(uint32_t crc, const void *bytes, size_t size);

#endif
