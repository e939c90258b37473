// SPDX-License-Identifier: Apache-2.0
#include "session/nnctl_session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/nnctl_base.h"
#include "nnutil_node.h"
#include "nntrace.h"

#define MAX_SPEC 64

static atomic_flag warned = ATOMIC_FLAG_INIT;

/* Cards come first. */
static int first(void *cookie, const char *spec)
{
	snprintf(cookie, MAX_SPEC, "%s", spec);
	return 1;
}

int device_open(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	char card[MAX_SPEC] = "";
	int ret;

	if (spec)
		return nnhal_open(spec, dev, message, size);
	nnhal_driver.enumerate(first, card);
	if (nnutil_node_kind(card)) {
		ret = nnhal_open(card, dev, message, size);
		if (!ret)
			return 0;
		if (!atomic_flag_test_and_set(&warned))
			complain(
				"warning: %s cannot be used: %s; using the in-process device instead (nnctl "
				"doctor says what to do; --device chooses a device)",
				card, message[0] ? message : strerror(-ret));
	}
	return nnhal_open("cpu", dev, message, size);
}

const char *service_socket(void)
{
	const char *path = secure_getenv("NNACCEL_SERVICE");

	return path && *path ? path : "/run/nnaccel/hald.sock";
}

bool service_listens(void)
{
	struct stat st;

	return !stat(service_socket(), &st) && S_ISSOCK(st.st_mode);
}

/* "worker", "service=SOCKET": all devices behind it; with a colon it is one of them. */
static bool is_process(const char *spec)
{
	return (!strncmp(spec, "worker", 6) || !strncmp(spec, "service", 7)) && !strchr(spec, ':');
}

int device_each(const char *spec, int (*found)(void *cookie, const char *spec), void *cookie,
		char *message, size_t size)
{
	int ret;

	if (spec && !is_process(spec)) {
		if (size)
			message[0] = '\0';
		return found(cookie, spec);
	}
	ret = nnhal_enumerate(spec, found, cookie, message, size);
	/* the service offers its devices to all who may use its socket */
	if (!ret && !spec && service_listens())
		ret = nnhal_enumerate("service", found, cookie, NULL, 0);
	return ret;
}

static int warn_of(void *cookie, const char *spec)
{
	struct nnhal_device *dev;
	char message[256] = "";
	int ret;

	(void)cookie;
	if (!nnutil_node_kind(spec))
		return 0;
	ret = nnhal_open(spec, &dev, message, sizeof(message));
	if (!ret)
		dev->ops->destroy(dev);
	else
		complain(
			"warning: %s: %s; the runtime does not use this card (nnctl doctor says what to do)",
			spec, message[0] ? message : strerror(-ret));
	return 0;
}

void device_warn(void)
{
	if (!atomic_flag_test_and_set(&warned))
		nnhal_driver.enumerate(warn_of, NULL);
}

/* ---- preparing ---- */

/* The state between prepared_callback() and wait_prepared(). */
struct prepared {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool done;
	enum nnhal_status status;
	struct nnhal_prepared_model *model;
	char message[256];
};

static void prepared_callback(void *cookie, enum nnhal_status status,
			      struct nnhal_prepared_model *model, const char *message)
{
	struct prepared *p = cookie;

	pthread_mutex_lock(&p->lock);
	p->done = true;
	p->status = status;
	p->model = model;
	snprintf(p->message, sizeof(p->message), "%s", message ? message : "");
	pthread_cond_signal(&p->cond);
	pthread_mutex_unlock(&p->lock);
}

static void wait_prepared(struct prepared *p, bool show)
{
	struct progress progress;
	struct timespec until;

	progress_start(&progress, "preparing the model");
	pthread_mutex_lock(&p->lock);
	while (!p->done) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&p->cond, &p->lock, &until);
		if (show)
			progress_update(&progress, 0, 1);
	}
	pthread_mutex_unlock(&p->lock);
	progress_end(&progress);
}

enum nnhal_status prepare_and_wait(struct nnhal_device *dev, const struct nnmodel *model, bool show,
				   struct nnhal_prepared_model **prepared, char *message,
				   size_t size)
{
	/*
	 * Without the runtime, nnctl writes the marks of application, runtime and HAL call.
	 */
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "nnctl prepare");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel");
	struct nnhal_prepare_config config = {
		.size = sizeof(config),
		.preference = NNHAL_FAST_SINGLE_ANSWER,
		.priority = NNHAL_PRIORITY_MEDIUM,
		.deadline_ns = NNHAL_NO_TIME,
	};
	struct prepared p = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p.cond, &attr);
	pthread_condattr_destroy(&attr);
	/* The callback is called exactly once, whatever is returned. */
	dev->ops->prepare_model(dev, model, &config, prepared_callback, &p);
	wait_prepared(&p, show);
	pthread_cond_destroy(&p.cond);
	*prepared = p.model;
	snprintf(message, size, "%s", p.message);
	return p.status;
}
