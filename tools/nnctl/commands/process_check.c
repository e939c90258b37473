// SPDX-License-Identifier: Apache-2.0
#include "commands/nnctl_commands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "session/nnctl_session.h"

/* What a layer needs. Several have the same cause: the advice is given once. */
static const struct {
	const char *layers, *advice;
} needs[] = {
	{ "user mount pid ipc uts net cgroup root",
	  "namespaces: allow users to make them (sysctl kernel.unprivileged_userns_clone=1, "
	  "user.max_user_namespaces above 0, kernel.apparmor_restrict_unprivileged_userns=0); in a "
	  "container use the service of the host instead" },
	{ "landlock",
	  "landlock: boot a kernel with CONFIG_SECURITY_LANDLOCK, and lsm=landlock,... in its "
	  "command line" },
	{ "seccomp", "seccomp: boot a kernel with CONFIG_SECCOMP_FILTER; builds with sanitizers "
		     "leave this layer out" },
	{ "limits no-new-privs no-capabilities",
	  "limits, no-new-privs, no-capabilities: NNACCEL_WORKER_SANDBOX=strict says why the worker "
	  "cannot have them" },
};

static bool has_word(const char *words, const char *word, size_t length)
{
	const char *p = words;

	for (size_t n; (n = strcspn(p, " ")) > 0; p += n + strspn(p + n, " "))
		if (n == length && !memcmp(p, word, n))
			return true;
	return false;
}

/* Whether the lists have a word in common. */
static bool share_word(const char *a, const char *b)
{
	for (size_t n; (n = strcspn(a, " ")) > 0; a += n + strspn(a + n, " "))
		if (has_word(b, a, n))
			return true;
	return false;
}

const char *missing_layers(const struct nnhal_device_info *info)
{
	return strcmp(info->sandbox_missing, "none") ? info->sandbox_missing : "";
}

static void say_sandbox(const struct nnhal_device_info *info)
{
	const char *missing = missing_layers(info);

	if (!*missing) {
		say(GOOD, "its sandbox has every layer: %s", info->sandbox);
		return;
	}
	say(NOTE, "its sandbox has these layers: %s", info->sandbox[0] ? info->sandbox : "none");
	say(NOTE, "its sandbox lacks these layers: %s", missing);
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (share_word(needs[i].layers, missing))
			advise("%s", needs[i].advice);
	advise("NNACCEL_WORKER_SANDBOX=strict refuses to run without them");
}

void check_worker(void)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct nnhal_device *dev;
	char message[512] = "";
	int ret = nnhal_open("worker:cpu", &dev, message, sizeof(message));

	if (ret) {
		say(ret == -ENOENT ? NOTE : BAD, "devices cannot run in a worker process: %s",
		    message[0] ? message : strerror(-ret));
		return;
	}
	nnhal_device_get_info(dev, &info);
	say(GOOD, "worker:cpu: %s, reached in worker process %d", dev->ops->name(dev),
	    info.worker_pid);
	say_sandbox(&info);
	dev->ops->destroy(dev);
}

static int check_behind(void *cookie, const char *spec)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct nnhal_device *dev;
	char message[512] = "";

	if (nnhal_open(spec, &dev, message, sizeof(message))) {
		say(BAD, "%s: %s", spec, message);
		return 0;
	}
	nnhal_device_get_info(dev, &info);
	say(GOOD, "%s: %s, reached through the service%s%s%s", spec, dev->ops->name(dev),
	    info.node[0] ? " (" : "", info.node, info.node[0] ? ")" : "");
	if (!*(bool *)cookie)
		say_sandbox(&info);
	*(bool *)cookie = true;
	dev->ops->destroy(dev);
	return 0;
}

void check_service(void)
{
	char message[512] = "";
	bool any = false;
	int ret;

	if (!service_listens()) {
		say(NOTE, "nnaccel-hald does not listen on %s: no device is reached through it",
		    service_socket());
		advise("to offer devices to containers, run systemctl enable --now nnaccel-hald.socket");
		return;
	}
	ret = nnhal_enumerate("service", check_behind, &any, message, sizeof(message));
	if (ret < 0) {
		say(BAD, "nnaccel-hald on %s: %s", service_socket(),
		    message[0] ? message : strerror(-ret));
		advise(ret == -EACCES
			       ? "the socket's group may use it: add your user to that group, then log in "
				 "again"
			       : "systemctl status nnaccel-hald.socket, and journalctl -u "
				 "nnaccel-hald show the reason");
	} else if (!any) {
		say(NOTE, "nnaccel-hald on %s offers no device", service_socket());
	}
}
