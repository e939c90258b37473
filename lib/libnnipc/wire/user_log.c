// SPDX-License-Identifier: Apache-2.0
#include "wire/nnipc_wire.h"

#include <stdarg.h>
#include <stdio.h>

#include "nnutil_clock.h"

/* Under the lock. The user's place, or the one that was not used for longest. */
static uint32_t place_of(const struct nnipc_user_log *log, uid_t user)
{
	uint32_t oldest = 0;

	for (uint32_t i = 0; i < NNIPC_USER_LOG_USERS; i++) {
		if (log->users[i].last_ns && log->users[i].user == user)
			return i;
		if (log->users[i].last_ns < log->users[oldest].last_ns)
			oldest = i;
	}
	return oldest;
}

bool nnipc_user_log_take(struct nnipc_user_log *log, uid_t user, int64_t now_ns,
			 unsigned int *dropped)
{
	uint32_t i;
	bool written;

	pthread_mutex_lock(&log->lock);
	i = place_of(log, user);
	if (!log->users[i].last_ns || log->users[i].user != user) {
		log->users[i].user = user;
		nnutil_log_rate_init(&log->users[i].rate, NNIPC_USER_LOG_AT_ONCE,
				     NNIPC_USER_LOG_PER_SECOND, now_ns);
	}
	log->users[i].last_ns = now_ns;
	written = nnutil_log_rate_take(&log->users[i].rate, now_ns, dropped);
	pthread_mutex_unlock(&log->lock);
	return written;
}

void nnipc_user_log(struct nnipc_user_log *log, uid_t user, const char *format, ...)
{
	char line[1024];
	unsigned int dropped;
	va_list args;

	if (!nnipc_user_log_take(log, user, nnutil_monotonic_ns(), &dropped))
		return;
	if (dropped) {
		snprintf(line, sizeof(line), "%u lines about user %u left out: they came too fast",
			 dropped, user);
		log->write(line);
	}
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	log->write(line);
}
