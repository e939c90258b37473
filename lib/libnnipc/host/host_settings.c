// SPDX-License-Identifier: Apache-2.0
/* Settings of the host's side. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/nnipc_host.h"
#include "nnutil_clock.h"
#include "nnutil_text.h"
#include "nnutil_log.h"
#include "nnutil_process.h"

#define CALL_MS 30000u
#define CRASHES 3u
/* a day: more is no limit that anybody waits for */
#define MAX_MS 86400000u

/* Of settings until known is set; after that they are constant. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool known;
static struct nnipc_settings settings;

/* The environment may change later. NULL without memory: as if it were not set. */
static const char *copy_of(const char *name)
{
	const char *text = nnutil_env_text(name);

	return text ? strdup(text) : NULL;
}

static enum nnipc_sandbox_mode mode_of(const char *name)
{
	enum nnipc_sandbox_mode mode = NNIPC_SANDBOX_DEFAULT;
	const char *text = nnutil_env_text(name);

	if (text && nnipc_sandbox_mode_parse(text, &mode)) {
		/* a mistyped mode must not weaken the sandbox */
		nnutil_log(NNUTIL_LOG_ERROR,
			   "%s=\"%.32s\" is none of off, learn, default, strict: strict is used",
			   name, text);
		mode = NNIPC_SANDBOX_STRICT;
	}
	return mode;
}

static void host_settings_load(void)
{
	char profiles[PATH_MAX];
	uint64_t work_ms;

	settings.worker = copy_of("NNACCEL_WORKER");
	settings.profiles = copy_of("NNACCEL_WORKER_PROFILES");
	if (!settings.profiles && nnipc_place_of_profiles(profiles, sizeof(profiles)))
		settings.profiles = strdup(profiles);
	settings.sandbox = mode_of("NNACCEL_WORKER_SANDBOX");
	settings.call_ns = (int64_t)nnutil_env_number("NNACCEL_WORKER_CALL_MS", MAX_MS, CALL_MS) *
			   NNUTIL_NS_PER_MS;
	work_ms = nnutil_env_number("NNACCEL_WORKER_WORK_MS", MAX_MS, 0);
	settings.work_ns = work_ms ? (int64_t)work_ms * NNUTIL_NS_PER_MS : -1;
	settings.max_crashes = (unsigned int)nnutil_env_number("NNACCEL_WORKER_CRASHES",
							       NNIPC_MAX_CRASHES, CRASHES);
}

static void host_settings_hold(void)
{
	pthread_mutex_lock(&lock);
}

static void host_settings_release(bool child)
{
	(void)child;
	pthread_mutex_unlock(&lock);
}

const struct nnipc_settings *nnipc_settings(void)
{
	static struct nnutil_fork_handler handler = { .before = host_settings_hold,
						      .after = host_settings_release };

	nnutil_process_watch(&handler);
	pthread_mutex_lock(&lock);
	if (!known) {
		host_settings_load();
		known = true;
	}
	pthread_mutex_unlock(&lock);
	return &settings;
}
