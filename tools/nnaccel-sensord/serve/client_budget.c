// SPDX-License-Identifier: Apache-2.0
#include "serve/sensord_serve.h"

/* Objects in all, for each of a user: bytes and descriptors bound them. */
#define USERS 8u
#define MIB (1ull << 20)

void client_budget_init(struct nnipc_budget *budget, const struct sensord_limits *limits)
{
	const struct nnipc_budget_limit kinds[BUDGET_KINDS] = {
		[BUDGET_OBJECTS] = { (uint64_t)USERS * limits->objects_per_user,
				     limits->objects_per_user },
		[BUDGET_BYTES] = { limits->memory * MIB, limits->memory_per_user * MIB },
		[BUDGET_EVENTS] = { limits->events, limits->events_per_user },
	};

	nnipc_budget_init(budget, kinds, BUDGET_KINDS);
}
