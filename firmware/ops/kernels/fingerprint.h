/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNFW_FINGERPRINT_H
#define NNFW_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

/** FarmHash's Fingerprint64 of @len bytes: the same on every machine. */
uint64_t nnfw_fingerprint64(const uint8_t *s, size_t len);

#endif
