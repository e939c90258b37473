/* SPDX-License-Identifier: Apache-2.0 */
/* The service: its sensors, its socket, its end. */
#ifndef SENSORD_SERVICE_H
#define SENSORD_SERVICE_H

#include "serve/sensord_options.h"

/** Until SIGTERM or SIGINT. The exit status. */
int sensord_service(const struct sensord_options *options);

#endif
