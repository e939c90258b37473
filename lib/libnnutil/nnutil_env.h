/* SPDX-License-Identifier: Apache-2.0 */
/* Settings in the environment. */
#ifndef NNUTIL_ENV_H
#define NNUTIL_ENV_H

#include <stdint.h>

/** Of a variable; NULL: it is not set, empty, or this program has more rights than its user. */
const char *nnutil_env_text(const char *name);
/** A number from 1 to @max; @otherwise if it is not set, or is none, which gets a line in the log.
 */
uint64_t nnutil_env_number(const char *name, uint64_t max, uint64_t otherwise);

#endif
