/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of a service, shared between its users: lines that one of them causes are limited in
 * number, so that they do not hide what the others do. (The system's log has one limit for the
 * whole service.)
 */
#ifndef NNIPC_USER_LOG_H
#define NNIPC_USER_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nnutil_log_rate.h"

/** Lines of one user that may come at once, and per second later on. */
#define NNIPC_USER_LOG_AT_ONCE 200u
#define NNIPC_USER_LOG_PER_SECOND 40u
/** Users with a budget of their own: of more, the one whose last line is oldest is forgotten. */
#define NNIPC_USER_LOG_USERS 64u

/** struct nnipc_user_log - NNIPC_USER_LOG_INIT, and nothing to free */
struct nnipc_user_log {
	void (*write)(const char *line); /* of any thread */
	/* private */
	pthread_mutex_t lock;
	struct {
		uid_t user;
		int64_t last_ns; /* 0: a free place */
		struct nnutil_log_rate rate;
	} users[NNIPC_USER_LOG_USERS];
};
#define NNIPC_USER_LOG_INIT(writer)                                   \
	{                                                             \
		.write = (writer), .lock = PTHREAD_MUTEX_INITIALIZER, \
	}

/**
 * nnipc_user_log() - a line that a user has caused
 * @log: of the service. Any thread
 * @user: who pays (struct nnipc_peer)
 * @format: as printf(); a line is cut at 1 KiB
 *
 * Writes it, and before it how many lines of the user are left out; or leaves it out.
 */
void nnipc_user_log(struct nnipc_user_log *log, uid_t user, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** The same with a clock of the caller's (not 0): whether, and after how many that are left out. */
bool nnipc_user_log_take(struct nnipc_user_log *log, uid_t user, int64_t now_ns,
			 unsigned int *dropped);

#endif
