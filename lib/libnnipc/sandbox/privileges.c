// SPDX-License-Identifier: Apache-2.0
/* Capabilities and limits of resources. */
#include "sandbox/sandbox_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_text.h"

/* Those of @mask, of which the thread has all or gets none. */
static int set_capabilities(uint64_t mask)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	/* no_new_privs makes the bounding set meaningless; it is emptied where that is allowed */
	for (int cap = 0; cap <= CAP_LAST_CAP; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (int i = 0; i < 2; i++)
		caps[i].permitted = caps[i].effective = (uint32_t)(mask >> (32 * i));
	return syscall(SYS_capset, &header, caps) ? -errno : 0;
}

int nnipc_drop_capabilities(void)
{
	return set_capabilities(0);
}

int nnipc_keep_capability(unsigned int capability)
{
	int error = set_capabilities(1ull << capability);

	return error == -EPERM ? nnipc_drop_capabilities() : error;
}

static const struct {
	__rlimit_resource_t resource;
	rlim_t value;
} limits[] = {
	{ RLIMIT_CORE, 0 }, /* the memory of a client's models and data is in it */
	{ RLIMIT_NOFILE, 4096 }, /* pools and cache files come as descriptors */
	{ RLIMIT_FSIZE, (rlim_t)16 << 30 }, /* cache files and memory files */
	{ RLIMIT_MSGQUEUE, 0 },
	{ RLIMIT_SIGPENDING, 1024 },
};

/* Lower both limits; what is lower already stays. */
static int privileges_limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		return -errno;
	if (now.rlim_max > value)
		now.rlim_max = value;
	if (now.rlim_cur > now.rlim_max || resource == RLIMIT_NOFILE)
		now.rlim_cur = now.rlim_max;
	return setrlimit(resource, &now) ? -errno : 0;
}

/* Since 5.14 the processes of a user are counted for each user namespace. */
static bool counted_by_namespace(void)
{
	struct utsname uts;
	uint64_t major, minor;
	const char *at = uts.release;

	if (uname(&uts) || nnutil_scan_u64(&at, 10, 0, UINT32_MAX, &major) || *at++ != '.' ||
	    nnutil_scan_u64(&at, 10, 0, UINT32_MAX, &minor))
		return false;
	return major > 5 || (major == 5 && minor >= 14);
}

/* Where it fails the setting is the host's. */
static void set_own(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	nnutil_write_all(fd, text, strlen(text));
	close(fd);
}

int nnipc_set_limits(bool own_user)
{
	int error = 0;

	/* a write beyond RLIMIT_FSIZE fails instead of killing */
	signal(SIGXFSZ, SIG_IGN);
	/*
	 * Where memory is short this process goes first, not the application that has started it.
	 * To raise the score takes no right.
	 */
	set_own("/proc/self/oom_score_adj", "800");
	/*
	 * RLIMIT_CORE is about files: the kernel starts a program that takes dumps all the same. No
	 * memory is in them.
	 */
	set_own("/proc/self/coredump_filter", "0");
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]) && !error; i++)
		error = privileges_limit(limits[i].resource, limits[i].value);
	/* a thread of each lane (256) and burst; also the monitor */
	if (!error && own_user && counted_by_namespace())
		error = privileges_limit(RLIMIT_NPROC, 2048);
	return error;
}

bool nnipc_limits_hold(pid_t process)
{
	struct rlimit now;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (prlimit(process, limits[i].resource, NULL, &now) ||
		    now.rlim_max > limits[i].value)
			return false;
	return true;
}
