/* SPDX-License-Identifier: Apache-2.0 */
/* Where sensors come from. */
#ifndef SENSORD_BACKENDS_H
#define SENSORD_BACKENDS_H

#include "serve/sensord_config.h"

/**
 * Start what the configuration asks for. A file of virtual sensors that is wrong is an error; the
 * kernel's or fused sensors that cannot be served are a line in the log. 0 or -errno.
 */
int backends_start(const struct sensord_config *config);
/** Stop them; all sensors are gone. */
void backends_stop(void);

#endif
