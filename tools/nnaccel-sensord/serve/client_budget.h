/* SPDX-License-Identifier: Apache-2.0 */
/* What the users of the service have of it, in all their connections: Documentation/sensors.rst. */
#ifndef SENSORD_CLIENT_BUDGET_H
#define SENSORD_CLIENT_BUDGET_H

#include "serve/sensord_config.h"
#include "wire/nnipc_wire.h"

enum client_budget_kind {
	BUDGET_OBJECTS, /* queues and channels */
	BUDGET_BYTES, /* of both, the client's memory of a channel included */
	BUDGET_EVENTS, /* of enabled sensors, per second */
	BUDGET_KINDS,
};

/** nnipc_budget_init() with these limits. */
void client_budget_init(struct nnipc_budget *budget, const struct sensord_limits *limits);

#endif
