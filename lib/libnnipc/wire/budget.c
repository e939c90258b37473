// SPDX-License-Identifier: Apache-2.0
#include "wire/nnipc_wire.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct nnipc_budget_user {
	struct nnipc_budget_user *next;
	uid_t user;
	uint64_t has[NNIPC_BUDGET_KINDS];
};

void nnipc_budget_init(struct nnipc_budget *budget, const struct nnipc_budget_limit *limits,
		       unsigned int kinds)
{
	memset(budget, 0, sizeof(*budget));
	memcpy(budget->limits, limits, kinds * sizeof(*limits));
	pthread_mutex_init(&budget->lock, NULL);
}

void nnipc_budget_fini(struct nnipc_budget *budget)
{
	pthread_mutex_destroy(&budget->lock);
}

/* Where the user is, or the end of the list. Under the lock, as all that follow. */
static struct nnipc_budget_user **user_place(struct nnipc_budget *budget, uid_t user)
{
	struct nnipc_budget_user **at = &budget->users;

	while (*at && (*at)->user != user)
		at = &(*at)->next;
	return at;
}

static struct nnipc_budget_user *user_get(struct nnipc_budget *budget, uid_t user)
{
	struct nnipc_budget_user **at = user_place(budget, user);

	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (*at)
			(*at)->user = user;
	}
	return *at;
}

/* A user that has nothing is forgotten. */
static void user_put(struct nnipc_budget *budget, struct nnipc_budget_user *u)
{
	struct nnipc_budget_user **at = user_place(budget, u->user);

	for (unsigned int kind = 0; kind < NNIPC_BUDGET_KINDS; kind++)
		if (u->has[kind])
			return;
	*at = u->next;
	free(u);
}

/* No sum of these overflows: what is taken is at most the limit. */
static int user_may_take(const struct nnipc_budget *budget, const struct nnipc_budget_user *u,
			 unsigned int kind, uint64_t units)
{
	const struct nnipc_budget_limit *limit = &budget->limits[kind];
	const uint64_t left = limit->all - budget->taken[kind], has = u->has[kind];

	if (has > limit->user || units > limit->user - has)
		return -EDQUOT;
	if (units > left)
		return -EUSERS;
	return has + units > left - units + 1 ? -EUSERS : 0;
}

int nnipc_budget_take(struct nnipc_budget *budget, uid_t user, unsigned int kind, uint64_t units)
{
	struct nnipc_budget_user *u;
	int ret = -ENOMEM;

	if (!units)
		return 0;
	pthread_mutex_lock(&budget->lock);
	u = user_get(budget, user);
	if (u) {
		ret = user_may_take(budget, u, kind, units);
		if (!ret) {
			u->has[kind] += units;
			budget->taken[kind] += units;
		}
		user_put(budget, u);
	}
	pthread_mutex_unlock(&budget->lock);
	return ret;
}

void nnipc_budget_give(struct nnipc_budget *budget, uid_t user, unsigned int kind, uint64_t units)
{
	struct nnipc_budget_user *u;

	if (!units)
		return;
	pthread_mutex_lock(&budget->lock);
	u = *user_place(budget, user);
	u->has[kind] -= units;
	budget->taken[kind] -= units;
	user_put(budget, u);
	pthread_mutex_unlock(&budget->lock);
}

uint64_t nnipc_budget_of(struct nnipc_budget *budget, uid_t user, unsigned int kind)
{
	const struct nnipc_budget_user *u;
	uint64_t has;

	pthread_mutex_lock(&budget->lock);
	u = *user_place(budget, user);
	has = u ? u->has[kind] : 0;
	pthread_mutex_unlock(&budget->lock);
	return has;
}
