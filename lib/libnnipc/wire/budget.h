/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the users of a service have of it: places, bytes, events per second. Each kind is counted in
 * units of its own, and is charged before the service gives it, so that what is refused has cost
 * nothing.
 *
 * Two limits hold for each kind. A user has at most @user units. And a user takes a unit only if as
 * many as it has then are left for others, one less for its first: with @user an eighth of @all,
 * seven users have all of theirs, and each user after them has half of what is left. No user, and
 * no small number of users, takes what the next one needs.
 *
 * Users are those that pay (struct nnipc_peer's payer). Any thread. Knows no device.
 */
#ifndef NNIPC_BUDGET_H
#define NNIPC_BUDGET_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#define NNIPC_BUDGET_KINDS 4

/** struct nnipc_budget_limit - of a kind: units in all, and of a user */
struct nnipc_budget_limit {
	uint64_t all, user;
};

struct nnipc_budget_user;

/** A budget. nnipc_budget_init(). */
struct nnipc_budget {
	struct nnipc_budget_limit limits[NNIPC_BUDGET_KINDS];
	pthread_mutex_t lock; /* protects what follows */
	struct nnipc_budget_user *users; /* those that have something */
	uint64_t taken[NNIPC_BUDGET_KINDS];
};

/** @limits: of kinds 0 to @kinds - 1; there is nothing of others. */
void nnipc_budget_init(struct nnipc_budget *budget, const struct nnipc_budget_limit *limits,
		       unsigned int kinds);
/** All has been given back. */
void nnipc_budget_fini(struct nnipc_budget *budget);

/**
 * nnipc_budget_take() - charge a user; nothing is always there
 *
 * Return: 0; -EDQUOT: the user would have more than its limit; -EUSERS: so little is left that it
 * is for others; -ENOMEM. Nothing has changed on errors.
 */
int nnipc_budget_take(struct nnipc_budget *budget, uid_t user, unsigned int kind, uint64_t units);
/** Give back what was taken. */
void nnipc_budget_give(struct nnipc_budget *budget, uid_t user, unsigned int kind, uint64_t units);
/** What the user has. */
uint64_t nnipc_budget_of(struct nnipc_budget *budget, uid_t user, unsigned int kind);

#endif
