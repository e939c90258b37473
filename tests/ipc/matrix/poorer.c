// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a program as an ordinary user, on a machine without some layers of the sandbox:
 *
 *   poorer USER WITHOUT PROGRAM [ARGUMENT...]
 *
 * USER: "user" (65534, for a caller that is root), or "root" (as the caller). WITHOUT: "nothing",
 * or names with commas: "namespaces", no user namespaces without privilege; "landlock", a
 * kernel without it. Exit status 77: that user cannot start the program.
 */
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define USER 65534
#define SKIPPED 77

static void fail(const char *what)
{
	fprintf(stderr, "poorer: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void become_user(const char *program)
{
	if (!geteuid() && (setgroups(0, NULL) || setgid(USER) || setuid(USER)))
		fail("setuid");
	/* as of a program that a user starts: the change of user has removed it */
	if (prctl(PR_SET_DUMPABLE, 1))
		fail("PR_SET_DUMPABLE");
	if (access(program, X_OK)) {
		fprintf(stderr, "poorer: the user %d cannot start %s: %s\n", (int)geteuid(),
			program, strerror(errno));
		exit(SKIPPED);
	}
}

/* As with the sysctl user.max_user_namespaces of 0, or a container's filter. */
static int without_namespaces(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp flag[] = { SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER,
						     CLONE_NEWUSER) };
	int ret = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 1, flag);

	ret = ret ? ret
		  : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, flag);
	/* its flags are in memory: callers fall back to clone() */
	return ret ? ret : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

static int without_landlock(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset),
				0);
}

static bool has_word(const char *list, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ',') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int ret = 0;

	if (argc < 4 || !filter)
		return 2;
	/* calls of 32 bits go on: they are none of the filter's */
	seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);
	if (!strcmp(argv[1], "user"))
		become_user(argv[3]);
	if (has_word(argv[2], "namespaces"))
		ret = without_namespaces(filter);
	if (has_word(argv[2], "landlock") && !ret)
		ret = without_landlock(filter);
	/* It needs no privilege to be loaded, and no-new-privs is for the tests to see unset. */
	if (!ret && strcmp(argv[2], "nothing"))
		ret = seccomp_load(filter);
	if (ret) {
		errno = -ret;
		fail("seccomp");
	}
	seccomp_release(filter);
	execv(argv[3], argv + 3);
	fail(argv[3]);
}
