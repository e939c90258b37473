// SPDX-License-Identifier: Apache-2.0
/*
 * Learning: a thread of the worker gets each call that the filter does not allow, logs it once as a
 * line of a profile, and lets the kernel run it.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sandbox/sandbox_private.h"

#define MOST_IOCTLS 256

/* Calls that were logged. Only the thread's. */
static bool reported[NNIPC_MOST_CALLS];
static unsigned int reported_ioctls[MOST_IOCTLS];
static size_t num_reported_ioctls;

static bool is_news(const struct seccomp_data *data)
{
	if (data->nr == SCMP_SYS(ioctl)) {
		for (size_t i = 0; i < num_reported_ioctls; i++)
			if (reported_ioctls[i] == (unsigned int)data->args[1])
				return false;
		if (num_reported_ioctls < MOST_IOCTLS)
			reported_ioctls[num_reported_ioctls++] = (unsigned int)data->args[1];
		return true;
	}
	if (data->nr < 0 || data->nr >= NNIPC_MOST_CALLS || reported[data->nr])
		return false;
	reported[data->nr] = true;
	return true;
}

static void report_call(const struct seccomp_data *data)
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, data->nr);

	if (data->nr == SCMP_SYS(ioctl))
		dprintf(STDERR_FILENO, "nnaccel-worker: sandbox: not allowed: ioctl 0x%x\n",
			(unsigned int)data->args[1]);
	else
		dprintf(STDERR_FILENO,
			"nnaccel-worker: sandbox: not allowed: syscall %s (0x%llx, 0x%llx, 0x%llx)\n",
			name ? name : "?", (unsigned long long)data->args[0],
			(unsigned long long)data->args[1], (unsigned long long)data->args[2]);
	free(name);
}

static void *learn(void *cookie)
{
	const int listener = (int)(intptr_t)cookie;

	for (;;) {
		struct seccomp_notif call = { 0 };
		struct seccomp_notif_resp answer = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call)) {
			if (errno == EINTR || errno == ENOENT)
				continue;
			return NULL;
		}
		if (is_news(&call.data))
			report_call(&call.data);
		answer.id = call.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

int nnipc_allow_learning(struct nnipc_seccomp_rules *rules)
{
	int error = nnipc_allow_ioctl(rules, (unsigned int)SECCOMP_IOCTL_NOTIF_RECV);

	return error ? error : nnipc_allow_ioctl(rules, (unsigned int)SECCOMP_IOCTL_NOTIF_SEND);
}

int nnipc_learn_calls(int listener)
{
	pthread_t thread;
	int error;

	if (listener < 0)
		return listener;
	error = pthread_create(&thread, NULL, learn, (void *)(intptr_t)listener);
	if (!error)
		pthread_detach(thread);
	return -error;
}
