// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sandbox_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What headers of 6.1 do not know. */
struct ruleset {
	uint64_t fs, net, scoped;
};
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)

/* Rights of each version, all those before included. */
static const struct ruleset versions[] = {
	{ .fs = (1ull << 13) - 1 },
	{ .fs = (1ull << 14) - 1 }, /* refer */
	{ .fs = (1ull << 15) - 1 }, /* truncate */
	{ .fs = (1ull << 15) - 1, .net = 3 }, /* bind, connect */
	{ .fs = (1ull << 16) - 1, .net = 3 }, /* ioctl of devices */
	{ .fs = (1ull << 16) - 1, .net = 3, .scoped = 3 }, /* abstract sockets, signals */
};
#define NUM_VERSIONS ((long)(sizeof(versions) / sizeof(versions[0])))

/* No right to make, remove or execute is in any. */
static const uint64_t rights[] = {
	[NNIPC_USE_READ] = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
	[NNIPC_USE_WRITE] = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
			    LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE,
	[NNIPC_USE_DEVICE] = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
			     LANDLOCK_ACCESS_FS_WRITE_FILE | FS_IOCTL_DEV,
};

/* A ruleset that allows nothing; *@handled is what it is about. */
static int landlock_domain_create(struct ruleset *handled)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	size_t size;
	long fd;

	if (version < 1)
		return version < 0 && errno != ENOSYS ? -errno : -EOPNOTSUPP;
	*handled = versions[version < NUM_VERSIONS ? version - 1 : NUM_VERSIONS - 1];
	/* an older kernel refuses a larger struct only if there is something in it */
	size = sizeof(*handled);
	fd = syscall(SYS_landlock_create_ruleset, handled, size, 0);
	return fd < 0 ? -errno : (int)fd;
}

/* A place that does not exist is left out. */
static int ruleset_allow(int ruleset, const struct ruleset *handled,
			 const struct nnipc_place *place)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = handled->fs &
								     rights[place->use] };
	struct stat facts;
	int error = 0;

	rule.parent_fd = open(place->path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return 0;
	if (fstat(rule.parent_fd, &facts))
		error = -errno;
	/* a right to folders is none to a file */
	else if (!S_ISDIR(facts.st_mode))
		rule.allowed_access &= ~(uint64_t)LANDLOCK_ACCESS_FS_READ_DIR;
	if (!error && syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0))
		error = -errno;
	close(rule.parent_fd);
	return error;
}

static int restrict_self(void *cookie)
{
	return syscall(SYS_landlock_restrict_self, *(const int *)cookie, 0) ? -errno : 0;
}

int nnipc_landlock_enter(const struct nnipc_place *places, size_t count)
{
	struct ruleset handled;
	int ruleset = landlock_domain_create(&handled);
	int error = 0;

	if (ruleset < 0)
		return ruleset;
	for (size_t i = 0; i < count && !error; i++)
		error = ruleset_allow(ruleset, &handled, &places[i]);
	if (!error)
		error = restrict_self(&ruleset);
	close(ruleset);
	return error;
}

int nnipc_landlock_close(void)
{
	struct ruleset handled;
	int ruleset = landlock_domain_create(&handled);
	int error;

	if (ruleset < 0)
		return ruleset;
	error = nnipc_on_every_thread(restrict_self, &ruleset);
	close(ruleset);
	return error;
}
