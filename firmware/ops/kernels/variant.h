/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNFW_VARIANT_H
#define NNFW_VARIANT_H

#include "isa/isa.h"

/**
 * Variants of an inner loop that are not in the table of instruction sets yet (isa/isa.h), by the
 * row of this process.
 */
#if defined(__x86_64__)
#define NNFW_X86 1
#define NNFW_TARGET(t) __attribute__((target(t)))
#define NNFW_HAVE(t) (nnfw_isa() != nnfw_isa_row(0))
#endif

#endif
